//! What SHOW GRANTS says about the account.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::finding::{Finding, FindingKind, Severity, TableRequirement};
use crate::source::error::{Context, SourceError, from_mysql};
use crate::source::server_info::{Family, ServerInfo};
use crate::source::status::{self, first};

/// The account that the session runs as, quoted as GRANT takes it.
pub(super) fn account(conn: &mut Conn) -> Result<String, SourceError> {
    let current: Option<String> = first(conn, "SELECT CURRENT_USER()", "reading the account")?;
    let current = current.unwrap_or_default();
    let (user, host) = current.rsplit_once('@').unwrap_or((&current, "%"));
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"));
    Ok(format!("{}@{}", quoted(user), quoted(host)))
}

/// The right to ask for the binlog's position, by the name that the server has for it.
fn client_right_name(info: &ServerInfo) -> &'static str {
    match info.family {
        Family::MariaDb if info.version >= (10, 5, 2) => "BINLOG MONITOR",
        _ => "REPLICATION CLIENT",
    }
}

/// The right to ask for the position: tried.
pub(super) fn client_right(
    conn: &mut Conn,
    info: &ServerInfo,
    account: &str,
) -> Result<Finding, SourceError> {
    let right = client_right_name(info);
    let name = format!("right {right}");
    let (found, severity) = match status::binlog_status(conn, info) {
        Ok(_) => ("granted", Severity::Ok),
        Err(SourceError::MissingRight { .. }) => ("not granted", Severity::Error),
        // No binlog: reported as a setting; the right was not in the way.
        Err(SourceError::Setting { .. }) => ("granted", Severity::Ok),
        Err(error) => return Err(error),
    };
    Ok(Finding::new(FindingKind::Right, &name, found, "granted")
        .sql(format!("GRANT {right} ON *.* TO {account}"))
        .severity(severity))
}

/// Without GTIDs, the place that a load is replayed from is read from `log_status`, by who may.
pub(super) fn log_status_right(
    conn: &mut Conn,
    info: &ServerInfo,
    account: &str,
) -> Result<Option<Finding>, SourceError> {
    if !info.mysql_at_least(8, 0, 11) || status::has_gtids(conn, info)? {
        return Ok(None);
    }
    let is_there = status::log_status(conn, info)?.is_some();
    let found = if is_there { "granted" } else { "not granted" };
    Ok(Some(
        Finding::new(
            FindingKind::Right,
            "right BACKUP_ADMIN",
            found,
            "granted, or gtid_mode ON",
        )
        .remedy(
            "works, but each load is replayed from the start of the current binlog, and never \
                 ends when a statement is in there that rows do not tell of",
        )
        .sql(format!("GRANT BACKUP_ADMIN ON *.* TO {account}"))
        .sql(format!(
            "GRANT SELECT ON performance_schema.log_status TO {account}"
        ))
        .unless(is_there, Severity::Warning),
    ))
}

/// The statements that grant an account the least rights that a mirror of these tables needs,
/// without semicolons.
pub(super) fn least_rights(
    info: &ServerInfo,
    account: &str,
    tables: &[TableRequirement],
) -> Vec<String> {
    let mut grants: Vec<String> = tables
        .iter()
        .map(|table| format!("GRANT SELECT ON {} TO {account}", table.place()))
        .collect();
    let client = client_right_name(info);
    grants.push(format!(
        "GRANT REPLICATION SLAVE, {client} ON *.* TO {account}"
    ));
    grants
}

/// Whether an account may read the binlog, as far as its grants tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Granted,
    NotGranted,
    /// There are roles, or lines that are not understood.
    Unclear,
}

/// The right to read the binlog: trying it would start a stream.
pub(super) fn replication_slave(
    conn: &mut Conn,
    info: &ServerInfo,
    account: &str,
) -> Result<Finding, SourceError> {
    let grants: Vec<String> = conn
        .query("SHOW GRANTS")
        .map_err(|error| from_mysql(error, &Context::query("reading the account's rights")))?;
    let verdict = judge(&grants);
    let right = "REPLICATION SLAVE";
    let (found, severity) = match verdict {
        Verdict::Granted => ("granted", Severity::Ok),
        Verdict::NotGranted => ("not granted", Severity::Error),
        Verdict::Unclear => ("unclear (roles)", Severity::Ok),
    };
    tracing::debug!(server = info.family.name(), found, "right {right}");
    let name = format!("right {right}");
    Ok(Finding::new(FindingKind::Right, &name, found, "granted")
        .sql(format!("GRANT {right} ON *.* TO {account}"))
        .severity(severity))
}

/// Lines like ``GRANT SELECT, REPLICATION SLAVE ON *.* TO `u`@`h` ``; a line without ON grants
/// a role, whose rights are not listed (but on MariaDB, after it has been set).
fn judge(grants: &[String]) -> Verdict {
    let mut unclear = grants.is_empty();
    for grant in grants {
        let Some(rest) = strip_word(grant, "GRANT ") else {
            unclear |= !starts_with_word(grant, "REVOKE ") && !starts_with_word(grant, "SET ");
            continue;
        };
        let Some((rights, place)) = rest.split_once(" ON ") else {
            unclear |= !starts_with_word(rest, "PROXY ");
            continue;
        };
        if !place.starts_with("*.*") {
            continue;
        }
        let granted = rights
            .split(',')
            .map(|right| right.trim().to_ascii_uppercase())
            .any(|right| {
                matches!(
                    right.as_str(),
                    "ALL" | "ALL PRIVILEGES" | "REPLICATION SLAVE" | "REPLICATION REPLICA"
                )
            });
        if granted {
            return Verdict::Granted;
        }
    }
    if unclear {
        Verdict::Unclear
    } else {
        Verdict::NotGranted
    }
}

fn starts_with_word(text: &str, word: &str) -> bool {
    strip_word(text, word).is_some()
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(grants: &[&str]) -> Verdict {
        let grants: Vec<String> = grants.iter().map(|grant| (*grant).to_owned()).collect();
        judge(&grants)
    }

    #[test]
    fn grants_of_both_servers_are_understood() {
        for (grants, expected) in [
            (
                &["GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"][..],
                Verdict::Granted,
            ),
            (
                &["GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `m`@`%`"],
                Verdict::Granted,
            ),
            (
                &[
                    "GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `m`@`%` IDENTIFIED BY PASSWORD '*X'",
                ],
                Verdict::Granted,
            ),
            (
                &[
                    "GRANT USAGE ON *.* TO `m`@`%`",
                    "GRANT ALL PRIVILEGES ON `ads`.* TO `m`@`%`",
                ],
                Verdict::NotGranted,
            ),
            (
                &["GRANT REPLICATION SLAVE ADMIN, BINLOG MONITOR ON *.* TO `m`@`%`"],
                Verdict::NotGranted,
            ),
            (
                &[
                    "GRANT USAGE ON *.* TO `m`@`%`",
                    "GRANT `replicator`@`%` TO `m`@`%`",
                ],
                Verdict::Unclear,
            ),
            (&[], Verdict::Unclear),
        ] {
            assert_eq!(verdict(grants), expected, "{grants:?}");
        }
    }
}
