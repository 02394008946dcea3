//! The keys of a table in order: a persistent set, made for keys that mostly grow.
//!
//! Keys are kept in sorted chunks, and the chunks in a persistent map by the least key that may be
//! in each; the last chunk is held beside the map. A key behind all others is just pushed to a
//! vector of its own, the tail; the tail becomes part of the chunks before the set is cloned for
//! readers. A clone shares all chunks. A chunk that is shared is copied before it is changed.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use super::prefix::{Cut, equal};

/// Sorted keys, one of a kind; at most [`most`] of them, never none.
type Chunk<K> = Vec<K>;

/// How many keys a chunk has at most: about a kilobyte of them.
const fn most<K>() -> usize {
    const BYTES: usize = 1024;
    let keys = BYTES
        / if size_of::<K>() == 0 {
            1
        } else {
            size_of::<K>()
        };
    if keys < 32 { 32 } else { keys }
}

/// Keys in order, each once.
pub(super) struct KeySet<K> {
    /// By the least key that may be in the chunk; all are less than those of `last`. None without
    /// keys in `last`.
    chunks: imbl::OrdMap<K, Arc<Chunk<K>>>,
    last: Arc<Chunk<K>>,
    /// Keys behind those of `last`, less than a chunk of them.
    tail: Vec<K>,
    len: usize,
}

impl<K: Clone> Clone for KeySet<K> {
    fn clone(&self) -> Self {
        Self {
            chunks: self.chunks.clone(),
            last: Arc::clone(&self.last),
            tail: self.tail.clone(),
            len: self.len,
        }
    }
}

impl<K: Ord + Clone> Default for KeySet<K> {
    fn default() -> Self {
        Self {
            chunks: imbl::OrdMap::new(),
            last: Arc::default(),
            tail: Vec::new(),
            len: 0,
        }
    }
}

