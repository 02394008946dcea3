//! What `diagnose` says of a server is so: nothing of one that serves, each thing that does not
//! by name, with a remedy that makes it go away; and the rights that it names are enough.

use integration::compare::assert_equals_server;
use integration::{World, on_both_servers, run_in};
use lab::{Flavor, ServerOptions};
use mirror_runtime::source::{Finding, FindingKind, Severity, SourceErrorKind};
use mirror_runtime::{
    CheckpointOptions, Diagnosis, Error, Options, State, VerifyOptions, WhenUnusable, diagnose,
};
use mysql::prelude::Queryable;
use test_mirror::{Mirror, Tables};

on_both_servers!(
    a_server_that_serves_has_nothing_in_the_way,
    each_setting_is_named_and_its_remedy_helps,
    each_table_is_named_and_its_remedy_helps,
    a_server_without_binlog_gets_the_line_that_helps,
    a_database_that_is_not_logged_is_in_the_way,
    a_replica_that_does_not_log_is_in_the_way,
    prepared_transactions_are_named_and_can_be_ended,
    a_load_without_gtids_wants_a_right_more,
    the_rights_that_are_named_are_enough,
    definitions_that_are_hidden_are_warned_of,
);

fn examine(options: &Options) -> Diagnosis {
    use mirror_runtime::Schema;
    let selected = options.selection(Tables::layouts()).unwrap();
    diagnose::<Tables>(&options.url, &selected).unwrap()
}

fn named<'d>(diagnosis: &'d Diagnosis, name: &str) -> &'d Finding {
    let found = diagnosis
        .findings
        .iter()
        .find(|finding| finding.name == name);
    found.unwrap_or_else(|| panic!("no finding is called {name}: {diagnosis:#?}"))
}

/// The finding is this bad, says what to do, and is gone once its statements were run.
fn assert_helps(world: &World, name: &str, severity: Severity) {
    let diagnosis = examine(&world.options());
    let finding = named(&diagnosis, name);
    println!("{finding}");
    assert_eq!(finding.severity, severity, "{finding}");
    assert_eq!(diagnosis.ok(), severity < Severity::Error, "{diagnosis:#?}");
    assert!(
        !finding.remedy.is_empty() && !finding.sql.is_empty(),
        "{finding:?}"
    );
    for statement in &finding.sql {
        world.run(statement);
    }
    let diagnosis = examine(&world.options());
    assert!(named(&diagnosis, name).ok(), "{}", named(&diagnosis, name));
}

/// A server all of whose settings are as they should be.
fn careful() -> ServerOptions {
    ServerOptions::new()
        .args(["--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1"])
        .args(["--loose-binlog-error-action=ABORT_SERVER"])
}

fn a_server_that_serves_has_nothing_in_the_way(flavor: Flavor) {
    let world = World::start_with(flavor, &careful());
    let diagnosis = examine(&world.options());
    assert!(diagnosis.ok(), "{diagnosis:#?}");
    let warned: Vec<&str> = diagnosis
        .findings
        .iter()
        .filter(|finding| !finding.ok())
        .map(|finding| &*finding.name)
        .collect();
    assert_eq!(warned, ["engine of mirror_test.plain_log"]);
    for kind in [FindingKind::Setting, FindingKind::Right, FindingKind::Table] {
        assert!(
            diagnosis
                .findings
                .iter()
                .any(|finding| finding.kind == kind)
        );
    }
    let tables = world.tables().len();
    assert_eq!(diagnosis.grants.len(), tables + 1);
    let version = &diagnosis.server.version_text;
    assert!(version.starts_with(world.server.version()), "{version}");
}

