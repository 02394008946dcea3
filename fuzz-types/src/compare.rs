//! A dump against the server, row by row and value by value.

use std::collections::BTreeMap;

use mysql::Conn;

use crate::dump::{self, Dump, Values};
use crate::error::Error;
use crate::finding::{Finding, Way};
use crate::oracle::{self, Column, Kind, Row};

/// A table as it is mirrored.
#[derive(Debug, Clone)]
pub struct Mirrored {
    /// The table on the server.
    pub table: oracle::Table,
    /// Names of its columns that are mirrored.
    pub columns: Vec<String>,
    /// Columns that are mirrored as something else, and as what.
    pub held: BTreeMap<String, String>,
}

impl Mirrored {
    /// `database.table`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.table.database, self.table.name)
    }

    /// The mirrored columns, each of the kind that it is mirrored as.
    fn mirrored_columns(&self) -> Vec<Column> {
        let all = self.table.columns.iter();
        all.filter(|column| self.columns.contains(&column.name))
            .map(|column| {
                let held = self.held.get(&column.name).map(String::as_str);
                Column {
                    kind: match held {
                        Some("bool") => Kind::Bool,
                        Some("bytes") => Kind::Bytes,
                        _ => column.kind,
                    },
                    ..column.clone()
                }
            })
            .collect()
    }
}

/// Compares dumps of all these tables with the server; the rows that were compared are added
/// to `rows`.
///
/// # Errors
/// When the server cannot be asked.
pub fn compare(
    conn: &mut Conn,
    tables: &[&Mirrored],
    dumps: &[(Way, Dump)],
    rows: &mut u64,
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    let none = dump::Table::default();
    for mirrored in tables {
        let columns = mirrored.mirrored_columns();
        let columns: Vec<&Column> = columns.iter().collect();
        let expected = oracle::rows(conn, &mirrored.table, &columns)?;
        let name = mirrored.full_name();
        for (way, dump) in dumps {
            let held = dump.get(&name).unwrap_or(&none);
            *rows += expected.len() as u64;
            compare_table(*way, &name, &columns, &expected, held, &mut findings);
        }
    }
    Ok(findings)
}

/// One table of one dump.
pub fn compare_table(
    way: Way,
    name: &str,
    columns: &[&Column],
    expected: &[Row],
    held: &dump::Table,
    findings: &mut Vec<Finding>,
) {
    let kinds: BTreeMap<&str, Kind> = columns
        .iter()
        .map(|column| (column.name.as_str(), column.kind))
        .collect();
    let row = |key: String, what| Finding::Row {
        way,
        table: name.to_owned(),
        key,
        what,
    };
    let mut by_key: BTreeMap<String, &Values> = BTreeMap::new();
    for values in &held.rows {
        let key = key_of_values(&held.key, &kinds, values);
        if by_key.insert(key.clone(), values).is_some() {
            findings.push(row(key, "is there twice"));
        }
    }
    for server in expected {
        let key = key_of_row(&held.key, &kinds, server);
        match by_key.remove(&key) {
            Some(values) => compare_row(way, name, &key, columns, server, values, findings),
            None => findings.push(row(key, "is missing")),
        }
    }
    findings.extend(
        by_key
            .into_keys()
            .map(|key| row(key, "is not on the server")),
    );
}

fn compare_row(
    way: Way,
    name: &str,
    key: &str,
    columns: &[&Column],
    server: &Row,
    values: &Values,
    findings: &mut Vec<Finding>,
) {
    for column in columns {
        let expected = server.get(&column.name).cloned().flatten();
        let found = match values.get(&column.name) {
            // SQL's NULL and JSON's null look the same in a line of JSON.
            Some(json) if column.kind == Kind::Json && json == "null" => {
                let null = crate::sql::hex(b"null");
                Ok(expected.clone().filter(|text| *text == null))
            }
            Some(json) => dump::canonical(column.kind, json),
            None => Err("the column is not there".to_owned()),
        };
        let equal = match (&expected, &found) {
            (None, Ok(None)) => true,
            (Some(one), Ok(Some(other))) => oracle::is_equal(column.kind, one, other),
            _ => false,
        };
        if !equal {
            findings.push(Finding::Value {
                way,
                table: name.to_owned(),
                key: key.to_owned(),
                column: format!("{} {}", column.name, column.sql_type),
                expected: shown(column.kind, expected.as_deref()),
                found: found
                    .map_or_else(|wrong| wrong, |found| shown(column.kind, found.as_deref())),
            });
        }
    }
}