impl<K: Ord + Clone> KeySet<K> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn contains(&self, key: &K) -> bool {
        if self.tail.first().is_some_and(|first| key >= first) {
            return self.tail.binary_search(key).is_ok();
        }
        let chunk = match self.is_for_last(key) {
            true => Some(&self.last),
            false => self.chunks.get_prev(key).map(|(_, chunk)| chunk),
        };
        chunk.is_some_and(|chunk| chunk.binary_search(key).is_ok())
    }

    /// Adds a key; it is given back when it was there.
    pub(super) fn insert(&mut self, key: K) -> Option<K> {
        let last = self.tail.last().or_else(|| self.last.last());
        if last.is_none_or(|last| key > *last) {
            self.len += 1;
            self.tail.push(key);
            if self.tail.len() == most::<K>() {
                self.settle();
            }
            return None;
        }
        self.settle();
        let known = match self.is_for_last(&key) {
            true => self.insert_in_last(key),
            false => self.insert_in_chunk(key),
        };
        self.len += usize::from(known.is_none());
        known
    }

    /// Removes a key; whether it was there.
    pub(super) fn remove(&mut self, key: &K) -> bool {
        self.settle();
        let removed = match self.is_for_last(key) {
            true => self.remove_from_last(key),
            false => self.remove_from_chunk(key),
        };
        self.len -= usize::from(removed);
        removed
    }

    /// Makes the tail part of the chunks, so that a clone shares it.
    pub(super) fn settle(&mut self) {
        if self.tail.is_empty() {
            return;
        }
        if self.last.len() + self.tail.len() <= most::<K>() {
            own(&mut self.last).append(&mut self.tail);
            return;
        }
        let tail = std::mem::replace(&mut self.tail, Vec::with_capacity(most::<K>()));
        let full = std::mem::replace(&mut self.last, Arc::new(tail));
        self.add_chunk(full);
    }

    /// Keys within bounds that do not exclude each other, in order.
    pub(super) fn range<'k>(
        &'k self,
        bounds: (Bound<&'k K>, Bound<&'k K>),
    ) -> impl Iterator<Item = &'k K> {
        let (start, end) = bounds;
        let first = match start {
            Bound::Included(key) | Bound::Excluded(key) => self.chunks.get_prev(key),
            Bound::Unbounded => None,
        };
        let from = first.map_or(start, |(under, _)| Bound::Included(under));
        let chunks = self.chunks.range::<_, K>((from, end));
        let chunks = chunks.map(|(_, chunk)| chunk).chain([&self.last]);
        let chunks = chunks
            .map(|chunk| chunk.as_slice())
            .chain([self.tail.as_slice()]);
        chunks.flat_map(move |chunk| within(chunk, start, end))
    }

    /// The first and the last of the keys that `compare` calls equal: those before them it calls
    /// less, those behind them greater.
    pub(super) fn ends(&self, compare: &impl Fn(&K) -> Ordering) -> Option<(&K, &K)> {
        let before = self.chunks.range(..Cut::before(compare)).next_back();
        let within = (
            Bound::Included(Cut::before(compare)),
            Bound::Excluded(Cut::behind(compare)),
        );
        let within = self.chunks.range(within);
        let chunks = before.into_iter().chain(within).map(|(_, chunk)| chunk);
        let slices = chunks.chain([&self.last]).map(|chunk| chunk.as_slice());
        let mut slices = slices
            .chain([self.tail.as_slice()])
            .map(|keys| equal(keys, compare));
        let first = slices.find(|keys| !keys.is_empty())?;
        let last = slices.rfind(|keys| !keys.is_empty()).unwrap_or(first);
        first.first().zip(last.last())
    }

    /// Whether the last chunk is the one where a key is, or would be.
    fn is_for_last(&self, key: &K) -> bool {
        self.last.first().is_none_or(|first| key >= first) || self.chunks.is_empty()
    }

    fn insert_in_last(&mut self, key: K) -> Option<K> {
        let Err(at) = self.last.binary_search(&key) else {
            return Some(key);
        };
        let last = own(&mut self.last);
        last.insert(at, key);
        if last.len() > most::<K>() {
            let upper = Arc::new(last.split_off(most::<K>() / 2));
            let lower = std::mem::replace(&mut self.last, upper);
            self.add_chunk(lower);
        }
        None
    }

    fn insert_in_chunk(&mut self, key: K) -> Option<K> {
        let under = match self
            .chunks
            .get_prev(&key)
            .or_else(|| self.chunks.iter().next())
        {
            Some((under, _)) => under.clone(),
            None => return self.insert_in_last(key),
        };
        let chunk = self.chunks.get_mut(&under)?;
        let Err(at) = chunk.binary_search(&key) else {
            return Some(key);
        };
        let is_less = key < under;
        let chunk = own(chunk);
        chunk.insert(at, key);
        let upper = (chunk.len() > most::<K>()).then(|| chunk.split_off(most::<K>() / 2));
        if let Some(upper) = upper {
            self.add_chunk(Arc::new(upper));
        }
        if is_less && let Some(chunk) = self.chunks.remove(&under) {
            self.add_chunk(chunk);
        }
        None
    }

    fn remove_from_last(&mut self, key: &K) -> bool {
        let Ok(at) = self.last.binary_search(key) else {
            return false;
        };
        own(&mut self.last).remove(at);
        if self.last.is_empty() {
            let (chunk, others) = self.chunks.without_max();
            self.last = chunk.unwrap_or_default();
            self.chunks = others;
        }
        true
    }

    fn remove_from_chunk(&mut self, key: &K) -> bool {
        let Some((under, chunk)) = self.chunks.get_prev_mut(key) else {
            return false;
        };
        let Ok(at) = chunk.binary_search(key) else {
            return false;
        };
        let chunk = own(chunk);
        chunk.remove(at);
        let left = chunk.len();
        if left < most::<K>() / 4 {
            let under = under.clone();
            self.join(&under, left);
        }
        true
    }

    /// Puts a chunk of few keys to the one before it, where there is room.
    fn join(&mut self, under: &K, few: usize) {
        let before = self.chunks.range::<_, K>(..under).next_back();
        let before = before
            .filter(|(_, chunk)| chunk.len() + few <= most::<K>() * 3 / 4)
            .map(|(before, _)| before.clone());
        if few > 0 && before.is_none() {
            return;
        }
        let chunk = self.chunks.remove(under);
        if let (Some(chunk), Some(before)) = (chunk, before)
            && let Some(before) = self.chunks.get_mut(&before)
        {
            own(before).extend_from_slice(&chunk);
        }
    }

    fn add_chunk(&mut self, chunk: Arc<Chunk<K>>) {
        if let Some(first) = chunk.first() {
            self.chunks.insert(first.clone(), chunk);
        }
    }
}

/// The chunk to change: a copy, when it is shared.
fn own<K: Clone>(chunk: &mut Arc<Chunk<K>>) -> &mut Chunk<K> {
    if Arc::get_mut(chunk).is_none() {
        *chunk = Arc::new(with_room(chunk));
    }
    Arc::make_mut(chunk)
}

/// A copy that takes all keys that a chunk may have.
fn with_room<K: Clone>(keys: &[K]) -> Chunk<K> {
    let mut copy = Vec::with_capacity(most::<K>());
    copy.extend_from_slice(keys);
    copy
}

