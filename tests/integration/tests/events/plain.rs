//! Rows and statements as servers write them without any setting.

use integration::{World, on_both_servers};
use lab::Flavor;

use super::{Effect, Watched};

on_both_servers!(
    rows_of_transactions,
    rows_without_transactions_and_definitions,
    statements_in_statement_format,
    load_data_in_statement_format,
    a_load_data_that_fails,
    an_alter_in_two_phases,
);

pub(super) const BOTH: &[u8] = &[2, 5, 9, 13, 14, 15, 16, 17, 18, 19];
pub(super) const MYSQL: &[u8] = &[30, 31, 32, 33];
pub(super) const MARIADB: &[u8] = &[23, 24, 25, 162];

fn rows_of_transactions(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    let codes = match world.is_mysql() {
        true => MYSQL,
        false => MARIADB,
    };
    let seen = watched.step(
        &[
            "START TRANSACTION",
            "INSERT INTO account_a VALUES (1, 10, NULL), (2, 20, 'two')",
            "INSERT INTO unmirrored (note) VALUES ('x')",
            "UPDATE account_a SET balance = 11 WHERE id = 1",
            "DELETE FROM account_a WHERE id = 2",
            "COMMIT",
        ],
        &[codes, &[15, 16, 19]].concat(),
        Effect::Follows,
    );
    assert_eq!(seen.count("rows account_a"), 3, "{seen:?}");
    assert_eq!(watched.mirror.snapshot().account_a().len(), 1);
}

fn rows_without_transactions_and_definitions(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    // The COMMIT of an engine without transactions is a QUERY.
    watched.step(
        &["INSERT INTO plain_log (note) VALUES ('one'), ('two')"],
        &[2],
        Effect::Follows,
    );
    let seen = watched.step(&["TRUNCATE TABLE plain_log"], &[2], Effect::Follows);
    assert_eq!(seen.count("truncate plain_log"), 1, "{seen:?}");
    watched.step(
        &[
            "CREATE TABLE another (id INT PRIMARY KEY)",
            "INSERT INTO another VALUES (1)",
            "ALTER TABLE another ADD COLUMN n INT",
            "CREATE VIEW shown AS SELECT * FROM account_a",
            "DROP VIEW shown",
            "DROP TABLE another",
        ],
        &[2],
        Effect::Follows,
    );
    watched.step(
        &["ALTER TABLE account_a ADD KEY extra (note)"],
        &[2],
        Effect::Reloads("ALTER"),
    );
}

fn statements_in_statement_format(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    let format = "SET SESSION binlog_format = STATEMENT";
    watched.step(
        &[
            format,
            "INSERT INTO unmirrored (note) VALUES ('counted')",
            "INSERT INTO unmirrored (note) VALUES (RAND())",
            "SET @x = 'account_a'",
            "INSERT INTO unmirrored (note) VALUES (@x)",
        ],
        &[5, 13, 14],
        Effect::Follows,
    );
    watched.step(
        &[format, "INSERT INTO plain_log (note) VALUES (RAND())"],
        &[5, 13],
        Effect::Reloads("INSERT"),
    );
    watched.step(
        &[
            format,
            "SET @x = 7",
            "START TRANSACTION",
            "INSERT INTO fire_a VALUES (1, @x, 'x')",
            "SAVEPOINT before_it",
            "UPDATE fire_a SET n = @x + 1",
            "ROLLBACK TO SAVEPOINT before_it",
            "COMMIT",
        ],
        &[14],
        Effect::Reloads("INSERT"),
    );
}

