//! Errors: what a retry cannot help ([`TableError`]) and what it may ([`SourceError`]).
//!
//! Messages say where, what, expected and found, and what to do. Row values and passwords
//! are never part of one.

use crate::checkpoint::CheckpointError;
use std::time::Duration;

use crate::limits::LimitError;
use crate::policy::Cause;
use crate::source::{BinlogPosition, SourceError};

/// A value that could not be decoded or converted; the caller adds table and column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// NULL in a column that was NOT NULL when the code was generated.
    #[error("NULL in a NOT NULL column")]
    UnexpectedNull,
    /// The row image does not have the column (binlog_row_image is not FULL).
    #[error("the column is absent from the row image")]
    Absent,
    /// The bytes end before the value does, or go on after it.
    #[error("the value takes {expected} bytes, found {found}")]
    Length {
        /// Bytes that the type takes.
        expected: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// The bytes are there, but are no value of the type.
    #[error("not a value of the column's type: {0}")]
    Invalid(&'static str),
    /// Text that is not valid in the column's character set.
    #[error("text that is not valid {charset} at byte {at}")]
    Text {
        /// Character set.
        charset: &'static str,
        /// Offset of the first bad byte.
        at: usize,
    },
    /// A SELECT gave a value of another kind than the column's type calls for.
    #[error("the SELECT gave a value of kind {found}, expected {expected}")]
    Kind {
        /// What the column's type calls for.
        expected: &'static str,
        /// What arrived.
        found: &'static str,
    },
    /// Differences of a JSON document (`binlog_row_value_options=PARTIAL_JSON`) to something
    /// that the document does not have.
    #[error("JSON differences that do not fit the document that the mirror holds")]
    JsonMisfit,
    /// During the replay of a load: differences that move elements of an array, which the loaded
    /// document may have in it already.
    #[error("JSON differences that move elements of an array that may have been moved already")]
    JsonReplay,
    /// The error of one mirrored column of a row.
    #[error("column {column}: {error}")]
    InColumn {
        /// Column name.
        column: &'static str,
        /// What is wrong with it.
        error: Box<ValueError>,
    },
}

impl ValueError {
    /// Whether it is about a column that the row image does not have.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::InColumn { error, .. } => error.is_absent(),
            _ => false,
        }
    }

    /// The error itself, without the column's name.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::InColumn { error, .. } => error.cause(),
            error => error,
        }
    }

    /// The same error with the column's name.
    #[must_use]
    pub fn in_column(self, column: &'static str) -> Self {
        match self {
            named @ Self::InColumn { .. } => named,
            error => Self::InColumn {
                column,
                error: Box::new(error),
            },
        }
    }
}

/// What makes a mirror stop, or a command over it fail.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The data or its definition: a retry cannot help.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The server or the network.
    #[error(transparent)]
    Source(SourceError),
    /// One of the [`Limits`](crate::Limits) was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// An option of the mirror that is out of its range.
    #[error("option {name}: found {found}, expected {expected}")]
    Option {
        /// Name of the field of [`Options`](crate::Options).
        name: &'static str,
        /// Its value.
        found: String,
        /// The range.
        expected: String,
    },
    /// A checkpoint that is refused, or a folder of checkpoints that is in use.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The mirror was stopped while something waited for it.
    #[error("the mirror was stopped")]
    Stopped,
    /// Something did not happen in time.
    #[error("{what} did not happen within {within:?}")]
    TimedOut {
        /// What was waited for.
        what: String,
        /// How long.
        within: Duration,
    },
    /// GTIDs were waited for, and the mirror follows positions in files.
    #[error(
        "the mirror follows a server without GTIDs, so these cannot be waited for; wait for a binlog position, or turn gtid_mode on"
    )]
    WithoutGtids,
    /// A table was asked for that the generated code does not have.
    #[error(
        "table '{name}' is not mirrored; this build mirrors {mirrored}; name one of these, or add it to schema.json and run `cargo xtask regenerate`"
    )]
    UnknownTable {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        mirrored: String,
    },
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Limit(error) => Self::Limit(error),
            error => Self::Source(error),
        }
    }
}

/// Data or definitions that the mirror cannot follow; readers keep the last state.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TableError {
    /// The table on the server is not the one that was compiled in.
    #[error(
        "table {table}{}: compiled in {expected}, the server has {found}{}; run `cargo xtask regenerate` and build again",
        in_column(column.as_deref()), at(position.as_ref())
    )]
    Layout {
        /// `database.table`.
        table: String,
        /// Column name, when it is about one.
        column: Option<String>,
        /// What was compiled in.
        expected: String,
        /// What the server has.
        found: String,
        /// Where in the binlog it was seen; `None` when seen at connect.
        position: Option<BinlogPosition>,
    },
    /// A row image or a SELECTed value that cannot be decoded.
    #[error(
        "table {table}: {error}{}; check the table with CHECK TABLE, and report this if the server reads it well",
        at(position.as_ref())
    )]
    Value {
        /// `database.table`.
        table: String,
        /// What is wrong.
        error: ValueError,
        /// Where in the binlog; `None` when it came from a SELECT.
        position: Option<BinlogPosition>,
    },
    /// An event that cannot be read.
    #[error(
        "binlog event {event} at {position}: {detail}; check the log with mysqlbinlog --verify-binlog-checksum"
    )]
    Event {
        /// Name of the event type.
        event: &'static str,
        /// Where it ends.
        position: BinlogPosition,
        /// What is wrong.
        detail: String,
    },
    /// An event or row image that this version does not apply.
    #[error("table {table}: {what} at {position} cannot be applied; {remedy}")]
    Unsupported {
        /// `database.table`, or `*` for all.
        table: String,
        /// What was met.
        what: String,
        /// Where.
        position: BinlogPosition,
        /// What to do.
        remedy: &'static str,
    },
    /// A foreign key changes rows of a table with those of another one that is left out.
    #[error(
        "table {table}: constraint `{constraint}` changes its rows when rows of {parent} change, which is not selected, and this server does not log what it does; select {parent} too"
    )]
    ParentNotSelected {
        /// `database.table` of the child.
        table: String,
        /// Name of the foreign key.
        constraint: String,
        /// `database.table` of the parent.
        parent: String,
    },
    /// Row events no longer tell what tables hold, and the policy for the cause is to stop.
    #[error(
        "{reason}; the policy for this cause ({cause}) is to stop; start again, which loads the tables, or choose Policy::Reload for it"
    )]
    StoppedByPolicy {
        /// Of what kind the reason is.
        cause: Cause,
        /// What was met, with table and position.
        reason: String,
    },
    /// The table had to be loaded again too often in a row.
    #[error(
        "table {table}: loaded again {times} times in a row without success, last because of {reason}; {remedy}"
    )]
    ReloadLoop {
        /// `database.table`, or several.
        table: String,
        /// How often.
        times: u32,
        /// Reason of the last reload.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
}

fn in_column(column: Option<&str>) -> String {
    column.map_or_else(String::new, |column| format!(", column {column}"))
}

fn at(position: Option<&BinlogPosition>) -> String {
    position.map_or_else(String::new, |position| format!(" (at {position})"))
}
