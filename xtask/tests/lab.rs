//! `cargo xtask lab` as a program: servers by name, SQL without a client. `cargo xtask test
//! --quick` leaves out tests with `on_a_server` in their name.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use std::sync::atomic::{AtomicU32, Ordering};

use common::{Answer, xtask, xtask_with_input};

/// A server of `lab start`, removed at the end.
struct Named(String);

impl Named {
    fn start(flavor: &str) -> Self {
        let named = Self(format!("test-{flavor}-{}-{}", std::process::id(), number()));
        let answer = xtask(&["lab", "start", flavor, "--name", &named.0]);
        assert_eq!(answer.code, 0, "{answer}");
        assert!(answer.out.starts_with(&named.0), "{answer}");
        assert!(answer.out.contains("mysql://root@127.0.0.1:"), "{answer}");
        named
    }

    fn sql(&self, sql: &str) -> Answer {
        xtask(&["lab", "sql", &self.0, sql])
    }
}

/// Another one each time.
fn number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Drop for Named {
    fn drop(&mut self) {
        let _ = xtask(&["lab", "stop", &self.0, "--remove"]);
    }
}

fn sql_prints_rows_with_tabs(flavor: &str) {
    let server = Named::start(flavor);
    let made = server.sql(
        "CREATE DATABASE shop; CREATE TABLE shop.item (id INT PRIMARY KEY, name VARCHAR(50), b BLOB);
         INSERT INTO shop.item VALUES (1, 'a\tb', x'ff00'), (2, NULL, '')",
    );
    assert_eq!((made.code, made.out.as_str()), (0, ""), "{made}");
    assert!(made.err.contains("ok, 2 rows changed"), "{made}");
    let expected = "id\tname\tb\n1\ta\\tb\t0xFF00\n2\tNULL\t\n";
    let rows = server.sql("SELECT * FROM shop.item ORDER BY id");
    assert_eq!((rows.code, rows.out.as_str()), (0, expected), "{rows}");
    let from_input = xtask_with_input(
        &["lab", "sql", &server.0],
        "SELECT 1 AS one; SELECT 2 AS two",
    );
    assert_eq!(from_input.out, "one\n1\ntwo\n2\n", "{from_input}");

    let wrong = server.sql("SELECT 1; SELECT * FROM shop.itm");
    assert_eq!(wrong.code, 2, "{wrong}");
    for part in [server.0.as_str(), "statement 2 of 2", "1146", "itm"] {
        assert!(wrong.err.contains(part), "{part}: {wrong}");
    }
    assert_eq!(server.sql(" ; ").code, 2);
}

/// Servers of other processes are shown too, and whether one of a name runs is the exit code.
fn status_and_stop_go_by_name(flavor: &str) {
    let server = Named::start(flavor);
    let status = |arguments: &[&str]| xtask(&[&["lab", "status"], arguments].concat());
    let all = status(&[]);
    assert_eq!(all.code, 0, "{all}");
    assert!(all.out.contains(&server.0), "{all}");
    assert_eq!(status(&[&server.0]).code, 0);
    let stopped = xtask(&["lab", "stop", &server.0]);
    assert_eq!(stopped.code, 0, "{stopped}");
    assert_eq!(status(&[&server.0]).code, 1);
    assert_eq!(status(&[]).code, 0);
    let sql = server.sql("SELECT 1");
    assert_eq!(sql.code, 2, "{sql}");
    assert!(
        sql.err.contains("lab start") && sql.err.contains(&server.0),
        "{sql}"
    );
}

fn a_server_of_another_process_is_shown(flavor: lab::Flavor) {
    let server = lab::Server::start(flavor, &lab::ServerOptions::new()).unwrap();
    let answer = xtask(&["lab", "status", flavor.name()]);
    assert_eq!(answer.code, 0, "{answer}");
    assert!(answer.out.contains(&server.url()), "{answer}");
}

#[test]
fn names_that_are_none_or_not_there_are_told() {
    for (arguments, part) in [
        (&["lab", "stop", "no-such-server"][..], "no-such-server"),
        (&["lab", "sql", "no-such-server", "SELECT 1"], "servers: "),
        (&["lab", "stop", "../x"], "1 to 32 letters"),
        (&["lab", "start", "mysql", "--name", "mariadb"], "mariadb"),
    ] {
        let answer = xtask(arguments);
        assert_eq!(answer.code, 2, "{arguments:?}: {answer}");
        assert!(answer.err.contains(part), "{part}: {answer}");
    }
    let nothing = xtask(&["lab", "status", "no-such-server"]);
    assert_eq!(nothing.code, 1, "{nothing}");
}

mod mysql_on_a_server {
    #[test]
    fn sql_prints_rows_with_tabs() {
        super::sql_prints_rows_with_tabs("mysql");
    }

    #[test]
    fn status_and_stop_go_by_name() {
        super::status_and_stop_go_by_name("mysql");
    }

    #[test]
    fn a_server_of_another_process_is_shown() {
        super::a_server_of_another_process_is_shown(lab::Flavor::Mysql);
    }
}

mod mariadb_on_a_server {
    #[test]
    fn sql_prints_rows_with_tabs() {
        super::sql_prints_rows_with_tabs("mariadb");
    }

    #[test]
    fn a_server_of_another_process_is_shown() {
        super::a_server_of_another_process_is_shown(lab::Flavor::Mariadb);
    }
}
