//! One mirrored table in memory and how row images are applied to it.

use std::any::Any;
use std::ops::RangeBounds;
use std::sync::Arc;

use super::index::{IndexRange, is_empty_range};
use super::{Indexes, RowChange, RowValues};
use crate::error::ValueError;
use crate::image::{ImageError, Plan, RowImage, RowsEvent};
use crate::layout::{ColumnLayout, TableLayout};
use crate::row::{Row, SelectValue};
use crate::value::Value;

/// How changes meet rows that are not as the change says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Replay from an anchor over rows that were SELECTed later: an insert replaces, a delete
    /// of a missing row does nothing, a full update of a missing row inserts.
    Tolerant,
    /// After the replay: such a meeting is a divergence.
    Strict,
}

/// A change that does not fit the rows we hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Divergence {
    /// An insert of a key that is there already.
    #[error("an insert of a row whose key the mirror already holds")]
    InsertOfKnown,
    /// An update of a row that is not there.
    #[error("an update of a row that the mirror does not hold")]
    UpdateOfUnknown,
    /// An update that gives a row the key of another.
    #[error("an update to a key that another row of the mirror already has")]
    UpdateToKnown,
    /// A delete of a row that is not there.
    #[error("a delete of a row that the mirror does not hold")]
    DeleteOfUnknown,
    /// The before image is not the row we hold.
    #[error("a before image that differs from the row that the mirror holds")]
    BeforeImageDiffers,
    /// During a replay: an update without all columns changes a row's key. The row that is
    /// held under the old key may be a newer one, whose other columns would be taken along.
    #[error("a replayed update that changes the key of a row and lacks columns")]
    PartialMove,
    /// Differences of a JSON document do not fit the one that is held.
    #[error("JSON differences that do not fit the document that the mirror holds")]
    JsonDifference,
    /// During a replay: differences without the document that they are to (the image before
    /// lacks it) move elements of an array. The document that is held may be a newer one, in
    /// which they are moved already.
    #[error(
        "replayed JSON differences that move elements of an array, without the document before \
         (binlog_row_image=FULL sends it)"
    )]
    JsonReplay,
    /// A generated column that the server did not log, and whose value may be another now.
    #[error("a row image without a generated column whose value it decides")]
    GeneratedNotLogged,
    /// An insert lacks a column whose default is not known.
    #[error("the row image of an insert without a column whose default is not known")]
    DefaultNotKnown,
}

