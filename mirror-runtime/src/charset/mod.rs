//! Character sets: the bytes of a text column as Unicode, exactly as the server converts them.
//!
//! What the server has no character for (it would give `?`) is an error here, never a
//! replacement. Sources: MySQL manual, "Supported Character Sets and Collations", and the servers'
//! own conversions (see the tables).

mod exceptions;
mod multi_byte;
mod single_byte;
mod unicode;

use std::borrow::Cow;

use crate::error::ValueError;
use multi_byte::Lead;
use single_byte as single;

macro_rules! charsets {
    ($($variant:ident $name:literal $max:literal,)*) => {
        /// A character set that text columns may have.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are those of the SQL character sets")]
        pub enum Charset {
            $($variant,)*
        }

        impl Charset {
            /// Every character set that is decoded.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in SQL, in lower case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Bytes of the longest character, 1 to 4.
            #[must_use]
            pub const fn max_char_bytes(self) -> u32 {
                match self {
                    $(Self::$variant => $max,)*
                }
            }
        }
    };
}

charsets! {
    Armscii8 "armscii8" 1,
    Ascii "ascii" 1,
    Big5 "big5" 2,
    Cp1250 "cp1250" 1,
    Cp1251 "cp1251" 1,
    Cp1256 "cp1256" 1,
    Cp1257 "cp1257" 1,
    Cp850 "cp850" 1,
    Cp852 "cp852" 1,
    Cp866 "cp866" 1,
    Cp932 "cp932" 2,
    Dec8 "dec8" 1,
    Eucjpms "eucjpms" 3,
    Euckr "euckr" 2,
    Gb18030 "gb18030" 4,
    Gb2312 "gb2312" 2,
    Gbk "gbk" 2,
    Geostd8 "geostd8" 1,
    Greek "greek" 1,
    Hebrew "hebrew" 1,
    Hp8 "hp8" 1,
    Keybcs2 "keybcs2" 1,
    Koi8r "koi8r" 1,
    Koi8u "koi8u" 1,
    Latin1 "latin1" 1,
    Latin2 "latin2" 1,
    Latin5 "latin5" 1,
    Latin7 "latin7" 1,
    Macce "macce" 1,
    Macroman "macroman" 1,
    Sjis "sjis" 2,
    Swe7 "swe7" 1,
    Tis620 "tis620" 1,
    Ucs2 "ucs2" 2,
    Ujis "ujis" 3,
    Utf16 "utf16" 4,
    Utf16le "utf16le" 4,
    Utf32 "utf32" 4,
    Utf8mb3 "utf8mb3" 3,
    Utf8mb4 "utf8mb4" 4,
}

