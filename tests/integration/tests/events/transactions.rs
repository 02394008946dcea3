//! How transactions are framed: GTIDs of all kinds, XA, savepoints and rollbacks.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::stream::read_from;
use integration::{World, on_both_servers, run_in};
use lab::{Flavor, ServerOptions};
use mysql::prelude::Queryable;
use test_mirror::Mirror;

use super::{Effect, Watched};

on_both_servers!(
    transactions_with_gtids_of_other_kinds,
    transactions_without_gtids,
    xa_transactions,
    an_xa_transaction_that_was_prepared_before_the_connection_broke,
    an_xa_transaction_that_was_prepared_before_the_load,
    savepoints_and_rollbacks,
    tables_that_are_made_from_a_select,
    a_file_that_begins_with_what_rows_cannot_tell,
);

pub(super) const BOTH: &[u8] = &[38];
pub(super) const MYSQL: &[u8] = &[34, 42];

fn transactions_with_gtids_of_other_kinds(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    if !world.is_mysql() {
        watched.step(
            &[
                "SET SESSION gtid_domain_id = 7, server_id = 99",
                "INSERT INTO fire_a VALUES (1, 1, 'x')",
                "SET SESSION gtid_seq_no = 100",
                "UPDATE fire_a SET n = 2",
            ],
            &[162],
            Effect::Follows,
        );
        return;
    }
    world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
    if world.version() >= (8, 3, 0) {
        watched.step(
            &[
                "SET SESSION gtid_next = 'AUTOMATIC:some_tag'",
                "INSERT INTO fire_a VALUES (2, 1, 'x')",
                "UPDATE fire_a SET n = 2",
                "SET SESSION gtid_next = 'AUTOMATIC'",
                "UPDATE fire_a SET n = 3",
            ],
            &[33, 42],
            Effect::Follows,
        );
    }
    watched.step(
        &[
            "SET SESSION gtid_next = '00112233-4455-6677-8899-aabbccddeeff:5'",
            "UPDATE fire_a SET n = 4",
            "SET SESSION gtid_next = '00112233-4455-6677-8899-aabbccddeeff:2'",
            "START TRANSACTION",
            "COMMIT",
            "SET SESSION gtid_next = 'AUTOMATIC'",
        ],
        &[33],
        Effect::Follows,
    );
    // A connection that broke is made again with all of these.
    break_streams(&world);
    watched.step(&["UPDATE fire_a SET n = 5"], &[33], Effect::Follows);
}

/// Ends the server's side of the mirror's stream.
fn break_streams(world: &World) {
    let sql = "SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%'";
    let ids: Vec<u64> = world.conn().query(sql).unwrap();
    assert!(!ids.is_empty(), "no stream");
    for id in ids {
        world.run(&format!("KILL {id}"));
    }
}

/// GTIDs are switched off while the mirror follows by them.
fn transactions_without_gtids(flavor: Flavor) {
    let world = World::start(flavor);
    if !world.is_mysql() || world.version() < (5, 7, 6) {
        return world.does_not_apply("GTIDs cannot be switched off while it runs");
    }
    world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
    let watched = Watched::new(&world);
    world.run("SET GLOBAL gtid_mode = ON_PERMISSIVE");
    world.run("SET GLOBAL gtid_mode = OFF_PERMISSIVE");
    // A stream by GTIDs has no place for it: the tables are loaded, and followed by file.
    let from = world.position();
    world.run("UPDATE fire_a SET n = 2");
    assert_equals_server(&world, &watched.mirror);
    let status = watched.mirror.status();
    let reason = status.last_reload.clone().unwrap_or_default();
    assert!(
        status.reloads == 1 && reason.contains("gtid_mode"),
        "{status:?}"
    );
    assert!(read_from(&world, &from).has(&[34]));
    watched.step(&["UPDATE fire_a SET n = 3"], &[34], Effect::Follows);
    break_streams(&world);
    world.run("UPDATE fire_a SET n = 4");
    assert_equals_server(&world, &watched.mirror);
    assert_eq!(watched.mirror.status().reloads, 1);

    // They are switched off altogether under a mirror that starts by GTIDs.
    for mode in ["ON_PERMISSIVE", "ON"] {
        world.run(&format!("SET GLOBAL gtid_mode = {mode}"));
    }
    let watched = Watched::new(&world);
    for mode in ["ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF"] {
        world.run(&format!("SET GLOBAL gtid_mode = {mode}"));
    }
    break_streams(&world);
    world.run("UPDATE fire_a SET n = 6");
    assert_equals_server(&world, &watched.mirror);
    let status = watched.mirror.status();
    assert!(status.reloads == 1, "{status:?}");
}

