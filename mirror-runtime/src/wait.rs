//! Waiting until readers see what was written.

use std::time::{Duration, Instant};

use crate::error::Error;
use crate::mirror::Mirror;
use crate::source::{BinlogPosition, Gtid, GtidSet};
use crate::status::{State, Status, Waited};
use crate::store::Schema;

/// What a reader wants to see: see [`Mirror::wait_for`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitTarget {
    /// These transactions, on whichever server they were committed.
    Gtids(GtidSet),
    /// Everything before this place in the binlog of the server that the mirror follows.
    Position(BinlogPosition),
}

impl From<GtidSet> for WaitTarget {
    fn from(gtids: GtidSet) -> Self {
        Self::Gtids(gtids)
    }
}

impl From<Gtid> for WaitTarget {
    fn from(gtid: Gtid) -> Self {
        let mut gtids = GtidSet::empty(gtid.family());
        gtids.add(&gtid);
        Self::Gtids(gtids)
    }
}

impl From<BinlogPosition> for WaitTarget {
    fn from(position: BinlogPosition) -> Self {
        Self::Position(position)
    }
}

impl<S: Schema> Mirror<S> {
    /// Waits until snapshots show what was committed on the server: a service that wrote reads its
    /// own writes behind this. The session that wrote tells its GTID (MySQL: `session_track_gtids`;
    /// MariaDB: `@@last_gtid`), or the server its `@@gtid_executed` or binlog position.
    ///
    /// A position is compared with those of the server that is followed: behind a failover it means
    /// something else there, GTIDs do not.
    ///
    /// ```no_run
    /// # fn example<S: mirror_runtime::Schema>(
    /// #     mirror: &mirror_runtime::Mirror<S>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use mirror_runtime::source::{Family, GtidSet};
    ///
    /// let written = GtidSet::parse("3e11fa47-71ca-11e1-9e33-c80aa9429562:77", Family::MySql)?;
    /// mirror.wait_for(written, Duration::from_secs(2))?;
    /// let snapshot = mirror.snapshot();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::TimedOut`]; what made the mirror stop; [`Error::WithoutGtids`] when GTIDs are waited
    /// for and the mirror follows a server without them.
    pub fn wait_for(&self, target: impl Into<WaitTarget>, timeout: Duration) -> Result<(), Error> {
        let until = Instant::now() + timeout;
        let target = target.into();
        let timed_out = || Error::TimedOut {
            what: match &target {
                WaitTarget::Gtids(gtids) => format!("the visibility of {gtids}"),
                WaitTarget::Position(position) => {
                    format!("the visibility of what is before {position}")
                }
            },
            within: timeout,
        };
        match &target {
            WaitTarget::Position(position) => {
                match self.shared.status.wait_for_position(position, until) {
                    Waited::Reached => Ok(()),
                    Waited::Ended => Err(self.shared.error().unwrap_or(Error::Stopped)),
                    Waited::TimedOut => Err(timed_out()),
                }
            }
            WaitTarget::Gtids(gtids) => self
                .wait_for_gtids(gtids, until)
                .unwrap_or_else(|| Err(timed_out())),
        }
    }

    /// `None` when the time is over.
    fn wait_for_gtids(&self, gtids: &GtidSet, until: Instant) -> Option<Result<(), Error>> {
        let status = &self.shared.status;
        status.wait_with(Some(until), |shown, status| {
            self.gtids_or_ended(gtids, shown, status)
        })
    }

    fn gtids_or_ended(
        &self,
        gtids: &GtidSet,
        shown: Option<&GtidSet>,
        status: &Status,
    ) -> Option<Result<(), Error>> {
        match (shown, &status.state) {
            (Some(shown), _) if shown.contains_set(gtids) => Some(Ok(())),
            (_, State::Stopped | State::Failed(_)) => {
                Some(Err(self.shared.error().unwrap_or(Error::Stopped)))
            }
            (None, State::Live) => Some(Err(Error::WithoutGtids)),
            _ => None,
        }
    }

    /// Whether snapshots show that, or the mirror has ended; nothing while neither is so.
    #[cfg(feature = "async")]
    pub(crate) fn shows(&self, target: &WaitTarget) -> Option<Result<(), Error>> {
        self.shared
            .status
            .look(|gtids, reached, status| match target {
                WaitTarget::Gtids(wanted) => self.gtids_or_ended(wanted, gtids, status),
                WaitTarget::Position(position) => match status.state {
                    State::Stopped | State::Failed(_) => {
                        Some(Err(self.shared.error().unwrap_or(Error::Stopped)))
                    }
                    State::Live if reached.is_some_and(|at| at >= position) => Some(Ok(())),
                    _ => None,
                },
            })
    }
}
