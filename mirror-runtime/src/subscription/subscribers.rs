//! The queues of a mirror's subscribers: the side that commits, and the side that reads.
//!
//! One lock guards all queues. It is held while a transaction is committed, so that a subscription
//! begins before all of it or behind it, and never while somebody is waited for.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use super::{
    Deliveries, Delivery, Resync, SlowReader, SubscribeOptions, Subscription, Transaction,
};
use crate::error::Error;
use crate::limits::{Limit, LimitError, Limits, in_range};
use crate::store::{Schema, Snapshot, Store};

/// The subscribers of a mirror.
pub(crate) struct Subscribers<S: Schema> {
    shared: Arc<Shared<S>>,
    limits: Limits,
}

/// What the mirror and all its subscribers share.
struct Shared<S: Schema> {
    inner: Mutex<Inner<S>>,
    /// The running transaction has ended, or the mirror has.
    boundary: Condvar,
    /// A full queue may have room, or nobody reads it any more, or the mirror is to stop.
    room: Condvar,
}

struct Inner<S: Schema> {
    /// In the order in which they came.
    queues: BTreeMap<u64, Queue<S>>,
    next: u64,
    /// A transaction runs whose changes are not listed, since nobody had subscribed when it
    /// began: who subscribes now waits for its end.
    unlisted: bool,
    ended: bool,
}

/// What waits for one subscriber.
struct Queue<S: Schema> {
    options: SubscribeOptions,
    /// Stands before the items; there are none behind one that was not read after a drop.
    resync: Option<Resync<S>>,
    items: VecDeque<Arc<Transaction<S>>>,
    /// Nothing more comes.
    is_done: bool,
    filled: Arc<Condvar>,
    waker: Option<Waker>,
}

/// What a subscriber found in its queue.
pub(super) enum Taken<S: Schema> {
    Item(Delivery<S>),
    Nothing,
    Ended,
}

/// A subscriber's place among the queues, which goes with it.
pub(super) struct Place<S: Schema> {
    shared: Arc<Shared<S>>,
    /// `None` for one that was refused.
    number: Option<u64>,
    filled: Arc<Condvar>,
}

