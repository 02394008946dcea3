//! Rows without a primary key, and text keys under collations.

use integration::cases::{Case, Servers, run_all};
use integration::harness::Test;
use integration::run_in;
use integration::tests;
use lab::Flavor;

pub(crate) const TESTS: &[Test] = tests![
    rows_are_told_apart_by_a_unique_key_without_nulls,
    text_keys_are_the_stored_bytes,
];

fn rows_are_told_apart_by_a_unique_key_without_nulls(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["uqpk"]).expect("every server has unique keys");
        case.on_all_paths(
            &["INSERT INTO uqpk VALUES (1,'x',NULL,1),(1,'x',NULL,2),(2,'y',NULL,1)"],
            &[
                "INSERT INTO uqpk VALUES (3,'w',NULL,3)",
                "DELETE FROM uqpk WHERE k=1 ORDER BY u LIMIT 1",
                "UPDATE uqpk SET v='z', u=u+10 WHERE k=1 LIMIT 1",
            ],
            |snapshot| {
                let table = snapshot.uqpk();
                assert_eq!(table.len(), 3);
                let value = |u, k| table.get(u, k).and_then(|row| row.v.as_deref());
                assert_eq!(value(1, 2), Some("y"));
                assert_eq!(value(3, 3), Some("w"));
                assert_eq!(value(12, 1), Some("z"));
                assert_eq!((value(1, 1), value(2, 1)), (None, None));
            },
        );
    }
}

fn text_keys_are_the_stored_bytes(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        for image in ["FULL", "MINIMAL"] {
            let case = Case::on(site, &["ci_t", "bi_t"]).expect("every server has collations");
            let mut conn = site.conn();
            run_in(
                &mut conn,
                &format!("SET SESSION binlog_row_image = '{image}'"),
            );
            run_all(
                &mut conn,
                &[
                    "DELETE FROM bi_t",
                    "INSERT INTO ci_t VALUES ('Abc',1)",
                    "INSERT INTO bi_t VALUES ('Abc',1),('abc',2)",
                ],
            );
            let mirror = case.mirror();
            run_all(
                &mut conn,
                &[
                    "INSERT INTO ci_t VALUES ('ABC',2) ON DUPLICATE KEY UPDATE n=2",
                    "UPDATE ci_t SET k='aBC ' WHERE k='ABC'",
                ],
            );
            let snapshot = case.caught_up(&mirror);
            let held: Vec<_> = snapshot.ci_t().iter().map(|row| (&*row.k, row.n)).collect();
            assert_eq!(held, [("aBC ", Some(2))]);
            // Look-ups compare bytes (docs/types.md, "Keys").
            assert!(snapshot.ci_t().get("abc").is_none());
            assert!(snapshot.ci_t().get("aBC ").is_some());
            let bytes: Vec<_> = snapshot.bi_t().iter().map(|row| (&*row.k, row.n)).collect();
            assert_eq!(bytes, [("Abc", Some(1)), ("abc", Some(2))]);
            case.assert_equals_server(&mirror, image);

            run_in(&mut conn, "DELETE FROM ci_t WHERE k='ábc'");
            for mirror in [mirror, case.mirror()] {
                let snapshot = case.caught_up(&mirror);
                assert!(snapshot.ci_t().is_empty());
                assert_eq!(snapshot.bi_t().len(), 2);
                assert_eq!(mirror.status().reloads, 0);
            }
        }
    }
}
