//! A table without its row type: what the writer and the stream need of it.

use std::any::Any;

use version_store::{Moment, Writing};

use super::{ApplyError, ChildChange, Mode, ParentKey, RowValues};
use crate::error::ValueError;
use crate::image::{Plan, RowImage, RowsEvent};
use crate::layout::TableLayout;
use crate::row::{Row, SelectValue};
use crate::stored::StoredBytes;
use crate::value::Value;

/// Rows that a loader built and the writer will insert.
pub trait Batch: Any + Send {
    /// Builds a row from SELECTed values, one per mirrored column.
    ///
    /// # Errors
    /// When a value does not fit its column.
    fn push(&mut self, values: &mut dyn Iterator<Item = SelectValue>) -> Result<(), ValueError>;
    /// Builds a row from its bytes in a checkpoint.
    ///
    /// # Errors
    /// When they are no row of the table.
    fn push_stored(&mut self, bytes: &mut StoredBytes<'_>) -> Result<(), ValueError>;
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

    fn push_stored(&mut self, bytes: &mut StoredBytes<'_>) -> Result<(), ValueError> {
        Vec::push(self, R::restore(bytes)?);
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
pub type RowImagesOf = (Box<dyn RowValues>, Option<Box<dyn RowValues>>);

/// What [`TableWriter::apply_first`] did.
pub struct FirstRow {
    /// Bytes of the event's rows that this row takes; 0 when there is none.
    pub bytes: usize,
    /// The row, if one that was there before changed or went.
    pub change: Option<RowImagesOf>,
}

/// Why an event was not applied to its end.
#[derive(Debug)]
pub struct Unapplied {
    /// Bytes of the event's rows that were applied before that.
    pub bytes: usize,
    /// Why the row behind them was not.
    pub error: ApplyError,
}

impl Unapplied {
    pub(crate) fn at(bytes: usize) -> impl Fn(ApplyError) -> Self {
        move |error| Self { bytes, error }
    }
}

/// What a table takes, in bytes, without what the allocator adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableMemory {
    /// Rows that the newest version has.
    pub rows: usize,
    /// Versions of rows: the rows, and what snapshots hold or waits to be freed.
    pub versions: usize,
    /// Bytes of all versions, with the text, bytes and documents that they own.
    pub row_bytes: usize,
    /// Bytes of the table of keys, and about those of the order and the indexes.
    pub index_bytes: usize,
}

/// A table for reading, without its row type.
pub trait TableReader: Send + Sync {
    /// The table's handle, a [`Table`](super::Table).
    fn as_any(&self) -> &dyn Any;
    /// Every row of a version in key order, without its type.
    fn rows<'s>(&'s self, at: Moment<'s>) -> Box<dyn Iterator<Item = &'s dyn RowValues> + 's>;
    /// Every row of a version in key order, as its bytes in a checkpoint.
    fn stored_rows<'s>(&'s self, at: Moment<'s>) -> StoredRows<'s>;
}

/// Adds the bytes of the next row; false when there is none.
pub type StoredRows<'s> = Box<dyn FnMut(&mut Vec<u8>) -> bool + 's>;

/// A table for writing, without its row type; `C` is the generated `Change`. What it does is part
/// of the version that is being written.
pub trait TableWriter<C>: Send + Sync {
    /// The table as readers have it.
    fn reader(&self) -> &dyn TableReader;
    /// An empty table of the same type.
    fn new_empty(&self, at: Writing<'_>) -> Box<dyn TableWriter<C>>;
    /// A table of its own with the rows of a version that is not published yet; `None` when this
    /// one has not been changed since.
    ///
    /// # Panics
    /// When a newer version is published.
    fn copy_at(&self, at: Writing<'_>, number: u64) -> Option<Box<dyn TableWriter<C>>>;
    /// Applies one rows event. Changes are added to `changes` when there is a list.
    ///
    /// # Errors
    /// When a row cannot be decoded, or does not fit the rows we hold and `mode` is strict.
    /// Rows before it in the event are applied then: the caller abandons the transaction.
    fn apply(
        &mut self,
        at: Writing<'_>,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
        changes: Option<&mut Vec<C>>,
    ) -> Result<(), Unapplied>;
    /// Applies the first row of a rows event, as [`apply`](Self::apply) does all of them: for
    /// tables whose changes change rows of others.
    ///
    /// # Errors
    /// As `apply`.
    fn apply_first(
        &mut self,
        at: Writing<'_>,
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
        at: Writing<'_>,
        key: usize,
        parent: &ParentKey,
        change: &ChildChange,
        changes: Option<&mut Vec<C>>,
    ) -> Result<Vec<RowImagesOf>, ApplyError>;
    /// Inserts loaded rows.
    ///
    /// # Errors
    /// When the batch is of another table.
    fn insert_batch(&mut self, at: Writing<'_>, batch: Box<dyn Batch>) -> Result<(), ApplyError>;
    /// Adds the changes that turn an empty table into this one: a truncate and the inserts.
    fn describe(&self, changes: &mut Vec<C>);
    /// Number of rows, as the running transaction has them.
    fn row_count(&self) -> usize;
    /// Shows readers the order of keys and the indexes: before the version is published.
    fn publish(&mut self);
    /// Undoes everything that was done in the version that is being written.
    fn roll_back(&mut self, at: Writing<'_>);
    /// Frees what nobody can see any more, at most about `most` rows; whether there may be more.
    fn reclaim(&mut self, at: Writing<'_>, most: usize) -> bool;
    /// The number of a version: when no snapshot is older, [`reclaim`](Self::reclaim) finds
    /// something to free. `None` when nothing waits for that.
    fn waits(&self) -> Option<u64>;
    /// What the table takes.
    fn memory(&self) -> TableMemory;
    /// Rows that were put or deleted so far, also by transactions that were abandoned.
    fn changes(&self) -> u64;
}

/// The values of one image, for [`TableKind::decode_only`](super::TableKind::decode_only).
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
