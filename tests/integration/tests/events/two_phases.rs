//! ALTER TABLE in two phases (MariaDB 10.8, `binlog_alter_two_phase`): START ALTER, then COMMIT
//! ALTER or ROLLBACK ALTER, with other transactions between them.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::{World, run_in, wait_for};
use lab::{Flavor, ServerOptions};
use mysql::Conn;
use mysql::prelude::Queryable;

/// A server that can do it; `None`, said, for others.
fn world(options: ServerOptions) -> Option<World> {
    let world = World::start_with(Flavor::Mariadb, &options);
    if world.version() < (10, 8, 1) {
        world.does_not_apply("it has no binlog_alter_two_phase");
        return None;
    }
    world.run("SET GLOBAL binlog_alter_two_phase = ON");
    let rows = format!("INSERT INTO fire_a SELECT seq, seq, 'x' FROM seq_1_to_{ROWS}");
    world.run(&rows);
    Some(world)
}

fn session(world: &World) -> Conn {
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_alter_two_phase = ON");
    conn
}

/// How many ALTERs of each phase the log's last file has, and whether it has rows between a START
/// and a COMMIT, as SHOW BINLOG EVENTS says.
fn phases(world: &World) -> ([usize; 3], bool) {
    let mut conn = world.conn();
    let file = world.position();
    let (file, _) = file.split_once(':').unwrap();
    let events: Vec<mysql::Row> = conn
        .query(format!("SHOW BINLOG EVENTS IN '{file}'"))
        .unwrap();
    let (mut found, mut rows_between) = ([0; 3], false);
    for event in events {
        let (kind, info): (String, String) = (event.get(2).unwrap(), event.get(5).unwrap());
        for (count, word) in found.iter_mut().zip(["START", "COMMIT", "ROLLBACK"]) {
            *count += usize::from(info.contains(&format!("{word} ALTER")));
        }
        rows_between |= kind.starts_with("Update_rows") && found[0] > found[1] + found[2];
    }
    (found, rows_between)
}

/// Alters in a thread; rows are changed until it is over, some of them between the phases.
fn alter_with_rows_between(world: &World, alter: &str) {
    world.run("FLUSH BINARY LOGS");
    std::thread::scope(|scope| {
        let altered = scope.spawn(|| run_in(&mut session(world), alter));
        let mut conn = world.conn();
        let mut id = 0;
        while !altered.is_finished() {
            id += 1;
            for sql in [
                format!(
                    "INSERT INTO fire_a (id, n, tag) VALUES ({}, 1, 'new')",
                    ROWS + id
                ),
                format!("UPDATE fire_a SET n = -n WHERE id = {id}"),
                format!("DELETE FROM fire_a WHERE id = {}", ROWS / 2 + id),
                format!("REPLACE INTO fire_b VALUES ('{id}', 1, 'between')"),
            ] {
                run_in(&mut conn, &sql);
            }
        }
        altered.join().unwrap();
        run_in(&mut conn, &format!("DELETE FROM fire_a WHERE id > {ROWS}"));
        println!("{id} times four rows were changed meanwhile");
    });
    let (found, rows_between) = phases(world);
    assert_eq!(found, [1, 1, 0], "{alter}");
    assert!(rows_between, "{alter}: no rows between the phases");
}

/// So many that an ALTER which copies them takes a while.
const ROWS: u32 = 60_000;

#[test]
fn rows_between_the_phases_are_applied_while_live() {
    let Some(world) = world(ServerOptions::new()) else {
        return;
    };
    let mirror = world.mirror();
    for change in [
        "ADD COLUMN extra INT NULL AFTER id",
        "ADD KEY n (n)",
        "DROP COLUMN extra",
    ] {
        let alter = format!("ALTER TABLE fire_a {change}, FORCE, ALGORITHM=INPLACE, LOCK=NONE");
        alter_with_rows_between(&world, &alter);
        world.run("UPDATE fire_a SET n = n + 1 WHERE id < 1000");
        assert_equals_server(&world, &mirror);
    }
}

/// With AFTER_SYNC a load is replayed from the start of the file.
#[test]
fn both_phases_within_the_replay_of_a_load() {
    let options = ServerOptions::new()
        .args([
            "--rpl-semi-sync-master-enabled=ON",
            "--rpl-semi-sync-master-timeout=1",
        ])
        .arg("--rpl-semi-sync-master-wait-point=AFTER_SYNC");
    let Some(world) = world(options) else { return };
    let alter = "ALTER TABLE fire_a ADD COLUMN extra INT NULL AFTER id, FORCE, \
                 ALGORITHM=INPLACE, LOCK=NONE";
    alter_with_rows_between(&world, alter);
    world.run("UPDATE fire_a SET n = n + 1, extra = 3 WHERE id < 1000");
    let from = world.position();
    let mirror = world.mirror();
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
    assert_eq!(world.position().split(':').next(), from.split(':').next());
}

/// A load that starts between the phases: the second one comes behind its SELECTs, or within its
/// replay.
#[test]
fn a_load_between_the_phases_equals_the_server() {
    let Some(world) = world(ServerOptions::new()) else {
        return;
    };
    world.run("FLUSH BINARY LOGS");
    let mut holder = world.conn();
    run_in(&mut holder, "START TRANSACTION");
    run_in(&mut holder, "SELECT COUNT(*) FROM fire_a");
    std::thread::scope(|scope| {
        let alter =
            "ALTER TABLE fire_a ADD COLUMN extra INT NULL AFTER id, ALGORITHM=COPY, LOCK=SHARED";
        let altered = scope.spawn(|| run_in(&mut session(&world), alter));
        assert!(wait_for(Duration::from_secs(20), || phases(&world).0[0] == 1));
        let mirror = test_mirror::Mirror::start(world.options()).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        run_in(&mut holder, "COMMIT");
        altered.join().unwrap();
        mirror.wait_until_live(Duration::from_secs(30)).unwrap();
        world.run("UPDATE fire_a SET n = n + 1, extra = 3 WHERE id > 250");
        assert_equals_server(&world, &mirror);
    });
}
