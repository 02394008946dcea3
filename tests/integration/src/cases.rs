//! Mirrors of single tables of the shared servers: all paths, all row images.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mirror_runtime::{CheckpointOptions, Error, Mirror, Options, Schema, WhenUnusable};
use mysql::Conn;

use crate::compare::difference;
use crate::oracle::server_rows;
pub use crate::servers::{Servers, lacking, start};
use crate::shown::table_rows;
use crate::{Site, rounds, run_in, wait_for};

/// Longest wait for something that takes well below a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// Row images that sessions may log; all are to work.
const IMAGES: [&str; 3] = ["FULL", "MINIMAL", "NOBLOB"];
/// Whether this run is as short as those of CI.
static IS_SHORT: LazyLock<bool> =
    LazyLock::new(|| rounds("row images on servers with less metadata", 1) == 1);
/// The next row of any marker table.
static MARKS: AtomicU64 = AtomicU64::new(1);

/// A generated crate that the cases use.
pub trait Generated: Schema {
    /// Its database.
    const DATABASE: &'static str;

    /// Whether its table `marker` has this row.
    fn has_mark(snapshot: &Self::Snapshot, mark: i32) -> bool;
}

impl Generated for test_cases::Tables {
    const DATABASE: &'static str = "cases";

    fn has_mark(snapshot: &Self::Snapshot, mark: i32) -> bool {
        snapshot.marker().get(mark).is_some()
    }
}

impl Generated for test_cases_mariadb::Tables {
    const DATABASE: &'static str = "cases_mariadb";

    fn has_mark(snapshot: &Self::Snapshot, mark: i32) -> bool {
        snapshot.marker().get(mark).is_some()
    }
}

/// Some of the tables of a generated crate, on one server.
#[derive(Debug, Clone, Copy)]
pub struct Case<'s, S = test_cases::Tables> {
    /// The server.
    pub site: &'s Site,
    /// The tables, as `table` or `database.table`.
    pub tables: &'s [&'s str],
    reloads: bool,
    schema: PhantomData<S>,
}

