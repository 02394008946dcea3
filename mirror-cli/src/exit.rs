//! Failures of a command, and the exit codes that they give.

use mirror_runtime::source::SourceErrorKind;
use mirror_runtime::{CheckpointError, Error, SourceError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The mirror or the server.
    #[error(transparent)]
    Mirror(#[from] Error),
    /// Arguments that the command line parser could not judge.
    #[error("{0}")]
    Usage(String),
    /// Rows of the mirror and of the server differ.
    #[error(
        "mirror and server differ (rows: {rows}, see above); find out who writes without the binlog (sql_log_bin=0), and load the tables again"
    )]
    Differs {
        /// How many.
        rows: u64,
    },
    /// Rows changed so fast that they could not be compared.
    #[error(
        "not all rows could be compared (rows left: {rows}, see above), the others are equal; run it again when less is written"
    )]
    NotCompared {
        /// How many.
        rows: u64,
    },
    /// Everything else was done, but for the checkpoint.
    #[error("{0}")]
    Checkpoint(String),
    /// The mirror is live, but not in a state that a service should use.
    #[error("a service should not use this mirror: {0}")]
    NotReady(String),
    /// Who read the output has ended, as `head` does: nothing is to be said.
    #[error("nobody reads the output any more")]
    NobodyReads,
    /// A signal ended the command before it was done.
    #[error("interrupted; files that were not complete were not written")]
    Interrupted,
    /// The output cannot be written.
    #[error("cannot write {what}: {error}; check space and rights there")]
    Output {
        /// Path, or `standard output`.
        what: String,
        /// The operating system's reason.
        error: std::io::Error,
    },
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::Mirror(error.into())
    }
}

impl Failure {
    /// The exit code, as `mirror --help` lists them.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_)
            | Self::NotCompared { .. }
            | Self::Mirror(Error::UnknownTable { .. } | Error::Option { .. }) => 2,
            Self::Differs { .. } | Self::NotReady(_) => 1,
            Self::Interrupted => 130,
            Self::Mirror(Error::Checkpoint(CheckpointError::Write { .. }))
            | Self::Checkpoint(_)
            | Self::Output { .. } => 9,
            Self::Mirror(Error::Checkpoint(_)) => 10,
            Self::Mirror(Error::Limit(_)) => 11,
            Self::Mirror(Error::Table(_)) => 1,
            Self::Mirror(Error::Source(error)) => source_code(error.kind()),
            Self::Mirror(Error::Stopped | Error::TimedOut { .. }) => 3,
            Self::Mirror(Error::WithoutGtids) => 5,
            Self::NobodyReads => 0,
        }
    }
}

fn source_code(kind: SourceErrorKind) -> u8 {
    match kind {
        SourceErrorKind::Url => 2,
        SourceErrorKind::AccessDenied => 4,
        SourceErrorKind::Setting => 5,
        SourceErrorKind::MissingRight => 6,
        SourceErrorKind::DuplicateServerId => 7,
        SourceErrorKind::Purged => 8,
        SourceErrorKind::Unknown => 1,
        SourceErrorKind::Limit => 11,
        _ => 3,
    }
}
