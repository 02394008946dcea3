//! The one who writes a table.

use std::collections::VecDeque;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use crate::placed::{Found, Held, Placed};
use crate::publish::Writing;
use crate::slots::{LEAST, Slot, Slots, hash_of};
use crate::sync::Ordering;
use crate::table::{Garbage, Shared, boxed, visible};
use crate::version::{Follow, Keyed, NEVER, REPLACED, RowRef, Version};

/// What the running transaction did to one version.
pub(crate) enum Touched<R> {
    /// Put it at the head of its chain.
    Created(NonNull<Version<R>>),
    /// Deleted it.
    Ended(NonNull<Version<R>>),
}

impl<R> Clone for Touched<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Touched<R> {}

/// Slots whose rows are read at once; their number is a power of two, not less than this.
const AT_ONCE: usize = LEAST;

/// Bytes that a table takes, as far as this crate sets them aside: not what rows point to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableMemory {
    /// Rows that the newest version has.
    pub rows: usize,
    /// Versions of rows, those of rows and of what waits to be freed.
    pub versions: usize,
    /// Bytes of the versions.
    pub version_bytes: usize,
    /// Bytes of the slots that keys are hashed into.
    pub slot_bytes: usize,
}

/// The one writer of a table.
///
/// What it does belongs to the version that the publisher of the store writes at that moment.
pub struct TableWriter<R: Keyed, F: Follow<R> = ()> {
    pub(crate) shared: Arc<Shared<R>>,
    /// Is told which rows there are.
    pub(crate) follow: F,
    /// What was done in version `touched_in`, in order.
    pub(crate) touched: Vec<Touched<R>>,
    pub(crate) touched_in: u64,
    /// The last version in which a row was put or deleted.
    pub(crate) changed_in: u64,
    /// Number of the version up to which chains were shortened.
    pub(crate) shortened_to: u64,
    /// Bytes of outgrown arrays that are not freed.
    pub(crate) waiting_slot_bytes: usize,
    /// How much was done in versions that are over, since memory was given back last.
    pub(crate) settled: usize,
    /// What was done in earlier versions, by their numbers, and waits for snapshots to go.
    pub(crate) done: VecDeque<(u64, Vec<Touched<R>>)>,
    /// What was taken out while a version was written, by its number.
    pub(crate) garbage: VecDeque<(u64, Garbage<R>)>,
    /// Rows that the newest version has.
    pub(crate) rows: usize,
    /// Rows that were put or deleted, abandoned transactions included.
    pub(crate) changes: u64,
    /// Keys that have a slot.
    pub(crate) keys: usize,
    /// Slots that are not empty.
    pub(crate) used: usize,
    /// Versions that are not freed.
    pub(crate) versions: usize,
    /// Whether a row that was deleted long ago may be a head with nothing to say that it goes.
    pub(crate) stranded: bool,
}

// SAFETY: it owns what its pointers point to together with `Shared`, which is `Send`.
unsafe impl<R: Keyed, F: Follow<R> + Send> Send for TableWriter<R, F> {}
// SAFETY: shared access gives no more than rows (`R: Sync`) and what follows them (`F: Sync`).
unsafe impl<R: Keyed, F: Follow<R> + Sync> Sync for TableWriter<R, F> {}

impl<R: Keyed, F: Follow<R>> TableWriter<R, F> {
    pub(crate) fn new(shared: Arc<Shared<R>>, at: Writing<'_>, follow: F) -> Self {
        Self {
            touched_in: at.number(),
            changed_in: 0,
            settled: 0,
            waiting_slot_bytes: 0,
            shortened_to: 0,
            shared,
            follow,
            stranded: false,
            touched: Vec::new(),
            done: VecDeque::new(),
            garbage: VecDeque::new(),
            rows: 0,
            changes: 0,
            keys: 0,
            used: 0,
            versions: 0,
        }
    }

    pub(crate) fn slots(&self) -> &Slots<R> {
        // SAFETY: only the writer frees arrays, by `&mut self`.
        unsafe { self.shared.slots() }
    }

    /// The row with this key, as the running transaction has it.
    #[must_use]
    pub fn get(&self, key: R::KeyRef<'_>) -> Option<&R> {
        // SAFETY: only the writer frees heads, by `&mut self`.
        self.head(key).map(|head| unsafe { &head.as_ref().row })
    }

    /// As [`get`](Self::get), to keep.
    #[must_use]
    pub fn get_ref(&self, key: R::KeyRef<'_>) -> Option<RowRef<R>> {
        // SAFETY: only the writer frees heads, by `&mut self`.
        self.head(key).map(|head| unsafe { RowRef::of(head) })
    }

