//! The one interface through which events reach the rest of the runtime.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits::GIB;

use super::error::SourceError;
use super::event::RawEvent;
use super::gtid::GtidSet;
use super::position::BinlogPosition;
use super::url::ServerUrl;

/// A stream of binlog events, each checked against its checksum.
pub trait EventSource {
    /// The next event, borrowed until the next call; `None` at the end of the stream: recorded
    /// files end, a non-blocking stream has caught up, or it was stopped.
    ///
    /// # Errors
    /// When the stream is damaged or the connection breaks. After an error or the end, further
    /// calls give `None`.
    fn next_event(&mut self) -> Result<Option<RawEvent<'_>>, SourceError>;

    /// The position after the last event; not necessarily a transaction boundary.
    fn position(&self) -> BinlogPosition;
}

impl<S: EventSource + ?Sized> EventSource for Box<S> {
    fn next_event(&mut self) -> Result<Option<RawEvent<'_>>, SourceError> {
        (**self).next_event()
    }

    fn position(&self) -> BinlogPosition {
        (**self).position()
    }
}

/// Where a stream starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamStart {
    /// At a position, which must be between two transactions (or within one whose first part
    /// is not needed).
    File(BinlogPosition),
    /// With the transactions that are not in the set.
    Gtid(GtidSet),
}

impl std::fmt::Display for StreamStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(position) => position.fmt(f),
            Self::Gtid(set) if set.is_empty() => f.write_str("the empty GTID set"),
            Self::Gtid(set) => set.fmt(f),
        }
    }
}

/// How to read a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamOptions {
    /// The id under which we register as a replica; must be no other replica's, nor the
    /// server's own. See [`derive_server_id`].
    pub server_id: u32,
    /// Seconds after which an idle server sends a sign of life; after three times that the
    /// connection counts as broken. At least 1.
    pub heartbeat_seconds: u32,
    /// End the stream at the end of the binlog instead of waiting for more.
    pub non_blocking: bool,
    /// Bytes of the largest event that is taken, 1 KiB to 1 GiB; see
    /// [`Limits::event_bytes`](crate::Limits::event_bytes).
    pub max_event_bytes: u64,
}

impl StreamOptions {
    /// A derived server id, heartbeats every 10 seconds, waiting for more, events of up to 1 GiB.
    #[must_use]
    pub fn new(url: &ServerUrl) -> Self {
        Self {
            server_id: derive_server_id(url),
            heartbeat_seconds: 10,
            non_blocking: false,
            max_event_bytes: GIB,
        }
    }
}

/// A server id from 2^31 to 2^32 - 2, another one at each call: from random bits, the process,
/// the time and the server's address.
///
/// Hand-picked ids are usually small, so the upper half is free of them.
#[must_use]
pub fn derive_server_id(url: &ServerUrl) -> u32 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    hasher.write_u64(CALLS.fetch_add(1, Ordering::Relaxed));
    if let Ok(now) = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
        hasher.write_u128(now.as_nanos());
    }
    hasher.write(url.address().as_bytes());
    let upper_half = 1_u32 << 31;
    // The remainder is below 2^31 - 1.
    upper_half + (hasher.finish() % u64::from(upper_half - 1)) as u32
}

/// A random UUID (version 4) as text.
pub(crate) fn random_uuid() -> String {
    let half = || RandomState::new().build_hasher().finish();
    let number = (u128::from(half()) << 64) | u128::from(half());
    let versioned = (number & !(0xf000_u128 << 64)) | (0x4000_u128 << 64);
    let variant = (versioned & !(0xc_u128 << 60)) | (0x8_u128 << 60);
    super::gtid::Uuid(variant.to_be_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_server_ids_differ_and_stay_in_the_upper_half() {
        let url: ServerUrl = "mysql://h/".parse().unwrap();
        let ids: std::collections::HashSet<u32> =
            (0..100).map(|_| derive_server_id(&url)).collect();
        assert!(ids.len() > 95, "{}", ids.len());
        assert!(ids.iter().all(|&id| (1 << 31..u32::MAX).contains(&id)));
    }

    #[test]
    fn random_uuids_are_version_4() {
        let (a, b) = (random_uuid(), random_uuid());
        assert_ne!(a, b);
        assert_eq!(a.as_bytes().get(14), Some(&b'4'), "{a}");
        assert!(matches!(a.as_bytes().get(19), Some(b'8'..=b'b')), "{a}");
    }
}
