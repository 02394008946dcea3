use super::*;

const LAYOUT: TableLayout = TableLayout {
    database: "d",
    table: "t",
    columns: &[],
    key: &[],
    physical_columns: 0,
    old_fractions: &[],
    foreign_keys: &[],
    ignored_foreign_keys: &[],
};
const OTHER: TableLayout = TableLayout {
    database: "d2",
    table: "na me",
    ..LAYOUT
};

fn at(offset: u64) -> BinlogPosition {
    BinlogPosition::new("b.000001", offset)
}

/// Takes statements with the default database `d`; what the last one reaches.
fn meet(reach: &mut Reach, statements: &[&str]) -> Option<Reached> {
    let met = statements
        .iter()
        .map(|sql| reach.meet(sql.as_bytes(), "d", &at(100), false));
    met.last().unwrap()
}

fn learned(definitions: &[&str]) -> Reach {
    let mut reach = Reach::new(&[&LAYOUT, &OTHER]);
    for definition in definitions {
        assert_eq!(meet(&mut reach, &[definition]), None, "{definition}");
    }
    reach
}

fn reached(definitions: &[&str], statement: &str) -> Option<(Vec<usize>, String)> {
    let reached = meet(&mut learned(definitions), &[statement])?;
    Some((reached.tables, reached.kind))
}

#[test]
fn each_way_to_a_mirrored_table_is_followed_and_named() {
    let view = "CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`%` SQL SECURITY DEFINER VIEW `v` AS \
                SELECT * FROM t";
    let trigger =
        "CREATE TRIGGER g AFTER INSERT ON x FOR EACH ROW INSERT INTO d2.`na me` VALUES (1)";
    let function = "CREATE FUNCTION f(a INT) RETURNS INT BEGIN UPDATE t SET n = 1; RETURN 1; END";
    for (definitions, statement, tables, kind) in [
        (
            &[view][..],
            "INSERT INTO v VALUES (1)",
            0,
            "INSERT through view d.v",
        ),
        (
            &[view],
            "/* c */ update D.V set n = 1",
            0,
            "UPDATE through view d.v",
        ),
        (
            &[view],
            "LOAD DATA INFILE 'f' INTO TABLE v",
            0,
            "LOAD through view d.v",
        ),
        (
            &[view],
            "SET STATEMENT a=1 FOR DELETE FROM v",
            0,
            "DELETE through view d.v",
        ),
        (
            &[trigger],
            "INSERT INTO x VALUES (1)",
            1,
            "INSERT through a trigger of d.x",
        ),
        (
            &[function],
            "SELECT `d`.`f`(1)",
            0,
            "SELECT through function d.f",
        ),
        (&[function], "DO f(1)", 0, "DO through function d.f"),
        (
            &[function],
            "INSERT INTO y VALUES (f (1))",
            0,
            "INSERT through function d.f",
        ),
        (
            &[function],
            "CREATE TABLE IF NOT EXISTS y AS SELECT f(1)",
            0,
            "SELECT of a CREATE TABLE through function d.f",
        ),
        (
            &[trigger, "RENAME TABLE x TO y"],
            "INSERT INTO y VALUES (1)",
            1,
            "INSERT through d.y, as it was renamed,",
        ),
        (
            &[trigger, "ALTER TABLE x ADD COLUMN c INT, RENAME AS y"],
            "INSERT INTO y VALUES (1)",
            1,
            "INSERT through d.y, as it was renamed,",
        ),
        (
            &["SET STATEMENT a='FOR', b=1 FOR CREATE VIEW w AS SELECT * FROM t"],
            "DELETE FROM w",
            0,
            "DELETE through view d.w",
        ),
        (
            &[view, "CREATE VIEW d3.w AS SELECT 1 FROM v"],
            "DELETE FROM d3.w",
            0,
            "DELETE through view d3.w",
        ),
        (
            &[
                "CREATE TRIGGER d3.g BEFORE DELETE ON x FOR EACH ROW CALL p()",
                "CREATE PROCEDURE d3.p() DELETE FROM d.t",
            ],
            "DELETE FROM d3.x",
            0,
            "DELETE through a trigger of d3.x",
        ),
        (
            &[
                "CREATE OR REPLACE PACKAGE BODY k AS FUNCTION g RETURN INT AS BEGIN DELETE FROM t; END; END",
            ],
            "SELECT d.k.g()",
            0,
            "SELECT through package d.k",
        ),
    ] {
        let found = reached(definitions, statement);
        assert_eq!(found, Some((vec![tables], kind.to_owned())), "{statement}");
    }
}

