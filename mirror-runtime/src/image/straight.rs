//! Rows that are read in one go: every column of the table is mirrored, and all is as it was when
//! the generated code was compiled.
//!
//! For an [`ExactImage`](super::ExactImage) a loop has gone through the row before, and left in
//! memory where the columns are. Here the generated code goes through the row itself, column by
//! column; what remains after compilation is one check of the bounds for each run of columns of
//! fixed width and two for each string, and no place is kept but in a register. Nothing is said of
//! what is not as expected, be it a length beyond the event, NULL where none may be, or a value
//! that cannot be decoded: the row is then read by way of the [`Plan`](super::Plan), which knows
//! what to say.

use super::exact::ReadImage;
use super::locate::Field;
use super::place::Place;
use super::row_image::ImageColumn;
use super::wire_type::Width;
use crate::error::ValueError;
use crate::row::ColumnValue;
use crate::source::Family;

/// Rows of an event from one row on. Only a [`RowReader`](super::RowReader) makes these, of events
/// whose images have all columns of a table that is wholly mirrored and as it was compiled in.
#[derive(Debug, Clone, Copy)]
pub struct StraightRows<'a> {
    bytes: &'a [u8],
    family: Family,
}

impl<'a> StraightRows<'a> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], family: Family) -> Self {
        Self { bytes, family }
    }

    /// Bytes of these rows.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.bytes.len()
    }

    /// The first image, before its first column. `not_null` is [`not_null`](super::not_null) of the
    /// layout.
    ///
    /// # Errors
    /// When it has NULL where none may be, or ends too early.
    #[inline(always)]
    pub fn first<const BITMAP: usize>(
        self,
        not_null: [u8; BITMAP],
    ) -> Result<StraightImage<'a, BITMAP>, ValueError> {
        let Some((nulls, rest)) = self.bytes.split_first_chunk::<BITMAP>() else {
            return Err(ValueError::Absent);
        };
        let wrong = nulls
            .iter()
            .zip(&not_null)
            .fold(0, |wrong, (found, never)| wrong | (found & never));
        if wrong != 0 {
            return Err(ValueError::UnexpectedNull);
        }
        Ok(StraightImage {
            nulls: *nulls,
            run: &[],
            rest,
            family: self.family,
        })
    }
}

/// An image that is gone through, each column once, in the order of the table.
#[derive(Debug)]
pub struct StraightImage<'a, const BITMAP: usize> {
    nulls: [u8; BITMAP],
    /// The run of NOT NULL columns of fixed width that the last column is in.
    run: &'a [u8],
    /// What was not gone through yet, of this row and those behind it.
    rest: &'a [u8],
    family: Family,
}

impl<'a, const BITMAP: usize> StraightImage<'a, BITMAP> {
    /// The rows behind the image, once all of its columns were asked for.
    #[inline(always)]
    #[must_use]
    pub fn behind(&self) -> StraightRows<'a> {
        StraightRows::new(self.rest, self.family)
    }

    /// The next column, whose field index and place these are.
    ///
    /// # Errors
    /// When it goes on behind the end of the event.
    #[inline(always)]
    pub fn next(&mut self, field: usize, place: Place) -> Result<StraightColumn<'a>, ValueError> {
        let bytes = match (place.field, place.width) {
            (Field::Fixed { offset, width, .. }, _) => {
                if offset == 0 {
                    self.run = self.take(place.run as usize)?;
                }
                self.run.get(offset as usize..(offset + width) as usize)
            }
            (Field::Slot(_), Some(_)) if place.column.layout.nullable && self.is_null(field) => {
                None
            }
            (Field::Slot(_), Some(Width::Fixed(width))) => Some(self.take(width as usize)?),
            (Field::Slot(_), Some(Width::Prefixed(prefix))) => Some(self.take_prefixed(prefix)?),
            _ => return Err(ValueError::Absent),
        };
        Ok(StraightColumn {
            bytes,
            family: self.family,
        })
    }

    #[inline(always)]
    fn is_null(&self, field: usize) -> bool {
        match self.nulls.get(field / 8) {
            Some(byte) => byte >> (field % 8) & 1 == 1,
            None => false,
        }
    }

    #[inline(always)]
    fn take(&mut self, length: usize) -> Result<&'a [u8], ValueError> {
        match self.rest.split_at_checked(length) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(ValueError::Absent),
        }
    }

    /// A value behind its length in so many bytes.
    #[inline(always)]
    fn take_prefixed(&mut self, prefix: u8) -> Result<&'a [u8], ValueError> {
        let length = match (prefix, self.take(prefix.into())?) {
            (1, [a]) => u32::from(*a),
            (2, [a, b]) => u32::from(u16::from_le_bytes([*a, *b])),
            (3, [a, b, c]) => u32::from_le_bytes([*a, *b, *c, 0]),
            (4, [a, b, c, d]) => u32::from_le_bytes([*a, *b, *c, *d]),
            _ => return Err(ValueError::Absent),
        };
        self.take(length as usize)
    }
}

/// One column of an image: no other may be asked for.
#[derive(Debug, Clone, Copy)]
pub struct StraightColumn<'a> {
    /// `None` for NULL.
    bytes: Option<&'a [u8]>,
    family: Family,
}

impl StraightColumn<'_> {
    /// What the table map says of the column: what was compiled in, as the reader knows.
    #[inline(always)]
    fn column(&self, place: &Place) -> ImageColumn {
        ImageColumn {
            family: self.family,
            ..place.column
        }
    }
}

/// Errors name no column: nobody gets to see them.
impl ReadImage for StraightColumn<'_> {
    #[inline(always)]
    fn get<T: ColumnValue>(&self, _field: usize, place: Place) -> Result<T, ValueError> {
        T::from_image(self.bytes, &self.column(&place))
    }

    #[inline(always)]
    fn matches<T: ColumnValue>(
        &self,
        _field: usize,
        place: Place,
        value: &T,
    ) -> Result<bool, ValueError> {
        value.equals_image(self.bytes, &self.column(&place))
    }
}
