//! Frames: a snapshot of the server between two of the mirror.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::server::Link;
use super::walk::Verification;
use crate::error::Error;
use crate::source::BinlogPosition;
use crate::status::Waited;
use crate::store::{Held, Schema, Snapshot};

/// Tables' definitions are let go of by going back to it.
const SAVEPOINT: &str = "mysql_mirror_verify";
/// How long a snapshot is kept, where definitions can change meanwhile and where they cannot.
const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_secs(1);

/// A snapshot of the server between two of the mirror.
pub(super) struct View<S: Schema> {
    pub(super) before: Snapshot<S>,
    pub(super) after: Snapshot<S>,
    position: BinlogPosition,
    opened: Instant,
    pub(super) number: u32,
}

/// A table in two snapshots of the mirror.
pub(super) fn held<'s, S: Schema>(
    before: &'s Snapshot<S>,
    after: &'s Snapshot<S>,
    index: usize,
) -> Option<Held<'s>> {
    Some(Held {
        before: before.held(index)?,
        after: after.held(index)?,
    })
}

impl<S: Schema> Verification<'_, S> {
    /// The snapshot of the server that the walk reads; a new one when there is none, or it has
    /// become too old.
    pub(super) fn view(&mut self) -> Result<Rc<View<S>>, Error> {
        match &self.view {
            Some(view) if !self.is_old(view) => return Ok(Rc::clone(view)),
            _ => self.view = None,
        }
        let until = Instant::now() + self.options.patience;
        loop {
            let before = self.shared.store.snapshot();
            // Ends the one before.
            let sql = "START TRANSACTION WITH CONSISTENT SNAPSHOT";
            self.server.run(Link::Walk, sql)?;
            self.server
                .run(Link::Walk, &format!("SAVEPOINT {SAVEPOINT}"))?;
            let position = self.server.position(Link::Walk)?;
            self.wait_for(&position, until)?;
            let after = self.shared.store.snapshot();
            // Loaded in between: not a row is the same in memory.
            if before.version().load != after.version().load {
                continue;
            }
            self.views += 1;
            self.position = Some(position.clone());
            let view = Rc::new(View {
                before,
                after,
                position,
                opened: Instant::now(),
                number: self.views,
            });
            tracing::debug!(position = %view.position, number = view.number, "verifying");
            self.view = Some(Rc::clone(&view));
            return Ok(view);
        }
    }

    fn is_old(&self, view: &View<S>) -> bool {
        let time = self.options.snapshot_time.unwrap_or({
            match self.server.lets_go() {
                true => LONG,
                false => SHORT,
            }
        });
        view.opened.elapsed() >= time
    }

    /// After a SELECT of the walk: lets the table's definition change. A snapshot that has become
    /// too old ends here, whatever is done before the next page.
    pub(super) fn let_go(&mut self) -> Result<(), Error> {
        if self.view.as_ref().is_some_and(|view| self.is_old(view)) {
            return self.end_view();
        }
        let sql = format!("ROLLBACK TO SAVEPOINT {SAVEPOINT}");
        Ok(self.server.run(Link::Walk, &sql)?)
    }

    /// Before suspects are read again on another connection. Where the walk holds definitions
    /// until its snapshot ends, somebody who waits to change one would let that connection wait
    /// behind him, and both for ever.
    pub(super) fn let_others_read(&mut self) -> Result<(), Error> {
        match self.view.is_some() && !self.server.lets_go() {
            true => self.end_view(),
            false => Ok(()),
        }
    }

    fn end_view(&mut self) -> Result<(), Error> {
        self.view = None;
        Ok(self.server.run(Link::Walk, "COMMIT")?)
    }

    /// Waits until the mirror shows everything before a position of the server.
    pub(super) fn wait_for(&self, position: &BinlogPosition, until: Instant) -> Result<(), Error> {
        /// How often a wait looks whether it is to end.
        const POLL: Duration = Duration::from_millis(100);
        loop {
            let part = until.min(Instant::now() + POLL);
            match self.shared.status.wait_for_position(position, part) {
                Waited::Reached => return Ok(()),
                Waited::Ended => return Err(self.ended()),
                Waited::TimedOut if Instant::now() >= until => {
                    return Err(Error::TimedOut {
                        what: "that the mirror reaches the server's position".into(),
                        within: self.options.patience,
                    });
                }
                Waited::TimedOut => self.check_stop()?,
            }
        }
    }

    fn ended(&self) -> Error {
        self.shared.error().unwrap_or(Error::Stopped)
    }

    /// An error when the mirror has ended, or the verification is to end.
    pub(super) fn check_stop(&self) -> Result<(), Error> {
        match self.shared.stopped() || self.shared.error().is_some() || self.watch.is_stopped() {
            true => Err(self.ended()),
            false => Ok(()),
        }
    }
}
