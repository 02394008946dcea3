//! Generated and invisible columns, defaults that are expressions, and partial row images.

use integration::cases::{Case, Servers, run_all};
use integration::harness::Test;
use integration::run_in;
use integration::tests;
use lab::Flavor;
use mirror_runtime::Decimal;

pub(crate) const TESTS: &[Test] = tests![
    generated_columns_shift_nothing,
    invisible_columns_are_mirrored_also_as_the_key,
    absent_columns_keep_their_value_and_get_their_default,
    defaults_of_every_type_are_the_servers,
    a_replace_leaves_nothing_of_the_row_that_it_meets,
    rows_that_a_trigger_replaces_are_loaded_again,
    columns_behind_versioned_comments_are_found,
    rows_with_expression_defaults_are_the_servers,
];

fn generated_columns_shift_nothing(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let Some(case) = Case::on(site, &["gen_t"]) else {
            return;
        };
        // MariaDB leaves generated columns out of some images.
        let case = case.with_reloads(!site.is_mysql());
        case.on_all_paths(
            &["INSERT INTO gen_t (id,qty,u,tag) VALUES (1,21,255,'end'),(2,NULL,200,'end')"],
            &[
                "UPDATE gen_t SET qty=5 WHERE id=1",
                "INSERT INTO gen_t (id,qty,u,tag) VALUES (3,-1,0,NULL)",
                "UPDATE gen_t SET u=1 WHERE id=3",
            ],
            |snapshot| {
                let rows: Vec<_> = snapshot
                    .gen_t()
                    .iter()
                    .map(|row| {
                        (
                            row.qty,
                            row.vg,
                            row.u,
                            row.sg.as_deref(),
                            row.tag.as_deref(),
                        )
                    })
                    .collect();
                let expected = [
                    (Some(5), Some(10), Some(255), Some("q5"), Some("end")),
                    (None, None, Some(200), None, Some("end")),
                    (Some(-1), Some(-2), Some(1), Some("q-1"), None),
                ];
                assert_eq!(rows, expected);
            },
        );
    }
}

fn invisible_columns_are_mirrored_also_as_the_key(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        if site.is_mysql() && site.version() < (8, 0, 23) {
            return site.does_not_apply("it has no invisible columns");
        }
        let case = Case::on(site, &["inv_t", "invpk"]).expect("it has invisible columns");
        case.on_all_paths(
            &[
                "INSERT INTO inv_t VALUES (1,11)",
                "INSERT INTO invpk (v) VALUES (5)",
            ],
            &[
                "INSERT INTO inv_t (a,hid,b) VALUES (2,'shh',22)",
                "INSERT INTO invpk (v) VALUES (5)",
            ],
            |snapshot| {
                let rows: Vec<_> = snapshot
                    .inv_t()
                    .iter()
                    .map(|row| (row.a, row.hid.as_deref(), row.b))
                    .collect();
                assert_eq!(
                    rows,
                    [(1, Some("h0"), Some(11)), (2, Some("shh"), Some(22))]
                );
                let values: Vec<_> = snapshot.invpk().iter().map(|row| row.v).collect();
                assert_eq!(values, [Some(5), Some(5)]);
            },
        );
    }
}

fn absent_columns_keep_their_value_and_get_their_default(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["img_t"]).expect("every server has these types");
        // A server may not tell the defaults of a table that is empty.
        let case = case.with_reloads(true);
        case.on_all_paths(
            &["INSERT INTO img_t (id,a,c) VALUES (1,4,'keep me')"],
            &[
                "UPDATE img_t SET a=44 WHERE id=1",
                "INSERT INTO img_t (id) VALUES (2)",
                "UPDATE img_t SET a=NULL WHERE id=1",
            ],
            |snapshot| {
                let rows: Vec<_> = snapshot
                    .img_t()
                    .iter()
                    .map(|row| (row.id, row.a, row.b, row.c.as_deref(), row.e1, row.e4))
                    .collect();
                let expected = [
                    (1, None, 7, Some("keep me"), None, None),
                    (2, None, 7, None, None, None),
                ];
                assert_eq!(rows, expected);
            },
        );
    }
}

fn defaults_of_every_type_are_the_servers(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["img2_t"]).expect("every server has these types");
        // A server may not tell the defaults of a table that is empty.
        let case = case.with_reloads(true);
        case.on_all_paths(
            &["INSERT INTO img2_t (id,nn) VALUES (1,1)"],
            &[
                "INSERT INTO img2_t (id) VALUES (2)",
                "UPDATE img2_t SET nn=5 WHERE id=1",
                "UPDATE img2_t SET id=3 WHERE id=2",
            ],
            |snapshot| {
                assert_eq!(snapshot.img2_t().len(), 2);
                for (id, nn) in [(1, 5), (3, 0)] {
                    let row = snapshot.img2_t().get(id).expect("the row");
                    assert_eq!((row.nn, &*row.s, row.ye), (nn, "a'b", Some(2031)));
                    assert_eq!(row.de, Decimal::new(-1500, 3));
                    assert_eq!((row.en.label(), row.se.map(|se| se.bits())), ("y", Some(3)));
                    assert_eq!((row.bi, row.bn.as_deref()), (Some(5), Some(&b"z\0\0"[..])));
                    assert_eq!(row.da.map(|da| da.to_string()), Some("2031-02-03".into()));
                    assert_eq!(row.ti.map(|ti| ti.as_micros()), Some(-1_500_000));
                    assert_eq!((row.fl, row.ub), (Some(0.1), Some(u64::MAX)));
                    assert_eq!(row.ts.as_micros(), Some(1_927_857_906_000_000));
                    assert_eq!(row.l.as_deref(), Some("é"));
                }
            },
        );
    }
}

