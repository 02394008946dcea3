//! Why a command could not be carried out (exit code 2).

use std::io;
use std::path::Path;

use crate::project;
use crate::server::ServerError;
use crate::url::UrlError;

/// How a command ended that could be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well: exit code 0.
    Holds,
    /// What was asked about is not so: exit code 1. The command has said why.
    DoesNotHold,
}

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server's URL cannot be used.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The server could not be asked.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// Tables of schema.json that the server does not give: one error for each.
    #[error("{}", lines(.0))]
    Tables(Vec<ServerError>),
    /// schema.json, a definition or the lock file is refused; the text lists all problems.
    #[error("{0}")]
    Refused(String),
    /// A file or folder could not be used.
    #[error("{path}: {doing}: {source}")]
    File {
        /// Path as shown to people.
        path: String,
        /// What was being done, e.g. `cannot read`.
        doing: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// A generated file could not be read, written or removed.
    #[error(transparent)]
    Generated(#[from] codegen::files::FileError),
    /// A lab server could not be installed, started, stopped or fed.
    #[error(transparent)]
    Lab(#[from] lab::Error),
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Program {
        /// The program.
        program: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The command was called in a way that cannot work.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// An error of a file or folder.
    pub(crate) fn file(path: &Path, doing: &'static str, source: io::Error) -> Self {
        Self::File {
            path: project::shown(path),
            doing,
            source,
        }
    }
}

fn lines(errors: &[ServerError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