impl Charset {
    /// The character set of this SQL name in any case; `utf8` means `utf8mb3`.
    ///
    /// ```
    /// use mirror_runtime::Charset;
    ///
    /// assert_eq!(Charset::from_name("UTF8"), Some(Charset::Utf8mb3));
    /// assert_eq!(Charset::from_name("filename"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name.eq_ignore_ascii_case("utf8") {
            "utf8mb3"
        } else {
            name
        };
        Self::ALL
            .iter()
            .copied()
            .find(|charset| charset.name().eq_ignore_ascii_case(name))
    }

    /// Whether two different byte sequences may stand for the same text, so that text does not
    /// tell rows apart that the server keeps apart.
    #[must_use]
    pub const fn is_ambiguous(self) -> bool {
        matches!(
            self,
            Self::Armscii8 | Self::Cp932 | Self::Eucjpms | Self::Sjis | Self::Ujis
        )
    }

    /// The text of a value's bytes.
    ///
    /// ```
    /// use mirror_runtime::Charset;
    ///
    /// assert_eq!(Charset::Latin1.decode(b"na\xefve\x80").unwrap(), "na\u{ef}ve\u{20ac}");
    /// assert_eq!(Charset::Gbk.decode(b"\xd6\xd0").unwrap(), "\u{4e2d}");
    /// assert!(Charset::Ascii.decode(b"\xd6").is_err());
    /// ```
    ///
    /// # Errors
    /// [`ValueError::Text`] with the offset of the first byte that is no character.
    #[inline]
    pub fn decode(self, raw: &[u8]) -> Result<Cow<'_, str>, ValueError> {
        match self {
            Self::Utf8mb4 | Self::Utf8mb3 => match std::str::from_utf8(raw) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(error) => Err(self.bad_byte(error.valid_up_to())),
            },
            _ => self.convert(raw),
        }
    }

    fn convert(self, raw: &[u8]) -> Result<Cow<'_, str>, ValueError> {
        if self.keeps_ascii()
            && raw.is_ascii()
            && let Ok(text) = std::str::from_utf8(raw)
        {
            return Ok(Cow::Borrowed(text));
        }
        let converted = match self.decoder() {
            Decoder::Single(table) => decode_single(raw, table),
            Decoder::Multi(set) => set.decode(raw),
            Decoder::Unicode(form) => form.decode(raw),
        };
        match converted {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(at) => Err(self.bad_byte(at)),
        }
    }

    #[cold]
    fn bad_byte(self, at: usize) -> ValueError {
        ValueError::Text {
            charset: self.name(),
            at,
        }
    }

    /// Whether bytes below 0x80 always are the characters of ASCII.
    const fn keeps_ascii(self) -> bool {
        !matches!(
            self,
            Self::Swe7 | Self::Ucs2 | Self::Utf16 | Self::Utf16le | Self::Utf32
        )
    }

    fn decoder(self) -> Decoder {
        use encoding_rs as e;
        use exceptions as x;
        let multi = |encoding, lead, exceptions| {
            Decoder::Multi(multi_byte::Set {
                encoding,
                lead,
                exceptions,
            })
        };
        match self {
            Self::Armscii8 => Decoder::Single(&single::ARMSCII8),
            Self::Ascii => Decoder::Single(&ASCII),
            Self::Cp1250 => Decoder::Single(&single::CP1250),
            Self::Cp1251 => Decoder::Single(&single::CP1251),
            Self::Cp1256 => Decoder::Single(&single::CP1256),
            Self::Cp1257 => Decoder::Single(&single::CP1257),
            Self::Cp850 => Decoder::Single(&single::CP850),
            Self::Cp852 => Decoder::Single(&single::CP852),
            Self::Cp866 => Decoder::Single(&single::CP866),
            Self::Dec8 => Decoder::Single(&single::DEC8),
            Self::Geostd8 => Decoder::Single(&single::GEOSTD8),
            Self::Greek => Decoder::Single(&single::GREEK),
            Self::Hebrew => Decoder::Single(&single::HEBREW),
            Self::Hp8 => Decoder::Single(&single::HP8),
            Self::Keybcs2 => Decoder::Single(&single::KEYBCS2),
            Self::Koi8r => Decoder::Single(&single::KOI8R),
            Self::Koi8u => Decoder::Single(&single::KOI8U),
            Self::Latin1 => Decoder::Single(&single::LATIN1),
            Self::Latin2 => Decoder::Single(&single::LATIN2),
            Self::Latin5 => Decoder::Single(&single::LATIN5),
            Self::Latin7 => Decoder::Single(&single::LATIN7),
            Self::Macce => Decoder::Single(&single::MACCE),
            Self::Macroman => Decoder::Single(&single::MACROMAN),
            Self::Swe7 => Decoder::Single(&single::SWE7),
            Self::Tis620 => Decoder::Single(&single::TIS620),
            Self::Big5 => multi(e::BIG5, Lead::TwoBytes, x::BIG5),
            Self::Cp932 => multi(e::SHIFT_JIS, Lead::ShiftJis, x::CP932),
            Self::Eucjpms => multi(e::EUC_JP, Lead::EucJp, x::EUCJPMS),
            Self::Euckr => multi(e::EUC_KR, Lead::TwoBytes, &[]),
            Self::Gb18030 => multi(e::GB18030, Lead::Gb18030, x::GB18030),
            Self::Gb2312 => multi(e::GBK, Lead::TwoBytes, x::GB2312),
            Self::Gbk => multi(e::GBK, Lead::TwoBytes, x::GBK),
            Self::Sjis => multi(e::SHIFT_JIS, Lead::ShiftJis, x::SJIS),
            Self::Ujis => multi(e::EUC_JP, Lead::EucJp, x::UJIS),
            Self::Ucs2 => Decoder::Unicode(unicode::Form::Ucs2),
            Self::Utf16 => Decoder::Unicode(unicode::Form::Utf16),
            Self::Utf16le => Decoder::Unicode(unicode::Form::Utf16le),
            Self::Utf32 => Decoder::Unicode(unicode::Form::Utf32),
            Self::Utf8mb3 | Self::Utf8mb4 => Decoder::Unicode(unicode::Form::Utf8),
        }
    }
}

