//! How row images are applied to a table.

use std::sync::Arc;

use arc_swap::ArcSwap;
use version_store::{Placed, RowRef, Writing};

use super::children::{Children, assigned};
use super::meeting::{
    check_before, decode_whole, image_key, lacking, merged, moves_partly, row_images,
};
use super::ordered::{Following, Ordered};
use super::table::{Shared, Table};
use super::table_writer::{Batch, FirstRow, RowImagesOf, TableMemory, TableWriter, Unapplied};
use super::{ApplyError, ChildChange, Divergence, Mode, ParentKey, RowChange, TableReader};
use crate::image::{AbsentColumns, Plan, RowImage, RowImages, RowsEvent};
use crate::row::Row;

/// A table and what is needed to write it.
pub(super) struct TableCore<R: Row> {
    table: Table<R>,
    pub(super) rows: version_store::TableWriter<R, Following<R>>,
}

/// What an image is applied in.
#[derive(Clone, Copy)]
pub(super) struct Applying<'w> {
    pub(super) at: Writing<'w>,
    pub(super) mode: Mode,
    /// Whether changes are listed.
    pub(super) listed: bool,
}

impl<R: Row> TableCore<R> {
    pub(super) fn new(at: Writing<'_>) -> Self {
        let (rows, writer) = version_store::Table::followed(at, Following::default());
        let ordered = ArcSwap::new(Arc::new(Ordered::default()));
        let table = Table {
            shared: Arc::new(Shared { rows, ordered }),
        };
        Self {
            table,
            rows: writer,
        }
    }

    pub(super) fn table(&self) -> &Table<R> {
        &self.table
    }

