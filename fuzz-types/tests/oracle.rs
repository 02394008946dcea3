//! The comparison itself, against real servers: right values pass, and each wrong one is
//! reported.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed test panics, in its helpers too"
)]

use std::collections::BTreeMap;

use fuzz_types::compare::{Mirrored, compare};
use fuzz_types::dump::{Dump, parse};
use fuzz_types::finding::{Finding, Way};
use fuzz_types::oracle;
use fuzz_types::sessions::connect;
use lab::{Flavor, Server, ServerOptions};
use mysql::Conn;
use mysql::prelude::Queryable;

/// Column, type, value as SQL, the value as a mirror prints it, and another value.
const COLUMNS: [(&str, &str, &str, &str, &str); 17] = [
    (
        "i",
        "BIGINT UNSIGNED",
        "18446744073709551615",
        "18446744073709551615",
        "-1",
    ),
    ("f", "FLOAT", "0.1", "0.1", "0.10000001"),
    ("d", "DOUBLE", "0.1", "0.1", "0.10000000149011612"),
    ("e", "DECIMAL(5,2)", "-0.5", "\"-0.50\"", "\"-0.5\""),
    (
        "z",
        "DECIMAL(5,2) ZEROFILL",
        "1.5",
        "\"1.50\"",
        "\"001.50\"",
    ),
    ("da", "DATE", "'2031-02-03'", "\"2031-02-03\"", "null"),
    (
        "dt",
        "DATETIME(3)",
        "'2031-02-03 04:05:06.7'",
        "\"2031-02-03 04:05:06.700\"",
        "\"2031-02-03 04:05:06.7\"",
    ),
    (
        "ts",
        "TIMESTAMP NULL",
        "'2031-02-03 04:05:06'",
        "\"2031-02-03 04:05:06\"",
        "\"2031-02-03 05:05:06\"",
    ),
    (
        "ti",
        "TIME(1)",
        "'-00:00:00.5'",
        "\"-00:00:00.5\"",
        "\"00:00:00.5\"",
    ),
    ("y", "YEAR", "0", "0", "1900"),
    (
        "t",
        "VARCHAR(9) CHARACTER SET latin1",
        "'é '",
        "\"é \"",
        "\"é\"",
    ),
    ("b", "BINARY(3)", "x'01'", "\"AQAA\"", "\"AQ==\""),
    ("en", "ENUM('','a')", "''", "\"\"", "0"),
    (
        "se",
        "SET('','a','b')",
        "7",
        "[\"\",\"a\",\"b\"]",
        "[\"a\",\"b\"]",
    ),
    ("bi", "BIT(9)", "257", "257", "1"),
    ("n", "INT", "NULL", "null", "0"),
    (
        "g",
        "POINT",
        "ST_GeomFromText('POINT(1 2)')",
        "\"AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA==\"",
        "\"AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAAA==\"",
    ),
];

struct World {
    _server: Server,
    conn: Conn,
    mirrored: Mirrored,
}

impl World {
    fn start(flavor: Flavor) -> Self {
        let server = Server::start(flavor, &ServerOptions::new()).unwrap();
        let mut conn = connect(&server.url()).unwrap();
        let columns: Vec<String> = COLUMNS
            .iter()
            .map(|column| format!("{} {}", column.0, column.1))
            .collect();
        let values: Vec<&str> = COLUMNS.iter().map(|column| column.2).collect();
        for sql in [
            "CREATE DATABASE fuzz_oracle CHARACTER SET utf8mb4".to_owned(),
            format!(
                "CREATE TABLE fuzz_oracle.t (id INT PRIMARY KEY, {})",
                columns.join(", ")
            ),
            format!(
                "INSERT INTO fuzz_oracle.t VALUES (1, {})",
                values.join(", ")
            ),
        ] {
            conn.query_drop(&sql)
                .unwrap_or_else(|error| panic!("{flavor}: {sql}: {error}"));
        }
        let table = oracle::tables(&mut conn, "fuzz_oracle").unwrap().remove(0);
        let columns = table
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
        Self {
            _server: server,
            conn,
            mirrored: Mirrored {
                table,
                columns,
                held: BTreeMap::new(),
            },
        }
    }

    fn findings(&mut self, dump: Dump) -> Vec<Finding> {
        let mut rows = 0;
        let dumps = [(Way::Binlog, dump)];
        let findings = compare(&mut self.conn, &[&self.mirrored], &dumps, &mut rows).unwrap();
        assert_eq!(rows, 1);
        findings
    }
}

/// A dump of the row, with the other value in the column of that name.
fn dump(wrong: Option<&str>) -> Dump {
    let members: Vec<String> = COLUMNS
        .iter()
        .map(|(name, _, _, right, other)| {
            let value = if wrong == Some(*name) { other } else { right };
            format!("\"{name}\":{value}")
        })
        .collect();
    parse(&format!(
        "T {{\"table\":\"fuzz_oracle.t\",\"key\":[\"id\"]}}\nR {{\"id\":1,{}}}\n",
        members.join(",")
    ))
    .unwrap()
}

fn wrong_values_are_reported(flavor: Flavor) {
    let mut world = World::start(flavor);
    assert_eq!(world.findings(dump(None)), [], "{flavor}");
    for (name, sql_type, ..) in COLUMNS {
        let findings = world.findings(dump(Some(name)));
        match findings.as_slice() {
            [
                Finding::Value {
                    table,
                    key,
                    column,
                    expected,
                    found,
                    ..
                },
            ] => {
                assert_eq!((table.as_str(), key.as_str()), ("fuzz_oracle.t", "1"));
                assert!(column.starts_with(&format!("{name} ")), "{column}");
                assert_ne!(expected, found);
            }
            other => panic!("{flavor}: {name} {sql_type}: {other:?}"),
        }
    }
}

#[test]
fn each_wrong_value_is_reported_on_a_server_of_mysql() {
    wrong_values_are_reported(Flavor::Mysql);
}

#[test]
fn each_wrong_value_is_reported_on_a_server_of_mariadb() {
    wrong_values_are_reported(Flavor::Mariadb);
}
