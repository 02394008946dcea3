//! Writers that change several tables in each transaction.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::edge::bytes_literal;
use crate::{Gate, Random, connect};

/// Rows of each table that writers fight for.
const ROWS: u64 = 60;

/// What writers share.
#[derive(Debug, Default)]
pub struct Writers {
    /// They write while it is open.
    pub gate: Gate,
    /// Transactions committed so far.
    pub commits: AtomicU64,
    /// Connections made after a loss.
    pub reconnects: AtomicU64,
}

impl Writers {
    /// Transactions committed so far.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    /// One writer: transactions over all `fire` tables until the gate ends. It connects again
    /// for as long as the server is away.
    ///
    /// # Panics
    /// On an error of a statement that is none of a fight between writers.
    pub fn write(&self, port: u16, mut random: Random) {
        let mut conn = None;
        while self.gate.pass(|| self.turn(port, &mut conn, &mut random)) {}
    }

    /// Runs four writers around `work`; they write from the start.
    pub fn around(&self, port: u16, random: &mut Random, work: impl FnOnce()) {
        std::thread::scope(|scope| {
            let _end = self.gate.end_on_drop();
            for _ in 0..4 {
                let random = random.fork();
                scope.spawn(move || self.write(port, random));
            }
            self.gate.open();
            work();
        });
    }

    fn turn(&self, port: u16, conn: &mut Option<Conn>, random: &mut Random) {
        let Some(open) = conn else {
            match connect(port) {
                Ok(open) => *conn = Some(open),
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
            return;
        };
        match transaction(open, random) {
            Ok(true) => {
                self.commits.fetch_add(1, Ordering::SeqCst);
            }
            Ok(false) => {}
            Err(error) if is_lost(&error) => {
                self.reconnects.fetch_add(1, Ordering::SeqCst);
                *conn = None;
            }
            Err(error) => panic!("a writer's statement failed: {error}"),
        }
    }
}

/// Whether it is the connection that failed, not the statement.
fn is_lost(error: &mysql::Error) -> bool {
    match error {
        // Server shutdown in progress, killed connection or query.
        mysql::Error::MySqlError(error) => matches!(error.code, 1053 | 1317 | 1927 | 1077..=1080),
        _ => true,
    }
}

/// One transaction of one to five statements; false when it was rolled back.
fn transaction(conn: &mut Conn, random: &mut Random) -> Result<bool, mysql::Error> {
    conn.query_drop("START TRANSACTION")?;
    for _ in 0..=random.below(5) {
        let sql = statement(random);
        match conn.query_drop(&sql) {
            Ok(()) => {}
            // Duplicate key: the statement is undone, the transaction goes on.
            Err(mysql::Error::MySqlError(error)) if error.code == 1062 => {}
            // Deadlock, lock wait, and MariaDB's "record has changed".
            Err(mysql::Error::MySqlError(error)) if matches!(error.code, 1205 | 1213 | 1020) => {
                conn.query_drop("ROLLBACK")?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
    }
    if random.one_in(12) {
        conn.query_drop("ROLLBACK")?;
        return Ok(false);
    }
    conn.query_drop("COMMIT")?;
    Ok(true)
}

/// A statement over one or several of the tables; updates and deletes often hit nothing.
fn statement(random: &mut Random) -> String {
    let (a, b) = (random.below(ROWS), random.below(ROWS));
    let n = random.between(-1_000_000, 1_000_000);
    let key = bytes_literal(format!("k{b}\0").as_bytes());
    match random.below(14) {
        0..=2 => format!(
            "INSERT INTO fire_a (id, n, tag) VALUES ({a}, {n}, 't{b}'), ({}, {n}, 't{a}')
             ON DUPLICATE KEY UPDATE n = n + 1, tag = VALUES(tag)",
            a + 1
        ),
        3 => format!(
            "UPDATE fire_a SET n = n + {n} WHERE id BETWEEN {a} AND {}",
            a + 3
        ),
        4 => format!("DELETE FROM fire_a WHERE id = {a}"),
        5 => format!("UPDATE fire_a SET id = {b}, tag = 'moved' WHERE id = {a}"),
        6 => format!("REPLACE INTO fire_b (k, n, body) VALUES ({key}, {n}, REPEAT('ü', {a}))"),
        7 => format!("UPDATE fire_b SET n = {n}, body = NULL WHERE k = {key}"),
        8 => format!("DELETE FROM fire_b WHERE k = {key}"),
        9 | 10 => format!(
            "INSERT INTO fire_c (x, y, n, u) VALUES ({}, {}, {n}, NULLIF({b}, 7))
             ON DUPLICATE KEY UPDATE n = {n}, u = NULL",
            a % 8,
            b % 8
        ),
        11 => format!(
            "UPDATE fire_c SET x = {}, y = {} WHERE x = {} AND y = {}",
            a % 8,
            b % 8,
            b % 8,
            a % 8
        ),
        12 => format!("DELETE FROM fire_c WHERE n < {n} ORDER BY x, y LIMIT 2"),
        _ => format!(
            "UPDATE fire_a, fire_c SET fire_a.n = {n}, fire_c.n = fire_c.n + 1
             WHERE fire_a.id = {a} AND fire_c.x = {}",
            a % 8
        ),
    }
}