    /// Length of a key's chain of versions.
    #[must_use]
    pub fn chain(&self, key: R::KeyRef<'_>) -> usize {
        let hash = hash_of(&self.shared.hasher, key);
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (_, head) = unsafe { self.slots().search(hash, key) };
        // SAFETY: in the chain, so not freed.
        let below =
            |held: &NonNull<Version<R>>| unsafe { held.as_ref() }.prev.load(Ordering::Acquire);
        std::iter::successors(head, |held| NonNull::new(below(held))).count()
    }

    /// The head of a key's chain, when it is a row of the running transaction's state.
    fn head(&self, key: R::KeyRef<'_>) -> Option<NonNull<Version<R>>> {
        let hash = hash_of(&self.shared.hasher, key);
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (_, head) = unsafe { self.slots().search(hash, key) };
        // SAFETY: as above.
        head.filter(|head| is_there(unsafe { head.as_ref() }))
    }

    /// What is told which rows there are.
    #[must_use]
    pub fn follow(&self) -> &F {
        &self.follow
    }

    /// As [`follow`](Self::follow), to change.
    pub fn follow_mut(&mut self) -> &mut F {
        &mut self.follow
    }

    /// The last version in which a row was put or deleted; 0 when there is none.
    #[must_use]
    pub fn changed_in(&self) -> u64 {
        self.changed_in
    }

    /// Every row of a version that was passed, or is being written, in no order.
    ///
    /// # Panics
    /// When rows of that version may be gone: a newer one is published.
    pub fn rows_at<'w>(&'w self, at: Writing<'w>, number: u64) -> impl Iterator<Item = &'w R> {
        assert!(
            at.published() < number,
            "a version of which rows may be gone"
        );
        let slots = self.slots();
        (0..slots.capacity()).filter_map(move |place| {
            let Slot::Head(head) = slots.get(place) else {
                return None;
            };
            // SAFETY: only the writer frees heads, by `&mut self`; what replaced a row of this
            // version is newer than the oldest, so the row is not freed (rule 1).
            let version = unsafe { visible(head, number) };
            // SAFETY: as above.
            version.map(|version| unsafe { &version.as_ref().row })
        })
    }

    /// Rows that were put or deleted so far, also by transactions that were abandoned.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Number of rows, as the running transaction has them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Puts a row in the place of the one that has its key, if there is one.
    pub fn put(&mut self, at: Writing<'_>, row: R) -> Placed<'_, R> {
        let found = self.find(at, row.key_ref());
        self.place(found, row)
    }

    /// Puts a row whose key no other row has; `None`, and nothing is done, when one has it.
    pub fn put_new(&mut self, at: Writing<'_>, row: R) -> Option<Placed<'_, R>> {
        let found = self.find(at, row.key_ref());
        match found.before {
            Some(_) => None,
            None => Some(self.place(found, row)),
        }
    }

    /// The row with this key, as the running transaction has it, to be looked at and replaced.
    pub fn hold(&mut self, at: Writing<'_>, key: R::KeyRef<'_>) -> Option<Held<'_, R, F>> {
        let found = self.find(at, key);
        Some(Held {
            row: found.before?,
            found,
            writer: self,
        })
    }

    /// Makes room for a row, and finds the place for it.
    fn find(&mut self, at: Writing<'_>, key: R::KeyRef<'_>) -> Found<R> {
        let writing = self.settle(at);
        self.make_room(writing);
        let hash = hash_of(&self.shared.hasher, key);
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (place, head) = unsafe { self.slots().search(hash, key) };
        // SAFETY: as above.
        let held = head.map(|head| unsafe { head.as_ref() });
        if let Some(held) = held {
            self.shorten(held, at);
        }
        Found {
            writing,
            hash,
            place,
            head,
            before: head.filter(|_| held.is_some_and(is_there)),
        }
    }

    pub(crate) fn place(&mut self, found: Found<R>, row: R) -> Placed<'_, R> {
        let Found { writing, head, .. } = found;
        // SAFETY: only the writer frees heads, by `&mut self`.
        let held = head.map(|head| unsafe { head.as_ref() });
        // What this transaction wrote under the key is seen by nobody: it is left out.
        let own = held.filter(|held| held.begin == writing);
        let prev = match own {
            Some(own) => own.prev.load(Ordering::Acquire),
            None => head.map_or(ptr::null_mut(), NonNull::as_ptr),
        };
        // SAFETY: in the chain, so not freed.
        let under = NonNull::new(prev).map(|prev| unsafe { prev.as_ref() });
        let under = under
            .filter(|under| is_there(under))
            .map(|under| &under.row);
        if let Some(own) = own {
            self.follow.went(&own.row, under);
        }
        self.follow.came(&row, under);
        let is_new = matches!(self.slots().get(found.place), Slot::Empty);
        let version = Version::new(row, writing, prev);
        self.slots().set(found.place, found.hash, version);
        if let Some(own) = own {
            // Readers look at its begin first, which is in the future for all of them.
            own.end.store(REPLACED, Ordering::Release);
            self.garbage_of(writing).versions.extend(head);
        }
        self.keys += usize::from(head.is_none());
        self.used += usize::from(head.is_none() && is_new);
        self.rows += usize::from(found.before.is_none());
        self.versions += 1;
        self.changed_in = writing;
        self.changes += 1;
        self.touched.push(Touched::Created(version));
        Placed::new(version, found.before)
    }

