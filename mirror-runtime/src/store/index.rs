//! A secondary index: from the values of some columns to the keys of the rows that hold them.
//!
//! It has the keys of all rows that any version shows, so a reader looks again whether the row of
//! its version is one of them.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Bound;

use super::prefix::Cut;
use crate::row::Row;

/// What an index is over: implemented by generated code for a type of its own for each index.
pub trait IndexOf<R: Row>: Sized + 'static {
    /// The values of the index's columns.
    type Key: Ord + Clone + Send + Sync + 'static;

    /// The values that a row has.
    fn of(row: &R) -> Self::Key;
    /// Whether a row has these values.
    fn is_of(row: &R, key: &Self::Key) -> bool;
    /// Whether two rows have the same values.
    fn is_same(one: &R, other: &R) -> bool;
    /// Bytes on the heap of the values that a row has.
    #[inline]
    fn heap_bytes(_row: &R) -> usize {
        0
    }
    /// This one of the table's indexes.
    fn index(indexes: &R::Indexes) -> &Index<Self, R>;
}

/// Whether a row is one more that an index has to have, or one less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// One more.
    Came,
    /// One less.
    Went,
}

/// Keys of rows, ordered by the values of the index's columns, then by themselves.
pub struct Index<I: IndexOf<R>, R: Row> {
    pub(super) entries: Entries<I::Key, R::Key>,
}

impl<I: IndexOf<R>, R: Row> Clone for Index<I, R> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
        }
    }
}

impl<I: IndexOf<R>, R: Row> Default for Index<I, R> {
    fn default() -> Self {
        Self {
            entries: Entries::default(),
        }
    }
}

impl<I: IndexOf<R>, R: Row> Index<I, R> {
    /// Follows a row that came or went, unless the row beside it has the same values. Whether the
    /// index is another now.
    pub fn follow(&mut self, row: &R, beside: Option<&R>, step: Step) -> bool {
        if beside.is_some_and(|beside| I::is_same(row, beside)) {
            return false;
        }
        let heap = Heap {
            key: I::heap_bytes(row),
            row: row.key_heap_bytes(),
        };
        self.entries.count(I::of(row), row.key(), heap, step);
        true
    }

    /// Number of entries, those of older versions included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.len == 0
    }

    /// About the bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.entries.bytes()
    }
}

/// Keys of rows by something, each with the number of times that it is there.
#[derive(Clone)]
pub(super) struct Entries<K, P> {
    by_key: imbl::OrdMap<K, Bucket<P>>,
    len: usize,
    /// Bytes that the keys have on the heap.
    heap: usize,
}

/// Bytes on the heap of an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Heap {
    /// Of the values that rows are found by.
    pub(super) key: usize,
    /// Of the key of the row.
    pub(super) row: usize,
}

#[derive(Clone)]
enum Bucket<P> {
    One(P, u32),
    Many(imbl::OrdMap<P, u32>),
}

impl<K: Ord + Clone, P: Ord + Clone> Default for Entries<K, P> {
    fn default() -> Self {
        Self {
            by_key: imbl::OrdMap::new(),
            len: 0,
            heap: 0,
        }
    }
}

impl<K: Ord + Clone, P: Ord + Clone> Entries<K, P> {
    /// Counts a row in or out.
    pub(super) fn count(&mut self, key: K, row: P, heap: Heap, step: Step) {
        match step {
            Step::Came => self.add(key, row, heap),
            Step::Went => self.take(&key, &row, heap),
        }
    }

    fn add(&mut self, key: K, row: P, heap: Heap) {
        let Some(bucket) = self.by_key.get_mut(&key) else {
            self.by_key.insert(key, Bucket::One(row, 1));
            self.len += 1;
            self.heap += heap.key + heap.row;
            return;
        };
        match bucket {
            Bucket::One(held, times) if *held == row => *times += 1,
            Bucket::One(held, times) => {
                let rows = [(held.clone(), *times), (row, 1)];
                *bucket = Bucket::Many(rows.into_iter().collect());
                self.len += 1;
                self.heap += heap.row;
            }
            Bucket::Many(rows) => match rows.get_mut(&row) {
                Some(times) => *times += 1,
                None => {
                    rows.insert(row, 1);
                    self.len += 1;
                    self.heap += heap.row;
                }
            },
        }
    }

    fn take(&mut self, key: &K, row: &P, heap: Heap) {
        let (is_gone, is_empty) = match self.by_key.get_mut(key) {
            Some(Bucket::One(held, times)) if held == row => {
                *times -= 1;
                (*times == 0, *times == 0)
            }
            Some(Bucket::Many(rows)) => {
                let is_gone = rows.get_mut(row).is_some_and(|times| {
                    *times -= 1;
                    *times == 0
                });
                if is_gone {
                    rows.remove(row);
                }
                (is_gone, rows.is_empty())
            }
            // Nothing was counted in that is counted out here.
            _ => (false, false),
        };
        if is_gone {
            self.len -= 1;
            self.heap -= heap.row;
        }
        if is_empty {
            self.by_key.remove(key);
            self.heap -= heap.key;
        }
    }

