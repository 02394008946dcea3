//! Where the server's binlog stands.

use mysql::prelude::{FromRow, Queryable};
use mysql::{Conn, Row};

use super::error::{Context, SourceError, from_mysql};
use super::gtid::{GtidSet, MySqlGtidSet};
use super::position::BinlogPosition;
use super::server_info::{Family, ServerInfo};

/// Statement by which a server tells its binlog position.
pub(crate) fn status_statement(info: &ServerInfo) -> &'static str {
    // MySQL 8.4 knows the new name only; MariaDB 10.5.2 has both rights and names anew.
    if info.mysql_at_least(8, 2, 0) {
        "SHOW BINARY LOG STATUS"
    } else if info.mariadb_at_least(10, 5, 2) {
        "SHOW BINLOG STATUS"
    } else {
        "SHOW MASTER STATUS"
    }
}

/// The end of the server's binlog.
///
/// It runs ahead of what a SELECT sees: transactions are written to the binlog before they
/// become visible.
///
/// # Errors
/// When the binlog is off, the right REPLICATION CLIENT (MariaDB: BINLOG MONITOR) is missing, or
/// the query fails.
pub fn binlog_status(conn: &mut Conn, info: &ServerInfo) -> Result<BinlogPosition, SourceError> {
    let action = "reading the binlog position";
    let row =
        first_row(conn, status_statement(info), action)?.ok_or_else(|| SourceError::Setting {
            name: "log_bin".to_owned(),
            found: "OFF".to_owned(),
            needed: "ON".to_owned(),
            remedy: "start the server with log_bin".to_owned(),
        })?;
    let file: Option<String> = column(&row, 0);
    let offset: Option<u64> = column(&row, 1);
    match (file, offset) {
        (Some(file), Some(offset)) => Ok(BinlogPosition::new(file, offset)),
        _ => Err(answer(action, "expected a file and a position")),
    }
}

/// The transactions that are committed and visible: `gtid_executed` of MySQL, else
/// `gtid_binlog_pos`; the empty set when the server runs without GTIDs.
///
/// # Errors
/// When the query fails, or the answer is no GTID set.
pub fn gtid_executed(conn: &mut Conn, info: &ServerInfo) -> Result<GtidSet, SourceError> {
    let statement = match info.family {
        Family::MySql => "SELECT @@global.gtid_executed",
        Family::MariaDb => "SELECT @@global.gtid_binlog_pos",
    };
    read_set(conn, info.family, statement, "reading the executed GTIDs")
}

/// MySQL's `gtid_purged`: transactions whose binlog is gone. Empty on MariaDB, which does not
/// tell.
///
/// # Errors
/// When the query fails, or the answer is no GTID set.
pub fn gtid_purged(conn: &mut Conn, info: &ServerInfo) -> Result<MySqlGtidSet, SourceError> {
    if info.is_mariadb() {
        return Ok(MySqlGtidSet::default());
    }
    let action = "reading the purged GTIDs";
    match read_set(conn, info.family, "SELECT @@global.gtid_purged", action)? {
        GtidSet::MySql(set) => Ok(set),
        GtidSet::MariaDb(_) => Ok(MySqlGtidSet::default()),
    }
}

/// Whether transactions get GTIDs that a stream can be started from: `gtid_mode` ON (MySQL),
/// always on MariaDB.
///
/// # Errors
/// When the query fails.
pub fn has_gtids(conn: &mut Conn, info: &ServerInfo) -> Result<bool, SourceError> {
    if info.is_mariadb() {
        return Ok(info.version >= (10, 0, 2));
    }
    let mode: Option<String> = first(conn, "SELECT @@global.gtid_mode", "reading gtid_mode")?;
    Ok(mode.is_some_and(|mode| mode.eq_ignore_ascii_case("ON")))
}

/// The start of the oldest binlog that the server still has; `None` when it has none.
///
/// # Errors
/// When the right REPLICATION CLIENT (MariaDB: BINLOG MONITOR) is missing or the query fails.
pub fn oldest_binlog(conn: &mut Conn) -> Result<Option<BinlogPosition>, SourceError> {
    let row = first_row(conn, "SHOW BINARY LOGS", "listing the binlogs")?;
    Ok(row
        .and_then(|row| column::<String>(&row, 0))
        .map(BinlogPosition::start_of))
}

