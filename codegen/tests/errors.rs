//! What users read when schema.json does not fit: `tests/errors/SERVER-NAME.json` against the
//! recorded tables of that server gives `SERVER-NAME.txt`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod support;

use std::fs;

use codegen::schema_file::SchemaFile;
use support::{golden, lock, path};

#[test]
fn every_broken_schema_gives_its_report() {
    let mut names: Vec<String> = fs::read_dir(path("errors"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() >= 10);
    for name in names {
        let (server, _) = name.split_once('-').unwrap();
        let text = fs::read_to_string(path(&format!("errors/{name}.json"))).unwrap();
        let result = SchemaFile::parse("schema.json", &text)
            .and_then(|schema| codegen::resolve::resolve(&schema, &lock(server)));
        match result {
            Ok(_) => panic!("{name} is accepted"),
            Err(report) => golden(&format!("errors/{name}.txt"), &format!("{report}\n")),
        }
    }
}
