//! One row image: where its columns are, and how to get at them.

use super::locate::{Field, Slot};
use crate::error::ValueError;
use crate::layout::ColumnLayout;
use crate::row::ColumnValue;

/// A mirrored column as it is in the row images of one table map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageColumn {
    /// What was compiled in.
    pub layout: &'static ColumnLayout,
    /// Type code of the table map; see [`type_code`](super::type_code).
    pub type_code: u8,
    /// Metadata of the table map; see [`WireColumn::meta`](super::WireColumn::meta).
    pub meta: u16,
}

/// One row image, before or after a change.
#[derive(Debug, Clone, Copy)]
pub struct RowImage<'a> {
    /// All rows of the event.
    pub(super) rows: &'a [u8],
    /// Where the values that have no fixed place are in this row.
    pub(super) slots: &'a [Slot],
    /// How to find a field by the slots.
    pub(super) fields: &'a [Field],
    pub(super) columns: &'a [ImageColumn],
}

impl<'a> RowImage<'a> {
    /// Decodes the column with this field index (counting mirrored columns).
    ///
    /// # Errors
    /// [`ValueError::Absent`] when the image does not have the column, else what
    /// [`ColumnValue::from_image`] says; with the column's name.
    #[inline]
    pub fn get<T: ColumnValue>(&self, field: usize) -> Result<T, ValueError> {
        let Some(column) = self.columns.get(field) else {
            return Err(ValueError::Absent);
        };
        match self.raw(field).and_then(|raw| T::from_image(raw, column)) {
            Ok(value) => Ok(value),
            Err(error) => Err(name_column(error, column)),
        }
    }

    /// Whether the image holds this value in the column with this field index; a column that
    /// the image does not have matches every value.
    ///
    /// # Errors
    /// What [`ColumnValue::equals_image`] says, with the column's name.
    #[inline]
    pub fn matches<T: ColumnValue>(&self, field: usize, value: &T) -> Result<bool, ValueError> {
        if !self.is_present(field) {
            return Ok(true);
        }
        let Some(column) = self.columns.get(field) else {
            return Err(ValueError::Absent);
        };
        match self
            .raw(field)
            .and_then(|raw| value.equals_image(raw, column))
        {
            Ok(same) => Ok(same),
            Err(error) => Err(name_column(error, column)),
        }
    }

    /// Whether the image has the column with this field index, NULL or not.
    #[inline]
    #[must_use]
    pub fn is_present(&self, field: usize) -> bool {
        !matches!(self.fields.get(field), None | Some(Field::Absent))
    }

    /// A column's bytes without any length prefix, `None` for NULL.
    ///
    /// # Errors
    /// [`ValueError::Absent`] when the image does not have the column.
    #[inline]
    pub fn raw(&self, field: usize) -> Result<Option<&'a [u8]>, ValueError> {
        match self.fields.get(field) {
            Some(Field::Fixed {
                slot,
                offset,
                width,
            }) => {
                let start = match self.slots.get(*slot as usize) {
                    Some(slot) => slot.end() + *offset as usize,
                    None => return Err(ValueError::Absent),
                };
                self.bytes(start, *width as usize).map(Some)
            }
            Some(Field::Slot(slot)) => match self.slots.get(*slot as usize) {
                Some(slot) if slot.is_null() => Ok(None),
                Some(slot) => self.bytes(slot.start(), slot.length()).map(Some),
                None => Err(ValueError::Absent),
            },
            Some(Field::Absent) | None => Err(ValueError::Absent),
        }
    }

    #[inline]
    fn bytes(&self, start: usize, length: usize) -> Result<&'a [u8], ValueError> {
        self.rows
            .get(start..start + length)
            .ok_or(ValueError::Length {
                expected: length,
                found: self.rows.len().saturating_sub(start),
            })
    }
}

#[cold]
fn name_column(error: ValueError, column: &ImageColumn) -> ValueError {
    error.in_column(column.layout.name)
}
