//! A load of which every snapshot can be judged by itself, and readers that do so: money moves
//! between two tables, rows of a group change together, and counters only grow.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use mysql::Conn;
use mysql::prelude::Queryable;
use test_mirror::{Mirror, Snapshot};

use crate::{Gate, Random, World, connect};

const ACCOUNTS: i64 = 50;
const START: i64 = 1000;
const TOTAL: i64 = 2 * ACCOUNTS * START;
/// Rows of `big` that have one value of `n`, changed by one statement.
pub const GROUP: i32 = 64;
/// Groups that are looked at in each snapshot.
const GROUPS_JUDGED: u64 = 8;
/// Ids of `marker` from here on are the writers' counters.
const COUNTERS: i32 = 100;

/// What writers and readers share.
#[derive(Debug, Default)]
pub struct Watched {
    /// Writers write while it is open.
    pub gate: Gate,
    /// Transactions committed.
    pub commits: AtomicU64,
    /// Snapshots that were judged.
    pub snapshots: AtomicU64,
    /// Seconds since 1970 that the writers' sessions take for the time; 0 for the server's clock.
    pub clock: AtomicI64,
    /// Time that a writer waits between transactions, in microseconds.
    pub pause_micros: AtomicU64,
    groups: AtomicU64,
    ended: AtomicBool,
}

impl Watched {
    /// Makes the rows: accounts, counters, and so many groups of [`GROUP`] rows.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn fill(&self, world: &World, groups: u32, writers: u32) {
        for table in ["account_a", "account_b"] {
            let rows: Vec<String> = (1..=ACCOUNTS)
                .map(|id| format!("({id}, {START})"))
                .collect();
            let rows = rows.join(", ");
            world.run(&format!("INSERT INTO {table} (id, balance) VALUES {rows}"));
        }
        for writer in 0..writers as i32 {
            let id = COUNTERS + writer;
            world.run(&format!("INSERT INTO marker (id, n) VALUES ({id}, 0)"));
        }
        for group in 0..groups as i32 {
            let ids = group * GROUP..(group + 1) * GROUP;
            let rows: Vec<String> = ids.map(|id| format!("({id}, 0, 'row {id}')")).collect();
            world.run(&format!("INSERT INTO big VALUES {}", rows.join(", ")));
        }
        self.groups.store(u64::from(groups), Ordering::SeqCst);
    }

    /// Transactions committed so far.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    /// Ends writers and readers.
    pub fn end(&self) {
        self.gate.end();
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Ends writers and readers when the guard is dropped, so that a failed test ends them.
    #[must_use]
    pub fn end_on_drop(&self) -> EndWatched<'_> {
        EndWatched(self)
    }

    /// A writer with a counter of its own, until the gate ends; connects again whenever it has
    /// to.
    ///
    /// # Panics
    /// On an error that is neither a lost connection nor a fight between writers.
    pub fn write(&self, port: u16, writer: u32, mut random: Random) {
        let mut conn = None;
        while self
            .gate
            .pass(|| self.turn(port, writer, &mut conn, &mut random))
        {
            let pause = self.pause_micros.load(Ordering::Relaxed);
            if pause > 0 {
                std::thread::sleep(Duration::from_micros(pause));
            }
        }
    }

    fn turn(&self, port: u16, writer: u32, conn: &mut Option<Conn>, random: &mut Random) {
        let Some(open) = conn else {
            match connect(port) {
                Ok(open) => *conn = Some(open),
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
            return;
        };
        match self.transaction(open, writer, random) {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::SeqCst);
            }
            Err(mysql::Error::MySqlError(error)) if is_fight(error.code) => {
                if open.query_drop("ROLLBACK").is_err() {
                    *conn = None;
                }
            }
            Err(error) if is_lost(&error) => *conn = None,
            Err(error) => panic!("a writer's statement failed: {error}"),
        }
    }

    /// One transaction that keeps the sum, the groups and the order of its counter.
    fn transaction(&self, conn: &mut Conn, writer: u32, random: &mut Random) -> mysql::Result<()> {
        if random.one_in(8) {
            let clock = self.clock.load(Ordering::Relaxed);
            conn.query_drop(match clock {
                0 => "SET TIMESTAMP = DEFAULT".to_owned(),
                clock => format!("SET TIMESTAMP = {clock}"),
            })?;
        }
        conn.query_drop("START TRANSACTION")?;
        let groups = self.groups.load(Ordering::Relaxed);
        if groups > 0 && random.one_in(2) {
            let first = random.below(groups) as i32 * GROUP;
            let last = first + GROUP - 1;
            conn.query_drop(format!(
                "UPDATE big SET n = n + 1, filler = CONCAT('group ', n) \
                 WHERE id BETWEEN {first} AND {last}"
            ))?;
        }
        transfer(conn, random)?;
        let id = COUNTERS + writer as i32;
        conn.query_drop(format!("UPDATE marker SET n = n + 1 WHERE id = {id}"))?;
        conn.query_drop("COMMIT")
    }

    /// Takes snapshots and judges each, `pause` apart, until [`end`](Self::end). How many
    /// versions it saw.
    ///
    /// # Panics
    /// When one is wrong.
    pub fn read(&self, mirror: &Mirror, pause: Duration) -> u64 {
        let mut seen = Seen::default();
        while !self.ended.load(Ordering::SeqCst) {
            seen.judge(&mirror.snapshot());
            self.snapshots.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(pause);
        }
        seen.versions
    }
}