/// How each setting is made wrong, and how bad that is.
const SETTINGS: [(&str, &[&str], Severity); 13] = [
    (
        "binlog_format",
        &["SET GLOBAL binlog_format = STATEMENT"],
        Severity::Error,
    ),
    (
        "binlog_format",
        &["SET GLOBAL binlog_format = MIXED"],
        Severity::Error,
    ),
    (
        "binlog_row_image",
        &["SET GLOBAL binlog_row_image = NOBLOB"],
        Severity::Warning,
    ),
    (
        "binlog_row_metadata",
        &["SET GLOBAL binlog_row_metadata = MINIMAL"],
        Severity::Warning,
    ),
    (
        "binlog_checksum",
        &["SET GLOBAL binlog_checksum = NONE"],
        Severity::Warning,
    ),
    (
        "sync_binlog",
        &["SET GLOBAL sync_binlog = 0"],
        Severity::Warning,
    ),
    (
        "innodb_flush_log_at_trx_commit",
        &["SET GLOBAL innodb_flush_log_at_trx_commit = 2"],
        Severity::Warning,
    ),
    (
        "binlog_error_action",
        &["SET GLOBAL binlog_error_action = IGNORE_ERROR"],
        Severity::Warning,
    ),
    (
        "binlog_order_commits",
        &["SET GLOBAL binlog_order_commits = OFF"],
        Severity::Warning,
    ),
    (
        "binlog_expire_logs_seconds",
        &["SET GLOBAL binlog_expire_logs_seconds = 3600"],
        Severity::Warning,
    ),
    (
        "max_binlog_total_size",
        &["SET GLOBAL max_binlog_total_size = 1000000"],
        Severity::Warning,
    ),
    (
        "binlog_row_value_options",
        &[
            "SET GLOBAL binlog_row_value_options = 'PARTIAL_JSON'",
            "SET GLOBAL binlog_row_image = MINIMAL",
        ],
        Severity::Warning,
    ),
    (
        "binlog_annotate_row_events",
        &[
            "SET GLOBAL binlog_annotate_row_events = OFF",
            "SET GLOBAL binlog_row_image = MINIMAL",
        ],
        Severity::Warning,
    ),
];

fn each_setting_is_named_and_its_remedy_helps(flavor: Flavor) {
    const UNKNOWN_SYSTEM_VARIABLE: u16 = 1193;
    let world = World::start_with(flavor, &careful());
    let mut tried = 0;
    for (name, statements, severity) in SETTINGS {
        let failed = statements
            .iter()
            .find_map(|statement| world.conn().query_drop(*statement).err());
        match failed {
            None => {}
            Some(mysql::Error::MySqlError(error)) if error.code == UNKNOWN_SYSTEM_VARIABLE => {
                world.does_not_apply(&format!("it has no {name}"));
                continue;
            }
            Some(error) => panic!("{statements:?}: {error}"),
        }
        assert_helps(&world, name, severity);
        world.run("SET GLOBAL binlog_row_image = FULL");
        tried += 1;
    }
    assert!(tried >= 6, "{tried} settings only");
    if world.is_mysql() {
        world.run("SET GLOBAL server_id = 0");
        assert_helps(&world, "server_id of the server", Severity::Error);
    }
    if world.is_mysql() && world.version() >= (5, 7, 6) {
        for mode in ["ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF"] {
            world.run(&format!("SET GLOBAL gtid_mode = {mode}"));
        }
        assert_helps(&world, "gtid_mode", Severity::Warning);
        world.run("SET GLOBAL gtid_mode = ON_PERMISSIVE");
        assert_helps(&world, "gtid_mode", Severity::Warning);
    }
}

