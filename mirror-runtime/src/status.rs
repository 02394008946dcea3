//! What a mirror is doing, for its owner and for people.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::checkpoint::CheckpointStatus;
use crate::progress::Progress;
use crate::source::{BinlogPosition, Gtid, GtidSet};
use crate::store::TableMemory;

/// What a mirror is doing.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// Connecting and checking the server.
    Connecting,
    /// SELECTing the tables.
    Loading,
    /// Replaying what was written while the tables were SELECTed.
    CatchingUp,
    /// Following the server.
    Live,
    /// The connection is lost; readers keep the last state while it is made again.
    Reconnecting,
    /// Stopped by its owner.
    Stopped,
    /// Stopped by an error; readers keep the last state.
    Failed(String),
}

impl State {
    /// A short name, lower case with underscores.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Loading => "loading",
            Self::CatchingUp => "catching_up",
            Self::Live => "live",
            Self::Reconnecting => "reconnecting",
            Self::Stopped => "stopped",
            Self::Failed(_) => "failed",
        }
    }
}

/// Progress of the load of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStatus {
    /// `database.table`.
    pub table: String,
    /// Rows: loaded so far while loading, held afterwards.
    pub rows: u64,
    /// What the table takes in memory, as of the last transaction that changed it.
    pub memory: TableMemory,
    /// Rows that were put or deleted since the table was loaded or emptied last, the load and abandoned
    /// transactions included: rates are made of it.
    pub changes: u64,
    /// The server's estimate of the table's rows, made when the load started.
    pub estimated_rows: u64,
    /// Whether its rows are being SELECTed.
    pub loading: bool,
    /// Loads after the first.
    pub reloads: u64,
    /// Changes that did not fit the rows that the mirror held.
    pub divergences: u64,
    /// Why rows may be wrong: the table is served in spite of that, by
    /// [`Policy::KeepServing`](crate::Policy::KeepServing).
    pub suspect: Option<String>,
}

/// Whether what readers see can be relied on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// There is nothing to read yet.
    Starting,
    /// Readers see what the server has, as far behind as [`Status::lag`] says.
    Healthy,
    /// Readers see an older state, for this reason: tables are loaded again, or the connection
    /// is lost.
    Stale(String),
    /// The mirror has ended, or rows of a table may be wrong, for this reason.
    Unhealthy(String),
}

/// A mirror's status at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// What it is doing.
    pub state: State,
    /// The server that is used now, as `host:port`.
    pub server: String,
    /// The mirrored tables.
    pub tables: Vec<TableStatus>,
    /// The last transaction boundary that readers see.
    pub position: Option<BinlogPosition>,
    /// GTID of the last transaction.
    pub gtid: Option<Gtid>,
    /// Transactions applied since the mirror became live first.
    pub transactions: u64,
    /// Time from commit on the server to visibility here, of the last transaction; as exact
    /// as both clocks are, and in whole seconds where the server logs no more.
    pub commit_to_visible: Option<Duration>,
    /// Time since anything, heartbeats included, arrived from the server.
    pub silent_for: Option<Duration>,
    /// Lost connections that were made again: the server has sent events since.
    pub reconnects: u64,
    /// Tries to make a lost connection again, each counted as soon as it is due: those that
    /// succeeded, which are [`reconnects`](Self::reconnects), those that failed, and the one that is
    /// waited for or under way. The first connection and those of loads are not counted.
    pub connection_attempts: u64,
    /// Why the connection was lost last, or could not be made again.
    pub last_loss: Option<String>,
    /// Loads after the first, of one table or more.
    pub reloads: u64,
    /// Why the last reload was made.
    pub last_reload: Option<String>,
    /// How long the last load took, from the first SELECT to visibility.
    pub load_time: Option<Duration>,
    /// Time since the oldest state that a snapshot holds was replaced by a newer one, as seen at
    /// the last transaction or heartbeat; `None` when no older state is held. All versions of
    /// rows that were made since are kept for it: see [`pinned_versions`](Self::pinned_versions).
    pub oldest_snapshot: Option<Duration>,
    /// Time since the first SELECT of the load that is running.
    pub loading_for: Option<Duration>,
    /// Checkpoints; `None` when the options have no folder for them.
    pub checkpoint: Option<CheckpointStatus>,
}

