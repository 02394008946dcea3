//! Foreign keys that change child rows, which most servers do not log.

use integration::cases::{Case, Servers, run_all};
use integration::harness::Test;
use integration::{Site, rounds, run_in, tests};
use lab::Flavor;
use mirror_runtime::{Error, Mirror, State, Status, TableError, TableStatus};
use mysql::Conn;

pub(crate) const TESTS: &[Test] = tests![
    children_change_with_their_parents_on_three_levels,
    children_of_text_keys_are_the_servers,
    loads_under_cascades_are_right_and_of_the_family_alone,
    a_foreign_key_that_the_code_does_not_know_stops_the_mirror,
    a_child_without_its_parent_is_refused,
];

const TABLES: &[&str] = &["fk_a", "fk_b", "fk_c", "fk_null", "fk_code", "fk_tree"];

/// Parents with children on two levels more: `parents` times 2 times 2 rows.
fn fill(conn: &mut Conn, parents: u32) {
    for table in TABLES.iter().rev() {
        run_in(conn, &format!("DELETE FROM {table} ORDER BY id DESC"));
    }
    for first in (1..=parents).step_by(1000) {
        let ids = || first..=parents.min(first + 999);
        let list = |row: &dyn Fn(u32) -> String| ids().map(row).collect::<Vec<_>>().join(", ");
        let of = |table: &str, rows: String| format!("INSERT INTO {table} VALUES {rows}");
        let a = list(&|id| format!("({id}, {id}, '2031-02-03', 0)"));
        let b = list(&|id| format!("({}, {id}, 0), ({}, {id}, 0)", id * 2, id * 2 + 1));
        let c = list(&|id| {
            let of = |b: u32| format!("({b}, 1, 0), ({b}, 2, 0)");
            format!("{}, {}", of(id * 2), of(id * 2 + 1))
        });
        let null = list(&|id| format!("({id}, {id}, 0)"));
        let code = list(&|id| format!("({id}, {id}, '2031-02-03')"));
        run_all(
            conn,
            &[
                &of("fk_a", a),
                &of("fk_b", b),
                &of("fk_c", c),
                &of("fk_null", null),
                &of("fk_code", code),
            ],
        );
    }
    // MySQL 9.6 and later refuse a cascade over more than 30 rows of one table.
    let tree: Vec<String> = (2..=100).map(|id| format!("({id}, {})", id / 2)).collect();
    let sql = format!("INSERT INTO fk_tree VALUES (1, NULL), {}", tree.join(", "));
    run_in(conn, &sql);
}

fn children_change_with_their_parents_on_three_levels(servers: &Servers, flavor: Flavor) {
    let parents = rounds("hundreds of parents", 2) as u32 * 100;
    for site in servers.all(flavor) {
        for image in ["FULL", "MINIMAL"] {
            let case = Case::on(site, TABLES).expect("every server has foreign keys");
            let mut conn = site.conn();
            run_in(
                &mut conn,
                &format!("SET SESSION binlog_row_image = '{image}'"),
            );
            fill(&mut conn, parents);
            let mirror = case.mirror();
            for sql in [
                "DELETE FROM fk_a WHERE id % 10 = 1",
                "UPDATE fk_a SET id = id + 1000000 WHERE id % 10 = 2 ORDER BY id DESC",
                "UPDATE fk_a SET code = code + 1000000 WHERE id % 10 = 3",
                "UPDATE fk_a SET d = NULL, v = 7 WHERE id % 10 = 4",
                "UPDATE fk_a SET v = v + 1",
                "DELETE FROM fk_b WHERE id % 16 = 6",
                "UPDATE fk_b SET id = id + 1000000 WHERE id % 16 = 9",
                "DELETE FROM fk_tree WHERE id = 30",
                "DELETE FROM fk_tree WHERE id IN (35, 70)",
                "REPLACE INTO fk_a (id, code) VALUES (5, 5)",
                "SET foreign_key_checks = 0",
                "DELETE FROM fk_a WHERE id % 10 = 6",
                "SET foreign_key_checks = 1",
                "UPDATE fk_c SET v = 1",
                "UPDATE fk_null SET v = 1",
            ] {
                run_in(&mut conn, sql);
            }
            run_all(
                &mut conn,
                &[
                    "START TRANSACTION",
                    "DELETE FROM fk_a WHERE id % 10 = 7",
                    "ROLLBACK",
                    "START TRANSACTION",
                    "DELETE FROM fk_a WHERE id % 10 = 8",
                    "INSERT INTO fk_a VALUES (8, 8, '2031-02-03', 0)",
                    "INSERT INTO fk_b VALUES (1, 8, 0)",
                    "COMMIT",
                ],
            );
            let snapshot = case.caught_up(&mirror);
            let what = format!("{}, {image}", site.flavor());
            assert!(!snapshot.fk_c().is_empty(), "{what}");
            case.assert_equals_server(&mirror, &what);
            case.assert_equals_server(&case.mirror(), &what);
            let status = mirror.status();
            assert_eq!(status.reloads, 0, "{what}: {:?}", status.last_reload);
        }
    }
}

