//! A table without its row type: what the writer and the stream need of it.

use std::any::Any;
use std::sync::Arc;

use super::compare::Comparer;
use super::{ApplyError, ChildChange, Mode, ParentKey, RowValues};
use crate::error::ValueError;
use crate::image::{Plan, RowImage, RowsEvent};
use crate::layout::TableLayout;
use crate::row::{Row, SelectValue};
use crate::value::Value;

/// Rows that a loader built and the writer will insert.
pub trait Batch: Any + Send {
    /// Builds a row from SELECTed values, one per mirrored column.
    ///
    /// # Errors
    /// When a value does not fit its column.
    fn push(&mut self, values: &mut dyn Iterator<Item = SelectValue>) -> Result<(), ValueError>;
    /// Rows in the batch.
    fn rows(&self) -> usize;
    /// For the table to take its rows out.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<R: Row> Batch for Vec<R> {
    fn push(&mut self, values: &mut dyn Iterator<Item = SelectValue>) -> Result<(), ValueError> {
        Vec::push(self, R::from_select(values)?);
        Ok(())
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A row as it was, and as it is now; nothing when it is gone.
pub type RowImagesOf = (Arc<dyn RowValues>, Option<Arc<dyn RowValues>>);

/// What [`TableWriter::apply_first`] did.
pub struct FirstRow {
    /// Bytes of the event's rows that this row takes; 0 when there is none.
    pub bytes: usize,
    /// The row, if one that was there before changed or went.
    pub change: Option<RowImagesOf>,
}

/// A table without its row type: what the writer needs; `C` is the generated `Change`.
pub trait TableWriter<C>: Send + Sync {
    /// Applies one rows event. Changes are added to `changes` when there is a list.
    ///
    /// # Errors
    /// When a row cannot be decoded, or does not fit the rows we hold and `mode` is strict.
    /// Rows before it in the event are applied then: the caller abandons the transaction.
    fn apply(
        &mut self,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
        changes: Option<&mut Vec<C>>,
    ) -> Result<(), ApplyError>;
    /// Applies the first row of a rows event, as [`apply`](Self::apply) does all of them: for
    /// tables whose changes change rows of others.
    ///
    /// # Errors
    /// As `apply`.
    fn apply_first(
        &mut self,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
        changes: Option<&mut Vec<C>>,
    ) -> Result<FirstRow, ApplyError>;
    /// Does to the child rows of a parent row what the foreign key with this index says, and
    /// gives the rows that this changed.
    ///
    /// # Errors
    /// When a new value does not fit its column, or two rows would have the same key.
    fn change_children(
        &mut self,
        key: usize,
        parent: &ParentKey,
        change: &ChildChange,
        changes: Option<&mut Vec<C>>,
    ) -> Result<Vec<RowImagesOf>, ApplyError>;
    /// For [`copy_from`](Self::copy_from) of a table of the same type.
    fn as_any(&self) -> &dyn Any;
    /// Becomes a copy of a table of the same type, sharing all rows; of another type, nothing
    /// changes.
    fn copy_from(&mut self, other: &dyn Any);
    /// Removes every row.
    fn truncate(&mut self, changes: Option<&mut Vec<C>>);
    /// An empty batch for [`insert_batch`](Self::insert_batch).
    fn new_batch(&self) -> Box<dyn Batch>;
    /// Inserts loaded rows.
    ///
    /// # Errors
    /// When the batch is of another table.
    fn insert_batch(&mut self, batch: Box<dyn Batch>) -> Result<(), ApplyError>;
    /// Adds the changes that turn an empty table into this one: a truncate and the inserts.
    fn describe(&self, changes: &mut Vec<C>);
    /// Number of rows.
    fn row_count(&self) -> usize;
    /// What compares rows of this table with the server's.
    fn comparer(&self) -> Box<dyn Comparer>;
    /// Every row in key order, without its type.
    fn rows(&self) -> Box<dyn Iterator<Item = &dyn RowValues> + '_>;
    /// Decodes the images of one rows event, without touching the table: what
    /// a stream without a mirror behind it shows.
    ///
    /// # Errors
    /// When a row cannot be decoded; [`Divergence::GeneratedNotLogged`](super::Divergence::GeneratedNotLogged) when an after image lacks
    /// a generated column, [`Divergence::ReplaceNotTold`](super::Divergence::ReplaceNotTold)
    /// when it lacks others that may have their defaults.
    fn decode_only(
        &self,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        show: &mut dyn FnMut(ShownRow<'_>, ShownRow<'_>) -> Result<(), ValueError>,
    ) -> Result<(), ApplyError>;
}

/// The values of one image, for [`TableWriter::decode_only`].
#[derive(Debug)]
pub struct ImageValues {
    layout: &'static TableLayout,
    /// By field index; `None` where the image lacks the column.
    values: Vec<Option<Value<'static>>>,
}

impl ImageValues {
    pub(super) fn decode<R: Row>(image: &RowImage<'_>) -> Result<Self, ValueError> {
        let layout = R::layout();
        let value = |field| {
            image
                .is_present(field)
                .then(|| R::image_value(image, field))
                .transpose()
        };
        Ok(Self {
            layout,
            values: (0..layout.columns.len())
                .map(value)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Whether the image has the column with this field index.
    #[must_use]
    pub fn has(&self, field: usize) -> bool {
        matches!(self.values.get(field), Some(Some(_)))
    }
}

impl RowValues for ImageValues {
    fn row_layout(&self) -> &'static TableLayout {
        self.layout
    }

    fn column_value(&self, field: usize) -> Value<'_> {
        match self.values.get(field) {
            Some(Some(value)) => value.clone(),
            _ => Value::Null,
        }
    }
}

/// A decoded image, if there is one.
pub type ShownRow<'a> = Option<&'a ImageValues>;
