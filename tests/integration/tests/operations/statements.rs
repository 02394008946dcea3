//! Sessions with `binlog_format=STATEMENT`: what they do to a mirrored table is in the log as
//! text only, in any spelling. The mirror loads again, says what it was, and passes over what is
//! not about its tables.

use integration::{World, on_both_servers, run_in};
use lab::Flavor;
use mysql::Conn;

use super::{assert_equal, mirror_of};

on_both_servers!(statements_on_mirrored_tables_make_the_mirror_load_again_in_any_spelling);

const TABLES: [&str; 2] = ["account_a", "account_b"];

fn session(world: &World) -> Conn {
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_format = STATEMENT");
    conn
}

fn statements_on_mirrored_tables_make_the_mirror_load_again_in_any_spelling(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("CREATE DATABASE elsewhere");
    world.run("INSERT INTO account_a VALUES (1, 1, NULL), (2, 2, NULL), (3, 3, NULL)");
    world.run("INSERT INTO account_b VALUES (1, 1, NULL), (2, 2, NULL)");
    world.run("INSERT INTO unmirrored (note) VALUES ('account_a')");
    let mirror = mirror_of(&world, &TABLES);
    let mut conn = session(&world);
    let file = world.server.dir().join("tmp").join("rows");
    std::fs::write(&file, "3\t33\tloaded\n4\t44\tloaded\n").unwrap();
    let load = format!(
        "LOAD DATA INFILE '{}' REPLACE INTO TABLE account_a",
        file.display()
    );
    let mut told = vec![
        (
            "UPDATE",
            "UPDATE account_a SET balance = balance + 1 WHERE id = 1",
        ),
        (
            "REPLACE",
            "/* note */ REPLACE INTO account_a VALUES (3,3,'x')",
        ),
        (
            "INSERT",
            "-- a note\ninsert into `account_a` values (10,10,'y')",
        ),
        ("DELETE", "delete from mirror_test.account_a where id = 2"),
        (
            "UPDATE",
            "UPDATE unmirrored u JOIN account_b b SET b.balance = 7, u.note = 'z' WHERE b.id = 1",
        ),
        ("DELETE", "DELETE x FROM account_b AS x WHERE x.id = 2"),
        ("LOAD", &*load),
    ];
    if world.is_mysql() && world.version() >= (8, 0, 1) {
        told.push((
            "WITH",
            "WITH w AS (SELECT 1 AS id) UPDATE account_a SET balance = 5 WHERE id IN (SELECT id FROM w)",
        ));
    }
    for (verb, sql) in told {
        let before = mirror.status().reloads;
        run_in(&mut conn, sql);
        assert_equal(&world, &mirror, &TABLES);
        let status = mirror.status();
        assert!(status.reloads > before, "{flavor}: passed over: {sql}");
        let reason = status.last_reload.unwrap_or_default();
        println!("{flavor}: {reason}");
        let is_named = reason.contains(verb) && reason.contains("mirror_test.account_");
        assert!(is_named, "{verb}: {reason}");
        assert!(!reason.contains("loaded"), "a value shows: {reason}");
    }
    // From another database.
    run_in(&mut conn, "USE elsewhere");
    run_in(&mut conn, "UPDATE mirror_test.account_b SET balance = 9");
    assert_equal(&world, &mirror, &TABLES);
    let before = mirror.status().reloads;
    for sql in [
        "CREATE TABLE account_a (id INT PRIMARY KEY)",
        "INSERT INTO account_a VALUES (1), (2)",
        "USE mirror_test",
        "INSERT INTO unmirrored (note) VALUES ('UPDATE account_a')",
        "UPDATE unmirrored SET note = RAND() /* account_a */",
        "SET SESSION binlog_format = ROW",
        "UPDATE account_a SET balance = balance + 1",
        &*load,
    ] {
        run_in(&mut conn, sql);
    }
    assert_equal(&world, &mirror, &TABLES);
    let status = mirror.status();
    assert_eq!(status.reloads, before, "{:?}", status.last_reload);
}
