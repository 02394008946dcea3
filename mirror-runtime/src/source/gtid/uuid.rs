//! Server UUIDs.

use std::fmt;
use std::str::FromStr;

use super::GtidError;

/// A server's UUID, 16 bytes; prints in lower case with dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for Uuid {
    type Err = GtidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || GtidError::new(text, "not a UUID of 32 hexadecimal digits");
        let plain: String = text.chars().filter(|&c| c != '-').collect();
        let dashes = text.len() - plain.len();
        let dashes_right = dashes == 0
            || (dashes == 4
                && [8, 13, 18, 23]
                    .iter()
                    .all(|&at| text.as_bytes().get(at) == Some(&b'-')));
        if !dashes_right || plain.len() != 32 || !plain.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(error());
        }
        let number = u128::from_str_radix(&plain, 16).map_err(|_| error())?;
        Ok(Self(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuid_text_goes_both_ways() {
        let text = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
        let uuid: Uuid = text.parse().unwrap();
        assert_eq!(uuid.0[0], 0x3e);
        assert_eq!(uuid.0[15], 0x62);
        assert_eq!(uuid.to_string(), text);
        assert_eq!("3E11FA4771CA11E19E33C80AA9429562".parse(), Ok(uuid));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "3e11fa47-71ca-11e1-9e33-c80aa942956",
            "3e11fa477-1ca-11e1-9e33-c80aa9429562",
            "3e11fa47-71ca-11e1-9e33-c80aa942956g",
            "+e11fa47-71ca-11e1-9e33-c80aa9429562",
            "3e11fa47-71ca-11e1-9e33-c80aa94295-62",
        ] {
            assert!(text.parse::<Uuid>().is_err(), "{text}");
        }
    }
}
