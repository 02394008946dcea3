//! Tables of engines without transactions: each statement shows at once, also one that failed
//! halfway.

use integration::{World, on_both_servers, run_in, wait_for};
use lab::Flavor;
use mysql::prelude::Queryable;
use test_mirror::Mirror;

use super::{PATIENCE, assert_equal, mirror_of};

on_both_servers!(
    statements_on_engines_without_transactions_show_at_once,
    a_memory_table_is_empty_after_a_restart_of_the_server,
);

const TABLES: [&str; 1] = ["plain_log"];

fn rows(mirror: &Mirror) -> Vec<(i32, String)> {
    let snapshot = mirror.snapshot();
    let rows = snapshot.plain_log().iter();
    rows.map(|row| (row.id, row.note.to_string())).collect()
}

/// Waits until the mirror shows these rows; nothing else is written meanwhile.
fn assert_shows(world: &World, mirror: &Mirror, what: &str, expected: &[(i32, &str)]) {
    let expected: Vec<(i32, String)> = expected
        .iter()
        .map(|(id, note)| (*id, (*note).to_owned()))
        .collect();
    if !wait_for(PATIENCE, || rows(mirror) == expected) {
        let (flavor, held) = (world.flavor(), rows(mirror));
        panic!("{flavor}, {what}: {held:?}; {:?}", mirror.status());
    }
}

fn statements_on_engines_without_transactions_show_at_once(flavor: Flavor) {
    let world = World::start(flavor);
    let engines: &[&str] = match world.is_mysql() {
        true => &["MyISAM", "MEMORY"],
        false => &["MyISAM", "Aria", "MEMORY"],
    };
    for engine in engines {
        world.run("TRUNCATE TABLE plain_log");
        world.run(&format!("ALTER TABLE plain_log ENGINE = {engine}"));
        let mirror = mirror_of(&world, &TABLES);
        let mut conn = world.conn();
        run_in(&mut conn, "INSERT INTO plain_log VALUES (1,'a'),(2,'b')");
        assert_shows(&world, &mirror, engine, &[(1, "a"), (2, "b")]);
        run_in(&mut conn, "UPDATE plain_log SET note='c' WHERE id=2");
        assert_shows(&world, &mirror, engine, &[(1, "a"), (2, "c")]);
        let failed = conn.query_drop("INSERT INTO plain_log VALUES (3,'d'),(1,'e'),(4,'f')");
        let error = failed.expect_err("a key stands twice");
        println!("{flavor} {engine}: {error}");
        assert_shows(&world, &mirror, engine, &[(1, "a"), (2, "c"), (3, "d")]);
        run_in(&mut conn, "DELETE FROM plain_log WHERE id=2");
        assert_shows(&world, &mirror, engine, &[(1, "a"), (3, "d")]);
        assert_equal(&world, &mirror, &TABLES);
        let status = mirror.status();
        assert_eq!(status.reloads, 0, "{engine}: {:?}", status.last_reload);
    }
}

/// The server logs a statement that empties the table, when the table is first used.
fn a_memory_table_is_empty_after_a_restart_of_the_server(flavor: Flavor) {
    let mut world = World::start(flavor);
    world.run("ALTER TABLE plain_log ENGINE = MEMORY");
    world.run("INSERT INTO plain_log VALUES (1,'gone'),(2,'gone')");
    let mirror = mirror_of(&world, &TABLES);
    assert_eq!(rows(&mirror).len(), 2);
    world.server.restart().unwrap();
    world.run("SELECT COUNT(*) FROM plain_log");
    world.run("INSERT INTO plain_log VALUES (3,'new')");
    assert_shows(&world, &mirror, "restart", &[(3, "new")]);
    assert_equal(&world, &mirror, &TABLES);
    println!("{flavor}: {:?}", mirror.status().last_reload);
}
