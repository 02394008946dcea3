//! The published version of all tables, readers' snapshots of it, and the single writer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use version_store::{Moment, Publisher, Writing};

use super::compare::HeldTable;
use super::table::{Table, TableAt};
use super::{ApplyError, Batch, RowValues, Schema, StoredRows, TableMemory, TableWriter};
use crate::row::Row;
use crate::source::BinlogPosition;

/// Rows that are freed at a commit, beyond twice those that it changed.
const RECLAIMED_AT_COMMIT: usize = 1024;
/// Rows that are freed between two looks at the clock when there is nothing else to do.
const RECLAIMED_AT_ONCE: usize = 10_000;

/// Which state of the server a snapshot shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Version {
    /// Counts publications, from 0 for the empty state before the first load.
    pub number: u64,
    /// The transaction boundary in the binlog, `FILE:POS`; `None` before the first load.
    pub position: Option<BinlogPosition>,
    /// Counts the loads that were published, from 0 before the first. Within one load, a row
    /// that no change touched is the same row in memory from version to version.
    pub load: u64,
}

/// One version of all tables.
#[derive(Clone)]
struct Published<S> {
    /// The tables' handles: the same from version to version, but for loads and TRUNCATE.
    tables: Arc<S>,
    /// Rows, by table index.
    counts: Arc<[usize]>,
    version: Version,
}

/// The tables of a mirror: what is published now, for readers on any thread.
pub struct Store<S: Schema> {
    inner: Arc<version_store::Store<Published<S>>>,
}

/// All tables at one transaction boundary; it stays as it is however long it is kept.
///
/// A clone is another handle of the same version.
pub struct Snapshot<S: Schema> {
    inner: version_store::Snapshot<Published<S>>,
}

impl<S: Schema> Clone for Snapshot<S> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }
}

impl<S: Schema> Snapshot<S> {
    /// The handles of the tables.
    #[must_use]
    #[inline]
    pub fn tables(&self) -> &S {
        &self.inner.payload().tables
    }

    /// Which version this is.
    #[must_use]
    pub fn version(&self) -> &Version {
        &self.inner.payload().version
    }

    /// One of the tables at this version, by its handle and its index.
    #[must_use]
    #[inline]
    pub fn table<'s, R: Row>(&'s self, table: &'s Table<R>, index: usize) -> TableAt<'s, R> {
        let rows = self.inner.payload().counts.get(index);
        table.at(self.inner.moment(), rows.copied().unwrap_or(0))
    }

    /// Every row of the table with this index in key order; none past the last table.
    pub fn rows(&self, index: usize) -> impl Iterator<Item = &dyn RowValues> {
        let table = self.tables().table(index);
        table
            .into_iter()
            .flat_map(|table| table.rows(self.moment()))
    }

    /// Number of rows of the table with this index; 0 past the last table.
    #[must_use]
    pub fn row_count(&self, index: usize) -> usize {
        self.inner.payload().counts.get(index).copied().unwrap_or(0)
    }

    /// The rows of the table with this index as a checkpoint holds them; nothing past the last.
    pub(crate) fn stored_rows(&self, index: usize) -> Option<StoredRows<'_>> {
        Some(self.tables().table(index)?.stored_rows(self.moment()))
    }

    pub(crate) fn held(&self, index: usize) -> Option<HeldTable<'_>> {
        Some(HeldTable {
            table: self.tables().table(index)?.as_any(),
            at: self.moment(),
        })
    }

    fn moment(&self) -> Moment<'_> {
        self.inner.moment()
    }
}

