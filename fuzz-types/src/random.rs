//! Random numbers that depend on the seed alone.

/// A generator of numbers: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014). The same seed gives the same numbers on every machine and in every
/// version of this program.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The generator of a part: what is drawn from it changes nothing in other parts.
    #[must_use]
    pub fn part(seed: u64, part: u64) -> Self {
        let mut random = Self::new(seed ^ part.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Self::new(random.next_u64() ^ part)
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 when that is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_u64().checked_rem(limit).unwrap_or(0)
    }

    /// An index below `limit`; 0 when that is 0.
    pub fn index(&mut self, limit: usize) -> usize {
        usize::try_from(self.below(limit as u64)).unwrap_or(0)
    }

    /// A number from `least` to `greatest`, both included.
    pub fn between(&mut self, least: i64, greatest: i64) -> i64 {
        let span = greatest.wrapping_sub(least) as u64;
        match span.checked_add(1) {
            Some(span) => least.wrapping_add(self.below(span) as i64),
            None => self.next_u64() as i64,
        }
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of the items; the default when there are none.
    pub fn pick<T: Clone + Default>(&mut self, items: &[T]) -> T {
        items
            .get(self.index(items.len()))
            .cloned()
            .unwrap_or_default()
    }

    /// Puts the items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut random = Random::new(1);
        let numbers: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(
            numbers,
            [
                10_451_216_379_200_822_465,
                13_757_245_211_066_428_519,
                17_911_839_290_282_890_590
            ]
        );
    }

    #[test]
    fn parts_of_a_seed_differ() {
        let first = |part| Random::part(7, part).next_u64();
        assert_ne!(first(1), first(2));
        assert_eq!(first(1), first(1));
    }

    #[test]
    fn bounds_are_kept_at_the_edges_of_the_range() {
        let mut random = Random::new(2);
        for _ in 0..1000 {
            assert!((-3..=3).contains(&random.between(-3, 3)));
            random.between(i64::MIN, i64::MAX);
        }
        assert_eq!(random.below(0), 0);
        assert_eq!(random.pick::<u8>(&[]), 0);
    }
}
