//! Where a row is put, and what it took the place of.

use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::version::{Follow, Keyed, RowRef, Version};
use crate::writer::TableWriter;

/// The place for a row.
pub(crate) struct Found<R> {
    pub(crate) writing: u64,
    pub(crate) hash: u64,
    pub(crate) place: usize,
    /// The head of the chain of its key.
    pub(crate) head: Option<NonNull<Version<R>>>,
    /// That, when it is a row of the running transaction's state.
    pub(crate) before: Option<NonNull<Version<R>>>,
}

/// A row that was put, and the one that it took the place of.
pub struct Placed<'w, R> {
    row: NonNull<Version<R>>,
    before: Option<NonNull<Version<R>>>,
    /// The writer, which frees neither while it is borrowed.
    writer: PhantomData<&'w ()>,
}

impl<'w, R> Placed<'w, R> {
    /// Neither is freed while the writer is borrowed for `'w`.
    pub(crate) fn new(row: NonNull<Version<R>>, before: Option<NonNull<Version<R>>>) -> Self {
        Self {
            row,
            before,
            writer: PhantomData,
        }
    }

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

/// A row of the running transaction's state, found by its key to be replaced.
pub struct Held<'w, R: Keyed, F: Follow<R>> {
    pub(crate) row: NonNull<Version<R>>,
    pub(crate) found: Found<R>,
    pub(crate) writer: &'w mut TableWriter<R, F>,
}

impl<'w, R: Keyed, F: Follow<R>> Held<'w, R, F> {
    /// The row.
    #[must_use]
    pub fn row(&self) -> &R {
        // SAFETY: the head of its chain; only the writer frees heads, and it is borrowed.
        unsafe { &self.row.as_ref().row }
    }

    /// Puts a row in the place of this one; `None`, and nothing is done, when it has another key.
    pub fn replace(self, row: R) -> Option<Placed<'w, R>> {
        if !R::is_same_key(row.key_ref(), self.row().key_ref()) {
            return None;
        }
        Some(self.writer.place(self.found, row))
    }
}
