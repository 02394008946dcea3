//! Connections of `root` to the lab's servers.

use std::time::Duration;

use mysql::prelude::{FromValue, Queryable};
use mysql::{Conn, OptsBuilder};

use crate::error::{Error, Result};
use crate::script::split_statements;

/// Settings of each session: the same text, times and rules whatever the server's defaults.
const SESSION: [&str; 2] = [
    "SET NAMES utf8mb4",
    "SET time_zone = '+00:00', sql_mode = ''",
];

/// Opens a session as `root` without a password.
pub(crate) fn connect(port: u16) -> Result<Conn> {
    open(port, None).map_err(Error::sql(format!("cannot connect to 127.0.0.1:{port}")))
}

/// The data directory of the server that answers on this port; `None` if none does.
pub(crate) fn answering_datadir(port: u16) -> Option<String> {
    let mut conn = open(port, Some(Duration::from_secs(5))).ok()?;
    conn.query_first("SELECT @@datadir").ok()?
}

fn open(port: u16, limit: Option<Duration>) -> std::result::Result<Conn, mysql::Error> {
    let options = OptsBuilder::new()
        .ip_or_hostname(Some("127.0.0.1"))
        .tcp_port(port)
        .user(Some("root"))
        .prefer_socket(false)
        .tcp_connect_timeout(limit)
        .read_timeout(limit)
        .write_timeout(limit)
        .init(SESSION.to_vec());
    Conn::new(options)
}

/// Runs one statement in a session of its own.
pub(crate) fn exec(port: u16, sql: &str) -> Result<()> {
    connect(port)?
        .query_drop(sql)
        .map_err(Error::sql(first_word(sql)))
}

/// Runs a script in one session.
pub(crate) fn exec_script(port: u16, script: &str) -> Result<()> {
    let mut conn = connect(port)?;
    for statement in split_statements(script) {
        conn.query_drop(statement).map_err(|error| {
            let before = statement
                .as_ptr()
                .addr()
                .saturating_sub(script.as_ptr().addr());
            let lines = script
                .get(..before)
                .unwrap_or_default()
                .matches('\n')
                .count();
            Error::sql(format!(
                "script line {}: {}",
                lines + 1,
                first_word(statement)
            ))(error)
        })?;
    }
    Ok(())
}

/// First column of the first row.
pub(crate) fn query_value<T: FromValue>(port: u16, sql: &str) -> Result<Option<T>> {
    connect(port)?
        .query_first(sql)
        .map_err(Error::sql(first_word(sql)))
}

/// The statement's kind for messages: its values stay out of them.
fn first_word(sql: &str) -> String {
    let word = sql.split_whitespace().next().unwrap_or("empty");
    format!(
        "the {} statement failed",
        word.chars().take(20).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_kind_of_statement_only() {
        assert_eq!(
            first_word("INSERT INTO t VALUES ('secret')"),
            "the INSERT statement failed"
        );
        assert_eq!(first_word(""), "the empty statement failed");
    }

    #[test]
    fn port_without_a_server_gives_an_error() {
        assert!(matches!(connect(1), Err(Error::Sql { .. })));
        assert_eq!(answering_datadir(1), None);
    }
}
