//! The byte form of rows, in which checkpoints hold them.
//!
//! A row is its columns one after the other, in table order. Numbers are little endian and of the
//! width of their Rust type, what has a length has it in front, and an `Option` begins with one
//! byte, 0 or 1. Which columns there are is not in the bytes: whoever reads them knows that from
//! the [fingerprint](crate::Schema::fingerprint). Every value comes back bit by bit as it was.

use crate::error::ValueError;
use crate::layout::ColumnLayout;
use crate::row::convert;

/// A value that can be written to bytes and read from them again.
///
/// ```
/// use mirror_runtime::stored::{Stored, StoredBytes};
///
/// let mut bytes = Vec::new();
/// Some(-0.0_f64).store(&mut bytes);
/// let mut stored = StoredBytes::new(&bytes);
/// let number = Option::<f64>::restore(&mut stored).unwrap().unwrap();
/// assert_eq!(number.to_bits(), (-0.0_f64).to_bits());
/// assert!(stored.is_empty());
/// ```
pub trait Stored: Sized {
    /// Adds the value's bytes.
    fn store(&self, out: &mut Vec<u8>);

    /// Takes the value's bytes.
    ///
    /// # Errors
    /// When there are too few bytes, or they are no value of the type.
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError>;
}

/// Bytes of rows that are not read yet.
#[derive(Debug, Clone, Copy)]
pub struct StoredBytes<'a> {
    rest: &'a [u8],
}

const TOO_LONG: ValueError = ValueError::Invalid("a length that no value has");

impl<'a> StoredBytes<'a> {
    /// All of these.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether everything was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes are left.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// The next `length` bytes.
    ///
    /// # Errors
    /// When there are fewer.
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], ValueError> {
        match self.rest.split_at_checked(length) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(ValueError::Length {
                expected: length,
                found: self.rest.len(),
            }),
        }
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// When there are fewer.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ValueError> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(ValueError::Length {
                expected: N,
                found: self.rest.len(),
            }),
        }
    }

    /// The bytes of a value that has its length in front.
    ///
    /// # Errors
    /// When there are fewer than that.
    #[inline]
    pub fn counted(&mut self) -> Result<&'a [u8], ValueError> {
        let length = self.length()?;
        self.take(length)
    }

    /// A length as [`store_length`] writes it.
    ///
    /// # Errors
    /// When there are too few bytes, or it is larger than a `usize`.
    #[inline]
    pub fn length(&mut self) -> Result<usize, ValueError> {
        let [first] = self.array()?;
        match first {
            LONG => usize::try_from(u64::from_le_bytes(self.array()?)).map_err(|_| TOO_LONG),
            short => Ok(usize::from(short)),
        }
    }

    /// The next column's value.
    ///
    /// # Errors
    /// As [`Stored::restore`], with the column's name.
    pub fn next<T: Stored>(&mut self, column: &ColumnLayout) -> Result<T, ValueError> {
        T::restore(self).map_err(|error| error.in_column(column.name))
    }

    /// The next column's value, made a type of the user from the column's own, `B`.
    ///
    /// # Errors
    /// As [`next`](Self::next), and when the type refuses the value.
    pub fn next_converted<B: Stored, T: TryFrom<B>>(
        &mut self,
        column: &ColumnLayout,
    ) -> Result<T, ValueError> {
        let value = self.next::<B>(column)?;
        convert(value).map_err(|error| error.in_column(column.name))
    }

    /// As [`next_converted`](Self::next_converted), of a column that may hold NULL.
    ///
    /// # Errors
    /// As `next_converted`.
    pub fn next_converted_option<B: Stored, T: TryFrom<B>>(
        &mut self,
        column: &ColumnLayout,
    ) -> Result<Option<T>, ValueError> {
        let value = self.next::<Option<B>>(column)?;
        value
            .map(convert)
            .transpose()
            .map_err(|error| error.in_column(column.name))
    }
}

/// Says that eight bytes with the length follow.
const LONG: u8 = 255;

/// Writes a length: one byte, or nine from 255 on.
#[inline]
pub fn store_length(out: &mut Vec<u8>, length: usize) {
    match u8::try_from(length) {
        Ok(short) if short != LONG => out.push(short),
        _ => {
            out.push(LONG);
            out.extend_from_slice(&(length as u64).to_le_bytes());
        }
    }
}

/// Writes bytes with their length in front.
#[inline]
pub fn store_counted(out: &mut Vec<u8>, bytes: &[u8]) {
    store_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

impl<T: Stored> Stored for Option<T> {
    #[inline]
    fn store(&self, out: &mut Vec<u8>) {
        match self {
            None => out.push(0),
            Some(value) => {
                out.push(1);
                value.store(out);
            }
        }
    }

    #[inline]
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        match bytes.array()? {
            [0] => Ok(None),
            [1] => T::restore(bytes).map(Some),
            _ => Err(ValueError::Invalid("neither a value nor NULL")),
        }
    }
}
