//! Whether everything that changes a mirrored table is in the server's binlog.

use mysql::prelude::Queryable;
use mysql::{Conn, Row};

use super::finding::{Finding, Severity, TableRequirement};
use super::settings::{switch, value};
use crate::source::error::{Context, SourceError, from_mysql};
use crate::source::server_info::{Family, ServerInfo};
use crate::source::status::status_statement;

/// Filters by which the server leaves databases out of its binlog; with row events, the
/// database of the table counts. Nothing when the account may not ask: that is reported as a
/// right.
pub(super) fn filters(
    conn: &mut Conn,
    info: &ServerInfo,
    tables: &[TableRequirement],
) -> Result<Vec<Finding>, SourceError> {
    let answer: Result<Option<Row>, _> = conn
        .query_first(status_statement(info))
        .map_err(|error| from_mysql(error, &Context::query("reading the binlog's filters")));
    let row = match answer {
        Ok(Some(row)) => row,
        Ok(None) | Err(SourceError::MissingRight { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let list = |index: usize| row.get_opt::<String, _>(index).and_then(Result::ok);
    let mut databases: Vec<&str> = tables.iter().map(|table| &*table.database).collect();
    databases.sort_unstable();
    databases.dedup();
    let lower = info.lower_case_table_names != 0;
    Ok(judge_filters(
        &databases,
        &list(2).unwrap_or_default(),
        &list(3).unwrap_or_default(),
        lower,
    ))
}

/// `logged` (binlog_do_db) and `ignored` (binlog_ignore_db) are lists with commas, or empty. A
/// server with one of the first looks at those only (MySQL source: Rpl_filter::db_ok).
fn judge_filters(databases: &[&str], logged: &str, ignored: &str, lower: bool) -> Vec<Finding> {
    let is_in = |database: &str, list: &str| {
        list.split(',')
            .any(|name| name == database || lower && name.to_lowercase() == database.to_lowercase())
    };
    let name = if logged.is_empty() && !ignored.is_empty() {
        "binlog_ignore_db"
    } else {
        "binlog_do_db"
    };
    let is_left_out = |database: &&&str| match (logged, ignored) {
        ("", ignored) => is_in(database, ignored),
        (logged, _) => !is_in(database, logged),
    };
    let left_out: Vec<&str> = databases.iter().filter(is_left_out).copied().collect();
    let found = match (logged, ignored) {
        ("", "") => "none",
        ("", ignored) => ignored,
        (logged, _) => logged,
    };
    let needed = match left_out.as_slice() {
        [] => "no filter on a mirrored database".to_owned(),
        names => format!("changes of {} in the binlog", names.join(", ")),
    };
    let finding =
        Finding::setting(name, found, &needed).unless(left_out.is_empty(), Severity::Error);
    if left_out.is_empty() {
        return vec![finding];
    }
    let remedy = "the server leaves these changes out of its binlog, and the mirror would never \
                  hear of them; take the filter out of the server's configuration, or add the \
                  database to it, and start the server again";
    let finding = finding.remedy(remedy);
    vec![match name {
        "binlog_do_db" => left_out.iter().fold(finding, |finding, database| {
            finding.config(format!("binlog_do_db = {database}"))
        }),
        _ => finding.config("# without binlog_ignore_db"),
    }]
}

/// A server that replicates from another logs what it takes over only with log_slave_updates
/// (log_replica_updates); the same holds for the nodes of a Galera cluster.
pub(super) fn replicated(
    conn: &mut Conn,
    info: &ServerInfo,
) -> Result<Option<Finding>, SourceError> {
    let name = if info.mysql_at_least(8, 0, 26) {
        "log_replica_updates"
    } else {
        "log_slave_updates"
    };
    let Some(on) = value(conn, name)? else {
        return Ok(None);
    };
    if switch(&on) == "ON" {
        return Ok(Some(Finding::setting(name, "ON", "ON")));
    }
    let (found, severity) = match has_source(conn, info)? {
        Some(true) => ("OFF, and the server replicates", Severity::Error),
        Some(false) => ("OFF, and the server does not replicate", Severity::Ok),
        None => (
            "OFF, and no right to see whether the server replicates",
            Severity::Warning,
        ),
    };
    Ok(Some(
        Finding::setting(name, found, "ON where a server replicates")
            .remedy(
                "what comes from another server is not in this server's binlog; set it and start \
                 the server again",
            )
            .config(format!("{name} = ON"))
            .severity(severity),
    ))
}

/// Whether the server takes changes over from another; `None` when the account may not ask.
fn has_source(conn: &mut Conn, info: &ServerInfo) -> Result<Option<bool>, SourceError> {
    if value(conn, "wsrep_on")?.is_some_and(|on| switch(&on) == "ON") {
        return Ok(Some(true));
    }
    let statement = match info.family {
        Family::MariaDb => "SHOW ALL SLAVES STATUS",
        Family::MySql if info.version >= (8, 0, 22) => "SHOW REPLICA STATUS",
        Family::MySql => "SHOW SLAVE STATUS",
    };
    let rows: Result<Vec<Row>, _> = conn
        .query(statement)
        .map_err(|error| from_mysql(error, &Context::query("asking whether it replicates")));
    match rows {
        Ok(rows) => Ok(Some(!rows.is_empty())),
        Err(SourceError::MissingRight { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn severities(databases: &[&str], logged: &str, ignored: &str, lower: bool) -> Vec<Severity> {
        judge_filters(databases, logged, ignored, lower)
            .iter()
            .map(|finding| finding.severity)
            .collect()
    }

    #[test]
    fn a_mirrored_database_that_is_not_logged_is_an_error() {
        use Severity::{Error, Ok};
        for (databases, logged, ignored, lower, expected) in [
            (&["ads"][..], "", "", false, Ok),
            (&["ads"], "ads,shop", "", false, Ok),
            (&["ads", "stats"], "ads", "", false, Error),
            (&["ads"], "Ads", "", false, Error),
            (&["ads"], "Ads", "", true, Ok),
            (&["ads"], "", "stats", false, Ok),
            (&["ads"], "", "stats,ads", false, Error),
            // With binlog_do_db the other filter does not count.
            (&["ads"], "ads", "ads", false, Ok),
        ] {
            let found = severities(databases, logged, ignored, lower);
            assert_eq!(found, [expected], "{databases:?} {logged} {ignored}");
        }
    }
}
