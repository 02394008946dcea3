//! CHAR, BINARY and JSON.

use integration::cases::{Case, Servers};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use mysql::prelude::Queryable;

pub(crate) const TESTS: &[Test] = tests![
    chars_of_256_bytes_and_more_are_whole,
    binary_keys_that_end_in_zeros_are_the_same_on_both_paths,
    opaque_values_in_json_are_shown_as_the_server_shows_them,
    json_of_mariadb_stays_the_text_that_was_written,
];

fn chars_of_256_bytes_and_more_are_whole(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["ch_t"]).expect("every server has CHAR");
        case.on_all_paths(
            &[
                "INSERT INTO ch_t VALUES (1,REPEAT('a',63),REPEAT('é',64),REPEAT('😀',255),
               REPEAT('v',63),REPEAT('w',64),REPEAT(0x41,255),'end'), (2,'','','','','','','end')",
            ],
            &[
                "INSERT INTO ch_t VALUES (3,'x ',' y','z  ','v ','w  ','b ','end'),
                 (4,'','','','','','','end')",
                "UPDATE ch_t SET c63='é', c255=REPEAT('é',127), v64=REPEAT('😀',64) WHERE id = 4",
            ],
            |snapshot| {
                let mut lengths = Vec::new();
                for row in snapshot.ch_t().iter() {
                    assert_eq!(row.tag.as_deref(), Some("end"));
                    let texts = [&row.c63, &row.c64, &row.c255, &row.v63, &row.v64];
                    let bytes = row.b255.as_ref().map_or(0, |bytes| bytes.len());
                    let mut all = texts
                        .map(|text| text.as_ref().map_or(0, |t| t.len()))
                        .to_vec();
                    all.push(bytes);
                    lengths.push(all);
                }
                let expected = [
                    [63, 128, 1020, 63, 64, 255],
                    [0, 0, 0, 0, 0, 255],
                    [1, 2, 1, 2, 3, 255],
                    [2, 0, 254, 0, 256, 255],
                ];
                assert_eq!(lengths, expected);
                let row = snapshot.ch_t().get(3).expect("row 3");
                let texts = [&row.c63, &row.c64, &row.c255, &row.v63, &row.v64];
                let texts = texts.map(|text| text.as_deref().unwrap_or_default());
                assert_eq!(texts, ["x", " y", "z", "v ", "w  "]);
                let mut padded = b"b ".to_vec();
                padded.resize(255, 0);
                assert_eq!(row.b255.as_deref(), Some(&padded[..]));
                let widest = snapshot.ch_t().get(1).and_then(|row| row.c255.as_deref());
                assert_eq!(widest, Some(&*"😀".repeat(255)));
            },
        );
    }
}

fn binary_keys_that_end_in_zeros_are_the_same_on_both_paths(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["bin_t"]).expect("every server has BINARY");
        case.on_all_paths(
            &[
                "INSERT INTO bin_t VALUES (0x01020000,0x01020000,'ab',1),(0x00000000,0x00,'',2),
               (0x01000000,'','x ',4)",
            ],
            &[
                "UPDATE bin_t SET n=10 WHERE k=0x01020000",
                "DELETE FROM bin_t WHERE k=0x00000000",
            ],
            |snapshot| {
                let table = snapshot.bin_t();
                assert_eq!(table.len(), 2);
                let row = table.get(&[1, 0, 0, 0]).expect("key 01000000");
                assert_eq!(
                    (row.v.as_deref(), row.c.as_deref(), row.n),
                    (Some(&[][..]), Some("x"), Some(4))
                );
                let row = table.get(&[1, 2, 0, 0]).expect("key 01020000");
                assert_eq!(
                    (row.v.as_deref(), row.n),
                    (Some(&[1, 2, 0, 0][..]), Some(10))
                );
                assert!(table.get(&[1, 2]).is_none() && table.get(&[0; 4]).is_none());
            },
        );
    }
}

