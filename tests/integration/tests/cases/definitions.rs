//! Statements that change tables: CREATE TABLE ... SELECT, TRUNCATE, partitions, ALTER.

use integration::Site;
use integration::cases::{Case, Servers, run_all};
use integration::harness::Test;
use integration::run_in;
use integration::tests;
use lab::Flavor;
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::source::{EventSource, LiveSource, RawEvent, StreamOptions, StreamStart};
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{Error, Schema, TableError};
use test_cases::{Mirror, Tables};

pub(crate) const TESTS: &[Test] = tests![
    a_table_made_by_a_select_has_its_rows,
    truncated_tables_and_partitions_are_empty,
    columns_that_are_added_are_followed_and_a_renamed_one_stops,
    rows_of_an_older_layout_are_never_read_with_the_new_one,
    columns_of_one_type_that_change_places_are_not_mixed_up,
];

fn a_table_made_by_a_select_has_its_rows(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        if site.is_old() {
            return site.does_not_apply("its GTIDs do not allow CREATE TABLE ... SELECT");
        }
        let case = Case::on(site, &["src", "ctas"]).expect("every server has these types");
        let mut conn = site.conn();
        run_all(
            &mut conn,
            &[
                "INSERT INTO src VALUES (1,'a'),(2,'b')",
                "INSERT INTO ctas VALUES (77,'old',0)",
            ],
        );
        let mirror = case.mirror();
        run_all(
            &mut conn,
            &[
                "DROP TABLE ctas",
                "CREATE TABLE ctas (id INT PRIMARY KEY, `na me` VARCHAR(9), dbl BIGINT)
                 AS SELECT id, `na me`, id*2 AS dbl FROM src",
                "SET sql_mode='ANSI'",
                "CREATE TABLE ctas2 AS SELECT id AS \"q x\" FROM src",
                "SET sql_mode=''",
                "INSERT INTO src VALUES (3,'c')",
                "INSERT INTO ctas VALUES (3,'c',6)",
            ],
        );
        let factor = if site.is_mysql() {
            2
        } else {
            run_in(
                &mut conn,
                "CREATE OR REPLACE TABLE ctas (id INT PRIMARY KEY, `na me` VARCHAR(9), dbl BIGINT)
                 AS SELECT id, `na me`, id*3 AS dbl FROM src",
            );
            3
        };
        if !site.logs_names() {
            // Rows that follow their own table's definition cannot be checked without names.
            // Whether the mirror loads the table before it meets them, or stops, is its choice.
            if let Some(error) = case.end_or_caught_up(&mirror) {
                assert_layout(&error, "cases.ctas");
                continue;
            }
        }
        let snapshot = case.caught_up(&mirror);
        let rows: Vec<_> = snapshot
            .ctas()
            .iter()
            .map(|row| (row.id, row.dbl))
            .collect();
        assert_eq!(rows, [1, 2, 3].map(|id| (id, Some(i64::from(id) * factor))));
        assert_eq!(snapshot.src().len(), 3);
        case.assert_equals_server(&mirror, "CREATE TABLE ... SELECT");

        run_all(
            &mut conn,
            &[
                "DROP TABLE ctas",
                "CREATE TABLE ctas (x INT) AS SELECT 5 AS x",
            ],
        );
        assert_layout(&case.end_of(&mirror), "cases.ctas");
    }
}

fn truncated_tables_and_partitions_are_empty(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["tr_t", "part_t"]).expect("every server has partitions");
        let mut conn = site.conn();
        run_all(
            &mut conn,
            &[
                "INSERT INTO tr_t (v) VALUES (1),(2)",
                "INSERT INTO part_t VALUES (1,'2029-01-01'),(2,'2031-01-01')",
            ],
        );
        let mirror = case.mirror();
        run_all(
            &mut conn,
            &[
                "TRUNCATE tr_t",
                "INSERT INTO tr_t (v) VALUES (77)",
                "/* lead */ truncate /* mid */ TABLE `tr_t`",
                "INSERT INTO tr_t (v) VALUES (78)",
            ],
        );
        let snapshot = case.caught_up(&mirror);
        let rows: Vec<_> = snapshot.tr_t().iter().map(|row| (row.id, row.v)).collect();
        assert_eq!(rows, [(1, Some(78))]);
        assert_eq!(
            mirror.status().reloads,
            0,
            "rows and TRUNCATE need no reload"
        );

        run_in(&mut conn, "ALTER TABLE part_t TRUNCATE PARTITION p0");
        let snapshot = case.caught_up(&mirror);
        let ids: Vec<_> = snapshot.part_t().iter().map(|row| row.id).collect();
        assert_eq!(ids, [2]);
        run_in(&mut conn, "ALTER TABLE part_t DROP PARTITION pm");
        assert!(case.caught_up(&mirror).part_t().is_empty());
        case.assert_equals_server(&mirror, "partitions");
    }
}

