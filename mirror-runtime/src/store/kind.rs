//! What can be done with the rows of one type without a table of them.

use std::marker::PhantomData;

use version_store::Writing;

use super::compare::{Comparer, TableComparer};
use super::meeting::lacks_generated;
use super::table::Table;
use super::table_core::TableCore;
use super::table_writer::{Batch, ImageValues, ShownRow, TableWriter};
use super::{ApplyError, Divergence, RowChange};
use crate::error::ValueError;
use crate::image::{AbsentColumns, Plan, RowsEvent};
use crate::row::Row;

/// The type of one table's rows, without its name.
pub trait TableKind: Send + Sync {
    /// An empty batch for [`TableWriter::insert_batch`].
    fn new_batch(&self) -> Box<dyn Batch>;
    /// What compares rows of this type with the server's.
    fn comparer(&self) -> Box<dyn Comparer>;
    /// Decodes the images of one rows event: what a stream without a mirror behind it shows.
    ///
    /// # Errors
    /// When a row cannot be decoded; [`Divergence::GeneratedNotLogged`] when an after image lacks
    /// a generated column, [`Divergence::ReplaceNotTold`] when it lacks others that may have
    /// their defaults.
    fn decode_only(
        &self,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        show: &mut dyn FnMut(ShownRow<'_>, ShownRow<'_>) -> Result<(), ValueError>,
    ) -> Result<(), ApplyError>;
}

/// Rows of the type `R`.
pub struct Rows<R>(PhantomData<fn() -> R>);

impl<R: Row> Rows<R> {
    /// The type.
    pub const KIND: Self = Self(PhantomData);

    /// An empty table, and the writer of it.
    #[must_use]
    pub fn table<C: From<RowChange<R>>>(at: Writing<'_>) -> (Table<R>, Box<dyn TableWriter<C>>) {
        let core = TableCore::<R>::new(at);
        (core.table().clone(), Box::new(core))
    }
}

impl<R: Row> TableKind for Rows<R> {
    fn new_batch(&self) -> Box<dyn Batch> {
        Box::new(Vec::<R>::new())
    }

    fn comparer(&self) -> Box<dyn Comparer> {
        Box::new(TableComparer::<R>::new())
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