fn opaque_values_in_json_are_shown_as_the_server_shows_them(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let Some(case) = Case::on(site, &["jo_t"]) else {
            return;
        };
        case.on_all_paths(
            &[
                "INSERT INTO jo_t VALUES
                 (1, JSON_OBJECT('d', CAST(1.99 AS DECIMAL(3,2)), 'n', CAST(-105.0000000000 AS DECIMAL(20,10)),
                     'big', CAST('12345678901234567890123456789012345.5' AS DECIMAL(40,1)))),
                 (2, JSON_OBJECT('t0', CAST('00:00:00' AS TIME), 't', CAST('-01:02:03.5' AS TIME(6)),
                     'dt', CAST('2031-02-03 04:05:06' AS DATETIME), 'day', CAST('2031-02-03' AS DATE))),
                 (6, JSON_ARRAY(1))",
            ],
            &[
                "INSERT INTO jo_t VALUES (3, JSON_OBJECT('b', x'00ff', 'bit', b'101')),
                 (4, CAST('null' AS JSON)), (5, NULL)",
                "UPDATE jo_t SET j = JSON_ARRAY(CAST('838:59:59' AS TIME), CAST('-838:59:59' AS TIME),
                 CAST('9999-12-31' AS DATE), CAST(0 AS DECIMAL(5,0)), CAST(-7 AS DECIMAL(5,0))) WHERE id = 6",
            ],
            |snapshot| {
                let held: Vec<(i32, Option<String>)> = snapshot
                    .jo_t()
                    .iter()
                    .map(|row| (row.id, row.j.as_ref().map(ToString::to_string)))
                    .collect();
                let mut conn = site.conn();
                let server: Vec<(i32, Option<String>)> = conn
                    .query("SELECT id, CAST(j AS CHAR) FROM jo_t ORDER BY id")
                    .expect("the server's text");
                assert_eq!(held, server);
                let text = |id: i32| held.iter().find(|row| row.0 == id).and_then(|row| row.1.clone());
                for part in [
                    "1.99",
                    "-105.0000000000",
                    "12345678901234567890123456789012345.5",
                ] {
                    assert!(text(1).is_some_and(|text| text.contains(part)), "{part}: {held:?}");
                }
                for part in [
                    "\"00:00:00.000000\"",
                    "\"-01:02:03.500000\"",
                    "\"2031-02-03 04:05:06.000000\"",
                    "\"2031-02-03\"",
                ] {
                    assert!(text(2).is_some_and(|text| text.contains(part)), "{part}: {held:?}");
                }
                assert!(text(3).is_some_and(|text| text.contains("base64:type15:AP8=")), "{held:?}");
                assert_eq!(text(4).as_deref(), Some("null"));
                assert_eq!(text(5), None);
            },
        );
    }
}

fn json_of_mariadb_stays_the_text_that_was_written(servers: &Servers, flavor: Flavor) {
    const TEXT: &str = r#"{"a": 1,   "a":2, "big":18446744073709551615}"#;
    for site in servers.all(flavor) {
        let Some(case) = Case::on_mariadb(site, &["mj_t"]) else {
            return;
        };
        let shown: (String, String) = site
            .conn()
            .query_first("SHOW CREATE TABLE cases_mariadb.mj_t")
            .ok()
            .flatten()
            .expect("the definition");
        assert!(shown.1.contains("CHECK (json_valid(`j`))"), "{}", shown.1);
        let insert = format!("INSERT INTO cases_mariadb.mj_t VALUES (1,'{TEXT}'), (4,'\"x\"')");
        case.on_all_paths(
            &[&insert],
            &[
                "INSERT INTO cases_mariadb.mj_t VALUES (2,'[1.0,  1e2,null]'),(3,NULL)",
                "UPDATE cases_mariadb.mj_t SET j='{ }' WHERE id=4",
            ],
            |snapshot| {
                let texts: Vec<Option<&str>> =
                    snapshot.mj_t().iter().map(|row| row.j.as_deref()).collect();
                let expected = [Some(TEXT), Some("[1.0,  1e2,null]"), None, Some("{ }")];
                assert_eq!(texts, expected);
            },
        );
    }
}
