//! FORMAT_DESCRIPTION: what the rest of a file looks like.

use super::{Bytes, RawEvent};
use crate::source::error::SourceError;

/// How events are protected against damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumAlgorithm {
    /// Not at all.
    Off,
    /// CRC-32 of zlib in the last 4 bytes.
    Crc32,
}

impl ChecksumAlgorithm {
    /// The algorithm with this code (MySQL source `enum_binlog_checksum_alg`); `None` for a
    /// code that is not known.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Off),
            1 => Some(Self::Crc32),
            _ => None,
        }
    }
}

/// Body of a FORMAT_DESCRIPTION event (MySQL source `Format_description_event`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatDescription {
    /// Version of the binlog format; 4 since MySQL 5.0.
    pub binlog_version: u16,
    /// Version text of the server that wrote the file.
    pub server_version: String,
    /// Seconds since 1970 when the server started, if this is its first file since; else 0.
    pub created: u32,
    /// Length of the fixed part of each event type's body, for type codes from 1.
    pub post_header_lengths: Vec<u8>,
}

impl FormatDescription {
    /// Reads the body of a FORMAT_DESCRIPTION event.
    ///
    /// # Errors
    /// When the body is too short, or of another binlog version than 4.
    pub fn parse(event: &RawEvent<'_>) -> Result<Self, SourceError> {
        let description =
            Self::read(event.body).ok_or_else(|| event.malformed("the body is too short"))?;
        if description.binlog_version != 4 {
            return Err(event.malformed(&format!(
                "binlog version: expected 4, found {}",
                description.binlog_version
            )));
        }
        Ok(description)
    }

    fn read(body: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(body);
        let binlog_version = bytes.u16()?;
        let version = bytes.take(50)?;
        let version = version.split(|&byte| byte == 0).next().unwrap_or(version);
        let created = bytes.u32()?;
        let header_length = bytes.u8()?;
        (header_length == 19).then(|| Self {
            binlog_version,
            server_version: String::from_utf8_lossy(version).into_owned(),
            created,
            post_header_lengths: bytes.rest().to_vec(),
        })
    }

    /// Length of the fixed part of an event type's body, in bytes; `None` for a type that the
    /// server did not know.
    #[must_use]
    pub fn post_header_length(&self, type_code: u8) -> Option<u8> {
        let index = usize::from(type_code).checked_sub(1)?;
        self.post_header_lengths.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{event_type, testing::with_event};
    use super::*;

    fn body(version: u16) -> Vec<u8> {
        let mut body = version.to_le_bytes().to_vec();
        let mut text = b"9.7.4-x".to_vec();
        text.resize(50, 0);
        body.extend(text);
        body.extend(77_u32.to_le_bytes());
        body.push(19);
        body.extend([0, 13, 0, 8]);
        body
    }

    #[test]
    fn version_and_header_lengths_are_read() {
        let description = with_event(
            event_type::FORMAT_DESCRIPTION,
            &body(4),
            FormatDescription::parse,
        )
        .unwrap();
        assert_eq!(description.server_version, "9.7.4-x");
        assert_eq!(description.created, 77);
        assert_eq!(description.post_header_length(event_type::QUERY), Some(13));
        assert_eq!(description.post_header_length(event_type::ROTATE), Some(8));
        assert_eq!(description.post_header_length(event_type::INTVAR), None);
        assert_eq!(description.post_header_length(0), None);
    }

    #[test]
    fn other_versions_and_short_bodies_are_refused() {
        let parse = |body: &[u8]| {
            with_event(
                event_type::FORMAT_DESCRIPTION,
                body,
                FormatDescription::parse,
            )
        };
        assert!(parse(&body(3)).unwrap_err().to_string().contains("found 3"));
        assert!(parse(&body(4)[..56]).is_err());
    }
}
