//! Why a run could not be carried out (exit code 2).

use std::io;
use std::path::Path;

/// Why a run could not be carried out. What a run finds wrong with the mirror is no error of
/// the run: see [`Finding`](crate::finding::Finding).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A lab server could not be had.
    #[error(transparent)]
    Lab(#[from] lab::Error),
    /// The server could not be asked for its definitions.
    #[error(transparent)]
    Server(#[from] xtask::ServerError),
    /// The server's URL cannot be used.
    #[error(transparent)]
    Url(#[from] xtask::UrlError),
    /// A statement of the machinery itself failed.
    #[error("{doing}: {source}")]
    Sql {
        /// What was being done.
        doing: String,
        /// What the server or the connection said.
        source: mysql::Error,
    },
    /// A file or folder could not be used.
    #[error("{path}: {source}")]
    File {
        /// The path.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// A generated file could not be written.
    #[error(transparent)]
    Generated(#[from] codegen::files::FileError),
    /// A program could not be run, or did not keep to what was agreed with it.
    #[error("{program}: {detail}")]
    Program {
        /// The program.
        program: String,
        /// What went wrong.
        detail: String,
    },
    /// The run was asked for in a way that cannot work.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// An error of a statement.
    pub(crate) fn sql(doing: impl Into<String>) -> impl FnOnce(mysql::Error) -> Self {
        let doing = doing.into();
        |source| Self::Sql { doing, source }
    }

    /// An error of a file or folder.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        |source| Self::File { path, source }
    }
}
