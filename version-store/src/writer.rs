//! The one who writes a table.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::{Arc, PoisonError};

use crate::publish::Writing;
use crate::slots::{LEAST, Slot, Slots, hash_of};
use crate::sync::Ordering;
use crate::table::{Garbage, Shared, boxed};
use crate::version::{Keyed, NEVER, REPLACED, RowRef, Version};

/// What the running transaction did to one version.
enum Touched<R> {
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
pub struct TableWriter<R: Keyed> {
    shared: Arc<Shared<R>>,
    /// What was done in version `touched_in`, in order.
    touched: Vec<Touched<R>>,
    touched_in: u64,
    /// What was done in earlier versions, by their numbers, and waits for snapshots to go.
    done: VecDeque<(u64, Vec<Touched<R>>)>,
    /// What was taken out while a version was written, by its number.
    garbage: VecDeque<(u64, Garbage<R>)>,
    /// Rows that the newest version has.
    rows: usize,
    /// Keys that have a slot.
    keys: usize,
    /// Slots that are not empty.
    used: usize,
    /// Versions that are not freed.
    versions: usize,
    /// Whether a row that was deleted long ago may be a head with nothing to say that it goes.
    stranded: bool,
}

// SAFETY: it owns what its pointers point to together with `Shared`, which is `Send`.
unsafe impl<R: Keyed> Send for TableWriter<R> {}

/// A row that was put, and the one that it took the place of.
pub struct Placed<'w, R> {
    row: NonNull<Version<R>>,
    before: Option<NonNull<Version<R>>>,
    /// The writer, which frees neither while it is borrowed.
    writer: PhantomData<&'w ()>,
}

impl<'w, R> Placed<'w, R> {
    /// The row as it is now.
    #[must_use]
    pub fn row(&self) -> RowRef<R> {
        // SAFETY: alive while the writer is borrowed.
        unsafe { RowRef::of(self.row) }
    }

    /// The row that had this key.
    #[must_use]
    pub fn before(&self) -> Option<&'w R> {
        // SAFETY: alive while the writer is borrowed: what the running transaction replaced is
        // not freed before it is over.
        self.before.map(|version| unsafe { &version.as_ref().row })
    }

    /// The row that had this key, to keep.
    #[must_use]
    pub fn before_ref(&self) -> Option<RowRef<R>> {
        // SAFETY: as in `before`.
        self.before.map(|version| unsafe { RowRef::of(version) })
    }
}

impl<R: Keyed> TableWriter<R> {
    pub(crate) fn new(shared: Arc<Shared<R>>, at: Writing<'_>) -> Self {
        Self {
            touched_in: at.number(),
            shared,
            stranded: false,
            touched: Vec::new(),
            done: VecDeque::new(),
            garbage: VecDeque::new(),
            rows: 0,
            keys: 0,
            used: 0,
            versions: 0,
        }
    }

    fn slots(&self) -> &Slots<R> {
        // SAFETY: only the writer frees arrays, by `&mut self`.
        unsafe { self.shared.slots() }
    }