impl<S: Schema> Subscribers<S> {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            shared: Arc::new(Shared {
                inner: Mutex::new(Inner {
                    queues: BTreeMap::new(),
                    next: 0,
                    unlisted: false,
                    ended: false,
                }),
                boundary: Condvar::new(),
                room: Condvar::new(),
            }),
            limits: limits.clone(),
        }
    }

    /// A subscription from what `store` shows now on; waits for the end of a running
    /// transaction whose changes are not listed.
    pub(crate) fn subscribe(&self, store: &Store<S>) -> Subscription<S> {
        let defaults = SubscribeOptions::default();
        let options = SubscribeOptions {
            queue: defaults.queue.min(self.limits.queue_transactions),
            ..defaults
        };
        let (place, snapshot, refused) = self.open(options, store, false);
        Subscription {
            place,
            snapshot,
            refused,
        }
    }

    /// The same with options; the snapshot is the first delivery.
    pub(crate) fn subscribe_with(
        &self,
        options: SubscribeOptions,
        store: &Store<S>,
    ) -> Result<Deliveries<S>, Error> {
        let asked = options.queue as u64;
        let allowed = self.limits.queue_transactions as u64;
        if asked > allowed {
            return Err(LimitError {
                limit: Limit::QueueTransactions,
                what: "the queue of a subscription".into(),
                found: Some(asked),
                allowed,
            }
            .into());
        }
        in_range("queue", asked, 1, allowed)?;
        match self.open(options, store, true) {
            (place, _, None) => Ok(Deliveries { place }),
            (_, _, Some(refused)) => Err(refused),
        }
    }

    fn open(
        &self,
        options: SubscribeOptions,
        store: &Store<S>,
        with_first: bool,
    ) -> (Place<S>, Snapshot<S>, Option<Error>) {
        let mut inner = self.shared.lock();
        while inner.unlisted && !inner.ended {
            inner = wait(&self.shared.boundary, inner);
        }
        let filled = Arc::new(Condvar::new());
        // Taken under the lock that `publish` holds when it commits.
        let snapshot = store.snapshot();
        let allowed = self.limits.subscribers;
        let is_full = inner.queues.len() >= allowed;
        let number = (!is_full).then(|| {
            let number = inner.next;
            let queue = Queue {
                options,
                resync: with_first.then(|| Resync {
                    dropped: 0,
                    tables: snapshot.clone(),
                }),
                items: VecDeque::new(),
                is_done: inner.ended,
                filled: Arc::clone(&filled),
                waker: None,
            };
            inner.next += 1;
            inner.queues.insert(number, queue);
            number
        });
        let refused = is_full.then(|| {
            Error::Limit(LimitError {
                limit: Limit::Subscribers,
                what: "one more subscription of this mirror".into(),
                found: Some(allowed as u64 + 1),
                allowed: allowed as u64,
            })
        });
        let shared = Arc::clone(&self.shared);
        let place = Place {
            shared,
            number,
            filled,
        };
        (place, snapshot, refused)
    }

    /// A transaction begins: whether its changes have to be listed.
    pub(crate) fn begin(&self) -> bool {
        let mut inner = self.shared.lock();
        inner.unlisted = inner.queues.is_empty();
        !inner.unlisted
    }

    /// The running transaction was abandoned.
    pub(crate) fn abandon(&self) {
        self.shared.lock().unlisted = false;
        self.shared.boundary.notify_all();
    }

    /// Commits by `commit`, in one step for whoever subscribes meanwhile, and hands the transaction
    /// to all who had subscribed before; waits for room where that is asked for, until `stopped`.
    pub(crate) fn publish(
        &self,
        transaction: Option<Transaction<S>>,
        store: &Store<S>,
        stopped: &dyn Fn() -> bool,
        commit: impl FnOnce(),
    ) {
        let mut inner = self.shared.lock();
        commit();
        inner.unlisted = false;
        self.shared.boundary.notify_all();
        let Some(transaction) = transaction else {
            return;
        };
        let sent = Sent {
            transaction: Arc::new(transaction),
            store,
        };
        let end = Bound::Excluded(inner.next);
        let mut start = Bound::Unbounded;
        while let Some((&number, _)) = inner.queues.range((start, end)).next() {
            inner = self.hand_over(inner, number, &sent, stopped);
            start = Bound::Excluded(number);
        }
    }

    /// Hands a transaction to one subscriber.
    fn hand_over<'i>(
        &'i self,
        mut inner: MutexGuard<'i, Inner<S>>,
        number: u64,
        sent: &Sent<'_, S>,
        stopped: &dyn Fn() -> bool,
    ) -> MutexGuard<'i, Inner<S>> {
        loop {
            let Some(queue) = inner.queues.get_mut(&number).filter(|queue| !queue.is_done) else {
                return inner;
            };
            if queue.take(sent) {
                let waker = queue.filled();
                return self.shared.woken(inner, waker);
            }
            if stopped() {
                // Those that wait are read; this one would be missed, so nothing comes behind them.
                queue.is_done = true;
                let waker = queue.filled();
                return self.shared.woken(inner, waker);
            }
            inner = wait(&self.shared.room, inner);
        }
    }

    /// Lets a commit that waits for room look whether the mirror is to stop.
    pub(crate) fn look_again(&self) {
        // Behind whoever looked and is about to wait.
        drop(self.shared.lock());
        self.shared.room.notify_all();
    }

    /// Ends all subscriptions, and those that come later, once their queues are read.
    pub(crate) fn end(&self) {
        let mut inner = self.shared.lock();
        inner.ended = true;
        let mut wakers = Vec::new();
        for queue in inner.queues.values_mut() {
            queue.is_done = true;
            wakers.extend(queue.filled());
        }
        drop(inner);
        self.shared.boundary.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A transaction that is committed, and where its state is to be had.
struct Sent<'a, S: Schema> {
    transaction: Arc<Transaction<S>>,
    store: &'a Store<S>,
}

