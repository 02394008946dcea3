//! UTF-16, UCS-2 and UTF-32 (MySQL manual: "Unicode Support").

/// A form of Unicode whose units have a fixed width.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// Big-endian units of 2 bytes, surrogate pairs allowed.
    Utf16,
    /// Little-endian units of 2 bytes, surrogate pairs allowed.
    Utf16le,
    /// Big-endian units of 2 bytes, each a character.
    Ucs2,
    /// Big-endian units of 4 bytes.
    Utf32,
    /// UTF-8.
    Utf8,
}

impl Form {
    /// The text of bytes; an error is the offset of the first bad character.
    pub(super) fn decode(self, raw: &[u8]) -> Result<String, usize> {
        match self {
            Self::Utf16 => utf16(raw, u16::from_be_bytes),
            Self::Utf16le => utf16(raw, u16::from_le_bytes),
            Self::Ucs2 => whole(raw, |unit: [u8; 2]| u16::from_be_bytes(unit).into()),
            Self::Utf32 => whole(raw, u32::from_be_bytes),
            Self::Utf8 => match std::str::from_utf8(raw) {
                Ok(text) => Ok(text.to_owned()),
                Err(error) => Err(error.valid_up_to()),
            },
        }
    }
}

fn utf16(raw: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, usize> {
    let (units, rest) = raw.as_chunks::<2>();
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    for character in char::decode_utf16(units.iter().map(|bytes| unit(*bytes))) {
        let character = character.map_err(|_| at)?;
        at += character.len_utf16() * 2;
        text.push(character);
    }
    if rest.is_empty() { Ok(text) } else { Err(at) }
}

/// Units that are characters.
fn whole<const N: usize>(raw: &[u8], unit: fn([u8; N]) -> u32) -> Result<String, usize> {
    let (units, rest) = raw.as_chunks::<N>();
    let mut text = String::with_capacity(raw.len());
    for (index, bytes) in units.iter().enumerate() {
        text.push(char::from_u32(unit(*bytes)).ok_or(index * N)?);
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(units.len() * N)
    }
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;

    #[test]
    fn wide_characters_are_read_in_their_byte_order() {
        assert_eq!(Charset::Utf16.decode(b"\0a\xd8\x3d\xde\0").unwrap(), "a😀");
        assert_eq!(
            Charset::Utf16le.decode(b"a\0\x3d\xd8\0\xde").unwrap(),
            "a😀"
        );
        assert_eq!(
            Charset::Utf32.decode(b"\0\0\0a\0\x01\xf6\0").unwrap(),
            "a😀"
        );
        assert_eq!(Charset::Ucs2.decode(b"\x20\xac").unwrap(), "€");
    }

    #[test]
    fn halves_of_characters_are_errors() {
        assert!(Charset::Utf16.decode(b"\xd8\x3d").is_err());
        assert!(Charset::Utf16.decode(b"\0a\0").is_err());
        assert!(Charset::Ucs2.decode(b"\xd8\x3d\xde\0").is_err());
        assert!(Charset::Utf32.decode(b"\0\0\0").is_err());
        assert!(Charset::Utf32.decode(b"\0\x11\0\0").is_err());
    }
}
