//! Compressed transactions (MySQL) and events (MariaDB) are mirrored like any other.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::edge::bytes_literal;
use integration::replay::Replay;
use integration::{Random, World, compressed_events, compressing, on_both_servers, wait_for};
use lab::{Flavor, Proxy};
use mirror_runtime::State;
use mysql::Conn;
use mysql::prelude::Queryable;

on_both_servers!(
    compressed_changes_of_any_size_are_mirrored,
    a_cut_within_a_compressed_transaction_leaves_nothing_visible,
);

const PATIENCE: Duration = Duration::from_secs(60);
/// A subscription that has been silent for so long after the mirror caught up is read empty.
const SILENCE: Duration = Duration::from_millis(300);

fn compressed_changes_of_any_size_are_mirrored(flavor: Flavor) {
    let world = World::start_with(flavor, &compressing(flavor));
    if !world.compresses() {
        return;
    }
    let mut random = Random::for_test();
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    let mut conn = world.conn();
    let mut id = 0;
    for size in [0, 1, 9, 10, 11, 255, 256, 8_000, 70_000, 2 << 20] {
        for noise in [false, true] {
            id += 1;
            let value = if noise {
                bytes_literal(&random.bytes(size))
            } else {
                format!("REPEAT('z', {size})")
            };
            insert_update_delete(&mut conn, id, &value);
        }
    }
    several_tables_and_savepoints(&mut conn);
    prepared_and_rolled_back(&mut conn);
    conn.query_drop("TRUNCATE TABLE fire_b").unwrap();
    conn.query_drop("INSERT INTO fire_b VALUES ('after', 1, REPEAT('y', 500))")
        .unwrap();

    let rows = assert_equals_server(&world, &mirror);
    assert!(rows > 10, "{rows} rows");
    replay.drain(&subscription, SILENCE);
    replay.assert_equals(&mirror.snapshot());
    // One, for XA COMMIT.
    assert_eq!(mirror.status().reloads, 1, "{:?}", mirror.status());
    let mut names = compressed_events(&world);
    let count = names.len();
    names.sort();
    names.dedup();
    println!("{flavor}: {count} compressed events: {names:?}");
    assert!(count > 40, "{count} compressed events");
    if flavor == Flavor::Mariadb {
        for part in ["Query", "Write", "Update", "Delete"] {
            assert!(
                names.iter().any(|name| name.starts_with(part)),
                "{part} in {names:?}"
            );
        }
    }
}

fn insert_update_delete(conn: &mut Conn, id: u32, value: &str) {
    let other = id + 1000;
    for sql in [
        format!("INSERT INTO byte_strings (id, long_blob) VALUES ({id}, {value}), ({other}, 'x')"),
        format!(
            "UPDATE byte_strings SET long_blob_null = long_blob, varbinary_10 = 'abc'
             WHERE id IN ({id}, {other})"
        ),
        format!("DELETE FROM byte_strings WHERE id = {other}"),
    ] {
        conn.query_drop(sql).unwrap();
    }
}

/// Transactions over several tables, and what a rollback to a savepoint takes back.
fn several_tables_and_savepoints(conn: &mut Conn) {
    for sql in [
        "START TRANSACTION",
        "INSERT INTO fire_a VALUES (1, 1, REPEAT('a', 40)), (2, 2, 'b')",
        "INSERT INTO fire_b VALUES ('k', 1, REPEAT('b', 5000))",
        "SAVEPOINT one",
        "UPDATE fire_a SET tag = REPEAT('no', 20)",
        "DELETE FROM fire_b",
        "ROLLBACK TO one",
        "INSERT INTO fire_c VALUES (1, 1, 5, NULL)",
        "SAVEPOINT two",
        "UPDATE fire_a SET id = id + 10, n = -n",
        "RELEASE SAVEPOINT two",
        "INSERT INTO unmirrored (note) VALUES (REPEAT('x', 30))",
        "UPDATE fire_a, fire_c SET fire_a.n = 7, fire_c.n = 8",
        "COMMIT",
        // Only what was taken back: nothing is logged, or an empty transaction.
        "START TRANSACTION",
        "SAVEPOINT three",
        "DELETE FROM fire_a",
        "ROLLBACK TO three",
        "COMMIT",
        "DELETE FROM fire_a WHERE id = 11",
    ] {
        conn.query_drop(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

fn prepared_and_rolled_back(conn: &mut Conn) {
    for sql in [
        "XA START 'one'",
        "INSERT INTO fire_a VALUES (31, 1, REPEAT('one phase', 4))",
        "XA END 'one'",
        "XA COMMIT 'one' ONE PHASE",
        "XA START 'two'",
        "INSERT INTO fire_a VALUES (32, 1, REPEAT('two phase', 4))",
        "XA END 'two'",
        "XA PREPARE 'two'",
        "XA COMMIT 'two'",
        "START TRANSACTION",
        "INSERT INTO fire_a VALUES (33, 1, REPEAT('never', 4))",
        "ROLLBACK",
    ] {
        conn.query_drop(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

fn a_cut_within_a_compressed_transaction_leaves_nothing_visible(flavor: Flavor) {
    const ROWS: usize = 6;
    let world = World::start_with(flavor, &compressing(flavor));
    if !world.compresses() {
        return;
    }
    let mut random = Random::for_test();
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mirror = world.mirror_with(world.options_at(&proxy.url()));
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    for round in 0..2 {
        // The next connection ends within the transaction, of about 6 MB that do not get less.
        let before = mirror.status();
        proxy.cut_after(Some(2_500_000));
        proxy.cut_all();
        let again = || {
            let status = mirror.status();
            status.reconnects > before.reconnects && status.state == State::Live
        };
        assert!(wait_for(PATIENCE, again), "{flavor}: {:?}", mirror.status());
        world.catch_up(&mirror);
        let version = mirror.snapshot().version().clone();
        let sent = proxy.counters().to_client;
        proxy.refuse(true);
        let mut conn = world.conn();
        conn.query_drop("START TRANSACTION").unwrap();
        for row in 0..ROWS {
            let value = bytes_literal(&random.bytes(1 << 20));
            conn.query_drop(format!(
                "INSERT INTO byte_strings (id, long_blob) VALUES ({}, {value})",
                round * ROWS + row
            ))
            .unwrap();
        }
        conn.query_drop("COMMIT").unwrap();

        let cut = || mirror.status().state == State::Reconnecting;
        assert!(wait_for(PATIENCE, cut), "{flavor}: {:?}", mirror.status());
        assert!(
            proxy.counters().to_client > sent + 1_000_000,
            "it was cut too early to show anything"
        );
        assert_eq!(*mirror.snapshot().version(), version);
        assert_eq!(mirror.snapshot().byte_strings().len(), round * ROWS);

        proxy.cut_after(None);
        proxy.refuse(false);
        let whole = || {
            let shown = mirror.snapshot().byte_strings().len() - round * ROWS;
            assert!(shown == 0 || shown == ROWS, "{shown} of {ROWS} rows show");
            shown == ROWS
        };
        assert!(wait_for(PATIENCE, whole), "{flavor}: {:?}", mirror.status());
    }
    assert_equals_server(&world, &mirror);
    replay.drain(&subscription, SILENCE);
    replay.assert_equals(&mirror.snapshot());
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
    assert!(compressed_events(&world).len() >= 2);
}
