//! Bounds-checked reading of event bytes, with errors that name the place.

use super::ImageError;

/// A reader over a part of an event.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// Offset of the next byte.
    at: usize,
    /// Offset of the first byte within the whole event.
    base: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            base: 0,
        }
    }

    /// A reader that starts at an offset within the bytes.
    pub(super) fn starting_at(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at: at.min(bytes.len()),
            base: 0,
        }
    }

    /// A reader over the next `length` bytes alone; this one goes on behind them.
    pub(super) fn split(&mut self, length: usize, what: &'static str) -> Result<Self, ImageError> {
        let base = self.position();
        Ok(Self {
            bytes: self.take(length, what)?,
            at: 0,
            base,
        })
    }

    /// Offset of the next byte within the whole event.
    pub(super) fn position(&self) -> usize {
        self.base + self.at
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn take(
        &mut self,
        length: usize,
        what: &'static str,
    ) -> Result<&'a [u8], ImageError> {
        match self.rest().get(..length) {
            Some(taken) => {
                self.at += length;
                Ok(taken)
            }
            None => Err(ImageError::Truncated {
                what,
                at: self.position(),
                expected: length,
                found: self.remaining(),
            }),
        }
    }

    /// A little-endian number of up to 8 bytes.
    pub(super) fn number(&mut self, width: usize, what: &'static str) -> Result<u64, ImageError> {
        let taken = self.take(width, what)?;
        Ok(taken
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    pub(super) fn byte(&mut self, what: &'static str) -> Result<u8, ImageError> {
        self.take(1, what)
            .map(|taken| taken.first().copied().unwrap_or(0))
    }

    /// A length-encoded integer (MySQL source, `net_field_length`).
    pub(super) fn packed(&mut self, what: &'static str) -> Result<u64, ImageError> {
        let at = self.position();
        match self.byte(what)? {
            small @ 0..=250 => Ok(u64::from(small)),
            252 => self.number(2, what),
            253 => self.number(3, what),
            254 => self.number(8, what),
            _ => Err(ImageError::Invalid { what, at }),
        }
    }

    /// A length-encoded integer that counts something in memory.
    pub(super) fn packed_length(&mut self, what: &'static str) -> Result<usize, ImageError> {
        let at = self.position();
        usize::try_from(self.packed(what)?).map_err(|_| ImageError::Invalid { what, at })
    }
}
