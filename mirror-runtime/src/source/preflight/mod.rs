//! Checks before the start: settings, rights, tables and ids, all of them at once.

mod finding;
mod grants;
mod settings;

use std::time::{Duration, Instant};

use mysql::Conn;

pub use finding::{Finding, FindingKind, PreflightReport, Severity, TableRequirement};

use super::error::{Context, SourceError, from_mysql};
use super::server_info::{Family, ServerInfo};
use super::status;
use crate::row::quote_identifier;

/// What the mirror needs of the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirements {
    /// The tables that will be SELECTed from.
    pub tables: Vec<TableRequirement>,
    /// The id under which we shall register as a replica; `None` leaves that check out, which
    /// a mirror that has already run a stream under its id should do: its old stream may still
    /// be listed, and would be waited for.
    pub server_id: Option<u32>,
    /// Whether the binlog will be read, not only tables.
    pub binlog: bool,
}

/// Checks everything and fails when a check fails.
///
/// # Errors
/// [`SourceError::Preflight`] with every check that failed; another error when a query failed
/// that needs no right.
pub fn preflight(
    conn: &mut Conn,
    info: &ServerInfo,
    requirements: &Requirements,
) -> Result<PreflightReport, SourceError> {
    let report = preflight_report(conn, info, requirements)?;
    if report.ok() {
        return Ok(report);
    }
    let mut failed = report.findings;
    failed.retain(|finding| finding.severity == Severity::Error);
    Err(SourceError::Preflight(failed))
}

/// Makes every check and reports it, whatever came out of it.
///
/// Rights are found by trying, where trying does no harm; REPLICATION SLAVE is read from SHOW
/// GRANTS, and is not held against an account whose grants cannot be interpreted (roles).
///
/// # Errors
/// When a query failed that needs no right.
pub fn preflight_report(
    conn: &mut Conn,
    info: &ServerInfo,
    requirements: &Requirements,
) -> Result<PreflightReport, SourceError> {
    let mut findings = vec![settings::version(info)];
    let account = grants::account(conn)?;
    if requirements.binlog {
        findings.extend(settings::binlog(conn, info)?);
        findings.push(client_right(conn, info, &account)?);
        findings.push(grants::replication_slave(conn, info, &account)?);
    }
    for table in &requirements.tables {
        findings.push(table_right(conn, table, &account)?);
    }
    if let Some(server_id) = requirements.server_id {
        findings.push(server_id_free(conn, info, server_id)?);
    }
    Ok(PreflightReport { findings })
}

/// The right to ask for the position: tried.
fn client_right(conn: &mut Conn, info: &ServerInfo, account: &str) -> Result<Finding, SourceError> {
    let right = match info.family {
        Family::MariaDb if info.version >= (10, 5, 2) => "BINLOG MONITOR",
        _ => "REPLICATION CLIENT",
    };
    let finding = |found: &str, severity| Finding {
        kind: FindingKind::Right,
        name: format!("right {right}"),
        found: found.to_owned(),
        needed: "granted".to_owned(),
        remedy: format!("GRANT {right} ON *.* TO {account}"),
        severity,
    };
    match status::binlog_status(conn, info) {
        Ok(_) => Ok(finding("granted", Severity::Ok)),
        Err(SourceError::MissingRight { .. }) => Ok(finding("not granted", Severity::Error)),
        // No binlog: reported as a setting; the right was not in the way.
        Err(SourceError::Setting { .. }) => Ok(finding("granted", Severity::Ok)),
        Err(error) => Err(error),
    }
}