/// Values that are kept in hexadecimal as text where they are some.
fn shown(kind: Kind, value: Option<&str>) -> String {
    let Some(value) = value else {
        return "NULL".to_owned();
    };
    if !matches!(kind, Kind::Text | Kind::Json) {
        return value.to_owned();
    }
    let bytes = (0..value.len() / 2).map(|at| {
        let digits = value.get(2 * at..2 * at + 2).unwrap_or_default();
        u8::from_str_radix(digits, 16).unwrap_or(b'?')
    });
    format!(
        "{:?} = {value}",
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>())
    )
}

/// Floats that are equal as numbers are equal as keys, however they are printed.
fn key_text(kind: Kind, text: &str) -> String {
    match (kind, text.parse::<f64>()) {
        (Kind::Float, Ok(number)) => format!("{:?}", number as f32 + 0.0),
        (Kind::Double, Ok(number)) => format!("{:?}", number + 0.0),
        _ => text.to_owned(),
    }
}

fn key_of_row(key: &[String], kinds: &BTreeMap<&str, Kind>, row: &Row) -> String {
    let part = |name: &String| {
        let value = row.get(name).cloned().flatten();
        let kind = kinds.get(name.as_str()).copied().unwrap_or(Kind::Printed);
        value.map_or("NULL".to_owned(), |text| key_text(kind, &text))
    };
    key.iter().map(part).collect::<Vec<_>>().join(" | ")
}

fn key_of_values(key: &[String], kinds: &BTreeMap<&str, Kind>, values: &Values) -> String {
    let part = |name: &String| {
        let kind = kinds.get(name.as_str()).copied().unwrap_or(Kind::Printed);
        let json = values.get(name).map_or("null", String::as_str);
        match dump::canonical(kind, json) {
            Ok(value) => value.map_or("NULL".to_owned(), |text| key_text(kind, &text)),
            Err(wrong) => wrong,
        }
    };
    key.iter().map(part).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
            sql_type: String::new(),
        };
        vec![
            column("k", Kind::Integer),
            column("t", Kind::Text),
            column("f", Kind::Float),
            column("j", Kind::Json),
        ]
    }

    fn server() -> Row {
        let value = |name: &str, text: &str| (name.to_owned(), Some(text.to_owned()));
        [
            value("k", "1"),
            value("t", "61"),
            value("f", "0.10000000149011612"),
            value("j", "6E756C6C"),
        ]
        .into_iter()
        .collect()
    }

    fn findings(rows: &str) -> Vec<Finding> {
        let text = format!("T {{\"table\":\"d.t\",\"key\":[\"k\"]}}\n{rows}");
        let dump = dump::parse(&text).unwrap();
        let columns = columns();
        let columns: Vec<&Column> = columns.iter().collect();
        let mut findings = Vec::new();
        compare_table(
            Way::Binlog,
            "d.t",
            &columns,
            &[server()],
            &dump["d.t"],
            &mut findings,
        );
        findings
    }

    const RIGHT: &str = "R {\"k\":1,\"t\":\"a\",\"f\":0.1,\"j\":null}\n";

    #[test]
    fn equal_rows_are_no_finding() {
        assert_eq!(findings(RIGHT), []);
    }

    #[test]
    fn a_wrong_value_is_reported_with_table_key_column_and_both_values() {
        for (right, wrong, column) in [
            ("\"a\"", "\"A\"", "t "),
            ("\"a\"", "null", "t "),
            ("\"a\"", "\"a \"", "t "),
            ("0.1", "0.10000001", "f "),
            ("\"j\":null", "\"j\":{}", "j "),
        ] {
            let found = findings(&RIGHT.replace(right, wrong));
            match found.as_slice() {
                [
                    Finding::Value {
                        table,
                        key,
                        column: named,
                        expected,
                        found,
                        ..
                    },
                ] => {
                    assert_eq!(
                        (table.as_str(), key.as_str(), named.as_str()),
                        ("d.t", "1", column)
                    );
                    assert_ne!(expected, found);
                }
                other => panic!("{wrong}: {other:?}"),
            }
        }
    }

    #[test]
    fn missing_and_additional_rows_and_columns_are_reported() {
        assert!(matches!(
            findings("").as_slice(),
            [Finding::Row {
                what: "is missing",
                ..
            }]
        ));
        let more = format!("{RIGHT}{}", RIGHT.replace("\"k\":1", "\"k\":2"));
        assert!(matches!(
            findings(&more).as_slice(),
            [Finding::Row {
                what: "is not on the server",
                ..
            }]
        ));
        let twice = format!("{RIGHT}{RIGHT}");
        assert!(matches!(
            findings(&twice).as_slice(),
            [Finding::Row {
                what: "is there twice",
                ..
            }]
        ));
        let without = findings(&RIGHT.replace("\"t\":\"a\",", ""));
        assert!(matches!(without.as_slice(), [Finding::Value { .. }]));
    }
}
