//! What can be wrong with a TABLE_MAP or rows event.

/// An event that cannot be read. None of these is cured by reading it again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The bytes end before the event does.
    #[error("{what} at byte {at} takes {expected} bytes, found {found}: the event is damaged")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Byte offset within the event's body (rows: within the rows).
        at: usize,
        /// Bytes that it takes.
        expected: usize,
        /// Bytes that are left.
        found: usize,
    },
    /// Bytes that mean nothing.
    #[error("{what} at byte {at} is not valid: the event is damaged or of an unknown format")]
    Invalid {
        /// What was being read.
        what: &'static str,
        /// Byte offset within the event's body (rows: within the rows).
        at: usize,
    },
    /// A column of a type that this version does not know, so that what follows it is unknown too.
    #[error(
        "column {ordinal} (from 0) has the unknown type code {type_code}: \
         expected a type of MySQL up to 9.7 or MariaDB up to 11.8"
    )]
    UnknownType {
        /// Position of the column in the table, from 0.
        ordinal: usize,
        /// Type code found.
        type_code: u8,
    },
    /// A rows event of another format.
    #[error(
        "rows event of type {event_type}: expected one of WRITE_ROWS, UPDATE_ROWS, DELETE_ROWS \
         and PARTIAL_UPDATE_ROWS (23 to 25, 30 to 32, 39)"
    )]
    Unsupported {
        /// Event type code found.
        event_type: u8,
    },
    /// The rows event is about another number of columns than the table map before it.
    #[error("the rows event has {found} columns, expected {expected} as in its table map")]
    ColumnCount {
        /// Columns in the table map.
        expected: usize,
        /// Columns in the rows event.
        found: usize,
    },
    /// A row has NULL in a column that its own table map calls NOT NULL.
    #[error("NULL at byte {at} in a column that the table map calls NOT NULL")]
    UnexpectedNull {
        /// Byte offset of the row's null bitmap within the rows.
        at: usize,
    },
}

/// A table on the server that is not the one that was compiled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "table {table}, column {column}: expected {expected}, found {found}; \
     run `cargo xtask regenerate` and release again"
)]
pub struct LayoutMismatch {
    /// `database.table`.
    pub table: String,
    /// Column name, or its position for a column that is not mirrored.
    pub column: String,
    /// What was compiled in.
    pub expected: String,
    /// What the server's table map says.
    pub found: String,
}
