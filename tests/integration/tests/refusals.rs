//! What cannot work is refused at the start, or stops the mirror: each with an error of its
//! own kind, and a message that says what to do and never shows the password.

use std::net::TcpListener;
use std::time::Duration;

use integration::{World, on_both_servers};
use lab::{Flavor, ServerOptions};
use mirror_runtime::source::SourceErrorKind;
use mirror_runtime::{Error, Options, State, TableError};
use test_mirror::Mirror;

on_both_servers!(
    a_wrong_password_is_refused,
    a_server_that_is_down_is_refused,
    a_server_without_binlog_is_refused,
    statement_format_is_refused,
    missing_rights_are_refused_by_name,
    a_table_that_is_not_there_is_refused,
    another_layout_is_refused_at_the_start_and_later,
    a_server_id_in_use_is_refused,
);

const PASSWORD: &str = "s3cret-Pass";
const PATIENCE: Duration = Duration::from_secs(30);

/// The error of a mirror that must not get live.
fn refusal(options: Options) -> Error {
    match Mirror::connect(options, PATIENCE) {
        Ok(mirror) => panic!("it is live: {:?}", mirror.status()),
        Err(error) => {
            let text = format!("{error} {error:?}");
            assert!(!text.contains(PASSWORD), "the password shows");
            println!("{error}");
            error
        }
    }
}

fn assert_source(error: &Error, kind: SourceErrorKind, words: &[&str]) {
    let Error::Source(source) = error else {
        panic!("no error of the source: {error}")
    };
    assert_eq!(source.kind(), kind, "{error}");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
}

/// Makes a user with these rights; options of a mirror that is that user.
fn as_user(world: &World, grants: &[&str]) -> Options {
    world.run(&format!(
        "CREATE USER 'mirror_user'@'%' IDENTIFIED BY '{PASSWORD}'"
    ));
    for grant in grants {
        world.run(&format!("GRANT {grant} TO 'mirror_user'@'%'"));
    }
    let port = world.server.port();
    world.options_at(&format!("mysql://mirror_user:{PASSWORD}@127.0.0.1:{port}/"))
}

fn a_wrong_password_is_refused(flavor: Flavor) {
    let world = World::start(flavor);
    let port = world.server.port();
    as_user(&world, &["ALL ON *.*"]);
    if world.is_mysql() && world.version() < (5, 7, 6) {
        world.run("SET PASSWORD FOR 'mirror_user'@'%' = PASSWORD('another')");
    } else {
        world.run("ALTER USER 'mirror_user'@'%' IDENTIFIED BY 'another'");
    }
    let options = world.options_at(&format!("mysql://mirror_user:{PASSWORD}@127.0.0.1:{port}/"));
    let error = refusal(options);
    assert_source(
        &error,
        SourceErrorKind::AccessDenied,
        &["mirror_user", "check user, password"],
    );
}

fn a_server_that_is_down_is_refused(flavor: Flavor) {
    // The listener is gone before the mirror comes.
    let port = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("mysql://mirror_user:{PASSWORD}@127.0.0.1:{port}/");
    let error = refusal(Options::new(url.parse().unwrap()));
    let address = format!("127.0.0.1:{port}");
    assert_source(
        &error,
        SourceErrorKind::Unreachable,
        &[&address, "check that the server runs"],
    );
    assert!(
        matches!(&error, Error::Source(error) if error.is_transient()),
        "{flavor}: {error}"
    );
}

fn a_server_without_binlog_is_refused(flavor: Flavor) {
    // MySQL 5.6 does not turn GTIDs off by itself.
    let options = ServerOptions::new().args(["--skip-log-bin", "--loose-gtid-mode=OFF"]);
    let world = World::start_with(flavor, &options);
    let error = refusal(world.options());
    assert_source(&error, SourceErrorKind::Setting, &["log_bin", "OFF"]);
}

fn statement_format_is_refused(flavor: Flavor) {
    let world = World::start_with(
        flavor,
        &ServerOptions::new().arg("--binlog-format=STATEMENT"),
    );
    let error = refusal(world.options());
    let words = ["binlog_format", "STATEMENT", "ROW"];
    assert_source(&error, SourceErrorKind::Setting, &words);
}

