//! What a [`TransactionReader`](super::TransactionReader) tells, and whom.

use crate::error::Error;
use crate::image::{Plan, RowsEvent};
use crate::source::{BinlogPosition, Gtid, RawEvent};

/// The end of a transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// Position after the transaction's last event: a place to resume from.
    pub position: BinlogPosition,
    /// The transaction's GTID, where the server gives one.
    pub gtid: Option<Gtid>,
    /// Commit time on the server, in microseconds since 1970-01-01 00:00:00 UTC (whole
    /// seconds where the server logs no more).
    pub committed_at_micros: u64,
}

/// A statement or event after which row events alone no longer tell what a table holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// Table indexes.
    pub tables: Vec<usize>,
    /// What it was: the leading words of a statement, or the name of an event.
    pub kind: String,
}

impl Touch {
    /// Whether it was a statement about the tables' definition, which waits for everybody who
    /// uses them and lets nobody use them until it is over.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        ["ALTER", "CREATE", "DROP", "RENAME", "TRUNCATE"]
            .iter()
            .any(|verb| self.kind.starts_with(verb))
    }

    /// Whether the server said that its log lacks changes.
    #[must_use]
    pub fn is_incident(&self) -> bool {
        self.kind == "INCIDENT"
    }
}

/// How a table came to have another definition, as far as its statement tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redefined {
    /// By a change of the one that it had.
    Altered,
    /// By CREATE TABLE: nothing of before is left.
    Created,
}

/// What a [`TransactionReader`](super::TransactionReader) tells.
pub trait TransactionSink {
    /// Rows of a mirrored table, within a transaction.
    ///
    /// # Errors
    /// When they cannot be taken; the reader stops with it.
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), Error>;
    /// Rows of a mirrored table that are in a layout which cannot be told: the table was redefined
    /// on the way, and its table map has no names. `error` says so, with what to do.
    ///
    /// # Errors
    /// `error`, unless a sink can do without these rows.
    fn unnamed_rows(&mut self, _table: usize, _how: Redefined, error: Error) -> Result<(), Error> {
        Err(error)
    }
    /// TRUNCATE TABLE of a mirrored table.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn truncate(&mut self, table: usize) -> Result<(), Error>;
    /// Row events alone no longer tell what these tables hold; told before the boundary.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn touched(&mut self, touch: Touch) -> Result<(), Error>;
    /// Everything since the last boundary is committed.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn commit(&mut self, boundary: Boundary) -> Result<(), Error>;
    /// Everything since the last boundary never happened.
    fn abandon(&mut self);
}
