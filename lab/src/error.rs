//! What can go wrong in the lab.

use std::io;

use crate::flavor::Flavor;

/// Result of the lab's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Failure of the lab: where, what, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name that is no flavour.
    #[error("unknown server flavour {0:?}: expected `mysql` or `mariadb`")]
    UnknownFlavor(String),

    /// The name of a detached server cannot be had or does not fit.
    #[error("lab: server name {name:?} {what}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        what: String,
    },

    /// No server program is installed and none could be unpacked.
    #[error(
        "no {flavor} server: {reason}\n\
         What to do: install one (Debian, Ubuntu: {packages}; others: the package with {binary}), \
         or set {variable}=/path/to/{binary}"
    )]
    NoServer {
        /// Flavour that was asked for.
        flavor: Flavor,
        /// Why it cannot be unpacked here.
        reason: String,
        /// Package names on Debian and Ubuntu.
        packages: &'static str,
        /// Name of the server program.
        binary: &'static str,
        /// Environment variable that names a server program.
        variable: &'static str,
    },

    /// A file or folder of the lab.
    #[error("lab: {what}: {source}")]
    Io {
        /// What was being done, with the path.
        what: String,
        /// The system's answer.
        source: io::Error,
    },

    /// `apt-get` or `dpkg-deb` failed.
    #[error("lab: {step} failed:\n{output}")]
    Package {
        /// The command, in short.
        step: String,
        /// The end of its output.
        output: String,
    },

    /// The system tables of a new data directory could not be made.
    #[error("lab: {program} could not initialise a data directory; the end of its log:\n{log}")]
    Initialise {
        /// Server program.
        program: String,
        /// Last lines of its log.
        log: String,
    },

    /// A server ended before it was ready, or was not ready in time.
    #[error("lab: the {flavor} server in {dir} {what}; the end of its log:\n{log}")]
    Start {
        /// Flavour of the server.
        flavor: Flavor,
        /// Directory of the instance.
        dir: String,
        /// What happened, with the exit status or the time waited.
        what: String,
        /// Last lines of its error log.
        log: String,
    },

    /// The server does not run (killed, stopped), or did not end when told to.
    #[error("lab: the {flavor} server on port {port} {what}")]
    State {
        /// Flavour of the server.
        flavor: Flavor,
        /// Its TCP port.
        port: u16,
        /// What is wrong.
        what: String,
    },

    /// No TCP port could be had.
    #[error("lab: no free TCP port on 127.0.0.1 between {from} and {to}: stop some servers")]
    NoPort {
        /// Lowest port tried.
        from: u16,
        /// Highest port tried.
        to: u16,
    },

    /// A connection or a statement failed.
    #[error("lab: {what}: {source}")]
    Sql {
        /// What was being done (never the statement's values).
        what: String,
        /// The client library's or the server's answer.
        source: mysql::Error,
    },
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Error::Io { what, source }
    }

    pub(crate) fn sql(what: impl Into<String>) -> impl FnOnce(mysql::Error) -> Self {
        let what = what.into();
        move |source| Error::Sql { what, source }
    }
}