/// More than one block of 128 KiB (`read_buffer_size`), a line for each row.
fn lines(world: &World, name: &str, line: impl Fn(u32) -> String) -> String {
    let path = world.server.dir().join("tmp").join(name);
    let text: String = (1..=5000).map(|number| line(number) + "\n").collect();
    assert!(text.len() > 200_000, "{} bytes", text.len());
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn load_data_in_statement_format(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    let format = "SET SESSION binlog_format = STATEMENT";
    let notes = lines(&world, "notes", |_| "x".repeat(50));
    watched.step(
        &[
            format,
            &format!("LOAD DATA INFILE '{notes}' INTO TABLE unmirrored (note)"),
        ],
        &[9, 17, 18],
        Effect::Follows,
    );
    watched.step(
        &[
            format,
            &format!("LOAD DATA INFILE '{notes}' INTO TABLE plain_log (note)"),
        ],
        &[9, 17, 18],
        Effect::Reloads("LOAD"),
    );
    assert_eq!(watched.mirror.snapshot().plain_log().len(), 5000);
    let rows = lines(&world, "rows", |n| format!("{n}\t{n}\t{}", "y".repeat(35)));
    watched.step(
        &[
            format,
            &format!("LOAD DATA INFILE '{rows}' INTO TABLE fire_a"),
        ],
        &[9, 17, 18],
        Effect::Reloads("LOAD"),
    );
    // In row format it is rows.
    watched.step(
        &[&format!(
            "LOAD DATA INFILE '{notes}' INTO TABLE plain_log (note)"
        )],
        &[19],
        Effect::Follows,
    );
    assert_eq!(watched.mirror.snapshot().plain_log().len(), 10_000);
}

/// The statement of a LOAD DATA that fails halfway is in the log where rows stay.
fn a_load_data_that_fails(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    let notes = lines(&world, "twice", |n| {
        format!("{}\t{}", n % 4000, "x".repeat(50))
    });
    let load = |table: &str| format!("LOAD DATA INFILE '{notes}' INTO TABLE {table} (id, note)");
    let failing = |statement: &str| {
        use mysql::prelude::Queryable;
        let mut conn = world.conn();
        integration::run_in(&mut conn, "SET SESSION binlog_format = STATEMENT");
        integration::run_in(&mut conn, "START TRANSACTION");
        let error = conn.query_drop(statement).expect_err("a key stands twice");
        println!("{flavor}: {error}");
        integration::run_in(
            &mut conn,
            "INSERT INTO unmirrored (note) VALUES ('after it')",
        );
        integration::run_in(&mut conn, "COMMIT");
    };
    let seen = watched.during(&[2], Effect::Follows, || failing(&load("unmirrored")));
    println!("{flavor}: {seen:?}");
    watched.during(&[17, 18], Effect::Reloads("LOAD"), || {
        failing(&load("plain_log"))
    });
    assert!(
        !watched.mirror.snapshot().plain_log().is_empty(),
        "rows stay"
    );
}

/// MariaDB can log the start of an ALTER before its end (`binlog_alter_two_phase`).
fn an_alter_in_two_phases(flavor: Flavor) {
    let world = World::start(flavor);
    if world.is_mysql() || world.version() < (10, 8, 1) {
        return world.does_not_apply("it logs an ALTER once");
    }
    world.run("INSERT INTO account_a VALUES (1, 10, 'x'), (2, 10, 'x')");
    let watched = Watched::new(&world);
    let phases = "SET SESSION binlog_alter_two_phase = ON";
    let seen = watched.step(
        &[
            phases,
            "ALTER TABLE account_a ADD COLUMN extra INT NULL AFTER id, ALGORITHM = COPY",
            "UPDATE account_a SET balance = 11, extra = 5",
        ],
        &[2, 162],
        Effect::Reloads("ALTER"),
    );
    assert_eq!(seen.with("ALTER").count(), 1, "its end: {seen:?}");
    // One that fails at its end changes nothing.
    watched.during(&[2, 162], Effect::Follows, || {
        use mysql::prelude::Queryable;
        let mut conn = world.conn();
        integration::run_in(&mut conn, phases);
        let add = "ALTER TABLE account_a ADD UNIQUE KEY one (note), ALGORITHM = COPY";
        let error = conn.query_drop(add).expect_err("a value stands twice");
        println!("{flavor}: {error}");
        integration::run_in(&mut conn, "UPDATE account_a SET balance = 12");
    });
    let mut conn = world.conn();
    let events: Vec<mysql::Row> =
        mysql::prelude::Queryable::query(&mut conn, "SHOW BINLOG EVENTS IN 'binlog.000001'")
            .unwrap();
    let told = |event: &mysql::Row| event.get::<String, _>(5).unwrap_or_default();
    let ended = |event: &mysql::Row| told(event).contains("ROLLBACK ALTER");
    assert!(events.iter().any(ended), "its end is logged");
}
