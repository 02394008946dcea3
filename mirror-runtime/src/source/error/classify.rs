//! From the driver's errors and the server's error numbers to [`SourceError`].
//!
//! Numbers: MySQL manual, "Server Error Message Reference"; MariaDB manual, "Error Codes".

use mysql::{DriverError, Error as DriverFailure};

use super::SourceError;

/// What was being done when the error came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Host and port, or the socket's path; empty when it is not at hand.
    pub(crate) address: &'a str,
    /// User of the URL; empty when it is not at hand.
    pub(crate) user: &'a str,
    /// What was being done, for instance "reading the binlog position".
    pub(crate) action: &'a str,
    /// Where the binlog stream stands or was asked to start.
    pub(crate) asked: &'a str,
    /// Our server id; 0 outside a stream.
    pub(crate) server_id: u32,
    /// Whether there is no connection yet.
    pub(crate) connecting: bool,
}

impl<'a> Context<'a> {
    /// For a query on an open connection.
    pub(crate) fn query(action: &'a str) -> Self {
        Self {
            address: "",
            user: "",
            action,
            asked: "",
            server_id: 0,
            connecting: false,
        }
    }
}

/// Errors that go away by themselves: too many connections, shut-down, network, lock
/// waits, killed queries, a server that is offline for maintenance (`offline_mode`).
const TRANSIENT_CODES: [u16; 22] = [
    1040, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1205, 1213, 1226, 1317, 1927,
    1969, 2013, 3024, 3032, 3168, 4031,
];

/// The setting that is named when a stream cannot be had by GTIDs any more.
pub(crate) const GTID_MODE: &str = "gtid_mode";

pub(crate) fn is_transient_code(code: u16) -> bool {
    TRANSIENT_CODES.contains(&code)
}

/// An error of the driver.
pub(crate) fn from_mysql(error: DriverFailure, context: &Context<'_>) -> SourceError {
    match error {
        DriverFailure::MySqlError(error) => {
            from_server(error.code, &error.state, &error.message, context)
        }
        DriverFailure::IoError(error) => from_io(&error, context),
        DriverFailure::CodecError(error) => from_codec(error, context),
        DriverFailure::DriverError(error) => from_driver(&error, context),
        DriverFailure::UrlError(error) => SourceError::Url {
            detail: error.to_string(),
        },
        DriverFailure::TlsError(error) => SourceError::Tls {
            address: context.address.to_owned(),
            detail: error.to_string(),
        },
        // These two would print the value.
        DriverFailure::FromValueError(_) | DriverFailure::FromRowError(_) => SourceError::Answer {
            action: context.action.to_owned(),
            detail: "a value of an unexpected type".to_owned(),
        },
    }
}

fn from_io(error: &std::io::Error, context: &Context<'_>) -> SourceError {
    use std::io::ErrorKind;
    let detail = match error.kind() {
        // The socket's read time-out.
        ErrorKind::WouldBlock | ErrorKind::TimedOut => "nothing came within the time-out".into(),
        // With TLS the library's text would be about that.
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "connection lost".into()
        }
        _ => error.to_string(),
    };
    if !context.connecting {
        return SourceError::Broken { detail };
    }
    let address = context.address.to_owned();
    if error.kind() == ErrorKind::InvalidData {
        return SourceError::Tls { address, detail };
    }
    SourceError::Unreachable { address, detail }
}

fn from_codec(
    error: mysql_common::proto::codec::error::PacketCodecError,
    context: &Context<'_>,
) -> SourceError {
    use mysql_common::proto::codec::error::PacketCodecError as Codec;
    match error {
        Codec::Io(error) => from_io(&error, context),
        Codec::PacketTooLarge => SourceError::PacketTooLarge {
            position: context.asked.to_owned(),
            detail: "larger than 1 GiB".to_owned(),
        },
        Codec::PacketsOutOfSync | Codec::BadCompressedPacketHeader => SourceError::Broken {
            detail: error.to_string(),
        },
    }
}

fn from_driver(error: &DriverError, context: &Context<'_>) -> SourceError {
    let address = context.address.to_owned();
    let detail = match error {
        DriverError::CouldNotConnect(Some((_, reason, _))) => reason.clone(),
        other => other.to_string(),
    };
    match error {
        DriverError::TlsNotSupported => SourceError::Tls {
            address,
            detail: "the server does not offer it".to_owned(),
        },
        DriverError::UnknownAuthPlugin(_)
        | DriverError::OldMysqlPasswordDisabled
        | DriverError::CleartextPluginDisabled => SourceError::AccessDenied {
            address,
            user: context.user.to_owned(),
            detail,
        },
        _ if context.connecting => SourceError::Unreachable { address, detail },
        _ => SourceError::Answer {
            action: context.action.to_owned(),
            detail,
        },
    }
}