/// MariaDB logs such a REPLACE as an update without the columns that the statement leaves out.
fn a_replace_leaves_nothing_of_the_row_that_it_meets(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["rep_t"]).expect("every server has these types");
        case.on_all_paths(
            &["INSERT INTO rep_t VALUES (1,4,4,'old',4),(2,5,5,'old',5),(3,6,6,'old',6)"],
            &[
                "REPLACE INTO rep_t (id,a) VALUES (1,1)",
                "/* REPLACE */ UPDATE rep_t SET a=55 WHERE id=2",
                "REPLACE rep_t SET id=2",
                "INSERT INTO rep_t (id) VALUES (3) ON DUPLICATE KEY UPDATE e=9",
            ],
            |snapshot| {
                let rows: Vec<_> = snapshot
                    .rep_t()
                    .iter()
                    .map(|row| (row.id, row.a, row.b, row.c.as_deref(), row.e))
                    .collect();
                let expected = [
                    (1, Some(1), 7, None, None),
                    (2, None, 7, None, None),
                    (3, Some(6), 6, Some("old"), Some(9)),
                ];
                assert_eq!(rows, expected);
            },
        );
    }
}

/// Nothing in the log tells whether the trigger changed the row or put another in its place.
fn rows_that_a_trigger_replaces_are_loaded_again(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["trg_t"]).expect("every server has these types");
        let mut conn = site.conn();
        run_all(
            &mut conn,
            &[
                "SET SESSION binlog_row_image = 'NOBLOB'",
                "DELETE FROM trg_t",
                "INSERT INTO trg_t VALUES (1,1,'old')",
                "CREATE TABLE trg_other (id INT PRIMARY KEY, b INT)",
                "INSERT INTO trg_other VALUES (1,1)",
                "CREATE TRIGGER trg_replaces BEFORE UPDATE ON trg_other FOR EACH ROW
                   REPLACE INTO trg_t (id,a) VALUES (1,NEW.b)",
            ],
        );
        let mirror = case.mirror();
        run_all(&mut conn, &["UPDATE trg_other SET b=2"]);
        let snapshot = case.caught_up(&mirror);
        let row = snapshot.trg_t().get(1).expect("the row");
        assert_eq!((row.a, row.c.as_deref()), (Some(2), None));
        case.assert_equals_server(&mirror, "a trigger");
        let reason = mirror.status().last_reload.unwrap_or_default();
        assert_eq!(
            reason.contains("may be a REPLACE"),
            !site.is_mysql(),
            "{reason}"
        );
        run_in(&mut conn, "DROP TABLE trg_other");
    }
}

fn columns_behind_versioned_comments_are_found(servers: &Servers, flavor: Flavor) {
    // MariaDB has one column more than MySQL: only names tell them apart.
    let site = servers.full(flavor);
    let case = Case::on(site, &["vc_t"]).expect("every server has comments");
    let update = if site.is_mysql() {
        "UPDATE vc_t SET d=9 WHERE a=1"
    } else {
        "UPDATE vc_t SET c=8, d=9 WHERE a=1"
    };
    case.on_all_paths(
        &["INSERT INTO vc_t (a,b,d) VALUES (1,2,3)"],
        &["INSERT INTO vc_t (a,b,d) VALUES (2,NULL,4)", update],
        |snapshot| {
            let rows: Vec<_> = snapshot
                .vc_t()
                .iter()
                .map(|row| (row.a, row.b, row.d))
                .collect();
            assert_eq!(rows, [(1, Some(2), Some(9)), (2, None, Some(4))]);
        },
    );
}

fn rows_with_expression_defaults_are_the_servers(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let Some(case) = Case::on(site, &["dx_t"]) else {
            return;
        };
        // MariaDB leaves generated columns out of some images.
        let case = case.with_reloads(!site.is_mysql());
        case.on_all_paths(
            &["INSERT INTO dx_t (id,st) VALUES (1,'a')"],
            &[
                "INSERT INTO dx_t (id,st,n) VALUES (2,'b)',5),(3,NULL,NULL)",
                "UPDATE dx_t SET st='b)' WHERE id=1",
                "UPDATE dx_t SET n=7 WHERE id=2",
            ],
            |snapshot| {
                for (id, st, n, g) in [
                    (1, Some("b)"), Some(-1), Some(0)),
                    (2, Some("b)"), Some(7), Some(16)),
                    (3, None, None, None),
                ] {
                    let row = snapshot.dx_t().get(id).expect("the row");
                    assert_eq!((row.st.as_deref(), row.n, row.g), (st, n, g), "row {id}");
                    assert_eq!(row.d, Some(Decimal::new(0, 2)));
                    assert_eq!((row.b, row.y), (Some(5), Some(2031)));
                    assert_eq!(row.bin.as_deref(), Some(&b"a\0b"[..]));
                    let ex = row.ex.as_deref().unwrap_or_default();
                    assert!(ex.starts_with('(') && ex.len() == 38, "{ex}");
                    assert!(row.dt.is_some_and(|day| day.year() > 2000));
                }
            },
        );
    }
}
