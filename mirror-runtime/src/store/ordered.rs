//! What a table has beside its rows, made of those that come and go: their order, the secondary
//! indexes, child rows by parent.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use version_store::Follow;

use super::Indexes;
use super::children::Children;
use super::index::Step;
use super::keys::KeySet;
use super::prefix::Cut;
use crate::row::Row;

/// The keys of all rows that any version shows, in order, and the secondary indexes.
pub(super) struct Ordered<R: Row> {
    pub(super) keys: Keys<R::Key>,
    pub(super) indexes: R::Indexes,
}

/// Keys in order, in two sets of which no key is in both. Transactions of a few rows add to the
/// small one: to change the large one after it was shown to readers means to copy nodes of it.
#[derive(Clone)]
pub(super) struct Keys<K> {
    many: KeySet<K>,
    recent: imbl::OrdSet<K>,
}

/// Keys of the small set: what one node holds.
const RECENT: usize = 64;

impl<K: Ord + Clone> Default for Keys<K> {
    fn default() -> Self {
        Self {
            many: KeySet::default(),
            recent: imbl::OrdSet::new(),
        }
    }
}

impl<K: Ord + Clone> Keys<K> {
    pub(super) fn len(&self) -> usize {
        self.many.len() + self.recent.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &K> {
        self.range((Bound::Unbounded, Bound::Unbounded))
    }

    /// Keys within bounds that do not exclude each other, in order.
    pub(super) fn range<'k>(
        &'k self,
        bounds: (Bound<&'k K>, Bound<&'k K>),
    ) -> impl Iterator<Item = &'k K> {
        let mut many = self.many.range(bounds).peekable();
        let mut recent = self.recent.range::<_, K>(bounds).peekable();
        std::iter::from_fn(move || match (many.peek(), recent.peek()) {
            (Some(one), Some(other)) if other < one => recent.next(),
            (None, _) => recent.next(),
            _ => many.next(),
        })
    }

    /// The first and the last of the keys that `compare` calls equal: those before them it calls
    /// less, those behind them greater.
    pub(super) fn ends(&self, compare: &impl Fn(&K) -> Ordering) -> Option<(&K, &K)> {
        let within = (
            Bound::Included(Cut::before(compare)),
            Bound::Excluded(Cut::behind(compare)),
        );
        let mut recent = self.recent.range(within);
        let recent = recent
            .next()
            .map(|first| (first, recent.next_back().unwrap_or(first)));
        match (self.many.ends(compare), recent) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        }
    }

    /// Adds a key; it is given back when it was there.
    fn insert(&mut self, key: K, is_many_own: &mut bool) -> Option<K> {
        if *is_many_own {
            return match !self.recent.is_empty() && self.recent.contains(&key) {
                true => Some(key),
                false => self.many.insert(key),
            };
        }
        if self.many.contains(&key) {
            return Some(key);
        }
        let known = self.recent.insert(key);
        if self.recent.len() >= RECENT {
            *is_many_own = true;
            for key in std::mem::take(&mut self.recent) {
                self.many.insert(key);
            }
        }
        known
    }

    /// Makes clones cheap.
    fn settle(&mut self) {
        self.many.settle();
    }

    fn remove(&mut self, key: &K) {
        if self.recent.remove(key).is_none() {
            self.many.remove(key);
        }
    }
}

impl<R: Row> Clone for Ordered<R> {
    fn clone(&self) -> Self {
        Self {
            keys: self.keys.clone(),
            indexes: self.indexes.clone(),
        }
    }
}

impl<R: Row> Default for Ordered<R> {
    fn default() -> Self {
        Self {
            keys: Keys::default(),
            indexes: R::Indexes::default(),
        }
    }
}

/// Follows the rows of one table for its writer.
pub(super) struct Following<R: Row> {
    ordered: Ordered<R>,
    /// Keys that came again before they went: how often beyond the first time.
    again: BTreeMap<R::Key, u32>,
    pub(super) children: Children<R>,
    /// Bytes that the rows of all versions have on the heap.
    pub(super) heap_bytes: usize,
    /// Bytes that the keys in order have on the heap.
    key_heap_bytes: usize,
    /// Whether readers have an older order.
    is_new: bool,
    /// Whether the large set of keys was changed since readers were given it.
    is_many_own: bool,
    /// Keys that readers have in their order and that went since.
    dropped: usize,
}