fn xa_transactions(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
    let watched = Watched::new(&world);
    let logs_prepare = !world.is_old();
    let one_phase = [
        "XA START 'one'",
        "INSERT INTO fire_a VALUES (2, 2, 'x')",
        "XA END 'one'",
        "XA COMMIT 'one' ONE PHASE",
    ];
    watched.step(&one_phase, &[19], Effect::Follows);
    let prepare = |name: &str, statement: &str| {
        [
            format!("XA START '{name}'"),
            statement.to_owned(),
            format!("XA END '{name}'"),
            format!("XA PREPARE '{name}'"),
        ]
    };
    if !logs_prepare {
        return world.does_not_apply("it logs no XA PREPARE");
    }
    let mut conn = world.conn();
    for statement in prepare("two", "UPDATE fire_a SET n = 10 WHERE id = 1") {
        run_in(&mut conn, &statement);
    }
    // Prepared: nobody sees it, and others go on.
    watched.step(
        &["INSERT INTO fire_a VALUES (3, 3, 'x')"],
        &[19],
        Effect::Follows,
    );
    assert_eq!(
        watched.mirror.snapshot().fire_a().get(1).map(|row| row.n),
        Some(1)
    );
    watched.during(&[2], Effect::Reloads("XA COMMIT"), || {
        run_in(&mut conn, "XA COMMIT 'two'")
    });
    assert_eq!(
        watched.mirror.snapshot().fire_a().get(1).map(|row| row.n),
        Some(10)
    );

    watched.during(&[38], Effect::Follows, || {
        for statement in prepare("three", "DELETE FROM fire_a") {
            run_in(&mut conn, &statement);
        }
        run_in(&mut conn, "XA ROLLBACK 'three'");
    });
    watched.during(&[], Effect::Follows, || {
        for statement in &prepare("four", "DELETE FROM fire_a")[..3] {
            run_in(&mut conn, statement);
        }
        run_in(&mut conn, "XA ROLLBACK 'four'");
    });
    assert_eq!(watched.mirror.snapshot().fire_a().len(), 3);
}

fn prepare_one(world: &World) -> bool {
    if world.is_old() {
        world.does_not_apply("a prepared transaction ends with its session");
        return false;
    }
    let mut conn = world.conn();
    for statement in [
        "XA START 'kept'",
        "UPDATE fire_a SET n = 10 WHERE id = 1",
        "XA END 'kept'",
        "XA PREPARE 'kept'",
    ] {
        run_in(&mut conn, statement);
    }
    drop(conn);
    // The server takes the session's end in its own time.
    std::thread::sleep(Duration::from_millis(200));
    true
}

fn an_xa_transaction_that_was_prepared_before_the_connection_broke(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
    let watched = Watched::new(&world);
    if !prepare_one(&world) {
        return;
    }
    world.catch_up(&watched.mirror);
    break_streams(&world);
    watched.step(
        &["INSERT INTO fire_a VALUES (2, 2, 'x')"],
        &[19],
        Effect::Follows,
    );
    assert_eq!(
        watched.mirror.snapshot().fire_a().get(1).map(|row| row.n),
        Some(1)
    );
    watched.step(&["XA COMMIT 'kept'"], &[2], Effect::Reloads("XA COMMIT"));
    assert_eq!(
        watched.mirror.snapshot().fire_a().get(1).map(|row| row.n),
        Some(10)
    );
}

fn an_xa_transaction_that_was_prepared_before_the_load(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
    if !prepare_one(&world) {
        return;
    }
    let watched = Watched::new(&world);
    assert_eq!(
        watched.mirror.snapshot().fire_a().get(1).map(|row| row.n),
        Some(1)
    );
    watched.step(&["XA COMMIT 'kept'"], &[2], Effect::Reloads("XA COMMIT"));
    assert_eq!(
        watched.mirror.snapshot().fire_a().get(1).map(|row| row.n),
        Some(10)
    );
}