fn each_table_is_named_and_its_remedy_helps(flavor: Flavor) {
    let world = World::start_with(flavor, &careful());
    let engine = "engine of mirror_test.account_b";
    for (wrong, severity) in [
        ("ENGINE = MyISAM", Severity::Warning),
        ("ENGINE = MEMORY", Severity::Warning),
        ("ENGINE = BLACKHOLE", Severity::Error),
        ("ADD SYSTEM VERSIONING", Severity::Error),
    ] {
        let has_blackhole = world.is_mysql() || wrong != "ENGINE = BLACKHOLE";
        if !has_blackhole || world.is_mysql() && wrong == "ADD SYSTEM VERSIONING" {
            world.does_not_apply(wrong);
            continue;
        }
        world.run(&format!("ALTER TABLE account_b {wrong}"));
        if wrong == "ENGINE = BLACKHOLE" {
            let diagnosis = examine(&world.options());
            assert_eq!(
                named(&diagnosis, engine).severity,
                severity,
                "{diagnosis:#?}"
            );
            assert_refused(&world, "engine of");
            world.run("ALTER TABLE account_b ENGINE = InnoDB");
        } else {
            assert_helps(&world, engine, severity);
        }
    }

    world.run(
        "ALTER TABLE account_b ADD CONSTRAINT c FOREIGN KEY (id) REFERENCES account_a (id) \
         ON DELETE CASCADE",
    );
    let diagnosis = examine(&world.options());
    if world.is_mysql() && world.version() >= (9, 6, 0) {
        assert!(diagnosis.ok(), "this server logs what a foreign key does");
    } else {
        let finding = named(&diagnosis, "foreign keys of mirror_test.account_b");
        println!("{finding}");
        assert_eq!(finding.severity, Severity::Error, "{finding}");
        assert!(finding.found.contains("foreign key `c`"), "{finding}");
        assert_refused(&world, "foreign key `c`");
    }
    world.run("ALTER TABLE account_b DROP FOREIGN KEY c");
    assert!(examine(&world.options()).ok());

    let columns = "columns of mirror_test.account_b";
    world.run("ALTER TABLE account_b MODIFY balance VARCHAR(30) NOT NULL");
    let diagnosis = examine(&world.options());
    let finding = named(&diagnosis, columns);
    assert_eq!(finding.found, "balance: varchar(30)", "{finding}");
    assert!(finding.needed.contains("balance: bigint"), "{finding}");
    assert!(
        finding.remedy.contains("cargo xtask regenerate"),
        "{finding}"
    );
    world.run("ALTER TABLE account_b DROP COLUMN balance");
    let diagnosis = examine(&world.options());
    let wrong = diagnosis
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error);
    let wrong: Vec<&str> = wrong.map(|finding| &*finding.found).collect();
    assert_eq!(wrong, ["balance: no such column"], "it is said once");
    world.run("DROP TABLE account_b");
    let diagnosis = examine(&world.options());
    let finding = named(&diagnosis, "SELECT on mirror_test.account_b");
    assert_eq!(finding.found, "no such table", "{finding}");
    assert_eq!(diagnosis.count(Severity::Error), 1, "{diagnosis:#?}");
}

/// A mirror must not start, and says this.
fn assert_refused(world: &World, text: &str) {
    let limit = std::time::Duration::from_secs(30);
    match Mirror::connect(world.options(), limit) {
        Ok(_) => panic!("{}: it is live", world.flavor()),
        Err(error) => assert!(error.to_string().contains(text), "{text}: {error}"),
    }
}

fn a_server_without_binlog_gets_the_line_that_helps(flavor: Flavor) {
    let options = careful().args(["--skip-log-bin", "--loose-gtid-mode=OFF"]);
    let mut world = World::start_with(flavor, &options);
    let diagnosis = examine(&world.options());
    let finding = named(&diagnosis, "log_bin");
    assert_eq!(
        (finding.severity, &*finding.found),
        (Severity::Error, "OFF")
    );
    assert_eq!(finding.config, ["log_bin = binlog"]);
    world.server.restart_with(&["--log-bin=binlog"]).unwrap();
    let diagnosis = examine(&world.options());
    assert!(
        diagnosis.ok() && named(&diagnosis, "log_bin").ok(),
        "{diagnosis:#?}"
    );
}

fn a_database_that_is_not_logged_is_in_the_way(flavor: Flavor) {
    let options = careful().arg("--binlog-do-db=another");
    let mut world = World::start_with(flavor, &options);
    let diagnosis = examine(&world.options());
    let finding = named(&diagnosis, "binlog_do_db");
    println!("{finding}");
    assert_eq!(
        (finding.severity, &*finding.found),
        (Severity::Error, "another")
    );
    assert_eq!(finding.config, ["binlog_do_db = mirror_test"]);
    assert_refused(&world, "changes of mirror_test in the binlog");
    let line = format!("--{}", finding.config[0].replace(' ', "").replace('_', "-"));
    let line = line.replace("mirror-test", "mirror_test");
    world
        .server
        .restart_with(&["--binlog-do-db=another", &line])
        .unwrap();
    assert!(examine(&world.options()).ok());

    world
        .server
        .restart_with(&["--binlog-ignore-db=mirror_test"])
        .unwrap();
    let diagnosis = examine(&world.options());
    let finding = named(&diagnosis, "binlog_ignore_db");
    assert_eq!(finding.severity, Severity::Error, "{finding}");
    assert_refused(&world, "binlog_ignore_db: found mirror_test");
    world.server.restart_with(&[]).unwrap();
    let mirror = world.mirror();
    world.catch_up(&mirror);
}

