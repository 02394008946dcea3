//! Positions in the binlog: file and offset, ordered, and 64 bits wide throughout.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::event::{EventHeader, event_type, flags};

/// Offset of the first event of every binlog file, in bytes; the 4 bytes before it are magic.
pub(crate) const FIRST_OFFSET: u64 = 4;

/// A place between two events: binlog file and byte offset; prints as `FILE:POS`.
///
/// Positions of the same log are ordered by the number at the end of the file name, then by
/// the offset; positions of differently named logs cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BinlogPosition {
    /// File name as the server has it, without a folder.
    pub file: Arc<str>,
    /// Bytes from the start of the file, at least 4.
    pub offset: u64,
}

/// A text that is not `FILE:POS`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("binlog position '{text}': {reason}; expected FILE:POS, for instance binlog.000042:157")]
pub struct PositionError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl BinlogPosition {
    /// The position at `offset` bytes in `file`.
    #[must_use]
    pub fn new(file: impl Into<Arc<str>>, offset: u64) -> Self {
        Self {
            file: file.into(),
            offset,
        }
    }

    /// The first event of `file`.
    #[must_use]
    pub fn start_of(file: impl Into<Arc<str>>) -> Self {
        Self::new(file, FIRST_OFFSET)
    }

    /// The number at the end of the file name, if it has one that fits into 64 bits.
    #[must_use]
    pub fn file_number(&self) -> Option<u64> {
        split_number(&self.file).and_then(|(_, number)| number.parse().ok())
    }

    /// The start of the file that follows this position's file, by number.
    ///
    /// `None` when the name does not end in a number. Numbers keep their width until they
    /// outgrow it, as the server does it: `binlog.999999` is followed by `binlog.1000000`.
    #[must_use]
    pub fn next_file(&self) -> Option<Self> {
        let (base, number) = split_number(&self.file)?;
        let next = number.parse::<u64>().ok()?.checked_add(1)?;
        let width = number.len();
        Some(Self::start_of(format!("{base}{next:0width$}")))
    }
}

/// Splits `binlog.000042` into `binlog.` and `000042`.
fn split_number(file: &str) -> Option<(&str, &str)> {
    let digits = file.bytes().rev().take_while(u8::is_ascii_digit).count();
    let at = file.len() - digits;
    match (file.get(..at), file.get(at..)) {
        (Some(base), Some(number)) if !number.is_empty() => Some((base, number)),
        _ => None,
    }
}

impl PartialOrd for BinlogPosition {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.file == other.file {
            return Some(self.offset.cmp(&other.offset));
        }
        let (base, _) = split_number(&self.file)?;
        let (other_base, _) = split_number(&other.file)?;
        if base != other_base {
            return None;
        }
        let order = self.file_number()?.cmp(&other.file_number()?);
        (order != Ordering::Equal).then_some(order)
    }
}

impl fmt::Display for BinlogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.offset)
    }
}

impl FromStr for BinlogPosition {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |reason| PositionError {
            text: text.to_owned(),
            reason,
        };
        let (file, offset) = text
            .trim()
            .rsplit_once(':')
            .ok_or_else(|| error("there is no colon"))?;
        if file.is_empty() {
            return Err(error("there is no file name before the colon"));
        }
        if file.contains('/') {
            return Err(error("the file name has a folder"));
        }
        if offset.is_empty() || !offset.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error("there is no number after the colon"));
        }
        let offset = offset
            .parse::<u64>()
            .map_err(|_| error("the offset is too large"))?;
        if offset < FIRST_OFFSET {
            return Err(error("the offset is below 4, where the first event starts"));
        }
        Ok(Self::new(file, offset))
    }
}

/// Follows a stream of events and knows the 64-bit position of each.
///
/// Event headers hold only the low 32 bits of the offset after the event, and hold 0 in
/// artificial events, which are in no file.
#[derive(Debug, Clone)]
pub struct PositionTracker {
    file: Arc<str>,
    end: u64,
}

impl PositionTracker {
    /// A tracker that stands at `start`.
    #[must_use]
    pub fn new(start: BinlogPosition) -> Self {
        Self {
            file: start.file,
            end: start.offset,
        }
    }

