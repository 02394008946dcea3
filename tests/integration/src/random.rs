//! Random numbers that a failure can be repeated with.

use std::time::{SystemTime, UNIX_EPOCH};

/// Environment variable with the seed; the time without it.
const VARIABLE: &str = "MIRROR_TEST_SEED";

/// A small generator (SplitMix64): the same numbers for the same seed.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator for a test; the seed is printed with the test's output.
    ///
    /// # Panics
    /// When the variable is not a number.
    #[must_use]
    pub fn for_test() -> Self {
        let seed = match std::env::var(VARIABLE) {
            Ok(text) => text
                .parse()
                .unwrap_or_else(|_| panic!("{VARIABLE} is a number, found {text:?}")),
            Err(_) => Self::any_seed(),
        };
        println!("repeat the random numbers with {VARIABLE}={seed}");
        Self::with_seed(seed)
    }

    /// A seed that is another each time.
    #[must_use]
    pub fn any_seed() -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(1, |since| since.as_micros() as u64)
    }

    /// The generator of a seed.
    #[must_use]
    pub fn with_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator of its own for a thread; every call gives another.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self {
            state: self.next_u64(),
        }
    }

    /// Any 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next_u64().checked_rem(end).unwrap_or(0)
    }

    /// A number of the range, both ends included.
    pub fn between(&mut self, least: i64, greatest: i64) -> i64 {
        let width = (i128::from(greatest) - i128::from(least) + 1).max(1) as u128;
        (i128::from(least) + (u128::from(self.next_u64()) % width) as i128) as i64
    }

    /// True once in `n` times on average.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of the items.
    ///
    /// # Panics
    /// When there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next_u64() as u8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_and_a_fork_others() {
        let mut one = Random { state: 7 };
        let mut two = Random { state: 7 };
        assert_eq!(one.next_u64(), two.next_u64());
        assert_ne!(one.fork().next_u64(), two.next_u64());
    }

    #[test]
    fn between_reaches_both_ends_and_goes_no_further() {
        let mut random = Random { state: 1 };
        let seen: std::collections::BTreeSet<i64> =
            (0..200).map(|_| random.between(-2, 2)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2]);
        let _ = random.between(i64::MIN, i64::MAX);
    }
}