impl Status {
    /// How far the SELECTs of the load that is running are, all its tables together; `None`
    /// when there is no load, or the server was not asked for rows yet.
    #[must_use]
    pub fn load_progress(&self) -> Option<Progress> {
        let loading = || self.tables.iter().filter(|table| table.loading);
        Some(Progress {
            elapsed: self.loading_for?,
            rows: loading().map(|table| table.rows).sum(),
            estimated_rows: loading().map(|table| table.estimated_rows).sum(),
        })
    }

    /// Whether what readers see can be relied on.
    #[must_use]
    pub fn health(&self) -> Health {
        let suspect = self.tables.iter().find_map(|table| {
            let reason = table.suspect.as_ref()?;
            Some(format!("rows of {} may be wrong: {reason}", table.table))
        });
        match (&self.state, suspect) {
            (State::Failed(error), _) => Health::Unhealthy(error.clone()),
            (State::Stopped, _) => Health::Unhealthy("the mirror was stopped".into()),
            (_, Some(suspect)) => Health::Unhealthy(suspect),
            (State::Live, None) => Health::Healthy,
            (_, None) if self.position.is_none() => Health::Starting,
            (State::Reconnecting, None) => Health::Stale("the connection is lost".into()),
            (State::Connecting | State::Loading | State::CatchingUp, None) => {
                let reason = self.last_reload.as_deref().unwrap_or("not known");
                Health::Stale(format!("tables are loaded again: {reason}"))
            }
        }
    }

    /// Versions of rows that are kept beside the rows of the last state: for snapshots that hold
    /// older ones, or since their memory is not given back yet.
    #[must_use]
    pub fn pinned_versions(&self) -> u64 {
        let memory = self.tables.iter().map(|table| table.memory);
        let pinned = memory.map(|memory| memory.versions.saturating_sub(memory.rows));
        pinned.sum::<usize>() as u64
    }

    /// How far the mirror is behind the server: nothing while heartbeats come and everything
    /// that came is applied, otherwise the time since the server was last heard.
    ///
    /// `None` before the mirror was live.
    #[must_use]
    pub fn lag(&self) -> Option<Duration> {
        match self.state {
            State::Live => self.commit_to_visible.or(Some(Duration::ZERO)),
            State::Reconnecting | State::Stopped | State::Failed(_) => self.silent_for,
            State::Connecting | State::Loading | State::CatchingUp => None,
        }
    }
}

/// The status as the mirror's threads keep it.
#[derive(Debug)]
pub(crate) struct StatusCell {
    inner: Mutex<Inner>,
    changed: std::sync::Condvar,
}

#[derive(Debug)]
struct Inner {
    status: Status,
    last_heard: Option<Instant>,
    /// When the oldest state that is held was replaced.
    oldest_replaced: Option<Instant>,
    /// When the SELECTs of the load that is running began.
    loading_since: Option<Instant>,
    /// Everything before this is visible to readers. Unlike the status's position it is also
    /// the end of events that change nothing, such as those at the start of a file.
    reached: Option<BinlogPosition>,
    /// The transactions that readers see, when they are followed by GTIDs.
    gtids: Option<GtidSet>,
    /// Threads that wait for `reached`.
    waiting: usize,
    tasks: Tasks,
}

/// Tasks that wait for a change of the status.
#[derive(Debug, Default)]
struct Tasks {
    #[cfg(feature = "async")]
    next: u64,
    wakers: HashMap<u64, Waker>,
}

