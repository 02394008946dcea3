//! Recorded events into a store's writer, as a mirror's thread does it: the same reader of
//! transactions, tables, and commits. It is the one place of the benchmarks that writes to a
//! store of `mirror-runtime`.

use std::path::Path;
use std::sync::Arc;

use generated::{Change, Snapshot, Tables};
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::source::{EventSource, RawEvent, RecordedSource, TruncatedTail};
use mirror_runtime::store::{Mode, Schema, Store, Writer};
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{Error as MirrorError, TableError};

use crate::Error;

/// All tables in memory, without a server.
pub struct MemoryMirror {
    store: Arc<Store<Tables>>,
    sink: Sink,
}

struct Sink {
    writer: Writer<Tables>,
    commits: u64,
}

impl MemoryMirror {
    /// Empty tables.
    #[must_use]
    pub fn new() -> Self {
        let (store, writer) = Store::new();
        Self {
            store,
            sink: Sink { writer, commits: 0 },
        }
    }

    /// Applies everything in a binlog file; the transactions that were published.
    ///
    /// # Errors
    /// When the file cannot be read, or its rows do not fit.
    pub fn apply(&mut self, file: &Path) -> Result<u64, Error> {
        let layouts = Tables::layouts();
        let selected = vec![true; layouts.len()];
        let mut reader = TransactionReader::new(layouts, &selected);
        let mut source = RecordedSource::open([file], TruncatedTail::End)?;
        let before = self.sink.commits;
        while let Some(event) = source.next_event()? {
            reader.event(&event, &mut self.sink)?;
        }
        Ok(self.sink.commits - before)
    }

    /// All tables as readers see them now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.store.snapshot().into()
    }
}

impl Default for MemoryMirror {
    fn default() -> Self {
        Self::new()
    }
}

impl TransactionSink for Sink {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), MirrorError> {
        let Some((held, at)) = self.writer.table_mut(table) else {
            return Ok(());
        };
        held.apply(at, plan, rows, Mode::Strict, None::<&mut Vec<Change>>)
            .map_err(|unapplied| TableError::Event {
                event: event.header.type_name(),
                position: event.end_position(),
                detail: unapplied.error.to_string(),
            })?;
        Ok(())
    }

    fn truncate(&mut self, table: usize) -> Result<(), MirrorError> {
        self.writer.truncate(table, None);
        Ok(())
    }

    fn touched(&mut self, _touch: Touch) -> Result<(), MirrorError> {
        Ok(())
    }

    fn commit(&mut self, boundary: Boundary) -> Result<(), MirrorError> {
        self.writer.commit(boundary.position);
        self.commits += 1;
        Ok(())
    }

    fn abandon(&mut self) {
        self.writer.rollback();
    }
}