fn a_replica_that_does_not_log_is_in_the_way(flavor: Flavor) {
    let mut world = World::start(flavor);
    if world.is_old() {
        return world.does_not_apply("with GTIDs it does not start without log_slave_updates");
    }
    world
        .server
        .restart_with(&["--log-slave-updates=OFF"])
        .unwrap();
    let name = match world.is_mysql() {
        true => "log_replica_updates",
        false => "log_slave_updates",
    };
    let diagnosis = examine(&world.options());
    assert!(
        named(&diagnosis, name).ok(),
        "it replicates from nobody: {diagnosis:#?}"
    );
    world.run(match world.is_mysql() {
        true => "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = 1",
        false => "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1",
    });
    let diagnosis = examine(&world.options());
    let finding = named(&diagnosis, name);
    println!("{finding}");
    assert_eq!(finding.severity, Severity::Error, "{finding}");
    assert_eq!(finding.config, [format!("{name} = ON")]);
    assert_refused(&world, name);
    world
        .server
        .restart_with(&["--log-slave-updates=ON"])
        .unwrap();
    assert!(examine(&world.options()).ok());
}

fn prepared_transactions_are_named_and_can_be_ended(flavor: Flavor) {
    let world = World::start(flavor);
    if world.is_old() {
        return world.does_not_apply("a prepared transaction ends with its session");
    }
    let mut conn = world.conn();
    for statement in [
        "XA START 'it''s', X'00FF', 7",
        "INSERT INTO account_a VALUES (1, 10, NULL)",
        "XA END 'it''s', X'00FF', 7",
        "XA PREPARE 'it''s', X'00FF', 7",
    ] {
        run_in(&mut conn, statement);
    }
    drop(conn);
    assert_helps(&world, "prepared XA transactions", Severity::Warning);
    let count: Option<u64> = world
        .server
        .query_value("SELECT COUNT(*) FROM mirror_test.account_a")
        .unwrap();
    assert_eq!(count, Some(1), "it was committed");
}

fn a_load_without_gtids_wants_a_right_more(flavor: Flavor) {
    let options = careful().arg("--loose-gtid-mode=OFF");
    let world = World::start_with(flavor, &options);
    if !world.is_mysql() || world.version() < (8, 0, 11) {
        return world.does_not_apply("it has no log_status");
    }
    world.run("CREATE USER 'least'@'%' IDENTIFIED BY 'least'");
    let port = world.server.port();
    let options = world.options_at(&format!("mysql://least:least@127.0.0.1:{port}/"));
    for grant in examine(&options).grants {
        world.run(&grant);
    }
    let diagnosis = examine(&options);
    let finding = named(&diagnosis, "right BACKUP_ADMIN");
    assert_eq!(finding.severity, Severity::Warning, "{finding}");
    assert!(diagnosis.ok(), "{diagnosis:#?}");
    for statement in &finding.sql {
        world.run(statement);
    }
    assert!(named(&examine(&options), "right BACKUP_ADMIN").ok());
}

