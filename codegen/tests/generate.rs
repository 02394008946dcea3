//! The whole path on the tables that real servers printed: what can be mirrored of them is
//! generated twice alike, and compiles without warnings.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "these are tests"
)]

#[path = "support/compile.rs"]
mod compile;
mod support;

use std::path::Path;

use codegen::ddl;
use codegen::files;
use codegen::lock::{LOCK_FILE, Lock};
use codegen::resolve::{column_type, resolve};
use codegen::schema_file::SchemaFile;
use serde_json::json;
use support::{SERVERS, lock};

/// A schema.json of every table and column that can be mirrored.
fn everything(lock: &Lock) -> SchemaFile {
    let mut tables = Vec::new();
    for locked in lock.tables() {
        let Ok(create) = ddl::parse(&locked.ddl, lock.server) else {
            continue;
        };
        let columns: Vec<&str> = create
            .columns
            .iter()
            .filter(|column| column_type(column, lock.server.family).is_ok())
            .map(|column| column.name.as_str())
            .collect();
        let request = json!({
            "database": locked.name.database,
            "table": locked.name.table,
            "columns": columns,
        });
        let alone = SchemaFile::parse("schema.json", &json!([request]).to_string()).unwrap();
        if resolve(&alone, lock).is_ok() {
            tables.push(request);
        }
    }
    assert!(
        tables.len() >= 25,
        "{} tables can be mirrored",
        tables.len()
    );
    SchemaFile::parse("schema.json", &json!(tables).to_string()).unwrap()
}

#[test]
fn all_that_can_be_mirrored_compiles_without_warnings() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    for (server, _) in SERVERS {
        let lock = lock(server);
        let generated = codegen::generate(&everything(&lock), &lock)
            .unwrap_or_else(|report| panic!("{report}"));
        files::write(&folder.join(server), &generated).unwrap();
        assert!(
            files::compare(&folder.join(server), &generated)
                .unwrap()
                .is_empty()
        );
    }
    compile::cargo(&folder, &["check"]);
}

#[test]
fn the_same_input_gives_the_same_bytes_and_the_lock_is_enough() {
    for (server, _) in SERVERS {
        let lock = lock(server);
        let schema = everything(&lock);
        let first = codegen::generate(&schema, &lock).unwrap();
        let recorded = Lock::parse(&first[LOCK_FILE]).unwrap();
        let second = codegen::generate(&schema, &recorded).unwrap();
        assert_eq!(first, second);
    }
}

#[test]
fn the_fingerprint_changes_with_the_model() {
    let lock = lock("mysql97");
    let schema = |text: &str| SchemaFile::parse("schema.json", text).unwrap();
    let all = resolve(
        &schema(r#"[{"database": "tricky", "table": "par2"}]"#),
        &lock,
    )
    .unwrap();
    let named = resolve(
        &schema(r#"[{"database": "tricky", "table": "par2", "rust_name": "Pair"}]"#),
        &lock,
    )
    .unwrap();
    assert_eq!(codegen::fingerprint(&all).len(), 16);
    assert_eq!(
        codegen::fingerprint(&all),
        codegen::fingerprint(&all.clone())
    );
    assert_ne!(codegen::fingerprint(&all), codegen::fingerprint(&named));
}
