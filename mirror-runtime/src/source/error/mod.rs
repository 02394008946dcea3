//! What can go wrong between the mirror and the server.

mod classify;

pub(crate) use classify::{Context, from_mysql};

use std::time::Duration;

use crate::limits::LimitError;

use super::preflight::{Finding, FindingKind, Severity};

/// A failure of the connection, the server's settings or rights, or the binlog stream.
///
/// Messages say where, what, expected and found, and what to do; passwords and row values are
/// never part of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The server's URL cannot be used.
    #[error("server URL: {detail}; expected mysql://user:password@host:port/database?ssl-mode=...")]
    Url {
        /// What is wrong with it, without the password.
        detail: String,
    },
    /// No connection could be made.
    #[error(
        "server {address}: cannot connect: {detail}; check that the server runs and listens there, and that host, port and firewall are right"
    )]
    Unreachable {
        /// Host and port, or the socket's path.
        address: String,
        /// The operating system's or the driver's reason.
        detail: String,
    },
    /// TLS could not be set up.
    #[error(
        "server {address}: TLS failed: {detail}; check ssl-mode and ssl-ca in the URL, and the server's certificate"
    )]
    Tls {
        /// Host and port.
        address: String,
        /// The TLS library's reason.
        detail: String,
    },
    /// User or password is wrong, or the account may not use the database.
    #[error(
        "server {address}: access denied for user '{user}': {detail}; check user, password and database of the URL, and the account's host part"
    )]
    AccessDenied {
        /// Host and port, or the socket's path.
        address: String,
        /// User of the URL.
        user: String,
        /// The server's message.
        detail: String,
    },
    /// The account lacks a right.
    #[error("missing right {right}: {detail}; run: {remedy}")]
    MissingRight {
        /// The right, as GRANT spells it.
        right: String,
        /// What was refused; the server's message.
        detail: String,
        /// A GRANT statement.
        remedy: String,
    },
    /// A server setting does not allow mirroring.
    #[error("server setting {name}: found {found}, needed {needed}; {remedy}")]
    Setting {
        /// Name of the variable.
        name: String,
        /// Its value.
        found: String,
        /// The value that is needed.
        needed: String,
        /// What to do.
        remedy: String,
    },
    /// One or more of the checks before the start failed.
    #[error("{}", display_findings(.0))]
    Preflight(
        /// The failed checks; never empty.
        Vec<Finding>,
    ),
    /// The database of a name does not exist.
    #[error("unknown database '{database}': {detail}; check the URL and schema.json")]
    UnknownDatabase {
        /// Name of the database.
        database: String,
        /// The server's message.
        detail: String,
    },
    /// A table does not exist.
    #[error("unknown table {table}; check schema.json, or create the table")]
    UnknownTable {
        /// `database.table`.
        table: String,
    },
    /// Another replica uses our server id, and the server has thrown us out for it.
    #[error(
        "server_id {server_id} is used by another replica of this server; give each replica and mirror a server_id of its own"
    )]
    DuplicateServerId {
        /// The id that both use.
        server_id: u32,
    },
    /// The server does not have the binlog that was asked for any more.
    #[error(
        "the server no longer has the binlog from {asked} (oldest: {}): {detail}; load the tables again, and keep binlogs longer (binlog_expire_logs_seconds)",
        .oldest.as_deref().unwrap_or("unknown")
    )]
    Purged {
        /// The position or GTID set that was asked for.
        asked: String,
        /// The oldest binlog file that the server still has, when known.
        oldest: Option<String>,
        /// The server's message.
        detail: String,
    },
    /// The server has less than the position or GTID set that was asked for.
    #[error(
        "the server's binlog ends before {asked}: {detail}; this is another server, or it was reset or lost transactions: load the tables again"
    )]
    AheadOfServer {
        /// The position or GTID set that was asked for.
        asked: String,
        /// The server's message.
        detail: String,
    },
    /// The server lacks transactions that the mirror has: it is behind the server that was
    /// followed before, or never gets them.
    #[error(
        "server {address} lacks transactions that the mirror has: {missing}; they were lost in a failover, or replication to it lags: when it stays like this, load the tables again"
    )]
    LacksTransactions {
        /// Host and port.
        address: String,
        /// A GTID set.
        missing: String,
    },
    /// A position in a file means nothing on another server.
    #[error(
        "server {address} is another one than before (found {found}, expected {expected}), where position {asked} means something else; load the tables again, or use GTIDs"
    )]
    OtherServer {
        /// Host and port.
        address: String,
        /// Identity of the server that was followed.
        expected: String,
        /// Identity of the server that answered.
        found: String,
        /// The position that was asked for.
        asked: String,
    },
    /// The server's log is not the one that was followed.
    #[error(
        "binlog {file} is not the file that was followed: begun at {expected}, found {found} (seconds since 1970); the binlog was reset, or this is another server: load the tables again"
    )]
    OtherLog {
        /// Name of the file.
        file: String,
        /// When the file that was followed was begun, in seconds since 1970.
        expected: u32,
        /// When the server's was.
        found: u32,
    },
    /// An event is larger than [`Limits::event_bytes`](crate::Limits::event_bytes).
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// An event is larger than the server may send.
    #[error(
        "binlog after {position}: an event is larger than max_allowed_packet: {detail}; raise max_allowed_packet on the server (up to 1G), or check that the position is the start of an event"
    )]
    PacketTooLarge {
        /// Where the stream stood.
        position: String,
        /// The server's message.
        detail: String,
    },
    /// A stream cannot be started at a file offset that does not fit into 32 bits.
    #[error(
        "position {position} is beyond 4 GiB, which the protocol cannot ask for; start from a GTID set, or from an earlier position in the file"
    )]
    PositionTooLarge {
        /// The position that was asked for.
        position: String,
    },
    /// An event's checksum does not match its bytes.
    #[error(
        "binlog {file}, position {position}: checksum mismatch: expected {expected:08x}, found {found:08x}; the event was damaged on disk or on the way: check the server's binlog with mysqlbinlog --verify-binlog-checksum"
    )]
    Checksum {
        /// Binlog file.
        file: String,
        /// Offset of the event's start, in bytes.
        position: u64,
        /// The checksum that the event carries.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// An event that is not what its type says.
    #[error(
        "binlog {file}, position {position}: malformed event: {detail}; check the server's binlog with mysqlbinlog"
    )]
    Malformed {
        /// Binlog file.
        file: String,
        /// Offset of the event's start, in bytes.
        position: u64,
        /// What is wrong.
        detail: String,
    },
    /// A binlog file could not be opened or read.
    #[error("binlog file {path}: {detail}")]
    File {
        /// Path as it was given.
        path: String,
        /// The reason.
        detail: String,
    },
    /// Bytes came, but no whole event.
    #[error(
        "no whole event came within {waited:?}: a packet's length was damaged on the way, or the \
         link is too slow for a large event; it will be tried again, and waited for twice as long"
    )]
    EventOverdue {
        /// How long the event was waited for.
        waited: Duration,
    },
    /// The connection broke.
    #[error("the connection to the server broke: {detail}; it will be tried again")]
    Broken {
        /// The reason.
        detail: String,
    },
    /// Any other error of the server.
    #[error("server error {code} ({state}) {action}: {message}")]
    Server {
        /// Error number.
        code: u16,
        /// SQLSTATE.
        state: String,
        /// What was being done.
        action: String,
        /// The server's message.
        message: String,
    },
    /// An answer of the server that could not be understood.
    #[error("unexpected answer of the server {action}: {detail}")]
    Answer {
        /// What was being done.
        action: String,
        /// What was expected and found.
        detail: String,
    },
}

