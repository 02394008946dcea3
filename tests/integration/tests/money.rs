//! Money moves between rows of two tables; no reader ever sees another sum than the server's.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::{Gate, Random, World, connect, on_both_servers, rounds, wait_for};
use lab::{Flavor, Proxy};
use mirror_runtime::Status;
use mysql::Conn;
use mysql::prelude::Queryable;
use test_mirror::{Mirror, Snapshot};

on_both_servers!(no_reader_ever_sees_another_sum);

const ACCOUNTS: i64 = 50;
const START: i64 = 1000;
const TOTAL: i64 = 2 * ACCOUNTS * START;
const WRITERS: usize = 3;
const READERS: usize = 4;

/// What readers and writers have done.
#[derive(Default)]
struct Seen {
    gate: Gate,
    ended: AtomicBool,
    moves: AtomicU64,
    snapshots: AtomicU64,
}

fn no_reader_ever_sees_another_sum(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    for table in ["account_a", "account_b"] {
        let rows: Vec<String> = (1..=ACCOUNTS)
            .map(|id| format!("({id}, {START})"))
            .collect();
        world.run(&format!(
            "INSERT INTO {table} (id, balance) VALUES {}",
            rows.join(", ")
        ));
    }
    // Something to load, so that a hand-over takes its time.
    world.run("INSERT INTO big (id, n, filler) VALUES (0, 0, REPEAT('x', 200))");
    for doubling in 0..13 {
        world.run(&format!(
            "INSERT INTO big SELECT id + (1 << {doubling}), n, filler FROM big"
        ));
    }

    let proxy = Proxy::start(world.server.port()).unwrap();
    let seen = Seen::default();
    let port = world.server.port();
    let versions = std::thread::scope(|scope| {
        let _end = seen.gate.end_on_drop();
        for _ in 0..WRITERS {
            let (seen, random) = (&seen, random.fork());
            scope.spawn(move || write(port, seen, random));
        }
        seen.gate.open();
        read_while_disturbed(&world, &proxy, &seen)
    });
    let (moves, snapshots) = (
        seen.moves.load(Ordering::SeqCst),
        seen.snapshots.load(Ordering::SeqCst),
    );
    println!(
        "{flavor}: {moves} moves, {snapshots} snapshots, each reader saw {versions} versions or more"
    );
    assert!(
        moves > 100 && versions > 20,
        "too little happened to show anything"
    );
    let sum: i64 = ["account_a", "account_b"]
        .iter()
        .map(|table| {
            world
                .server
                .query_value(&format!("SELECT SUM(balance) FROM mirror_test.{table}"))
        })
        .map(|sum| sum.unwrap().unwrap_or(0i64))
        .sum();
    assert_eq!(sum, TOTAL, "the test itself loses money");
}

/// Starts a mirror and readers of it while money moves; the least number of versions that a
/// reader saw.
fn read_while_disturbed(world: &World, proxy: &Proxy, seen: &Seen) -> usize {
    let mirror = Mirror::start(world.options_at(&proxy.url())).unwrap();
    std::thread::scope(|scope| {
        let _ended = SetOnDrop(&seen.ended);
        let readers: Vec<_> = (0..READERS)
            .map(|_| scope.spawn(|| read(&mirror, seen)))
            .collect();
        mirror.wait_until_live(Duration::from_secs(60)).unwrap();
        disturb(world, &mirror, proxy, seen);
        seen.gate.close();
        assert_equals_server(world, &mirror);
        seen.ended.store(true, Ordering::SeqCst);
        let versions = readers.into_iter().map(|reader| reader.join().unwrap());
        versions.min().unwrap()
    })
}

/// Reloads and connections made again, each while money moves.
fn disturb(world: &World, mirror: &Mirror, proxy: &Proxy, seen: &Seen) {
    for round in 0..rounds("rounds of a reload, a truncate and a cut", 2) {
        let before = mirror.status();
        // Without names in the binlog, a column that moves stops the mirror.
        let place = if world.logs_metadata() { "FIRST" } else { "" };
        world.run(&format!(
            "ALTER TABLE fire_a ADD COLUMN extra INT NULL {place}"
        ));
        go_on(mirror, seen, "a reload", |now| now.reloads > before.reloads);
        world.run("ALTER TABLE fire_a DROP COLUMN extra");
        go_on(mirror, seen, "another reload", |now| {
            now.reloads > before.reloads + 1
        });
        // One half of the money is loaded again, the other goes on.
        let before = mirror.status();
        world.run_as_statement("UPDATE account_a SET note = 'loaded again'");
        go_on(mirror, seen, "a reload of one table", |now| {
            reloads_of(now, "account_a") > reloads_of(&before, "account_a")
        });
        let of_other = |status| reloads_of(status, "account_b");
        assert_eq!(of_other(&mirror.status()), of_other(&before));
        world.run("TRUNCATE TABLE fire_b");
        // In the middle of whatever is under way.
        std::thread::sleep(Duration::from_millis(u64::from(7 * round % 30)));
        proxy.cut_all();
        go_on(mirror, seen, "a connection made again", |now| {
            now.reconnects > before.reconnects
        });
    }
}