    /// The row with this key, as the running transaction has it.
    #[must_use]
    pub fn get<Q>(&self, key: &Q) -> Option<&R>
    where
        R::Key: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        // SAFETY: only the writer frees heads, by `&mut self`.
        self.head(key).map(|head| unsafe { &head.as_ref().row })
    }

    /// As [`get`](Self::get), to keep.
    #[must_use]
    pub fn get_ref<Q>(&self, key: &Q) -> Option<RowRef<R>>
    where
        R::Key: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        // SAFETY: only the writer frees heads, by `&mut self`.
        self.head(key).map(|head| unsafe { RowRef::of(head) })
    }

    /// The head of a key's chain, when it is a row of the running transaction's state.
    fn head<Q>(&self, key: &Q) -> Option<NonNull<Version<R>>>
    where
        R::Key: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.shared.hasher, key);
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (_, head) = unsafe { self.slots().search(hash, key) };
        // SAFETY: as above.
        head.filter(|head| is_there(unsafe { head.as_ref() }))
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
        let writing = self.settle(at);
        self.make_room(writing);
        let hasher = &self.shared.hasher;
        let hash = row.with_key(|key| hash_of(hasher, key));
        let slots = self.slots();
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (place, head) = row.with_key(|key| unsafe { slots.search(hash, key) });
        let is_new = matches!(slots.get(place), Slot::Empty);
        // SAFETY: as above.
        let held = head.map(|head| unsafe { head.as_ref() });
        let before = head.filter(|_| held.is_some_and(is_there));
        // What this transaction wrote under the key is seen by nobody: it is left out.
        let own = held.filter(|held| held.begin == writing);
        let prev = match own {
            Some(own) => own.prev.load(Ordering::Acquire),
            None => head.map_or(ptr::null_mut(), NonNull::as_ptr),
        };
        let version = Version::new(row, writing, prev);
        slots.set(place, hash, version);
        if let Some(own) = own {
            // Readers look at its begin first, which is in the future for all of them.
            own.end.store(REPLACED, Ordering::Release);
            self.garbage_of(writing).versions.extend(head);
        }
        self.keys += usize::from(head.is_none());
        self.used += usize::from(head.is_none() && is_new);
        self.rows += usize::from(before.is_none());
        self.versions += 1;
        self.touched.push(Touched::Created(version));
        Placed {
            row: version,
            before,
            writer: PhantomData,
        }
    }

    /// Deletes the row with this key; the row, if there was one.
    pub fn remove<Q>(&mut self, at: Writing<'_>, key: &Q) -> Option<RowRef<R>>
    where
        R::Key: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let writing = self.settle(at);
        let head = self.head(key)?;
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (held, row) = unsafe { (head.as_ref(), RowRef::of(head)) };
        // Readers of versions before this one see the row still.
        held.end.store(writing, Ordering::Release);
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
        let hash = held.row.with_key(|key| hash_of(&self.shared.hasher, key));
        let slots = self.slots();
        // SAFETY: only the writer frees heads, by `&mut self`.
        let (place, _) = held.row.with_key(|key| unsafe { slots.search(hash, key) });
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
        let end_before =
            before.map(|before| unsafe { before.as_ref() }.end.load(Ordering::Acquire));
        self.stranded |= end_before.is_some_and(|end| end < writing);
        let had_row = end_before == Some(NEVER);
        self.rows -= usize::from(!had_row);
        self.garbage_of(writing).versions.push(version);
    }

    /// Frees what nobody can see any more, at most about `most` rows of it; whether there may be
    /// more.
    pub fn reclaim(&mut self, at: Writing<'_>, most: usize) -> bool {
        let writing = self.settle(at);
        let oldest = at.oldest();
        let mut left = most;
        while left > 0
            && let Some((number, done)) = self.done.front_mut()
            && *number <= oldest
        {
            let Some(touched) = done.pop() else {
                self.done.pop_front();
                continue;
            };
            let number = *number;
            left -= 1;
            self.forget(touched, number, writing);
        }
        while left > 0
            && let Some((number, garbage)) = self.garbage.front_mut()
            && *number <= oldest
        {
            left = left.saturating_sub(garbage.versions.len() + 1);
            self.versions -= garbage.versions.len();
            // SAFETY: taken out while `number` was written, and no snapshot is older (rule 2).
            unsafe { garbage.free() };
            self.garbage.pop_front();
        }
        if self.stranded && self.done.is_empty() {
            self.take_out_stranded(oldest, writing);
        }
        if self.keys * 8 < self.slots().capacity() && self.slots().capacity() > LEAST {
            self.resize(writing);
        }
        let waits = |number: Option<u64>| number.is_some_and(|number| number <= oldest);
        waits(self.done.front().map(|(number, _)| *number))
            || waits(self.garbage.front().map(|(number, _)| *number))
    }

    /// Lets go of what a version replaced or deleted, now that no snapshot is older.
    fn forget(&mut self, touched: Touched<R>, number: u64, writing: u64) {
        match touched {
            Touched::Created(version) => {
                // SAFETY: it is freed only by what replaced or deleted it, which comes later.
                let prev = unsafe { version.as_ref() }
                    .prev
                    .swap(ptr::null_mut(), Ordering::AcqRel);
                if let Some(prev) = NonNull::new(prev) {
                    // SAFETY: replaced in `number`, and no snapshot is older (rule 1).
                    unsafe { Version::release(prev) };
                    self.versions -= 1;
                }
            }
            Touched::Ended(version) => {
                // SAFETY: as above.
                let held = unsafe { version.as_ref() };
                let hash = held.row.with_key(|key| hash_of(&self.shared.hasher, key));
                let slots = self.slots();
                // SAFETY: only the writer frees heads, by `&mut self`.
                let (place, head) = held.row.with_key(|key| unsafe { slots.search(hash, key) });
                // With another row over it, it goes when that one's turn comes.
                if head == Some(version) && held.end.load(Ordering::Acquire) == number {
                    slots.vacate(place);
                    self.keys -= 1;
                    self.garbage_of(writing).versions.push(version);
                }
            }
        }
    }

    /// What the table takes.
    #[must_use]
    pub fn memory(&self) -> TableMemory {
        let waiting = self.garbage.iter().flat_map(|(_, garbage)| &garbage.slots);
        // SAFETY: garbage is freed by `&mut self` only.
        let waiting: usize = waiting.map(|slots| unsafe { slots.as_ref() }.bytes()).sum();
        TableMemory {
            rows: self.rows,
            versions: self.versions,
            version_bytes: self.versions * size_of::<Version<R>>(),
            slot_bytes: self.slots().bytes() + waiting,
        }
    }

    /// Deleted rows that became heads again, when the transaction that had put another row over
    /// them was rolled back.
    fn take_out_stranded(&mut self, oldest: u64, writing: u64) {
        self.stranded = false;
        for place in 0..self.slots().capacity() {
            let Slot::Head(head) = self.slots().get(place) else {
                continue;
            };
            // SAFETY: only the writer frees heads, by `&mut self`.
            let end = unsafe { head.as_ref() }.end.load(Ordering::Acquire);
            if end <= oldest {
                self.slots().vacate(place);
                self.keys -= 1;
                self.garbage_of(writing).versions.push(head);
            } else {
                self.stranded |= end < writing;
            }
        }
    }

    /// Closes what was done in a version that is over; the number of the one being written.
    fn settle(&mut self, at: Writing<'_>) -> u64 {
        assert!(
            at.store() == self.shared.store,
            "a version of another store"
        );
        let writing = at.number();
        if writing != self.touched_in {
            let mut touched = std::mem::take(&mut self.touched);
            touched.retain(|touched| is_to_be_forgotten(*touched));
            if !touched.is_empty() {
                // `forget` takes from the end.
                touched.reverse();
                self.done.push_back((self.touched_in, touched));
            }
            self.touched_in = writing;
        }
        writing
    }

    fn garbage_of(&mut self, writing: u64) -> &mut Garbage<R> {
        if self
            .garbage
            .back()
            .is_none_or(|(number, _)| *number != writing)
        {
            self.garbage.push_back((writing, Garbage::default()));
        }
        let last = self.garbage.len() - 1;
        &mut self.garbage[last].1
    }

    /// Keeps at least a quarter of the slots empty.
    fn make_room(&mut self, writing: u64) {
        if (self.used + 1) * 4 > self.slots().capacity() * 3 {
            self.resize(writing);
        }
    }

    /// Moves all chains to an array that is at most half full.
    fn resize(&mut self, writing: u64) {
        let capacity = ((self.keys + 1) * 2).next_power_of_two().max(LEAST);
        let new = Slots::new(capacity);
        let old = self.slots();
        for place in 0..old.capacity() {
            if let Slot::Head(head) = old.get(place) {
                // SAFETY: only the writer frees heads, by `&mut self`.
                let row = unsafe { &head.as_ref().row };
                let hash = row.with_key(|key| hash_of(&self.shared.hasher, key));
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
            self.garbage_of(writing).slots.push(old);
        }
    }
}

