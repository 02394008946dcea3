//! A secondary index: from the values of some columns to the rows that hold them.
//!
//! Unique and other indexes share one structure. While a bootstrap replays changes that are
//! older than the rows it SELECTed, two rows may hold the same value of a unique key for a
//! moment, so a structure that can hold only one of them would lose the other.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::row::Row;

/// Rows by the key type `K`, ordered by it, then by primary key.
#[derive(Clone)]
pub struct Index<K, R: Row> {
    rows: imbl::OrdMap<K, Bucket<R>>,
}

#[derive(Clone)]
enum Bucket<R: Row> {
    One(Arc<R>),
    Many(imbl::OrdMap<R::Key, Arc<R>>),
}

impl<K: Ord + Clone, R: Row> Default for Index<K, R> {
    fn default() -> Self {
        Self {
            rows: imbl::OrdMap::new(),
        }
    }
}

impl<K: Ord + Clone, R: Row> Index<K, R> {
    /// Adds a row under its key.
    pub fn insert(&mut self, key: K, row: &Arc<R>) {
        match self.rows.get_mut(&key) {
            None => {
                self.rows.insert(key, Bucket::One(Arc::clone(row)));
            }
            Some(Bucket::Many(rows)) => {
                rows.insert(row.key(), Arc::clone(row));
            }
            Some(bucket @ Bucket::One(_)) => {
                let mut rows = imbl::OrdMap::new();
                if let Bucket::One(first) = bucket {
                    rows.insert(first.key(), Arc::clone(first));
                }
                rows.insert(row.key(), Arc::clone(row));
                *bucket = if rows.len() == 1 {
                    Bucket::One(Arc::clone(row))
                } else {
                    Bucket::Many(rows)
                };
            }
        }
    }

    /// Removes a row from under its key.
    pub fn remove(&mut self, key: &K, row: &R) {
        let empty = match self.rows.get_mut(key) {
            None => false,
            Some(Bucket::One(held)) => held.key() == row.key(),
            Some(Bucket::Many(rows)) => {
                rows.remove(&row.key());
                rows.is_empty()
            }
        };
        if empty {
            self.rows.remove(key);
        }
    }

    /// The first row with this key, in primary-key order.
    #[must_use]
    pub fn first<Q>(&self, key: &Q) -> Option<&R>
    where
        K: std::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        match self.rows.get(key)? {
            Bucket::One(row) => Some(row),
            Bucket::Many(rows) => rows.values().next().map(AsRef::as_ref),
        }
    }

    /// All rows with this key, in primary-key order.
    pub fn all<Q>(&self, key: &Q) -> impl Iterator<Item = &R> + use<'_, K, R, Q>
    where
        K: std::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.rows.get(key).into_iter().flat_map(Bucket::iter)
    }

    /// All rows whose key is within the bounds, in key order, then in primary-key order.
    ///
    /// Bounds that exclude each other give nothing.
    pub fn range<B: RangeBounds<K>>(&self, bounds: B) -> IndexRange<'_, R> {
        let bounds = (bounds.start_bound().cloned(), bounds.end_bound().cloned());
        if is_empty_range(&bounds) {
            return IndexRange {
                rows: Box::new(std::iter::empty()),
            };
        }
        IndexRange {
            rows: Box::new(
                self.rows
                    .range(bounds)
                    .flat_map(|(_, bucket)| bucket.iter()),
            ),
        }
    }
}

/// Rows of a range, in key order.
pub struct IndexRange<'a, R> {
    pub(super) rows: Box<dyn Iterator<Item = &'a R> + 'a>,
}

impl<'a, R> Iterator for IndexRange<'a, R> {
    type Item = &'a R;

    fn next(&mut self) -> Option<&'a R> {
        self.rows.next()
    }
}

/// Whether no key can be within the bounds; ordered maps may panic on such bounds.
pub(super) fn is_empty_range<K: Ord>(bounds: &(Bound<K>, Bound<K>)) -> bool {
    match bounds {
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (
            Bound::Included(start) | Bound::Excluded(start),
            Bound::Included(end) | Bound::Excluded(end),
        ) => start >= end,
        _ => false,
    }
}

impl<R: Row> Bucket<R> {
    fn iter(&self) -> Box<dyn Iterator<Item = &R> + '_> {
        match self {
            Self::One(row) => Box::new(std::iter::once(row.as_ref())),
            Self::Many(rows) => Box::new(rows.values().map(AsRef::as_ref)),
        }
    }
}
