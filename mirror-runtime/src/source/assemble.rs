//! Checks an event against its checksum and places it in its file; shared by all sources.

use super::error::SourceError;
use super::event::{ChecksumAlgorithm, EventHeader, RawEvent, Rotate, event_type, flags};
use super::position::{BinlogPosition, PositionTracker};

/// Bytes of the offset that a ROTATE starts with.
const OFFSET_LEN: usize = 8;
/// Bytes of a checksum.
pub(crate) const CHECKSUM_LEN: usize = 4;

/// CRC-32 of an event: header, body, and in a FORMAT_DESCRIPTION the algorithm's code.
///
/// The "in use" flag of a FORMAT_DESCRIPTION is set and cleared without a new checksum, which
/// counts it as cleared (MySQL source `event_checksum_test`).
pub(crate) fn checksum(header: &EventHeader, body: &[u8], algorithm_code: Option<u8>) -> u32 {
    let mut header = *header;
    if header.type_code == event_type::FORMAT_DESCRIPTION {
        header.flags &= !flags::BINLOG_IN_USE;
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header.to_bytes());
    hasher.update(body);
    if let Some(code) = algorithm_code {
        hasher.update(&[code]);
    }
    hasher.finalize()
}

/// One event as it was cut from a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) header: EventHeader,
    /// Without checksum and checksum algorithm.
    pub(crate) body: &'a [u8],
    /// The algorithm that the file's FORMAT_DESCRIPTION (for itself: its own body) names.
    pub(crate) algorithm: ChecksumAlgorithm,
    /// The checksum that was cut off; a FORMAT_DESCRIPTION has one even when the algorithm is
    /// off.
    pub(crate) checksum: Option<[u8; CHECKSUM_LEN]>,
}

/// Follows a stream: where it stands, and where it goes on after a ROTATE.
#[derive(Debug)]
pub(crate) struct Assembler {
    tracker: PositionTracker,
    /// Set by a ROTATE of the file; counts from the next event on.
    next_file: Option<BinlogPosition>,
    /// No FORMAT_DESCRIPTION has been seen: whether there are checksums is not known.
    before_format: bool,
    /// The server gives the first, made-up ROTATE a checksum.
    checks_rotate: bool,
    /// That has come without one that fits, so that it may name another file.
    in_doubt: bool,
}

impl Assembler {
    pub(crate) fn new(start: BinlogPosition) -> Self {
        Self {
            tracker: PositionTracker::new(start),
            next_file: None,
            before_format: true,
            checks_rotate: false,
            in_doubt: false,
        }
    }

    /// The server gives the first, made-up ROTATE of a stream a checksum where its events have any.
    pub(crate) fn with_checked_rotate(mut self, checks_rotate: bool) -> Self {
        self.checks_rotate = checks_rotate;
        self
    }

    pub(crate) fn position(&self) -> BinlogPosition {
        match &self.next_file {
            Some(position) => position.clone(),
            None => self.tracker.position(),
        }
    }

    /// Starts another file, where whether there are checksums is not known yet.
    pub(crate) fn start_file(&mut self, position: BinlogPosition) {
        self.next_file = None;
        self.before_format = true;
        self.tracker.rotate(position);
    }

