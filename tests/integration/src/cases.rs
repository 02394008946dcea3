//! Servers that the tests of the reported cases share, and mirrors of single tables of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lab::{Flavor, ServerOptions};
use mirror_runtime::{Error, Options, Schema};
use mysql::Conn;
use test_cases::{Mirror, Snapshot, Tables};

use crate::compare::difference;
use crate::oracle::server_rows;
use crate::shown::table_rows;
use crate::{Site, run_in, wait_for};

const SCHEMA: &str = include_str!("../../cases/schema.sql");
const DATABASE: &str = "cases";
/// Longest wait for something that takes well below a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// What MySQL 5.6 has no type or no syntax for.
const LATER: [&str; 4] = ["jo_t", "mj_t", "gen_t", "dx_t"];
/// What MariaDB has no type for, or another.
const MYSQL_ONLY: [&str; 1] = ["jo_t"];
/// Row images that sessions may log; all are to work.
const IMAGES: [&str; 3] = ["FULL", "MINIMAL", "NOBLOB"];
/// The next row of any marker table.
static MARKS: AtomicU64 = AtomicU64::new(1);

/// How much the servers log about columns (`binlog_row_metadata`), for each kind of server.
const METADATA: [(Flavor, &str); 5] = [
    (Flavor::Mysql, "FULL"),
    (Flavor::Mysql, "MINIMAL"),
    (Flavor::Mariadb, "FULL"),
    (Flavor::Mariadb, "MINIMAL"),
    (Flavor::Mariadb, "NO_LOG"),
];

/// The servers of a run, each started when a test asks for it first. They end with this value.
#[derive(Debug, Default)]
pub struct Servers {
    sites: [OnceLock<Site>; METADATA.len()],
}

impl Servers {
    /// The server of this kind that logs names, signedness and labels of columns, if it can.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn full(&self, flavor: Flavor) -> &Site {
        let is_wanted = |entry: &&(Flavor, &str)| entry.0 == flavor;
        let index = METADATA.iter().position(|entry| is_wanted(&entry));
        self.site(index.unwrap_or_default())
    }

    /// The servers of this kind, from the one that logs most about columns to the one that
    /// logs least; one server if that cannot be set.
    ///
    /// # Panics
    /// When one does not start.
    #[must_use]
    pub fn all(&self, flavor: Flavor) -> Vec<&Site> {
        let count = if self.full(flavor).logs_metadata() {
            METADATA.len()
        } else {
            1
        };
        (0..METADATA.len())
            .filter(|&index| METADATA[index].0 == flavor)
            .take(count)
            .map(|index| self.site(index))
            .collect()
    }

    fn site(&self, index: usize) -> &Site {
        self.sites[index].get_or_init(|| {
            let (flavor, metadata) = METADATA[index];
            let option = format!("--loose-binlog-row-metadata={metadata}");
            start(flavor, &ServerOptions::new().arg(option))
        })
    }
}

/// A server of a test's own, with all tables of the cases.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn start(flavor: Flavor, options: &ServerOptions) -> Site {
    let left_out = |site: &Site| match site.is_old() {
        true => LATER.map(|table| format!("CREATE TABLE {table} (")).into(),
        false => Vec::new(),
    };
    Site::start(flavor, options, DATABASE, SCHEMA, left_out)
}

/// Some of the tables, on one server.
#[derive(Debug, Clone, Copy)]
pub struct Case<'s> {
    /// The server.
    pub site: &'s Site,
    /// The tables, as `table` or `database.table`.
    pub tables: &'s [&'s str],
}

