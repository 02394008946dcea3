//! `mirror doctor` as a program: exit codes, the table, JSON. What it finds is tested with the
//! library. The tests that start a server have `on_a_server` in their names.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use std::process::{Command, Output};

use lab::{Flavor, Server, ServerOptions, split_statements};
use mysql::prelude::Queryable;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../demo/schema.sql");

fn doctor(arguments: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_mirror"))
        .arg("doctor")
        .args(arguments)
        .env_remove("DATABASE_URL")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn a_server_that_cannot_be_reached_gives_2_and_says_so() {
    let (code, out, err) = doctor(&["--url", "mysql://u:s3cret@127.0.0.1:1/"]);
    assert_eq!((code, &*out), (2, ""), "{err}");
    assert!(
        err.contains("127.0.0.1:1: cannot connect") && !err.contains("s3cret"),
        "{err}"
    );
}

#[test]
fn a_table_that_is_not_compiled_in_gives_2_and_the_names() {
    let (code, out, err) = doctor(&["--url", "mysql://127.0.0.1:1/", "--tables", "ads.baner"]);
    assert_eq!((code, &*out), (2, ""), "{err}");
    assert!(
        err.contains("ads.baner") && err.contains("ads.banner"),
        "{err}"
    );
}

fn shows_what_is_wrong_and_the_remedy(flavor: Flavor) {
    let server = Server::start(flavor, &ServerOptions::new()).unwrap();
    let mut conn = server.conn().unwrap();
    for statement in split_statements(SCHEMA) {
        conn.query_drop(statement).unwrap();
    }
    let url = server.url();
    let (code, out, err) = doctor(&["--url", &url]);
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert!(
        out.contains("\nok       binlog_format") && out.contains("0 in the way"),
        "{out}"
    );
    assert!(
        out.contains("GRANT SELECT ON `ads`.`banner` TO 'root'@"),
        "{out}"
    );
    assert!(!out.contains('\x1b'), "it is no terminal: {out}");

    conn.query_drop("SET GLOBAL binlog_format = STATEMENT")
        .unwrap();
    conn.query_drop("ALTER TABLE ads.slot MODIFY site varchar(90) NOT NULL")
        .unwrap();
    let (code, out, _) = doctor(&["--url", &url]);
    assert_eq!(code, 1, "{out}");
    for part in [
        "\nerror: binlog_format\n  found   STATEMENT\n  needed  ROW\n",
        "\n  SQL     SET GLOBAL binlog_format = ROW;\n",
        "\n  my.cnf  binlog_format = ROW\n",
        "\nerror: columns of ads.slot\n  found   site: varchar(90)\n  needed  site: varchar(80)\n",
        "2 in the way",
    ] {
        assert!(out.contains(part), "{part:?} is missing in: {out}");
    }
    // A table that is not asked about is not looked at.
    conn.query_drop("SET GLOBAL binlog_format = ROW").unwrap();
    let (code, out, _) = doctor(&["--url", &url, "--tables", "ads.banner"]);
    assert_eq!(code, 0, "{out}");

    let (code, out, err) = doctor(&["--url", &url, "--json"]);
    assert_eq!((code, &*err), (1, ""), "{out}");
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["ok"], false);
    assert!(value["server"].as_str().unwrap().contains(server.version()));
    assert!(value["grants"].as_array().unwrap().len() > 2, "{out}");
    let findings = value["findings"].as_array().unwrap();
    let of = |name: &str| {
        findings
            .iter()
            .find(|finding| finding["name"] == name)
            .unwrap()
    };
    assert_eq!(of("binlog_format")["severity"], "ok");
    assert_eq!(of("binlog_format")["remedy"], Value::Null);
    let layout = of("columns of ads.slot");
    assert_eq!(
        (&layout["severity"], &layout["kind"]),
        (&"error".into(), &"table".into())
    );
    assert!(
        layout["remedy"]
            .as_str()
            .unwrap()
            .contains("cargo xtask regenerate")
    );
    assert_eq!(of("sync_binlog")["sql"][0], "SET GLOBAL sync_binlog = 1");
    for finding in findings {
        for key in [
            "kind", "name", "severity", "found", "needed", "remedy", "sql", "config",
        ] {
            assert!(finding.get(key).is_some(), "{key}: {finding}");
        }
    }
}

#[test]
fn mysql_on_a_server_shows_what_is_wrong_and_the_remedy() {
    shows_what_is_wrong_and_the_remedy(Flavor::Mysql);
}

#[test]
fn mariadb_on_a_server_shows_what_is_wrong_and_the_remedy() {
    shows_what_is_wrong_and_the_remedy(Flavor::Mariadb);
}