/// Why a rows event could not be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ApplyError {
    /// A value could not be decoded.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The rows event could not be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The change does not fit the rows we hold.
    #[error(transparent)]
    Divergence(#[from] Divergence),
    /// The event has no such image, or the batch is of another table.
    #[error("internal mismatch: {0}")]
    Mismatch(&'static str),
}

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
    /// Every row in key order, without its type.
    fn rows(&self) -> Box<dyn Iterator<Item = &dyn RowValues> + '_>;
    /// Decodes the images of one rows event, without touching the table: what
    /// a stream without a mirror behind it shows.
    ///
    /// # Errors
    /// When a row cannot be decoded; [`Divergence::GeneratedNotLogged`] when an after image lacks
    /// a generated column.
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
    fn decode<R: Row>(image: &RowImage<'_>) -> Result<Self, ValueError> {
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

/// One mirrored table: rows by key, and its indexes.
#[derive(Clone)]
pub struct Table<R: Row> {
    rows: imbl::OrdMap<R::Key, Arc<R>>,
    indexes: R::Indexes,
}

impl<R: Row> Default for Table<R> {
    fn default() -> Self {
        Self {
            rows: imbl::OrdMap::new(),
            indexes: R::Indexes::default(),
        }
    }
}

impl<R: Row> Table<R> {
    /// The row with this key.
    #[must_use]
    pub fn get<Q>(&self, key: &Q) -> Option<&R>
    where
        R::Key: std::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.rows.get(key).map(AsRef::as_ref)
    }

    /// All rows whose key is within the bounds, in key order; none when the bounds exclude
    /// each other.
    pub fn range<B: RangeBounds<R::Key>>(&self, bounds: B) -> IndexRange<'_, R> {
        let bounds = (bounds.start_bound().cloned(), bounds.end_bound().cloned());
        if is_empty_range(&bounds) {
            return IndexRange {
                rows: Box::new(std::iter::empty()),
            };
        }
        IndexRange {
            rows: Box::new(self.rows.range(bounds).map(|(_, row)| row.as_ref())),
        }
    }

    /// All rows in key order.
    pub fn iter(&self) -> IndexRange<'_, R> {
        IndexRange {
            rows: Box::new(self.rows.values().map(AsRef::as_ref)),
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The secondary indexes.
    #[must_use]
    pub fn indexes(&self) -> &R::Indexes {
        &self.indexes
    }

    fn put(&mut self, row: &Arc<R>) -> Option<Arc<R>> {
        let old = self.rows.insert(row.key(), Arc::clone(row));
        if let Some(old) = &old {
            self.indexes.remove(old);
        }
        self.indexes.insert(row);
        old
    }

    fn take(&mut self, key: &R::Key) -> Option<Arc<R>> {
        let old = self.rows.remove(key)?;
        self.indexes.remove(&old);
        Some(old)
    }

    fn insert(&mut self, image: &RowImage<'_>, mode: Mode) -> Result<RowChange<R>, ApplyError> {
        let after = match R::decode(image) {
            Ok(row) => Arc::new(row),
            Err(error) if error.is_absent() => return Err(lacking::<R>(image).into()),
            Err(error) => return Err(error.into()),
        };
        match self.put(&after) {
            None => Ok(RowChange::Insert { after }),
            Some(_) if mode == Mode::Strict => Err(Divergence::InsertOfKnown.into()),
            Some(before) => Ok(RowChange::Update { before, after }),
        }
    }

    fn delete(
        &mut self,
        image: &RowImage<'_>,
        mode: Mode,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        let key = R::decode_key(image)?;
        match self.take(&key) {
            Some(before) => {
                check_before(before.as_ref(), image, mode)?;
                Ok(Some(RowChange::Delete { before }))
            }
            None if mode == Mode::Strict => Err(Divergence::DeleteOfUnknown.into()),
            None => Ok(None),
        }
    }

    fn update(
        &mut self,
        before: &RowImage<'_>,
        after: &RowImage<'_>,
        mode: Mode,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        let key = R::decode_key(before)?;
        let Some(held) = self.take(&key) else {
            return match mode {
                Mode::Strict => Err(Divergence::UpdateOfUnknown.into()),
                Mode::Tolerant => self.update_of_missing(&key, after),
            };
        };
        check_before(held.as_ref(), before, mode)?;
        if mode == Mode::Tolerant && moves_partly::<R>(&key, after) {
            return Err(Divergence::PartialMove.into());
        }
        if after.leaves_generated_open(before) {
            return Err(Divergence::GeneratedNotLogged.into());
        }
        let mut row = R::clone(&held);
        row.merge(&match mode {
            Mode::Tolerant => after.replayed(),
            Mode::Strict => *after,
        })
        .map_err(difference_error)?;
        let row = Arc::new(row);
        if self.put(&row).is_some() && mode == Mode::Strict {
            return Err(Divergence::UpdateToKnown.into());
        }
        Ok(Some(RowChange::Update {
            before: held,
            after: row,
        }))
    }

    /// A replayed update of a row that the SELECTs did not see. With all columns it is an
    /// insert. With some, the row is deleted later in the replay, unless the update moved it
    /// to another key, past the SELECTs: then the rest of it is nowhere to be had.
    fn update_of_missing(
        &mut self,
        key: &R::Key,
        after: &RowImage<'_>,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        match R::decode(after) {
            Ok(row) => {
                let after = Arc::new(row);
                Ok(Some(match self.put(&after) {
                    None => RowChange::Insert { after },
                    Some(before) => RowChange::Update { before, after },
                }))
            }
            Err(error) if error.is_absent() => {
                if moves_partly::<R>(key, after) {
                    return Err(Divergence::PartialMove.into());
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Differences that cannot be applied to the row that is held are a divergence.
fn difference_error(error: ValueError) -> ApplyError {
    match error.cause() {
        ValueError::JsonMisfit => Divergence::JsonDifference.into(),
        ValueError::JsonReplay => Divergence::JsonReplay.into(),
        _ => error.into(),
    }
}

/// What to say of an insert that lacks a column and does not find a default for it.
fn lacking<R: Row>(image: &RowImage<'_>) -> Divergence {
    let columns = R::layout().columns.iter().enumerate();
    let generated = |(field, column): (usize, &ColumnLayout)| {
        column.generated_from.is_some() && !image.is_present(field)
    };
    if columns.into_iter().any(generated) {
        Divergence::GeneratedNotLogged
    } else {
        Divergence::DefaultNotKnown
    }
}

/// Whether an after image changes the key and lacks columns.
fn moves_partly<R: Row>(key: &R::Key, after: &RowImage<'_>) -> bool {
    let layout = R::layout();
    if (0..layout.columns.len()).all(|field| after.is_present(field)) {
        return false;
    }
    let names_key = layout.key.iter().any(|&field| after.is_present(field));
    names_key && R::decode_key(after).map_or(true, |new| new != *key)
}

/// Whether an image lacks a mirrored generated column.
fn lacks_generated(layout: &TableLayout, image: &RowImage<'_>) -> bool {
    let columns = layout.columns.iter().enumerate();
    columns
        .filter(|(_, column)| column.generated_from.is_some())
        .any(|(field, _)| !image.is_present(field))
}

/// In strict mode, whether every column of the before image is what we hold.
fn check_before<R: Row>(held: &R, image: &RowImage<'_>, mode: Mode) -> Result<(), ApplyError> {
    if mode == Mode::Strict && !held.matches(image)? {
        return Err(Divergence::BeforeImageDiffers.into());
    }
    Ok(())
}

impl<R, C> TableWriter<C> for Table<R>
where
    R: Row,
    C: From<RowChange<R>>,
{
    fn apply(
        &mut self,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
        mut changes: Option<&mut Vec<C>>,
    ) -> Result<(), ApplyError> {
        let mut reader = plan.reader(rows);
        while let Some(images) = reader.next()? {
            let change = match (&images.before, &images.after) {
                (None, Some(after)) => Some(self.insert(after, mode)?),
                (Some(before), Some(after)) => self.update(before, after, mode)?,
                (Some(before), None) => self.delete(before, mode)?,
                (None, None) => return Err(ApplyError::Mismatch("a row without images")),
            };
            if let (Some(changes), Some(change)) = (changes.as_deref_mut(), change) {
                changes.push(change.into());
            }
        }
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn copy_from(&mut self, other: &dyn Any) {
        if let Some(other) = other.downcast_ref::<Self>() {
            self.clone_from(other);
        }
    }

    fn truncate(&mut self, changes: Option<&mut Vec<C>>) {
        *self = Self::default();
        if let Some(changes) = changes {
            changes.push(RowChange::Truncate.into());
        }
    }

    fn new_batch(&self) -> Box<dyn Batch> {
        Box::new(Vec::<R>::new())
    }

    fn insert_batch(&mut self, batch: Box<dyn Batch>) -> Result<(), ApplyError> {
        let rows = batch
            .into_any()
            .downcast::<Vec<R>>()
            .map_err(|_| ApplyError::Mismatch("a batch of another table"))?;
        for row in *rows {
            self.put(&Arc::new(row));
        }
        Ok(())
    }

    fn describe(&self, changes: &mut Vec<C>) {
        changes.push(RowChange::Truncate.into());
        changes.extend(self.rows.values().map(|row| {
            RowChange::Insert {
                after: Arc::clone(row),
            }
            .into()
        }));
    }

    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn rows(&self) -> Box<dyn Iterator<Item = &dyn RowValues> + '_> {
        Box::new(self.rows.values().map(|row| row.as_ref() as &dyn RowValues))
    }

    fn decode_only(
        &self,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        show: &mut dyn FnMut(ShownRow<'_>, ShownRow<'_>) -> Result<(), ValueError>,
    ) -> Result<(), ApplyError> {
        let mut reader = plan.reader(rows);
        while let Some(images) = reader.next()? {
            let (before, after) = (images.before.as_ref(), images.after.as_ref());
            if after.is_some_and(|after| lacks_generated(R::layout(), after)) {
                return Err(Divergence::GeneratedNotLogged.into());
            }
            let old = before.map(ImageValues::decode::<R>).transpose()?;
            let new = after.map(ImageValues::decode::<R>).transpose()?;
            show(old.as_ref(), new.as_ref())?;
        }
        Ok(())
    }
}