fn columns_that_are_added_are_followed_and_a_renamed_one_stops(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["al_t"]).expect("every server has these types");
        let mut conn = site.conn();
        run_in(&mut conn, "INSERT INTO al_t VALUES (1,'f1','l1')");
        let mirror = case.mirror();
        let instant = if site.is_old() {
            ""
        } else {
            ", ALGORITHM=INSTANT"
        };
        run_in(
            &mut conn,
            &format!(
                "ALTER TABLE al_t ADD COLUMN mname VARCHAR(9) DEFAULT 'mid' AFTER fname{instant}"
            ),
        );
        run_in(&mut conn, "INSERT INTO al_t VALUES (2,'f2','m2','l2')");
        if site.logs_names() {
            let snapshot = case.caught_up(&mirror);
            let names: Vec<_> = snapshot
                .al_t()
                .iter()
                .map(|row| (row.id, row.fname.as_deref(), row.lname.as_deref()))
                .collect();
            assert_eq!(
                names,
                [(1, Some("f1"), Some("l1")), (2, Some("f2"), Some("l2"))]
            );
            run_in(
                &mut conn,
                "ALTER TABLE al_t ADD COLUMN z INT FIRST, CHANGE lname surname VARCHAR(9),
                 MODIFY fname VARCHAR(9) AFTER surname",
            );
            run_in(&mut conn, "INSERT INTO al_t VALUES (7,3,'m3','l3','f3')");
        }
        let error = case.end_of(&mirror);
        assert_layout(&error, "cases.al_t");
        assert!(error.to_string().contains("lname"), "{error}");
    }
}

fn rows_of_an_older_layout_are_never_read_with_the_new_one(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let mut conn = site.conn();
        run_all(
            &mut conn,
            &[
                "DROP TABLE al_final",
                "CREATE TABLE al_final (id INT PRIMARY KEY, fname VARCHAR(9), lname VARCHAR(9))",
            ],
        );
        let first = site.position();
        run_all(
            &mut conn,
            &[
                "INSERT INTO al_final VALUES (1,'f1','l1')",
                "ALTER TABLE al_final ADD COLUMN mname VARCHAR(9) DEFAULT 'mid' AFTER fname",
            ],
        );
        let second = site.position();
        run_all(
            &mut conn,
            &[
                "INSERT INTO al_final VALUES (2,'f2','m2','l2')",
                "ALTER TABLE al_final ADD COLUMN z INT FIRST, CHANGE lname surname VARCHAR(9),
                 MODIFY fname VARCHAR(9) AFTER surname",
            ],
        );
        let third = site.position();
        run_all(
            &mut conn,
            &[
                "INSERT INTO al_final VALUES (7,3,'m3','l3','f3')",
                "ALTER TABLE al_final DROP COLUMN z, DROP COLUMN mname, ADD COLUMN mname INT DEFAULT 5",
            ],
        );
        let last = site.position();
        run_in(&mut conn, "INSERT INTO al_final VALUES (4,'l4','f4',44)");
        for start in [first, second, third] {
            let error = read_from(site, &start, "al_final").expect_err("another layout");
            println!("{}: {error}", site.flavor());
            assert_layout(&error, "cases.al_final");
        }
        assert_eq!(read_from(site, &last, "al_final").ok(), Some(1));
    }
}

fn columns_of_one_type_that_change_places_are_not_mixed_up(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["swap_t"]).expect("every server has these types");
        let mut conn = site.conn();
        run_in(&mut conn, "INSERT INTO swap_t VALUES (1,'a1','b1')");
        let mirror = case.mirror();
        run_in(&mut conn, "ALTER TABLE swap_t MODIFY a VARCHAR(9) AFTER b");
        run_in(&mut conn, "INSERT INTO swap_t VALUES (2,'b2','a2')");
        if site.logs_names() {
            for mirror in [mirror, case.mirror()] {
                let snapshot = case.caught_up(&mirror);
                let rows: Vec<_> = snapshot
                    .swap_t()
                    .iter()
                    .map(|row| (row.a.as_deref(), row.b.as_deref()))
                    .collect();
                assert_eq!(rows, [(Some("a1"), Some("b1")), (Some("a2"), Some("b2"))]);
            }
        } else {
            assert_layout(&case.end_of(&mirror), "cases.swap_t");
            let timeout = std::time::Duration::from_secs(20);
            let refused = Mirror::connect(case.options(), timeout).err();
            assert_layout(&refused.expect("the columns moved"), "cases.swap_t");
        }
    }
}

fn assert_layout(error: &Error, table: &str) {
    let Error::Table(TableError::Layout { table: named, .. }) = error else {
        panic!("no error of the layout: {error}")
    };
    assert_eq!(named, table, "{error}");
}

/// Reads one table's rows events from there to the end of the binlog; how many there are.
fn read_from(site: &Site, start: &str, table: &str) -> Result<usize, Error> {
    let url = site.server.url().parse().expect("a URL");
    let options = StreamOptions {
        non_blocking: true,
        ..StreamOptions::new(&url)
    };
    let start = StreamStart::File(start.parse().expect("a position"));
    let (mut source, _stop) = LiveSource::open(&url, &start, options)?;
    let layouts = Tables::layouts();
    let selected: Vec<bool> = layouts.iter().map(|layout| layout.table == table).collect();
    let mut reader = TransactionReader::new(layouts, &selected);
    let mut sink = Rows(0);
    while let Some(event) = source.next_event()? {
        reader.event(&event, &mut sink)?;
    }
    Ok(sink.0)
}

/// Counts rows events.
pub(crate) struct Rows(pub(crate) usize);

impl TransactionSink for Rows {
    fn rows(
        &mut self,
        _table: usize,
        _plan: &Plan,
        _rows: &RowsEvent<'_>,
        _event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        self.0 += 1;
        Ok(())
    }

    fn truncate(&mut self, _table: usize) -> Result<(), Error> {
        Ok(())
    }

    fn touched(&mut self, _touch: Touch) -> Result<(), Error> {
        Ok(())
    }

    fn commit(&mut self, _boundary: Boundary) -> Result<(), Error> {
        Ok(())
    }

    fn abandon(&mut self) {}
}
