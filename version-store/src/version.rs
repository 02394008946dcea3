//! A row with its versions before, and references to it.

use std::hash::Hash;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// A row that has a key.
pub trait Keyed: Send + Sync + 'static {
    /// What tells it from other rows, borrowed from it: rows with the same key are hashed alike.
    type KeyRef<'a>: Copy + Hash
    where
        Self: 'a;

    /// The key of this row.
    fn key_ref(&self) -> Self::KeyRef<'_>;
    /// Whether two keys are the same.
    fn is_same_key(one: Self::KeyRef<'_>, other: Self::KeyRef<'_>) -> bool;
}

/// Follows which rows a table holds in any version: what an index beside it is made from.
///
/// An index that counts, for each of its keys, the rows that came less those that went, where
/// `beside` has another key or is none, has every key that any version shows.
pub trait Follow<R> {
    /// A row came, in the place of `beside`, if there was a row with its key.
    fn came(&mut self, row: &R, beside: Option<&R>);
    /// A row went for good: `beside` is the one that had replaced it, or, when it is undone, the
    /// one whose place it had taken.
    fn went(&mut self, row: &R, beside: Option<&R>);
}

impl<R> Follow<R> for () {
    #[inline]
    fn came(&mut self, _: &R, _: Option<&R>) {}
    #[inline]
    fn went(&mut self, _: &R, _: Option<&R>) {}
}

/// [`Version::end`] of a row that is not deleted.
pub(crate) const NEVER: u64 = u64::MAX;
/// [`Version::end`] of a row that the transaction which wrote it replaced again.
pub(crate) const REPLACED: u64 = 0;

/// One version of a row. The versions of one key are a chain, newest first.
pub(crate) struct Version<R> {
    /// Number of the version that it is part of from.
    pub(crate) begin: u64,
    /// Number of the version that it is deleted in.
    pub(crate) end: AtomicU64,
    /// The row that this one replaced.
    pub(crate) prev: AtomicPtr<Version<R>>,
    /// Owners: the store, and every [`RowRef`].
    owners: AtomicU32,
    pub(crate) row: R,
}

impl<R> Version<R> {
    /// A version that is owned by the store.
    pub(crate) fn new(row: R, begin: u64, prev: *mut Self) -> NonNull<Self> {
        let version = Box::new(Self {
            begin,
            end: AtomicU64::new(NEVER),
            prev: AtomicPtr::new(prev),
            owners: AtomicU32::new(1),
            row,
        });
        NonNull::from(Box::leak(version))
    }

    /// Gives up the store's share.
    ///
    /// # Safety
    /// The store owns it, nobody reaches it by the store any more, and it is not used after this.
    pub(crate) unsafe fn release(version: NonNull<Self>) {
        // SAFETY: it is alive, since the store's share is not given up yet.
        let owners = unsafe { &version.as_ref().owners };
        if owners.fetch_sub(1, Ordering::Release) == 1 {
            // Uses by other owners come before their release, and that before this.
            fence(Ordering::Acquire);
            // SAFETY: made by `Box` in `new`; the last owner is gone.
            drop(unsafe { Box::from_raw(version.as_ptr()) });
        }
    }
}

/// A row that is kept alive, in whatever version it was.
pub struct RowRef<R> {
    version: NonNull<Version<R>>,
}

// SAFETY: a `RowRef` gives shared access to the row from any thread, and the last one drops it
// on its own: as `Arc`.
unsafe impl<R: Send + Sync> Send for RowRef<R> {}
// SAFETY: as above.
unsafe impl<R: Send + Sync> Sync for RowRef<R> {}

impl<R> RowRef<R> {
    /// A row on its own, part of no table.
    #[must_use]
    pub fn new(row: R) -> Self {
        Self {
            version: Version::new(row, 0, ptr::null_mut()),
        }
    }

    /// Another owner of a version.
    ///
    /// # Safety
    /// It is alive.
    pub(crate) unsafe fn of(version: NonNull<Version<R>>) -> Self {
        // SAFETY: the caller's promise.
        let owners = unsafe { &version.as_ref().owners };
        let before = owners.fetch_add(1, Ordering::Relaxed);
        // As `Arc` does, long before the count wraps.
        if before > u32::MAX / 2 {
            std::process::abort();
        }
        Self { version }
    }

    /// Whether both are the same row in memory.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.version == other.version
    }
}

impl<R> Clone for RowRef<R> {
    fn clone(&self) -> Self {
        // SAFETY: we own a share of it.
        unsafe { Self::of(self.version) }
    }
}

impl<R> Deref for RowRef<R> {
    type Target = R;

    fn deref(&self) -> &R {
        // SAFETY: we own a share of it.
        unsafe { &self.version.as_ref().row }
    }
}

impl<R> Drop for RowRef<R> {
    fn drop(&mut self) {
        // SAFETY: the share is ours, and given up once. That the store may reach the version
        // still is no matter: it has a share of its own then.
        unsafe { Version::release(self.version) }
    }
}

impl<R: std::fmt::Debug> std::fmt::Debug for RowRef<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl<R: PartialEq> PartialEq for RowRef<R> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
