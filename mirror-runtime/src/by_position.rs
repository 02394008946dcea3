//! Streams by GTIDs that go on by positions, on servers that leave out what has no GTID.
//!
//! MySQL before 8.0 writes INCIDENT events without a GTID, and a stream by GTIDs leaves out all
//! that stands behind a transaction which it leaves out: an INCIDENT that is the first event behind
//! the transactions of the set, as it is right after a load or a new connection on a quiet server.
//! A stream by position leaves nothing out. So the stream by GTIDs serves only for what was
//! committed before the load and was not visible yet, up to the end that the binlog had before the
//! first SELECT. An INCIDENT before that end is about changes which the SELECTs saw; if changes are
//! replayed before it, it is sent.

use crate::source::{BinlogPosition, Family, RawEvent, ServerInfo, StreamStart};

/// The place from which a stream by GTIDs goes on by position.
#[derive(Debug, Default)]
pub(crate) struct ByPosition(Option<BinlogPosition>);

impl ByPosition {
    /// For a load from this start, where the binlog ended at `before_load` before the first SELECT.
    pub(crate) fn new(
        info: &ServerInfo,
        start: &StreamStart,
        before_load: &BinlogPosition,
    ) -> Self {
        let leaves_out = info.family == Family::MySql && info.version < (8, 0, 0);
        let by_gtids = matches!(start, StreamStart::Gtid(_));
        // A stream cannot be asked for from behind 4 GiB.
        let can_ask = before_load.offset <= u64::from(u32::MAX);
        Self((leaves_out && by_gtids && can_ask).then(|| before_load.clone()))
    }

    /// Whether the stream is to go on by position with this event, which stands between
    /// transactions; once. `start` becomes where from; `last` is the end of the last transaction.
    pub(crate) fn goes_on(
        &mut self,
        event: &RawEvent<'_>,
        last: Option<&BinlogPosition>,
        start: &mut StreamStart,
    ) -> bool {
        let stands = event.start_position();
        let Some(from) = self.0.take_if(|from| stands >= *from) else {
            return false;
        };
        *start = StreamStart::File(match last {
            Some(last) if *last > from => last.clone(),
            _ => from,
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::GtidSet;
    use crate::source::event::EventHeader;

    fn at(text: &str) -> BinlogPosition {
        text.parse().unwrap()
    }

    fn info(family: Family, version: (u16, u16, u16)) -> ServerInfo {
        ServerInfo {
            family,
            version,
            version_text: String::new(),
            version_comment: String::new(),
            server_uuid: None,
            server_id: 1,
            host: String::new(),
            lower_case_table_names: 0,
        }
    }

    fn due(by: &mut ByPosition, start: &str, last: Option<&str>) -> Option<String> {
        let start = at(start);
        let event = RawEvent {
            header: EventHeader {
                timestamp: 0,
                type_code: 33,
                server_id: 1,
                event_size: 19,
                log_pos: 0,
                flags: 0,
            },
            body: &[],
            file: &start.file,
            start: start.offset,
            end: start.offset + 19,
        };
        let last = last.map(at);
        let mut start = StreamStart::File(at("b.000009:9"));
        by.goes_on(&event, last.as_ref(), &mut start)
            .then(|| start.to_string())
    }

    #[test]
    fn a_stream_goes_on_by_position_with_the_first_event_behind_the_start_of_the_load() {
        let set = StreamStart::Gtid(GtidSet::parse("", Family::MySql).unwrap());
        let old = info(Family::MySql, (5, 6, 24));
        let new = || ByPosition::new(&old, &set, &at("b.000002:500"));
        let mut by = new();
        assert_eq!(due(&mut by, "b.000002:4", None), None);
        assert_eq!(due(&mut by, "b.000002:499", None), None);
        // Left out: 500 to 600.
        let from = due(&mut by, "b.000002:600", Some("b.000002:480"));
        assert_eq!(from.as_deref(), Some("b.000002:500"));
        assert_eq!(due(&mut by, "b.000002:700", None), None, "once");
        // A transaction reached over it.
        let from = due(&mut new(), "b.000002:520", Some("b.000002:520"));
        assert_eq!(from.as_deref(), Some("b.000002:520"));
        let from = due(&mut new(), "b.000003:4", None);
        assert_eq!(from.as_deref(), Some("b.000002:500"));
    }

    #[test]
    fn others_go_on_as_they_began() {
        let set = StreamStart::Gtid(GtidSet::parse("", Family::MySql).unwrap());
        let file = StreamStart::File(at("b.000002:300"));
        for (family, version, start) in [
            (Family::MySql, (8, 0, 0), &set),
            (Family::MariaDb, (5, 5, 0), &set),
            (Family::MySql, (5, 6, 24), &file),
        ] {
            let mut by = ByPosition::new(&info(family, version), start, &at("b.000002:500"));
            assert_eq!(due(&mut by, "b.000002:600", None), None);
        }
    }
}
