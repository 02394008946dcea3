//! Both ways into a mirror, SELECT and binlog, give what the server itself says, value by value.

use std::collections::BTreeSet;

use integration::compare::{assert_equals_server, difference};
use integration::edge::literal;
use integration::shown::{layout_of, snapshot_rows};
use integration::{Random, World, on_both_servers, rounds};
use lab::Flavor;
use mirror_runtime::TableLayout;
use mysql::Conn;
use mysql::prelude::Queryable;

on_both_servers!(select_and_binlog_give_what_the_server_says);

/// Tables of types; each has its key in `id`.
const TABLES: [&str; 10] = [
    "integers", "numbers", "dates", "times", "texts", "ascii_texts", "byte_strings", "label_sets",
    "bits", "documents",
];
/// Row images that sessions may log; all are to work.
const IMAGES: [&str; 3] = ["FULL", "MINIMAL", "NOBLOB"];

fn select_and_binlog_give_what_the_server_says(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    let rows = rounds("rows per table", 240);
    let names = world.tables();
    let tables: Vec<&TableLayout> = TABLES
        .iter()
        .map(|name| layout_of(name))
        .filter(|layout| names.contains(&layout.full_name()))
        .collect();
    let mut conn = world.conn();
    for layout in &tables {
        insert(&mut conn, layout, 1..=rows / 2, &mut random);
    }

    let followed = world.mirror();
    let loaded = assert_equals_server(&world, &followed);
    assert!(loaded >= tables.len() * (rows / 2) as usize);
    for layout in &tables {
        change(&mut conn, layout, rows, &mut random);
    }
    let compared = assert_equals_server(&world, &followed);
    assert_eq!(followed.status().reloads, 0, "{:?}", followed.status());

    let fresh = world.mirror();
    let selected = assert_equals_server(&world, &fresh);
    assert_eq!(selected, compared);
    let (one, other) = (followed.snapshot(), fresh.snapshot());
    for layout in &tables {
        let (one, other) = (snapshot_rows(&one, layout), snapshot_rows(&other, layout));
        assert_varied(layout, &one);
        assert_eq!(difference(layout, one, other), None, "{flavor}: binlog and SELECT");
    }
    println!("{flavor}: {loaded} rows by SELECT, then {compared} by SELECT and binlog are equal");
}

/// Inserts rows with these ids, several a statement.
fn insert(
    conn: &mut Conn,
    layout: &TableLayout,
    ids: impl Iterator<Item = u32>,
    random: &mut Random,
) {
    let ids: Vec<u32> = ids.collect();
    for some in ids.chunks(4) {
        let rows: Vec<String> = some
            .iter()
            .map(|&id| format!("({id}, {})", values(layout, id as usize, random).join(", ")))
            .collect();
        execute(conn, layout, &format!("INSERT INTO {} VALUES {}", layout.table, rows.join(", ")));
    }
}

/// A value for each column but the first; the edges move from column to column.
fn values(layout: &TableLayout, turn: usize, random: &mut Random) -> Vec<String> {
    layout
        .columns
        .iter()
        .enumerate()
        .skip(1)
        .map(|(field, column)| literal(column, turn + field * 5, random))
        .collect()
}

/// Inserts the other half, and updates and deletes rows of both halves.
fn change(conn: &mut Conn, layout: &TableLayout, rows: u32, random: &mut Random) {
    for (part, image) in (0..).zip(IMAGES) {
        execute(conn, layout, &format!("SET SESSION binlog_row_image = '{image}'"));
        insert(conn, layout, (rows / 2 + 1..=rows).filter(|id| id % 3 == part), random);
    }
    for id in 1..=rows {
        let image = IMAGES[(id / 7 % 3) as usize];
        match id % 7 {
            0..=2 => {
                execute(conn, layout, &format!("SET SESSION binlog_row_image = '{image}'"));
                update(conn, layout, id, random);
            }
            3 => execute(conn, layout, &format!("DELETE FROM {} WHERE id = {id}", layout.table)),
            4 => execute(
                conn,
                layout,
                &format!("UPDATE {} SET id = id + 1000000 WHERE id = {id}", layout.table),
            ),
            _ => {}
        }
    }
}

/// Changes all columns of a row, or a few.
fn update(conn: &mut Conn, layout: &TableLayout, id: u32, random: &mut Random) {
    let some = random.one_in(2);
    let values = values(layout, id as usize + 3, random);
    let mut set: Vec<String> = layout
        .columns
        .iter()
        .skip(1)
        .zip(values)
        .map(|(column, value)| format!("`{}` = {value}", column.name))
        .collect();
    if some {
        let start = random.below(set.len() as u64) as usize;
        set = set.split_off(start).into_iter().take(3).collect();
    }
    let sql = format!("UPDATE {} SET {} WHERE id = {id}", layout.table, set.join(", "));
    execute(conn, layout, &sql);
}

fn execute(conn: &mut Conn, layout: &TableLayout, sql: &str) {
    conn.query_drop(sql).unwrap_or_else(|error| {
        let sql: String = sql.chars().take(2000).collect();
        panic!("{}: {error}: {sql}", layout.table)
    });
}

/// Every column has more than one value and, where it may, NULL: the rows do show something.
fn assert_varied(layout: &TableLayout, rows: &[Vec<Option<String>>]) {
    for (field, column) in layout.columns.iter().enumerate() {
        let values: BTreeSet<&Option<String>> = rows.iter().map(|line| &line[field]).collect();
        let least = if column.name.starts_with("char_0") { 1 } else { 2 };
        let null = values.contains(&None);
        assert_eq!(null, column.nullable, "{}.{}", layout.table, column.name);
        let distinct = values.len() - usize::from(null);
        assert!(distinct >= least, "{}.{}: {distinct}", layout.table, column.name);
    }
}
