//! Versions of a payload, snapshots of them, and who may publish.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU64 as StdAtomicU64;
use std::time::{Duration, Instant};

use crate::sync::{AtomicU64, Current, Ordering};

/// Publications that are kept before those in the middle are looked through.
const SWEEP: usize = 64;

/// What one writer and its tables share.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Tells stores apart.
    pub(crate) store: u64,
    /// Number of the version that is being written.
    writing: AtomicU64,
    /// Number of the oldest version that is published or held.
    oldest: AtomicU64,
}

/// One version.
struct Published<P> {
    number: u64,
    at: Instant,
    clock: Arc<Clock>,
    payload: P,
}

/// The place where versions of a payload are published, for readers on any thread.
pub struct Store<P> {
    current: Current<Published<P>>,
}

/// One version of the payload; it stays as it is however long it is kept.
pub struct Snapshot<P> {
    published: Arc<Published<P>>,
}

impl<P> Clone for Snapshot<P> {
    fn clone(&self) -> Self {
        Self {
            published: Arc::clone(&self.published),
        }
    }
}

impl<P> Snapshot<P> {
    /// What was published.
    #[must_use]
    pub fn payload(&self) -> &P {
        &self.published.payload
    }

    /// Number of the version, from 0 for the first.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.published.number
    }

    /// The version, without its payload.
    #[must_use]
    #[inline]
    pub fn moment(&self) -> Moment<'_> {
        Moment {
            store: self.published.clock.store,
            number: self.published.number,
            snapshot: PhantomData,
        }
    }
}

/// A version that a snapshot keeps.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'s> {
    store: u64,
    number: u64,
    snapshot: PhantomData<&'s ()>,
}

impl Moment<'_> {
    /// Number of the version.
    #[must_use]
    #[inline]
    pub fn number(self) -> u64 {
        self.number
    }

    #[inline]
    pub(crate) fn store(self) -> u64 {
        self.store
    }
}

impl<P> Store<P> {
    /// A store with a first payload, and the one publisher of it.
    #[must_use]
    pub fn new(first: P) -> (Arc<Self>, Publisher<P>) {
        Self::with(|_| first)
    }

    /// As [`new`](Self::new), of tables that the first payload has.
    #[must_use]
    pub fn with(first: impl FnOnce(Writing<'_>) -> P) -> (Arc<Self>, Publisher<P>) {
        // Counts stores; of no other memory's concern.
        static STORES: StdAtomicU64 = StdAtomicU64::new(0);
        let clock = Arc::new(Clock {
            store: STORES.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
            writing: AtomicU64::new(1),
            oldest: AtomicU64::new(0),
        });
        let published = Arc::new(Published {
            number: 0,
            at: Instant::now(),
            clock: Arc::clone(&clock),
            payload: first(Writing { clock: &clock }),
        });
        let store = Arc::new(Self {
            current: Current::new(published),
        });
        let publisher = Publisher {
            store: Arc::clone(&store),
            clock,
            published: 0,
            before: VecDeque::new(),
            sweep_at: SWEEP,
        };
        (store, publisher)
    }

    /// The version that is published now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<P> {
        Snapshot {
            published: self.current.load(),
        }
    }
}

/// The version that is being written. While there is one of these, nothing is published, so that
/// what is written with it is part of one version.
#[derive(Clone, Copy)]
pub struct Writing<'p> {
    clock: &'p Clock,
}

impl Writing<'_> {
    /// Number of the version.
    #[must_use]
    pub fn number(self) -> u64 {
        self.clock.writing.load(Ordering::Acquire)
    }

    /// Number of the oldest version that somebody can see.
    #[must_use]
    pub fn oldest(self) -> u64 {
        self.clock.oldest.load(Ordering::Acquire)
    }

    pub(crate) fn store(self) -> u64 {
        self.clock.store
    }
}

/// The one who publishes versions of a store.
pub struct Publisher<P> {
    store: Arc<Store<P>>,
    clock: Arc<Clock>,
    /// Number of the version that is published now.
    published: u64,
    /// Versions before that, as far as they may be held; oldest first.
    before: VecDeque<Arc<Published<P>>>,
    /// Length of `before` at which those that nobody holds are dropped from its middle.
    sweep_at: usize,
}

impl<P> Publisher<P> {
    /// What a [`TableWriter`](crate::TableWriter) works with: it has to be given back before the
    /// version can be published.
    #[must_use]
    pub fn writing(&self) -> Writing<'_> {
        Writing { clock: &self.clock }
    }

    /// Publishes the version that is being written: from now on snapshots show it. Its number.
    pub fn publish(&mut self, payload: P) -> u64 {
        let number = self.writing().number();
        let next = Arc::new(Published {
            number,
            at: Instant::now(),
            clock: Arc::clone(&self.clock),
            payload,
        });
        // The one store that shows everything; all rows were written before it.
        let old = self.store.current.swap(next);
        self.published = number;
        self.before.push_back(old);
        self.clock.writing.store(number + 1, Ordering::Release);
        self.look();
        number
    }

    /// Goes on to the next version without publishing this one, which becomes part of it.
    pub fn pass(&mut self) {
        let number = self.writing().number();
        self.clock.writing.store(number + 1, Ordering::Release);
    }

    /// Number of the oldest version that is published or held by a snapshot; looks anew.
    pub fn oldest(&mut self) -> u64 {
        self.look();
        self.writing().oldest()
    }

    /// Age of the oldest version that a snapshot holds although newer ones are published, since
    /// it was published; `None` when there is none.
    pub fn oldest_age(&mut self) -> Option<Duration> {
        self.look();
        self.before.front().map(|held| held.at.elapsed())
    }

    /// Forgets versions that nobody holds.
    fn look(&mut self) {
        // Nobody can take one of these any more, so one that has no other owner stays so:
        // `get_mut` synchronizes with the drop of the last snapshot, whose reads come before.
        while let Some(first) = self.before.front_mut()
            && Arc::get_mut(first).is_some()
        {
            self.before.pop_front();
        }
        if self.before.len() >= self.sweep_at {
            self.before.retain_mut(|held| Arc::get_mut(held).is_none());
            self.sweep_at = (2 * self.before.len()).max(SWEEP);
        }
        let oldest = self
            .before
            .front()
            .map_or(self.published, |held| held.number);
        self.clock.oldest.store(oldest, Ordering::Release);
    }
}