    /// Applies the images of one row; the change, if it is to be listed and there is one.
    #[inline]
    fn change(
        &mut self,
        images: &RowImages<'_>,
        applying: Applying<'_>,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        let change = match (&images.before, &images.after) {
            (None, Some(after)) => self.insert(after, applying),
            (Some(before), Some(after)) => self.update(before, after, applying),
            (Some(before), None) => self.delete(before, applying),
            (None, None) => Err(ApplyError::Mismatch("a row without images")),
        };
        change.map_err(|error| error.of_row(|| image_key::<R>(images)))
    }

    fn insert(
        &mut self,
        image: &RowImage<'_>,
        applying: Applying<'_>,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        Ok(self.insert_row(decode_whole::<R>(image)?, applying)?)
    }

    #[inline]
    pub(super) fn insert_row(
        &mut self,
        row: R,
        applying: Applying<'_>,
    ) -> Result<Option<RowChange<R>>, Divergence> {
        if applying.mode == Mode::Strict {
            let Some(placed) = self.rows.put_new(applying.at, row) else {
                return Err(Divergence::InsertOfKnown);
            };
            return Ok(applying.listed.then(|| RowChange::Insert {
                after: placed.row(),
            }));
        }
        Ok(self.put(row, applying))
    }

    /// Puts a row, whether there is one with its key or not.
    fn put(&mut self, row: R, applying: Applying<'_>) -> Option<RowChange<R>> {
        let placed = self.rows.put(applying.at, row);
        applying.listed.then(|| change_of(&placed))
    }

    fn delete(
        &mut self,
        image: &RowImage<'_>,
        applying: Applying<'_>,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        let key = R::decode_key(image)?;
        let key = R::borrowed(&key);
        if let Some(held) = self.rows.get(key) {
            check_before(held, image, applying.mode)?;
        }
        match self.rows.remove(applying.at, key) {
            Some(before) => Ok(applying.listed.then_some(RowChange::Delete { before })),
            None if applying.mode == Mode::Strict => Err(Divergence::DeleteOfUnknown.into()),
            None => Ok(None),
        }
    }

    fn update(
        &mut self,
        before: &RowImage<'_>,
        after: &RowImage<'_>,
        applying: Applying<'_>,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        let mode = applying.mode;
        let key = R::decode_key(before)?;
        let Some(held) = self.rows.get(R::borrowed(&key)) else {
            return match mode {
                Mode::Strict => Err(Divergence::UpdateOfUnknown.into()),
                Mode::Tolerant | Mode::Lenient => self.update_of_missing(&key, after, applying),
            };
        };
        check_before(held, before, mode)?;
        let row = match after.replaces() {
            true => decode_whole(after)?,
            false => merged(held, &key, before, after, mode)?,
        };
        if R::is_same_key(row.key_ref(), R::borrowed(&key)) {
            return Ok(self.put(row, applying));
        }
        if mode == Mode::Strict && self.rows.get(row.key_ref()).is_some() {
            return Err(Divergence::UpdateToKnown.into());
        }
        let held = self.rows.remove(applying.at, R::borrowed(&key));
        let placed = self.rows.put(applying.at, row);
        Ok(applying.listed.then(|| match held {
            Some(before) => RowChange::Update {
                before,
                after: placed.row(),
            },
            None => RowChange::Insert {
                after: placed.row(),
            },
        }))
    }

    /// A replayed update of a row that the SELECTs did not see. With all columns it is an
    /// insert. With some, the row is deleted later in the replay, unless the update moved it
    /// to another key, past the SELECTs: then the rest of it is nowhere to be had.
    fn update_of_missing(
        &mut self,
        key: &R::Key,
        after: &RowImage<'_>,
        applying: Applying<'_>,
    ) -> Result<Option<RowChange<R>>, ApplyError> {
        match R::decode(after) {
            Err(error) if error.is_absent() && after.replaces() => {
                Err(lacking::<R>(after, &error).into())
            }
            Ok(row) => Ok(self.put(row, applying)),
            Err(error) if error.is_absent() => {
                if moves_partly::<R>(key, after) {
                    return Err(Divergence::PartialMove.into());
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Does to one child row what a foreign key says.
    fn change_child(
        &mut self,
        at: Writing<'_>,
        key: usize,
        child: &R::Key,
        change: &ChildChange,
    ) -> Result<RowChange<R>, ApplyError> {
        const GONE: ApplyError = ApplyError::Mismatch("a child row that is not there");
        let held = self.rows.get(R::borrowed(child)).ok_or(GONE)?;
        let row = match change {
            ChildChange::Delete => None,
            ChildChange::Set(values) => Some(assigned(held, key, values)?),
        };
        // Looked at before the row goes, or it would be lost.
        let is_taken = |row: &R| {
            let new = row.key_ref();
            !R::is_same_key(new, R::borrowed(child)) && self.rows.get(new).is_some()
        };
        if row.as_ref().is_some_and(is_taken) {
            return Err(Divergence::UpdateToKnown.into());
        }
        let before = self.rows.remove(at, R::borrowed(child)).ok_or(GONE)?;
        Ok(match row {
            None => RowChange::Delete { before },
            Some(row) => RowChange::Update {
                before,
                after: self.rows.put(at, row).row(),
            },
        })
    }

    /// Gives readers the order of keys and the indexes; it has all that theirs must have.
    pub(super) fn show_order(&mut self) {
        if let Some(ordered) = self.rows.follow_mut().take_new() {
            self.table.shared.ordered.store(ordered);
        }
    }

    fn refs(&self) -> impl Iterator<Item = RowRef<R>> {
        let keys = self.rows.follow().ordered().keys.iter();
        keys.filter_map(|key| self.rows.get_ref(R::borrowed(key)))
    }
}

/// What putting a row changed.
pub(super) fn change_of<R>(placed: &Placed<'_, R>) -> RowChange<R> {
    let after = placed.row();
    match placed.before_ref() {
        None => RowChange::Insert { after },
        Some(before) => RowChange::Update { before, after },
    }
}

impl<R, C> TableWriter<C> for TableCore<R>
where
    R: Row,
    C: From<RowChange<R>>,
{
    fn reader(&self) -> &dyn TableReader {
        &self.table
    }

    fn new_empty(&self, at: Writing<'_>) -> Box<dyn TableWriter<C>> {
        Box::new(Self::new(at))
    }

    fn copy_at(&self, at: Writing<'_>, number: u64) -> Option<Box<dyn TableWriter<C>>> {
        if self.rows.changed_in() <= number {
            return None;
        }
        let mut copy = Self::new(at);
        for row in self.rows.rows_at(at, number) {
            copy.rows.put(at, row.clone());
        }
        Some(Box::new(copy))
    }

    fn apply(
        &mut self,
        at: Writing<'_>,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
        mut changes: Option<&mut Vec<C>>,
    ) -> Result<(), Unapplied> {
        if rows.absent == AbsentColumns::Unknown {
            return match mode {
                Mode::Lenient => Ok(()),
                _ => Err(Unapplied::at(0)(Divergence::ReplaceNotTold.into())),
            };
        }
        let applying = Applying {
            at,
            mode,
            listed: changes.is_some(),
        };
        let mut reader = plan.reader(rows);
        self.apply_straight(&mut reader, applying, &mut changes)?;
        loop {
            let bytes = reader.position();
            let images = match reader.next() {
                Ok(Some(images)) => images,
                Ok(None) => return Ok(()),
                Err(error) => return Err(Unapplied::at(bytes)(error.into())),
            };
            let change = match self.change(&images, applying) {
                Err(ApplyError::Divergence { .. }) if mode == Mode::Lenient => None,
                change => change.map_err(Unapplied::at(bytes))?,
            };
            if let (Some(changes), Some(change)) = (changes.as_deref_mut(), change) {
                changes.push(change.into());
            }
        }
    }

    fn apply_first(
        &mut self,
        at: Writing<'_>,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
        changes: Option<&mut Vec<C>>,
    ) -> Result<FirstRow, ApplyError> {
        if rows.absent == AbsentColumns::Unknown {
            return Err(Divergence::ReplaceNotTold.into());
        }
        let applying = Applying {
            at,
            mode,
            listed: true,
        };
        let mut reader = plan.reader(rows);
        let change = match reader.next()? {
            Some(images) => self.change(&images, applying)?,
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
        at: Writing<'_>,
        key: usize,
        parent: &ParentKey,
        change: &ChildChange,
        mut changes: Option<&mut Vec<C>>,
    ) -> Result<Vec<RowImagesOf>, ApplyError> {
        let mut changed = Vec::new();
        for child in self.rows.follow().children.of(key, parent) {
            let held = self.rows.get(R::borrowed(&child));
            if !held.is_some_and(|held| Children::is_of(held, key, parent)) {
                continue;
            }
            let row_change = self.change_child(at, key, &child, change)?;
            if let Some(changes) = changes.as_deref_mut() {
                changes.push(row_change.clone().into());
            }
            changed.extend(row_images(row_change));
        }
        Ok(changed)
    }

    fn insert_batch(&mut self, at: Writing<'_>, batch: Box<dyn Batch>) -> Result<(), ApplyError> {
        let rows = batch
            .into_any()
            .downcast::<Vec<R>>()
            .map_err(|_| ApplyError::Mismatch("a batch of another table"))?;
        for row in *rows {
            self.rows.put(at, row);
        }
        Ok(())
    }

    fn describe(&self, changes: &mut Vec<C>) {
        changes.push(RowChange::Truncate.into());
        changes.extend(self.refs().map(|after| RowChange::Insert { after }.into()));
    }

    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn publish(&mut self) {
        self.show_order();
    }

    fn roll_back(&mut self, at: Writing<'_>) {
        self.rows.roll_back(at);
    }

    fn reclaim(&mut self, at: Writing<'_>, most: usize) -> bool {
        let more = self.rows.reclaim(at, most);
        if !more && self.rows.follow().should_show() {
            self.show_order();
        }
        more
    }

    fn changes(&self) -> u64 {
        self.rows.changes()
    }

    fn waits(&self) -> Option<u64> {
        self.rows.waits()
    }

    fn memory(&self) -> TableMemory {
        let (held, follow) = (self.rows.memory(), self.rows.follow());
        TableMemory {
            rows: held.rows,
            versions: held.versions,
            row_bytes: held.version_bytes + follow.heap_bytes,
            index_bytes: held.slot_bytes + follow.index_bytes(),
        }
    }
}
