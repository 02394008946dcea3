//! A table as readers have it.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use crate::publish::{Moment, Writing};
use crate::slots::{Hasher, LEAST, Slot, Slots, hash_of};
use crate::sync::{AtomicPtr, Ordering};
use crate::version::{Follow, Keyed, RowRef, Version};
use crate::writer::TableWriter;

/// Rows by key, in all versions that somebody can see. A clone is another handle.
pub struct Table<R: Keyed> {
    pub(crate) shared: Arc<Shared<R>>,
}

impl<R: Keyed> Clone for Table<R> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

/// What readers and the writer share.
pub(crate) struct Shared<R: Keyed> {
    /// Tells which store's snapshots may look at it.
    pub(crate) store: u64,
    pub(crate) hasher: Hasher,
    pub(crate) slots: AtomicPtr<Slots<R>>,
    /// What the writer left to be freed with the table.
    pub(crate) left: Mutex<Garbage<R>>,
}

// SAFETY: rows are reached from many threads (`R: Sync`) and dropped by whoever is last
// (`R: Send`), both of which `Keyed` asks for; the raw pointers are managed by the rules of the
// crate's documentation.
unsafe impl<R: Keyed> Send for Shared<R> {}
// SAFETY: as above.
unsafe impl<R: Keyed> Sync for Shared<R> {}

/// Memory that nobody reaches by the table any more.
pub(crate) struct Garbage<R> {
    pub(crate) versions: Vec<NonNull<Version<R>>>,
    pub(crate) slots: Vec<NonNull<Slots<R>>>,
}

impl<R> Default for Garbage<R> {
    fn default() -> Self {
        Self {
            versions: Vec::new(),
            slots: Vec::new(),
        }
    }
}

impl<R: Keyed> Garbage<R> {
    /// Frees all arrays, and so many versions.
    ///
    /// # Safety
    /// Nobody looks at any of it, and it is the store's.
    pub(crate) unsafe fn free(&mut self, versions: usize) {
        let rest = self.versions.len().saturating_sub(versions);
        for version in self.versions.drain(rest..) {
            // SAFETY: the caller's promise.
            unsafe { Version::release(version) };
        }
        for slots in self.slots.drain(..) {
            // SAFETY: made by `Box` in `boxed`; the caller's promise.
            drop(unsafe { Box::from_raw(slots.as_ptr()) });
        }
    }
}

/// An array of slots on its own.
pub(crate) fn boxed<R: Keyed>(slots: Slots<R>) -> NonNull<Slots<R>> {
    NonNull::from(Box::leak(Box::new(slots)))
}

impl<R: Keyed> Shared<R> {
    /// The array that is in use.
    ///
    /// # Safety
    /// It is alive for `'a`: for a reader by its snapshot, for the writer since only it frees it.
    #[inline]
    pub(crate) unsafe fn slots<'a>(&self) -> &'a Slots<R> {
        // SAFETY: never null; alive by the caller's promise.
        unsafe { &*self.slots.load(Ordering::Acquire) }
    }
}

impl<R: Keyed> Drop for Shared<R> {
    fn drop(&mut self) {
        let left = self.left.get_mut();
        let left = left.unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the last handle is gone, and with it every reference that was bound to one.
        let slots = unsafe { Box::from_raw(self.slots.load(Ordering::Acquire)) };
        for place in 0..slots.capacity() {
            let Slot::Head(head) = slots.get(place) else {
                continue;
            };
            let mut next = Some(head);
            while let Some(version) = next {
                // SAFETY: in the chain, so the store owns it; each is released once.
                next = NonNull::new(unsafe { version.as_ref() }.prev.load(Ordering::Acquire));
                // SAFETY: as above.
                unsafe { Version::release(version) };
            }
        }
        // SAFETY: as above; what is garbage is in no chain.
        unsafe { left.free(usize::MAX) };
    }
}

impl<R: Keyed> Table<R> {
    /// An empty table for the store of this publisher, and the one writer of it.
    #[must_use]
    pub fn new(at: Writing<'_>) -> (Self, TableWriter<R>) {
        Self::followed(at, ())
    }

