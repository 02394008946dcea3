//! One mirrored table in memory and how row images are applied to it.

use std::any::Any;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use super::children::Children;
use super::compare::{Comparer, TableComparer};
use super::index::{IndexRange, is_empty_range};
use super::meeting::{
    check_before, decode_whole, image_key, lacking, lacks_generated, merged, moves_partly,
    row_images,
};
use super::table_writer::{Batch, FirstRow, ImageValues, RowImagesOf, ShownRow, TableWriter};
use super::{ApplyError, Divergence, Indexes, Mode, RowChange, RowValues};
use super::{ChildChange, ParentKey};
use crate::error::ValueError;
use crate::image::{AbsentColumns, Plan, RowImage, RowImages, RowsEvent};
use crate::row::Row;

/// One mirrored table: rows by key, and its indexes.
#[derive(Clone)]
pub struct Table<R: Row> {
    rows: imbl::OrdMap<R::Key, Arc<R>>,
    indexes: R::Indexes,
    children: Children<R>,
}

impl<R: Row> Default for Table<R> {
    fn default() -> Self {
        Self {
            rows: imbl::OrdMap::new(),
            indexes: R::Indexes::default(),
            children: Children::default(),
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

    /// The row with this key, to tell whether another version holds the very same.
    pub(super) fn shared(&self, key: &R::Key) -> Option<&Arc<R>> {
        self.rows.get(key)
    }

    /// Rows after one key up to another, both optional, in key order.
    pub(super) fn between(
        &self,
        after: Option<&R::Key>,
        up_to: Option<&R::Key>,
    ) -> Box<dyn Iterator<Item = &Arc<R>> + '_> {
        let start = after.map_or(Bound::Unbounded, |key| Bound::Excluded(key.clone()));
        let end = up_to.map_or(Bound::Unbounded, |key| Bound::Included(key.clone()));
        let bounds = (start, end);
        if is_empty_range(&bounds) {
            return Box::new(std::iter::empty());
        }
        Box::new(self.rows.range(bounds).map(|(_, row)| row))
    }

    fn put(&mut self, row: &Arc<R>) -> Option<Arc<R>> {
        let old = self.rows.insert(row.key(), Arc::clone(row));
        if let Some(old) = &old {
            self.indexes.remove(old);
            self.children.remove(old);
        }
        self.indexes.insert(row);
        self.children.insert(row);
        old
    }

    fn take(&mut self, key: &R::Key) -> Option<Arc<R>> {
        let old = self.rows.remove(key)?;
        self.indexes.remove(&old);
        self.children.remove(&old);
        Some(old)
    }

    /// Applies the images of one row.
    #[inline]
    fn change(
        &mut self,
        images: &RowImages<'_>,
        mode: Mode,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        let change = match (&images.before, &images.after) {
            (None, Some(after)) => self.insert(after, mode).map(Some),
            (Some(before), Some(after)) => self.update(before, after, mode),
            (Some(before), None) => self.delete(before, mode),
            (None, None) => Err(ApplyError::Mismatch("a row without images")),
        };
        change.map_err(|error| error.of_row(|| image_key::<R>(images)))
    }

    fn insert(&mut self, image: &RowImage<'_>, mode: Mode) -> Result<RowChange<R>, ApplyError> {
        let after = Arc::new(decode_whole::<R>(image)?);
        match self.put(&after) {
            None => Ok(RowChange::Insert { after }),
            Some(before) if mode == Mode::Strict => {
                self.put(&before);
                Err(Divergence::InsertOfKnown.into())
            }
            Some(before) => Ok(RowChange::Update { before, after }),
        }
    }

    fn delete(
        &mut self,
        image: &RowImage<'_>,
        mode: Mode,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        let key = R::decode_key(image)?;
        if let Some(held) = self.get(&key) {
            check_before(held, image, mode)?;
        }
        match self.take(&key) {
            Some(before) => Ok(Some(RowChange::Delete { before })),
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
        let Some(held) = self.shared(&key).cloned() else {
            return match mode {
                Mode::Strict => Err(Divergence::UpdateOfUnknown.into()),
                Mode::Tolerant | Mode::Lenient => self.update_of_missing(&key, after),
            };
        };
        check_before(held.as_ref(), before, mode)?;
        let row = Arc::new(match after.replaces() {
            true => decode_whole(after)?,
            false => merged(held.as_ref(), &key, before, after, mode)?,
        });
        let new_key = row.key();
        if new_key != key {
            if mode == Mode::Strict && self.shared(&new_key).is_some() {
                return Err(Divergence::UpdateToKnown.into());
            }
            self.take(&key);
        }
        self.put(&row);
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
            Err(error) if error.is_absent() && after.replaces() => {
                Err(lacking::<R>(after, &error).into())
            }
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
        if rows.absent == AbsentColumns::Unknown {
            return match mode {
                Mode::Lenient => Ok(()),
                _ => Err(Divergence::ReplaceNotTold.into()),
            };
        }
        let mut reader = plan.reader(rows);
        while let Some(images) = reader.next()? {
            let change = match self.change(&images, mode) {
                Err(ApplyError::Divergence { .. }) if mode == Mode::Lenient => None,
                change => change?,
            };
            if let (Some(changes), Some(change)) = (changes.as_deref_mut(), change) {
                changes.push(change.into());
            }
        }
        Ok(())
    }

    fn apply_first(
        &mut self,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
        changes: Option<&mut Vec<C>>,
    ) -> Result<FirstRow, ApplyError> {
        if rows.absent == AbsentColumns::Unknown {
            return Err(Divergence::ReplaceNotTold.into());
        }
        let mut reader = plan.reader(rows);
        let change = match reader.next()? {
            Some(images) => self.change(&images, mode)?,
            None => None,
        };
        let bytes = reader.position();
        let change = change.inspect(|change| {
            if let Some(changes) = changes {
                changes.push(change.clone().into());
            }
        });
        Ok(FirstRow {
            bytes,
            change: change.and_then(row_images),
        })
    }

    fn change_children(
        &mut self,
        key: usize,
        parent: &ParentKey,
        change: &ChildChange,
        mut changes: Option<&mut Vec<C>>,
    ) -> Result<Vec<RowImagesOf>, ApplyError> {
        let mut changed = Vec::new();
        for child in self.children.of(key, parent) {
            let Some(before) = self.take(&child) else {
                return Err(ApplyError::Mismatch("a child row that is not there"));
            };
            let row_change = match change {
                ChildChange::Delete => RowChange::Delete { before },
                ChildChange::Set(values) => {
                    let mut row = R::clone(&before);
                    let fields = R::layout()
                        .foreign_keys
                        .get(key)
                        .map_or(&[][..], |key| key.fields);
                    for (&field, value) in fields.iter().zip(values) {
                        row.assign(field, &mut std::iter::once(value.clone()))?;
                    }
                    let after = Arc::new(row);
                    if self.put(&after).is_some() {
                        return Err(Divergence::UpdateToKnown.into());
                    }
                    RowChange::Update { before, after }
                }
            };
            if let Some(changes) = changes.as_deref_mut() {
                changes.push(row_change.clone().into());
            }
            changed.extend(row_images(row_change));
        }
        Ok(changed)
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

    fn comparer(&self) -> Box<dyn Comparer> {
        Box::new(TableComparer::<R>::new())
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
        if rows.absent != AbsentColumns::Kept {
            return Err(Divergence::ReplaceNotTold.into());
        }
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
