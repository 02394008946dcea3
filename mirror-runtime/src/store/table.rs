//! One mirrored table as readers have it.

use std::any::Any;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use arc_swap::ArcSwap;
use version_store::{Moment, RowRef, View};

use super::index::IndexOf;
use super::ordered::Ordered;
use super::rows::{IndexRange, by_index, by_key};
use super::{RowValues, StoredRows, TableReader};
use crate::row::Row;

/// One mirrored table, in all versions that somebody can see. A clone is another handle.
pub struct Table<R: Row> {
    pub(super) shared: Arc<Shared<R>>,
}

/// What readers and the writer share.
pub(super) struct Shared<R: Row> {
    pub(super) rows: version_store::Table<R>,
    /// Has every key that any version shows which can be seen.
    pub(super) ordered: ArcSwap<Ordered<R>>,
}

impl<R: Row> Clone for Table<R> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<R: Row> Table<R> {
    /// Becomes another handle of a table of the same type; of another type, nothing changes.
    pub fn set(&mut self, other: &dyn Any) {
        if let Some(other) = other.downcast_ref::<Self>() {
            self.clone_from(other);
        }
    }

    /// The table at a version, which has so many rows.
    pub(super) fn at<'s>(&'s self, at: Moment<'s>, len: usize) -> TableAt<'s, R> {
        TableAt {
            shared: &self.shared,
            rows: self.shared.rows.view(at),
            len,
        }
    }
}

impl<R: Row> TableReader for Table<R> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn rows<'s>(&'s self, at: Moment<'s>) -> Box<dyn Iterator<Item = &'s dyn RowValues> + 's> {
        let rows = self.at(at, 0).iter();
        Box::new(rows.map(|row| row as &dyn RowValues))
    }

    fn stored_rows<'s>(&'s self, at: Moment<'s>) -> StoredRows<'s> {
        let mut rows = self.at(at, 0).iter();
        Box::new(move |out| match rows.next() {
            Some(row) => {
                row.store(out);
                true
            }
            None => false,
        })
    }
}

/// Bounds of keys from bounds of borrowed ones, as `"a".."b"`.
pub fn owned_bounds<B, K>(
    bounds: &impl RangeBounds<B>,
    owned: impl Fn(&B) -> K,
) -> (Bound<K>, Bound<K>) {
    (
        bounds.start_bound().map(&owned),
        bounds.end_bound().map(&owned),
    )
}

/// A table at one version.
pub struct TableAt<'s, R: Row> {
    shared: &'s Shared<R>,
    rows: View<'s, R>,
    len: usize,
}

impl<R: Row> Clone for TableAt<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Row> Copy for TableAt<'_, R> {}

impl<'s, R: Row> TableAt<'s, R> {
    /// The row with this key.
    #[must_use]
    #[inline]
    pub fn get(self, key: R::KeyRef<'_>) -> Option<&'s R> {
        self.rows.get(key)
    }

    /// The row with this key, to keep longer than the snapshot.
    #[must_use]
    pub fn get_ref(self, key: R::KeyRef<'_>) -> Option<RowRef<R>> {
        self.rows.get_ref(key)
    }

    /// All rows whose key is within the bounds, in key order; none when the bounds exclude
    /// each other.
    #[must_use]
    pub fn range(self, bounds: impl RangeBounds<R::Key>) -> IndexRange<'s, R> {
        let bounds = (bounds.start_bound().cloned(), bounds.end_bound().cloned());
        by_key(self, self.shared.ordered.load_full(), bounds)
    }

    /// All rows in key order.
    #[must_use]
    pub fn iter(self) -> IndexRange<'s, R> {
        self.range(..)
    }

    /// All rows, in no order: faster than [`iter`](Self::iter).
    pub fn unordered(self) -> impl Iterator<Item = &'s R> + use<'s, R> {
        self.rows.iter()
    }

    /// Rows after one key up to another, both optional, in key order.
    pub(super) fn between(
        self,
        after: Option<&R::Key>,
        up_to: Option<&R::Key>,
    ) -> IndexRange<'s, R> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let end = up_to.map_or(Bound::Unbounded, Bound::Included);
        self.range((start.cloned(), end.cloned()))
    }

    /// The first row with this value of an index, in the order of keys.
    #[must_use]
    pub fn first<I: IndexOf<R>, Q>(self, key: &Q) -> Option<&'s R>
    where
        I::Key: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let ordered = self.shared.ordered.load();
        let (key, mut rows) = I::index(&ordered.indexes).entries.under(key, None)?;
        rows.find_map(|row| self.get(R::borrowed(row)).filter(|row| I::is_of(row, key)))
    }

    /// All rows with this value of an index, in the order of keys.
    #[must_use]
    pub fn all<I: IndexOf<R>, Q>(self, key: &Q) -> IndexRange<'s, R>
    where
        I::Key: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let ordered = self.shared.ordered.load_full();
        let under = I::index(&ordered.indexes).entries.under(key, None);
        let Some(key) = under.map(|(key, _)| key.clone()) else {
            return IndexRange::empty();
        };
        let bounds = (Bound::Included(key.clone()), Bound::Included(key));
        by_index::<I, R>(self, ordered, bounds)
    }

    /// All rows whose value of an index is within the bounds, in its order, then in that of
    /// keys. Bounds that exclude each other give nothing.
    #[must_use]
    pub fn index_range<I: IndexOf<R>>(self, bounds: impl RangeBounds<I::Key>) -> IndexRange<'s, R> {
        let bounds = (bounds.start_bound().cloned(), bounds.end_bound().cloned());
        by_index::<I, R>(self, self.shared.ordered.load_full(), bounds)
    }

    /// The rows whose keys `compare` calls equal, in key order: it compares the first parts of a
    /// key with values, so that it calls the keys before these less, those behind them greater.
    #[must_use]
    pub fn prefix(self, compare: impl Fn(&R::Key) -> Ordering) -> IndexRange<'s, R> {
        let ordered = self.shared.ordered.load_full();
        let Some((first, last)) = ordered.keys.ends(&compare) else {
            return IndexRange::empty();
        };
        let bounds = (
            Bound::Included(first.clone()),
            Bound::Included(last.clone()),
        );
        by_key(self, ordered, bounds)
    }

    /// As [`prefix`](Self::prefix), by the keys of an index: in its order, then in that of keys.
    #[must_use]
    pub fn index_prefix<I: IndexOf<R>>(
        self,
        compare: impl Fn(&I::Key) -> Ordering,
    ) -> IndexRange<'s, R> {
        let ordered = self.shared.ordered.load_full();
        let Some((first, last)) = I::index(&ordered.indexes).entries.ends(&compare) else {
            return IndexRange::empty();
        };
        let bounds = (
            Bound::Included(first.clone()),
            Bound::Included(last.clone()),
        );
        by_index::<I, R>(self, ordered, bounds)
    }

    /// Number of rows.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}