    /// Deletes the row with this key; the row, if there was one.
    pub fn remove(&mut self, at: Writing<'_>, key: R::KeyRef<'_>) -> Option<RowRef<R>> {
        let writing = self.settle(at);
        let head = self.head(key)?;
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (held, row) = unsafe { (head.as_ref(), RowRef::of(head)) };
        // Readers of versions before this one see the row still.
        held.end.store(writing, Ordering::Release);
        self.changed_in = writing;
        self.changes += 1;
        self.touched.push(Touched::Ended(head));
        self.rows -= 1;
        Some(row)
    }

    /// Undoes everything that was done in the version that is being written.
    pub fn roll_back(&mut self, at: Writing<'_>) {
        let writing = self.settle(at);
        while let Some(touched) = self.touched.pop() {
            let (Touched::Created(version) | Touched::Ended(version)) = touched;
            // SAFETY: versions of this transaction are not freed before it is over.
            let held = unsafe { version.as_ref() };
            let end = held.end.load(Ordering::Acquire);
            if end == REPLACED {
                continue;
            }
            match touched {
                Touched::Ended(_) => {
                    held.end.store(NEVER, Ordering::Release);
                    self.rows += 1;
                }
                Touched::Created(_) => self.take_back(version, writing),
            }
        }
    }

    /// Takes a version that this transaction created off the head of its chain.
    fn take_back(&mut self, version: NonNull<Version<R>>, writing: u64) {
        // SAFETY: as in `roll_back`.
        let held = unsafe { version.as_ref() };
        let hash = hash_of(&self.shared.hasher, held.row.key_ref());
        let slots = self.slots();
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (place, _) = unsafe { slots.search(hash, held.row.key_ref()) };
        let before = NonNull::new(held.prev.load(Ordering::Acquire));
        match before {
            Some(before) => slots.set(place, hash, before),
            None => {
                slots.vacate(place);
                self.keys -= 1;
            }
        }
        // What was deleted before is no row that came back; what this transaction deleted before
        // it created this one is told by its own entry.
        // SAFETY: in the chain, so not freed.
        let before = before.map(|before| unsafe { before.as_ref() });
        let end_before = before.map(|before| before.end.load(Ordering::Acquire));
        self.stranded |= end_before.is_some_and(|end| end < writing);
        let before = before.filter(|before| is_there(before));
        self.rows -= usize::from(before.is_none());
        self.follow
            .went(&held.row, before.map(|before| &before.row));
        self.garbage_of(writing).versions.push(version);
    }

    /// Keeps at least a quarter of the slots empty.
    fn make_room(&mut self, writing: u64) {
        if (self.used + 1) * 4 > self.slots().capacity() * 3 {
            self.resize(writing);
        }
    }

    /// Moves all chains to an array that is at most half full.
    pub(crate) fn resize(&mut self, writing: u64) {
        let capacity = ((self.keys + 1) * 2).next_power_of_two().max(LEAST);
        let new = Slots::new(capacity);
        let old = self.slots();
        // The rows of some slots are read before any is placed, so that their ways from memory
        // overlap.
        let mut some = Vec::with_capacity(AT_ONCE);
        for first in (0..old.capacity()).step_by(AT_ONCE) {
            some.extend(
                (first..first + AT_ONCE).filter_map(|place| match old.get(place) {
                    Slot::Head(head) => {
                        // SAFETY: only the writer frees heads, by `&mut self`.
                        let row = unsafe { &head.as_ref().row };
                        Some((hash_of(&self.shared.hasher, row.key_ref()), head))
                    }
                    _ => None,
                }),
            );
            for (hash, head) in some.drain(..) {
                new.place(hash, head);
            }
        }
        // Release: the slots were written before the array can be found.
        let old = self
            .shared
            .slots
            .swap(boxed(new).as_ptr(), Ordering::AcqRel);
        self.used = self.keys;
        if let Some(old) = NonNull::new(old) {
            // SAFETY: not freed before it was garbage for a version.
            self.waiting_slot_bytes += unsafe { old.as_ref() }.bytes();
            self.garbage_of(writing).slots.push(old);
        }
    }
}

/// Whether a head is a row of the running transaction's state.
pub(crate) fn is_there<R>(head: &Version<R>) -> bool {
    head.end.load(Ordering::Acquire) == NEVER
}