impl<'s> Case<'s> {
    /// These tables on this server; `None`, and a line that says why, when it lacks one.
    #[must_use]
    pub fn on(site: &'s Site, tables: &'s [&'s str]) -> Option<Self> {
        let lacks = |table: &&&str| {
            site.is_old() && LATER.contains(table) || !site.is_mysql() && MYSQL_ONLY.contains(table)
        };
        if let Some(table) = tables.iter().find(lacks) {
            let definition = SCHEMA.lines().find(|line| line.contains(*table));
            site.does_not_apply(definition.unwrap_or(table));
            return None;
        }
        Some(Self { site, tables })
    }

    /// Options of a mirror of the tables.
    ///
    /// # Panics
    /// When the URL is none.
    #[must_use]
    pub fn options(&self) -> Options {
        let mut options = Options::new(self.site.server.url().parse().unwrap());
        let mut tables: Vec<String> = self.tables.iter().map(|table| full_name(table)).collect();
        tables.push(full_name("marker"));
        options.tables = Some(tables);
        options.reconnect_max_wait = Duration::from_millis(400);
        options
    }

    /// A mirror of the tables, loaded.
    ///
    /// # Panics
    /// When it does not get live.
    #[must_use]
    pub fn mirror(&self) -> Mirror {
        let mirror = Mirror::start(self.options()).unwrap();
        if let Err(error) = mirror.wait_until_live(PATIENCE) {
            let (flavor, tables) = (self.site.flavor(), self.tables);
            panic!("{flavor}, {tables:?}: the mirror does not get live: {error}");
        }
        mirror
    }

    /// The mirror's rows once it shows all that is committed now.
    ///
    /// # Panics
    /// When it does not get there.
    #[must_use]
    pub fn caught_up(&self, mirror: &Mirror) -> Snapshot {
        let mark = MARKS.fetch_add(1, Ordering::SeqCst) as i32;
        self.site
            .run(&format!("INSERT INTO {DATABASE}.marker VALUES ({mark})"));
        let shown = || mirror.snapshot().marker().get(mark).is_some();
        wait_for(PATIENCE, || shown() || mirror.error().is_some());
        if !shown() {
            let error = mirror.error().map(|error| error.to_string());
            let (flavor, tables) = (self.site.flavor(), self.tables);
            panic!("{flavor}, {tables:?}: the mirror does not catch up: {error:?}");
        }
        mirror.snapshot()
    }

    /// The error that ends the mirror.
    ///
    /// # Panics
    /// When it goes on.
    #[must_use]
    pub fn end_of(&self, mirror: &Mirror) -> Error {
        wait_for(PATIENCE, || mirror.error().is_some());
        let error = mirror.error().expect("the mirror must stop");
        println!("{}: {error}", self.site.flavor());
        error
    }

    /// Compares the tables of a mirror that has caught up with what the server says.
    ///
    /// # Panics
    /// When they differ.
    pub fn assert_equals_server(&self, mirror: &Mirror, what: &str) {
        let subscription = mirror.subscribe();
        let mut conn = self.site.conn();
        for (index, layout) in Tables::layouts().iter().enumerate() {
            let name = layout.full_name();
            if !self.tables.iter().any(|table| full_name(table) == name) {
                continue;
            }
            let held = table_rows(subscription.tables(), index);
            if let Some(found) = difference(layout, held, server_rows(&mut conn, layout)) {
                panic!(
                    "{}, {what}: mirror and server differ: {found}",
                    self.site.flavor()
                );
            }
        }
    }

    /// Runs a case with each row image: a mirror that starts on empty tables, one between the
    /// statements `before` and `after`, and one when all is over must hold the same, the
    /// server's own values, and what `check` knows.
    ///
    /// # Panics
    /// When one does not.
    pub fn on_all_paths(&self, before: &[&str], after: &[&str], check: impl Fn(&Snapshot)) {
        for image in IMAGES {
            let mut conn = self.emptied();
            run_in(
                &mut conn,
                &format!("SET SESSION binlog_row_image = '{image}'"),
            );
            let from_start = self.mirror();
            run_all(&mut conn, before);
            let between = self.mirror();
            run_all(&mut conn, after);
            let at_end = self.mirror();
            for (mirror, what) in [
                (at_end, "all by SELECT"),
                (between, "by SELECT and binlog"),
                (from_start, "all by binlog"),
            ] {
                let what = format!("{image}, {what}");
                println!("{}: {what}", self.site.flavor());
                check(&self.caught_up(&mirror));
                self.assert_equals_server(&mirror, &what);
                let status = mirror.status();
                assert_eq!(status.reloads, 0, "{what}: {:?}", status.last_reload);
            }
        }
    }

    /// A session, with the tables empty.
    fn emptied(&self) -> Conn {
        let mut conn = self.site.conn();
        for table in self.tables {
            run_in(&mut conn, &format!("DELETE FROM {}", full_name(table)));
        }
        conn
    }
}

/// Runs statements one after the other in one session.
///
/// # Panics
/// When one fails.
pub fn run_all(conn: &mut Conn, statements: &[&str]) {
    for sql in statements {
        run_in(conn, sql);
    }
}

fn full_name(table: &str) -> String {
    match table.contains('.') {
        true => table.to_owned(),
        false => format!("{DATABASE}.{table}"),
    }
}