    /// Checks and places an event.
    ///
    /// # Errors
    /// When the checksum does not match, or a ROTATE cannot be read.
    pub(crate) fn assemble<'a>(
        &'a mut self,
        mut parts: Parts<'a>,
    ) -> Result<RawEvent<'a>, SourceError> {
        if let Some(position) = self.next_file.take() {
            self.tracker.rotate(position);
        }
        let header = parts.header;
        let rotate = header.type_code == event_type::ROTATE;
        let made_up = rotate && (header.is_artificial() || header.log_pos == 0);
        if header.type_code == event_type::FORMAT_DESCRIPTION {
            self.before_format = false;
            if self.in_doubt && parts.algorithm == ChecksumAlgorithm::Crc32 {
                let offset = self.tracker.offset();
                return Err(self.event(parts, offset, offset).malformed(
                    "the ROTATE that names its file was damaged, or came without a checksum",
                ));
            }
        } else if self.before_format && made_up && !self.tracker.file().is_empty() {
            let offset = self.tracker.offset();
            return match self.first_rotate(parts.body) {
                Some(body) => Ok(self.event(Parts { body, ..parts }, offset, offset)),
                None => Err(self
                    .event(parts, offset, offset)
                    .malformed("it names another file than the one that was asked for")),
            };
        } else if self.before_format && !made_up && !header.is_artificial() && header.log_pos != 0 {
            // Its type may have been another: whether there are checksums is not known.
            let offset = self.tracker.offset();
            return Err(self
                .event(parts, offset, offset)
                .malformed("no FORMAT_DESCRIPTION came before it"));
        } else if self.before_format {
            let body = without_stray_checksum(&header, parts.body);
            self.in_doubt = self.checks_rotate && made_up && body.len() == parts.body.len();
            parts.body = body;
        }
        self.verify(&parts)?;
        let (start, end) = self.tracker.advance(&header);
        if !rotate {
            return Ok(self.event(parts, start, end));
        }
        let rotate = Rotate::parse(&self.event(parts, start, end))?;
        let position = BinlogPosition::new(rotate.file, rotate.offset);
        if made_up {
            // Where the stream stands from now on; this event is in no file.
            self.tracker.rotate(position);
            let offset = self.tracker.offset();
            return Ok(self.event(parts, offset, offset));
        }
        self.next_file = Some(position);
        Ok(self.event(parts, start, end))
    }

    fn event<'a>(&'a self, parts: Parts<'a>, start: u64, end: u64) -> RawEvent<'a> {
        RawEvent {
            header: parts.header,
            body: parts.body,
            file: self.tracker.file(),
            start,
            end,
        }
    }

    fn verify(&self, parts: &Parts<'_>) -> Result<(), SourceError> {
        let header = &parts.header;
        let format = header.type_code == event_type::FORMAT_DESCRIPTION;
        let off = parts.algorithm == ChecksumAlgorithm::Off;
        if off && format {
            self.check_switched_off(parts)?;
        }
        // The server sends the FORMAT_DESCRIPTION with fields zeroed (its position in the middle
        // of a file, its time also after GTIDs), and computes the checksum anew only when the
        // algorithm is on.
        if off && !(format && header.log_pos != 0 && has_time(parts.body)) {
            return Ok(());
        }
        let code = if off { 0 } else { 1 };
        let found = checksum(header, parts.body, format.then_some(code));
        let expected = match parts.checksum {
            Some(bytes) => u32::from_le_bytes(bytes),
            None if off => return Ok(()),
            None => 0,
        };
        if found == expected {
            return Ok(());
        }
        Err(SourceError::Checksum {
            file: self.tracker.file().to_string(),
            position: self.tracker.offset(),
            expected,
            found,
        })
    }

    /// A FORMAT_DESCRIPTION that says that there are no checksums, while its own is that of one
    /// that says the opposite, was damaged: nothing behind it would be checked.
    fn check_switched_off(&self, parts: &Parts<'_>) -> Result<(), SourceError> {
        let Some(carried) = parts.checksum.map(u32::from_le_bytes) else {
            return Ok(());
        };
        if checksum(&parts.header, parts.body, Some(1)) != carried {
            return Ok(());
        }
        Err(SourceError::Checksum {
            file: self.tracker.file().to_string(),
            position: self.tracker.offset(),
            expected: carried,
            found: checksum(&parts.header, parts.body, Some(0)),
        })
    }

    /// The first event of a stream from a position is a made-up ROTATE to that position. Some
    /// servers protect it with a checksum before a FORMAT_DESCRIPTION says that there are any,
    /// so nothing but the name that we asked for is taken from it.
    ///
    /// `None` when it names another file.
    fn first_rotate<'a>(&self, body: &'a [u8]) -> Option<&'a [u8]> {
        let asked = self.tracker.file().as_bytes();
        let (rotate, stray) = body.split_at_checked(OFFSET_LEN + asked.len())?;
        let same = rotate.ends_with(asked) && matches!(stray.len(), 0 | CHECKSUM_LEN);
        same.then_some(rotate)
    }
}

/// Whether a FORMAT_DESCRIPTION says when its server was started or its log was reset: behind the
/// version of the format and that of the server (MySQL internals, "FORMAT_DESCRIPTION_EVENT").
fn has_time(body: &[u8]) -> bool {
    const AT: usize = 2 + 50;
    body.get(AT..AT + 4).is_some_and(|time| time != [0; 4])
}

