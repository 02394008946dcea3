//! Sessions for queries, with settings of their own whatever the server's defaults are.

use std::net::{IpAddr, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use mysql::prelude::Queryable;
use mysql::{Conn, DriverError, Error as DriverFailure, Opts};

use super::error::{Context, SourceError, from_mysql};
use super::url::{MAX_PACKET_BYTES, ServerUrl, SslMode};

/// Longest a query session waits for the server's next bytes; a lock or a large scan may keep
/// the server busy for long.
const QUERY_READ_TIMEOUT: Duration = Duration::from_secs(3600);

/// Settings that every server has. `sql_select_limit` and the like may be set globally, and
/// would shorten or change what a SELECT gives.
const SETTINGS: [&str; 3] = [
    "SET NAMES utf8mb4",
    "SET SESSION time_zone = '+00:00', sql_mode = '', autocommit = 1, sql_auto_is_null = 0, \
     sql_select_limit = 18446744073709551615, sql_quote_show_create = 1, \
     net_write_timeout = 86400, net_read_timeout = 86400, wait_timeout = 86400",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
];

/// Settings that only some servers have: MySQL 5.7.8, MySQL 8.0, MySQL 8.0.30, MariaDB 10.1.
/// Without the second, numbers of rows may be those of a day ago.
const OPTIONAL_SETTINGS: [&str; 4] = [
    "SET SESSION max_execution_time = 0",
    "SET SESSION information_schema_stats_expiry = 0",
    "SET SESSION show_gipk_in_create_table_and_information_schema = ON",
    "SET SESSION max_statement_time = 0",
];

/// Opens a session for queries: UTC, plain `sql_mode`, utf8mb4, REPEATABLE READ, no limits.
///
/// Nothing global is changed. With `ssl-mode=preferred` (the default) TLS is tried first and
/// left out when the server cannot do it.
///
/// # Errors
/// When the server cannot be reached, does not let the user in, or refuses a setting.
pub fn connect(url: &ServerUrl) -> Result<Conn, SourceError> {
    let mut conn = open(url, Some(QUERY_READ_TIMEOUT))?;
    let context = Context {
        address: &url.address(),
        user: url.user(),
        ..Context::query("setting up the session")
    };
    for setting in SETTINGS {
        conn.query_drop(setting)
            .map_err(|error| from_mysql(error, &context))?;
    }
    for setting in OPTIONAL_SETTINGS {
        const UNKNOWN_SYSTEM_VARIABLE: u16 = 1193;
        match conn.query_drop(setting) {
            Err(DriverFailure::MySqlError(error)) if error.code == UNKNOWN_SYSTEM_VARIABLE => {}
            other => other.map_err(|error| from_mysql(error, &context))?,
        }
    }
    Ok(conn)
}

/// Opens a connection without any setting.
pub(crate) fn open(url: &ServerUrl, read_timeout: Option<Duration>) -> Result<Conn, SourceError> {
    open_for(url, read_timeout, MAX_PACKET_BYTES)
}

/// As [`open`], for packets of at most so many bytes.
pub(crate) fn open_for(
    url: &ServerUrl,
    read_timeout: Option<Duration>,
    max_packet: usize,
) -> Result<Conn, SourceError> {
    let mut failure = None;
    if url.ssl_mode() != SslMode::Disabled {
        url.check_files()?;
    }
    for host in hosts(url)? {
        match open_host(url, &host, read_timeout, max_packet) {
            // Another address of the same name may do.
            Err(error @ SourceError::Unreachable { .. }) => failure = failure.or(Some(error)),
            other => return other,
        }
    }
    Err(failure.unwrap_or_else(|| SourceError::Unreachable {
        address: url.address(),
        detail: "the host name has no address".to_owned(),
    }))
}

/// The addresses to try. The driver gives up after the first address of a name, which for
/// `localhost` may be an IPv6 one where nobody listens; only a check of the certificate's host
/// needs the name itself.
fn hosts(url: &ServerUrl) -> Result<Vec<String>, SourceError> {
    let host = url.host();
    let literal = host.parse::<IpAddr>().is_ok();
    if literal || url.socket().is_some() || url.ssl_mode() == SslMode::VerifyIdentity {
        return Ok(vec![host.to_owned()]);
    }
    let addresses =
        (host, url.port())
            .to_socket_addrs()
            .map_err(|error| SourceError::Unreachable {
                address: url.address(),
                detail: format!("unknown host: {error}"),
            })?;
    let mut hosts: Vec<String> = Vec::new();
    for address in addresses {
        let host = address.ip().to_string();
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

fn open_host(
    url: &ServerUrl,
    host: &str,
    read_timeout: Option<Duration>,
    max_packet: usize,
) -> Result<Conn, SourceError> {
    let address = url.address();
    let context = Context {
        address: &address,
        user: url.user(),
        connecting: true,
        ..Context::query("connecting")
    };
    let dial = |tls: bool| dial(url.options(host, tls, read_timeout, max_packet).into());
    let dialled = match url.ssl_mode() {
        SslMode::Disabled => dial(false),
        SslMode::Preferred => match dial(true) {
            Err(error) if may_be_tls(&error) => {
                tracing::debug!(address, "no TLS ({error}), going on without");
                dial(false)
            }
            other => other,
        },
        SslMode::Required | SslMode::VerifyCa | SslMode::VerifyIdentity => dial(true),
    };
    dialled.map_err(|error| from_mysql(error, &context))
}

/// The driver indexes into packets of the server; a panic there must not get out.
fn dial(options: Opts) -> Result<Conn, DriverFailure> {
    catch_unwind(AssertUnwindSafe(|| Conn::new(options)))
        .unwrap_or(Err(DriverFailure::DriverError(DriverError::SetupError)))
}

/// Whether a connection without TLS may do better.
fn may_be_tls(error: &DriverFailure) -> bool {
    match error {
        DriverFailure::TlsError(_) | DriverFailure::IoError(_) | DriverFailure::CodecError(_) => {
            true
        }
        DriverFailure::DriverError(error) => !matches!(
            error,
            DriverError::CouldNotConnect(_) | DriverError::ConnectTimeout
        ),
        _ => false,
    }
}
