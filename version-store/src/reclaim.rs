//! How a writer gives back the memory of rows that nobody can see any more.

use std::ptr::{self, NonNull};
use std::sync::PoisonError;

use crate::publish::Writing;
use crate::slots::{LEAST, Slot, Slots, hash_of};
use crate::sync::Ordering;
use crate::table::Garbage;
use crate::version::{Follow, Keyed, REPLACED, Version};
use crate::writer::{TableMemory, TableWriter, Touched, is_there};

impl<R: Keyed, F: Follow<R>> TableWriter<R, F> {
    /// Frees what nobody can see any more: at most about `most` rows beyond twice those that were
    /// changed since the last time, so that it keeps up. Whether there may be more.
    pub fn reclaim(&mut self, at: Writing<'_>, most: usize) -> bool {
        let writing = self.settle(at);
        let oldest = at.oldest();
        let mut left = most.saturating_add(2 * std::mem::take(&mut self.settled));
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
            let count = garbage.versions.len().min(left);
            left -= count.max(1);
            // SAFETY: freed below.
            let bytes = |slots: &NonNull<Slots<R>>| unsafe { slots.as_ref() }.bytes();
            self.waiting_slot_bytes -= garbage.slots.iter().map(bytes).sum::<usize>();
            self.versions -= count;
            // SAFETY: taken out while `number` was written, and no snapshot is older (rule 2).
            unsafe { garbage.free(count) };
            if garbage.versions.is_empty() {
                self.garbage.pop_front();
            }
        }
        self.shorten_done(at);
        if self.stranded && self.done.is_empty() {
            self.take_out_stranded(oldest, writing);
        }
        if self.keys * 8 < self.slots().capacity() && self.slots().capacity() > LEAST {
            self.resize(writing);
        }
        self.waits().is_some_and(|number| number <= oldest)
    }

    /// The number of a version: when no snapshot is older, something can be freed. `None` when
    /// nothing waits for that.
    #[must_use]
    pub fn waits(&self) -> Option<u64> {
        let done = self.done.front().map(|(number, _)| *number);
        let garbage = self.garbage.front().map(|(number, _)| *number);
        let stranded = self.stranded.then_some(self.touched_in);
        [done, garbage, stranded].into_iter().flatten().min()
    }

    /// Lets go of what a version replaced or deleted, now that no snapshot is older.
    fn forget(&mut self, touched: Touched<R>, number: u64, writing: u64) {
        match touched {
            Touched::Created(version) => {
                // SAFETY: it is freed only by what replaced or deleted it, or took it out, which
                // comes later.
                let held = unsafe { version.as_ref() };
                if held.end.load(Ordering::Acquire) == REPLACED {
                    // Taken out of its chain, with what it replaced left in.
                    return;
                }
                let prev = held.prev.swap(ptr::null_mut(), Ordering::AcqRel);
                if let Some(prev) = NonNull::new(prev) {
                    // SAFETY: as above; of the replaced one, it is not released yet.
                    let (row, gone) = unsafe { (&version.as_ref().row, prev.as_ref()) };
                    self.follow.went(&gone.row, is_there(gone).then_some(row));
                    // SAFETY: replaced in `number`, and no snapshot is older (rule 1).
                    unsafe { Version::release(prev) };
                    self.versions -= 1;
                }
            }
            Touched::Ended(version) => {
                // SAFETY: as above.
                let held = unsafe { version.as_ref() };
                let hash = hash_of(&self.shared.hasher, held.row.key_ref());
                let slots = self.slots();
                // SAFETY: only the writer frees heads, by `&mut self`.
                let (place, head) = unsafe { slots.search(hash, held.row.key_ref()) };
                // With another row over it, it goes when that one's turn comes.
                if head == Some(version) && held.end.load(Ordering::Acquire) == number {
                    slots.vacate(place);
                    self.keys -= 1;
                    self.follow.went(&held.row, None);
                    self.garbage_of(writing).versions.push(version);
                }
            }
        }
    }

    /// Takes the version below a head out of the chain when no snapshot shows it, so that chains
    /// stay as short as there are snapshots, however long one is held and however often the row is
    /// changed.
    pub(crate) fn shorten(&mut self, head: &Version<R>, at: Writing<'_>) {
        // What is not published yet may have to be looked at by its number (`rows_at`).
        if head.begin > at.published() {
            return;
        }
        let Some(below) = NonNull::new(head.prev.load(Ordering::Acquire)) else {
            return;
        };
        // SAFETY: in the chain, so not freed.
        let out = unsafe { below.as_ref() };
        if at.is_held(out.begin, head.begin) {
            return;
        }
        let rest = out.prev.load(Ordering::Acquire);
        // SAFETY: as above.
        let under = NonNull::new(rest).map(|rest| unsafe { rest.as_ref() });
        let under = under
            .filter(|under| is_there(under))
            .map(|under| &under.row);
        self.follow.came(&head.row, under);
        self.follow
            .went(&head.row, is_there(out).then_some(&out.row));
        self.follow.went(&out.row, under);
        // Readers that are at it go on to the rest, which it leads to still: their snapshots are
        // older than it, and keep it from being freed (rule 2).
        head.prev.store(rest, Ordering::Release);
        out.end.store(REPLACED, Ordering::Release);
        self.garbage_of(at.number()).versions.push(below);
    }

    /// Shortens the chains that were grown in versions which are published now, when snapshots of
    /// older ones keep them from being given up whole.
    fn shorten_done(&mut self, at: Writing<'_>) {
        let published = at.published();
        let from = std::mem::replace(&mut self.shortened_to, published);
        let (mut next, oldest) = (self.done.len(), at.oldest());
        while next > 0 {
            next -= 1;
            let (number, touched) = match self.done.get(next) {
                Some((number, touched)) if *number > from.max(oldest) => (*number, touched.len()),
                _ => return,
            };
            for place in 0..touched {
                let Touched::Created(version) = self.done[next].1[place] else {
                    continue;
                };
                // SAFETY: it is freed only by what replaced or deleted it, or took it out, once
                // this entry of `done` is gone.
                let held = unsafe { version.as_ref() };
                let is_out = held.end.load(Ordering::Acquire) == REPLACED;
                if number <= published && !is_out {
                    self.shorten(held, at);
                }
            }
        }
    }

    /// What the table takes.
    #[must_use]
    pub fn memory(&self) -> TableMemory {
        TableMemory {
            rows: self.rows,
            versions: self.versions,
            version_bytes: self.versions * size_of::<Version<R>>(),
            slot_bytes: self.slots().bytes() + self.waiting_slot_bytes,
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
            let held = unsafe { head.as_ref() };
            let end = held.end.load(Ordering::Acquire);
            if end <= oldest {
                self.slots().vacate(place);
                self.keys -= 1;
                self.follow.went(&held.row, None);
                self.garbage_of(writing).versions.push(head);
            } else {
                self.stranded |= end < writing;
            }
        }
    }

    /// Closes what was done in a version that is over; the number of the one being written.
    pub(crate) fn settle(&mut self, at: Writing<'_>) -> u64 {
        assert!(
            at.store() == self.shared.store,
            "a version of another store"
        );
        let writing = at.number();
        if writing != self.touched_in {
            let mut touched = std::mem::take(&mut self.touched);
            self.settled += touched.len();
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

    pub(crate) fn garbage_of(&mut self, writing: u64) -> &mut Garbage<R> {
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

impl<R: Keyed, F: Follow<R>> Drop for TableWriter<R, F> {
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