/// The body of an event before the first FORMAT_DESCRIPTION, which may or may not have a
/// checksum.
fn without_stray_checksum<'a>(header: &EventHeader, body: &'a [u8]) -> &'a [u8] {
    match body.split_last_chunk::<CHECKSUM_LEN>() {
        Some((rest, last)) if checksum(header, rest, None) == u32::from_le_bytes(*last) => rest,
        _ => body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(type_code: u8, body: usize, log_pos: u32, flags: u16) -> EventHeader {
        EventHeader {
            timestamp: 9,
            type_code,
            server_id: 1,
            event_size: (EventHeader::LEN + body) as u32,
            log_pos,
            flags,
        }
    }

    fn rotate_body(file: &str) -> Vec<u8> {
        let mut body = 4_u64.to_le_bytes().to_vec();
        body.extend(file.as_bytes());
        body
    }

    fn plain(header: EventHeader, body: &[u8]) -> Parts<'_> {
        Parts {
            header,
            body,
            algorithm: ChecksumAlgorithm::Off,
            checksum: None,
        }
    }

    fn assembler() -> Assembler {
        Assembler::new(BinlogPosition::new("b.000001", 100))
    }

    /// Behind a FORMAT_DESCRIPTION as it is sent in the middle of a file, without checksums.
    fn begun() -> Assembler {
        let mut assembler = assembler();
        let format = header(event_type::FORMAT_DESCRIPTION, 95, 0, 0);
        assert!(assembler.assemble(plain(format, &[0; 95])).is_ok());
        assembler
    }

    #[test]
    fn the_first_rotate_gives_the_name_that_was_asked_for_and_nothing_else() {
        let body = rotate_body("b.000001");
        let rotate = header(event_type::ROTATE, body.len() + 4, 0, flags::ARTIFICIAL);
        for stray in [&[][..], &[1, 2, 3, 4]] {
            let whole = [&body, stray].concat();
            let mut assembler = assembler();
            let event = assembler.assemble(plain(rotate, &whole)).unwrap();
            assert_eq!(event.body, body);
            assert_eq!(event.end_position().to_string(), "b.000001:100");
        }
        for other in ["b.000002", "b.0000011", "b.00001", ""] {
            let body = rotate_body(other);
            let refused = assembler().assemble(plain(rotate, &body)).map(|_| ());
            assert!(refused.is_err(), "{other}");
        }
    }

    #[test]
    fn without_a_name_a_stray_checksum_is_known_by_its_value() {
        let body = rotate_body("b.000001");
        let rotate = header(event_type::ROTATE, body.len() + 4, 0, flags::ARTIFICIAL);
        let sum = checksum(&rotate, &body, None).to_le_bytes();
        for whole in [[&body[..], &sum].concat(), body.clone()] {
            let mut assembler = Assembler::new(BinlogPosition::start_of(""));
            let event = assembler.assemble(plain(rotate, &whole)).unwrap();
            assert_eq!(event.body, body);
            assert_eq!(event.end_position().to_string(), "b.000001:4");
        }
    }

    #[test]
    fn a_format_description_is_checked_even_when_it_turns_checksums_off() {
        let format = header(event_type::FORMAT_DESCRIPTION, 100, 119, 0);
        let parts = |checksum| Parts {
            checksum: Some(checksum),
            ..plain(format, &[3; 95])
        };
        let good = checksum(&format, &[3; 95], Some(0)).to_le_bytes();
        assert!(assembler().assemble(parts(good)).is_ok());
        let on = checksum(&format, &[3; 95], Some(1)).to_le_bytes();
        assert!(assembler().assemble(parts(on)).is_err());
        let zeroed = Parts {
            header: header(event_type::FORMAT_DESCRIPTION, 100, 0, 0),
            ..parts(on)
        };
        assert!(assembler().assemble(zeroed).is_ok());
        // After GTIDs the server takes the time out, and leaves the checksum as it is.
        let mut body = [3; 95];
        body[52..56].fill(0);
        for (algorithm, is_ok) in [
            (ChecksumAlgorithm::Off, true),
            (ChecksumAlgorithm::Crc32, false),
        ] {
            let cleared = Parts {
                body: &body,
                algorithm,
                ..parts(good)
            };
            assert_eq!(assembler().assemble(cleared).is_ok(), is_ok);
        }
    }

    #[test]
    fn a_format_description_whose_checksums_were_switched_off_by_damage_is_refused() {
        // As it is sent in the middle of a file.
        let format = header(event_type::FORMAT_DESCRIPTION, 100, 0, 0);
        let refused = |algorithm_code| {
            let carried = checksum(&format, &[0; 95], Some(algorithm_code));
            let parts = Parts {
                header: format,
                body: &[0; 95],
                algorithm: ChecksumAlgorithm::Off,
                checksum: Some(carried.to_le_bytes()),
            };
            assembler().assemble(parts).map(|_| ()).err()
        };
        assert_eq!(refused(0), None);
        let error = refused(1).unwrap();
        assert!(matches!(error, SourceError::Checksum { .. }), "{error}");
    }

    #[test]
    fn events_of_a_file_are_refused_until_it_is_known_whether_they_have_checksums() {
        let xid = header(event_type::XID, 8, 131, 0);
        let mut before = assembler();
        let error = before.assemble(plain(xid, &[0; 8])).map(|_| ());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("no FORMAT_DESCRIPTION"), "{error}");
        assert!(begun().assemble(plain(xid, &[0; 8])).is_ok());
    }

    #[test]
    fn a_damaged_name_of_the_first_file_is_refused_where_it_has_a_checksum() {
        let rotate = header(event_type::ROTATE, 20, 0, flags::ARTIFICIAL);
        let name = rotate_body("b.000001");
        let sum = checksum(&rotate, &name, None).to_le_bytes();
        let good = [&name[..], &sum].concat();
        let mut damaged = good.clone();
        damaged[12] ^= 1;
        let format = header(event_type::FORMAT_DESCRIPTION, 100, 0, 0);
        let on = Parts {
            algorithm: ChecksumAlgorithm::Crc32,
            checksum: Some(checksum(&format, &[0; 95], Some(1)).to_le_bytes()),
            ..plain(format, &[0; 95])
        };
        let begins = |body: &[u8], checks_rotate, format| {
            let start = BinlogPosition::start_of("");
            let mut assembler = Assembler::new(start).with_checked_rotate(checks_rotate);
            let named = assembler.assemble(plain(rotate, body)).is_ok();
            named && assembler.assemble(format).is_ok()
        };
        assert!(begins(&good, true, on));
        assert!(!begins(&damaged, true, on));
        assert!(!begins(&name, true, on));
        // Servers that have no checksums at all, or none there.
        assert!(begins(&name, true, plain(format, &[0; 95])));
        assert!(begins(&name, false, on));
    }

    #[test]
    fn a_rotate_of_the_file_counts_from_the_next_event_on() {
        let body = rotate_body("b.000002");
        let mut assembler = begun();
        let size = (EventHeader::LEN + body.len()) as u32;
        let rotate = header(event_type::ROTATE, body.len(), 100 + size, 0);
        let event = assembler.assemble(plain(rotate, &body)).unwrap();
        assert_eq!(event.start_position().to_string(), "b.000001:100");
        assert_eq!(assembler.position().to_string(), "b.000002:4");
        let xid = header(event_type::XID, 8, 4 + 27, 0);
        let event = assembler.assemble(plain(xid, &[0; 8])).unwrap();
        assert_eq!(event.start_position().to_string(), "b.000002:4");
        assert_eq!(event.end_position().to_string(), "b.000002:31");
    }

    #[test]
    fn one_flipped_bit_is_an_error_with_file_and_position() {
        let xid = header(event_type::XID, 12, 131, 0);
        let good = checksum(&xid, &[7; 8], None).to_le_bytes();
        let parts = |body| Parts {
            header: xid,
            body,
            algorithm: ChecksumAlgorithm::Crc32,
            checksum: Some(good),
        };
        assert!(begun().assemble(parts(&[7; 8])).is_ok());
        let error = begun()
            .assemble(parts(&[7, 7, 7, 7, 7, 7, 7, 5]))
            .map(|_| ())
            .unwrap_err();
        assert!(
            matches!(&error, SourceError::Checksum { file, position: 100, .. } if file == "b.000001"),
            "{error}"
        );
    }

    #[test]
    fn the_in_use_flag_of_a_format_description_does_not_count() {
        let mut format = header(event_type::FORMAT_DESCRIPTION, 100, 0, 0);
        let closed = checksum(&format, &[3; 95], Some(1));
        format.flags = flags::BINLOG_IN_USE;
        assert_eq!(checksum(&format, &[3; 95], Some(1)), closed);
        assert_ne!(checksum(&format, &[3; 95], Some(0)), closed);
        let mut other = header(event_type::XID, 8, 0, 0);
        let without = checksum(&other, &[3; 8], None);
        other.flags = flags::BINLOG_IN_USE;
        assert_ne!(checksum(&other, &[3; 8], None), without);
    }
}