impl<R: Row> Default for Following<R> {
    fn default() -> Self {
        Self {
            ordered: Ordered::default(),
            again: BTreeMap::new(),
            children: Children::default(),
            heap_bytes: 0,
            key_heap_bytes: 0,
            is_new: false,
            is_many_own: false,
            dropped: 0,
        }
    }
}

impl<R: Row> Following<R> {
    pub(super) fn ordered(&self) -> &Ordered<R> {
        &self.ordered
    }

    /// The order for readers, when theirs is older.
    pub(super) fn take_new(&mut self) -> Option<Arc<Ordered<R>>> {
        self.dropped = 0;
        self.is_many_own = false;
        std::mem::take(&mut self.is_new).then(|| {
            self.ordered.keys.settle();
            Arc::new(self.ordered.clone())
        })
    }

    /// Whether the order that readers have holds much memory that could be given back.
    pub(super) fn should_show(&self) -> bool {
        const MANY: usize = 10_000;
        self.dropped > MANY
    }

    /// About the bytes of the order and the indexes.
    pub(super) fn index_bytes(&self) -> usize {
        let keys = self.ordered.keys.len() * size_of::<R::Key>() * 4 / 3;
        keys + self.key_heap_bytes + self.ordered.indexes.bytes() + self.children.bytes()
    }

    fn key_came(&mut self, row: &R) {
        self.is_new = true;
        match self.ordered.keys.insert(row.key(), &mut self.is_many_own) {
            Some(key) => *self.again.entry(key).or_default() += 1,
            None => self.key_heap_bytes += row.key_heap_bytes(),
        }
    }

    fn key_went(&mut self, row: &R) {
        let key = &row.key();
        if let Some(times) = self.again.get_mut(key) {
            *times -= 1;
            if *times == 0 {
                self.again.remove(key);
            }
            return;
        }
        self.key_heap_bytes -= row.key_heap_bytes();
        self.is_new = true;
        self.dropped += 1;
        self.ordered.keys.remove(key);
    }
}

impl<R: Row> Follow<R> for Following<R> {
    fn came(&mut self, row: &R, beside: Option<&R>) {
        self.heap_bytes += row.heap_bytes();
        if beside.is_none() {
            self.key_came(row);
        }
        self.count(row, beside, Step::Came);
    }

    fn went(&mut self, row: &R, beside: Option<&R>) {
        self.heap_bytes -= row.heap_bytes();
        if beside.is_none() {
            self.key_went(row);
        }
        self.count(row, beside, Step::Went);
    }
}

impl<R: Row> Following<R> {
    fn count(&mut self, row: &R, beside: Option<&R>, step: Step) {
        if R::Indexes::COUNT > 0 && beside.is_none_or(|beside| R::Indexes::differ(row, beside)) {
            self.is_new = true;
            self.ordered.indexes.follow(row, beside, step);
        }
        self.children.follow(row, beside, step);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_are_the_same_whichever_set_they_are_in() {
        let (mut keys, mut expected) = (Keys::default(), BTreeSet::new());
        let (mut is_many_own, mut number) = (false, 1_u32);
        for step in 0..20_000 {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = (number >> 16) % 500;
            if number % 3 == 0 {
                keys.remove(&key);
                expected.remove(&key);
            } else {
                let known = keys.insert(key, &mut is_many_own);
                assert_eq!(known.is_none(), expected.insert(key));
            }
            if number % 7 == 0 {
                is_many_own = false;
            }
            if step % 50 == 0 {
                assert!(keys.iter().eq(expected.iter()));
                assert_eq!(keys.len(), expected.len());
                let bounds = (Bound::Excluded(&key), Bound::Included(&400));
                if key < 400 {
                    assert!(keys.range(bounds).eq(expected.range((bounds.0, bounds.1))));
                }
                // As if the tens of a key were a column of its own.
                let tens = |other: &u32| (other / 10).cmp(&(key / 10));
                let mut equal = expected.iter().filter(|other| tens(other).is_eq());
                let ends = equal
                    .next()
                    .map(|first| (first, equal.next_back().unwrap_or(first)));
                assert_eq!(keys.ends(&tens), ends);
            }
        }
    }
}