impl<S: Schema> Store<S> {
    /// A store with empty tables, and the one writer of it.
    #[must_use]
    pub fn new() -> (Arc<Self>, Writer<S>) {
        let mut writers = Vec::new();
        let mut first = None;
        let (inner, publisher) = version_store::Store::with(|at| {
            let (tables, made) = S::empty(at);
            writers = made;
            let published = Published {
                tables: Arc::new(tables),
                counts: vec![0; writers.len()].into(),
                version: Version::default(),
            };
            first = Some(published.clone());
            published
        });
        let published = first.unwrap_or_else(|| inner.snapshot().payload().clone());
        let writer = Writer {
            publisher,
            loads: vec![LoadedIn(0); writers.len()],
            tables: writers,
            published,
            replaced: Vec::new(),
            touched: Vec::new(),
            unshown: Vec::new(),
            waiting: Vec::new(),
            retired: VecDeque::new(),
        };
        (Arc::new(Self { inner }), writer)
    }

    /// The version that is published now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<S> {
        Snapshot {
            inner: self.inner.snapshot(),
        }
    }
}

/// Tables that are being loaded, by table index; no reader sees them before they are in the place
/// of those of a [`Writer`].
pub struct NewTables<S: Schema> {
    tables: Vec<Option<BoxedWriter<S>>>,
}

impl<S: Schema> NewTables<S> {
    /// What the table with this index takes; nothing for one that is not loaded.
    pub(crate) fn memory(&self, index: usize) -> TableMemory {
        let table = self.tables.get(index).and_then(Option::as_ref);
        table.map_or_else(TableMemory::default, |table| table.memory())
    }

    /// Rows of the table with this index; 0 for one that is not loaded.
    pub(crate) fn row_count(&self, index: usize) -> usize {
        let table = self.tables.get(index).and_then(Option::as_ref);
        table.map_or(0, |table| table.row_count())
    }
}

type BoxedWriter<S> = Box<dyn TableWriter<<S as Schema>::Change>>;

/// The number of the version that has a table as it was loaded.
#[derive(Clone, Copy, PartialEq)]
struct LoadedIn(u64);

/// A table that the running transaction replaced as a whole.
struct Replaced<S: Schema> {
    index: usize,
    table: BoxedWriter<S>,
    loaded: LoadedIn,
}

/// The single writer of a store.
///
/// What is done belongs to the version to come: [`commit`](Self::commit) publishes it,
/// [`mark`](Self::mark) keeps it without publishing, and [`rollback`](Self::rollback) goes back
/// to the last of these.
pub struct Writer<S: Schema> {
    publisher: Publisher<Published<S>>,
    tables: Vec<BoxedWriter<S>>,
    /// The last version, with the handles of the running transaction's tables.
    published: Published<S>,
    /// By table index.
    loads: Vec<LoadedIn>,
    /// What the running transaction replaced.
    replaced: Vec<Replaced<S>>,
    /// Tables that the running transaction wrote to.
    touched: Vec<usize>,
    /// Tables that were written to since the last commit, before the running transaction.
    unshown: Vec<usize>,
    /// Tables that may have memory to give back, now or once snapshots are gone.
    waiting: Vec<usize>,
    /// Tables that were replaced as a whole, and in which version; snapshots may show them.
    retired: VecDeque<(u64, BoxedWriter<S>)>,
}

impl<S: Schema> Writer<S> {
    /// One table to write to, and what it is written with; `None` past the last.
    pub fn table_mut(
        &mut self,
        index: usize,
    ) -> Option<(&mut dyn TableWriter<S::Change>, Writing<'_>)> {
        let table = self.tables.get_mut(index)?;
        add(&mut self.touched, index);
        Some((table.as_mut(), self.publisher.writing()))
    }

    /// One table as the running transaction has it; `None` past the last.
    #[must_use]
    pub fn table(&self, index: usize) -> Option<&dyn TableWriter<S::Change>> {
        self.tables.get(index).map(AsRef::as_ref)
    }

    /// Number of rows of a table, as the running transaction has them; 0 past the last table.
    #[must_use]
    pub fn row_count(&self, index: usize) -> usize {
        self.table(index).map_or(0, TableWriter::row_count)
    }

