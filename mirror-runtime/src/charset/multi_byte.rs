//! The multi-byte character sets of East Asia: the Encoding Standard's tables, and the servers'
//! exceptions from them.

use std::ops::ControlFlow;

use encoding_rs::Encoding;

use super::exceptions::Range;

/// How many bytes a character has.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lead {
    /// 2 from 0x80 on.
    TwoBytes,
    /// 2, but 1 for half-width katakana.
    ShiftJis,
    /// 2, but 3 behind 0x8f.
    EucJp,
    /// 2, but 4 where the second byte is a digit.
    Gb18030,
}

impl Lead {
    /// Bytes of the character that starts here; `raw` is not empty.
    fn length(self, raw: &[u8]) -> usize {
        let first = raw.first().copied().unwrap_or(0);
        match self {
            _ if first < 0x80 => 1,
            Self::ShiftJis if matches!(first, 0xa0..=0xdf | 0x80 | 0xfd..) => 1,
            Self::EucJp if first == 0x8f => 3,
            Self::Gb18030 if matches!(raw.get(1), Some(b'0'..=b'9')) => 4,
            _ => 2,
        }
    }
}

/// One multi-byte character set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    pub(super) encoding: &'static Encoding,
    pub(super) lead: Lead,
    /// Sorted.
    pub(super) exceptions: &'static [Range],
}

impl Set {
    /// The text of bytes; an error is the offset of the first bad character.
    pub(super) fn decode(self, raw: &[u8]) -> Result<String, usize> {
        let mut text = String::with_capacity(raw.len() + raw.len() / 2);
        let mut at = 0;
        // What lies between two exceptions is decoded at once.
        let mut run = 0;
        while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
            let length = self.lead.length(rest);
            let Some(character) = rest.get(..length) else {
                return Err(self.first_bad(raw, run, at).unwrap_or(at));
            };
            if let Some(code) = self.exception(character) {
                self.decode_run(raw, run, at, &mut text)?;
                text.push(code.ok_or(at)?);
                run = at + length;
            }
            at += length;
        }
        self.decode_run(raw, run, at, &mut text)?;
        Ok(text)
    }

    /// What the servers make of a character that they read in another way.
    fn exception(self, character: &[u8]) -> Option<Option<char>> {
        if character.len() == 1 && character.first().is_some_and(|byte| *byte < 0x80) {
            return None;
        }
        let sequence = character
            .iter()
            .fold(0, |number: u32, byte| number << 8 | u32::from(*byte));
        let after = self
            .exceptions
            .partition_point(|(first, ..)| *first <= sequence);
        let (first, last, code) = self.exceptions.get(after.checked_sub(1)?)?;
        if sequence > *last {
            return None;
        }
        match code {
            0 => Some(None),
            code => Some(char::from_u32(code + (sequence - first))),
        }
    }

    fn decode_run(
        self,
        raw: &[u8],
        from: usize,
        to: usize,
        text: &mut String,
    ) -> Result<(), usize> {
        let run = raw.get(from..to).unwrap_or_default();
        match self.one_piece(run) {
            ControlFlow::Continue(decoded) => {
                text.push_str(&decoded);
                Ok(())
            }
            ControlFlow::Break(()) => Err(self.first_bad(raw, from, to).unwrap_or(from)),
        }
    }

    fn one_piece(self, run: &[u8]) -> ControlFlow<(), std::borrow::Cow<'_, str>> {
        let decoded = self
            .encoding
            .decode_without_bom_handling_and_without_replacement(run);
        decoded.map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    /// The offset of the first character in `raw[from..to]` that cannot be decoded.
    fn first_bad(self, raw: &[u8], from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            let rest = raw.get(at..)?;
            let length = self.lead.length(rest);
            let good = rest
                .get(..length)
                .is_some_and(|character| self.one_piece(character).is_continue());
            if !good {
                return Some(at);
            }
            at += length;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::error::ValueError;

    #[test]
    fn servers_exceptions_win_over_the_standard() {
        // The Encoding Standard has U+FF3C, U+FF5E and U+2027 here.
        assert_eq!(Charset::Sjis.decode(b"\x81\x5f").unwrap(), "\\");
        assert_eq!(Charset::Ujis.decode(b"a\xa1\xc1b").unwrap(), "a\u{301c}b");
        assert_eq!(Charset::Big5.decode(b"\xa1\x45").unwrap(), "\u{2022}");
        // These are the standard's own.
        assert_eq!(Charset::Cp932.decode(b"\x81\x5f").unwrap(), "\u{ff3c}");
        assert_eq!(
            Charset::Sjis.decode(b"\xb1\x88\x9f").unwrap(),
            "\u{ff71}\u{4e9c}"
        );
    }

    #[test]
    fn a_character_cut_short_or_unknown_is_an_error_at_its_start() {
        for (charset, raw, at) in [
            (Charset::Gbk, &b"ab\xd6"[..], 2),
            (Charset::Gbk, b"\xd6\xd0\xff\xff", 2),
            (Charset::Gbk, b"\xd6\xd0\xa1\x40", 2),
            (Charset::Gb18030, b"a\x81\x30\x81", 1),
            (Charset::Ujis, b"\xb0\xa1\x8f\xb0", 2),
            (Charset::Euckr, b"x\x80\x80", 1),
        ] {
            let expected = ValueError::Text {
                charset: charset.name(),
                at,
            };
            assert_eq!(charset.decode(raw), Err(expected), "{}", charset.name());
        }
    }

    #[test]
    fn four_bytes_of_gb18030_are_one_character() {
        let text = Charset::Gb18030.decode(b"\x94\x39\xda\x33x").unwrap();
        assert_eq!(text, "\u{1f4a9}x");
    }
}