/// The tables of a family are loaded again and again, while parents go with their children: in
/// another family, and in the one that is loaded.
fn loads_under_cascades_are_right_and_of_the_family_alone(servers: &Servers, flavor: Flavor) {
    let site = servers.full(flavor);
    let all = [TABLES, &["fk_text", "fk_text_kid"]].concat();
    let case = Case::on(site, &all).expect("every server has foreign keys");
    for (loaded, relative, others) in [
        ("fk_text", "fk_text_kid", TABLES),
        ("fk_a", "fk_c", &["fk_text", "fk_text_kid", "fk_tree"]),
    ] {
        let mut conn = site.conn();
        fill(&mut conn, 100);
        let mirror = case.mirror();
        let turns = load_under_cascades(&mirror, &mut conn, loaded);
        let snapshot = case.caught_up(&mirror);
        assert_eq!(snapshot.fk_a().len(), 100, "{flavor}");
        case.assert_equals_server(&mirror, &flavor.to_string());
        let status = mirror.status();
        let reloads = |name: &str| status_of(&status, name).reloads;
        println!(
            "{flavor}: {} loads of {loaded}, {turns} turns",
            reloads(loaded)
        );
        assert_eq!(reloads(relative), reloads(loaded), "they belong together");
        for table in others {
            assert_eq!(reloads(table), 0, "{table}: {status:?}");
        }
    }
}

fn status_of(status: &Status, name: &str) -> TableStatus {
    let mut tables = status.tables.iter();
    let found = tables.find(|table| table.table.ends_with(&format!(".{name}")));
    found.unwrap().clone()
}

/// Asks for loads of a table, and changes parents until each is there; how often.
fn load_under_cascades(mirror: &Mirror<test_cases::Tables>, conn: &mut Conn, loaded: &str) -> u32 {
    let name = status_of(&mirror.status(), loaded).table;
    let wanted = u64::from(rounds("loads of a family", 6));
    let (mut loads, mut turns) = (0, 0);
    while loads < wanted {
        mirror.reload(&[name.as_str()]).unwrap();
        let is_there = |loads| {
            let status = mirror.status();
            status_of(&status, loaded).reloads > loads && status.state == State::Live
        };
        while !is_there(loads) {
            turns += 1;
            assert!(turns < 100_000, "{:?}", mirror.status());
            let (a, b) = (turns % 100 + 1, (turns % 100 + 1) * 2);
            run_all(
                conn,
                &[
                    &format!("DELETE FROM fk_a WHERE id = {a}"),
                    &format!("INSERT INTO fk_a VALUES ({a}, {a}, '2031-02-03', 0)"),
                    &format!("INSERT INTO fk_b VALUES ({b}, {a}, 0)"),
                    &format!("INSERT INTO fk_c VALUES ({b}, 1, 0)"),
                ],
            );
        }
        loads = status_of(&mirror.status(), loaded).reloads;
    }
    turns
}

/// The server compares text under a collation: only it knows which rows belong together.
fn children_of_text_keys_are_the_servers(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["fk_text", "fk_text_kid"]).expect("every server has text");
        let mut conn = site.conn();
        run_all(
            &mut conn,
            &[
                "DELETE FROM fk_text_kid",
                "DELETE FROM fk_text",
                "INSERT INTO fk_text VALUES ('Abc'), ('d'), ('e')",
                "INSERT INTO fk_text_kid VALUES (1, 'aBC'), (2, 'D'), (3, 'e')",
            ],
        );
        let mirror = case.mirror();
        run_all(
            &mut conn,
            &[
                "DELETE FROM fk_text WHERE k = 'abc'",
                "UPDATE fk_text SET k = 'f' WHERE k = 'd'",
            ],
        );
        let snapshot = case.caught_up(&mirror);
        let held: Vec<_> = snapshot
            .fk_text_kid()
            .iter()
            .map(|row| (row.id, row.k.as_deref()))
            .collect();
        assert_eq!(held, [(2, Some("f")), (3, Some("e"))]);
        case.assert_equals_server(&mirror, "text keys");
    }
}

/// Whether a server logs what foreign keys do, so that a mirror need not know them.
fn logs_cascades(site: &Site) -> bool {
    site.is_mysql() && site.version() >= (9, 6, 0)
}

fn a_foreign_key_that_the_code_does_not_know_stops_the_mirror(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["fk_none"]).expect("every server has foreign keys");
        let mut conn = site.conn();
        let mirror = case.mirror();
        run_in(
            &mut conn,
            "ALTER TABLE fk_none ADD CONSTRAINT unknown_key FOREIGN KEY (a) REFERENCES fk_none (id) ON DELETE CASCADE",
        );
        let ended = case.end_or_caught_up(&mirror);
        run_in(
            &mut conn,
            "ALTER TABLE fk_none DROP FOREIGN KEY unknown_key",
        );
        match ended {
            None => assert!(logs_cascades(site), "{}: it goes on", site.flavor()),
            Some(error) => {
                let text = error.to_string();
                assert!(
                    matches!(error, Error::Table(TableError::Layout { .. })),
                    "{text}"
                );
                for part in ["cases.fk_none", "`unknown_key`", "cargo xtask regenerate"] {
                    assert!(text.contains(part), "{text}");
                }
            }
        }
    }
}

fn a_child_without_its_parent_is_refused(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["fk_b"]).expect("every server has foreign keys");
        let mirror: Mirror<test_cases::Tables> = Mirror::start(case.options()).unwrap();
        let live = mirror.wait_until_live(std::time::Duration::from_secs(20));
        if logs_cascades(site) {
            live.unwrap();
            continue;
        }
        let text = live.unwrap_err().to_string();
        for part in ["cases.fk_b", "`fk_b_a`", "select cases.fk_a too"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
