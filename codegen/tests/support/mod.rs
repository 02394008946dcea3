//! Recorded SHOW CREATE TABLE texts of real servers, and golden files.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests; not every test uses all of them"
)]

use std::fs;
use std::path::{Path, PathBuf};

use codegen::ddl::ServerVersion;
use codegen::lock::Lock;

/// Servers whose texts are in `tests/ddl`.
pub(crate) const SERVERS: [(&str, ServerVersion); 4] = [
    ("mysql56", ServerVersion::mysql(5, 6)),
    ("mysql97", ServerVersion::mysql(9, 7)),
    ("mariadb1011", ServerVersion::mariadb(10, 11)),
    ("mariadb118", ServerVersion::mariadb(11, 8)),
];

/// A path below `tests`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// One recorded text.
pub(crate) struct Recorded {
    pub(crate) database: String,
    pub(crate) table: String,
    pub(crate) text: String,
}

/// All texts of a server: each stands behind a line `-- database.table`.
pub(crate) fn recorded(server: &str) -> Vec<Recorded> {
    let file = fs::read_to_string(path(&format!("ddl/{server}.sql"))).unwrap();
    let file = format!("\n{file}");
    let texts: Vec<Recorded> = file
        .split("\n-- ")
        .skip(1)
        .map(|entry| {
            let (name, text) = entry.split_once('\n').unwrap();
            let (database, table) = name.split_once('.').unwrap();
            Recorded {
                database: database.to_owned(),
                table: table.to_owned(),
                text: text.trim_end().to_owned(),
            }
        })
        .collect();
    assert!(texts.len() > 30, "{server} has texts");
    texts
}

/// A lock of all texts of a server.
pub(crate) fn lock(server: &str) -> Lock {
    let version = SERVERS.iter().find(|(name, _)| *name == server).unwrap().1;
    let mut lock = Lock::new(version, None);
    for recorded in recorded(server) {
        lock.insert(&recorded.database, &recorded.table, &recorded.text);
    }
    lock
}

/// Compares with a golden file; with UPDATE_GOLDENS=1 writes it.
pub(crate) fn golden(name: &str, text: &str) {
    let path = path(name);
    if std::env::var_os("UPDATE_GOLDENS").is_some_and(|value| value == "1") {
        fs::write(&path, text).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if expected != text {
        let diff = similar::TextDiff::from_lines(expected.as_str(), text);
        let diff = diff.unified_diff().header(name, "now").to_string();
        panic!("{diff}\nif this is right: UPDATE_GOLDENS=1 cargo test -p mysql-mirror-codegen");
    }
}