/// Ends a [`Watched`] when it is dropped.
#[derive(Debug)]
pub struct EndWatched<'w>(&'w Watched);

impl Drop for EndWatched<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Money moves from one account to another, or an account moves as a whole.
fn transfer(conn: &mut Conn, random: &mut Random) -> mysql::Result<()> {
    let tables = match random.one_in(2) {
        true => ["account_a", "account_b"],
        false => ["account_b", "account_a"],
    };
    let (from, to) = (tables[0], *random.pick(&tables));
    let (id, other) = (random.between(1, ACCOUNTS), random.between(1, ACCOUNTS));
    let amount = random.between(1, 300);
    if random.one_in(4) {
        let sql = format!("SELECT balance FROM {from} WHERE id = {id} FOR UPDATE");
        let balance: Option<i64> = conn.query_first(sql)?;
        let Some(balance) = balance else {
            return Ok(());
        };
        conn.query_drop(format!("DELETE FROM {from} WHERE id = {id}"))?;
        return conn.query_drop(format!(
            "INSERT INTO {to} (id, balance) VALUES ({other}, {balance}) \
             ON DUPLICATE KEY UPDATE balance = balance + {balance}"
        ));
    }
    conn.query_drop(format!(
        "UPDATE {from} SET balance = balance - {amount} WHERE id = {id}"
    ))?;
    if conn.affected_rows() == 0 {
        return Ok(());
    }
    conn.query_drop(format!(
        "INSERT INTO {to} (id, balance) VALUES ({other}, {amount}) \
         ON DUPLICATE KEY UPDATE balance = balance + {amount}"
    ))
}

/// Deadlock, lock wait, MariaDB's "record has changed", and "table definition has changed".
fn is_fight(code: u16) -> bool {
    matches!(code, 1205 | 1213 | 1020 | 1412)
}

/// Whether it is the connection that failed, not the statement: 1053 and 1077 to 1080 are of a
/// shut-down, 1317 and 1927 of a KILL.
fn is_lost(error: &mysql::Error) -> bool {
    match error {
        mysql::Error::MySqlError(error) => matches!(error.code, 1053 | 1317 | 1927 | 1077..=1080),
        _ => true,
    }
}

/// What a reader has seen so far.
#[derive(Debug, Default)]
struct Seen {
    version: u64,
    versions: u64,
    counters: BTreeMap<i32, u64>,
}

impl Seen {
    /// # Panics
    /// When the snapshot shows a part of a transaction, or goes back.
    fn judge(&mut self, snapshot: &Snapshot) {
        let version = snapshot.version().number;
        assert!(version >= self.version, "{version} after {}", self.version);
        if version == self.version {
            return;
        }
        self.version = version;
        self.versions += 1;
        let a: i64 = snapshot.account_a().iter().map(|row| row.balance).sum();
        let b: i64 = snapshot.account_b().iter().map(|row| row.balance).sum();
        let shown = snapshot.version();
        assert_eq!(a + b, TOTAL, "money of a half transaction: {shown:?}");
        for row in snapshot.marker().iter().filter(|row| row.id >= COUNTERS) {
            let before = self.counters.insert(row.id, row.n).unwrap_or(0);
            assert!(
                before <= row.n,
                "counter {}: {} after {before}: {shown:?}",
                row.id,
                row.n
            );
        }
        // Some groups with each version, all of them in turn.
        let groups = snapshot.big().len() as u64 / GROUP as u64;
        for turn in 0..GROUPS_JUDGED.min(groups) {
            let first = ((version + turn * 7) % groups) as i32 * GROUP;
            let row = |id| snapshot.big().get(id).map(|row| row.n);
            let n = row(first);
            let same = (first..first + GROUP).all(|id| row(id) == n);
            assert!(same && n.is_some(), "group of row {first}: {shown:?}");
        }
    }
}