/// Starts a transaction whose view of the data is exactly the returned position and GTIDs
/// (MariaDB's START TRANSACTION WITH CONSISTENT SNAPSHOT); it stays open on the session.
///
/// `None` on a server that cannot do that; no transaction is open then.
///
/// # Errors
/// When a query fails or the answer cannot be understood.
pub fn binlog_snapshot(
    conn: &mut Conn,
    info: &ServerInfo,
) -> Result<Option<(BinlogPosition, GtidSet)>, SourceError> {
    if !info.mariadb_at_least(10, 0, 0) {
        return Ok(None);
    }
    let action = "starting a consistent snapshot";
    run(
        conn,
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
        action,
    )?;
    let status: Vec<(String, String)> = conn
        .query("SHOW STATUS LIKE 'binlog_snapshot_%'")
        .map_err(|error| from_mysql(error, &Context::query(action)))?;
    let value = |name: &str| {
        status
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    };
    let file = value("binlog_snapshot_file").map(str::to_owned);
    let offset = value("binlog_snapshot_position").and_then(|text| text.parse::<u64>().ok());
    let (Some(file), Some(offset)) = (file, offset) else {
        run(conn, "ROLLBACK", action)?;
        return Ok(None);
    };
    let position = BinlogPosition::new(file, offset);
    let gtids = gtids_at(conn, info, &position)?;
    let gtids = gtids.unwrap_or(GtidSet::empty(Family::MariaDb));
    Ok(Some((position, gtids)))
}

/// Whether commits of this MariaDB wait for a semi-synchronous replica after they are in the
/// binlog and before they are visible.
///
/// # Errors
/// When the query fails.
pub fn waits_after_sync(conn: &mut Conn) -> Result<bool, SourceError> {
    let action = "reading the settings of semi-synchronous replication";
    let settings: Vec<(String, String)> = conn
        .query("SHOW GLOBAL VARIABLES LIKE 'rpl_semi_sync_master_%'")
        .map_err(|error| from_mysql(error, &Context::query(action)))?;
    let is = |name: &str, value: &str| {
        settings
            .iter()
            .any(|(n, v)| n.eq_ignore_ascii_case(name) && v.eq_ignore_ascii_case(value))
    };
    Ok(is("rpl_semi_sync_master_enabled", "ON")
        && is("rpl_semi_sync_master_wait_point", "AFTER_SYNC"))
}

/// The start of the oldest file that may hold a transaction that MariaDB's engines have not
/// committed, as the BINLOG_CHECKPOINT event at the start of the current file says; else the
/// start of the oldest file.
///
/// # Errors
/// When the right BINLOG MONITOR is missing or a query fails.
pub fn binlog_checkpoint(
    conn: &mut Conn,
    now: &BinlogPosition,
) -> Result<BinlogPosition, SourceError> {
    let action = "reading the binlog checkpoint";
    let file = now.file.replace('\'', "''");
    // The first events of a file: format, GTID list, perhaps the key of an encryption.
    let rows: Vec<Row> = conn
        .query(format!("SHOW BINLOG EVENTS IN '{file}' LIMIT 5"))
        .map_err(|error| from_mysql(error, &Context::query(action)))?;
    let named = rows
        .iter()
        .find(|row| column::<String>(row, 2).is_some_and(|kind| kind == "Binlog_checkpoint"))
        .and_then(|row| column::<String>(row, 5));
    let oldest = oldest_binlog(conn)?.unwrap_or_else(|| now.clone());
    // A file that was purged is not needed any more: the event is from the file's beginning.
    let named = named.map(BinlogPosition::start_of);
    Ok(named.filter(|named| *named > oldest).unwrap_or(oldest))
}

/// The transactions before a position, as MariaDB translates it; `None` on MySQL, which cannot, and
/// when the file is gone.
///
/// # Errors
/// When the query fails, or the answer is no GTID set.
pub(crate) fn gtids_at(
    conn: &mut Conn,
    info: &ServerInfo,
    position: &BinlogPosition,
) -> Result<Option<GtidSet>, SourceError> {
    let action = "translating a binlog position into GTIDs";
    if info.family != Family::MariaDb {
        return Ok(None);
    }
    let text: Option<Option<String>> = conn
        .exec_first(
            "SELECT BINLOG_GTID_POS(?, ?)",
            (position.file.as_ref(), position.offset),
        )
        .map_err(|error| from_mysql(error, &Context::query(action)))?;
    let Some(text) = text.flatten() else {
        return Ok(None);
    };
    let gtids = GtidSet::parse(&text, Family::MariaDb);
    gtids
        .map(Some)
        .map_err(|error| answer(action, &error.to_string()))
}