#[test]
fn statements_that_reach_nothing_are_passed_over() {
    let definitions = [
        "CREATE VIEW v AS SELECT * FROM t",
        "CREATE VIEW w AS SELECT * FROM u",
        "CREATE TRIGGER g AFTER INSERT ON x FOR EACH ROW INSERT INTO u VALUES (1)",
        "CREATE FUNCTION f(a INT) RETURNS INT RETURN (SELECT MAX(n) FROM t)",
        "CREATE PROCEDURE p() DELETE FROM t",
        "CREATE FUNCTION h(a INT) RETURNS INT RETURN a",
    ];
    for statement in [
        "INSERT INTO u VALUES (1, 'v')",
        "INSERT INTO x VALUES (1)",
        "INSERT INTO w VALUES (h(1))",
        "INSERT INTO d3.v VALUES (1)",
        "UPDATE u SET f = 1, p = 2",
        "INSERT INTO t VALUES (1)",
        "CALL p()",
        "CREATE TABLE v2 (v INT)",
        "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO INSERT INTO v SELECT 1 FROM t",
        "DROP VIEW v",
        "ANALYZE TABLE v",
        "REPAIR TABLE v",
        "SET PASSWORD = 'v'",
        "GRANT SELECT ON v TO f",
    ] {
        assert_eq!(reached(&definitions, statement), None, "{statement}");
    }
}

#[test]
fn what_other_sql_modes_read_differently_counts_with_every_name_in_it() {
    let view = "CREATE VIEW v AS SELECT '\\' FROM x' FROM t";
    let found = reached(&[view], "INSERT INTO v VALUES (1)");
    assert_eq!(found.map(|(tables, _)| tables), Some(vec![0]));
    let hidden = "CREATE VIEW v AS SELECT '\\' AS a, `n` FROM d2.`na me` WHERE a <> ''";
    let found = reached(&[hidden], "INSERT INTO v VALUES (1)");
    assert_eq!(found.map(|(tables, _)| tables), Some(vec![1]));
    let plain = "CREATE VIEW v AS SELECT * FROM t";
    let found = reached(
        &[plain],
        "UPDATE x JOIN (SELECT '\\' AS a) y JOIN v s SET s.n = 'b'",
    );
    assert_eq!(found.map(|(tables, _)| tables), Some(vec![0]));
    assert_eq!(reached(&[plain], "INSERT INTO x VALUES ('\\n')"), None);
}

/// A reader in the replay of a load that has read the definitions at 100.
fn in_stretch(definitions: &[&str]) -> Reach {
    let mut reach = learned(definitions);
    reach.stretch = Some(Stretch::new(at(100)));
    reach
}

