//! Rows are told apart and asked for by keys of every type.

use std::collections::BTreeSet;

use integration::cases::{Case, Generated, start};
use integration::{Site, World, on_both_servers, run_in};
use lab::{Flavor, ServerOptions};
use mirror_runtime::{DifferenceKind, Mirror, VerifyOptions};

use crate::support::{found, small_pages, unlogged};
use crate::{assert_equal, verify};

on_both_servers!(
    rows_of_one_side_are_named_whatever_the_key,
    text_keys_that_the_server_takes_for_equal_are_told_apart,
    rows_are_found_by_keys_of_every_type,
);

/// Pages of one row, of some, and of all.
const PAGES: [u64; 3] = [1, 2, 100];

fn rows_of_one_side_are_named_whatever_the_key(flavor: Flavor) {
    let world = World::start(flavor);
    let mut conn = world.conn();
    for sql in [
        "INSERT INTO key_composite VALUES (1,'a','2031-01-01',1,NULL,1),(1,'a','2031-01-02',2,NULL,1),
         (1,'B','2031-01-01',3,NULL,1),(-5,'','2031-01-01',4,NULL,1),(7,'z','0000-00-00',5,NULL,1)",
        "INSERT INTO key_text (name,n) VALUES ('',1),('a',1),('A',1),('ä',1),('😀',1),('z',1),('it''s',1)",
        "INSERT INTO fire_b VALUES (x'',1,NULL),(x'00',1,NULL),(x'0000',1,NULL),(x'ff',1,NULL)",
        "INSERT INTO fire_c VALUES (1,1,1,NULL),(1,2,1,NULL),(2,-1,1,NULL),(3,0,1,NULL)",
        "INSERT INTO plain_log VALUES (1,'one'),(2,'two'),(3,'three')",
    ] {
        run_in(&mut conn, sql);
    }
    let mirror = world.mirror();
    world.catch_up(&mirror);
    for rows in PAGES {
        let report = verify(&world, &mirror, &small_pages(rows));
        assert_equal(&world, &report, &format!("pages of {rows}"));
    }
    unlogged(&mut conn);
    for sql in [
        "DELETE FROM key_composite WHERE part = 1 AND code = 'B'",
        "INSERT INTO key_composite VALUES (9,'x','2031-01-01',9,NULL,1)",
        "UPDATE key_text SET name = 'b' WHERE name = 'a'",
        "DELETE FROM key_text WHERE name = '😀'",
        "DELETE FROM fire_b WHERE k IN (x'', x'ff')",
        "INSERT INTO fire_b VALUES (x'0001',1,NULL)",
        "UPDATE fire_c SET y = 9 WHERE x = 1 AND y = 2",
        "DELETE FROM plain_log WHERE id = 3",
    ] {
        run_in(&mut conn, sql);
    }
    let mirror_only = [
        r#"part=1, code="B", day="2031-01-01""#,
        r#"name="a""#,
        r#"name="😀""#,
        "k=0x",
        "k=0xff",
        "x=1, y=2",
        "id=3",
    ];
    let server_only = [
        r#"part=9, code="x", day="2031-01-01""#,
        r#"name="b""#,
        "k=0x0001",
        "x=1, y=9",
    ];
    for rows in PAGES {
        let report = verify(&world, &mirror, &small_pages(rows));
        let keys = |kind: DifferenceKind| -> BTreeSet<String> {
            let of_kind = found(&report).filter(|(_, one)| one.kind == kind);
            of_kind.map(|(_, one)| one.key).collect()
        };
        let set = |keys: &[&str]| keys.iter().map(ToString::to_string).collect();
        assert_eq!(
            keys(DifferenceKind::OnlyInMirror),
            set(&mirror_only),
            "{rows}"
        );
        assert_eq!(
            keys(DifferenceKind::OnlyOnServer),
            set(&server_only),
            "{rows}"
        );
        assert_eq!(report.differences(), 11, "{report}");
    }
    // A table that the server emptied behind the mirror's back.
    run_in(&mut conn, "DELETE FROM key_text");
    let options = VerifyOptions {
        tables: Some(vec!["mirror_test.key_text".into()]),
        ..small_pages(2)
    };
    let report = verify(&world, &mirror, &options);
    assert_eq!((report.differences(), report.rows()), (7, 0), "{report}");
}

fn text_keys_that_the_server_takes_for_equal_are_told_apart(flavor: Flavor) {
    let site = start(flavor, &ServerOptions::new());
    let case = Case::on(&site, &["ci_t", "uqpk", "bin_t", "vc_t"]).expect("every server has these");
    for sql in [
        "INSERT INTO ci_t VALUES ('a',1),('B',2),('c',3),('D',4),('ä2',5),('ß',6),('Z',7),('_',8)",
        "INSERT INTO uqpk VALUES (1,'x',NULL,5),(2,'y',1,5),(1,'z',2,3)",
        "INSERT INTO bin_t VALUES (0x01020000,'','',1),(0,'','',2),(0xff,'','',3)",
    ] {
        site.run(sql);
    }
    let mirror = case.mirror();
    let _ = case.caught_up(&mirror);
    for rows in PAGES {
        let report = mirror.verify(&small_pages(rows)).unwrap();
        assert!(report.is_equal(), "{flavor}: {report}");
    }
    let mut conn = site.conn();
    unlogged(&mut conn);
    run_in(&mut conn, "UPDATE ci_t SET k = 'A' WHERE k = 'a'");
    run_in(&mut conn, "DELETE FROM ci_t WHERE k = 'Z'");
    run_in(&mut conn, "UPDATE ci_t SET n = 40 WHERE k = 'd'");
    run_in(&mut conn, "UPDATE uqpk SET v = 'q' WHERE u = 3");
    for rows in PAGES {
        let report = mirror.verify(&small_pages(rows)).unwrap();
        let mut lines: Vec<String> = found(&report).map(|(_, one)| one.to_string()).collect();
        lines.sort();
        let expected = [
            r#"k="A": only on the server"#,
            r#"k="D": differs in n"#,
            r#"k="Z": only in the mirror"#,
            r#"k="a": only in the mirror"#,
            "u=3, k=1: differs in v",
        ];
        assert_eq!(lines, expected, "{flavor}");
    }
}

