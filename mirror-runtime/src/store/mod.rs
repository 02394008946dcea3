//! Tables in memory, snapshots of them, and the single writer.
//!
//! All tables of a mirror are one value of the generated `Tables` type. Its parts are
//! persistent maps, so that a clone is cheap and shares everything: the writer works on a
//! clone, a commit publishes it as a whole, an abandoned transaction just drops it. Readers
//! take the published value and keep it as long as they like.

mod children;
mod compare;
mod divergence;
mod index;
mod meeting;
mod publish;
mod table;
mod table_writer;

pub use children::{ChildChange, ParentKey};
pub use compare::{Comparer, Held, Read};
pub use divergence::{ApplyError, Divergence, Mode};
pub use index::{Index, IndexRange};
pub use publish::{Snapshot, Store, Version, Writer};
pub use table::Table;
pub use table_writer::{Batch, FirstRow, ImageValues, RowImagesOf, ShownRow, TableWriter};

use std::sync::Arc;

use crate::layout::TableLayout;
use crate::row::Row;
use crate::value::Value;

/// The generated secondary indexes of one table.
pub trait Indexes<R: Row>: Clone + Default + Send + Sync + 'static {
    /// Adds a row that is new in the table.
    fn insert(&mut self, row: &Arc<R>);
    /// Removes a row that was in the table.
    fn remove(&mut self, row: &R);
}

/// What a committed transaction did to one row of one table, or to the whole table.
#[derive(Debug, Clone, PartialEq)]
pub enum RowChange<R> {
    /// A new row.
    Insert {
        /// The row.
        after: Arc<R>,
    },
    /// A changed row; its key may have changed too.
    Update {
        /// The row before.
        before: Arc<R>,
        /// The row after.
        after: Arc<R>,
    },
    /// A deleted row.
    Delete {
        /// The row that is gone.
        before: Arc<R>,
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

/// All mirrored tables of a generated crate: implemented by its `Tables` type.
pub trait Schema: Clone + Default + Send + Sync + Sized + 'static {
    /// One change of any of the tables: the generated `Change` enum.
    type Change: Clone + Send + Sync + 'static;
    /// What readers hold: the generated `Snapshot` type.
    type Snapshot: From<Snapshot<Self>> + Send + Sync + 'static;

    /// The layouts of all tables; a *table index* anywhere in the runtime counts these.
    fn layouts() -> &'static [&'static TableLayout];
    /// A hash over everything that was compiled in, as hexadecimal text.
    fn fingerprint() -> &'static str;
    /// One table for reading, without its row type; `None` past the last.
    fn table(&self, index: usize) -> Option<&dyn TableWriter<Self::Change>>;
    /// One table for writing; `None` past the last.
    fn table_mut(&mut self, index: usize) -> Option<&mut dyn TableWriter<Self::Change>>;
    /// A change without its row type.
    fn change_view(change: &Self::Change) -> ChangeView<'_>;
}
