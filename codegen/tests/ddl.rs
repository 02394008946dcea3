//! The parser on SHOW CREATE TABLE texts that real servers printed.
//!
//! `tests/ddl/*.sql` are the texts, `*.txt` what they mean.

#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod support;

use std::fmt::Write as _;

use codegen::ddl::{self, Action, ColumnDef, CreateTable, KeyPart, TypeArgs};
use support::{SERVERS, golden, recorded};

#[test]
fn every_text_means_what_the_golden_says() {
    for (server, version) in SERVERS {
        let mut all = String::new();
        for recorded in recorded(server) {
            let _ = write!(all, "{}.{}", recorded.database, recorded.table);
            match ddl::parse(&recorded.text, version) {
                Ok(table) => all.push_str(&summary(&table)),
                Err(error) => {
                    let _ = writeln!(all, "\n  refused: {error}");
                }
            }
        }
        golden(&format!("ddl/{server}.txt"), &all);
    }
}

/// All that the parser found, one line per column and key.
fn summary(table: &CreateTable) -> String {
    let options = &table.options;
    let mut text = format!(" = {:?}", table.name);
    for (name, value) in [
        ("engine", &options.engine),
        ("charset", &options.charset),
        ("collation", &options.collation),
    ] {
        if let Some(value) = value {
            let _ = write!(text, " {name}={value}");
        }
    }
    for (flag, name) in [
        (options.partitioned, "partitioned"),
        (options.system_versioned, "system-versioned"),
        (options.sequence, "sequence"),
    ] {
        text.push_str(&if flag {
            format!(" {name}")
        } else {
            String::new()
        });
    }
    if !options.comment.is_empty() {
        let _ = write!(text, " comment={:?}", options.comment);
    }
    text.push('\n');
    for column in &table.columns {
        let _ = writeln!(text, "  {}", column_summary(column));
    }
    for key in &table.keys {
        let parts: Vec<String> = key.parts.iter().map(part_summary).collect();
        let _ = writeln!(
            text,
            "  {:?} key {:?}: {}",
            key.kind,
            key.name,
            parts.join(" ")
        );
    }
    for key in &table.foreign_keys {
        let _ = write!(
            text,
            "  foreign key {:?}: {:?} -> {} {:?}",
            key.name,
            key.columns,
            key.parent(),
            key.parent_columns
        );
        for (event, action) in [("delete", key.on_delete), ("update", key.on_update)] {
            if action != Action::Restrict {
                let _ = write!(text, " on {event} {}", action.keywords());
            }
        }
        text.push('\n');
    }
    text
}

fn column_summary(column: &ColumnDef) -> String {
    let data_type = &column.data_type;
    let mut text = format!("{:?} {} | {}", column.name, column.sql_type, data_type.name);
    match &data_type.args {
        TypeArgs::None => {}
        TypeArgs::Numbers(numbers) => {
            let _ = write!(text, " {numbers:?}");
        }
        TypeArgs::Labels(labels) => {
            let _ = write!(text, " {labels:?}");
        }
    }
    for (flag, name) in [
        (data_type.unsigned, "unsigned"),
        (data_type.zerofill, "zerofill"),
        (!column.nullable, "not-null"),
        (column.auto_increment, "auto-increment"),
        (column.on_update_now, "on-update-now"),
        (column.invisible, "invisible"),
        (column.compressed, "compressed"),
    ] {
        text.push_str(&if flag {
            format!(" {name}")
        } else {
            String::new()
        });
    }
    for (name, value) in [
        ("charset", &column.charset),
        ("collation", &column.collation),
    ] {
        if let Some(value) = value {
            let _ = write!(text, " {name}={value}");
        }
    }
    if let Some(generated) = column.generated {
        let _ = write!(text, " generated={generated:?}");
    }
    if let Some(default) = &column.default {
        let _ = write!(text, " default={default:?}");
    }
    if !column.comment.is_empty() {
        let _ = write!(text, " comment={:?}", column.comment);
    }
    text
}

fn part_summary(part: &KeyPart) -> String {
    match part {
        KeyPart::Column(name) => format!("{name:?}"),
        KeyPart::Prefix(name) => format!("prefix({name:?})"),
        KeyPart::Expression => "expression".to_owned(),
        KeyPart::Period(name) => format!("period({name:?})"),
    }
}

#[test]
fn a_text_cut_off_anywhere_is_an_error_or_a_whole_table() {
    for (server, version) in SERVERS {
        for recorded in recorded(server) {
            let Ok(whole) = ddl::parse(&recorded.text, version) else {
                continue;
            };
            for end in 0..recorded.text.len() {
                let Some(cut) = recorded.text.get(..end) else {
                    continue;
                };
                if let Ok(table) = ddl::parse(cut, version) {
                    assert_eq!(table.columns.len(), whole.columns.len(), "{server} {cut}");
                    assert_eq!(table.keys, whole.keys, "{server} {cut}");
                }
                assert!(ddl::normalize(cut, version).len() <= cut.len());
            }
        }
    }
}

