//! Inputs that are several events.

use std::sync::Arc;

use mirror_runtime::source::RawEvent;
use mirror_runtime::source::event::EventHeader;

/// The next event of an input; see [`parts`].
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Type code.
    pub type_code: u8,
    /// Low byte of the flags.
    pub flags: u8,
    /// What follows the header.
    pub body: &'a [u8],
}

/// Cuts an input into events: a type code, the low byte of the flags, the length of the body in
/// two bytes, lowest first, and the body. A length behind the end means up to the end.
pub fn parts(mut input: &[u8]) -> impl Iterator<Item = Parts<'_>> {
    std::iter::from_fn(move || {
        let ([type_code, flags, low, high], rest) = input.split_first_chunk()?;
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (body, rest) = rest.split_at(length);
        input = rest;
        Some(Parts {
            type_code: *type_code,
            flags: *flags,
            body,
        })
    })
}

/// Adds an event to an input of several; false when its body is too long for that.
pub fn push_event(input: &mut Vec<u8>, type_code: u8, flags: u8, body: &[u8]) -> bool {
    let Ok(length) = u16::try_from(body.len()) else {
        return false;
    };
    input.extend([type_code, flags]);
    input.extend(length.to_le_bytes());
    input.extend(body);
    true
}

/// Gives events places one behind the other.
#[derive(Debug)]
pub(crate) struct Placer {
    file: Arc<str>,
    at: u64,
}

impl Placer {
    pub(crate) fn new() -> Self {
        Self {
            file: Arc::from("b.000001"),
            at: 4,
        }
    }

    /// Calls `take` with the event in the next place.
    pub(crate) fn place<T>(
        &mut self,
        parts: Parts<'_>,
        take: impl FnOnce(&RawEvent<'_>) -> T,
    ) -> T {
        let size = (EventHeader::LEN + parts.body.len()) as u32;
        let end = self.at + u64::from(size);
        let event = RawEvent {
            header: EventHeader {
                timestamp: 1_700_000_000,
                type_code: parts.type_code,
                server_id: 1,
                event_size: size,
                log_pos: end as u32,
                flags: parts.flags.into(),
            },
            body: parts.body,
            file: &self.file,
            start: self.at,
            end,
        };
        self.at = end;
        take(&event)
    }
}