    /// As [`new`](Self::new), with something that is told which rows there are.
    #[must_use]
    pub fn followed<F: Follow<R>>(at: Writing<'_>, follow: F) -> (Self, TableWriter<R, F>) {
        let shared = Arc::new(Shared {
            store: at.store(),
            hasher: Hasher::default(),
            slots: AtomicPtr::new(boxed(Slots::new(LEAST)).as_ptr()),
            left: Mutex::new(Garbage::default()),
        });
        let writer = TableWriter::new(Arc::clone(&shared), at, follow);
        (Self { shared }, writer)
    }

    /// The rows of the version that a snapshot shows.
    ///
    /// # Panics
    /// When the snapshot is of another store.
    #[must_use]
    #[inline]
    pub fn view<'s>(&'s self, at: Moment<'s>) -> View<'s, R> {
        assert!(
            at.store() == self.shared.store,
            "a snapshot of another store"
        );
        View {
            shared: &self.shared,
            number: at.number(),
            snapshot: PhantomData,
        }
    }
}

/// A table at one version.
pub struct View<'s, R: Keyed> {
    shared: &'s Shared<R>,
    number: u64,
    /// The snapshot that keeps everything alive that is reached.
    snapshot: PhantomData<&'s ()>,
}

impl<R: Keyed> Clone for View<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Keyed> Copy for View<'_, R> {}

impl<'s, R: Keyed> View<'s, R> {
    /// The row with this key.
    #[must_use]
    #[inline]
    pub fn get(self, key: R::KeyRef<'_>) -> Option<&'s R> {
        // SAFETY: alive while the snapshot lives (see `version`).
        self.version(key)
            .map(|version| unsafe { &version.as_ref().row })
    }

    /// The row with this key, to keep longer than the snapshot.
    #[must_use]
    pub fn get_ref(self, key: R::KeyRef<'_>) -> Option<RowRef<R>> {
        // SAFETY: alive while the snapshot lives (see `version`).
        self.version(key)
            .map(|version| unsafe { RowRef::of(version) })
    }

    /// The version of a row that this one shows; alive while the snapshot lives.
    #[inline]
    fn version(self, key: R::KeyRef<'_>) -> Option<NonNull<Version<R>>> {
        let hash = hash_of(&self.shared.hasher, key);
        // SAFETY: the array is alive: one that was in use when or after the snapshot was taken is
        // not freed while it lives (rule 2).
        let slots: &'s Slots<R> = unsafe { self.shared.slots() };
        // SAFETY: so are the heads in it: what was taken out after the snapshot was taken is not
        // freed while it lives (rule 2); what was taken out before is not in the array that is in
        // use since, nor in a later one.
        let (_, head) = unsafe { slots.search(hash, key) };
        // SAFETY: the head by the above, the next ones by rule 1: the one that replaced it is
        // newer than the snapshot.
        unsafe { visible(head?, self.number) }
    }

    /// Every row, in no order.
    pub fn iter(self) -> impl Iterator<Item = &'s R> {
        // SAFETY: as in `version`: every key that this version shows is in the array that is in
        // use now, since none goes from it before the snapshot does.
        let slots: &'s Slots<R> = unsafe { self.shared.slots() };
        (0..slots.capacity()).filter_map(move |place| {
            let Slot::Head(head) = slots.get(place) else {
                return None;
            };
            // SAFETY: as in `version`.
            let version = unsafe { visible(head, self.number) };
            // SAFETY: alive while the snapshot lives.
            version.map(|version| unsafe { &version.as_ref().row })
        })
    }
}

/// The version of a chain that is part of the version with this number.
///
/// # Safety
/// The head is alive, and so is everything below it up to the first that is not newer than that.
#[inline]
pub(crate) unsafe fn visible<R>(
    head: NonNull<Version<R>>,
    number: u64,
) -> Option<NonNull<Version<R>>> {
    let mut version = head;
    loop {
        // SAFETY: the caller's promise.
        let held = unsafe { version.as_ref() };
        if held.begin <= number {
            let is_deleted = held.end.load(Ordering::Acquire) <= number;
            return (!is_deleted).then_some(version);
        }
        version = NonNull::new(held.prev.load(Ordering::Acquire))?;
    }
}
