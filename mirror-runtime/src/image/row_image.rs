//! One row image: where its columns are, and how to get at them.

use super::exact::ExactImage;
use super::locate::Field;
use super::side::Side;
use crate::error::ValueError;
use crate::layout::{ColumnLayout, TableLayout};
use crate::row::{ColumnValue, SelectValue, convert};
use crate::source::Family;

/// A mirrored column as it is in the row images of one table map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageColumn {
    /// What was compiled in.
    pub layout: &'static ColumnLayout,
    /// Type code of the table map; see [`type_code`](super::type_code).
    pub type_code: u8,
    /// Metadata of the table map; see [`WireColumn::meta`](super::WireColumn::meta).
    pub meta: u16,
    /// Which kind of server wrote the table map.
    pub family: Family,
}

/// What a column has in a row that is inserted without it, as a SELECT would give it; `None` when
/// that is not known.
pub type ColumnDefault = Option<SelectValue>;

/// One row image, before or after a change.
#[derive(Debug, Clone, Copy)]
pub struct RowImage<'a> {
    /// The rows of the event, where the columns are in this row, and what holds for all images of this side.
    pub(super) side: &'a Side<'a>,
    /// Of an after image that may hold differences: the image before.
    pub(super) before: Option<&'a Side<'a>>,
    /// Whether the row that a difference is applied to may be newer than the image.
    pub(super) replayed: bool,
}

impl<'a> RowImage<'a> {
    #[inline(always)]
    pub(super) fn new(side: &'a Side<'a>, before: Option<&'a Side<'a>>) -> Self {
        Self {
            side,
            before,
            replayed: false,
        }
    }