/// Whether a head is a row of the running transaction's state.
fn is_there<R>(head: &Version<R>) -> bool {
    head.end.load(Ordering::Acquire) == NEVER
}

/// Whether something goes when the version in which this was done is the oldest.
fn is_to_be_forgotten<R>(touched: Touched<R>) -> bool {
    let (Touched::Created(version) | Touched::Ended(version)) = touched;
    // SAFETY: versions of a transaction are not freed before `settle` has closed it: garbage of
    // it waits for a later publication, and `reclaim` settles first.
    let version = unsafe { version.as_ref() };
    if version.end.load(Ordering::Acquire) == REPLACED {
        return false;
    }
    match touched {
        Touched::Created(_) => !version.prev.load(Ordering::Acquire).is_null(),
        Touched::Ended(_) => true,
    }
}

impl<R: Keyed> Drop for TableWriter<R> {
    fn drop(&mut self) {
        // Readers may look at the table still: garbage goes with it, and what was replaced is in
        // the chains, which go with it too.
        let left = self.shared.left.lock();
        let mut left = left.unwrap_or_else(PoisonError::into_inner);
        for (_, mut garbage) in self.garbage.drain(..) {
            left.versions.append(&mut garbage.versions);
            left.slots.append(&mut garbage.slots);
        }
    }
}