/// The kinds of [`SourceError`], for exit codes and statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceErrorKind {
    /// The URL cannot be used.
    Url,
    /// No connection, or no TLS.
    Unreachable,
    /// Wrong user or password.
    AccessDenied,
    /// The account lacks a right.
    MissingRight,
    /// A server setting, or the server's version, does not allow mirroring.
    Setting,
    /// A database, table or column does not exist.
    Unknown,
    /// The server id is used by somebody else.
    DuplicateServerId,
    /// The binlog that was asked for is gone, is not there yet, or is another one now.
    Purged,
    /// Bytes that are not a valid binlog.
    Malformed,
    /// One of the [`Limits`](crate::Limits) was reached.
    Limit,
    /// The connection broke.
    Broken,
    /// Any other error of the server.
    Server,
}

/// The error of a statement that was run to do `action`.
pub(crate) fn query_error(error: mysql::Error, action: &str) -> SourceError {
    from_mysql(error, &Context::query(action))
}

impl SourceErrorKind {
    /// A short name, lower case with underscores.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Unreachable => "unreachable",
            Self::AccessDenied => "access_denied",
            Self::MissingRight => "missing_right",
            Self::Setting => "setting",
            Self::Unknown => "unknown",
            Self::DuplicateServerId => "duplicate_server_id",
            Self::Purged => "purged",
            Self::Malformed => "malformed",
            Self::Limit => "limit",
            Self::Broken => "broken",
            Self::Server => "server",
        }
    }
}

