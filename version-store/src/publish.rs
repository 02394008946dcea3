//! Versions of a payload, snapshots of them, and who may publish.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU64 as StdAtomicU64;
use std::time::Instant;

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
            clock: Arc::clone(&clock),
            payload: first(Writing {
                clock: &clock,
                published: 0,
                held: &VecDeque::new(),
            }),
        });
        let store = Arc::new(Self {
            current: Current::new(published),
        });
        let publisher = Publisher {
            store: Arc::clone(&store),
            clock,
            published: 0,
            before: VecDeque::new(),
            held: VecDeque::new(),
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
    /// Number of the version that is published.
    published: u64,
    /// Numbers of older versions that may be held, oldest first.
    held: &'p VecDeque<u64>,
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

    /// Number of the version that is published.
    pub(crate) fn published(self) -> u64 {
        self.published
    }

    /// Whether a snapshot may show a version from the first number to the one before the second,
    /// which is published.
    pub(crate) fn is_held(self, from: u64, before: u64) -> bool {
        let next = self.held.partition_point(|number| *number < from);
        self.held.get(next).is_some_and(|number| *number < before)
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
    /// Versions before that, as far as they may be held, and when each was replaced; oldest
    /// first.
    before: VecDeque<(Instant, Arc<Published<P>>)>,
    /// Their numbers.
    held: VecDeque<u64>,
    /// Length of `before` at which those that nobody holds are dropped from its middle.
    sweep_at: usize,
}

impl<P> Publisher<P> {
    /// What a [`TableWriter`](crate::TableWriter) works with: it has to be given back before the
    /// version can be published.
    #[must_use]
    pub fn writing(&self) -> Writing<'_> {
        Writing {
            clock: &self.clock,
            published: self.published,
            held: &self.held,
        }
    }

    /// Publishes the version that is being written: from now on snapshots show it. Its number.
    pub fn publish(&mut self, payload: P) -> u64 {
        let number = self.writing().number();
        let next = Arc::new(Published {
            number,
            clock: Arc::clone(&self.clock),
            payload,
        });
        // The one store that shows everything; all rows were written before it.
        let old = self.store.current.swap(next);
        self.published = number;
        self.held.push_back(old.number);
        self.before.push_back((Instant::now(), old));
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

    /// When the oldest version that a snapshot holds was replaced by a newer one; `None` when none
    /// is held but the one that is published.
    pub fn oldest_replaced(&mut self) -> Option<Instant> {
        self.look();
        self.before.front().map(|(replaced, _)| *replaced)
    }

    /// Forgets versions that nobody holds.
    fn look(&mut self) {
        // Nobody can take one of these any more, so one that has no other owner stays so:
        // `get_mut` synchronizes with the drop of the last snapshot, whose reads come before.
        while let Some((_, first)) = self.before.front_mut()
            && Arc::get_mut(first).is_some()
        {
            self.before.pop_front();
            self.held.pop_front();
        }
        while let Some((_, last)) = self.before.back_mut()
            && Arc::get_mut(last).is_some()
        {
            self.before.pop_back();
            self.held.pop_back();
        }
        if self.before.len() >= self.sweep_at {
            self.before
                .retain_mut(|(_, held)| Arc::get_mut(held).is_none());
            self.held = self.before.iter().map(|(_, held)| held.number).collect();
            self.sweep_at = (2 * self.before.len()).max(SWEEP);
        }
        let oldest = self
            .before
            .front()
            .map_or(self.published, |(_, held)| held.number);
        self.clock.oldest.store(oldest, Ordering::Release);
    }
}