/// How the bytes of a character set are read.
enum Decoder {
    Single(&'static single::Table),
    Multi(multi_byte::Set),
    Unicode(unicode::Form),
}

/// ASCII: bytes of 0x80 and more are no characters.
static ASCII: single::Table = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x80 {
        table[byte as usize] = byte;
        byte += 1;
    }
    table
};

/// The text of bytes of a single-byte set; an error is the offset of the first bad byte.
fn decode_single(raw: &[u8], table: &single::Table) -> Result<String, usize> {
    let mut text = String::with_capacity(raw.len() + raw.len() / 2);
    for (at, byte) in raw.iter().enumerate() {
        match table.get(usize::from(*byte)) {
            Some(0) if *byte != 0 => return Err(at),
            Some(code) => text.push(char::from_u32(u32::from(*code)).ok_or(at)?),
            None => return Err(at),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_lead_back() {
        for charset in Charset::ALL {
            assert_eq!(Charset::from_name(charset.name()), Some(*charset));
            let upper = charset.name().to_uppercase();
            assert_eq!(Charset::from_name(&upper), Some(*charset));
        }
        assert_eq!(Charset::from_name("binary"), None);
    }

    #[test]
    fn text_of_the_field_reports_is_decoded() {
        for (charset, raw, text) in [
            (Charset::Latin1, &b"na\xefve\x80"[..], "naïve€"),
            (Charset::Gbk, b"\xd6\xd0\xce\xc4", "中文"),
            (Charset::Utf16, b"\0a\xd8\x3d\xde\0", "a😀"),
            (Charset::Ucs2, b"\0a\0b", "ab"),
            (Charset::Sjis, b"\x93\xfa\x96{", "日本"),
            (Charset::Utf8mb3, "ß".as_bytes(), "ß"),
        ] {
            assert_eq!(charset.decode(raw).unwrap(), text, "{}", charset.name());
        }
    }

    #[test]
    fn every_charset_but_the_wide_ones_and_swe7_reads_ascii() {
        let ascii: Vec<u8> = (0..0x80).collect();
        for charset in Charset::ALL {
            let text = charset.decode(&ascii);
            let same = text.is_ok_and(|text| text.as_bytes() == ascii);
            assert_eq!(same, charset.keeps_ascii(), "{}", charset.name());
        }
    }

    #[test]
    fn a_byte_without_a_character_is_an_error_with_its_offset() {
        for (charset, raw, at) in [
            (Charset::Ascii, &b"ab\x80"[..], 2),
            (Charset::Cp1251, b"\x98", 0),
            (Charset::Tis620, b"a\xfc", 1),
            (Charset::Utf8mb4, b"a\xed\xa0\x80", 1),
            (Charset::Swe7, b"\x80", 0),
        ] {
            let expected = ValueError::Text {
                charset: charset.name(),
                at,
            };
            assert_eq!(charset.decode(raw), Err(expected));
        }
    }

    #[test]
    fn ambiguous_single_byte_sets_are_marked() {
        for charset in Charset::ALL {
            let Decoder::Single(table) = charset.decoder() else {
                continue;
            };
            let mut codes: Vec<u16> = table.iter().copied().filter(|code| *code != 0).collect();
            codes.sort_unstable();
            let twice = codes.windows(2).any(|pair| pair[0] == pair[1]);
            assert_eq!(twice, charset.is_ambiguous(), "{}", charset.name());
        }
    }

    #[test]
    fn no_bytes_make_a_decoder_panic() {
        let mut state = 1_u32;
        for _ in 0..20_000 {
            let raw: Vec<u8> = (0..state % 7)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            state = state.wrapping_add(1);
            for charset in Charset::ALL {
                if let Err(ValueError::Text { at, .. }) = charset.decode(&raw) {
                    assert!(at < raw.len(), "{} {raw:?}", charset.name());
                }
            }
        }
    }
}
