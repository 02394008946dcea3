//! Small events that steer the stream.

use super::{Bytes, RawEvent, event_type};
use crate::source::error::SourceError;

/// Body of a ROTATE event: where the log goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotate {
    /// Offset of the next event, in bytes; 4 unless the stream was started elsewhere.
    pub offset: u64,
    /// The next file.
    pub file: String,
}

impl Rotate {
    /// Reads the body of a ROTATE event (MySQL source `Rotate_event`).
    ///
    /// # Errors
    /// When the body is too short, or its file name is empty, holds a zero byte or is not
    /// UTF-8.
    pub fn parse(event: &RawEvent<'_>) -> Result<Self, SourceError> {
        let mut bytes = Bytes::new(event.body);
        let offset = bytes
            .u64()
            .ok_or_else(|| event.malformed("the body is too short"))?;
        match std::str::from_utf8(bytes.rest()) {
            Ok(file) if !file.is_empty() && !file.contains('\0') => Ok(Self {
                offset,
                file: file.to_owned(),
            }),
            _ => Err(event.malformed("the file name is not valid")),
        }
    }
}

/// Body of a HEARTBEAT event of either version: where the source stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    /// The file that the source reads.
    pub file: String,
    /// Offset in it, in bytes; `None` in version 1, where only the header has its low half.
    pub offset: Option<u64>,
}

impl Heartbeat {
    /// Reads the body of a HEARTBEAT (MySQL source `Heartbeat_event`, `Heartbeat_event_v2`).
    ///
    /// # Errors
    /// When the body ends within a field or has no valid file name.
    pub fn parse(event: &RawEvent<'_>) -> Result<Self, SourceError> {
        let parsed = if event.header.type_code == event_type::HEARTBEAT_V2 {
            Self::read_fields(event.body)
        } else {
            // MariaDB may append fields after the name.
            let name = event.body.split(|&byte| byte == 0).next();
            name.and_then(text).map(|file| Self { file, offset: None })
        };
        parsed
            .filter(|heartbeat| !heartbeat.file.is_empty())
            .ok_or_else(|| event.malformed("the file name is not valid"))
    }

    /// Fields of version 2: type, length, value; 0 ends, 1 is the file name, 2 the offset.
    fn read_fields(body: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(body);
        let (mut file, mut offset) = (None, None);
        while !bytes.is_empty() {
            let field = bytes.u8()?;
            if field == 0 {
                break;
            }
            let length = usize::try_from(bytes.length_encoded()?).ok()?;
            let value = bytes.take(length)?;
            match field {
                1 => file = Some(text(value)?),
                2 => offset = Some(Bytes::new(value).length_encoded()?),
                _ => {}
            }
        }
        Some(Self {
            file: file?,
            offset,
        })
    }
}

fn text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().map(str::to_owned)
}

/// Body of an INCIDENT event: the log may miss changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// Number of the incident; 1 is "lost events".
    pub number: u16,
    /// The server's message.
    pub message: String,
}

impl Incident {
    /// Reads the body of an INCIDENT event (MySQL source `Incident_event`).
    ///
    /// # Errors
    /// When the body is too short.
    pub fn parse(event: &RawEvent<'_>) -> Result<Self, SourceError> {
        let mut bytes = Bytes::new(event.body);
        bytes
            .u16()
            .and_then(|number| {
                let message = bytes.short_bytes()?;
                Some(Self {
                    number,
                    message: String::from_utf8_lossy(message).into_owned(),
                })
            })
            .ok_or_else(|| event.malformed("the body is too short"))
    }
}

/// The transaction number of an XID event (MySQL source `Xid_event`).
///
/// # Errors
/// When the body is not 8 bytes long.
pub fn xid(event: &RawEvent<'_>) -> Result<u64, SourceError> {
    let mut bytes = Bytes::new(event.body);
    match (bytes.u64(), bytes.is_empty()) {
        (Some(xid), true) => Ok(xid),
        _ => Err(event.malformed(&format!(
            "the body takes 8 bytes, found {}",
            event.body.len()
        ))),
    }
}

/// The statement text of a ROWS_QUERY (MySQL) or ANNOTATE_ROWS (MariaDB) event.
///
/// MySQL writes a length byte first, which is only right for short texts and is passed over.
#[must_use]
pub fn rows_query<'a>(event: &RawEvent<'a>) -> &'a [u8] {
    if event.header.type_code == event_type::ROWS_QUERY {
        event.body.get(1..).unwrap_or_default()
    } else {
        event.body
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_event;
    use super::*;

    #[test]
    fn rotate_has_offset_and_file() {
        let mut body = 4_u64.to_le_bytes().to_vec();
        body.extend(b"binlog.000002");
        let rotate = with_event(event_type::ROTATE, &body, Rotate::parse).unwrap();
        assert_eq!((rotate.offset, rotate.file.as_str()), (4, "binlog.000002"));
        assert!(with_event(event_type::ROTATE, &body[..8], Rotate::parse).is_err());
        assert!(with_event(event_type::ROTATE, &body[..5], Rotate::parse).is_err());
        body.extend([0, 0xff]);
        assert!(with_event(event_type::ROTATE, &body, Rotate::parse).is_err());
    }

    #[test]
    fn both_heartbeats_name_the_file() {
        let old = with_event(event_type::HEARTBEAT, b"b.000007", Heartbeat::parse).unwrap();
        assert_eq!((old.file.as_str(), old.offset), ("b.000007", None));
        let body = b"\x01\x08b.000007\x02\x04\xfd\x00\x00\x01\x00";
        for length in [0, 1, 5, 11, 12, 15] {
            let cut = &body[..length];
            assert!(
                with_event(event_type::HEARTBEAT_V2, cut, Heartbeat::parse).is_err(),
                "{length} bytes"
            );
        }
        let new = with_event(event_type::HEARTBEAT_V2, body, Heartbeat::parse).unwrap();
        assert_eq!((new.file.as_str(), new.offset), ("b.000007", Some(65536)));
    }

    #[test]
    fn xid_and_incident_are_read() {
        let body = 513_u64.to_le_bytes();
        assert_eq!(with_event(event_type::XID, &body, xid).unwrap(), 513);
        assert!(with_event(event_type::XID, &body[..7], xid).is_err());
        let incident =
            with_event(event_type::INCIDENT, b"\x01\x00\x04lost", Incident::parse).unwrap();
        assert_eq!((incident.number, incident.message.as_str()), (1, "lost"));
        assert!(with_event(event_type::INCIDENT, b"\x01\x00\x05lost", Incident::parse).is_err());
    }

    #[test]
    fn statement_text_loses_only_the_length_byte() {
        let mysql = with_event(event_type::ROWS_QUERY, b"\x08SELECT 1", |e| {
            rows_query(e).to_vec()
        });
        let mariadb = with_event(event_type::ANNOTATE_ROWS, b"SELECT 1", |e| {
            rows_query(e).to_vec()
        });
        assert_eq!(mysql, b"SELECT 1");
        assert_eq!(mariadb, b"SELECT 1");
        assert!(with_event(event_type::ROWS_QUERY, b"", |e| rows_query(e).is_empty()));
    }
}
