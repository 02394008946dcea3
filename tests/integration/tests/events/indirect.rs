//! Statements in STATEMENT format that change mirrored tables without naming them: through views,
//! triggers and stored functions. The log has no rows of these, so the tables are loaded again.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::{World, on_both_servers, run_in};
use lab::Flavor;
use mysql::Conn;
use mysql::prelude::Queryable;
use test_mirror::Mirror;

on_both_servers!(
    each_way_to_a_mirrored_table_is_followed,
    what_is_made_while_the_mirror_runs_is_followed,
    foreign_keys_to_other_tables_are_followed,
    statements_on_other_tables_cause_no_load,
    what_was_dropped_within_the_replay_is_not_forgotten,
    an_account_without_the_rights_goes_on,
);

/// Definitions on the way to mirrored tables, and tables that are not mirrored.
const DEFINITIONS: [&str; 14] = [
    "SET GLOBAL log_bin_trust_function_creators = ON",
    "CREATE TABLE with_trigger (id INT PRIMARY KEY, n INT NOT NULL)",
    "CREATE TABLE with_call (id INT PRIMARY KEY, n INT NOT NULL)",
    "CREATE TABLE plain_other (id INT PRIMARY KEY, n INT NOT NULL, tag VARCHAR(40))",
    "CREATE VIEW fire_view AS SELECT id, n, tag FROM fire_a",
    "CREATE VIEW outer_view AS SELECT id, n, tag FROM fire_view WHERE n >= 0",
    "CREATE VIEW other_view AS SELECT id, n, tag FROM plain_other",
    "CREATE TRIGGER fires AFTER INSERT ON with_trigger FOR EACH ROW \
     INSERT INTO fire_c (x, y, n) VALUES (NEW.id, 0, NEW.n)",
    "CREATE PROCEDURE put(x INT, n INT) INSERT INTO fire_c (x, y, n) VALUES (x, 1, n)",
    "CREATE TRIGGER calls BEFORE DELETE ON with_call FOR EACH ROW CALL put(OLD.id, OLD.n)",
    "CREATE FUNCTION moved(x INT) RETURNS INT BEGIN \
     INSERT INTO fire_c (x, y, n) VALUES (x, 2, 7); RETURN x; END",
    "CREATE FUNCTION double_of(x INT) RETURNS INT RETURN 2 * x",
    "CREATE VIEW calling_view AS SELECT moved(id) AS m FROM plain_other",
    "INSERT INTO with_call VALUES (1, 10), (2, 20)",
];

/// Makes the definitions, and a session that writes statements.
fn prepare(world: &World) -> Conn {
    for sql in DEFINITIONS {
        world.run(sql);
    }
    statement_session(world)
}

fn statement_session(world: &World) -> Conn {
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_format = 'STATEMENT'");
    conn
}

/// Runs a statement; the mirror loads again for this reason, and equals the server.
fn assert_loads(world: &World, mirror: &Mirror, conn: &mut Conn, sql: &str, reason: &str) {
    let before = mirror.status().reloads;
    run_in(conn, sql);
    assert_equals_server(world, mirror);
    let status = mirror.status();
    let flavor = world.flavor();
    assert!(status.reloads > before, "{flavor}: {sql}: {status:?}");
    let told = status.last_reload.unwrap_or_default();
    println!("{flavor}: {sql}: {told}");
    assert!(told.contains(reason), "{flavor}: {sql}: {told}");
}

fn each_way_to_a_mirrored_table_is_followed(flavor: Flavor) {
    let world = World::start(flavor);
    let mut conn = prepare(&world);
    let mirror = world.mirror();
    for (sql, reason) in [
        (
            "INSERT INTO fire_view VALUES (1, 1, 'view')",
            "INSERT through view mirror_test.fire_view on mirror_test.fire_a",
        ),
        (
            "UPDATE outer_view SET n = 2",
            "UPDATE through view mirror_test.outer_view on mirror_test.fire_a",
        ),
        (
            "INSERT INTO with_trigger VALUES (1, 1)",
            "INSERT through a trigger of mirror_test.with_trigger on mirror_test.fire_c",
        ),
        (
            "DELETE FROM with_call WHERE id = 1",
            "DELETE through a trigger of mirror_test.with_call on mirror_test.fire_c",
        ),
        (
            "SELECT moved(3)",
            "SELECT through function mirror_test.moved on mirror_test.fire_c",
        ),
        ("DO moved(4)", "through function mirror_test.moved"),
        ("SET @a = moved(5)", "through function mirror_test.moved"),
        (
            "INSERT INTO plain_other VALUES (moved(6), 1, 'a')",
            "INSERT through function mirror_test.moved",
        ),
        (
            "INSERT INTO plain_other (id, n) SELECT 100 + m, 1 FROM calling_view",
            "INSERT through view mirror_test.calling_view",
        ),
        ("DELETE FROM fire_view", "DELETE through view"),
    ] {
        // Rows that two of the statements write would be the same ones.
        run_in(&mut conn, "DELETE FROM fire_c WHERE y = 2");
        assert_equals_server(&world, &mirror);
        assert_loads(&world, &mirror, &mut conn, sql, reason);
    }
    if !world.is_mysql() {
        let sql =
            "SET STATEMENT sort_buffer_size = 100000 FOR INSERT INTO fire_a VALUES (9, 9, '')";
        let reason = "INSERT on mirror_test.fire_a";
        assert_loads(&world, &mirror, &mut conn, sql, reason);
    }
}