/// The table is there and may be read: tried, without reading a row.
fn table_right(
    conn: &mut Conn,
    table: &TableRequirement,
    account: &str,
) -> Result<Finding, SourceError> {
    use mysql::prelude::Queryable;
    let name = format!("{}.{}", table.database, table.table);
    let place = format!(
        "{}.{}",
        quote_identifier(&table.database),
        quote_identifier(&table.table)
    );
    let columns = if table.columns.is_empty() {
        "1".to_owned()
    } else {
        let quoted: Vec<String> = table.columns.iter().map(|c| quote_identifier(c)).collect();
        quoted.join(", ")
    };
    let finding = |kind, found: String, remedy: String, severity| Finding {
        kind,
        name: format!("SELECT on {name}"),
        found,
        needed: "granted".to_owned(),
        remedy,
        severity,
    };
    let grant = format!("GRANT SELECT ON {place} TO {account}");
    let tried = conn
        .query_drop(format!("SELECT {columns} FROM {place} LIMIT 0"))
        .map_err(|error| from_mysql(error, &Context::query("trying to read a table")));
    Ok(match tried {
        Ok(()) => finding(FindingKind::Right, "granted".into(), grant, Severity::Ok),
        Err(SourceError::MissingRight { .. }) => finding(
            FindingKind::Right,
            "not granted".into(),
            grant,
            Severity::Error,
        ),
        Err(SourceError::UnknownTable { .. } | SourceError::UnknownDatabase { .. }) => finding(
            FindingKind::Table,
            "no such table".into(),
            "check schema.json, or create the table".into(),
            Severity::Error,
        ),
        Err(SourceError::Server {
            code: 1054,
            message,
            ..
        }) => finding(
            FindingKind::Table,
            message,
            "the table was changed: run `cargo xtask regenerate`".into(),
            Severity::Error,
        ),
        Err(error) => return Err(error),
    })
}

/// How long an id is looked for again. A stream that ended stays in the list until the server
/// has failed to send it two heartbeats, on both servers; this allows for heartbeats of up to 3
/// seconds.
const LINGERING: Duration = Duration::from_secs(7);
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// No other replica, nor the server itself, uses our id; an id that is in use is looked for
/// again for a while, since it may be our own from before a restart. Without the right to list
/// replicas the check is passed over: the stream will tell.
fn server_id_free(
    conn: &mut Conn,
    info: &ServerInfo,
    server_id: u32,
) -> Result<Finding, SourceError> {
    let finding = |found: String, severity| Finding {
        kind: FindingKind::ServerId,
        name: "our server_id".to_owned(),
        found,
        needed: "used by nobody else".to_owned(),
        remedy: "give each replica and mirror a server_id of its own".to_owned(),
        severity,
    };
    if server_id == 0 {
        return Ok(finding("0".to_owned(), Severity::Error));
    }
    if server_id == info.server_id {
        let found = format!("{server_id} is the server's own");
        return Ok(finding(found, Severity::Error));
    }
    let deadline = Instant::now() + LINGERING;
    let mut listed = replica_ids(conn, info);
    while Instant::now() < deadline && listed.as_ref().is_ok_and(|ids| ids.contains(&server_id)) {
        std::thread::sleep(POLL_INTERVAL);
        listed = replica_ids(conn, info);
    }
    match listed {
        Ok(ids) if ids.contains(&server_id) => Ok(finding(
            format!("{server_id} is used by another replica"),
            Severity::Error,
        )),
        Ok(_) => Ok(finding(server_id.to_string(), Severity::Ok)),
        Err(SourceError::MissingRight { .. }) => Ok(finding(
            format!("{server_id}, and no right to list the replicas"),
            Severity::Ok,
        )),
        Err(error) => Err(error),
    }
}

/// Ids of the replicas that are registered with the server.
fn replica_ids(conn: &mut Conn, info: &ServerInfo) -> Result<Vec<u32>, SourceError> {
    use mysql::prelude::Queryable;
    let statement = if info.mysql_at_least(8, 0, 22) {
        "SHOW REPLICAS"
    } else {
        "SHOW SLAVE HOSTS"
    };
    let rows: Vec<mysql::Row> = conn
        .query(statement)
        .map_err(|error| from_mysql(error, &Context::query("listing the replicas")))?;
    Ok(rows
        .iter()
        .filter_map(|row| row.get_opt::<u32, _>(0).and_then(Result::ok))
        .collect())
}