/// An error packet of the server.
pub(crate) fn from_server(
    code: u16,
    state: &str,
    message: &str,
    context: &Context<'_>,
) -> SourceError {
    let detail = message.to_owned();
    match code {
        1236 => from_dump_error(code, state, message, context),
        // MariaDB's ER_SLAVE_SAME_ID.
        4052 if context.server_id != 0 => SourceError::DuplicateServerId {
            server_id: context.server_id,
        },
        // COM_REGISTER_SLAVE and the dump commands are refused by this one.
        1045 if !context.connecting => replication_slave(message),
        1045 | 1130 | 1698 | 1820 | 1862 | 3118 | 3955 | 4151 => access_denied(detail, context),
        1044 if context.connecting => access_denied(detail, context),
        1044 | 1142 | 1143 | 1227 | 1370 => missing_right(message),
        1049 => SourceError::UnknownDatabase {
            database: quoted(message).unwrap_or_default(),
            detail,
        },
        1109 | 1146 => SourceError::UnknownTable {
            table: quoted(message).unwrap_or_default(),
        },
        1381 => log_bin_off(),
        _ => server_error(code, state, message, context),
    }
}

fn server_error(code: u16, state: &str, message: &str, context: &Context<'_>) -> SourceError {
    SourceError::Server {
        code,
        state: state.to_owned(),
        action: context.action.to_owned(),
        message: message.to_owned(),
    }
}

fn access_denied(detail: String, context: &Context<'_>) -> SourceError {
    SourceError::AccessDenied {
        address: context.address.to_owned(),
        user: context.user.to_owned(),
        detail,
    }
}

fn log_bin_off() -> SourceError {
    SourceError::Setting {
        name: "log_bin".to_owned(),
        found: "OFF".to_owned(),
        needed: "ON".to_owned(),
        remedy: "start the server with log_bin".to_owned(),
    }
}

/// The text between the first two single quotes.
fn quoted(message: &str) -> Option<String> {
    message.split('\'').nth(1).map(str::to_owned)
}

/// The account in a message, as GRANT takes it; else a placeholder.
fn account(message: &str) -> String {
    let found = message.split_once("'@'").and_then(|(before, after)| {
        let user = before.rsplit('\'').next()?;
        let host = after.split('\'').next()?;
        Some(format!("'{user}'@'{host}'"))
    });
    found.unwrap_or_else(|| "'user'@'host'".to_owned())
}

fn replication_slave(message: &str) -> SourceError {
    SourceError::MissingRight {
        right: "REPLICATION SLAVE".to_owned(),
        detail: message.to_owned(),
        remedy: format!("GRANT REPLICATION SLAVE ON *.* TO {}", account(message)),
    }
}

/// 1227 names the right ("you need (at least one of) the SUPER, REPLICATION SLAVE
/// privilege(s)"), the others name a command ("SELECT command denied to user ...").
fn missing_right(message: &str) -> SourceError {
    let rights = message
        .split_once("the ")
        .and_then(|(_, rest)| rest.split_once(" privilege"))
        .map(|(rights, _)| rights);
    let (right, scope) = match (rights, message.split_once(" command denied")) {
        (_, Some((command, _))) => (command, "the table"),
        (Some(rights), None) => {
            let best = rights.split(", ").find(|right| *right != "SUPER");
            (best.unwrap_or(rights), "*.*")
        }
        (None, None) => ("SELECT", "the database"),
    };
    SourceError::MissingRight {
        right: right.to_owned(),
        detail: message.to_owned(),
        remedy: format!("GRANT {right} ON {scope} TO {}", account(message)),
    }
}

/// Error 1236 means any failure of the server's dump thread; only its text tells which.
fn from_dump_error(code: u16, state: &str, message: &str, context: &Context<'_>) -> SourceError {
    let text = message.to_ascii_lowercase();
    let has = |part: &str| text.contains(part);
    let asked = context.asked.to_owned();
    let detail = message.to_owned();
    if has("same server_uuid/server_id") || has("same server_id") || has("same server_uuid") {
        return SourceError::DuplicateServerId {
            server_id: context.server_id,
        };
    }
    if has("max_allowed_packet") {
        return SourceError::PacketTooLarge {
            position: asked,
            detail,
        };
    }
    if has("more gtids than")
        || has("position > file size")
        || has("impossible position")
        || has("which is not in the master's binlog")
        || has("which is not in the primary's binlog")
        || has("missing the gtid")
    {
        return SourceError::AheadOfServer { asked, detail };
    }
    if has("purged")
        || has("could not find first log file name")
        || has("could not find gtid")
        || has("could not find next log")
    {
        return SourceError::Purged {
            asked,
            oldest: None,
            detail,
        };
    }
    let anonymous = has("anonymous transaction");
    if has("gtid_mode") || anonymous {
        return SourceError::Setting {
            name: GTID_MODE.to_owned(),
            found: if anonymous {
                "transactions without GTIDs".to_owned()
            } else {
                "OFF".to_owned()
            },
            needed: "ON".to_owned(),
            remedy: "start from a file position, or turn gtid_mode on".to_owned(),
        };
    }
    if has("binary log is not open") {
        return log_bin_off();
    }
    let damaged = [
        "crc",
        "bogus data",
        "truncated",
        "corrupt",
        "checksum failure",
        "i/o error reading log event",
    ];
    if damaged.iter().any(|part| has(part)) {
        let (file, position) = asked.rsplit_once(':').unwrap_or((asked.as_str(), ""));
        return SourceError::Malformed {
            file: file.to_owned(),
            position: position.parse().unwrap_or(0),
            detail: format!(
                "the server cannot read its own binlog here (or no event starts here): {message}"
            ),
        };
    }
    server_error(code, state, message, context)
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
