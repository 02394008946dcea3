//! A server with the test tables, and mirrors of it.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lab::{Flavor, ServerOptions};
use mirror_runtime::{Options, Schema};
use mysql::Conn;
use mysql::prelude::Queryable;
use test_mirror::{Mirror, Tables};

use crate::site::{Site, connect_to, run_in};

/// The tables, the same for all servers but for those that one has no type for.
const SCHEMA: &str = include_str!("../../mirror/schema.sql");
/// Longest wait for something that takes well below a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// What MariaDB and MySQL before 5.7.8 have no type for; MariaDB's JSON is text.
const WITH_JSON: [&str; 2] = ["documents", "json_parts"];
const DATABASE: &str = "mirror_test";

/// A server of one test.
#[derive(Debug)]
pub struct World {
    site: Site,
    marks: AtomicU64,
}

impl Deref for World {
    type Target = Site;

    fn deref(&self) -> &Site {
        &self.site
    }
}

impl DerefMut for World {
    fn deref_mut(&mut self) -> &mut Site {
        &mut self.site
    }
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
        let left_out = |site: &Site| match site.is_old() {
            true => WITH_JSON
                .map(|table| format!("CREATE TABLE {table} ("))
                .into(),
            false => Vec::new(),
        };
        let world = Self {
            site: Site::start(flavor, options, DATABASE, SCHEMA, left_out),
            marks: AtomicU64::new(0),
        };
        world.run("INSERT INTO marker (id, n) VALUES (1, 0)");
        world
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
            .filter(|layout| self.has_json() || !WITH_JSON.contains(&layout.table))
            .map(|layout| layout.full_name())
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

    /// Runs a statement that is logged as a statement, until no writer is in its way.
    ///
    /// # Panics
    /// When it fails for another reason.
    pub fn run_as_statement(&self, statement: &str) {
        let mut conn = self.conn();
        run_in(&mut conn, "SET SESSION binlog_format = 'STATEMENT'");
        loop {
            match conn.query_drop(statement) {
                Ok(()) => return,
                // Deadlock, lock wait, and MariaDB's "record has changed".
                Err(mysql::Error::MySqlError(error))
                    if matches!(error.code, 1205 | 1213 | 1020) => {}
                Err(error) => panic!("{error}"),
            }
        }
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
    connect_to(port, DATABASE)
}
