//! A server with the test tables, and mirrors of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lab::{Flavor, Server, ServerOptions};
use mirror_runtime::{Options, Schema};
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};
use test_mirror::{Mirror, Tables};

/// The tables, the same for all servers but for those that one has no type for.
const SCHEMA: &str = include_str!("../../mirror/schema.sql");
/// Longest wait for something that takes well below a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// What MariaDB and MySQL before 5.7.8 have no type for; MariaDB's JSON is text.
const WITH_JSON: [&str; 2] = ["mirror_test.documents", "mirror_test.json_parts"];

/// A server of one test.
#[derive(Debug)]
pub struct World {
    /// The server.
    pub server: Server,
    marks: AtomicU64,
}

impl World {
    /// Starts a server and makes the tables, all empty but for the marker.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(flavor: Flavor) -> Self {
        Self::start_with(flavor, &ServerOptions::new())
    }

    /// As [`start`](Self::start), with options of the server.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start_with(flavor: Flavor, options: &ServerOptions) -> Self {
        let server = Server::start(flavor, options)
            .unwrap_or_else(|error| panic!("{flavor}: no server: {error}"));
        println!("server: {flavor} {}", server.version());
        let world = Self {
            server,
            marks: AtomicU64::new(0),
        };
        world.make_tables();
        world.run("INSERT INTO marker (id, n) VALUES (1, 0)");
        world
    }

    /// Makes the tables that this server has types for.
    fn make_tables(&self) {
        let left_out: Vec<String> = match self.has_json() {
            true => Vec::new(),
            false => WITH_JSON
                .iter()
                .filter_map(|name| name.split('.').next_back())
                .map(|table| format!("CREATE TABLE {table} ("))
                .collect(),
        };
        let statements = lab::split_statements(SCHEMA);
        let made = statements
            .iter()
            .filter(|sql| !left_out.iter().any(|start| sql.contains(start.as_str())));
        let mut conn = self.server.conn().unwrap();
        for sql in made {
            conn.query_drop(sql).unwrap_or_else(|error| {
                let start = sql.lines().next().unwrap_or_default();
                panic!("{}: {start}: {error}", self.flavor())
            });
        }
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

    /// Whether the server logs names, signedness and labels of columns (`binlog_row_metadata`).
    #[must_use]
    pub fn logs_metadata(&self) -> bool {
        match self.is_mysql() {
            true => self.version() >= (8, 0, 1),
            false => self.version() >= (10, 5, 0),
        }
    }

    /// Says why a test does not apply to this server.
    pub fn does_not_apply(&self, reason: &str) {
        let (flavor, version) = (self.flavor(), self.server.version());
        println!("does not apply to {flavor} {version}: {reason}");
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

    /// A session in the test's database.
    ///
    /// # Panics
    /// When there is no connection.
    #[must_use]
    pub fn conn(&self) -> Conn {
        connect(self.server.port()).unwrap()
    }

    /// Runs one statement in a session of its own.
    ///
    /// # Panics
    /// When it fails.
    pub fn run(&self, sql: &str) {
        self.conn()
            .query_drop(sql)
            .unwrap_or_else(|error| panic!("{}: {sql}: {error}", self.flavor()));
    }

    /// Options of a mirror of all tables that this kind of server has.
    ///
    /// # Panics
    /// When the URL is none.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options_at(&self.server.url())
    }

    /// As [`options`](Self::options), with another address of the same server.
    ///
    /// # Panics
    /// When the URL is none.
    #[must_use]
    pub fn options_at(&self, url: &str) -> Options {
        let mut options = Options::new(url.parse().unwrap());
        options.tables = Some(self.tables());
        options.reconnect_max_wait = Duration::from_millis(400);
        options
    }

    /// Full names of the mirrored tables.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        Tables::layouts()
            .iter()
            .map(|layout| layout.full_name())
            .filter(|name| self.has_json() || !WITH_JSON.contains(&name.as_str()))
            .collect()
    }

    /// A mirror with these options, loaded.
    ///
    /// # Panics
    /// When it does not get live.
    #[must_use]
    pub fn mirror_with(&self, options: Options) -> Mirror {
        let mirror = Mirror::start(options).unwrap();
        if let Err(error) = mirror.wait_until_live(PATIENCE) {
            let (flavor, status) = (self.flavor(), mirror.status());
            panic!("{flavor}: the mirror does not get live: {error}; {status:?}");
        }
        mirror
    }

    /// A mirror of all tables, loaded.
    ///
    /// # Panics
    /// When it does not get live.
    #[must_use]
    pub fn mirror(&self) -> Mirror {
        self.mirror_with(self.options())
    }

    /// Commits a change of the marker; its number.
    ///
    /// # Panics
    /// When the server does not run.
    pub fn mark(&self) -> u64 {
        let number = self.marks.fetch_add(1, Ordering::SeqCst) + 1;
        self.run(&format!("UPDATE marker SET n = {number} WHERE id = 1"));
        number
    }

    /// Waits until the mirror shows everything that is committed now; false when it does not
    /// within the limit, or has ended.
    ///
    /// # Panics
    /// When the server does not run.
    pub fn has_caught_up(&self, mirror: &Mirror, limit: Duration) -> bool {
        let number = self.mark();
        wait_for(limit, || {
            let snapshot = mirror.snapshot();
            let row = snapshot.marker().get(1).map(|row| row.n);
            assert!(row <= Some(number), "the marker is ahead of the server");
            row == Some(number) || mirror.error().is_some()
        }) && mirror.error().is_none()
    }

    /// Waits until the mirror shows everything that is committed now.
    ///
    /// # Panics
    /// When it does not within a minute.
    pub fn catch_up(&self, mirror: &Mirror) {
        if !self.has_caught_up(mirror, PATIENCE) {
            panic!(
                "{}: the mirror does not catch up (limit {PATIENCE:?}): {:?}, error {:?}",
                self.flavor(),
                mirror.status(),
                mirror.error().map(|error| error.to_string()),
            );
        }
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

/// Waits until `ready`, looking each millisecond; false when it never was.
pub fn wait_for(limit: Duration, mut ready: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + limit;
    loop {
        if ready() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A session of `root` in the test's database, in UTC, without SQL modes.
///
/// # Errors
/// When the server does not let it in.
pub fn connect(port: u16) -> Result<Conn, mysql::Error> {
    let limit = Some(Duration::from_secs(60));
    Conn::new(
        OptsBuilder::new()
            .ip_or_hostname(Some("127.0.0.1"))
            .tcp_port(port)
            .user(Some("root"))
            .db_name(Some("mirror_test"))
            .prefer_socket(false)
            .tcp_connect_timeout(limit)
            .read_timeout(limit)
            .init(vec![
                "SET NAMES utf8mb4",
                "SET time_zone = '+00:00', sql_mode = 'ALLOW_INVALID_DATES'",
            ]),
    )
}