fn rows_are_found_by_keys_of_every_type(flavor: Flavor) {
    let site = start(flavor, &ServerOptions::new());
    let tables = [
        "k_numbers",
        "k_floats",
        "k_times",
        "k_labels",
        "k_texts",
        "k_latin",
    ];
    let case = Case::on(&site, &tables).expect("every server has these");
    for sql in [
        "INSERT INTO k_numbers VALUES
         (12345678901234567890123456789012345.123456789012345678901234567891, 1.00001, 5, 2031, 1),
         (12345678901234567890123456789012345.123456789012345678901234567892, 1.00001, 5, 2031, 1),
         (-0.1, 0, 0, 0, 1), (0, 999999999999999.99999, 8589934591, 2155, 1), (0, -1, 1, 1901, 1)",
        "INSERT INTO k_floats VALUES (0.1, 0.1, 1), (1e308, 3.4e38, 1), (-5e-324, 1.5, 1), (0, 0, 1),
         (1e16 + 2, 16777217, 1)",
        "INSERT INTO k_times VALUES ('2031-02-31', '2031-02-03 04:05:06.123456', '2031-02-03 04:05:06.1', '-838:59:59', 1),
         ('0000-00-00', '0000-00-00', '1970-01-01 00:00:01', '838:59:59', 1),
         ('2031-00-00', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07', '-00:00:00.001', 1),
         ('2031-00-00', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07', '00:00:00.001', 1)",
        "INSERT INTO k_labels VALUES ('z','',1), ('b','x',1), ('','x,y',1), ('7','1',1), ('z','y,1',1)",
        "INSERT INTO k_texts VALUES ('é', _sjis 0x8394, 'a', 1), ('€', _sjis 0x835C, 'ä', 1),
         ('', '', '', 1), ('é', _sjis 0x8395, '😀', 1), ('a''b', 'x', 'y z', 1)",
        "INSERT INTO k_latin VALUES ('é', 1), ('€', 1), ('', 1), ('zz', 1), (_latin1 0x81, 1)",
    ] {
        site.run(sql);
    }
    are_found_by_key(&site, &case.mirror(), "cases", &tables);

    let tables = ["k_ids", "k_uuids"];
    let Some(case) = Case::on_mariadb(&site, &tables) else {
        return;
    };
    for sql in [
        "INSERT INTO cases_mariadb.k_ids VALUES
         ('00112233-4455-6677-8899-aabbccddeeff', '::ffff:1.2.3.4', '1.2.3.4', 1),
         ('ffffffff-ffff-1fff-bfff-ffffffffffff', '2001:db8::1', '255.255.255.255', 1),
         ('00000000-0000-0000-0000-000000000000', '::', '0.0.0.0', 1)",
        "INSERT INTO cases_mariadb.k_uuids VALUES ('00112233-4455-1677-8899-aabbccddeeff', 1),
         ('f0112233-4455-1677-8899-aabbccddeeff', 1), ('10112233-4455-4677-8899-aabbccddeeff', 1),
         ('20112233-4455-7677-0899-aabbccddeeff', 1)",
    ] {
        site.run(sql);
    }
    are_found_by_key(&site, &case.mirror(), "cases_mariadb", &tables);
}

/// All rows of these tables agree; and when each was changed or deleted behind the mirror's back,
/// each is named as that, so that each is found by its key.
fn are_found_by_key<S: Generated>(
    site: &Site,
    mirror: &Mirror<S>,
    database: &str,
    tables: &[&str],
) {
    let flavor = site.flavor();
    let mut conn = site.conn();
    unlogged(&mut conn);
    for table in tables {
        let options = |page_rows| VerifyOptions {
            tables: Some(vec![format!("{database}.{table}")]),
            ..small_pages(page_rows)
        };
        let kinds = |page_rows: u64| {
            let report = mirror.verify(&options(page_rows)).unwrap();
            assert_eq!(report.not_compared(), 0, "{flavor}, {table}: {report}");
            let kinds: Vec<DifferenceKind> = found(&report).map(|(_, one)| one.kind).collect();
            (report.rows(), kinds, report)
        };
        let (rows, ..) = kinds(100);
        assert!(rows >= 3, "{table}");
        for pages in PAGES {
            let (compared, found, report) = kinds(pages);
            assert_eq!(
                (compared, found.len()),
                (rows, 0),
                "{flavor}, {table}: {report}"
            );
        }
        run_in(&mut conn, &format!("UPDATE {database}.{table} SET n = 2"));
        for pages in PAGES {
            let (_, found, report) = kinds(pages);
            let expected = vec![DifferenceKind::Columns(vec!["n"]); rows as usize];
            assert_eq!(found, expected, "{flavor}, {table}: {report}");
        }
        run_in(&mut conn, &format!("DELETE FROM {database}.{table}"));
        for pages in PAGES {
            let (_, found, report) = kinds(pages);
            let expected = vec![DifferenceKind::OnlyInMirror; rows as usize];
            assert_eq!(found, expected, "{flavor}, {table}: {report}");
        }
    }
}