/// How a wait for a position ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waited {
    /// Everything before the position is visible.
    Reached,
    /// The mirror has ended.
    Ended,
    /// The time is over.
    TimedOut,
}

impl StatusCell {
    pub(crate) fn new(tables: impl Iterator<Item = String>) -> Self {
        Self {
            inner: Mutex::new(Inner {
                status: Status {
                    state: State::Connecting,
                    server: String::new(),
                    tables: tables
                        .map(|table| TableStatus {
                            table,
                            rows: 0,
                            memory: TableMemory::default(),
                            changes: 0,
                            estimated_rows: 0,
                            loading: false,
                            reloads: 0,
                            divergences: 0,
                            suspect: None,
                        })
                        .collect(),
                    position: None,
                    gtid: None,
                    transactions: 0,
                    commit_to_visible: None,
                    silent_for: None,
                    reconnects: 0,
                    connection_attempts: 0,
                    last_loss: None,
                    reloads: 0,
                    last_reload: None,
                    load_time: None,
                    oldest_snapshot: None,
                    loading_for: None,
                    checkpoint: None,
                },
                last_heard: None,
                oldest_replaced: None,
                loading_since: None,
                reached: None,
                gtids: None,
                waiting: 0,
                tasks: Tasks::default(),
            }),
            changed: std::sync::Condvar::new(),
        }
    }

