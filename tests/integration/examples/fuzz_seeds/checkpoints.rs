//! Checkpoints, and the rows in them.

use hostile_bytes::checkpoint_rows;
use integration::World;
use mirror_runtime::{CheckpointOptions, Options};

use crate::folder::Folder;

/// Most bytes of rows of one input.
const MOST_ROWS: usize = 1500;

/// Leaves a checkpoint of few tables, and rows of all.
pub(crate) fn keep(world: &World, folder: &mut Folder) {
    // The types there refuse most values.
    world.run("DELETE FROM choices");
    world.run("INSERT INTO choices VALUES (1, 1, NULL, 'a', 'ABC', NULL, 1)");
    for id in 1..4 {
        world.run(&format!("INSERT INTO fire_a VALUES ({id}, {id}, 'seed')"));
    }
    let few = ["marker", "fire_a", "key_text"].map(|table| format!("mirror_test.{table}"));
    let small = checkpoint(world, few.to_vec());
    folder.keep("checkpoint_file", &small);
    for (table, rows) in checkpoint_rows(&checkpoint(world, world.tables())) {
        let rows = &rows[..rows.len().min(MOST_ROWS)];
        let table = u8::try_from(table).unwrap();
        folder.keep("stored_rows", &[&[table], rows].concat());
    }
}

fn checkpoint(world: &World, tables: Vec<String>) -> Vec<u8> {
    let place = tempfile::tempdir().unwrap();
    let mirror = world.mirror_with(Options {
        tables: Some(tables),
        checkpoint: Some(CheckpointOptions::new(place.path())),
        ..world.options()
    });
    mirror.stop();
    std::fs::read(place.path().join("mirror.checkpoint")).unwrap()
}
