//! A server with a database of test tables, and what it can do.

use lab::{Flavor, Server, ServerOptions};
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};
use std::time::Duration;

/// A server and the database that sessions begin in.
#[derive(Debug)]
pub struct Site {
    /// The server.
    pub server: Server,
    database: &'static str,
}

impl Site {
    /// Starts a server and runs a script that makes its tables, but for the statements that
    /// contain one of these texts: what this server has no types or syntax for.
    ///
    /// # Panics
    /// When the server does not start, or a statement fails.
    #[must_use]
    pub fn start(
        flavor: Flavor,
        options: &ServerOptions,
        database: &'static str,
        script: &str,
        left_out: impl FnOnce(&Self) -> Vec<String>,
    ) -> Self {
        let server = Server::start(flavor, options)
            .unwrap_or_else(|error| panic!("{flavor}: no server: {error}"));
        println!("server: {flavor} {}", server.version());
        let site = Self { server, database };
        let left_out = left_out(&site);
        let mut conn = site.server.conn().unwrap();
        let statements = lab::split_statements(script);
        let is_made = |sql: &&str| !left_out.iter().any(|part| sql.contains(part.as_str()));
        for sql in statements.into_iter().filter(is_made) {
            conn.query_drop(sql)
                .unwrap_or_else(|error| panic!("{flavor}: {sql}: {error}"));
        }
        site
    }

    /// The server's kind.
    #[must_use]
    pub fn flavor(&self) -> Flavor {
        self.server.flavor()
    }

    /// Whether the server is MySQL.
    #[must_use]
    pub fn is_mysql(&self) -> bool {
        self.flavor() == Flavor::Mysql
    }

    /// The server's version as numbers: 9.7.4 is (9, 7, 4).
    #[must_use]
    pub fn version(&self) -> (u32, u32, u32) {
        let mut numbers = self
            .server
            .version()
            .split(|c: char| !c.is_ascii_digit())
            .map(|part| part.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        (next(), next(), next())
    }

    /// Whether the server has MySQL's JSON type (MySQL manual, "The JSON Data Type": 5.7.8).
    #[must_use]
    pub fn has_json(&self) -> bool {
        self.is_mysql() && self.version() >= (5, 7, 8)
    }

    /// Whether the server is older than what MySQL 5.7 and MariaDB 10.2 brought: generated
    /// columns, JSON, expressions as defaults.
    #[must_use]
    pub fn is_old(&self) -> bool {
        self.is_mysql() && self.version() < (5, 7, 8)
    }

    /// Whether the server can log names, signedness and labels of columns
    /// (`binlog_row_metadata`).
    #[must_use]
    pub fn logs_metadata(&self) -> bool {
        match self.is_mysql() {
            true => self.version() >= (8, 0, 1),
            false => self.version() >= (10, 5, 0),
        }
    }

    /// Whether the server logs the names of columns.
    ///
    /// # Panics
    /// When it does not say.
    #[must_use]
    pub fn logs_names(&self) -> bool {
        let level = "SELECT @@global.binlog_row_metadata";
        self.logs_metadata() && self.server.query_value(level).unwrap() == Some("FULL".to_owned())
    }

    /// Whether the server can compress what it logs (`binlog_transaction_compression`,
    /// `log_bin_compress`); if not, it is said.
    #[must_use]
    pub fn compresses(&self) -> bool {
        let can = !self.is_mysql() || self.version() >= (8, 0, 20);
        if !can {
            self.does_not_apply("it does not compress binlogs");
        }
        can
    }

    /// Says why a test does not apply to this server.
    pub fn does_not_apply(&self, reason: &str) {
        let (flavor, version) = (self.flavor(), self.server.version());
        println!("does not apply to {flavor} {version}: {reason}");
    }

    /// A session in the test's database.
    ///
    /// # Panics
    /// When there is no connection.
    #[must_use]
    pub fn conn(&self) -> Conn {
        connect_to(self.server.port(), self.database).unwrap()
    }

    /// Runs one statement in a session of its own.
    ///
    /// # Panics
    /// When it fails.
    pub fn run(&self, sql: &str) {
        run_in(&mut self.conn(), sql);
    }

    /// The end of the server's binlog, as `FILE:POS`.
    ///
    /// # Panics
    /// When the server does not say.
    #[must_use]
    pub fn position(&self) -> String {
        let sql = if self.is_mysql() && self.version() >= (8, 2, 0) {
            "SHOW BINARY LOG STATUS"
        } else {
            "SHOW MASTER STATUS"
        };
        let row: mysql::Row = self.conn().query_first(sql).unwrap().unwrap();
        let (file, offset): (String, u64) = (row.get(0).unwrap(), row.get(1).unwrap());
        format!("{file}:{offset}")
    }
}

/// Runs one statement; a failure shows it.
///
/// # Panics
/// When it fails.
pub fn run_in(conn: &mut Conn, sql: &str) {
    conn.query_drop(sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// A session of `root` in a database, in UTC, with dates of any day and no other SQL mode.
///
/// # Errors
/// When the server does not let it in.
pub(crate) fn connect_to(port: u16, database: &str) -> Result<Conn, mysql::Error> {
    let limit = Some(Duration::from_secs(300));
    Conn::new(
        OptsBuilder::new()
            .ip_or_hostname(Some("127.0.0.1"))
            .tcp_port(port)
            .user(Some("root"))
            .db_name(Some(database))
            .prefer_socket(false)
            .tcp_connect_timeout(limit)
            .read_timeout(limit)
            .init(vec![
                "SET NAMES utf8mb4",
                "SET time_zone = '+00:00', sql_mode = 'ALLOW_INVALID_DATES'",
            ]),
    )
}
