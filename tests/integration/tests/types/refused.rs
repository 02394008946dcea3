//! What the table says is refused.

use integration::cases::{Servers, start};
use integration::generation::generate;
use integration::harness::Test;
use integration::{Site, run_in, tests};
use lab::{Flavor, ServerOptions};
use mysql::prelude::Queryable;

pub(crate) const TESTS: &[Test] = tests![
    types_that_cannot_be_keys_are_refused_by_name,
    years_of_two_digits_are_refused_by_column,
    tables_with_history_and_sequences_are_refused_by_name,
];

/// The refusal of one table, which must have these words.
fn assert_refused(site: &Site, table: &str, words: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = format!("{{\"database\": \"cases\", \"tables\": [{{\"table\": \"{table}\"}}]}}");
    let refusal = generate(site, &schema, folder.path()).expect_err(table);
    println!("{}: {refusal}", site.flavor());
    for word in [&[table][..], words].concat() {
        assert!(refusal.contains(word), "{word:?} is missing: {refusal}");
    }
    assert!(!folder.path().join("src").exists(), "nothing is written");
}

fn types_that_cannot_be_keys_are_refused_by_name(servers: &Servers, flavor: Flavor) {
    let site = servers.full(flavor);
    let mut conn = site.conn();
    for (table, column, kind) in [
        ("geometry_key", "g", "POINT"),
        ("json_key", "j", "JSON"),
        ("vector_key", "v", "VECTOR(2)"),
    ] {
        let sql = format!("CREATE TABLE {table} ({column} {kind} NOT NULL, UNIQUE KEY ({column}))");
        match conn.query_drop(sql) {
            Ok(()) => assert_refused(site, table, &["no usable key", column]),
            Err(error) => println!("{flavor} itself refuses {kind} as a key: {error}"),
        }
    }
    run_in(
        &mut site.conn(),
        "CREATE TABLE sjis_key (k VARCHAR(9) CHARACTER SET sjis PRIMARY KEY)",
    );
    assert_refused(site, "sjis_key", &["column k is text in sjis", "bytes"]);
}

fn years_of_two_digits_are_refused_by_column(servers: &Servers, flavor: Flavor) {
    let site = servers.full(flavor);
    if site.is_mysql() {
        return site.does_not_apply("it makes YEAR(4) of YEAR(2), or refuses it itself");
    }
    run_in(
        &mut site.conn(),
        "CREATE TABLE short_year (id INT PRIMARY KEY, y YEAR(2))",
    );
    assert_refused(
        site,
        "short_year",
        &["column cases.short_year.y", "year(2)"],
    );
}

fn tables_with_history_and_sequences_are_refused_by_name(_: &Servers, flavor: Flavor) {
    let site = start(flavor, &ServerOptions::new());
    if site.is_mysql() {
        return site.does_not_apply("it has neither");
    }
    let mut conn = site.conn();
    run_in(
        &mut conn,
        "CREATE TABLE versioned (id INT PRIMARY KEY) WITH SYSTEM VERSIONING",
    );
    assert_refused(&site, "versioned", &["VERSIONING"]);
    run_in(&mut conn, "CREATE SEQUENCE counter");
    assert_refused(&site, "counter", &["sequence"]);
}
