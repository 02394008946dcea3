//! Compressed transactions (MySQL) and compressed events (MariaDB) within a stream.

use super::unpack::{PayloadEvent, UnpackError};
use super::{TransactionReader, TransactionSink, unreadable};
use crate::error::Error;
use crate::limits::{Limit, LimitError};
use crate::source::RawEvent;
use crate::source::event::{QueryEvent, TransactionPayload, event_type};

/// The rows event type that a compressed one (MariaDB) is apart from its compressed rows;
/// `None` for a type that is not compressed.
pub(super) const fn plain_rows_type(type_code: u8) -> Option<u8> {
    match type_code {
        event_type::WRITE_ROWS_COMPRESSED_V1 => Some(event_type::WRITE_ROWS_V1),
        event_type::UPDATE_ROWS_COMPRESSED_V1 => Some(event_type::UPDATE_ROWS_V1),
        event_type::DELETE_ROWS_COMPRESSED_V1 => Some(event_type::DELETE_ROWS_V1),
        event_type::WRITE_ROWS_COMPRESSED => Some(event_type::WRITE_ROWS),
        event_type::UPDATE_ROWS_COMPRESSED => Some(event_type::UPDATE_ROWS),
        event_type::DELETE_ROWS_COMPRESSED => Some(event_type::DELETE_ROWS),
        _ => None,
    }
}

/// Whether events of this type stand between transactions, or frame one from outside, so that
/// a payload has none of them. The others are judged by the event policy.
const fn stands_outside_payloads(type_code: u8) -> bool {
    matches!(
        type_code,
        event_type::STOP
            | event_type::ROTATE
            | event_type::FORMAT_DESCRIPTION
            | event_type::HEARTBEAT
            | event_type::HEARTBEAT_V2
            | event_type::GTID
            | event_type::ANONYMOUS_GTID
            | event_type::GTID_TAGGED
            | event_type::PREVIOUS_GTIDS
            | event_type::TRANSACTION_PAYLOAD
            | event_type::ANNOTATE_ROWS..=event_type::DELETE_ROWS_COMPRESSED
    )
}

impl TransactionReader {
    /// A whole transaction, but for its GTID. Its events have no place of their own in the
    /// file: they all stand where the payload stands, so that the transaction's boundary is
    /// the payload's end.
    pub(super) fn payload(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let payload =
            TransactionPayload::parse(event.body).map_err(|detail| unreadable(event, detail))?;
        // The events borrow from the unpacker while this reader takes them.
        let mut unpacker = std::mem::take(&mut self.unpacker);
        let result = unpacker
            .open(&payload)
            .map_err(|error| unpack_error(&error, event))
            .and_then(|mut events| {
                while let Some(inner) =
                    events.next().map_err(|error| unpack_error(&error, event))?
                {
                    self.payload_event(event, &inner, sink)?;
                }
                Ok(())
            });
        unpacker.trim();
        self.unpacker = unpacker;
        self.payload_goes_on = false;
        result?;
        if self.in_transaction {
            return Err(unreadable(event, "its transaction has no end in it"));
        }
        Ok(())
    }

    fn payload_event(
        &mut self,
        outer: &RawEvent<'_>,
        inner: &PayloadEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let event = RawEvent {
            header: inner.header,
            body: inner.body,
            ..*outer
        };
        if stands_outside_payloads(inner.header.type_code) {
            return Err(unreadable(&event, "it stands within a payload"));
        }
        self.payload_goes_on = !inner.is_last;
        self.event(&event, sink)
    }

    /// MariaDB's compressed QUERY: only the statement is compressed.
    pub(super) fn query_compressed(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let query = QueryEvent::parse(event)?;
        let mut unpacker = std::mem::take(&mut self.unpacker);
        let result = match unpacker.inflate(query.statement) {
            Ok(statement) => self.statement(event, &QueryEvent { statement, ..query }, sink),
            Err(error) => Err(unpack_error(&error, event)),
        };
        unpacker.trim();
        self.unpacker = unpacker;
        result
    }
}

/// A limit that was reached is said as such; all else is damage.
pub(super) fn unpack_error(error: &UnpackError, event: &RawEvent<'_>) -> Error {
    let (limit, allowed) = match error {
        UnpackError::EventTooLarge { limit } => (Limit::EventBytes, *limit),
        UnpackError::PayloadTooLarge { limit } => (Limit::PayloadBytes, *limit),
        other => return unreadable(event, &other.to_string()),
    };
    LimitError {
        limit,
        what: format!("{error}, at {}", event.end_position()),
        found: None,
        allowed,
    }
    .into()
}

#[cfg(test)]
#[path = "compressed_tests.rs"]
mod tests;
