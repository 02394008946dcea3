//! Tables in memory, snapshots of them, and the single writer.
//!
//! Rows are kept in `version-store`, in all versions that somebody can see. The writer stamps what
//! it does with the number of the version to come; a commit shows all of it by one atomic store,
//! an abandoned transaction is undone. Readers take a snapshot, which is a number and the tables'
//! handles, and keep it as long as they like. The order of keys and the indexes have the keys of
//! all versions; readers look again which rows are there in theirs.

mod children;
mod compare;

mod divergence;
mod index;
mod keys;
mod kind;
mod meeting;
#[cfg(test)]
mod model_tests;
mod ordered;
mod prefix;
mod publish;
mod rows;
mod straight;
mod table;
mod table_core;
mod table_writer;

pub use children::{ChildChange, ParentKey};
pub use compare::{Comparer, Held, HeldTable, Read};
pub use divergence::{ApplyError, Divergence, Mode};
pub use index::{Index, IndexOf, Step};
pub use kind::{Rows, TableKind};
pub use publish::{NewTables, Snapshot, Store, Version, Writer};
pub use rows::IndexRange;
pub use table::{Table, TableAt, owned_bounds};
pub use table_writer::{
    Batch, FirstRow, ImageValues, RowImagesOf, ShownRow, StoredRows, TableMemory, TableReader,
    TableWriter, Unapplied,
};
pub use version_store::{Keyed, RowRef, Writing};

use std::any::Any;

use crate::layout::TableLayout;
use crate::row::Row;
use crate::value::Value;

/// The generated secondary indexes of one table.
pub trait Indexes<R: Row>: Clone + Default + Send + Sync + 'static {
    /// Number of indexes.
    const COUNT: usize;
    /// Whether two rows differ in a column of an index.
    fn differ(one: &R, other: &R) -> bool;
    /// Follows a row that came or went, in the place of `beside` if there is one.
    fn follow(&mut self, row: &R, beside: Option<&R>, step: Step);
    /// About the bytes that they take.
    fn bytes(&self) -> usize;
}

/// What a committed transaction did to one row of one table, or to the whole table.
#[derive(Debug, Clone, PartialEq)]
pub enum RowChange<R> {
    /// A new row.
    Insert {
        /// The row.
        after: RowRef<R>,
    },
    /// A changed row; its key may have changed too.
    Update {
        /// The row before.
        before: RowRef<R>,
        /// The row after.
        after: RowRef<R>,
    },
    /// A deleted row.
    Delete {
        /// The row that is gone.
        before: RowRef<R>,
    },
    /// Every row is gone (TRUNCATE TABLE, or the first change of a reload).
    Truncate,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// A new row.
    Insert,
    /// A changed row.
    Update,
    /// A deleted row.
    Delete,
    /// Every row is gone.
    Truncate,
}

/// A row whose type is not known to the reader: column values by field index.
pub trait RowValues {
    /// The table's layout.
    fn row_layout(&self) -> &'static TableLayout;
    /// The value of the mirrored column with this field index.
    ///
    /// # Panics
    /// When `field` is not below the number of mirrored columns.
    fn column_value(&self, field: usize) -> Value<'_>;
}

impl<R: Row> RowValues for R {
    fn row_layout(&self) -> &'static TableLayout {
        R::layout()
    }
    fn column_value(&self, field: usize) -> Value<'_> {
        self.value(field)
    }
}

impl<R: Row> RowValues for RowRef<R> {
    fn row_layout(&self) -> &'static TableLayout {
        R::layout()
    }
    fn column_value(&self, field: usize) -> Value<'_> {
        self.value(field)
    }
}

/// A change whose row type is not known to the reader.
#[derive(Clone, Copy)]
pub struct ChangeView<'a> {
    /// Kind of the change.
    pub op: Op,
    /// The table's layout.
    pub layout: &'static TableLayout,
    /// The row before (update, delete).
    pub before: Option<&'a dyn RowValues>,
    /// The row after (insert, update).
    pub after: Option<&'a dyn RowValues>,
}

impl<R: Row> RowChange<R> {
    /// The change without its row type.
    #[must_use]
    pub fn view(&self) -> ChangeView<'_> {
        let (op, before, after): (Op, Option<&R>, Option<&R>) = match self {
            Self::Insert { after } => (Op::Insert, None, Some(after)),
            Self::Update { before, after } => (Op::Update, Some(before), Some(after)),
            Self::Delete { before } => (Op::Delete, Some(before), None),
            Self::Truncate => (Op::Truncate, None, None),
        };
        ChangeView {
            op,
            layout: R::layout(),
            before: before.map(|row| row as &dyn RowValues),
            after: after.map(|row| row as &dyn RowValues),
        }
    }
}

/// All mirrored tables of a generated crate: implemented by its `Tables` type, which has a handle
/// of each.
pub trait Schema: Clone + Send + Sync + Sized + 'static {
    /// One change of any of the tables: the generated `Change` enum.
    type Change: Clone + Send + Sync + 'static;
    /// What readers hold: the generated `Snapshot` type.
    type Snapshot: From<Snapshot<Self>> + Send + Sync + 'static;

    /// The layouts of all tables; a *table index* anywhere in the runtime counts these.
    fn layouts() -> &'static [&'static TableLayout];
    /// A hash over everything that was compiled in, as hexadecimal text.
    fn fingerprint() -> &'static str;
    /// The types of all tables' rows.
    fn kinds() -> &'static [&'static dyn TableKind];
    /// All tables, empty, and their writers.
    fn empty(at: Writing<'_>) -> (Self, Vec<Box<dyn TableWriter<Self::Change>>>);
    /// One table for reading, without its row type; `None` past the last.
    fn table(&self, index: usize) -> Option<&dyn TableReader>;
    /// Puts another [`Table`] of the same row type in the place of one; of another type, nothing
    /// changes.
    fn set_table(&mut self, index: usize, table: &dyn Any);
    /// A change without its row type.
    fn change_view(change: &Self::Change) -> ChangeView<'_>;
}