fn what_is_made_while_the_mirror_runs_is_followed(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = world.mirror();
    let mut conn = prepare(&world);
    assert_equals_server(&world, &mirror);
    let status = mirror.status();
    assert_eq!(status.reloads, 0, "definitions change no rows: {status:?}");
    let insert = "INSERT INTO with_trigger VALUES (1, 1)";
    assert_loads(&world, &mirror, &mut conn, insert, "a trigger of");
    run_in(&mut conn, "RENAME TABLE with_trigger TO renamed");
    let insert = "INSERT INTO renamed VALUES (2, 1)";
    assert_loads(&world, &mirror, &mut conn, insert, "mirror_test.renamed");
    // Read anew by the load: as it is now.
    let insert = "INSERT INTO renamed VALUES (3, 1)";
    assert_loads(
        &world,
        &mirror,
        &mut conn,
        insert,
        "a trigger of mirror_test.renamed",
    );
    run_in(&mut conn, "DROP TRIGGER fires");
    run_in(
        &mut conn,
        "CREATE TRIGGER again AFTER UPDATE ON renamed FOR EACH ROW \
         INSERT INTO fire_view VALUES (OLD.id, OLD.n, 'fire_a')",
    );
    let update = "UPDATE renamed SET n = 2 WHERE id = 1";
    assert_loads(&world, &mirror, &mut conn, update, "a trigger of");
    let select = "SELECT moved(3)";
    assert_loads(
        &world,
        &mirror,
        &mut conn,
        select,
        "function mirror_test.moved",
    );
}

/// A parent need not be mirrored where the server logs what its foreign keys do; in STATEMENT
/// format it does not.
fn foreign_keys_to_other_tables_are_followed(flavor: Flavor) {
    let world = World::start(flavor);
    if !world.is_mysql() || world.version() < (9, 6, 0) {
        return world.does_not_apply("parents are mirrored with their children");
    }
    for sql in [
        "CREATE TABLE top (id INT PRIMARY KEY)",
        "CREATE TABLE parent (id INT PRIMARY KEY, top INT, \
         FOREIGN KEY (top) REFERENCES top (id) ON DELETE CASCADE)",
        "ALTER TABLE fire_c ADD FOREIGN KEY (u) REFERENCES parent (id) ON DELETE SET NULL",
        "INSERT INTO top VALUES (1), (2)",
        "INSERT INTO parent VALUES (1, 1), (2, 2)",
        "INSERT INTO fire_c (x, y, n, u) VALUES (1, 1, 1, 1), (2, 2, 2, 2)",
    ] {
        world.run(sql);
    }
    let mirror = world.mirror();
    let mut conn = statement_session(&world);
    let delete = "DELETE FROM top WHERE id = 1";
    let reason = "DELETE through foreign keys to mirror_test.top on mirror_test.fire_c";
    assert_loads(&world, &mirror, &mut conn, delete, reason);
    assert_eq!(
        mirror.snapshot().fire_c().get(1, 1).map(|row| row.u),
        Some(None)
    );
}

