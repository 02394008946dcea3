//! Checkpoints: a mirror that starts from one holds what the server has, asks it for no row, and
//! says why when it cannot; whatever happens while one is written, the last good one stays.

mod disk;
mod refusals;
mod roundtrip;
mod stretch;

use std::path::Path;
use std::time::Duration;

use integration::World;
use mirror_runtime::{
    BinlogPosition, CheckpointOptions, CheckpointStatus, Error, Options, VerifyOptions,
    WhenUnusable,
};
use test_mirror::Mirror;

/// Longest wait for something that takes well below a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Options with a checkpoint in this folder, written at the end only.
fn options_in(world: &World, folder: &Path, when_unusable: WhenUnusable) -> Options {
    let checkpoint = CheckpointOptions {
        interval: None,
        when_unusable,
        ..CheckpointOptions::new(folder)
    };
    Options {
        checkpoint: Some(checkpoint),
        ..world.options()
    }
}

/// A mirror of all tables with a checkpoint in this folder, from which it starts if there is one.
fn mirror_in(world: &World, folder: &Path) -> Mirror {
    world.mirror_with(options_in(world, folder, WhenUnusable::Refuse))
}

/// Leaves a checkpoint of all tables, as they are now, in this folder.
fn leave_checkpoint(world: &World, folder: &Path) {
    let mirror = mirror_in(world, folder);
    world.catch_up(&mirror);
    mirror.stop();
    let status = checkpoint(&mirror);
    assert_eq!((status.written, &status.error), (1, &None), "{status:?}");
}

fn checkpoint(mirror: &Mirror) -> CheckpointStatus {
    mirror.status().checkpoint.unwrap()
}

/// Where the checkpoint stood that the mirror started from.
fn started_from(mirror: &Mirror) -> BinlogPosition {
    let status = checkpoint(mirror);
    status
        .started_from
        .clone()
        .unwrap_or_else(|| panic!("{status:?}"))
}

/// The error of a mirror that does not get live.
fn error_of(options: Options) -> Error {
    let mirror = Mirror::start(options).unwrap();
    let error = mirror.wait_until_live(PATIENCE).unwrap_err();
    println!("{error}");
    error
}

/// Compares all rows with the server's.
fn assert_verified(mirror: &Mirror) {
    let report = mirror.verify(&VerifyOptions::default()).unwrap();
    assert_eq!(
        (report.differences(), report.not_compared()),
        (0, 0),
        "{report}"
    );
}

/// The checkpoint's file in a folder.
fn file_in(folder: &Path) -> std::path::PathBuf {
    folder.join("mirror.checkpoint")
}

fn insert(world: &World, id: u32) {
    world.run(&format!("INSERT INTO fire_a VALUES ({id}, {id}, 'row')"));
}

/// Ids of `fire_a`.
fn ids(mirror: &Mirror) -> Vec<u32> {
    let snapshot = mirror.snapshot();
    snapshot.fire_a().iter().map(|row| row.id).collect()
}