fn reloads_of(status: &Status, table: &str) -> u64 {
    let mut tables = status.tables.iter();
    let found = tables.find(|status| status.table == format!("mirror_test.{table}"));
    found.unwrap().reloads
}

/// Waits until it has happened, the mirror is live again, and money has moved since.
fn go_on(mirror: &Mirror, seen: &Seen, what: &str, happened: impl Fn(&Status) -> bool) {
    let limit = Duration::from_secs(30);
    let live = || {
        let status = mirror.status();
        happened(&status) && status.state == mirror_runtime::State::Live
    };
    assert!(wait_for(limit, live), "no {what}: {:?}", mirror.status());
    let (moves, version) = (
        seen.moves.load(Ordering::SeqCst),
        mirror.snapshot().version().number,
    );
    let moved = || {
        seen.moves.load(Ordering::SeqCst) > moves + 5
            && mirror.snapshot().version().number > version + 5
    };
    assert!(
        wait_for(limit, moved),
        "after {what} nothing moves: {:?}",
        mirror.status()
    );
}

/// Takes snapshots until all is over; how many versions it saw.
fn read(mirror: &Mirror, seen: &Seen) -> usize {
    let mut versions = BTreeSet::new();
    while !seen.ended.load(Ordering::SeqCst) {
        let snapshot = mirror.snapshot();
        let version = snapshot.version().number;
        if version == 0 {
            assert_eq!(
                snapshot.account_a().len(),
                0,
                "something shows before the load is done"
            );
            continue;
        }
        assert_eq!(sum(&snapshot), TOTAL, "version {:?}", snapshot.version());
        seen.snapshots.fetch_add(1, Ordering::Relaxed);
        assert!(
            versions.last().is_none_or(|last| *last <= version),
            "versions go back"
        );
        versions.insert(version);
        std::thread::sleep(Duration::from_micros(200));
    }
    versions.len()
}

fn sum(snapshot: &Snapshot) -> i64 {
    let a: i64 = snapshot.account_a().iter().map(|row| row.balance).sum();
    let b: i64 = snapshot.account_b().iter().map(|row| row.balance).sum();
    a + b
}

fn write(port: u16, seen: &Seen, mut random: Random) {
    let mut conn = connect(port).unwrap();
    loop {
        let inside = seen.gate.pass(|| match transfer(&mut conn, &mut random) {
            Ok(()) => {
                seen.moves.fetch_add(1, Ordering::SeqCst);
            }
            // A deadlock: nothing moved.
            Err(mysql::Error::MySqlError(error)) if matches!(error.code, 1205 | 1213 | 1020) => {
                conn.query_drop("ROLLBACK").unwrap();
            }
            Err(error) => panic!("a transfer failed: {error}"),
        });
        if !inside {
            return;
        }
    }
}

/// One transaction that keeps the sum.
fn transfer(conn: &mut Conn, random: &mut Random) -> Result<(), mysql::Error> {
    let tables = if random.one_in(2) {
        ["account_a", "account_b"]
    } else {
        ["account_b", "account_a"]
    };
    let (from, to) = (tables[0], *random.pick(&tables));
    let (id, other) = (random.between(1, ACCOUNTS), random.between(1, ACCOUNTS));
    let amount = random.between(1, 300);
    conn.query_drop("START TRANSACTION")?;
    if random.one_in(4) {
        // The account moves as a whole: a row less here, a row more there.
        let sql = format!("SELECT balance FROM {from} WHERE id = {id} FOR UPDATE");
        let balance: Option<i64> = conn.query_first(sql)?;
        if let Some(balance) = balance {
            conn.query_drop(format!("DELETE FROM {from} WHERE id = {id}"))?;
            conn.query_drop(format!(
                "INSERT INTO {to} (id, balance) VALUES ({other}, {balance})
                 ON DUPLICATE KEY UPDATE balance = balance + {balance}"
            ))?;
        }
    } else {
        conn.query_drop(format!(
            "UPDATE {from} SET balance = balance - {amount} WHERE id = {id}"
        ))?;
        if conn.affected_rows() == 1 {
            conn.query_drop(format!(
                "INSERT INTO {to} (id, balance) VALUES ({other}, {amount})
                 ON DUPLICATE KEY UPDATE balance = balance + {amount}"
            ))?;
        }
    }
    conn.query_drop("COMMIT")
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