    /// The same image with its columns where [`places`](super::places) of this layout says, when
    /// that is where they are: when the image has all of them, and the table map has them as they
    /// were compiled in. `None` otherwise.
    ///
    /// `SLOTS` is the [`slot_count`](super::slot_count).
    #[inline(always)]
    #[must_use]
    pub fn exact<const SLOTS: usize>(
        &self,
        layout: &'static TableLayout,
    ) -> Option<ExactImage<'a, SLOTS>> {
        match self.side.exact {
            Some((of, family)) if std::ptr::eq(of, layout) => Some(ExactImage {
                rows: self.side.rows,
                slots: self.side.slots().first_chunk()?,
                family,
            }),
            _ => None,
        }
    }

    /// Whether the image has every mirrored column where the layout of its table map's plan says.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.side.exact.is_some()
    }

    /// Decodes the column with this field index (counting mirrored columns).
    ///
    /// The default of a column that an insert's image lacks stands in for it, where it is known.
    ///
    /// # Errors
    /// [`ValueError::Absent`] when the image does not have the column, else what
    /// [`ColumnValue::from_image`] says; with the column's name.
    #[inline(never)]
    pub fn get<T: ColumnValue>(&self, field: usize) -> Result<T, ValueError> {
        let Some(column) = self.side.columns.get(field) else {
            return Err(ValueError::Absent);
        };
        match self.raw(field).and_then(|raw| T::from_image(raw, column)) {
            Ok(value) => Ok(value),
            Err(ValueError::Absent) => self.stand_in(field, column),
            Err(error) => Err(name_column(error, column)),
        }
    }

    /// The default of a column that an insert's image lacks (`binlog_row_image=MINIMAL`), or
    /// what differences make of the document before.
    #[cold]
    #[inline(never)]
    fn stand_in<T: ColumnValue>(
        &self,
        field: usize,
        column: &ImageColumn,
    ) -> Result<T, ValueError> {
        match (self.difference(field), self.document_before(field)) {
            _ if self.is_null_difference(field) => T::from_image(None, column),
            (Some(diffs), Some(before)) => diffs.and_then(|diffs| {
                let mut value = T::from_image(Some(before), column)?;
                value.apply_difference(diffs, false)?;
                Ok(value)
            }),
            (Some(_), None) => Err(ValueError::Absent),
            (None, _) => match self.side.defaults.get(field) {
                Some(Some(default)) => T::from_select(default.clone(), column.layout),
                _ => Err(ValueError::Absent),
            },
        }
        .map_err(|error| name_column(error, column))
    }

    /// Puts what the image says of a column into its value: the image's value, or the held one
    /// with the image's differences applied (`binlog_row_value_options=PARTIAL_JSON`). Without
    /// either, the value stays.
    ///
    /// # Errors
    /// As [`get`](Self::get); [`ValueError::JsonMisfit`] and [`ValueError::JsonReplay`] when the
    /// differences cannot be applied to what is held.
    pub fn merge<T: ColumnValue>(&self, field: usize, value: &mut T) -> Result<(), ValueError> {
        if self.is_present(field) {
            *value = self.get(field)?;
            return Ok(());
        }
        let Some(diffs) = self.difference(field) else {
            return Ok(());
        };
        diffs
            .and_then(|diffs| value.apply_difference(diffs, self.replayed))
            .map_err(|error| self.name_field(error, field))
    }

    /// As [`merge`](Self::merge), of a value of a type of the user, `T`, that stands for the
    /// column's own, `B`.
    ///
    /// # Errors
    /// As `merge`, and when `T` refuses the value.
    pub fn merge_converted<B, T>(&self, field: usize, value: &mut T) -> Result<(), ValueError>
    where
        B: ColumnValue + From<T>,
        T: TryFrom<B> + Clone,
    {
        if !self.is_present(field) && self.difference(field).is_none() {
            return Ok(());
        }
        let mut plain = B::from(value.clone());
        self.merge(field, &mut plain)?;
        *value = convert(plain).map_err(|error| self.name_field(error, field))?;
        Ok(())
    }

    /// As [`merge_converted`](Self::merge_converted), of a column that may hold NULL.
    ///
    /// # Errors
    /// As `merge_converted`.
    pub fn merge_converted_option<B, T>(
        &self,
        field: usize,
        value: &mut Option<T>,
    ) -> Result<(), ValueError>
    where
        B: ColumnValue + From<T>,
        T: TryFrom<B> + Clone,
    {
        if !self.is_present(field) && self.difference(field).is_none() {
            return Ok(());
        }
        let mut plain = value.clone().map(B::from);
        self.merge(field, &mut plain)?;
        *value = plain
            .map(convert)
            .transpose()
            .map_err(|error| self.name_field(error, field))?;
        Ok(())
    }

    /// The same image, of a change that the row it is merged into may have in it already.
    #[must_use]
    pub(crate) fn replayed(&self) -> Self {
        Self {
            replayed: true,
            ..*self
        }
    }

    /// The differences that stand in place of a column's value.
    #[cold]
    fn difference(&self, field: usize) -> Option<Result<&'a [u8], ValueError>> {
        match self.side.fields().get(field) {
            Some(Field::Difference(slot)) => match self.side.slots().get(*slot as usize) {
                Some(slot) if slot.is_null() => None,
                Some(slot) => Some(self.bytes(slot.start(), slot.end())),
                None => Some(Err(ValueError::Absent)),
            },
            _ => None,
        }
    }

    /// Whether the value that differences make is known from the event alone.
    #[cold]
    fn has_difference_applied(&self, field: usize) -> bool {
        self.is_null_difference(field) || self.document_before(field).is_some()
    }

    /// Whether NULL, which stands for itself, stands where differences may.
    #[cold]
    fn is_null_difference(&self, field: usize) -> bool {
        match self.side.fields().get(field) {
            Some(Field::Difference(slot)) => self
                .side
                .slots()
                .get(*slot as usize)
                .is_some_and(|slot| slot.is_null()),
            _ => false,
        }
    }

    /// The document that differences are to, when the image before has it.
    #[cold]
    fn document_before(&self, field: usize) -> Option<&'a [u8]> {
        let before = self.before?;
        let image = Self {
            side: before,
            before: None,
            ..*self
        };
        image.raw(field).ok().flatten()
    }

    #[cold]
    pub(super) fn name_field(&self, error: ValueError, field: usize) -> ValueError {
        match self.side.columns.get(field) {
            Some(column) => name_column(error, column),
            None => error,
        }
    }

    /// Whether the image holds this value in the column with this field index; a column that
    /// the image does not have matches every value.
    ///
    /// # Errors
    /// What [`ColumnValue::equals_image`] says, with the column's name.
    #[inline(never)]
    pub fn matches<T: ColumnValue>(&self, field: usize, value: &T) -> Result<bool, ValueError> {
        if !self.is_present(field) {
            return Ok(true);
        }
        let Some(column) = self.side.columns.get(field) else {
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

    /// Whether the image has the column with this field index, NULL or not. Differences count
    /// where the image before has what they are to.
    #[inline]
    #[must_use]
    pub fn is_present(&self, field: usize) -> bool {
        match self.side.fields().get(field) {
            None | Some(Field::Absent) => false,
            Some(Field::Difference(_)) => self.has_difference_applied(field),
            Some(_) => true,
        }
    }

    /// Whether the row before has no part in the row after: columns that this after image of an
    /// update lacks have their defaults, which [`get`](Self::get) gives
    /// ([`AbsentColumns::Default`](super::AbsentColumns::Default)).
    #[must_use]
    #[inline]
    pub fn replaces(&self) -> bool {
        self.side.replaces
    }

    /// Whether this after image of an update leaves the value of a generated column open: the
    /// image lacks it, and a column that it depends on may have changed (MariaDB logs no virtual
    /// columns with MINIMAL images, and from 11.x on no generated ones with any).
    #[must_use]
    #[inline]
    pub fn leaves_generated_open(&self, before: &RowImage<'_>) -> bool {
        self.side.lacks_generated && self.is_open_after(before)
    }

    #[cold]
    fn is_open_after(&self, before: &RowImage<'_>) -> bool {
        self.side.columns.iter().enumerate().any(|(field, column)| {
            let Some(sources) = column.layout.generated_from else {
                return false;
            };
            !self.is_present(field)
                && sources
                    .iter()
                    .any(|ordinal| self.may_have_changed(*ordinal, before))
        })
    }

    /// Whether the image has neither a value nor differences of a column.
    fn lacks(&self, field: usize) -> bool {
        matches!(self.side.fields().get(field), None | Some(Field::Absent))
    }

    /// Whether the column at a place of the compiled table may differ from the before image.
    fn may_have_changed(&self, ordinal: usize, before: &RowImage<'_>) -> bool {
        let field = self
            .side
            .columns
            .iter()
            .position(|column| column.layout.ordinal == ordinal);
        match field {
            // Not mirrored: nothing is known of it.
            None => true,
            // A generated column that others depend on has sources of its own in their lists.
            Some(field) if self.lacks(field) => false,
            Some(field) => !before.is_present(field) || self.raw(field) != before.raw(field),
        }
    }

    /// A column's bytes without any length prefix, `None` for NULL.
    ///
    /// # Errors
    /// [`ValueError::Absent`] when the image does not have the column, or has differences of it.
    #[inline]
    pub fn raw(&self, field: usize) -> Result<Option<&'a [u8]>, ValueError> {
        match self.side.fields().get(field) {
            Some(Field::Fixed {
                slot,
                offset,
                width,
            }) => {
                let start = match self.side.slots().get(*slot as usize) {
                    Some(slot) => slot.end() + *offset as usize,
                    None => return Err(ValueError::Absent),
                };
                self.bytes(start, start + *width as usize).map(Some)
            }
            Some(Field::Slot(slot)) => match self.side.slots().get(*slot as usize) {
                Some(slot) if slot.is_null() => Ok(None),
                Some(slot) => self.bytes(slot.start(), slot.end()).map(Some),
                None => Err(ValueError::Absent),
            },
            // This is all that there is here of differences: what is more than a constant costs
            // `get` a fifth of its speed.
            Some(Field::Difference(_) | Field::Absent) | None => Err(ValueError::Absent),
        }
    }

    #[inline]
    fn bytes(&self, start: usize, end: usize) -> Result<&'a [u8], ValueError> {
        match self.side.rows.get(start..end) {
            Some(bytes) => Ok(bytes),
            None => Err(beyond(self.side.rows, start, end)),
        }
    }
}

#[cold]
pub(super) fn beyond(rows: &[u8], start: usize, end: usize) -> ValueError {
    ValueError::Length {
        expected: end.saturating_sub(start),
        found: rows.len().saturating_sub(start),
    }
}

#[cold]
pub(super) fn name_column(error: ValueError, column: &ImageColumn) -> ValueError {
    error.in_column(column.layout.name)
}