fn the_rights_that_are_named_are_enough(flavor: Flavor) {
    const PASSWORD: &str = "s3cret-Pass";
    let world = World::start(flavor);
    world.run(&format!(
        "CREATE USER 'o''neil'@'%' IDENTIFIED BY '{PASSWORD}'"
    ));
    let port = world.server.port();
    let url = format!("mysql://o'neil:{PASSWORD}@127.0.0.1:{port}/");
    let options = world.options_at(&url);
    let diagnosis = examine(&options);
    assert_eq!(diagnosis.account, "'o''neil'@'%'");
    let text = format!("{diagnosis:?}");
    assert!(!text.contains(PASSWORD), "the password shows");
    let missing = diagnosis
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error);
    let missing: Vec<&Finding> = missing.collect();
    assert!(
        missing
            .iter()
            .all(|finding| finding.kind == FindingKind::Right),
        "{missing:#?}"
    );
    assert_eq!(missing.len(), world.tables().len() + 2, "{missing:#?}");
    for finding in &missing {
        assert!(finding.sql[0].starts_with("GRANT "), "{finding}");
    }
    match Mirror::connect(options.clone(), std::time::Duration::from_secs(30)) {
        Err(Error::Source(error)) => assert_eq!(error.kind(), SourceErrorKind::MissingRight),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it has no rights, and is live"),
    }

    for grant in &diagnosis.grants {
        world.run(grant);
    }
    let diagnosis = examine(&options);
    assert!(diagnosis.ok(), "{diagnosis:#?}");
    let mirror = world.mirror_with(options.clone());
    world.run("INSERT INTO account_a VALUES (1, 10, NULL), (2, 20, 'two')");
    world.run("ALTER TABLE account_a ADD KEY extra (note)");
    world.run("UPDATE account_a SET balance = 30 WHERE id = 1");
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().state, State::Live);
    assert_eq!(
        mirror.status().reloads,
        1,
        "a load works with these rights too"
    );
    let report = mirror.verify(&VerifyOptions::default()).unwrap();
    assert_eq!(report.differences(), 0, "{report}");
    drop(mirror);

    // So are they for a start from a checkpoint.
    let folder = tempfile::tempdir().unwrap();
    let mut options = options;
    options.checkpoint = Some(CheckpointOptions {
        when_unusable: WhenUnusable::Refuse,
        ..CheckpointOptions::new(folder.path())
    });
    world.mirror_with(options.clone()).stop();
    world.run("UPDATE account_a SET balance = 31 WHERE id = 1");
    let mirror = world.mirror_with(options);
    assert_equals_server(&world, &mirror);
    let started_from = mirror.status().checkpoint.unwrap().started_from;
    assert!(started_from.is_some(), "it was loaded");
}

/// Statements go through views, triggers and functions that the account may not see.
fn definitions_that_are_hidden_are_warned_of(flavor: Flavor) {
    const NAME: &str = "definitions of views, triggers, functions";
    let world = World::start_with(flavor, &careful());
    for sql in [
        "SET GLOBAL log_bin_trust_function_creators = ON",
        "CREATE DATABASE apart",
        "CREATE TABLE apart.other (id INT PRIMARY KEY, n INT NOT NULL)",
        "CREATE VIEW apart.seen AS SELECT * FROM fire_a",
        "CREATE TRIGGER apart.fires AFTER INSERT ON apart.other FOR EACH ROW \
         INSERT INTO mirror_test.fire_a VALUES (NEW.id, 1, 'trigger')",
        "CREATE FUNCTION apart.put(x INT) RETURNS INT BEGIN \
         INSERT INTO mirror_test.fire_a VALUES (x, 1, 'function'); RETURN x; END",
        "CREATE USER 'least'@'%' IDENTIFIED BY 'least'",
    ] {
        world.run(sql);
    }
    let port = world.server.port();
    let options = world.options_at(&format!("mysql://least:least@127.0.0.1:{port}/"));
    for grant in examine(&options).grants {
        world.run(&grant);
    }
    let diagnosis = examine(&options);
    let finding = named(&diagnosis, NAME);
    println!("{finding}");
    assert_eq!(finding.severity, Severity::Warning, "{finding}");
    assert_eq!(finding.found, "not all visible");
    assert!(diagnosis.ok(), "it is no reason to refuse: {diagnosis:#?}");
    for statement in &finding.sql {
        world.run(statement);
    }
    assert!(named(&examine(&options), NAME).ok());
    assert!(
        named(&examine(&world.options()), NAME).ok(),
        "root sees all"
    );

    // With what it names, the account does see the definitions of others.
    let mirror = world.mirror_with(options);
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_format = 'STATEMENT'");
    for (count, sql) in [
        (1, "INSERT INTO apart.seen VALUES (1, 1, 'view')"),
        (2, "INSERT INTO apart.other VALUES (2, 1)"),
        (3, "SELECT apart.put(3)"),
    ] {
        run_in(&mut conn, sql);
        assert_equals_server(&world, &mirror);
        assert_eq!(
            mirror.status().reloads,
            count,
            "{sql}: {:?}",
            mirror.status()
        );
        assert_eq!(mirror.snapshot().fire_a().len() as u64, count);
    }
}