impl<S: Schema> Queue<S> {
    /// Takes a transaction, or drops it and all before it; false when there is no room.
    fn take(&mut self, sent: &Sent<'_, S>) -> bool {
        let is_first = self.resync.as_ref().is_some_and(|first| first.dropped == 0);
        let has_room = self.items.len() < self.options.queue;
        if has_room && (self.resync.is_none() || is_first) {
            self.items.push_back(Arc::clone(&sent.transaction));
            return true;
        }
        if self.options.slow == SlowReader::Block {
            return false;
        }
        let before = self.resync.take().map_or(0, |resync| resync.dropped);
        self.resync = Some(Resync {
            dropped: before + self.items.len() as u64 + 1,
            // Nobody else commits: this is the state behind the transaction.
            tables: sent.store.snapshot(),
        });
        self.items.clear();
        true
    }

    /// There is something to read, or the end.
    fn filled(&mut self) -> Option<Waker> {
        self.filled.notify_all();
        self.waker.take()
    }

    fn pop(&mut self) -> Taken<S> {
        if let Some(resync) = self.resync.take() {
            return Taken::Item(Delivery::Resync(resync));
        }
        match self.items.pop_front() {
            Some(transaction) => Taken::Item(Delivery::Transaction(transaction)),
            None if self.is_done => Taken::Ended,
            None => Taken::Nothing,
        }
    }
}

impl<S: Schema> Shared<S> {
    /// A poisoned lock means that a thread died between assignments that leave each queue whole.
    fn lock(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes a task, which may do anything, without the lock.
    fn woken<'i>(
        &'i self,
        inner: MutexGuard<'i, Inner<S>>,
        waker: Option<Waker>,
    ) -> MutexGuard<'i, Inner<S>> {
        let Some(waker) = waker else { return inner };
        drop(inner);
        waker.wake();
        self.lock()
    }
}

impl<S: Schema> Place<S> {
    /// Takes the next item, which is waited for until then.
    pub(super) fn wait(&self, until: Option<Instant>) -> Taken<S> {
        let mut inner = self.shared.lock();
        loop {
            let taken = self.pop(&mut inner);
            if !matches!(taken, Taken::Nothing) {
                return taken;
            }
            let left = match until {
                None => Duration::from_secs(3600),
                Some(until) => match until.checked_duration_since(Instant::now()) {
                    Some(left) => left,
                    None => return taken,
                },
            };
            let waited = self.filled.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes the next item; where there is none, the task is woken when that is worth another look.
    #[cfg(feature = "async")]
    pub(super) fn poll(&self, waker: &Waker) -> Taken<S> {
        let mut inner = self.shared.lock();
        let taken = self.pop(&mut inner);
        if matches!(taken, Taken::Nothing)
            && let Some(queue) = self.number.and_then(|number| inner.queues.get_mut(&number))
        {
            queue.waker = Some(waker.clone());
        }
        taken
    }

    fn pop(&self, inner: &mut Inner<S>) -> Taken<S> {
        let queue = self.number.and_then(|number| inner.queues.get_mut(&number));
        let Some(queue) = queue else {
            return Taken::Ended;
        };
        let was_full = queue.items.len() >= queue.options.queue;
        let taken = queue.pop();
        if was_full {
            self.shared.room.notify_all();
        }
        taken
    }
}

impl<S: Schema> Drop for Place<S> {
    fn drop(&mut self) {
        let removed = self
            .number
            .and_then(|number| self.shared.lock().queues.remove(&number));
        // The mirror may wait for room in it. Its rows are freed without the lock.
        self.shared.room.notify_all();
        drop(removed);
    }
}

fn wait<'i, T>(condvar: &Condvar, guard: MutexGuard<'i, T>) -> MutexGuard<'i, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
