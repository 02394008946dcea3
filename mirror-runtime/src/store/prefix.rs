//! Keys that begin with given values: where they are among all keys, in order.

use std::cmp::Ordering;

use equivalent::{Comparable, Equivalent};

/// A place between two keys: in front of, or behind, all keys that `compare` calls equal. It says
/// of a key whether that is before them, one of them, or behind them.
pub(super) struct Cut<F> {
    compare: F,
    is_behind: bool,
}

impl<F> Cut<F> {
    pub(super) fn before(compare: F) -> Self {
        Self {
            compare,
            is_behind: false,
        }
    }

    pub(super) fn behind(compare: F) -> Self {
        Self {
            compare,
            is_behind: true,
        }
    }
}

/// A cut is at no key.
impl<K, F: Fn(&K) -> Ordering> Equivalent<K> for Cut<F> {
    fn equivalent(&self, _: &K) -> bool {
        false
    }
}

impl<K, F: Fn(&K) -> Ordering> Comparable<K> for Cut<F> {
    fn compare(&self, key: &K) -> Ordering {
        match ((self.compare)(key), self.is_behind) {
            (Ordering::Less, _) | (Ordering::Equal, true) => Ordering::Greater,
            (Ordering::Greater, _) | (Ordering::Equal, false) => Ordering::Less,
        }
    }
}

/// The keys of a sorted slice that `compare` calls equal.
pub(super) fn equal<'k, K>(keys: &'k [K], compare: &impl Fn(&K) -> Ordering) -> &'k [K] {
    let from = keys.partition_point(|key| compare(key) == Ordering::Less);
    let to = keys.partition_point(|key| compare(key) != Ordering::Greater);
    keys.get(from..to).unwrap_or_default()
}