fn savepoints_and_rollbacks(flavor: Flavor) {
    // MySQL with GTIDs refuses transactions over engines of both kinds.
    let options = ServerOptions::new().args([
        "--loose-gtid-mode=OFF",
        "--loose-enforce-gtid-consistency=OFF",
    ]);
    let world = World::start_with(flavor, &options);
    // Without GTIDs an old server is followed from the start of a file, where no definition may
    // stand: it logs no names of columns.
    world.run("FLUSH BINARY LOGS");
    let watched = Watched::new(&world);
    world.run("CREATE TABLE plain (id INT PRIMARY KEY) ENGINE=MyISAM");
    // MySQL takes the rows out of its log, MariaDB says what became of them.
    let effect = match world.is_mysql() {
        true => Effect::Follows,
        false => Effect::Reloads("ROLLBACK TO"),
    };
    let seen = watched.step(
        &[
            "START TRANSACTION",
            "INSERT INTO fire_a VALUES (1, 1, 'stays')",
            "SAVEPOINT one",
            "INSERT INTO fire_a VALUES (2, 2, 'goes')",
            "INSERT INTO plain VALUES (1)",
            "INSERT INTO plain_log (note) VALUES ('stays')",
            "ROLLBACK TO SAVEPOINT one",
            "INSERT INTO fire_a VALUES (3, 3, 'stays')",
            "RELEASE SAVEPOINT one",
            "COMMIT",
        ],
        &[2, 16, 19],
        effect,
    );
    println!("{flavor}: {seen:?}");
    assert_eq!(watched.mirror.snapshot().fire_a().len(), 2);
    assert_eq!(watched.mirror.snapshot().plain_log().len(), 1);
    let seen = watched.step(
        &[
            "START TRANSACTION",
            "UPDATE fire_a SET n = 7",
            "INSERT INTO plain_log (note) VALUES ('stays too')",
            "UPDATE fire_a, plain_log SET fire_a.n = 8, plain_log.note = 'changed' \
             WHERE fire_a.id = plain_log.id",
            "ROLLBACK",
        ],
        &[2, 19],
        Effect::Follows,
    );
    println!("{flavor}: {seen:?}");
    assert_eq!(watched.mirror.snapshot().plain_log().len(), 2);
    // In statement format the rows of both engines stand in one group with its ROLLBACK.
    let before = watched.mirror.status().reloads;
    let mut conn = world.conn();
    for statement in [
        "SET SESSION binlog_format = STATEMENT",
        "START TRANSACTION",
        "INSERT INTO unmirrored (note) VALUES ('goes')",
        "INSERT INTO plain VALUES (2)",
        "SET SESSION sql_mode = ''",
        "SAVEPOINT two",
        "INSERT INTO plain SELECT id + 100 FROM unmirrored",
        "ROLLBACK TO SAVEPOINT two",
        "ROLLBACK",
    ] {
        run_in(&mut conn, statement);
    }
    assert_equals_server(&world, &watched.mirror);
    assert_eq!(
        watched.mirror.status().reloads,
        before,
        "no mirrored table is in it"
    );
}

fn tables_that_are_made_from_a_select(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO account_a VALUES (1, 10, NULL), (2, 20, 'two')");
    let watched = Watched::new(&world);
    if world.is_old() {
        return world.does_not_apply("with GTIDs it refuses CREATE TABLE ... SELECT");
    }
    watched.step(
        &["CREATE TABLE another (PRIMARY KEY (id)) SELECT * FROM account_a"],
        &[2, 19],
        Effect::Follows,
    );
    watched.step(
        &[
            "DROP TABLE account_b",
            "CREATE TABLE account_b (PRIMARY KEY (id)) DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_bin SELECT * FROM account_a",
            "INSERT INTO account_b VALUES (3, 30, 'three')",
        ],
        &[2, 19],
        Effect::Reloads("account_b"),
    );
    assert_eq!(watched.mirror.snapshot().account_b().len(), 3);
}

/// Without GTIDs, and without the right to read `log_status`, a load replays from the start of
/// the current file. What rows cannot tell stands there for good.
fn a_file_that_begins_with_what_rows_cannot_tell(flavor: Flavor) {
    let options = ServerOptions::new().args(["--loose-gtid-mode=OFF"]);
    let world = World::start_with(flavor, &options);
    world.run("CREATE USER 'least'@'%' IDENTIFIED BY 'least'");
    world.run("GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'least'@'%'");
    world.run("FLUSH BINARY LOGS");
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_format = STATEMENT");
    run_in(&mut conn, "INSERT INTO fire_a VALUES (1, 1, 'x')");
    let port = world.server.port();
    let options = world.options_at(&format!("mysql://least:least@127.0.0.1:{port}/"));
    if world.is_mysql() {
        let limit = Duration::from_secs(60);
        let error = match Mirror::connect(options.clone(), limit) {
            Ok(_) => panic!("the statement is in the file that is replayed"),
            Err(error) => error.to_string(),
        };
        println!("{error}");
        for part in [
            "INSERT on mirror_test.fire_a",
            "each load",
            "FLUSH BINARY LOGS",
        ] {
            assert!(error.contains(part), "{part:?} is missing in: {error}");
        }
        world.run("FLUSH BINARY LOGS");
    }
    let mirror = world.mirror_with(options);
    assert_equals_server(&world, &mirror);
}
