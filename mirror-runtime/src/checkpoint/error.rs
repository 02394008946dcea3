//! What can be wrong with a checkpoint, and with its folder.

use crate::error::ValueError;
use crate::source::SourceError;

/// A checkpoint, or its folder, that does not serve.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CheckpointError {
    /// Another process uses the folder.
    #[error(
        "checkpoint folder {folder}: it is in use by another mirror; give each mirror a folder of its own"
    )]
    InUse {
        /// The folder's path.
        folder: String,
    },
    /// The checkpoint cannot be used, and [`WhenUnusable::Refuse`](super::WhenUnusable::Refuse)
    /// says to end then.
    #[error(
        "checkpoint {path} cannot be used: {reason}; remove it or choose to bootstrap, and the tables are loaded from the server"
    )]
    Refused {
        /// The file's path.
        path: String,
        /// Why.
        reason: Box<Unusable>,
    },
    /// A checkpoint cannot be written.
    #[error("checkpoint {path} cannot be written: {error}; check space and rights there")]
    Write {
        /// The path of the file or folder.
        path: String,
        /// The operating system's reason, or what else stands in the way.
        error: String,
    },
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unusable {
    /// It cannot be read from the disk.
    #[error("it cannot be read: {error}")]
    Unreadable {
        /// The operating system's reason.
        error: String,
    },
    /// It is larger than [`Limits::checkpoint_bytes`](crate::Limits::checkpoint_bytes).
    #[error("it has {found} bytes, allowed {allowed} (limit checkpoint_bytes)")]
    TooLarge {
        /// Bytes of the file.
        found: u64,
        /// The limit.
        allowed: u64,
    },
    /// It is no checkpoint, or not all of it, or not as it was written.
    #[error("it is damaged at byte {offset}: {what}")]
    Damaged {
        /// Bytes from the start of the file, to the part that is wrong.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// It has the format of another version of this library.
    #[error("it is of format {found}, expected {expected}")]
    Format {
        /// Number of the format that this version writes.
        expected: u32,
        /// Number of the format that the file has.
        found: u32,
    },
    /// It was written by a program with other tables, columns or types.
    #[error(
        "its tables are not those that were compiled in: fingerprint {found}, expected {expected}"
    )]
    OtherSchema {
        /// Fingerprint of the generated code.
        expected: String,
        /// Fingerprint in the file.
        found: String,
    },
    /// It does not have a table that is selected now.
    #[error("it does not have table {table}, which is selected now")]
    TableMissing {
        /// `database.table`.
        table: String,
    },
    /// A row that the generated code does not take.
    #[error("table {table}: {error}")]
    Value {
        /// `database.table`.
        table: String,
        /// What is wrong.
        error: ValueError,
    },
    /// It is of another server, whose positions mean nothing here.
    #[error("it is of another server: {what} is {found}, expected {expected}")]
    OtherServer {
        /// What tells the servers apart.
        what: &'static str,
        /// What the checkpoint says.
        expected: String,
        /// What the server says.
        found: String,
    },
    /// The server's binlog cannot be followed from its place.
    #[error("the binlog cannot be followed from {position}: {error}")]
    Gone {
        /// Where the checkpoint stands.
        position: String,
        /// What the server says.
        error: Box<SourceError>,
    },
}