impl SourceError {
    /// Whether a stream cannot be had by GTIDs, since the server has transactions without them.
    pub(crate) fn is_without_gtids(&self) -> bool {
        matches!(self, Self::Setting { name, .. } if name == classify::GTID_MODE)
    }

    /// Whether the same thing can succeed when it is tried again, with back-off.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Broken { .. } | Self::EventOverdue { .. } => true,
            Self::Server { code, .. } => classify::is_transient_code(*code),
            Self::Url { .. }
            | Self::Tls { .. }
            | Self::AccessDenied { .. }
            | Self::MissingRight { .. }
            | Self::Setting { .. }
            | Self::Preflight(_)
            | Self::UnknownDatabase { .. }
            | Self::UnknownTable { .. }
            | Self::DuplicateServerId { .. }
            | Self::Purged { .. }
            | Self::AheadOfServer { .. }
            | Self::LacksTransactions { .. }
            | Self::OtherServer { .. }
            | Self::OtherLog { .. }
            | Self::Limit(_)
            | Self::PacketTooLarge { .. }
            | Self::PositionTooLarge { .. }
            | Self::Checksum { .. }
            | Self::Malformed { .. }
            | Self::File { .. }
            | Self::Answer { .. } => false,
        }
    }

    /// The kind of the error; of several failed checks the most fundamental one.
    #[must_use]
    pub fn kind(&self) -> SourceErrorKind {
        match self {
            Self::Url { .. } => SourceErrorKind::Url,
            Self::Unreachable { .. } | Self::Tls { .. } => SourceErrorKind::Unreachable,
            Self::AccessDenied { .. } => SourceErrorKind::AccessDenied,
            Self::MissingRight { .. } => SourceErrorKind::MissingRight,
            Self::Setting { .. } | Self::PacketTooLarge { .. } => SourceErrorKind::Setting,
            Self::Preflight(findings) => dominant_kind(findings),
            Self::UnknownDatabase { .. } | Self::UnknownTable { .. } => SourceErrorKind::Unknown,
            Self::DuplicateServerId { .. } => SourceErrorKind::DuplicateServerId,
            Self::Purged { .. }
            | Self::AheadOfServer { .. }
            | Self::LacksTransactions { .. }
            | Self::OtherServer { .. }
            | Self::OtherLog { .. }
            | Self::PositionTooLarge { .. } => SourceErrorKind::Purged,
            Self::Checksum { .. } | Self::Malformed { .. } | Self::File { .. } => {
                SourceErrorKind::Malformed
            }
            Self::Limit(_) => SourceErrorKind::Limit,
            Self::Broken { .. } | Self::EventOverdue { .. } => SourceErrorKind::Broken,
            Self::Server { .. } | Self::Answer { .. } => SourceErrorKind::Server,
        }
    }
}

/// Settings come before rights, rights before tables, and the server id last.
fn dominant_kind(findings: &[Finding]) -> SourceErrorKind {
    let order = [
        (FindingKind::Setting, SourceErrorKind::Setting),
        (FindingKind::Right, SourceErrorKind::MissingRight),
        (FindingKind::Table, SourceErrorKind::Unknown),
        (FindingKind::ServerId, SourceErrorKind::DuplicateServerId),
    ];
    order
        .iter()
        .find(|(kind, _)| {
            findings
                .iter()
                .any(|f| f.kind == *kind && f.severity == Severity::Error)
        })
        .map_or(SourceErrorKind::Setting, |(_, kind)| *kind)
}

fn display_findings(findings: &[Finding]) -> String {
    let mut text = format!(
        "the server cannot be mirrored as it is ({} problem{}):",
        findings.len(),
        if findings.len() == 1 { "" } else { "s" }
    );
    for finding in findings {
        text.push_str(&format!("\n- {finding}"));
    }
    text
}