fn missing_rights_are_refused_by_name(flavor: Flavor) {
    let world = World::start(flavor);
    let client = if world.is_mysql() {
        "REPLICATION CLIENT"
    } else {
        "BINLOG MONITOR"
    };
    let all = [
        "SELECT ON mirror_test.*",
        "REPLICATION SLAVE ON *.*",
        &format!("{client} ON *.*"),
    ];
    let options = as_user(&world, &all);
    let mirror = world.mirror_with(options.clone());
    assert_eq!(
        mirror.status().state,
        State::Live,
        "these rights are enough"
    );
    drop(mirror);

    for right in ["REPLICATION SLAVE", client] {
        world.run(&format!("REVOKE {right} ON *.* FROM 'mirror_user'@'%'"));
        let error = refusal(options.clone());
        let grant = format!("GRANT {right} ON *.* TO 'mirror_user'@'%'");
        assert_source(&error, SourceErrorKind::MissingRight, &[right, &grant]);
        world.run(&grant);
    }
    world.run("REVOKE SELECT ON mirror_test.* FROM 'mirror_user'@'%'");
    for name in world
        .tables()
        .iter()
        .filter(|name| *name != "mirror_test.audit")
    {
        world.run(&format!("GRANT SELECT ON {name} TO 'mirror_user'@'%'"));
    }
    let error = refusal(options);
    let text = error.to_string();
    assert_source(
        &error,
        SourceErrorKind::MissingRight,
        &["SELECT", "audit", "GRANT SELECT"],
    );
    assert!(
        !text.contains("account_a"),
        "that table may be read: {text}"
    );
}

fn a_table_that_is_not_there_is_refused(flavor: Flavor) {
    let world = World::start(flavor);
    let mut options = world.options();
    options.tables = Some(vec![
        "mirror_test.account_a".into(),
        "mirror_test.acount_b".into(),
    ]);
    let error = refusal(options);
    assert!(matches!(error, Error::UnknownTable { .. }), "{error}");
    assert!(
        error.to_string().contains("mirror_test.acount_b"),
        "{error}"
    );

    world.run("DROP TABLE account_b");
    let error = refusal(world.options());
    let text = error.to_string();
    assert!(text.contains("account_b"), "{text}");
    // Who does not mirror it is not held up by it.
    let mut options = world.options();
    options.tables = Some(vec!["mirror_test.account_a".into()]);
    assert_eq!(world.mirror_with(options).status().state, State::Live);
}

fn another_layout_is_refused_at_the_start_and_later(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO account_b VALUES (1, 10, 'x')");
    let mirror = world.mirror();
    let before = mirror.snapshot().version().number;
    world.run("ALTER TABLE account_b MODIFY balance VARCHAR(30) NOT NULL");
    world.run("UPDATE account_b SET balance = 'ten' WHERE id = 1");
    let error = mirror
        .wait_until_ended()
        .expect_err("the column is another now");
    assert_layout(&error, "account_b", "balance", &["bigint", "varchar(30)"]);
    assert!(
        matches!(mirror.status().state, State::Failed(_)),
        "{:?}",
        mirror.status()
    );
    // Readers keep the last state.
    assert_eq!(mirror.snapshot().version().number, before);
    assert_eq!(
        mirror.snapshot().account_b().get(1).map(|row| row.balance),
        Some(10)
    );

    let error = refusal(world.options());
    assert_layout(&error, "account_b", "balance", &["bigint", "varchar(30)"]);
    world.run("ALTER TABLE account_b MODIFY balance BIGINT UNSIGNED NOT NULL DEFAULT 0");
    let error = refusal(world.options());
    assert_layout(&error, "account_b", "balance", &["bigint", "unsigned"]);
    world.run("ALTER TABLE account_b DROP COLUMN balance");
    let error = refusal(world.options());
    assert_layout(&error, "account_b", "balance", &["no such column"]);
}

fn assert_layout(error: &Error, table: &str, column: &str, words: &[&str]) {
    let Error::Table(TableError::Layout {
        table: named,
        column: found,
        ..
    }) = error
    else {
        panic!("no error of the layout: {error}")
    };
    println!("{error}");
    assert_eq!(named, &format!("mirror_test.{table}"), "{error}");
    assert_eq!(found.as_deref(), Some(column), "{error}");
    let text = error.to_string();
    for word in words.iter().chain(&["cargo xtask regenerate"]) {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
}

fn a_server_id_in_use_is_refused(flavor: Flavor) {
    let world = World::start(flavor);
    let options = Options {
        server_id: Some(4242),
        ..world.options()
    };
    let first = world.mirror_with(options.clone());
    let error = refusal(options);
    assert_source(&error, SourceErrorKind::DuplicateServerId, &["4242"]);
    world.catch_up(&first);
    assert_eq!(
        first.status().connection_attempts,
        0,
        "the first one is not disturbed"
    );

    let own: u32 = world
        .server
        .query_value("SELECT @@server_id")
        .unwrap()
        .unwrap();
    let error = refusal(Options {
        server_id: Some(own),
        ..world.options()
    });
    assert_source(
        &error,
        SourceErrorKind::DuplicateServerId,
        &[&own.to_string()],
    );
}