/// Position and GTIDs that are consistent with each other and with what a SELECT sees
/// afterwards, from `performance_schema.log_status` (MySQL 8.0, right BACKUP_ADMIN).
///
/// `None` when the server is too old, or the right is missing.
///
/// # Errors
/// When the query fails for another reason, or the answer cannot be understood.
pub fn log_status(
    conn: &mut Conn,
    info: &ServerInfo,
) -> Result<Option<(BinlogPosition, GtidSet)>, SourceError> {
    if !info.mysql_at_least(8, 0, 11) {
        return Ok(None);
    }
    let action = "reading performance_schema.log_status";
    let statement = "SELECT JSON_UNQUOTE(JSON_EXTRACT(LOCAL, '$.binary_log_file')), \
         CAST(JSON_EXTRACT(LOCAL, '$.binary_log_position') AS UNSIGNED), \
         JSON_UNQUOTE(JSON_EXTRACT(LOCAL, '$.gtid_executed')) \
         FROM performance_schema.log_status";
    type Answer = (Option<String>, Option<u64>, Option<String>);
    let row = match first::<Answer>(conn, statement, action) {
        Ok(row) => row,
        Err(SourceError::MissingRight { .. } | SourceError::UnknownTable { .. }) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let Some((Some(file), Some(offset), gtids)) = row else {
        return Ok(None);
    };
    let gtids = GtidSet::parse(&gtids.unwrap_or_default(), Family::MySql)
        .map_err(|error| answer(action, &error.to_string()))?;
    Ok(Some((BinlogPosition::new(file, offset), gtids)))
}

fn read_set(
    conn: &mut Conn,
    family: Family,
    statement: &str,
    action: &str,
) -> Result<GtidSet, SourceError> {
    // A server without GTIDs does not know the variable.
    const UNKNOWN_SYSTEM_VARIABLE: u16 = 1193;
    let text: Option<Option<String>> = match first(conn, statement, action) {
        Err(SourceError::Server { code, .. }) if code == UNKNOWN_SYSTEM_VARIABLE => None,
        other => other?,
    };
    let text = text.flatten().unwrap_or_default();
    GtidSet::parse(&text, family).map_err(|error| answer(action, &error.to_string()))
}

fn run(conn: &mut Conn, statement: &str, action: &str) -> Result<(), SourceError> {
    conn.query_drop(statement)
        .map_err(|error| from_mysql(error, &Context::query(action)))
}

/// The first row of an answer, as values of `T`.
pub(crate) fn first<T: FromRow>(
    conn: &mut Conn,
    statement: &str,
    action: &str,
) -> Result<Option<T>, SourceError> {
    let Some(row) = first_row(conn, statement, action)? else {
        return Ok(None);
    };
    mysql::from_row_opt(row)
        .map(Some)
        .map_err(|_| answer(action, "a value of an unexpected type"))
}

fn first_row(conn: &mut Conn, statement: &str, action: &str) -> Result<Option<Row>, SourceError> {
    conn.query_first(statement)
        .map_err(|error| from_mysql(error, &Context::query(action)))
}

fn column<T: mysql::prelude::FromValue>(row: &Row, index: usize) -> Option<T> {
    row.get_opt(index).and_then(Result::ok)
}

fn answer(action: &str, detail: &str) -> SourceError {
    SourceError::Answer {
        action: action.to_owned(),
        detail: detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_is_asked_by_the_statement_it_knows() {
        let statement = |family, version| {
            status_statement(&ServerInfo {
                family,
                version,
                version_text: String::new(),
                version_comment: String::new(),
                server_uuid: None,
                server_id: 1,
                host: String::new(),
                lower_case_table_names: 0,
            })
        };
        assert_eq!(statement(Family::MySql, (5, 6, 50)), "SHOW MASTER STATUS");
        assert_eq!(statement(Family::MySql, (8, 0, 36)), "SHOW MASTER STATUS");
        assert_eq!(
            statement(Family::MySql, (8, 4, 0)),
            "SHOW BINARY LOG STATUS"
        );
        assert_eq!(statement(Family::MariaDb, (10, 4, 0)), "SHOW MASTER STATUS");
        assert_eq!(statement(Family::MariaDb, (11, 8, 1)), "SHOW BINLOG STATUS");
    }
}
