//! Values in an encoding of their own: character sets, VECTOR, compressed columns and binlogs.

use integration::cases::{Case, Servers, start};
use integration::compressing;
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use mysql::prelude::Queryable;

pub(crate) const TESTS: &[Test] = tests![
    text_of_each_columns_own_character_set_is_decoded,
    vectors_are_mirrored_and_do_not_disturb_others,
    compressed_columns_are_as_without_compression,
    changes_in_a_compressed_binlog_are_applied,
];

fn text_of_each_columns_own_character_set_is_decoded(servers: &Servers, flavor: Flavor) {
    type Texts<'t> = [Option<&'t str>; 7];
    for site in servers.all(flavor) {
        let case = Case::on(site, &["cs_t"]).expect("every server has these character sets");
        case.on_all_paths(
            &["INSERT INTO cs_t VALUES (1,'naïve€','中文','a😀','ab','日本','ß','ü'), (4,'','','','','','','ü')"],
            &[
                "INSERT INTO cs_t SELECT 2, l, g, u, c, s, t3, e FROM cs_t WHERE id = 1",
                "INSERT INTO cs_t VALUES (3,'','','','','','',NULL)",
                "UPDATE cs_t SET l='€éÿ', g='字', u='é', c='ÿ', s='ｱ', t3='€', e='é' WHERE id=4",
            ],
            |snapshot| {
                let rows: Vec<Texts> = snapshot
                    .cs_t()
                    .iter()
                    .map(|row| {
                        let e = row.e.map(|e| e.label());
                        let texts = [&row.l, &row.g, &row.u, &row.c, &row.s, &row.t3];
                        let [l, g, u, c, s, t3] = texts.map(|text| text.as_deref());
                        [l, g, u, c, s, t3, e]
                    })
                    .collect();
                let first = ["naïve€", "中文", "a😀", "ab", "日本", "ß", "ü"].map(Some);
                let third = ["", "", "", "", "", "", "-"].map(|t| Some(t).filter(|t| *t != "-"));
                let fourth = ["€éÿ", "字", "é", "ÿ", "ｱ", "€", "é"].map(Some);
                assert_eq!(rows, [first, first, third, fourth]);
            },
        );
        let stored: (String, String, String, String, String) = site
            .conn()
            .query_first("SELECT HEX(l), HEX(g), HEX(u), HEX(c), HEX(s) FROM cs_t WHERE id = 1")
            .ok()
            .flatten()
            .expect("row 1");
        let expected = [
            "6E61EF766580",
            "D6D0CEC4",
            "0061D83DDE00",
            "00610062",
            "93FA967B",
        ];
        let expected: [String; 5] = expected.map(Into::into);
        assert_eq!(
            <[String; 5]>::from(stored),
            expected,
            "what the test is about"
        );
    }
}

fn vectors_are_mirrored_and_do_not_disturb_others(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let Some(case) = Case::on(site, &["vec_t"]) else {
            return;
        };
        let make = if site.is_mysql() {
            "STRING_TO_VECTOR"
        } else {
            "VEC_FromText"
        };
        let first = format!("INSERT INTO vec_t VALUES (1,{make}('[1.05,-17.8,32]'),7)");
        let second = format!("INSERT INTO vec_t VALUES (3,{make}('[1,2,3]'),9)");
        let other = format!("REPLACE INTO vec_other VALUES (1,{make}('[1,2]'))");
        let update = format!("UPDATE vec_t SET v={make}('[1e-7,3.4e18,-0]') WHERE id = 3");
        case.on_all_paths(
            &[&first, &second],
            &["INSERT INTO vec_t VALUES (2,NULL,8)", &other, &update],
            |snapshot| {
                let rows: Vec<_> = snapshot
                    .vec_t()
                    .iter()
                    .map(|row| (row.v.as_ref().map(|v| v.as_slice().to_vec()), row.tag))
                    .collect();
                let expected = [
                    (Some(vec![1.05, -17.8, 32.0]), Some(7)),
                    (None, Some(8)),
                    (Some(vec![1e-7, 3.4e18, -0.0]), Some(9)),
                ];
                assert_eq!(rows, expected);
            },
        );
    }
}

fn compressed_columns_are_as_without_compression(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let Some(case) = Case::on_mariadb(site, &["mc_t"]) else {
            return;
        };
        case.on_all_paths(
            &[
                "INSERT INTO cases_mariadb.mc_t VALUES (1,REPEAT('ab',200),REPEAT('xy',5000),'',5),
               (2,'short',NULL,0x00,6), (4,'','','',8)",
            ],
            &[
                "INSERT INTO cases_mariadb.mc_t VALUES (3,NULL,'','tiny',7)",
                "UPDATE cases_mariadb.mc_t SET c=REPEAT(0x00,60000), a=REPEAT('é',100) WHERE id=4",
            ],
            |snapshot| {
                let rows: Vec<_> = snapshot
                    .mc_t()
                    .iter()
                    .map(|row| (row.a.as_deref(), row.b.as_deref(), row.c.as_deref(), row.z))
                    .collect();
                let (a, b) = ("ab".repeat(200), "xy".repeat(5000));
                let (last, zeros) = ("é".repeat(100), vec![0; 60_000]);
                let expected = [
                    (Some(&*a), Some(&*b), Some(&[][..]), Some(5)),
                    (Some("short"), None, Some(&[0][..]), Some(6)),
                    (None, Some(""), Some(&b"tiny"[..]), Some(7)),
                    (Some(&*last), Some(""), Some(&zeros[..]), Some(8)),
                ];
                assert_eq!(rows, expected);
            },
        );
    }
}

fn changes_in_a_compressed_binlog_are_applied(_: &Servers, flavor: Flavor) {
    let site = start(flavor, &compressing(flavor));
    if !site.compresses() {
        return;
    }
    let case = Case::on(&site, &["lc_t"]).expect("every server has TEXT");
    case.on_all_paths(
        &["INSERT INTO lc_t VALUES (1,REPEAT('z',2000)),(2,'small')"],
        &[
            "UPDATE lc_t SET v=REPEAT('q',3000) WHERE id=1",
            "DELETE FROM lc_t WHERE id=2",
            "BEGIN",
            "INSERT INTO lc_t VALUES (5,REPEAT('a',60000))",
            "SAVEPOINT a",
            "INSERT INTO lc_t VALUES (6,REPEAT('b',60000))",
            "ROLLBACK TO a",
            "DELETE FROM lc_t WHERE id=5",
            "COMMIT",
        ],
        |snapshot| {
            let rows: Vec<_> = snapshot
                .lc_t()
                .iter()
                .map(|row| (row.id, row.v.as_deref()))
                .collect();
            assert_eq!(rows, [(1, Some(&*"q".repeat(3000)))]);
        },
    );
    let events = integration::compressed_events(&site);
    assert!(!events.is_empty(), "nothing was compressed");
}