/// The keys of a chunk that are within bounds.
fn within<'k, K: Ord>(chunk: &'k [K], start: Bound<&K>, end: Bound<&K>) -> std::slice::Iter<'k, K> {
    let from = match start {
        Bound::Unbounded => 0,
        Bound::Included(key) => chunk.partition_point(|other| other < key),
        Bound::Excluded(key) => chunk.partition_point(|other| other <= key),
    };
    let to = match end {
        Bound::Unbounded => chunk.len(),
        Bound::Included(key) => chunk.partition_point(|other| other <= key),
        Bound::Excluded(key) => chunk.partition_point(|other| other < key),
    };
    chunk.get(from..to).unwrap_or_default().iter()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Keys so large that a chunk has few of them.
    type Key = (u32, [u64; 8]);

    fn key(number: u32) -> Key {
        (number, [0; 8])
    }

    fn check(keys: &KeySet<Key>, expected: &BTreeSet<u32>, from: u32, to: u32) {
        let all = keys.range((Bound::Unbounded, Bound::Unbounded));
        assert!(all.map(|key| key.0).eq(expected.iter().copied()));
        assert_eq!(keys.len(), expected.len());
        if from < to {
            for bounds in [
                (Bound::Included(from), Bound::Excluded(to)),
                (Bound::Excluded(from), Bound::Included(to)),
            ] {
                let (start, end) = (bounds.0.map(key), bounds.1.map(key));
                let found = keys.range((start.as_ref(), end.as_ref()));
                assert!(found.map(|key| key.0).eq(expected.range(bounds).copied()));
            }
        }
    }

    #[test]
    fn keys_are_those_of_an_ordered_set_however_they_come_and_go() {
        let mut number = 1_u32;
        let mut random = move |below: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 8) % below
        };
        for round in 0..12 {
            let (mut keys, mut expected) = (KeySet::default(), BTreeSet::new());
            let mut older: Vec<(KeySet<Key>, BTreeSet<u32>)> = Vec::new();
            // Shares of what grows, shrinks and comes in order differ from phase to phase.
            for phase in 0..8 {
                let (removed, in_order) = (random(10), random(10));
                let ascending = random(2) == 0;
                for step in 0..400 {
                    let chosen = match random(10) < in_order {
                        true if ascending => expected.last().map_or(500, |last| last + 1),
                        true => expected
                            .first()
                            .map_or(500, |first: &u32| first.saturating_sub(1)),
                        false => random(2_000),
                    };
                    if random(10) < removed {
                        let chosen = match random(3) {
                            0 => expected.first().copied().unwrap_or(chosen),
                            1 => expected.last().copied().unwrap_or(chosen),
                            _ => chosen,
                        };
                        assert_eq!(keys.remove(&key(chosen)), expected.remove(&chosen));
                    } else {
                        let known = keys.insert(key(chosen));
                        assert_eq!(known.is_none(), expected.insert(chosen));
                    }
                    assert_eq!(keys.contains(&key(step)), expected.contains(&step));
                    if step % 40 == round {
                        check(&keys, &expected, random(1_000), random(2_000));
                    }
                }
                if phase % 2 == 0 {
                    if phase % 4 == 0 {
                        keys.settle();
                    }
                    older.push((keys.clone(), expected.clone()));
                }
            }
            for (keys, expected) in older {
                check(&keys, &expected, 100, 900);
            }
            for gone in expected.clone() {
                assert!(keys.remove(&key(gone)));
            }
            check(&keys, &BTreeSet::new(), 0, 9);
            assert!(keys.chunks.is_empty() && keys.last.is_empty());
        }
    }

    /// So many chunks that the map of them has several levels.
    #[test]
    fn keys_of_many_chunks_are_those_of_an_ordered_set() {
        let mut number = 7_u64;
        let mut random = move |below: u32| {
            number ^= number << 13;
            number ^= number >> 7;
            number ^= number << 17;
            (number % u64::from(below)) as u32
        };
        let (mut keys, mut expected) = (KeySet::default(), BTreeSet::new());
        let mut older: Vec<(KeySet<Key>, BTreeSet<u32>)> = Vec::new();
        // Grows to many chunks, shrinks to nearly none, and grows again.
        for phase in 0..ROUNDS {
            let removed = [1, 9, 3, 8, 5][phase % 5];
            let low = random(3) == 0;
            for _ in 0..60_000 {
                let chosen = match random(4) {
                    0 if low => random(5_000),
                    _ => random(400_000),
                };
                if random(10) < removed {
                    // One that is there, mostly.
                    let chosen = expected.range(chosen..).next().copied().unwrap_or(chosen);
                    assert_eq!(keys.remove(&key(chosen)), expected.remove(&chosen));
                } else {
                    assert_eq!(keys.insert(key(chosen)).is_none(), expected.insert(chosen));
                }
                if random(2_000) == 0 {
                    let from = random(400_000);
                    check_range(&keys, &expected, from, from + random(3_000));
                }
            }
            check(&keys, &expected, random(200_000), 200_000 + random(200_000));
            keys.settle();
            older.push((keys.clone(), expected.clone()));
        }
        for (keys, expected) in older {
            check(&keys, &expected, 1, 399_999);
        }
    }

    const ROUNDS: usize = 15;

    fn check_range(keys: &KeySet<Key>, expected: &BTreeSet<u32>, from: u32, to: u32) {
        let (start, end) = (key(from), key(to));
        let found = keys.range((Bound::Included(&start), Bound::Included(&end)));
        assert!(
            found
                .map(|key| key.0)
                .eq(expected.range(from..=to).copied())
        );
    }

    #[test]
    fn chunks_are_not_longer_than_they_may_be() {
        let mut keys = KeySet::default();
        for number in (0..5_000).chain((5_000..20_000).rev()) {
            keys.insert(key(number * 7_919 % 20_011));
        }
        assert!(
            keys.chunks
                .values()
                .all(|chunk| chunk.len() <= most::<Key>())
        );
        assert!(keys.last.len() <= most::<Key>());
        let chunks = keys.chunks.len();
        assert!(chunks * most::<Key>() < 4 * keys.len(), "{chunks}");
    }
}