fn statements_on_other_tables_cause_no_load(flavor: Flavor) {
    let world = World::start(flavor);
    let mut conn = prepare(&world);
    let mirror = world.mirror();
    for sql in [
        "INSERT INTO plain_other VALUES (1, 1, 'fire_view'), (2, 2, 'moved(1)')",
        "UPDATE plain_other SET n = double_of(n), tag = 'it\\'s'",
        "INSERT INTO other_view VALUES (3, 3, 'c')",
        "REPLACE INTO plain_other SELECT id + 10, n, tag FROM other_view",
        "DELETE FROM plain_other WHERE id = 1",
        "UPDATE unmirrored u JOIN plain_other p ON u.id = p.id SET u.note = p.tag",
        "CREATE TABLE made LIKE plain_other",
        "INSERT INTO made SELECT * FROM plain_other",
        "DROP TABLE made",
        "DO double_of(1)",
    ] {
        run_in(&mut conn, sql);
        assert_equals_server(&world, &mirror);
        let status = mirror.status();
        assert_eq!(status.reloads, 0, "{flavor}: {sql}: {status:?}");
    }
}

/// The load is replayed from a place before the statement, where the trigger was still there, and
/// from before a change of the row that the trigger changed.
fn what_was_dropped_within_the_replay_is_not_forgotten(flavor: Flavor) {
    let options = match flavor {
        Flavor::Mysql => lab::ServerOptions::new().args([
            "--loose-gtid-mode=OFF",
            "--loose-enforce-gtid-consistency=OFF",
        ]),
        Flavor::Mariadb => lab::ServerOptions::new()
            .args([
                "--rpl-semi-sync-master-enabled=ON",
                "--rpl-semi-sync-master-timeout=1",
            ])
            .arg("--rpl-semi-sync-master-wait-point=AFTER_SYNC"),
    };
    let world = World::start_with(flavor, &options);
    let mut conn = prepare(&world);
    for sql in [
        "CREATE USER 'few'@'%' IDENTIFIED BY 'few'",
        "GRANT SELECT, TRIGGER, SHOW VIEW, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'few'@'%'",
        "CREATE TRIGGER changes AFTER UPDATE ON plain_other FOR EACH ROW \
         UPDATE fire_a SET n = NEW.n WHERE id = 1",
        "INSERT INTO plain_other VALUES (1, 1, NULL)",
        "FLUSH BINARY LOGS",
    ] {
        world.run(sql);
    }
    purge_all_but_last(&world);
    world.run("INSERT INTO fire_a VALUES (1, 5, 'x')");
    run_in(&mut conn, "UPDATE plain_other SET n = 6");
    run_in(&mut conn, "DROP TRIGGER changes");
    let url = format!("mysql://few:few@127.0.0.1:{}/", world.server.port());
    let mirror = Mirror::start(world.options_at(&url)).unwrap();
    match mirror.wait_until_live(Duration::from_secs(30)) {
        Ok(()) => panic!("{flavor}: it shows {:?}", mirror.snapshot().fire_a().get(1)),
        Err(error) => {
            let text = error.to_string();
            println!("{flavor}: {text}");
            assert!(text.contains("statements before a DROP TRIGGER"), "{text}");
            assert!(text.contains("FLUSH BINARY LOGS"), "{text}");
        }
    }
    world.run("FLUSH BINARY LOGS");
    purge_all_but_last(&world);
    let mirror = world.mirror_with(world.options_at(&url));
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.snapshot().fire_a().get(1).map(|row| row.n), Some(6));
}

/// A moment after a new file was begun, MariaDB needs none of before after a crash; from one that
/// it may need a load would be replayed.
fn purge_all_but_last(world: &World) {
    let position = world.position();
    let (last, _) = position.split_once(':').unwrap();
    let is_gone = || {
        world.run(&format!("PURGE BINARY LOGS TO '{last}'"));
        let logs: Vec<mysql::Row> = world.conn().query("SHOW BINARY LOGS").unwrap();
        logs.len() == 1
    };
    assert!(integration::wait_for(Duration::from_secs(10), is_gone));
}

/// What it does not see it cannot follow; but it starts, and what it sees made it follows.
fn an_account_without_the_rights_goes_on(flavor: Flavor) {
    let world = World::start(flavor);
    let mut conn = prepare(&world);
    world.run("CREATE USER 'least'@'%' IDENTIFIED BY 'least'");
    world.run("GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'least'@'%'");
    for table in world.tables() {
        world.run(&format!("GRANT SELECT ON {table} TO 'least'@'%'"));
    }
    let url = format!("mysql://least:least@127.0.0.1:{}/", world.server.port());
    let mirror = world.mirror_with(world.options_at(&url));
    run_in(&mut conn, "INSERT INTO plain_other VALUES (1, 1, 'a')");
    world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
    run_in(&mut conn, "CREATE VIEW late_view AS SELECT * FROM fire_a");
    let update = "UPDATE late_view SET n = 2";
    assert_loads(
        &world,
        &mirror,
        &mut conn,
        update,
        "view mirror_test.late_view",
    );
}
