//! The standard load: inserts and updates of `short_table` and `long_table`, each in a binlog
//! file of its own, on a private MySQL server.

use std::path::{Path, PathBuf};

use lab::{Flavor, Server, ServerOptions};
use mysql::prelude::Queryable;

use crate::Error;

/// The parts of the load, in their order.
pub(crate) const INTERVALS: [&str; 4] =
    ["insert_short", "insert_long", "update_short", "update_long"];

/// Rows of one INSERT, which is one transaction.
const INSERT_ROWS: u64 = 1000;
/// Rows of one UPDATE, which is one transaction.
const UPDATE_ROWS: u64 = 10_000;

const SCHEMA: &str = include_str!("../../demo/schema.sql");

/// The load's files; the server keeps them until this is dropped.
pub(crate) struct Workload {
    pub(crate) intervals: Vec<Interval>,
    pub(crate) server: Server,
}

/// One part of the load.
pub(crate) struct Interval {
    /// One of [`INTERVALS`].
    pub(crate) name: &'static str,
    /// The binlog file that holds it and nothing else.
    pub(crate) file: PathBuf,
    /// Rows that were written.
    pub(crate) rows: u64,
}

/// A fresh server with the demo's tables, all of them empty.
pub(crate) fn start_server() -> Result<Server, Error> {
    let options = ServerOptions::new()
        .arg("--max-binlog-size=1G")
        .arg("--innodb-flush-log-at-trx-commit=0")
        .arg("--sync-binlog=0");
    let server = Server::start(Flavor::Mysql, &options)?;
    server.exec_script(SCHEMA)?;
    Ok(server)
}

/// Makes the load on a fresh server.
pub(crate) fn make(rows: u64) -> Result<Workload, Error> {
    let server = start_server()?;
    let mut intervals = Vec::new();
    for name in INTERVALS {
        let file = begin_file(&server)?;
        run(&server, &statements(name, rows))?;
        intervals.push(Interval { name, file, rows });
    }
    server.exec("FLUSH BINARY LOGS")?;
    Ok(Workload { intervals, server })
}

/// Runs statements one after the other, each a transaction.
pub(crate) fn run(server: &Server, statements: &[String]) -> Result<(), Error> {
    let mut conn = server.conn()?;
    for statement in statements {
        conn.query_drop(statement)?;
    }
    Ok(())
}

/// The statements of one of [`INTERVALS`]; updates are of rows with ids from 1.
pub(crate) fn statements(interval: &str, rows: u64) -> Vec<String> {
    let short = "INSERT INTO ads.short_table (field1, field2) VALUES ";
    let long = "INSERT INTO ads.long_table (field5, field6, field7, field8, field13, field14, \
                field15, field16, field17, field18, field21, field25) VALUES ";
    let long_row = "('short_string',0,0,'',0,0,0,'','','',0,'another_short_string')";
    match interval {
        "insert_short" => inserts(short, "(1,2)", rows),
        "insert_long" => inserts(long, long_row, rows),
        "update_short" => updates("UPDATE ads.short_table SET field1 = 12", rows),
        _ => updates("UPDATE ads.long_table SET field6 = 12", rows),
    }
}

fn inserts(head: &str, row: &str, rows: u64) -> Vec<String> {
    let mut statements = Vec::new();
    let mut left = rows;
    while left > 0 {
        let now = left.min(INSERT_ROWS);
        let values = vec![row; usize::try_from(now).unwrap_or(1)].join(",");
        statements.push(format!("{head}{values}"));
        left -= now;
    }
    statements
}

fn updates(head: &str, rows: u64) -> Vec<String> {
    (0..rows.div_ceil(UPDATE_ROWS))
        .map(|part| {
            let first = part * UPDATE_ROWS + 1;
            let last = ((part + 1) * UPDATE_ROWS).min(rows);
            format!("{head} WHERE id BETWEEN {first} AND {last}")
        })
        .collect()
}

/// Makes the server begin another binlog file; its path.
pub(crate) fn begin_file(server: &Server) -> Result<PathBuf, Error> {
    server.exec("FLUSH BINARY LOGS")?;
    let base: Option<String> = server.query_value("SELECT @@log_bin_basename")?;
    let base = PathBuf::from(base.ok_or("the server has no log_bin_basename")?);
    Ok(base.with_file_name(log_end(server)?.0))
}

/// Paths of the server's binlog files from one of them up to another, without that one.
pub(crate) fn files_between(
    server: &Server,
    from: &Path,
    before: &Path,
) -> Result<Vec<PathBuf>, Error> {
    let logs: Vec<mysql::Row> = server.conn()?.query("SHOW BINARY LOGS")?;
    let names = logs.into_iter().filter_map(|log| log.get::<String, _>(0));
    let paths = names.map(|name| from.with_file_name(name));
    let paths = paths.skip_while(|path| path != from);
    Ok(paths.take_while(|path| path != before).collect())
}

/// Name of the binlog file that the server writes now, and its length so far.
pub(crate) fn log_end(server: &Server) -> Result<(String, u64), Error> {
    let status: Option<mysql::Row> = server.conn()?.query_first("SHOW BINARY LOG STATUS")?;
    let status = status.ok_or("the server does not tell its binlog file")?;
    match (status.get(0), status.get(1)) {
        (Some(file), Some(length)) => Ok((file, length)),
        _ => Err("the server does not tell its binlog file".into()),
    }
}
