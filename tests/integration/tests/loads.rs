//! Loads of tables whose keys or rows are far from even.

use integration::compare::assert_equals_server;
use integration::{World, on_both_servers};
use lab::Flavor;
use mysql::prelude::Queryable;

on_both_servers!(
    keys_far_apart_are_loaded_whole_in_ranges_that_are_cut_further,
    rows_of_many_bytes_are_loaded_whole,
);

/// Rows that lie close together.
const ROWS: u64 = 4000;

fn executed(world: &World) -> u64 {
    let sql = "SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'";
    let row: Option<(String, u64)> = world.conn().query_first(sql).unwrap();
    row.unwrap().1
}

fn keys_far_apart_are_loaded_whole_in_ranges_that_are_cut_further(flavor: Flavor) {
    let world = World::start(flavor);
    let close: Vec<String> = (1..=ROWS)
        .map(|id| format!("({id}, {id}, 'close')"))
        .collect();
    world.run(&format!("INSERT INTO big VALUES {}", close.join(", ")));
    let ends = [i32::MIN, i32::MAX].map(|id| format!("({id}, 0, 'far')"));
    world.run(&format!("INSERT INTO big VALUES {}", ends.join(", ")));
    // As far apart as keys can be.
    let ids = (0..ROWS as i64).map(|n| i64::MAX - 5 * n);
    let rows: Vec<String> = std::iter::once(i64::MIN)
        .chain(ids)
        .enumerate()
        .map(|(serial, id)| format!("({id}, 0, {serial}, 'new')"))
        .collect();
    world.run(&format!(
        "INSERT INTO indexed (id, score, serial, state) VALUES {}",
        rows.join(", ")
    ));
    world.run("ANALYZE TABLE big, indexed");

    let mut options = world.options();
    options.load_connections = 3;
    options.chunk_rows = 100;
    let before = executed(&world);
    let mirror = world.mirror_with(options);
    let statements = executed(&world) - before;
    assert_equals_server(&world, &mirror);
    let snapshot = mirror.snapshot();
    assert_eq!(snapshot.big().len() as u64, ROWS + 2);
    assert_eq!(snapshot.indexed().len() as u64, ROWS + 1);
    // One range of those that were planned of a table has nearly all rows.
    let planned = 2 * ROWS / 100;
    assert!(statements > 2 * planned, "{statements} statements");
}

fn rows_of_many_bytes_are_loaded_whole(flavor: Flavor) {
    let world = World::start(flavor);
    for id in 1..=40 {
        let bytes = [0, 1, 300_000, 900_000, 1_100_000, 2_500_000][id % 6];
        world.run(&format!(
            "INSERT INTO texts (id, long_text) VALUES ({id}, REPEAT('x', {bytes}))"
        ));
    }
    let mirror = world.mirror();
    assert_equals_server(&world, &mirror);
    let snapshot = mirror.snapshot();
    assert_eq!(snapshot.texts().len(), 40);
    let bytes = |id| snapshot.texts().get(id).unwrap().long_text.len();
    assert_eq!((bytes(5), bytes(6), bytes(7)), (2_500_000, 0, 1));
}
