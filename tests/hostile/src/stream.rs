//! Streams of events into the tables.

use mirror_runtime::Error;
use mirror_runtime::Schema as _;
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::source::RawEvent;
use mirror_runtime::store::{Mode, Store, Writer};
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use std::sync::Arc;
use test_mirror::Tables;

use crate::event::{Placer, parts};

/// Events in a row (see [`parts`]; the first byte of the input is odd for a strict application) as
/// a [`TransactionReader`] takes them, applied to all tables.
///
/// A boundary is never told inside a transaction, and after an abandoned one the tables hold what
/// they did at the last boundary.
pub fn stream(input: &[u8]) {
    let Some((mode, input)) = input.split_first() else {
        return;
    };
    let mode = match mode & 1 {
        0 => Mode::Tolerant,
        _ => Mode::Strict,
    };
    let mut sink = Sink::new(mode);
    let mut reader = reader();
    let mut placer = Placer::new();
    for parts in parts(input) {
        let taken = placer.place(parts, |event| reader.event(event, &mut sink));
        if let Err(error) = taken {
            let _ = error.to_string();
            sink.abandon();
            reader.restart();
            assert!(!reader.in_transaction());
        }
    }
    assert_eq!(sink.published(), sink.committed_rows);
}

/// A reader of all tables.
pub(crate) fn reader() -> TransactionReader {
    let layouts = Tables::layouts();
    TransactionReader::new(layouts, &vec![true; layouts.len()])
}

/// Applies what a reader tells to a store.
pub(crate) struct Sink {
    store: Arc<Store<Tables>>,
    writer: Writer<Tables>,
    mode: Mode,
    /// Rows of all tables at the last boundary.
    committed_rows: usize,
    commits: u64,
}

impl Sink {
    pub(crate) fn new(mode: Mode) -> Self {
        let (store, writer) = Store::new();
        Self {
            store,
            writer,
            mode,
            committed_rows: 0,
            commits: 0,
        }
    }

    /// Rows of all tables that readers see.
    pub(crate) fn published(&self) -> usize {
        let snapshot = self.store.snapshot();
        count(|table| snapshot.row_count(table))
    }
}

fn count(rows: impl Fn(usize) -> usize) -> usize {
    (0..Tables::layouts().len()).map(rows).sum()
}

impl TransactionSink for Sink {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        _event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        let (held, at) = self.writer.table_mut(table).unwrap();
        let mut changes = Vec::new();
        // What does not fit is passed over here, so that more of the input is looked at.
        let _ = held.apply(at, plan, rows, self.mode, Some(&mut changes));
        Ok(())
    }

    fn truncate(&mut self, table: usize) -> Result<(), Error> {
        self.writer.truncate(table, None);
        assert_eq!(self.writer.row_count(table), 0);
        Ok(())
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        assert!(
            touch
                .tables
                .iter()
                .all(|table| *table < Tables::layouts().len())
        );
        let _ = touch.is_definition();
        Ok(())
    }

    fn commit(&mut self, boundary: Boundary) -> Result<(), Error> {
        let _ = format!("{boundary:?}");
        self.committed_rows = count(|table| self.writer.row_count(table));
        self.writer.commit(boundary.position);
        self.commits += 1;
        assert_eq!(self.store.snapshot().version().number, self.commits);
        Ok(())
    }

    fn abandon(&mut self) {
        self.writer.rollback();
        assert_eq!(
            count(|table| self.writer.row_count(table)),
            self.committed_rows
        );
    }
}