    /// The rows under a key, in order, from behind one of them on; the key as it is held.
    pub(super) fn under<'e, Q>(
        &'e self,
        key: &Q,
        after: Option<&P>,
    ) -> Option<(&'e K, Box<dyn Iterator<Item = &'e P> + 'e>)>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let (key, bucket) = self.by_key.get_key_value(key)?;
        Some((key, bucket.behind(after)))
    }

    /// The first and the last of the keys that `compare` calls equal: those before them it calls
    /// less, those behind them greater.
    pub(super) fn ends(&self, compare: &impl Fn(&K) -> Ordering) -> Option<(&K, &K)> {
        let within = (
            Bound::Included(Cut::before(compare)),
            Bound::Excluded(Cut::behind(compare)),
        );
        let mut found = self.by_key.range(within).map(|(key, _)| key);
        let first = found.next()?;
        Some((first, found.next_back().unwrap_or(first)))
    }

    /// Visits rows in order, from behind `after` where the first key is that one's, until `visit`
    /// says that it is enough. Whether there may be more.
    pub(super) fn walk(
        &self,
        bounds: (Bound<&K>, Bound<&K>),
        after: Option<(&K, &P)>,
        visit: &mut dyn FnMut(&K, &P) -> bool,
    ) -> bool {
        for (key, bucket) in self.by_key.range::<_, K>(bounds) {
            let after = after.filter(|(last, _)| *last == key).map(|(_, row)| row);
            for row in bucket.behind(after) {
                if !visit(key, row) {
                    return true;
                }
            }
        }
        false
    }

    /// About the bytes that they take: nodes are kept three quarters full on average.
    pub(super) fn bytes(&self) -> usize {
        let keys = self.by_key.len();
        let in_buckets = if keys == self.len { 0 } else { self.len };
        let each = size_of::<(K, Bucket<P>)>();
        (keys * each + in_buckets * size_of::<(P, u32)>()) * 4 / 3 + self.heap
    }
}

impl<P: Ord + Clone> Bucket<P> {
    fn behind(&self, after: Option<&P>) -> Box<dyn Iterator<Item = &P> + '_> {
        match (self, after) {
            (Self::One(row, _), after) => {
                let row = after.is_none_or(|after| row > after).then_some(row);
                Box::new(row.into_iter())
            }
            (Self::Many(rows), None) => Box::new(rows.keys()),
            (Self::Many(rows), Some(after)) => {
                let bounds = (Bound::Excluded(after), Bound::Unbounded);
                Box::new(rows.range::<_, P>(bounds).map(|(row, _)| row))
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAP: Heap = Heap { key: 100, row: 10 };

    fn under(entries: &Entries<u8, u8>, key: u8) -> Vec<u8> {
        let under = entries.under(&key, None);
        under.map_or_else(Vec::new, |(_, rows)| rows.copied().collect())
    }

    #[test]
    fn a_row_is_there_until_it_went_as_often_as_it_came() {
        let mut entries = Entries::default();
        for (row, step) in [(1, Step::Came), (1, Step::Came), (2, Step::Came)] {
            entries.count(7, row, HEAP, step);
        }
        assert_eq!(under(&entries, 7), [1, 2]);
        entries.count(7, 1, HEAP, Step::Went);
        entries.count(7, 2, HEAP, Step::Went);
        assert_eq!((under(&entries, 7), entries.len), (vec![1], 1));
        assert_eq!(entries.heap, 110);
        entries.count(7, 1, HEAP, Step::Went);
        assert_eq!((under(&entries, 7), entries.len), (vec![], 0));
        assert!(entries.by_key.is_empty());
        assert_eq!(entries.heap, 0);
    }

    #[test]
    fn the_ends_of_a_prefix_are_its_first_and_last_key() {
        let mut entries = Entries::default();
        for key in [(1, 5), (2, 0), (2, 3), (2, 9), (4, 4)] {
            entries.count(key, 0_u8, Step::Came);
        }
        let ends = |first: u8| entries.ends(&|key: &(u8, u8)| key.0.cmp(&first));
        assert_eq!(ends(2), Some((&(2, 0), &(2, 9))));
        assert_eq!(ends(4), Some((&(4, 4), &(4, 4))));
        assert_eq!((ends(0), ends(3), ends(5)), (None, None, None));
    }

    #[test]
    fn a_walk_goes_on_behind_the_row_where_it_stopped() {
        let mut entries = Entries::default();
        for (key, row) in [(1, 1), (1, 2), (1, 3), (2, 1), (3, 9)] {
            entries.count(key, row, HEAP, Step::Came);
        }
        let mut seen = Vec::new();
        let bounds = (Bound::Included(&1), Bound::Excluded(&3));
        let more = entries.walk(bounds, Some((&1, &1)), &mut |key, row| {
            seen.push((*key, *row));
            true
        });
        assert_eq!((seen, more), (vec![(1, 2), (1, 3), (2, 1)], false));
    }
}
