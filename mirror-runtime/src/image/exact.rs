//! Images as the generated code was compiled for, and what it reads images of both kinds by.

use super::locate::{Field, Slot};
use super::place::Place;
use super::row_image::{ImageColumn, RowImage, beyond, name_column};
use crate::error::ValueError;
use crate::row::{ColumnValue, convert};
use crate::source::Family;

/// Reads columns of an image, by field index and by where they are when the table is as it was
/// compiled in. The generated code goes through columns by this, the same way for both kinds of
/// images.
pub trait ReadImage {
    /// Decodes a column.
    ///
    /// # Errors
    /// When the image does not have the column, or it cannot be decoded; with its name.
    fn get<T: ColumnValue>(&self, field: usize, place: Place) -> Result<T, ValueError>;

    /// Whether the image holds this value; a column that it does not have matches every value.
    ///
    /// # Errors
    /// When the column cannot be decoded; with its name.
    fn matches<T: ColumnValue>(
        &self,
        field: usize,
        place: Place,
        value: &T,
    ) -> Result<bool, ValueError>;

    /// As [`get`](Self::get), then made a type of the user, `T`, from the column's own, `B`.
    ///
    /// # Errors
    /// As `get`, and when `T` refuses the value.
    fn get_converted<B, T>(&self, field: usize, place: Place) -> Result<T, ValueError>
    where
        B: ColumnValue,
        T: TryFrom<B>,
    {
        let value = self.get::<B>(field, place)?;
        convert(value).map_err(|error| name_column(error, &place.column))
    }

    /// As [`get_converted`](Self::get_converted), of a column that may hold NULL.
    ///
    /// # Errors
    /// As `get_converted`.
    fn get_converted_option<B, T>(
        &self,
        field: usize,
        place: Place,
    ) -> Result<Option<T>, ValueError>
    where
        B: ColumnValue,
        T: TryFrom<B>,
    {
        let value = self.get::<Option<B>>(field, place)?;
        value
            .map(convert)
            .transpose()
            .map_err(|error| name_column(error, &place.column))
    }
}

/// Does some work in a function of its own, so that what it is called from stays small enough to
/// become part of its callers.
#[inline(never)]
pub fn apart<T>(work: impl FnOnce() -> T) -> T {
    work()
}

impl ReadImage for RowImage<'_> {
    #[inline]
    fn get<T: ColumnValue>(&self, field: usize, _place: Place) -> Result<T, ValueError> {
        RowImage::get(self, field)
    }

    #[inline]
    fn matches<T: ColumnValue>(
        &self,
        field: usize,
        _place: Place,
        value: &T,
    ) -> Result<bool, ValueError> {
        RowImage::matches(self, field, value)
    }
}

/// An image that has every mirrored column, each where it was compiled in: see
/// [`RowImage::exact`].
#[derive(Debug, Clone, Copy)]
pub struct ExactImage<'a, const SLOTS: usize> {
    pub(super) rows: &'a [u8],
    pub(super) slots: &'a [Slot; SLOTS],
    pub(super) family: Family,
}

impl<const SLOTS: usize> ExactImage<'_, SLOTS> {
    /// A column's bytes, `None` for NULL. With a place that is known when this is compiled,
    /// nothing is left of it but the slot, the check of the bounds and the bytes.
    #[inline(always)]
    fn raw(&self, place: &Place) -> Result<Option<&[u8]>, ValueError> {
        let slot = match place.field {
            Field::Fixed { slot, .. } | Field::Slot(slot) => slot,
            Field::Absent | Field::Difference(_) => return Err(ValueError::Absent),
        };
        let Some(slot) = self.slots.get(slot as usize) else {
            return Err(ValueError::Absent);
        };
        let bytes = match place.field {
            // The check of the whole run's bounds is the same for all its columns.
            Field::Fixed { offset, width, .. } => self
                .rows
                .get(slot.end()..slot.end() + place.run as usize)
                .and_then(|run| run.get(offset as usize..(offset + width) as usize)),
            _ if slot.is_null() => return Ok(None),
            _ => self.rows.get(slot.start()..slot.end()),
        };
        match bytes {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(beyond(self.rows, slot.start(), slot.end())),
        }
    }

    /// What the table map says of the column: what was compiled in, as [`RowImage::exact`] knows.
    #[inline(always)]
    fn column(&self, place: &Place) -> ImageColumn {
        ImageColumn {
            family: self.family,
            ..place.column
        }
    }
}

impl<const SLOTS: usize> ReadImage for ExactImage<'_, SLOTS> {
    #[inline(always)]
    fn get<T: ColumnValue>(&self, _field: usize, place: Place) -> Result<T, ValueError> {
        let column = self.column(&place);
        match T::from_image(self.raw(&place)?, &column) {
            Ok(value) => Ok(value),
            Err(error) => Err(name_column(error, &place.column)),
        }
    }

    #[inline(always)]
    fn matches<T: ColumnValue>(
        &self,
        _field: usize,
        place: Place,
        value: &T,
    ) -> Result<bool, ValueError> {
        let column = self.column(&place);
        match value.equals_image(self.raw(&place)?, &column) {
            Ok(same) => Ok(same),
            Err(error) => Err(name_column(error, &place.column)),
        }
    }
}
