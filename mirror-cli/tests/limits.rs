//! Limits, passwords and several servers on the command line: exit codes, and what is said.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

use std::process::{Command, Output};

use lab::{Flavor, Server, ServerOptions, split_statements};
use mysql::prelude::Queryable;

const SCHEMA: &str = include_str!("../../demo/schema.sql");
const PASSWORD: &str = "s3cret-Pass";

/// Exit code, standard output and standard error.
fn mirror(arguments: &[&str], environment: &[(&str, &str)]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_mirror"))
        .args(arguments)
        .env_remove("DATABASE_URL")
        .env_remove("MIRROR_PASSWORD")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn server(flavor: Flavor) -> Server {
    let options = ServerOptions::new().arg("--binlog-row-metadata=FULL");
    let server = Server::start(flavor, &options).unwrap();
    let mut conn = server.conn().unwrap();
    for statement in split_statements(SCHEMA) {
        conn.query_drop(statement).unwrap();
    }
    server
}

#[test]
fn a_size_that_is_none_is_a_wrong_argument() {
    let url = ["status", "--url", "mysql://u@127.0.0.1:1/", "--max-memory"];
    let (code, _, err) = mirror(&[&url[..], &["4 giga"]].concat(), &[]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("KiB, MiB, GiB or TiB"), "{err}");
    let (code, _, err) = mirror(&[&url[..], &["1KiB"]].concat(), &[]);
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("option limits.table_bytes: found 1024, expected 65536"),
        "{err}"
    );
}

#[test]
fn a_place_in_a_file_is_of_one_server() {
    let url = "mysql://u@127.0.0.1:1,127.0.0.1:2/";
    let (code, _, err) = mirror(&["tail", "--url", url, "--from", "binlog.000001:4"], &[]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--from") && err.contains("--gtid"), "{err}");
}

fn a_limit_ends_a_command(flavor: Flavor) {
    let server = server(flavor);
    let mut conn = server.conn().unwrap();
    let rows: Vec<String> = (1..=3000).map(|id| format!("({id}, {id}, 0)")).collect();
    conn.query_drop(format!(
        "INSERT INTO ads.short_table VALUES {}",
        rows.join(", ")
    ))
    .unwrap();
    let url = server.url();
    let (code, _, err) = mirror(&["status", "--url", &url, "--max-memory", "64KiB"], &[]);
    assert_eq!(code, 11, "{err}");
    assert!(
        err.contains("limit table_bytes") && err.contains("--max-memory"),
        "{err}"
    );
    let (code, out, err) = mirror(&["status", "--url", &url, "--max-memory", "1GiB"], &[]);
    assert_eq!(code, 0, "{out} {err}");
}

fn the_password_comes_from_the_environment(flavor: Flavor) {
    let server = server(flavor);
    let mut conn = server.conn().unwrap();
    for sql in [
        format!("CREATE USER 'mirror'@'%' IDENTIFIED BY '{PASSWORD}'"),
        "GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'mirror'@'%'".into(),
    ] {
        conn.query_drop(sql).unwrap();
    }
    let port = server.port();
    let url = format!("mysql://mirror@127.0.0.1:{port}/");
    let arguments = ["status", "--url", &url, "--tables", "ads.short_table"];
    let (code, _, err) = mirror(&arguments, &[]);
    assert_eq!(code, 4, "{err}");
    let (code, _, err) = mirror(&arguments, &[("MIRROR_PASSWORD", PASSWORD)]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = mirror(&arguments, &[("MIRROR_PASSWORD", "s3cret-other")]);
    assert_eq!(code, 4, "{err}");
    assert!(!out.contains("s3cret") && !err.contains("s3cret"), "{err}");
    // One in the URL goes before it.
    let url = format!("mysql://mirror:{PASSWORD}@127.0.0.1:{port}/");
    let arguments = ["status", "--url", &url, "--tables", "ads.short_table"];
    let (code, _, err) = mirror(&arguments, &[("MIRROR_PASSWORD", "s3cret-other")]);
    assert_eq!(code, 0, "{err}");
}

fn the_next_server_is_used_when_the_first_does_not_answer(flavor: Flavor) {
    let server = server(flavor);
    let port = server.port();
    let url = format!("mysql://root@127.0.0.1:1,127.0.0.1:{port}/");
    let mut conn = server.conn().unwrap();
    conn.query_drop("INSERT INTO ads.short_table VALUES (1, 10, 0)")
        .unwrap();
    // From the first transaction that there is.
    let arguments = [
        "tail",
        "--url",
        &url,
        "--gtid",
        "",
        "--until-current",
        "--tables",
        "ads.short_table",
    ];
    let (code, out, err) = mirror(&arguments, &[]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("\"field1\":10"), "{out} {err}");
    assert!(err.contains("trying the next server"), "{err}");
    let arguments = ["tail", "--url", &url, "--until-current"];
    let (code, _, err) = mirror(&arguments, &[]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("live at"), "{err}");
}

fn doctor_looks_at_each_server(flavor: Flavor) {
    let server = server(flavor);
    let port = server.port();
    let two = format!("mysql://root@127.0.0.1:{port},127.0.0.1:{port}/");
    let (code, out, err) = mirror(&["doctor", "--url", &two], &[]);
    assert_eq!(code, 0, "{out} {err}");
    let address = format!("at 127.0.0.1:{port}");
    assert_eq!(out.matches(&address).count(), 2, "{out}");
    let (_, out, _) = mirror(&["doctor", "--url", &two, "--json"], &[]);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{out}");
    // The second is looked at although the first is not there.
    let one = format!("mysql://root@127.0.0.1:1,127.0.0.1:{port}/");
    let (code, out, err) = mirror(&["doctor", "--url", &one], &[]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("127.0.0.1:1: cannot connect"), "{err}");
    assert_eq!(out.matches(&address).count(), 1, "{out}");
}

macro_rules! on_servers {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            #[test]
            fn on_a_server_mysql() {
                super::$test(lab::Flavor::Mysql);
            }

            #[test]
            fn on_a_server_mariadb() {
                super::$test(lab::Flavor::Mariadb);
            }
        }
    )*};
}

on_servers!(
    a_limit_ends_a_command,
    the_password_comes_from_the_environment,
    the_next_server_is_used_when_the_first_does_not_answer,
    doctor_looks_at_each_server,
);
