//! Subscriptions: every committed transaction, with typed changes, from a known snapshot on.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::store::{Schema, Snapshot, Store, Version};
use crate::transaction::Boundary;

/// One committed transaction.
#[derive(Debug, Clone)]
pub struct Transaction<S: Schema> {
    /// Where it ends, its GTID and its commit time.
    pub boundary: Boundary,
    /// What it changed, in the server's order.
    pub changes: Vec<S::Change>,
    /// Set when tables were loaded, and this is why: the changes then are a truncate and the
    /// inserts of each table that was loaded or has changed meanwhile.
    pub reload: Option<String>,
}

/// Transactions that wait for a subscriber, at most; then the mirror waits for it.
pub const QUEUE_TRANSACTIONS: usize = 1024;

/// Every transaction that is committed after [`snapshot`](Self::snapshot).
///
/// That snapshot is held until the first transaction is taken: held for longer, it would keep all
/// versions of rows that are made since.
///
/// The queue holds [`QUEUE_TRANSACTIONS`]. A subscriber that is slower than the server makes
/// the mirror wait, and fall behind, rather than lose one; it ends when it is dropped.
pub struct Subscription<S: Schema> {
    receiver: Receiver<Arc<Transaction<S>>>,
    snapshot: Cell<Option<Snapshot<S>>>,
    version: Version,
}

impl<S: Schema> Subscription<S> {
    /// The state that the first transaction follows on; `None` once that was taken.
    #[must_use]
    pub fn snapshot(&self) -> Option<S::Snapshot> {
        self.tables().map(Into::into)
    }

    /// The state that the first transaction follows on, for walking tables by table index; `None`
    /// once that was taken.
    #[must_use]
    pub fn tables(&self) -> Option<Snapshot<S>> {
        let held = self.snapshot.take();
        self.snapshot.set(held.clone());
        held
    }

    /// The version that the first transaction follows on.
    #[must_use]
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// Waits for the next transaction; `None` once the mirror has ended and all is read.
    pub fn next(&self) -> Option<Arc<Transaction<S>>> {
        let transaction = self.receiver.recv().ok()?;
        self.snapshot.set(None);
        Some(transaction)
    }

    /// Waits for the next transaction, at most so long.
    ///
    /// # Errors
    /// When none came in time, or the mirror has ended.
    pub fn next_timeout(&self, timeout: Duration) -> Result<Arc<Transaction<S>>, NoTransaction> {
        let received = self.receiver.recv_timeout(timeout);
        let transaction = received.map_err(|error| match error {
            RecvTimeoutError::Timeout => NoTransaction::Yet,
            RecvTimeoutError::Disconnected => NoTransaction::Ended,
        })?;
        self.snapshot.set(None);
        Ok(transaction)
    }
}

/// Why there is no transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTransaction {
    /// None was committed in that time.
    #[error("no transaction was committed in that time")]
    Yet,
    /// The mirror has ended.
    #[error("the mirror has ended")]
    Ended,
}

/// The subscribers of a mirror.
pub(crate) struct Subscribers<S: Schema> {
    inner: Mutex<Inner<S>>,
    boundary: Condvar,
}

struct Inner<S: Schema> {
    senders: Vec<SyncSender<Arc<Transaction<S>>>>,
    /// A transaction runs whose changes are not listed, since nobody had subscribed when it
    /// began: who subscribes now waits for its end.
    unlisted: bool,
    ended: bool,
}

impl<S: Schema> Subscribers<S> {
    pub(crate) fn new() -> Self {
        Self {
            inner: Mutex::new(Inner {
                senders: Vec::new(),
                unlisted: false,
                ended: false,
            }),
            boundary: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A subscription from what `store` shows now on; waits for the end of a running
    /// transaction whose changes are not listed.
    pub(crate) fn subscribe(&self, store: &Store<S>) -> Subscription<S> {
        let (sender, receiver) = sync_channel(QUEUE_TRANSACTIONS);
        let mut inner = self.lock();
        while inner.unlisted && !inner.ended {
            inner = self
                .boundary
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if !inner.ended {
            inner.senders.push(sender);
        }
        // Taken under the lock that `publish` holds from commit to the last send.
        let snapshot = store.snapshot();
        Subscription {
            receiver,
            version: snapshot.version().clone(),
            snapshot: Cell::new(Some(snapshot)),
        }
    }

    /// A transaction begins: whether its changes have to be listed.
    pub(crate) fn begin(&self) -> bool {
        let mut inner = self.lock();
        inner.unlisted = inner.senders.is_empty();
        !inner.unlisted
    }

    /// The running transaction was abandoned.
    pub(crate) fn abandon(&self) {
        self.lock().unlisted = false;
        self.boundary.notify_all();
    }

    /// Commits by `commit` and hands the transaction to all subscribers, in one step for
    /// whoever subscribes meanwhile.
    pub(crate) fn publish(
        &self,
        transaction: Option<Transaction<S>>,
        stopped: &dyn Fn() -> bool,
        commit: impl FnOnce(),
    ) {
        let mut inner = self.lock();
        commit();
        inner.unlisted = false;
        if let Some(transaction) = transaction {
            let transaction = Arc::new(transaction);
            inner
                .senders
                .retain(|sender| send(sender, &transaction, stopped));
        }
        drop(inner);
        self.boundary.notify_all();
    }

    /// Ends all subscriptions, and those that come later, once their queues are read.
    pub(crate) fn end(&self) {
        let mut inner = self.lock();
        inner.senders.clear();
        inner.ended = true;
        drop(inner);
        self.boundary.notify_all();
    }
}

/// Sends, waiting for room; false when the subscriber is gone or the mirror stops.
fn send<S: Schema>(
    sender: &SyncSender<Arc<Transaction<S>>>,
    transaction: &Arc<Transaction<S>>,
    stopped: &dyn Fn() -> bool,
) -> bool {
    let mut item = Arc::clone(transaction);
    loop {
        match sender.try_send(item) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(back)) => {
                if stopped() {
                    return false;
                }
                item = back;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