    /// File of the next event.
    #[must_use]
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// Offset after the last event, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.end
    }

    /// The position after the last event.
    #[must_use]
    pub fn position(&self) -> BinlogPosition {
        BinlogPosition {
            file: Arc::clone(&self.file),
            offset: self.end,
        }
    }

    /// Takes an event in; gives its start and end offsets in the present file.
    ///
    /// An event that is in no file (artificial, or without a position) starts and ends where
    /// the tracker stands. A ROTATE does not change the file here: see [`Self::rotate`].
    pub fn advance(&mut self, header: &EventHeader) -> (u64, u64) {
        let heartbeat = matches!(
            header.type_code,
            event_type::HEARTBEAT | event_type::HEARTBEAT_V2
        );
        if heartbeat {
            self.advance_to(header.log_pos);
            return (self.end, self.end);
        }
        if header.log_pos == 0 || header.flags & flags::ARTIFICIAL != 0 {
            return (self.end, self.end);
        }
        let size = u64::from(header.event_size);
        let expected = self.end.saturating_add(size);
        self.end = if low_half(expected) == header.log_pos {
            expected
        } else {
            // The server left events out (by GTID): the first end that fits behind them.
            extend(expected, header.log_pos)
        };
        (self.end.saturating_sub(size), self.end)
    }

    /// A heartbeat tells where the server stands, when it left events out.
    fn advance_to(&mut self, log_pos: u32) {
        let ahead = log_pos.wrapping_sub(low_half(self.end));
        // More than half the range ahead is behind.
        if log_pos != 0 && ahead < u32::MAX / 2 {
            self.end = self.end.saturating_add(u64::from(ahead));
        }
    }

    /// Goes on in another file, at `position`.
    pub fn rotate(&mut self, position: BinlogPosition) {
        self.file = position.file;
        self.end = position.offset;
    }
}

/// The low 32 bits.
fn low_half(offset: u64) -> u32 {
    (offset & u64::from(u32::MAX)) as u32
}

/// The smallest offset from `least` on whose low 32 bits are `log_pos`.
fn extend(least: u64, log_pos: u32) -> u64 {
    least.saturating_add(u64::from(log_pos.wrapping_sub(low_half(least))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(event_size: u32, log_pos: u32) -> EventHeader {
        EventHeader {
            timestamp: 1,
            type_code: event_type::XID,
            server_id: 1,
            event_size,
            log_pos,
            flags: 0,
        }
    }

    fn position(text: &str) -> BinlogPosition {
        text.parse().unwrap()
    }

    #[test]
    fn positions_are_ordered_by_number_and_not_by_text() {
        assert!(position("b.999999:900") < position("b.1000000:4"));
        assert!(position("b.000009:5") > position("b.000009:4"));
        assert_eq!(position("b.1:4").partial_cmp(&position("c.2:4")), None);
        assert_eq!(position("b.1:4").partial_cmp(&position("b.01:4")), None);
        assert_eq!(position("abc:4").partial_cmp(&position("abd:4")), None);
    }

    #[test]
    fn position_text_goes_both_ways() {
        for text in ["binlog.000001:4", "odd:name.000003:4294967296"] {
            assert_eq!(position(text).to_string(), text);
        }
        for (text, reason) in [
            ("binlog.000001", "colon"),
            (":4", "file name"),
            ("binlog.000001:", "number"),
            ("binlog.000001:-4", "number"),
            ("binlog.000001:3", "below 4"),
            ("/var/binlog.000001:4", "folder"),
            ("binlog.000001:99999999999999999999", "too large"),
        ] {
            let error = text.parse::<BinlogPosition>().unwrap_err();
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn next_file_keeps_the_width_until_it_overflows() {
        let next = |text: &str| position(text).next_file().map(|p| p.to_string());
        assert_eq!(next("b.000009:77").as_deref(), Some("b.000010:4"));
        assert_eq!(next("b.999999:77").as_deref(), Some("b.1000000:4"));
        assert_eq!(next("b:77"), None);
        assert_eq!(next("b.18446744073709551615:4"), None);
    }

    #[test]
    fn offsets_go_on_beyond_four_gibibytes() {
        let start = u64::from(u32::MAX) - 10;
        let mut tracker = PositionTracker::new(BinlogPosition::new("b.1", start));
        assert_eq!(tracker.advance(&header(100, 89)), (start, start + 100));
        assert_eq!(
            tracker.advance(&header(50, 139)),
            (start + 100, start + 150)
        );
    }

    #[test]
    fn left_out_events_are_jumped_over() {
        let mut tracker = PositionTracker::new(BinlogPosition::new("b.1", 4));
        assert_eq!(tracker.advance(&header(100, 5000)), (4900, 5000));
        let mut heartbeat = header(40, 7000);
        heartbeat.type_code = event_type::HEARTBEAT;
        assert_eq!(tracker.advance(&heartbeat), (7000, 7000));
        heartbeat.log_pos = 6000;
        assert_eq!(tracker.advance(&heartbeat), (7000, 7000));
    }

    #[test]
    fn artificial_events_do_not_move_the_position() {
        let mut tracker = PositionTracker::new(BinlogPosition::new("b.1", 400));
        let mut artificial = header(100, 4);
        artificial.flags = flags::ARTIFICIAL;
        assert_eq!(tracker.advance(&artificial), (400, 400));
        assert_eq!(tracker.advance(&header(120, 0)), (400, 400));
        tracker.rotate(BinlogPosition::start_of("b.2"));
        assert_eq!(tracker.position().to_string(), "b.2:4");
    }
}
