//! What is generated from the definitions that a server shows, and what is refused.

use std::path::Path;

use integration::cases::{Servers, lacking, start};
use integration::generation::{generate, surface};
use integration::harness::Test;
use integration::run_in;
use integration::tests;
use lab::{Flavor, ServerOptions};

pub(crate) const TESTS: &[Test] = tests![
    a_table_without_a_key_that_tells_rows_apart_is_refused,
    definitions_of_both_servers_give_the_same_code,
    versioned_comments_count_as_the_server_reads_them,
    expressions_and_checks_do_not_stop_the_parser,
];

fn fields(folder: &Path, file: &str) -> Vec<String> {
    let is_field = |line: &String| line.ends_with(',') && line.contains(": ");
    surface(folder, file).into_iter().filter(is_field).collect()
}

fn a_table_without_a_key_that_tells_rows_apart_is_refused(servers: &Servers, flavor: Flavor) {
    let site = servers.full(flavor);
    let mut conn = site.conn();
    run_in(
        &mut conn,
        "CREATE TABLE nopk (k INT, v VARCHAR(5), u INT NULL, UNIQUE KEY (u))",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"database": "cases", "tables": [{"table": "dec_t"}, {"table": "nopk"}]}"#;
    let refusal = generate(site, schema, folder.path()).expect_err("there is no key");
    println!("{flavor}: {refusal}");
    assert!(
        refusal.contains("nopk") && refusal.contains("key"),
        "{refusal}"
    );
    assert!(!refusal.contains("dec_t"), "{refusal}");
    assert!(!folder.path().join("src").exists(), "nothing is written");
}

/// The checked-in crate was made from MySQL's definitions.
fn definitions_of_both_servers_give_the_same_code(_: &Servers, flavor: Flavor) {
    // Other tests change the tables of the shared servers.
    let site = start(flavor, &ServerOptions::new());
    let checked_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let schema = std::fs::read_to_string(checked_in.join("schema.json")).expect("schema.json");
    let is_there = |line: &&str| {
        let table = line.split('"').nth(3).unwrap_or_default();
        line.contains("\"table\":") && lacking(&site, table).is_none()
    };
    let tables: Vec<&str> = schema
        .lines()
        .filter(is_there)
        .map(|line| line.trim_end_matches(','))
        .collect();
    let tables = tables.join(",\n");
    let schema = format!("{{\"database\": \"cases\", \"tables\": [\n{tables}\n]}}");
    let folder = tempfile::tempdir().expect("a folder");
    generate(&site, &schema, folder.path()).expect("these tables can be mirrored");
    let mut compared = 0;
    let files = std::fs::read_dir(folder.path().join("src")).expect("the generated code");
    for entry in files.flatten() {
        let name = entry.file_name().into_string().expect("a name");
        // These list the tables, and not all are there.
        if ["lib.rs", "tables.rs"].contains(&&*name) {
            continue;
        }
        let (own, other) = (surface(folder.path(), &name), surface(&checked_in, &name));
        assert_eq!(own, other, "{flavor}: {name}");
        assert!(own.len() > 5, "{name}: {own:?}");
        compared += 1;
    }
    assert!(compared > 20, "{compared} tables");
}

fn versioned_comments_count_as_the_server_reads_them(servers: &Servers, flavor: Flavor) {
    let site = servers.full(flavor);
    let mut conn = site.conn();
    let second = if site.is_mysql() {
        "CREATE TABLE vc2_t (a INT PRIMARY KEY, h INT /*!80023 INVISIBLE */,
         KEY k (a) /*!80000 INVISIBLE */) /*!50100 PARTITION BY HASH (a) PARTITIONS 2 */"
    } else {
        "CREATE TABLE vc2_t (a INT PRIMARY KEY, h INT INVISIBLE, KEY k (a) IGNORED)
         PARTITION BY HASH (a) PARTITIONS 2"
    };
    run_in(&mut conn, second);
    run_in(&mut conn, "CREATE DATABASE /*! IF NOT EXISTS */ cases");
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"database": "cases", "tables": [{"table": "vc_t"}, {"table": "vc2_t"}]}"#;
    generate(site, schema, folder.path()).expect("both can be mirrored");
    let mut expected = vec!["pub a: i32,", "pub b: Option<i32>,"];
    if !site.is_mysql() {
        expected.push("pub c: Option<i32>,");
    }
    expected.push("pub d: Option<i32>,");
    assert_eq!(fields(folder.path(), "vc_t.rs"), expected);
    assert_eq!(
        fields(folder.path(), "vc2_t.rs"),
        ["pub a: i32,", "pub h: Option<i32>,"]
    );
}

fn expressions_and_checks_do_not_stop_the_parser(servers: &Servers, flavor: Flavor) {
    let site = servers.full(flavor);
    if site.is_old() {
        return site.does_not_apply("it has no expressions as defaults");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"database": "cases", "tables": [{"table": "dx_t"}]}"#;
    generate(site, schema, folder.path()).expect("it can be mirrored");
    let json = if site.is_mysql() {
        "mirror_runtime::Json"
    } else {
        "mirror_runtime::Text"
    };
    let expected = [
        "pub id: i32,",
        "pub n: Option<i32>,",
        "pub d: Option<mirror_runtime::Decimal>,",
        "pub ex: Option<mirror_runtime::Text>,",
        "pub dt: Option<mirror_runtime::Date>,",
        &format!("pub j: Option<{json}>,"),
        "pub b: Option<u64>,",
        "pub bin: Option<Box<[u8]>>,",
        "pub y: Option<u16>,",
        "pub ts: mirror_runtime::Timestamp,",
        "pub st: Option<mirror_runtime::Text>,",
        "pub g: Option<i32>,",
    ];
    assert_eq!(fields(folder.path(), "dx_t.rs"), expected);
    let key = "pub fn get(self, id: i32) -> Option<&'s DxT> {";
    assert!(
        surface(folder.path(), "dx_t.rs")
            .iter()
            .any(|line| line == key)
    );
}
