//! `mirror verify` on real servers: exit codes, and what it prints.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};

use lab::{Flavor, Server, ServerOptions};
use mysql::prelude::Queryable;

const SCHEMA: &str = include_str!("../../demo/schema.sql");

#[test]
fn verify_says_equal_or_names_what_differs_on_a_server_mysql() {
    says_equal_or_names_what_differs(Flavor::Mysql);
}

#[test]
fn verify_says_equal_or_names_what_differs_on_a_server_mariadb() {
    says_equal_or_names_what_differs(Flavor::Mariadb);
}

fn says_equal_or_names_what_differs(flavor: Flavor) {
    let server = Server::start(flavor, &ServerOptions::new()).unwrap();
    let mut conn = server.conn().unwrap();
    for sql in lab::split_statements(SCHEMA) {
        // MySQL 5.6 has no syntax for some of the tables, which are left out.
        if let Err(error) = conn.query_drop(sql) {
            println!("{flavor} {}: {error}", server.version());
        }
    }
    conn.query_drop("INSERT INTO ads.short_table VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)")
        .unwrap();
    let tables = "ads.short_table,ads.sbtest1";

    let equal = verify(&server.url(), tables);
    assert_eq!(equal.0, Some(0), "{}", equal.1);
    assert!(
        equal.1.contains("compared 3 rows of 2 tables"),
        "{}",
        equal.1
    );
    assert!(equal.1.contains(": equal"), "{}", equal.1);

    // Somebody writes without the binlog, so that the row is never what was loaded.
    let stop = AtomicBool::new(false);
    let differs = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut conn = server.conn().unwrap();
            conn.query_drop("SET SESSION sql_log_bin = 0").unwrap();
            while !stop.load(Ordering::SeqCst) {
                conn.query_drop("UPDATE ads.short_table SET field2 = field2 + 1 WHERE id = 2")
                    .unwrap();
            }
        });
        let differs = verify(&server.url(), tables);
        stop.store(true, Ordering::SeqCst);
        differs
    });
    assert_eq!(differs.0, Some(1), "{}", differs.1);
    for part in [
        "table ads.short_table: 1 row differs:",
        "  id=2: differs in field2",
        "sql_log_bin=0",
    ] {
        assert!(
            differs.1.contains(part),
            "{part:?} is missing in: {}",
            differs.1
        );
    }

    let unknown = verify(&server.url(), "ads.short_tables");
    assert_eq!(unknown.0, Some(2), "{}", unknown.1);
    let down = verify("mysql://root@127.0.0.1:1/", tables);
    assert_eq!(down.0, Some(3), "{}", down.1);
    let denied = verify(&server.url().replace("root@", "nobody:secret@"), tables);
    assert_eq!(denied.0, Some(4), "{}", denied.1);
    assert!(!denied.1.contains("secret"), "{}", denied.1);
}

/// Exit code and standard error; nothing is printed on standard output.
fn verify(url: &str, tables: &str) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_mirror"))
        .args(["verify", "--tables", tables])
        .env("DATABASE_URL", url)
        .output()
        .unwrap();
    assert!(stdout.is_empty(), "{}", String::from_utf8_lossy(&stdout));
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}