    /// A poisoned lock only means that a thread died between two assignments of plain values.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn get(&self) -> Status {
        let inner = self.lock();
        let mut status = inner.status.clone();
        status.silent_for = inner.last_heard.map(|at| at.elapsed());
        status.oldest_snapshot = inner.oldest_replaced.map(|at| at.elapsed());
        status.loading_for = inner.loading_since.map(|at| at.elapsed());
        status
    }

    /// The SELECTs of a load begin: the server's estimate of the rows of each of its tables, by
    /// table index.
    pub(crate) fn select_begins(&self, estimates: &[(usize, u64)]) {
        let mut inner = self.lock();
        inner.loading_since = Some(Instant::now());
        for &(table, estimated) in estimates {
            if let Some(shown) = inner.status.tables.get_mut(table) {
                shown.rows = 0;
                shown.estimated_rows = estimated;
                shown.loading = true;
            }
        }
        self.has_changed(inner);
    }

    /// Wakes everybody who waits for a change; tasks, which may do anything, without the lock.
    fn has_changed(&self, mut inner: MutexGuard<'_, Inner>) {
        let wakers = match inner.tasks.wakers.is_empty() {
            true => HashMap::new(),
            false => std::mem::take(&mut inner.tasks.wakers),
        };
        drop(inner);
        self.changed.notify_all();
        wakers.into_values().for_each(Waker::wake);
    }

    /// Lets a task be woken with the next change, in its place or in a new one, which is given.
    #[cfg(feature = "async")]
    pub(crate) fn wake(&self, place: Option<u64>, waker: &Waker) -> u64 {
        let mut inner = self.lock();
        let tasks = &mut inner.tasks;
        let place = place.unwrap_or_else(|| {
            tasks.next += 1;
            tasks.next
        });
        tasks.wakers.insert(place, waker.clone());
        place
    }

    /// A task waits no longer.
    #[cfg(feature = "async")]
    pub(crate) fn forget(&self, place: u64) {
        self.lock().tasks.wakers.remove(&place);
    }

    /// What `look` makes of the transactions that readers see, of the place up to which they see
    /// everything, and of the status.
    #[cfg(feature = "async")]
    pub(crate) fn look<T>(
        &self,
        look: impl FnOnce(Option<&GtidSet>, Option<&BinlogPosition>, &Status) -> T,
    ) -> T {
        let inner = self.lock();
        look(inner.gtids.as_ref(), inner.reached.as_ref(), &inner.status)
    }

    /// The SELECTs of a load have ended, in whatever way.
    pub(crate) fn select_ends(&self) {
        let mut inner = self.lock();
        inner.loading_since = None;
        for table in &mut inner.status.tables {
            table.loading = false;
        }
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut Status)) {
        let mut inner = self.lock();
        change(&mut inner.status);
        self.has_changed(inner);
    }

    /// As [`update`](Self::update), and readers see this transaction.
    pub(crate) fn update_with(&self, gtid: Option<&Gtid>, change: impl FnOnce(&mut Status)) {
        let mut inner = self.lock();
        if let (Some(gtids), Some(gtid)) = (&mut inner.gtids, gtid) {
            gtids.add(gtid);
        }
        change(&mut inner.status);
        self.has_changed(inner);
    }

    /// Readers see these transactions, and no others that have GTIDs.
    pub(crate) fn shows(&self, gtids: Option<&GtidSet>) {
        let mut inner = self.lock();
        inner.gtids = gtids.cloned();
        self.has_changed(inner);
    }

    /// Which state snapshots hold: when the oldest was replaced.
    pub(crate) fn held_since(&self, oldest_replaced: Option<Instant>) {
        self.lock().oldest_replaced = oldest_replaced;
    }

    pub(crate) fn heard(&self) {
        self.lock().last_heard = Some(Instant::now());
    }

    /// Readers see everything before this position.
    pub(crate) fn reached(&self, position: BinlogPosition) {
        let mut inner = self.lock();
        inner.reached = Some(position);
        if inner.waiting > 0 || !inner.tasks.wakers.is_empty() {
            self.has_changed(inner);
        }
    }

    /// Waits until the mirror is live and shows everything before `target`.
    pub(crate) fn wait_for_position(&self, target: &BinlogPosition, until: Instant) -> Waited {
        let mut inner = self.lock();
        loop {
            match inner.status.state {
                State::Stopped | State::Failed(_) => return Waited::Ended,
                State::Live if inner.reached.as_ref().is_some_and(|at| at >= target) => {
                    return Waited::Reached;
                }
                _ => {}
            }
            let Some(left) = until.checked_duration_since(Instant::now()) else {
                return Waited::TimedOut;
            };
            inner.waiting += 1;
            inner = self
                .changed
                .wait_timeout(inner, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
            inner.waiting -= 1;
        }
    }

    /// Waits until `ready` gives something, or until `until`.
    pub(crate) fn wait<T>(
        &self,
        until: Option<Instant>,
        mut ready: impl FnMut(&Status) -> Option<T>,
    ) -> Option<T> {
        self.wait_with(until, |_, status| ready(status))
    }

    /// As [`wait`](Self::wait), with the transactions that readers see.
    pub(crate) fn wait_with<T>(
        &self,
        until: Option<Instant>,
        mut ready: impl FnMut(Option<&GtidSet>, &Status) -> Option<T>,
    ) -> Option<T> {
        let mut inner = self.lock();
        loop {
            if let Some(value) = ready(inner.gtids.as_ref(), &inner.status) {
                return Some(value);
            }
            let left = match until {
                None => Duration::from_secs(3600),
                Some(until) => until.checked_duration_since(Instant::now())?,
            };
            inner = self
                .changed
                .wait_timeout(inner, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
    }
}

/// Time since a commit time in microseconds since 1970; nothing for times in the future.
pub(crate) fn since_micros(micros: u64) -> Duration {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    now.saturating_sub(Duration::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_of_a_load_is_that_of_its_tables_alone_and_ends_with_it() {
        let cell = StatusCell::new(["d.a", "d.b"].map(str::to_owned).into_iter());
        assert_eq!(cell.get().load_progress(), None);
        cell.update(|status| status.tables[0].rows = 700);
        cell.select_begins(&[(1, 50)]);
        cell.update(|status| status.tables[1].rows = 20);
        let progress = cell.get().load_progress().unwrap();
        assert_eq!((progress.rows, progress.estimated_rows), (20, 50));
        cell.select_ends();
        assert_eq!(cell.get().load_progress(), None);
    }
}