    /// Empty tables to be loaded.
    #[must_use]
    pub fn new_tables(&self, which: &[bool]) -> NewTables<S> {
        let at = self.publisher.writing();
        let on = |index| which.get(index) == Some(&true);
        let tables = self.tables.iter().enumerate();
        NewTables {
            tables: tables
                .map(|(index, table)| on(index).then(|| table.new_empty(at)))
                .collect(),
        }
    }

    /// Inserts loaded rows into one of the tables that are being loaded.
    ///
    /// # Errors
    /// When the batch is of another table.
    pub fn insert_batch(
        &self,
        tables: &mut NewTables<S>,
        index: usize,
        batch: Box<dyn Batch>,
    ) -> Result<(), ApplyError> {
        match tables.tables.get_mut(index) {
            Some(Some(table)) => table.insert_batch(self.publisher.writing(), batch),
            _ => Err(ApplyError::Mismatch(
                "a batch of a table that is not loaded",
            )),
        }
    }

    /// Puts loaded tables in the place of the ones that there are, without publishing them.
    pub fn replace(&mut self, tables: NewTables<S>) {
        let number = self.publisher.writing().number();
        for (index, table) in tables.tables.into_iter().enumerate() {
            if let Some(table) = table {
                self.put(index, table, LoadedIn(number));
            }
        }
        self.published.version.load += 1;
        self.mark();
    }

    /// Gives a table the rows again that its load had. False when they are not there any more,
    /// since all of its rows were removed meanwhile.
    pub fn back_to_load(&mut self, index: usize) -> bool {
        let at = self.publisher.writing();
        let (Some(table), Some(&loaded)) = (self.tables.get(index), self.loads.get(index)) else {
            return false;
        };
        if loaded == LoadedIn::GONE {
            return false;
        }
        if let Some(copy) = table.copy_at(at, loaded.0) {
            let number = at.number();
            self.put(index, copy, LoadedIn(number));
        }
        self.mark();
        true
    }

    /// Removes every row of a table.
    pub fn truncate(&mut self, index: usize, changes: Option<&mut Vec<S::Change>>) {
        let Some(table) = self.tables.get(index) else {
            return;
        };
        let empty = table.new_empty(self.publisher.writing());
        if let Some(changes) = changes {
            empty.describe(changes);
        }
        self.put(index, empty, LoadedIn::GONE);
    }

    fn put(&mut self, index: usize, table: BoxedWriter<S>, loaded: LoadedIn) {
        let (Some(held), Some(held_load)) = (self.tables.get_mut(index), self.loads.get_mut(index))
        else {
            return;
        };
        Arc::make_mut(&mut self.published.tables).set_table(index, table.reader().as_any());
        let replaced = Replaced {
            index,
            table: std::mem::replace(held, table),
            loaded: std::mem::replace(held_load, loaded),
        };
        // What the transaction goes back to is the first.
        if !self.replaced.iter().any(|other| other.index == index) {
            self.replaced.push(replaced);
        }
        add(&mut self.touched, index);
    }

    /// Makes the state of the running transaction what [`rollback`](Self::rollback) goes back to.
    pub fn mark(&mut self) {
        self.close();
        self.publisher.pass();
    }

    /// Publishes the state at `position`: from now on every new snapshot shows all changes since
    /// the last commit, never some of them.
    pub fn commit(&mut self, position: BinlogPosition) {
        self.close();
        let mut counts = None;
        for index in self.unshown.drain(..) {
            let Some(table) = self.tables.get_mut(index) else {
                continue;
            };
            table.publish();
            if self.published.counts.get(index) != Some(&table.row_count()) {
                let counts = counts.get_or_insert_with(|| self.published.counts.to_vec());
                counts[index] = table.row_count();
            }
            add(&mut self.waiting, index);
        }
        if let Some(counts) = counts {
            self.published.counts = counts.into();
        }
        self.published.version.number += 1;
        self.published.version.position = Some(position);
        self.publisher.publish(self.published.clone());
        self.reclaim(RECLAIMED_AT_COMMIT);
    }

