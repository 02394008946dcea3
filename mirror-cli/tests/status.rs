//! `mirror status` and `mirror top` as programs: exit codes and JSON. The tests that start a server
//! have `on_a_server` in their names.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use std::process::{Command, Output};

use lab::{Flavor, Server, ServerOptions};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../demo/schema.sql");

fn mirror(arguments: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_mirror"))
        .args(arguments)
        .env_remove("DATABASE_URL")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn a_server_that_cannot_be_reached_gives_3_and_no_password() {
    let (code, out, err) = mirror(&["status", "--url", "mysql://u:s3cret@127.0.0.1:1/"]);
    assert_eq!((code, &*out), (3, ""), "{err}");
    assert!(
        err.contains("cannot connect") && !err.contains("s3cret"),
        "{err}"
    );
}

#[test]
fn top_says_that_it_needs_a_terminal() {
    let (code, out, err) = mirror(&["top", "--url", "mysql://127.0.0.1:1/"]);
    assert_eq!((code, &*out), (2, ""), "{err}");
    assert!(
        err.contains("terminal") && err.contains("mirror status --json"),
        "{err}"
    );
}

#[test]
fn an_interval_that_is_none_is_refused() {
    let arguments = ["top", "--url", "mysql://127.0.0.1:1/", "--interval", "0"];
    let (code, _, err) = mirror(&arguments);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("0.1 to 3600"), "{err}");
}

fn status_is_that_of_a_loaded_mirror(flavor: Flavor) {
    let server = Server::start(flavor, &ServerOptions::new()).unwrap();
    server.exec_script(SCHEMA).unwrap();
    server
        .exec("INSERT INTO ads.short_table (field1, field2) VALUES (1, 2), (3, 4)")
        .unwrap();
    // The first of the two is not there: the next is asked.
    let url = format!("mysql://root@127.0.0.1:1,127.0.0.1:{}/", server.port());
    let (code, out, err) = mirror(&["status", "--json", "--url", &url]);
    assert_eq!(code, 0, "{err}");
    let status: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&status["state"], &status["health"]),
        (&json!("live"), &json!("healthy"))
    );
    assert_eq!(status["server"], format!("127.0.0.1:{}", server.port()));
    let tables = status["tables"].as_array().unwrap();
    let short = tables
        .iter()
        .find(|table| table["table"] == "ads.short_table")
        .unwrap();
    assert_eq!(
        (&short["rows"], &short["suspect"]),
        (&json!(2), &Value::Null)
    );
    assert!(short["row_bytes"].as_u64().unwrap() > 0);
    let (code, out, err) = mirror(&["status", "--url", &url, "--tables", "ads.short_table"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("state        live, healthy") && out.contains("ads.short_table"),
        "{out}"
    );
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
}

#[test]
fn status_on_a_server_is_that_of_a_loaded_mirror_mysql() {
    status_is_that_of_a_loaded_mirror(Flavor::Mysql);
}

#[test]
fn status_on_a_server_is_that_of_a_loaded_mirror_mariadb() {
    status_is_that_of_a_loaded_mirror(Flavor::Mariadb);
}
