//! Checks of a server: settings, rights, tables and ids, all of them at once. Some are made at
//! each start, and all by [`doctor`](crate::doctor).

mod definitions;
mod finding;
mod grants;
mod ids;
mod logged;
mod prepared;
mod retention;
mod settings;
mod tables;

use mysql::Conn;

pub(crate) use definitions::sees_definitions;
pub use finding::{Finding, FindingKind, PreflightReport, Severity, TableRequirement};
pub(crate) use tables::NO_TABLE;

use super::error::SourceError;
use super::server_info::ServerInfo;

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
    /// Whether to look also at what costs something only when something else goes wrong.
    pub thorough: bool,
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
        findings.extend(logged::replicated(conn, info)?);
        findings.extend(logged::filters(conn, info, &requirements.tables)?);
    }
    if requirements.thorough {
        findings.extend(settings::costs(conn, info)?);
        findings.extend(retention::findings(conn)?);
        findings.extend(prepared::finding(conn));
    }
    if requirements.binlog {
        findings.push(grants::client_right(conn, info, &account)?);
        findings.push(grants::replication_slave(conn, info, &account)?);
    }
    if requirements.thorough {
        findings.extend(grants::log_status_right(conn, info, &account)?);
        findings.push(definitions::finding(conn, &account)?);
    }
    for table in &requirements.tables {
        let right = tables::right(conn, table, &account)?;
        let readable = right.ok();
        findings.push(right);
        if readable {
            findings.push(tables::shape(conn, table)?);
        }
    }
    if let Some(server_id) = requirements.server_id {
        findings.push(ids::server_id_free(conn, info, server_id)?);
    }
    Ok(PreflightReport { findings })
}

/// The account that the session runs as, and the statements that grant it the least rights that
/// a mirror of these tables needs.
///
/// # Errors
/// When the server does not say who we are.
pub fn least_rights(
    conn: &mut Conn,
    info: &ServerInfo,
    tables: &[TableRequirement],
) -> Result<(String, Vec<String>), SourceError> {
    let account = grants::account(conn)?;
    let grants = grants::least_rights(info, &account, tables);
    Ok((account, grants))
}
