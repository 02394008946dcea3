//! Binlog events: header, type codes, and the bodies of those that steer the stream.
//!
//! Formats: MySQL source `libs/mysql/binlog/event`, MariaDB source `sql/log_event.h`.

mod bytes;
mod control;
pub mod event_type;
mod format;
mod payload;
mod query;

use std::sync::Arc;

pub(crate) use bytes::Bytes;
pub use control::{Heartbeat, Incident, Rotate, rows_query, xid};
pub use format::{ChecksumAlgorithm, FormatDescription};
pub use payload::TransactionPayload;
pub use query::{QueryCharset, QueryEvent, query_flags};

use super::error::SourceError;
use super::position::BinlogPosition;

/// Bits of [`EventHeader::flags`].
pub mod flags {
    /// The file of this FORMAT_DESCRIPTION is still being written, or was not closed cleanly.
    pub const BINLOG_IN_USE: u16 = 0x0001;
    /// The statement depends on the session that ran it: it uses a temporary table.
    pub const THREAD_SPECIFIC: u16 = 0x0004;
    /// The event was made up for the stream and is in no file.
    pub const ARTIFICIAL: u16 = 0x0020;
    /// A reader that does not know the type may pass the event over.
    pub const IGNORABLE: u16 = 0x0080;
}

/// The header that starts each event, 19 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventHeader {
    /// Seconds since 1970 when the statement began; 0 in artificial events.
    pub timestamp: u32,
    /// Type code, see [`event_type`].
    pub type_code: u8,
    /// Id of the server that made the event.
    pub server_id: u32,
    /// Bytes of the whole event, header and checksum included.
    pub event_size: u32,
    /// Low 32 bits of the offset after the event in its file; 0 in artificial events.
    pub log_pos: u32,
    /// See [`flags`].
    pub flags: u16,
}

impl EventHeader {
    /// Length of a header, in bytes.
    pub const LEN: usize = 19;

    /// Whether it is that of a heartbeat, of either version.
    #[must_use]
    pub fn is_heartbeat(&self) -> bool {
        matches!(
            self.type_code,
            event_type::HEARTBEAT | event_type::HEARTBEAT_V2
        )
    }

    /// Reads a header from the first 19 bytes; `None` when there are fewer.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        Some(Self {
            timestamp: bytes.u32()?,
            type_code: bytes.u8()?,
            server_id: bytes.u32()?,
            event_size: bytes.u32()?,
            log_pos: bytes.u32()?,
            flags: bytes.u16()?,
        })
    }

    /// The header as it stands in a file.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[0..4].copy_from_slice(&self.timestamp.to_le_bytes());
        bytes[4] = self.type_code;
        bytes[5..9].copy_from_slice(&self.server_id.to_le_bytes());
        bytes[9..13].copy_from_slice(&self.event_size.to_le_bytes());
        bytes[13..17].copy_from_slice(&self.log_pos.to_le_bytes());
        bytes[17..19].copy_from_slice(&self.flags.to_le_bytes());
        bytes
    }

    /// Whether the event is in no file.
    #[must_use]
    pub fn is_artificial(&self) -> bool {
        self.flags & flags::ARTIFICIAL != 0
    }

    /// Whether the statement uses a temporary table.
    #[must_use]
    pub fn is_thread_specific(&self) -> bool {
        self.flags & flags::THREAD_SPECIFIC != 0
    }

    /// Whether a reader that does not know the type may pass the event over.
    #[must_use]
    pub fn is_ignorable(&self) -> bool {
        self.flags & flags::IGNORABLE != 0
    }

    /// Name of the type, for messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        event_type::name(self.type_code)
    }
}

/// One event of a stream: header, body, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct RawEvent<'a> {
    /// The header.
    pub header: EventHeader,
    /// What follows the header, without checksum (and without the checksum algorithm of a
    /// FORMAT_DESCRIPTION).
    pub body: &'a [u8],
    /// File that the event is in; for an artificial event the file that the stream is in.
    pub file: &'a Arc<str>,
    /// Offset of the event's first byte in its file, 64 bits wide.
    pub start: u64,
    /// Offset after the event in its file; equal to `start` for artificial events.
    pub end: u64,
}

impl RawEvent<'_> {
    /// The position before the event.
    #[must_use]
    pub fn start_position(&self) -> BinlogPosition {
        BinlogPosition::new(Arc::clone(self.file), self.start)
    }

    /// The position after the event.
    #[must_use]
    pub fn end_position(&self) -> BinlogPosition {
        BinlogPosition::new(Arc::clone(self.file), self.end)
    }

    /// An error that names this event's type and position.
    #[must_use]
    pub fn malformed(&self, detail: &str) -> SourceError {
        SourceError::Malformed {
            file: self.file.to_string(),
            position: self.start,
            detail: format!("{}: {detail}", self.header.type_name()),
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Calls `use_event` with an event of this type and body at `b.000001:100`.
    pub(crate) fn with_event<T>(
        type_code: u8,
        body: &[u8],
        use_event: impl FnOnce(&RawEvent<'_>) -> T,
    ) -> T {
        let file: Arc<str> = Arc::from("b.000001");
        let size = (EventHeader::LEN + body.len()) as u32;
        use_event(&RawEvent {
            header: EventHeader {
                timestamp: 1,
                type_code,
                server_id: 7,
                event_size: size,
                log_pos: 100 + size,
                flags: 0,
            },
            body,
            file: &file,
            start: 100,
            end: 100 + u64::from(size),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_goes_both_ways() {
        let bytes: Vec<u8> = (1..=19).collect();
        let header = EventHeader::parse(&bytes).unwrap();
        assert_eq!(header.timestamp, 0x0403_0201);
        assert_eq!(header.type_code, 5);
        assert_eq!(header.server_id, 0x0908_0706);
        assert_eq!(header.event_size, 0x0d0c_0b0a);
        assert_eq!(header.log_pos, 0x1110_0f0e);
        assert_eq!(header.flags, 0x1312);
        assert_eq!(header.to_bytes().as_slice(), bytes.as_slice());
        assert_eq!(EventHeader::parse(&bytes[..18]), None);
    }

    #[test]
    fn malformed_names_type_file_and_position() {
        let text = testing::with_event(event_type::QUERY, &[], |event| {
            event.malformed("too short").to_string()
        });
        assert!(text.contains("b.000001, position 100"), "{text}");
        assert!(text.contains("QUERY_EVENT: too short"), "{text}");
    }
}