#[test]
fn a_text_with_a_byte_changed_never_panics() {
    // A small linear congruential generator (Knuth, MMIX), so that failures repeat.
    let mut state = 42_u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    const INSERTED: &[&str] = &[
        "`", "'", "\"", "(", ")", ",", "/*!", "*/", "\\", "=", "-", "0x", "ö", "\0", " ",
    ];
    for (server, version) in SERVERS {
        for recorded in recorded(server) {
            for _ in 0..40 {
                let chars: Vec<char> = recorded.text.chars().collect();
                let at = random(chars.len());
                let removed = random(3);
                let mut text: String = chars[..at].iter().collect();
                text.push_str(INSERTED[random(INSERTED.len())]);
                text.extend(chars.iter().skip(at + removed));
                if let Err(error) = ddl::parse(&text, version) {
                    assert!(error.line >= 1 && error.column >= 1);
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}

#[test]
fn normalized_text_means_the_same_and_stays_as_it_is() {
    for (server, version) in SERVERS {
        for recorded in recorded(server) {
            let normal = ddl::normalize(&recorded.text, version);
            assert_eq!(ddl::normalize(&normal, version), normal);
            let (Ok(before), Ok(mut after)) = (
                ddl::parse(&recorded.text, version),
                ddl::parse(&normal, version),
            ) else {
                continue;
            };
            after.options.partitioned = before.options.partitioned;
            assert_eq!(before, after, "{server} {}", recorded.table);
        }
    }
}

#[test]
fn what_is_not_known_is_an_error_with_table_column_and_position() {
    let version = SERVERS[1].1;
    for (ddl, expected) in [
        (
            "CREATE TABLE `t` (\n  `a` int NOT NULL,\n  `b` int FROBNICATE 3,\n  PRIMARY KEY (`a`)\n)",
            "table `t`, column `b`, line 3, character 11: a known column attribute, `,` or `)` expected; found: FROBNICATE 3,",
        ),
        (
            "CREATE TABLE `t` (`a` int, KEY `k` (`a`) SIDEWAYS)",
            "table `t`, key `k`, line 1, character 42: a known key option, `,` or `)` expected; found: SIDEWAYS)",
        ),
        (
            "CREATE TABLE `t` (`a` int, KEY `k` (`b`))",
            "table `t`, line 1, character 1: key `k` names the unknown column `b`; found: CREATE TABLE `t` (`a` int, KEY `k` (`b`)...",
        ),
        (
            "CREATE TABLE `t` (`a` int, `A` int)",
            "table `t`, line 1, character 1: column `A` stands twice; found: CREATE TABLE `t` (`a` int, `A` int)",
        ),
        (
            "CREATE TABLE `t` (`a` int DEFAULT (1 + (2)",
            "table `t`, column `a`, line 1, character 35: `(` without its `)`; found: (1 + (2)",
        ),
        (
            "CREATE TABLE `t` (`a` int",
            "table `t`, column `a`, line 1, character 26: a known column attribute, `,` or `)` expected; the text ends here",
        ),
        (
            "DROP TABLE `t`",
            "line 1, character 1: CREATE expected; found: DROP TABLE `t`",
        ),
        (
            "CREATE TABLE `t` (`a` enum('x)",
            "line 1, character 28: string without its closing quote; found: 'x)",
        ),
    ] {
        assert_eq!(ddl::parse(ddl, version).unwrap_err().to_string(), expected);
    }
}

#[test]
fn versioned_comments_give_each_server_its_columns() {
    let ddl = "CREATE TABLE vc_t (a INT /*!50606 NOT NULL */, b INT /*!999999 NOSUCH */ , /*M!100301 c INT INVISIBLE, */ d INT)";
    for (server, version) in SERVERS {
        let table = ddl::parse(ddl, version).unwrap();
        let names: Vec<&str> = table
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        if server.starts_with("mariadb") {
            assert_eq!(names, ["a", "b", "c", "d"]);
            assert!(table.columns[2].invisible);
        } else {
            assert_eq!(names, ["a", "b", "d"]);
        }
        // 5.6 without patch level counts as the newest of its series.
        assert!(!table.columns[0].nullable);
    }
}

#[test]
fn hostile_depth_and_length_are_no_trouble() {
    let version = SERVERS[1].1;
    let deep = format!(
        "CREATE TABLE `t` (`a` int DEFAULT {}1{})",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert!(ddl::parse(&deep, version).is_ok());
    let signs = format!(
        "CREATE TABLE `t` (`a` int DEFAULT {}1)",
        "-".repeat(100_000)
    );
    assert!(ddl::parse(&signs, version).is_ok());
    let comments = "/*!50000 ".repeat(100_000);
    assert!(ddl::parse(&comments, version).is_err());
}
