//! From where to read on, and what to do about a stream that broke.

use crate::apply::Applier;
use crate::by_position::ByPosition;
use crate::error::{Error, TableError};
use crate::source::{
    FollowedLog, Gtid, MariaDbGtid, ServerInfo, SourceError, SourceErrorKind, StreamStart,
};
use crate::store::Schema;

/// Tries in a row, without any progress, at a stream that cannot be read.
const MAX_UNREADABLE: u32 = 3;

/// From where to read on after a broken connection.
#[derive(Debug)]
pub(crate) struct Resume {
    pub(crate) start: StreamStart,
    pub(crate) by_position: ByPosition,
    pub(crate) boundaries: u64,
    pub(crate) log: FollowedLog,
    /// Whose log that is, once a connection was made.
    pub(crate) server: Option<ServerInfo>,
    /// On MariaDB, the transaction that ends at `start`, if that is known.
    pub(crate) before: Option<MariaDbGtid>,
}

impl Resume {
    pub(crate) fn new(start: StreamStart, by_position: ByPosition, log: FollowedLog) -> Self {
        Self {
            start,
            by_position,
            boundaries: 0,
            log,
            server: None,
            before: None,
        }
    }

    /// Takes over the last boundary, once.
    pub(crate) fn passed<S: Schema>(&mut self, applier: &Applier<'_, S>) {
        let (boundaries, last) = applier.boundary();
        if boundaries == self.boundaries {
            return;
        }
        self.boundaries = boundaries;
        self.log.passed_boundary();
        let Some(last) = last else { return };
        self.before = match last.gtid {
            Some(Gtid::MariaDb(gtid)) => Some(gtid),
            _ => None,
        };
        match (&mut self.start, &last.gtid) {
            (StreamStart::Gtid(set), Some(gtid)) => {
                set.add(gtid);
            }
            // Without a GTID nothing is added to the set; the server will not send it again
            // either, since only transactions with GTIDs exist where the set was read.
            (StreamStart::Gtid(_), None) => {}
            (StreamStart::File(position), _) => *position = last.position.clone(),
        }
    }
}

/// What to do about a failure of the stream.
pub(crate) enum Recovery {
    Reconnect,
    Reload,
    GiveUp,
}

/// Decides on a failure of the stream.
pub(crate) fn recovery(error: &SourceError, unreadable: &mut u32) -> Recovery {
    match error.kind() {
        SourceErrorKind::Purged => Recovery::Reload,
        // GTIDs were switched off: the next load starts from a position in a file.
        _ if error.is_without_gtids() => Recovery::Reload,
        _ if error.is_transient() => Recovery::Reconnect,
        SourceErrorKind::Malformed => {
            // A byte may have been damaged on the way; the same again at every try is in the
            // server's log.
            *unreadable += 1;
            if *unreadable > MAX_UNREADABLE {
                Recovery::GiveUp
            } else {
                Recovery::Reconnect
            }
        }
        _ => Recovery::GiveUp,
    }
}

/// Tries in a row at a reload while a table is not there; with the waits about 3 s in all.
pub(crate) const MAX_MISSING: u32 = 5;

/// Whether a whole table is missing.
pub(crate) fn is_missing(error: &Error) -> bool {
    match error {
        Error::Table(TableError::Layout { column: None, .. }) => true,
        Error::Source(error) => error.kind() == SourceErrorKind::Unknown,
        _ => false,
    }
}
