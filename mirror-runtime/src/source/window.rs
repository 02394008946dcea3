//! The part of a file that was read ahead, from which events are lent out where they lie.

use std::io::{ErrorKind, Read};
use std::ops::Range;

/// Bytes that are read at once: few enough to stay in the processor's cache.
const READ_BYTES: usize = 1 << 18;
/// Bytes that are allocated ahead for an event; for a larger one memory grows as its bytes come.
pub(super) const TRUSTED_BYTES: usize = 1 << 24;

/// Why bytes could not be read.
pub(super) enum Cut {
    /// The file ends before them.
    Clean,
    /// The file ends within them.
    Within,
    Failed(std::io::Error),
}

/// Bytes of a file, from the first that was not taken yet to the last that was read.
#[derive(Debug, Default)]
pub(super) struct Window {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Window {
    /// Forgets everything: another file follows.
    pub(super) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// The bytes that were taken last.
    #[inline]
    pub(super) fn bytes(&self, taken: &Range<usize>) -> &[u8] {
        self.bytes.get(taken.clone()).unwrap_or_default()
    }

    /// Takes the next bytes: where they are until the next call.
    #[inline]
    pub(super) fn take(
        &mut self,
        file: &mut impl Read,
        length: usize,
    ) -> Result<Range<usize>, Cut> {
        if self.end - self.start < length {
            self.fill(file, length)?;
        }
        let start = self.start;
        self.start += length;
        Ok(start..self.start)
    }

    /// Bytes of memory that this takes.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Reads until there are so many bytes.
    fn fill(&mut self, file: &mut impl Read, length: usize) -> Result<(), Cut> {
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < length {
            if self.end >= self.bytes.len() || self.bytes.len() < READ_BYTES {
                let trusted = length.min(TRUSTED_BYTES.max(self.end * 2));
                self.bytes.resize(trusted.max(READ_BYTES), 0);
            }
            let limit = length.max(READ_BYTES).min(self.bytes.len());
            let free = self.bytes.get_mut(self.end..limit).unwrap_or_default();
            match file.read(free) {
                Ok(0) if self.end == 0 => return Err(Cut::Clean),
                Ok(0) => return Err(Cut::Within),
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Cut::Failed(error)),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes with each call.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(into.len()).min(self.0.len());
            let (now, later) = self.0.split_at(count);
            into[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    #[test]
    fn bytes_come_in_order_however_they_are_read_and_taken() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
        for at_once in [1000, 100_000, usize::MAX] {
            let mut file = Slow(&bytes, at_once);
            let mut window = Window::default();
            let mut at = 0;
            for length in [4, 19, 0, 1, 250_000, 12, 262_144, 700_000, 3, 1_500_000] {
                let Ok(taken) = window.take(&mut file, length) else {
                    panic!("{length} bytes at {at}");
                };
                assert_eq!(window.bytes(&taken), &bytes[at..at + length]);
                at += length;
            }
        }
    }

    #[test]
    fn the_end_is_told_from_a_cut() {
        let mut file = Slow(&[1, 2, 3], 2);
        let mut window = Window::default();
        assert!(window.take(&mut file, 3).is_ok());
        assert!(matches!(window.take(&mut file, 1), Err(Cut::Clean)));
        let mut file = Slow(&[1, 2, 3], 2);
        window.clear();
        assert!(matches!(window.take(&mut file, 4), Err(Cut::Within)));
    }

    #[test]
    fn a_length_that_the_file_does_not_have_takes_no_memory() {
        let mut window = Window::default();
        let taken = window.take(&mut Slow(&[0; 100], 10), 1 << 32);
        assert!(matches!(taken, Err(Cut::Within)));
        assert!(window.capacity() <= TRUSTED_BYTES);
    }
}
