//! Names of tables on servers that keep them in lower case, and on those that do not.

use integration::cases::{Case, Servers, start};
use integration::harness::Test;
use integration::tests;
use integration::{Site, run_in};
use lab::{Flavor, ServerOptions};
use mirror_runtime::source::{EventSource, LiveSource, StreamOptions, StreamStart};
use mirror_runtime::transaction::TransactionReader;
use mirror_runtime::{BinlogPosition, Schema, VerifyOptions};
use test_cases::Tables;

use integration::generation::{generate, surface};

pub(crate) const TESTS: &[Test] = tests![
    any_spelling_is_the_table_where_names_are_in_lower_case,
    two_spellings_are_two_tables_where_names_are_as_written,
    servers_do_not_keep_names_as_written_and_compare_them_in_lower_case_here,
];

fn any_spelling_is_the_table_where_names_are_in_lower_case(_: &Servers, flavor: Flavor) {
    let site = start(flavor, &ServerOptions::new().lower_case_names(true));
    let case = Case::on(&site, &["D1.MixCase"]).expect("every server has it");
    let mut conn = site.conn();
    run_in(&mut conn, "INSERT INTO d1.mixcase VALUES (1,1)");
    let mirror = case.mirror();
    run_in(&mut conn, "INSERT INTO D1.MIXCASE VALUES (2,2)");
    run_in(&mut conn, "UPDATE d1.MixCase SET COL = 20 WHERE id = 2");
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"tables": [{"database": "D1", "table": "MixCase"}]}"#;
    generate(&site, schema, folder.path()).expect("any spelling will do");
    let fields = surface(folder.path(), "mix_case.rs");
    assert!(
        fields.contains(&"pub col: Option<i32>,".into()),
        "{fields:?}"
    );

    let cols = |mirror| {
        let snapshot = case.caught_up(mirror);
        let rows: Vec<_> = snapshot.mix_case().iter().map(|row| row.col).collect();
        rows
    };
    assert_eq!(cols(&mirror), [Some(1), Some(20)]);
    case.assert_equals_server(&mirror, "lower case");
    assert_eq!(mirror.status().reloads, 0);
    let report = mirror.verify(&VerifyOptions::default()).expect("a report");
    assert!(report.is_equal() && report.rows() >= 2, "{report}");
    // What `mirror tail --from` reads.
    assert_eq!(rows_events(&site), 3);

    // A statement on any spelling is seen.
    run_in(&mut conn, "TRUNCATE TABLE D1.mIXcASE");
    run_in(&mut conn, "INSERT INTO d1.MixCase VALUES (3,3)");
    assert_eq!(cols(&mirror), [Some(3)]);
    run_in(&mut conn, "ALTER TABLE D1.MIXCASE ADD COLUMN x INT");
    run_in(&mut conn, "INSERT INTO d1.mixcase (id, col) VALUES (4,4)");
    if site.logs_metadata() {
        assert_eq!(cols(&mirror), [Some(3), Some(4)]);
        run_in(&mut conn, "RENAME TABLE D1.MixCase TO D1.Other");
    } else if case.end_or_caught_up(&mirror).is_none() {
        // The load came after the row; the next one has a column too many.
        run_in(&mut conn, "INSERT INTO d1.mixcase (id, col) VALUES (5,5)");
    }
    let error = case.end_of(&mirror).to_string();
    println!("{flavor}: {error}");
    assert!(error.to_lowercase().contains("d1.mixcase"), "{error}");
}

/// Rows events of the table in the whole log.
fn rows_events(site: &Site) -> usize {
    let url = site.server.url().parse().expect("a URL");
    let start = StreamStart::File(BinlogPosition::start_of("binlog.000001"));
    let options = StreamOptions {
        non_blocking: true,
        ..StreamOptions::new(&url)
    };
    let (mut source, _stop) = LiveSource::open(&url, &start, options).expect("a stream");
    let layouts = Tables::layouts();
    let selected: Vec<bool> = layouts.iter().map(|l| l.table == "MixCase").collect();
    let folds = source.server_info().lower_case_table_names != 0;
    let mut reader = TransactionReader::new(layouts, &selected).with_lower_case_names(folds);
    let mut sink = super::definitions::Rows(0);
    while let Some(event) = source.next_event().expect("an event") {
        reader.event(&event, &mut sink).expect("an event of ours");
    }
    sink.0
}

/// `lower_case_table_names=2` needs a file system that does not tell case apart; the servers take
/// 0 instead.
fn servers_do_not_keep_names_as_written_and_compare_them_in_lower_case_here(
    _: &Servers,
    flavor: Flavor,
) {
    let options = ServerOptions::new().arg("--lower-case-table-names=2");
    let site = start(flavor, &options);
    let found = site
        .server
        .query_value::<u8>("SELECT @@lower_case_table_names");
    assert_eq!(found.expect("an answer"), Some(0));
    let case = Case::on(&site, &["D1.MixCase"]).expect("every server has it");
    let mirror = case.mirror();
    site.run("INSERT INTO D1.MixCase VALUES (1,1)");
    assert_eq!(case.caught_up(&mirror).mix_case().len(), 1);
}

fn two_spellings_are_two_tables_where_names_are_as_written(servers: &Servers, flavor: Flavor) {
    let site = servers.full(flavor);
    let case = Case::on(site, &["D1.MixCase"]).expect("every server has it");
    let mut conn = site.conn();
    for sql in [
        "CREATE TABLE D1.mixcase (Id INT PRIMARY KEY, COL INT)",
        // What a server with names in lower case would call the mirrored one.
        "CREATE DATABASE d1",
        "CREATE TABLE d1.mixcase (Id INT PRIMARY KEY, COL INT)",
        "INSERT INTO D1.mixcase VALUES (1,100)",
        "INSERT INTO D1.MixCase VALUES (1,1)",
    ] {
        run_in(&mut conn, sql);
    }
    let mirror = case.mirror();
    for sql in [
        "INSERT INTO D1.mixcase VALUES (2,200)",
        "INSERT INTO D1.MixCase VALUES (2,2)",
        "INSERT INTO d1.mixcase VALUES (3,3000)",
        "UPDATE d1.mixcase SET COL = 3001 WHERE Id = 3",
    ] {
        run_in(&mut conn, sql);
    }
    let cols = |mirror| {
        let snapshot = case.caught_up(mirror);
        let rows: Vec<_> = snapshot.mix_case().iter().map(|row| row.col).collect();
        rows
    };
    assert_eq!(cols(&mirror), [Some(1), Some(2)]);
    let status = mirror.status();
    assert_eq!(status.reloads, 0, "{:?}", status.last_reload);
    let report = mirror.verify(&VerifyOptions::default()).expect("a report");
    assert!(report.is_equal() && report.rows() >= 2, "{report}");
    run_in(&mut conn, "TRUNCATE TABLE D1.mixcase");
    run_in(&mut conn, "ALTER TABLE D1.mixcase ADD COLUMN x INT");
    run_in(&mut conn, "DROP TABLE D1.mixcase");
    run_in(&mut conn, "DELETE FROM d1.mixcase");
    assert_eq!(cols(&mirror), [Some(1), Some(2)]);
    case.assert_equals_server(&mirror, "two spellings");
}
