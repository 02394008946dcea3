//! What is written to a server for its binlog.

use integration::edge::Literals;
use integration::json_fire::{Moves, change, document};
use integration::{Random, World};
use mirror_runtime::{Schema as _, TableLayout};
use mysql::prelude::Queryable;
use test_mirror::Tables;

/// Rows of each table.
const ROWS: usize = 14;

/// Tables of one row, and of columns that cannot be written to.
const OTHERS: [&str; 2] = ["marker", "json_parts"];

/// Inserts, updates and deletes of edge values in every table, with every row image. Small
/// statements, each a transaction, and some larger ones.
pub(crate) fn edge_values(world: &World) {
    let mut random = Random::for_test();
    let names = world.tables();
    let tables = Tables::layouts()
        .iter()
        .filter(|layout| names.contains(&layout.full_name()) && !OTHERS.contains(&layout.table));
    let mut conn = world.conn();
    for layout in tables {
        let literals = Literals::new(layout);
        for image in ["FULL", "MINIMAL", "NOBLOB"] {
            run(
                &mut conn,
                &format!("SET SESSION binlog_row_image = '{image}'"),
            );
            for turn in 0..ROWS {
                let values = values(layout, &literals, turn, &mut random);
                let sql = format!(
                    "INSERT IGNORE INTO {} ({}) VALUES ({})",
                    layout.table,
                    columns(layout),
                    values.join(", ")
                );
                run(&mut conn, &sql);
            }
            for turn in 0..ROWS / 2 {
                update(&mut conn, layout, &literals, turn, &mut random);
            }
            run(&mut conn, &format!("DELETE FROM {} LIMIT 3", layout.table));
        }
    }
}

fn columns(layout: &TableLayout) -> String {
    let names: Vec<String> = layout
        .columns
        .iter()
        .map(|column| format!("`{}`", column.name))
        .collect();
    names.join(", ")
}

fn values(
    layout: &TableLayout,
    literals: &Literals,
    turn: usize,
    random: &mut Random,
) -> Vec<String> {
    (0..layout.columns.len())
        .map(|field| {
            // Short values make small inputs.
            (0..2)
                .map(|again| literals.value(field, turn + field * 5 + again, random))
                .min_by_key(String::len)
                .unwrap_or_default()
        })
        .collect()
}

fn update(
    conn: &mut mysql::Conn,
    layout: &TableLayout,
    literals: &Literals,
    turn: usize,
    random: &mut Random,
) {
    let values = values(layout, literals, turn + 3, random);
    let set: Vec<String> = layout
        .columns
        .iter()
        .zip(values)
        .skip(turn % layout.columns.len())
        .take(3)
        .map(|(column, value)| format!("`{}` = {value}", column.name))
        .collect();
    run(
        conn,
        &format!(
            "UPDATE IGNORE {} SET {} LIMIT 2",
            layout.table,
            set.join(", ")
        ),
    );
}

/// Differences of JSON documents (MySQL 8 and later).
pub(crate) fn differences(world: &World) {
    if !world.has_json() {
        return;
    }
    let mut random = Random::for_test();
    let mut conn = world.conn();
    run(
        &mut conn,
        "SET SESSION binlog_row_value_options = 'PARTIAL_JSON'",
    );
    for image in ["FULL", "MINIMAL"] {
        run(
            &mut conn,
            &format!("SET SESSION binlog_row_image = '{image}'"),
        );
        for id in 1..=ROWS {
            let (one, other) = (document(&mut random), document(&mut random));
            run(
                &mut conn,
                &format!("REPLACE INTO documents VALUES ({id}, {one}, {other})"),
            );
            for moves in [Moves::Any, Moves::None] {
                let doc = change(&mut random, "doc", moves);
                let doc_null = change(&mut random, "doc_null", moves);
                run(
                    &mut conn,
                    &format!(
                        "UPDATE documents SET doc = {doc}, doc_null = {doc_null} WHERE id = {id}"
                    ),
                );
            }
        }
    }
}

/// Transactions and statements of every kind that the runtime tells apart.
pub(crate) fn statements(world: &World) {
    let mut conn = world.conn();
    for sql in [
        "BEGIN",
        "UPDATE account_a SET balance = balance + 1 LIMIT 2",
        "SAVEPOINT s",
        "UPDATE account_b SET balance = balance - 1 LIMIT 2",
        "ROLLBACK TO s",
        "DELETE FROM audit LIMIT 1",
        "COMMIT",
        "XA START 'x'",
        "UPDATE marker SET n = 5 WHERE id = 1",
        "XA END 'x'",
        "XA PREPARE 'x'",
        "XA COMMIT 'x'",
        "CREATE TABLE not_mirrored (a INT, b JSON) ENGINE=MyISAM",
        "INSERT INTO not_mirrored VALUES (1, '[1]')",
        "CREATE TABLE made AS SELECT 1 AS one",
        "ALTER TABLE plain_log ADD COLUMN further INT",
        "INSERT INTO not_mirrored (a) SELECT 2",
        "RENAME TABLE plain_log TO elsewhere",
        "TRUNCATE TABLE big",
        "/* a comment */ TRUNCATE `mirror_test`.`fire_a`",
        "DROP TABLE IF EXISTS fire_b, `not_mirrored` /* generated by server */",
        "CREATE DATABASE other",
        "CREATE VIEW v AS SELECT 1",
        "GRANT SELECT ON *.* TO root@localhost",
        "ANALYZE TABLE marker",
        "SET SESSION binlog_format = 'STATEMENT'",
        "UPDATE marker SET n = n + 1 WHERE id = 1",
        "SET @text = 'a', @number = 5",
        "UPDATE marker SET n = @number WHERE id = 1 AND 'a' = @text",
        "DROP DATABASE other",
        "FLUSH TABLES",
    ] {
        run(&mut conn, sql);
    }
}

/// Runs a statement; one that this server refuses is no seed.
fn run(conn: &mut mysql::Conn, sql: &str) {
    if let Err(error) = conn.query_drop(sql) {
        let start: String = sql.chars().take(70).collect();
        println!("refused: {start}: {error}");
    }
}
