//! Events and sinks for tests of this module.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Boundary, Touch, TransactionReader, TransactionSink, unreadable};
use crate::error::Error;
use crate::image::{Plan, RowsEvent};
use crate::source::event::TransactionPayload;
use crate::source::{EventHeader, RawEvent};

/// An event as it stands in a payload.
pub(super) fn event(type_code: u8, body: &[u8]) -> Vec<u8> {
    let header = EventHeader {
        timestamp: 1,
        type_code,
        server_id: 7,
        event_size: (EventHeader::LEN + body.len()) as u32,
        log_pos: 0,
        flags: 0,
    };
    [&header.to_bytes()[..], body].concat()
}

/// A frame of zstd.
pub(super) fn packed(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

pub(super) fn payload(
    compression: u64,
    uncompressed_size: Option<u64>,
    bytes: &[u8],
) -> TransactionPayload<'static> {
    TransactionPayload {
        compression,
        uncompressed_size,
        payload: bytes.to_vec().leak(),
    }
}

/// Everything that a reader told, in words.
#[derive(Default)]
pub(super) struct Told(pub(super) Vec<String>);

impl TransactionSink for Told {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        let mut reader = plan.reader(rows);
        let mut told = format!("{:?} of {table} at {}:", rows.kind, event.end_position());
        let failed = |error: &dyn std::fmt::Display| unreadable(event, &error.to_string());
        while let Some(images) = reader.next().map_err(|error| failed(&error))? {
            for image in [images.before, images.after].into_iter().flatten() {
                let id: i32 = image.get(0).map_err(|error| failed(&error))?;
                let v = image.raw(1).map_err(|error| failed(&error))?;
                let v = v.map_or(Cow::Borrowed("NULL"), |v| String::from_utf8_lossy(v));
                told += &format!(" {id}={v}");
            }
        }
        self.0.push(told);
        Ok(())
    }

    fn truncate(&mut self, table: usize) -> Result<(), Error> {
        self.0.push(format!("truncate {table}"));
        Ok(())
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        self.0.push(format!("{} on {:?}", touch.kind, touch.tables));
        Ok(())
    }

    fn commit(&mut self, boundary: Boundary) -> Result<(), Error> {
        let gtid = boundary.gtid.map(|gtid| gtid.to_string());
        let number = gtid
            .as_deref()
            .and_then(|gtid| gtid.rsplit([':', '-']).next());
        self.0.push(format!(
            "commit {} at {}",
            number.unwrap_or("-"),
            boundary.position
        ));
        Ok(())
    }

    fn abandon(&mut self) {
        self.0.push("abandon".into());
    }
}

/// Gives the reader events of these types and bodies, the first at 100, each 100 on.
pub(super) fn feed(
    reader: &mut TransactionReader,
    events: &[(u8, &[u8])],
) -> (Result<(), Error>, Vec<String>) {
    let file: Arc<str> = Arc::from("b.000001");
    let mut told = Told::default();
    for (number, (type_code, body)) in events.iter().enumerate() {
        let start = 100 * (number as u64 + 1);
        let size = (EventHeader::LEN + body.len()) as u32;
        let event = RawEvent {
            header: EventHeader {
                timestamp: 1,
                type_code: *type_code,
                server_id: 7,
                event_size: size,
                log_pos: start as u32 + 100,
                flags: 0,
            },
            body,
            file: &file,
            start,
            end: start + 100,
        };
        if let Err(error) = reader.event(&event, &mut told) {
            return (Err(error), told.0);
        }
    }
    (Ok(()), told.0)
}
