//! A server with the test tables, and mirrors of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lab::{Flavor, Server, ServerOptions};
use mirror_runtime::{Options, Schema};
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};
use test_mirror::{Mirror, Tables};

/// The tables, as they are for both kinds of server.
const SCHEMA: &str = include_str!("../../mirror/schema.sql");
/// Longest wait for something that takes well below a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// What MariaDB has no type for.
const MYSQL_ONLY: [&str; 2] = ["mirror_test.documents", "mirror_test.json_parts"];

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
        server.exec_script(SCHEMA).unwrap();
        let world = Self {
            server,
            marks: AtomicU64::new(0),
        };
        world.run("INSERT INTO marker (id, n) VALUES (1, 0)");
        world
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
            .filter(|name| self.is_mysql() || !MYSQL_ONLY.contains(&name.as_str()))
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
    /// within the limit.
    ///
    /// # Panics
    /// When the server does not run.
    pub fn has_caught_up(&self, mirror: &Mirror, limit: Duration) -> bool {
        let number = self.mark();
        wait_for(limit, || {
            let snapshot = mirror.snapshot();
            let row = snapshot.marker().get(1).map(|row| row.n);
            assert!(row <= Some(number), "the marker is ahead of the server");
            row == Some(number)
        })
    }

    /// Waits until the mirror shows everything that is committed now.
    ///
    /// # Panics
    /// When it does not within a minute.
    pub fn catch_up(&self, mirror: &Mirror) {
        if !self.has_caught_up(mirror, PATIENCE) {
            panic!(
                "{}: the mirror has not caught up after {PATIENCE:?}: {:?}, error {:?}",
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
        let sql = if self.is_mysql() {
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
