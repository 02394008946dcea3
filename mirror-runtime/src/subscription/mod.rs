//! Subscriptions: every committed transaction, with typed changes, from a known snapshot on.
//!
//! A [`Subscription`] makes the mirror wait when its reader is slow. [`Deliveries`] are the same with
//! options ([`SubscribeOptions`]): they begin with a snapshot, and where a slow reader is not waited
//! for, another snapshot stands in the place of the transactions that were dropped.

#[cfg(feature = "async")]
mod stream;
mod subscribers;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::store::{Schema, Snapshot, Version};
use crate::transaction::Boundary;
pub(crate) use subscribers::Subscribers;
use subscribers::{Place, Taken};

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

/// Transactions that wait for a subscriber by default.
pub const QUEUE_TRANSACTIONS: usize = 1024;

/// What the mirror does when a subscriber's queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SlowReader {
    /// It waits for room, and so falls behind the server for everybody: no transaction is dropped.
    /// Snapshots, other subscriptions and a stop do not wait.
    #[default]
    Block,
    /// It drops what the queue holds and goes on. The reader finds a [`Resync`] in the place of what
    /// was dropped: the state that the transactions behind it follow on.
    Resync,
}

/// How to subscribe; see [`Mirror::subscribe_with`](crate::Mirror::subscribe_with).
///
/// ```
/// use mirror_runtime::{SlowReader, SubscribeOptions};
///
/// let options = SubscribeOptions {
///     slow: SlowReader::Resync,
///     ..SubscribeOptions::default()
/// };
/// assert_eq!(options.queue, 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscribeOptions {
    /// Transactions that wait for the reader at most, 1 to
    /// [`Limits::queue_transactions`](crate::Limits::queue_transactions); default
    /// [`QUEUE_TRANSACTIONS`]. Rows that they name are kept in memory until they are read.
    pub queue: usize,
    /// What happens when there are more; default: the mirror waits.
    pub slow: SlowReader,
}

impl Default for SubscribeOptions {
    fn default() -> Self {
        Self {
            queue: QUEUE_TRANSACTIONS,
            slow: SlowReader::Block,
        }
    }
}

/// What [`Deliveries`] give. Its `Debug` output has no values of rows.
pub enum Delivery<S: Schema> {
    /// A state to start from: the first delivery, and what stands in the place of transactions that
    /// were dropped. Whatever the reader has made of earlier ones is to be made anew of this.
    Resync(Resync<S>),
    /// The next transaction.
    Transaction(Arc<Transaction<S>>),
}

impl<S: Schema> std::fmt::Debug for Delivery<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Resync(state) => state.fmt(f),
            Self::Transaction(transaction) => f
                .debug_struct("Transaction")
                .field("boundary", &transaction.boundary)
                .field("changes", &transaction.changes.len())
                .finish_non_exhaustive(),
        }
    }
}

/// The state that the transactions behind it follow on.
pub struct Resync<S: Schema> {
    /// Transactions that were dropped since the last one that was read; 0 for the first of all
    /// deliveries.
    pub dropped: u64,
    tables: Snapshot<S>,
}

impl<S: Schema> Resync<S> {
    /// The state. As any snapshot, it keeps old versions of rows in memory while it is held.
    #[must_use]
    pub fn snapshot(&self) -> S::Snapshot {
        self.tables.clone().into()
    }

    /// The state, for walking tables by table index.
    #[must_use]
    pub fn tables(&self) -> &Snapshot<S> {
        &self.tables
    }

    /// Which version it is.
    #[must_use]
    pub fn version(&self) -> &Version {
        self.tables.version()
    }
}

impl<S: Schema> std::fmt::Debug for Resync<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resync")
            .field("dropped", &self.dropped)
            .field("version", self.version())
            .finish_non_exhaustive()
    }
}

/// Every transaction from a snapshot on, in a queue of a stated length.
///
/// The first delivery is that snapshot. It ends when this is dropped. With the feature `async` it is
/// a `Stream` too.
pub struct Deliveries<S: Schema> {
    place: Place<S>,
}

impl<S: Schema> Deliveries<S> {
    /// Waits for the next delivery; `None` once the mirror has ended and all is read.
    pub fn next(&self) -> Option<Delivery<S>> {
        match self.place.wait(None) {
            Taken::Item(item) => Some(item),
            Taken::Nothing | Taken::Ended => None,
        }
    }

    /// Waits for the next delivery, at most so long.
    ///
    /// # Errors
    /// When none came in time, or the mirror has ended.
    pub fn next_timeout(&self, timeout: Duration) -> Result<Delivery<S>, NoTransaction> {
        match self.place.wait(Some(Instant::now() + timeout)) {
            Taken::Item(item) => Ok(item),
            Taken::Nothing => Err(NoTransaction::Yet),
            Taken::Ended => Err(NoTransaction::Ended),
        }
    }
}

/// Every transaction that is committed after [`snapshot`](Self::snapshot).
///
/// The queue holds [`QUEUE_TRANSACTIONS`]. A subscriber that is slower than the server makes
/// the mirror wait, and fall behind, rather than lose one; it ends when it is dropped. With the
/// feature `async` it is a `Stream` too.
///
/// It holds its snapshot, and with it every version of a row that was made since: for a subscription
/// that lives long, see [`into_deliveries`](Self::into_deliveries).
pub struct Subscription<S: Schema> {
    place: Place<S>,
    snapshot: Snapshot<S>,
    refused: Option<Error>,
}

impl<S: Schema> Subscription<S> {
    /// The state that the first transaction follows on.
    #[must_use]
    pub fn snapshot(&self) -> S::Snapshot {
        self.snapshot.clone().into()
    }

    /// The state that the first transaction follows on, for walking tables by table index.
    #[must_use]
    pub fn tables(&self) -> &Snapshot<S> {
        &self.snapshot
    }

    /// The version that the first transaction follows on.
    #[must_use]
    pub fn version(&self) -> &Version {
        self.snapshot.version()
    }

    /// Why this subscription ended before it began: there are as many as
    /// [`Limits::subscribers`](crate::Limits::subscribers) allows.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.refused.as_ref()
    }

    /// Lets go of the snapshot; the transactions go on behind the last that was read.
    #[must_use]
    pub fn into_deliveries(self) -> Deliveries<S> {
        Deliveries { place: self.place }
    }

    /// Waits for the next transaction; `None` once the mirror has ended and all is read.
    pub fn next(&self) -> Option<Arc<Transaction<S>>> {
        match self.place.wait(None) {
            Taken::Item(Delivery::Transaction(transaction)) => Some(transaction),
            _ => None,
        }
    }

    /// Waits for the next transaction, at most so long.
    ///
    /// # Errors
    /// When none came in time, or the mirror has ended.
    pub fn next_timeout(&self, timeout: Duration) -> Result<Arc<Transaction<S>>, NoTransaction> {
        match self.place.wait(Some(Instant::now() + timeout)) {
            Taken::Item(Delivery::Transaction(transaction)) => Ok(transaction),
            Taken::Nothing => Err(NoTransaction::Yet),
            // It is waited for, so that no other item is in its queue.
            Taken::Item(Delivery::Resync(_)) | Taken::Ended => Err(NoTransaction::Ended),
        }
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