#[test]
fn a_definition_dropped_in_the_replay_is_missed_only_where_it_was_used() {
    let insert = "INSERT INTO x VALUES (1)";
    for statement in [
        "DROP TRIGGER g",
        "DROP VIEW IF EXISTS w",
        "ALTER VIEW w AS SELECT 1",
        "CREATE OR REPLACE FUNCTION f() RETURNS INT RETURN 1",
        "DROP DATABASE d9",
        "DROP TABLE y, x",
        "RENAME TABLE x TO x_old, x_new TO x",
        "ALTER TABLE x RENAME x_old",
        "CREATE OR REPLACE TABLE x (a INT)",
    ] {
        let found = meet(&mut in_stretch(&[]), &[insert, statement]);
        let found = found.unwrap_or_else(|| panic!("{statement}"));
        assert_eq!(found.tables, [0, 1], "{statement}");
        assert!(found.kind.starts_with("statements before a "), "{found:?}");
        assert_eq!(
            meet(&mut in_stretch(&[]), &[statement]),
            None,
            "{statement}"
        );
        // Behind the stretch every definition was known when it was used.
        let mut reach = in_stretch(&[]);
        assert_eq!(reach.meet(insert.as_bytes(), "d", &at(101), false), None);
        assert_eq!(reach.meet(statement.as_bytes(), "d", &at(101), false), None);
    }
    for statements in [
        &["CREATE TABLE x (a INT)", insert, "DROP TABLE x"][..],
        &[
            "CREATE TRIGGER g AFTER INSERT ON x FOR EACH ROW SET @a = 1",
            insert,
            "DROP TRIGGER g",
        ],
        &[insert, "DROP TABLE y"],
        &[insert, "ALTER TABLE x ADD COLUMN b INT"],
        &[insert, "CREATE VIEW w AS SELECT 1"],
    ] {
        let found = meet(&mut in_stretch(&[]), statements);
        assert_eq!(found, None, "{statements:?}");
    }
    let optional = [
        "CREATE TABLE IF NOT EXISTS x (a INT)",
        insert,
        "DROP TABLE x",
    ];
    assert!(meet(&mut in_stretch(&[]), &optional).is_some());
}

#[test]
fn a_definition_that_cannot_be_read_counts_as_a_change_of_all_tables() {
    for statement in [
        "CREATE VIEW",
        "CREATE TRIGGER g AFTER INSERT",
        "CREATE TABLE 'a'",
    ] {
        let found = meet(&mut learned(&[]), &[statement]);
        assert_eq!(
            found.map(|found| found.tables),
            Some(vec![0, 1]),
            "{statement}"
        );
    }
}

#[test]
fn what_is_warned_about_is_named_without_values() {
    for (sql, name) in [
        ("INSERT INTO `a`.b VALUES ('secret')", "a.b"),
        ("DELETE FROM b WHERE c = 'secret'", "b"),
        ("SELECT `d`.`f`('secret')", "d.f"),
        ("DO f('secret')", "f"),
        (
            "CALL p('secret')",
            "a table or function that cannot be told",
        ),
    ] {
        assert_eq!(target(sql.as_bytes(), &tokens(sql)), name, "{sql}");
    }
    let mut reach = learned(&[]);
    reach.is_blind = true;
    for _ in 0..2 {
        meet(
            &mut reach,
            &["INSERT INTO b VALUES (1)", "INSERT INTO c VALUES (1)"],
        );
    }
    reach.meet(b"INSERT INTO t VALUES (1)", "d", &at(100), true);
    assert_eq!(reach.warned.len(), 2);
}

#[test]
fn definitions_that_come_again_and_again_take_no_room() {
    let mut reach = learned(&[]);
    let before = reach.graph.len();
    for _ in 0..1000 {
        let renames = [
            "RENAME TABLE x TO y",
            "RENAME TABLE y TO x",
            "CREATE VIEW v AS SELECT 1",
        ];
        assert_eq!(meet(&mut reach, &renames), None);
    }
    assert_eq!(reach.graph.len(), before + 3);
    reach.known_at_start = before;
    let mut last = None;
    for number in 0..=MAX_LEARNED {
        let sql = format!("CREATE VIEW v{number} AS SELECT 1");
        last = meet(&mut reach, &[&sql]);
        if last.is_some() {
            break;
        }
    }
    let last = last.expect("they are read anew");
    assert!(
        last.kind.starts_with("too many new definitions"),
        "{last:?}"
    );
}
