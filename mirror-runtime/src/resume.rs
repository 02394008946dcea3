//! From where to read on, and what to do about a stream that broke.

use std::time::{Duration, Instant};

use crate::apply::Applier;
use crate::by_position::ByPosition;
use crate::error::{Error, TableError};
use crate::source::{FollowedLog, GtidSet, ServerInfo, SourceError, SourceErrorKind, StreamStart};
use crate::store::Schema;

/// Tries in a row, without any progress, at a stream that cannot be read.
const MAX_UNREADABLE: u32 = 3;

/// From where to read on after a broken connection.
#[derive(Debug)]
pub(crate) struct Resume {
    pub(crate) start: StreamStart,
    /// The transactions before a position in a file, where the server can tell (MariaDB): what
    /// another server is asked by.
    pub(crate) gtids: Option<GtidSet>,
    pub(crate) by_position: ByPosition,
    pub(crate) boundaries: u64,
    pub(crate) log: FollowedLog,
    /// Whose log that is, once a connection was made.
    pub(crate) server: Option<ServerInfo>,
    /// Whether the connection was lost, and nothing came since.
    pub(crate) lost: bool,
    /// How long an event may take to come.
    pub(crate) event_patience: Duration,
}

impl Resume {
    pub(crate) fn new(
        start: StreamStart,
        gtids: Option<GtidSet>,
        by_position: ByPosition,
        log: FollowedLog,
    ) -> Self {
        Self {
            start,
            gtids,
            by_position,
            boundaries: 0,
            log,
            server: None,
            lost: false,
            event_patience: Duration::MAX,
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
        match (&mut self.start, &last.gtid) {
            (StreamStart::Gtid(set), Some(gtid)) => {
                set.add(gtid);
            }
            // Without a GTID nothing is added to the set; the server will not send it again
            // either, since only transactions with GTIDs exist where the set was read.
            (StreamStart::Gtid(_), None) => {}
            (StreamStart::File(position), gtid) => {
                *position = last.position.clone();
                if let (Some(gtids), Some(gtid)) = (&mut self.gtids, gtid) {
                    gtids.add(gtid);
                }
            }
        }
    }

    /// The transactions before the last boundary, where they are known by GTIDs.
    pub(crate) fn gtids(&self) -> Option<&GtidSet> {
        match &self.start {
            StreamStart::Gtid(gtids) => Some(gtids),
            StreamStart::File(_) => self.gtids.as_ref(),
        }
    }

    /// Goes on by GTIDs, which mean the same on every server. Whether that is so now and was not
    /// before.
    pub(crate) fn go_by_gtids(&mut self) -> bool {
        match (&self.start, self.gtids.take()) {
            (StreamStart::File(_), Some(gtids)) => {
                self.start = StreamStart::Gtid(gtids);
                true
            }
            _ => false,
        }
    }
}

/// What to do about a failure of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    Reconnect,
    Reload,
    GiveUp,
}

/// Failures of the stream since it went on last.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    unreadable: u32,
    /// Since when servers lack transactions that the mirror has.
    lacking_since: Option<Instant>,
    /// Servers in a row that could not be used at all.
    given_up: usize,
}

impl Failures {
    /// Decides on a failure of a stream that is followed by GTIDs or not; `servers` is the number of
    /// servers that may serve, `patience` how long they may be behind the mirror.
    pub(crate) fn recovery(
        &mut self,
        error: &SourceError,
        by_gtids: bool,
        servers: usize,
        patience: Duration,
    ) -> Recovery {
        let recovery = self.of(error, by_gtids, patience);
        if recovery != Recovery::GiveUp {
            self.given_up = 0;
            return recovery;
        }
        // Another server may do.
        self.given_up += 1;
        match self.given_up < servers {
            true => Recovery::Reconnect,
            false => Recovery::GiveUp,
        }
    }

    fn of(&mut self, error: &SourceError, by_gtids: bool, patience: Duration) -> Recovery {
        if lacks_transactions(error, by_gtids) {
            let since = *self.lacking_since.get_or_insert_with(Instant::now);
            return match since.elapsed() < patience {
                true => Recovery::Reconnect,
                false => Recovery::Reload,
            };
        }
        match error.kind() {
            SourceErrorKind::Purged => Recovery::Reload,
            // GTIDs were switched off: the next load starts from a position in a file.
            _ if error.is_without_gtids() => Recovery::Reload,
            _ if error.is_transient() => Recovery::Reconnect,
            SourceErrorKind::Malformed => {
                // A byte may have been damaged on the way; the same again at every try is in the
                // server's log.
                self.unreadable += 1;
                match self.unreadable > MAX_UNREADABLE {
                    true => Recovery::GiveUp,
                    false => Recovery::Reconnect,
                }
            }
            _ => Recovery::GiveUp,
        }
    }
}

/// Whether a server lacks transactions of those that a stream, by GTIDs or not, was asked to go on
/// behind; as a replica does that lags.
pub(crate) fn lacks_transactions(error: &SourceError, by_gtids: bool) -> bool {
    match error {
        SourceError::LacksTransactions { .. } => true,
        // As MariaDB says it.
        SourceError::AheadOfServer { .. } => by_gtids,
        _ => false,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks() -> SourceError {
        SourceError::LacksTransactions {
            address: "db:3306".into(),
            missing: "3e11fa47-71ca-11e1-9e33-c80aa9429562:9".into(),
        }
    }

    #[test]
    fn a_server_may_be_behind_for_a_while_only() {
        let mut failures = Failures::default();
        let patience = Duration::from_secs(3600);
        assert_eq!(
            failures.recovery(&lacks(), true, 1, patience),
            Recovery::Reconnect
        );
        assert_eq!(
            failures.recovery(&lacks(), true, 1, Duration::ZERO),
            Recovery::Reload
        );
    }

    #[test]
    fn what_one_server_refuses_another_may_do() {
        let refused = SourceError::DuplicateServerId { server_id: 7 };
        let lost = SourceError::Broken {
            detail: "lost".into(),
        };
        let mut failures = Failures::default();
        let mut next = |error| failures.recovery(error, false, 2, Duration::ZERO);
        assert_eq!(next(&refused), Recovery::Reconnect);
        assert_eq!(next(&lost), Recovery::Reconnect);
        assert_eq!(next(&refused), Recovery::Reconnect);
        assert_eq!(next(&refused), Recovery::GiveUp);
        let mut alone = Failures::default();
        assert_eq!(
            alone.recovery(&refused, false, 1, Duration::ZERO),
            Recovery::GiveUp
        );
    }

    #[test]
    fn bytes_that_cannot_be_read_are_asked_for_again_some_times() {
        let damaged = SourceError::Checksum {
            file: "b.000001".into(),
            position: 4,
            expected: 1,
            found: 2,
        };
        let mut failures = Failures::default();
        let all: Vec<Recovery> = (0..4)
            .map(|_| failures.recovery(&damaged, false, 1, Duration::ZERO))
            .collect();
        assert_eq!(all[..3], [Recovery::Reconnect; 3]);
        assert_eq!(all[3], Recovery::GiveUp);
    }
}