impl<'s> Case<'s> {
    /// These tables on this server; `None`, and a line that says why, when it cannot have one.
    #[must_use]
    pub fn on(site: &'s Site, tables: &'s [&'s str]) -> Option<Self> {
        if let Some(reason) = tables.iter().find_map(|table| lacking(site, table)) {
            site.does_not_apply(reason);
            return None;
        }
        Some(Self::of(site, tables))
    }
}

impl<'s> Case<'s, test_cases_mariadb::Tables> {
    /// These tables that MariaDB has types for on this server; `None`, and a line that says
    /// why, when it is MySQL.
    #[must_use]
    pub fn on_mariadb(site: &'s Site, tables: &'s [&'s str]) -> Option<Self> {
        if site.is_mysql() {
            site.does_not_apply("the types are MariaDB's");
            return None;
        }
        Some(Self::of(site, tables))
    }
}

impl<'s, S: Generated> Case<'s, S> {
    fn of(site: &'s Site, tables: &'s [&'s str]) -> Self {
        Self {
            site,
            tables,
            reloads: false,
            schema: PhantomData,
        }
    }

    /// The case, in which mirrors may have to load the tables again.
    #[must_use]
    pub fn with_reloads(self, reloads: bool) -> Self {
        Self { reloads, ..self }
    }

    /// Options of a mirror of the tables.
    ///
    /// # Panics
    /// When the URL is none.
    #[must_use]
    pub fn options(&self) -> Options {
        let mut options = Options::new(self.site.server.url().parse().unwrap());
        let mut tables: Vec<String> = self
            .tables
            .iter()
            .map(|table| full_name::<S>(table))
            .collect();
        tables.push(full_name::<S>("marker"));
        options.tables = Some(tables);
        options.reconnect_max_wait = Duration::from_millis(400);
        options
    }

    /// A mirror of the tables, loaded.
    ///
    /// # Panics
    /// When it does not get live.
    #[must_use]
    pub fn mirror(&self) -> Mirror<S> {
        self.mirror_with(self.options())
    }

    /// A mirror of the tables with a checkpoint in this folder, from which it starts if there is
    /// one.
    ///
    /// # Panics
    /// When it does not get live, or cannot use the checkpoint.
    #[must_use]
    pub fn mirror_in(&self, folder: &Path) -> Mirror<S> {
        let checkpoint = CheckpointOptions {
            interval: None,
            when_unusable: WhenUnusable::Refuse,
            ..CheckpointOptions::new(folder)
        };
        self.mirror_with(Options {
            checkpoint: Some(checkpoint),
            ..self.options()
        })
    }

    fn mirror_with(&self, options: Options) -> Mirror<S> {
        let mirror = Mirror::start(options).unwrap();
        if let Err(error) = mirror.wait_until_live(PATIENCE) {
            let (flavor, tables) = (self.site.flavor(), self.tables);
            panic!("{flavor}, {tables:?}: the mirror does not get live: {error}");
        }
        mirror
    }

    /// Waits until the mirror shows all that is committed now, or ends; the error that ends it.
    ///
    /// # Panics
    /// When it does neither.
    #[must_use]
    pub fn end_or_caught_up(&self, mirror: &Mirror<S>) -> Option<Error> {
        let mark = MARKS.fetch_add(1, Ordering::SeqCst) as i32;
        let marker = full_name::<S>("marker");
        self.site
            .run(&format!("INSERT INTO {marker} VALUES ({mark})"));
        let is_shown = || S::has_mark(&mirror.snapshot(), mark);
        let done = || is_shown() || mirror.error().is_some();
        if !wait_for(PATIENCE, done) {
            let (flavor, tables) = (self.site.flavor(), self.tables);
            panic!("{flavor}, {tables:?}: the mirror neither ends nor catches up");
        }
        if is_shown() { None } else { mirror.error() }
    }

    /// The mirror's rows once it shows all that is committed now.
    ///
    /// # Panics
    /// When it does not get there.
    #[must_use]
    pub fn caught_up(&self, mirror: &Mirror<S>) -> S::Snapshot {
        if let Some(error) = self.end_or_caught_up(mirror) {
            let (flavor, tables) = (self.site.flavor(), self.tables);
            panic!("{flavor}, {tables:?}: the mirror has ended: {error}");
        }
        mirror.snapshot()
    }

    /// The error that ends the mirror.
    ///
    /// # Panics
    /// When it goes on.
    #[must_use]
    pub fn end_of(&self, mirror: &Mirror<S>) -> Error {
        wait_for(PATIENCE, || mirror.error().is_some());
        let error = mirror.error().expect("the mirror must stop");
        println!("{}: {error}", self.site.flavor());
        error
    }

    /// Compares the tables of a mirror that has caught up with what the server says.
    ///
    /// # Panics
    /// When they differ.
    pub fn assert_equals_server(&self, mirror: &Mirror<S>, what: &str) {
        let subscription = mirror.subscribe();
        let mut conn = self.site.conn();
        for (index, layout) in S::layouts().iter().enumerate() {
            let name = layout.full_name();
            if !self
                .tables
                .iter()
                .any(|table| full_name::<S>(table) == name)
            {
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
    pub fn on_all_paths(&self, before: &[&str], after: &[&str], check: impl Fn(&S::Snapshot)) {
        for image in self.images() {
            let mut conn = self.emptied();
            run_in(
                &mut conn,
                &format!("SET SESSION binlog_row_image = '{image}'"),
            );
            let from_start = self.mirror();
            run_all(&mut conn, before);
            let between = self.mirror();
            let folder = tempfile::tempdir().unwrap();
            self.mirror_in(folder.path()).stop();
            run_all(&mut conn, after);
            let at_end = self.mirror();
            let restarted = self.mirror_in(folder.path());
            assert_restarted(&restarted);
            for (mirror, what) in [
                (at_end, "all by SELECT"),
                (between, "by SELECT and binlog"),
                (from_start, "all by binlog"),
                (restarted, "from a checkpoint, and by binlog"),
            ] {
                let what = format!("{image}, {what}");
                println!("{}: {what}", self.site.flavor());
                let snapshot = self.caught_up(&mirror);
                self.assert_equals_server(&mirror, &what);
                check(&snapshot);
                let status = mirror.status();
                let reason = status.last_reload;
                assert!(self.reloads || status.reloads == 0, "{what}: {reason:?}");
            }
            let restarted = self.mirror_in(folder.path());
            assert_restarted(&restarted);
            self.assert_equals_server(&restarted, "from a checkpoint");
            check(&restarted.snapshot());
        }
    }

    /// The row images to run with: all on the server that logs most, and on old ones; else one,
    /// since images and metadata have nothing to do with each other, unless the run is long.
    fn images(&self) -> &'static [&'static str] {
        match self.site.logs_metadata() && !self.site.logs_names() && *IS_SHORT {
            true => &["MINIMAL"],
            false => &IMAGES,
        }
    }

    /// Runs rows of edge values through all paths: each comes by SELECT, by an insert and by
    /// an update, and one more of each is deleted. An edge is the literals of `columns`, and
    /// what the row must hold, as `value` reads it from a snapshot.
    ///
    /// # Panics
    /// When a row differs from its edge or from the server.
    pub fn on_edges<E: PartialEq + std::fmt::Debug>(
        &self,
        columns: &str,
        edges: &[(String, E)],
        value: impl Fn(&S::Snapshot, u32) -> Option<E>,
    ) {
        let table = full_name::<S>(self.tables[0]);
        let insert = |first: u32, turn: usize| {
            let rows = (0..edges.len()).zip(first..).map(|(edge, id)| {
                let (literals, _) = &edges[(edge + turn) % edges.len()];
                format!("({id}, {literals})")
            });
            let rows = rows.collect::<Vec<String>>().join(", ");
            format!("INSERT INTO {table} (id, {columns}) VALUES {rows}")
        };
        let set: Vec<String> = columns
            .split(", ")
            .map(|column| format!("x.{column} = y.{column}"))
            .collect();
        let update = format!(
            "UPDATE {table} AS x JOIN {table} AS y ON x.id = y.id + 1000 SET {}
             WHERE y.id BETWEEN 1000 AND 1999",
            set.join(", ")
        );
        let delete = format!("DELETE FROM {table} WHERE id >= 4000");
        // Selected, to be updated, to be deleted; inserted.
        let before = [insert(1000, 0), insert(2000, 1), insert(4000, 0)];
        let after = [insert(3000, 0), update, delete];
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        self.on_all_paths(&before, &after, |snapshot| {
            for (index, (literals, expected)) in (0..).zip(edges) {
                for (first, path) in [(1000, "selected"), (3000, "inserted"), (2000, "updated")] {
                    let held = value(snapshot, first + index);
                    assert_eq!(held.as_ref(), Some(expected), "{path}: {literals}");
                }
                assert!(
                    value(snapshot, 4000 + index).is_none(),
                    "deleted: {literals}"
                );
            }
        });
    }

    /// A session, with the tables empty.
    fn emptied(&self) -> Conn {
        let mut conn = self.site.conn();
        for table in self.tables {
            run_in(&mut conn, &format!("DELETE FROM {}", full_name::<S>(table)));
        }
        conn
    }
}

/// The mirror started from a checkpoint.
fn assert_restarted<S: Schema>(mirror: &Mirror<S>) {
    let status = mirror.status().checkpoint;
    let from = status
        .as_ref()
        .and_then(|status| status.started_from.as_ref());
    assert!(from.is_some(), "{status:?}");
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

fn full_name<S: Generated>(table: &str) -> String {
    match table.contains('.') {
        true => table.to_owned(),
        false => format!("{}.{table}", S::DATABASE),
    }
}
