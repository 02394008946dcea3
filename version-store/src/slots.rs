//! The array of slots that a table's keys are hashed into.

use std::hash::{BuildHasher, Hash};
use std::ptr::{self, NonNull};

use crate::sync::{AtomicPtr, Ordering};
use crate::version::{Keyed, Version};

/// Bits of an address that a pointer needs; the others hold a tag.
const ADDRESS_BITS: u32 = 48;
const ADDRESS: usize = (1 << ADDRESS_BITS) - 1;
/// The slot of a key that was taken out: searches go on behind it.
const VACATED: usize = 1;
/// Least number of slots.
pub(crate) const LEAST: usize = 16;

/// Open addressing: the chain of a key is in the first slots from where its hash points to. A
/// key never moves within one array, so that a search need not be repeated.
pub(crate) struct Slots<R> {
    cells: Box<[AtomicPtr<Version<R>>]>,
}

/// What a slot holds.
pub(crate) enum Slot<R> {
    Empty,
    Vacated,
    Head(NonNull<Version<R>>),
}

impl<R: Keyed> Slots<R> {
    /// `capacity` is a power of two.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            cells: (0..capacity)
                .map(|_| AtomicPtr::new(ptr::null_mut()))
                .collect(),
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        std::mem::size_of_val(&*self.cells)
    }

    /// The place of a key and the head of its chain; of a key that is not there, the place for
    /// it.
    ///
    /// # Safety
    /// Heads that are in the array are alive: for a reader by its snapshot, for the writer since
    /// only it frees them.
    #[inline]
    pub(crate) unsafe fn search(
        &self,
        hash: u64,
        key: R::KeyRef<'_>,
    ) -> (usize, Option<NonNull<Version<R>>>) {
        let mask = self.cells.len() - 1;
        let tag = tag_of(hash);
        let mut place = (hash as usize) & mask;
        let mut vacated = None;
        loop {
            // Acquire: what the head points to was written before it was put there.
            let held = self.cells[place].load(Ordering::Acquire);
            if held.addr() & !ADDRESS == tag {
                let head = untagged(held);
                // SAFETY: a tag is not 0, so this is a head; alive by the caller's promise.
                if R::is_same_key(unsafe { head.as_ref() }.row.key_ref(), key) {
                    return (place, Some(head));
                }
            } else if held.is_null() {
                return (vacated.unwrap_or(place), None);
            } else if held.addr() == VACATED {
                vacated.get_or_insert(place);
            }
            place = (place + 1) & mask;
        }
    }

    pub(crate) fn get(&self, place: usize) -> Slot<R> {
        let held = self.cells[place].load(Ordering::Acquire);
        if held.is_null() {
            Slot::Empty
        } else if held.addr() == VACATED {
            Slot::Vacated
        } else {
            Slot::Head(untagged(held))
        }
    }

    /// Puts a chain into a slot.
    pub(crate) fn set(&self, place: usize, hash: u64, head: NonNull<Version<R>>) {
        // Release: the row was written before it can be found.
        self.cells[place].store(tagged(head, hash), Ordering::Release);
    }

    /// Takes a key out.
    pub(crate) fn vacate(&self, place: usize) {
        self.cells[place].store(ptr::without_provenance_mut(VACATED), Ordering::Release);
    }

    /// Copies a chain into the first free slot; only of arrays that nobody else sees yet.
    pub(crate) fn place(&self, hash: u64, head: NonNull<Version<R>>) {
        let mask = self.cells.len() - 1;
        let mut place = (hash as usize) & mask;
        while !self.cells[place].load(Ordering::Relaxed).is_null() {
            place = (place + 1) & mask;
        }
        self.cells[place].store(tagged(head, hash), Ordering::Relaxed);
    }
}

/// The upper bits of a hash, never 0.
fn tag_of(hash: u64) -> usize {
    ((hash >> ADDRESS_BITS) as usize | 1) << ADDRESS_BITS
}

fn tagged<R>(head: NonNull<Version<R>>, hash: u64) -> *mut Version<R> {
    head.as_ptr().map_addr(|address| {
        // 64-bit Linux gives user space addresses of 47 bits, more only to who asks for them.
        assert!(address & !ADDRESS == 0, "an address of more than 48 bits");
        address | tag_of(hash)
    })
}

fn untagged<R>(held: *mut Version<R>) -> NonNull<Version<R>> {
    // SAFETY: only called for tagged pointers, which were made of a `NonNull` below 2^48.
    unsafe { NonNull::new_unchecked(held.map_addr(|address| address & ADDRESS)) }
}

/// Compiles only where an address has room for a tag.
const _: () = assert!(usize::BITS == 64);

/// How keys are hashed: of each table in a way of its own, so that nobody can choose keys that
/// collide.
#[cfg(not(loom))]
pub(crate) type Hasher = foldhash::fast::RandomState;
/// Loom needs the same in each run.
#[cfg(loom)]
pub(crate) type Hasher = foldhash::fast::FixedState;

#[inline]
pub(crate) fn hash_of<K: Hash>(hasher: &Hasher, key: K) -> u64 {
    hasher.hash_one(key)
}