    /// Drops all changes since the last commit or mark.
    pub fn rollback(&mut self) {
        for replaced in self.replaced.drain(..) {
            let Replaced {
                index,
                table,
                loaded,
            } = replaced;
            Arc::make_mut(&mut self.published.tables).set_table(index, table.reader().as_any());
            self.tables[index] = table;
            self.loads[index] = loaded;
        }
        for index in self.touched.drain(..) {
            if let Some(table) = self.tables.get_mut(index) {
                table.roll_back(self.publisher.writing());
                add(&mut self.waiting, index);
            }
        }
    }

    /// Gives back memory of rows that nobody can see any more, for about so long: when there is
    /// nothing else to do. Whether there may be more that no snapshot holds.
    pub fn tidy(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while self.can_reclaim() && self.is_clean() && Instant::now() < until {
            // The same state once more, since what went lately is freed with the next version.
            self.publisher.publish(self.published.clone());
            self.reclaim(RECLAIMED_AT_ONCE);
        }
        self.can_reclaim()
    }

    /// Whether something can be freed now, or with the next version.
    fn can_reclaim(&mut self) -> bool {
        let is_held = self.publisher.oldest_replaced().is_some();
        let oldest = self.publisher.writing().oldest();
        let tables = self.waiting.iter();
        let numbers = tables.filter_map(|&index| self.tables.get(index)?.waits());
        let retired = self.retired.front().map(|(number, _)| *number);
        numbers
            .chain(retired)
            .any(|number| !is_held || number <= oldest)
    }

    /// When the oldest version that a snapshot holds was replaced by a newer one; `None` when none
    /// is held but the one that is published.
    pub fn oldest_replaced(&mut self) -> Option<Instant> {
        self.publisher.oldest_replaced()
    }

    /// What a table takes; nothing past the last.
    #[must_use]
    pub fn memory(&self, index: usize) -> TableMemory {
        self.table(index)
            .map_or_else(TableMemory::default, TableWriter::memory)
    }

    /// Rows of a table that were put or deleted since it was loaded; 0 past the last.
    #[must_use]
    pub fn changes(&self, index: usize) -> u64 {
        self.table(index).map_or(0, TableWriter::changes)
    }

    /// Whether nothing was written since the last commit.
    fn is_clean(&self) -> bool {
        self.touched.is_empty() && self.unshown.is_empty()
    }

    fn close(&mut self) {
        for index in self.touched.drain(..) {
            add(&mut self.unshown, index);
        }
        let number = self.publisher.writing().number();
        let replaced = self.replaced.drain(..);
        self.retired
            .extend(replaced.map(|replaced| (number, replaced.table)));
    }

    fn reclaim(&mut self, most: usize) {
        let at = self.publisher.writing();
        while let Some((number, _)) = self.retired.front()
            && *number <= at.oldest()
        {
            retire(self.retired.pop_front().map(|(_, table)| table));
        }
        let tables = &mut self.tables;
        self.waiting.retain(|&index| {
            tables.get_mut(index).is_some_and(|table| {
                table.reclaim(at, most);
                table.waits().is_some()
            })
        });
    }
}

/// Frees a table that nobody sees any more; a large one beside everything else.
fn retire<C: 'static>(table: Option<Box<dyn TableWriter<C>>>) {
    /// Rows that are freed at once without anybody noticing.
    const FEW: usize = 10_000;
    if let Some(table) = table.filter(|table| table.memory().versions > FEW) {
        std::thread::spawn(move || drop(table));
    }
}

impl LoadedIn {
    /// Of a table that was emptied since.
    const GONE: Self = Self(u64::MAX);
}

/// Adds what is not there yet.
fn add(indexes: &mut Vec<usize>, index: usize) {
    if indexes.last() != Some(&index) && !indexes.contains(&index) {
        indexes.push(index);
    }
}
