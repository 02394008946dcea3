//! Checkpoints that cannot be used: it is said why, and the tables are loaded, or that is refused.

use integration::compare::assert_equals_server;
use integration::{World, on_both_servers, wait_for};
use lab::{Flavor, ServerOptions};
use mirror_runtime::{CheckpointError, Error, Unusable, WhenUnusable};
use mysql::prelude::Queryable;

use super::*;

on_both_servers!(
    a_damaged_checkpoint_is_not_used,
    a_checkpoint_of_other_tables_is_not_used,
    a_checkpoint_of_another_server_is_not_used,
    a_checkpoint_from_before_the_oldest_binlog_is_not_used,
    a_checkpoint_from_before_a_reset_is_not_used,
    one_mirror_at_a_time_uses_a_folder,
);

/// Starts from the checkpoint in both ways: refusal ends it with the reason, the other loads.
fn refused(world: &World, folder: &Path, is_reason: impl Fn(&Unusable) -> bool) {
    let error = error_of(options_in(world, folder, WhenUnusable::Refuse));
    match &error {
        Error::Checkpoint(CheckpointError::Refused { reason, .. }) if is_reason(reason) => {}
        other => panic!("{other}"),
    }
    let mirror = world.mirror_with(options_in(world, folder, WhenUnusable::Bootstrap));
    let status = checkpoint(&mirror);
    assert_eq!(status.started_from, None);
    let said = status.unusable.unwrap();
    assert!(error.to_string().contains(&said), "{said}");
    assert_equals_server(world, &mirror);
    mirror.stop();
    // The one that could not be used is kept beside the new one.
    assert_eq!(checkpoint(&mirror).written, 1);
    assert!(folder.join("mirror.checkpoint.unusable").exists());
    let mirror = mirror_in(world, folder);
    started_from(&mirror);
    assert_equals_server(world, &mirror);
}

fn a_damaged_checkpoint_is_not_used(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let mut bytes = std::fs::read(file_in(folder.path())).unwrap();
    let middle = bytes.len() * 2 / 3;
    bytes[middle] ^= 1;
    std::fs::write(file_in(folder.path()), bytes).unwrap();
    refused(&world, folder.path(), |reason| {
        matches!(reason, Unusable::Damaged { .. })
    });
}

fn a_checkpoint_of_other_tables_is_not_used(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    let mut few = options_in(&world, folder.path(), WhenUnusable::Refuse);
    few.tables = Some(vec!["mirror_test.marker".into()]);
    let mirror = world.mirror_with(few.clone());
    mirror.stop();
    refused(
        &world,
        folder.path(),
        |reason| matches!(reason, Unusable::TableMissing { table } if table.starts_with("mirror_test.")),
    );
    // One that has more than is selected serves.
    let mirror = world.mirror_with(few);
    started_from(&mirror);
    assert_eq!(ids(&mirror), [0; 0]);
    drop(mirror);
    // Another generated crate, which must not even look at the server.
    let mut options = options_in(&world, folder.path(), WhenUnusable::Refuse);
    options.tables = None;
    options.url = "mysql://nobody@127.0.0.1:1/".parse().unwrap();
    let other = test_cases::Mirror::start(options).unwrap();
    let error = other.wait_until_live(PATIENCE).unwrap_err();
    println!("{error}");
    let Error::Checkpoint(CheckpointError::Refused { reason, .. }) = &error else {
        panic!("{error}");
    };
    assert!(matches!(**reason, Unusable::OtherSchema { .. }), "{error}");
}

fn a_checkpoint_of_another_server_is_not_used(flavor: Flavor) {
    let world = World::start(flavor);
    for id in 1..30 {
        insert(&world, id);
    }
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let other = World::start(flavor);
    for id in 100..200 {
        insert(&other, id);
    }
    refused(&other, folder.path(), |reason| {
        matches!(reason, Unusable::OtherServer { .. } | Unusable::Gone { .. })
    });
}

fn newest(world: &World) -> String {
    let position: BinlogPosition = world.position().parse().unwrap();
    position.file.to_string()
}

fn a_checkpoint_from_before_the_oldest_binlog_is_not_used(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    insert(&world, 2);
    world.run("FLUSH BINARY LOGS");
    insert(&world, 3);
    let file = newest(&world);
    let is_purged = || {
        world.run(&format!("PURGE BINARY LOGS TO '{file}'"));
        let oldest: Option<mysql::Row> = world.conn().query_first("SHOW BINARY LOGS").unwrap();
        oldest.unwrap().get::<String, _>(0).as_ref() == Some(&file)
    };
    assert!(wait_for(PATIENCE, is_purged), "a file is still in use");
    refused(&world, folder.path(), |reason| {
        matches!(reason, Unusable::Gone { .. }) && reason.to_string().contains(&file)
    });
}

/// Begins the log anew, in another second than the old one.
fn reset(world: &World) {
    std::thread::sleep(Duration::from_millis(1100));
    world.run(match world.is_mysql() && world.version() >= (8, 2, 0) {
        true => "RESET BINARY LOGS AND GTIDS",
        false => "RESET MASTER",
    });
}

/// The log that was begun anew has grown past the position, and has other transactions.
fn a_checkpoint_from_before_a_reset_is_not_used(flavor: Flavor) {
    for mode in ["ON", "OFF"] {
        let options = match flavor {
            Flavor::Mysql => ServerOptions::new().args([
                format!("--gtid-mode={mode}"),
                format!("--enforce-gtid-consistency={mode}"),
            ]),
            Flavor::Mariadb => ServerOptions::new(),
        };
        let world = World::start_with(flavor, &options);
        // Without GTIDs MySQL 5.6 replays a load from the start of the file: it has the tables'.
        reset(&world);
        insert(&world, 1);
        let folder = tempfile::tempdir().unwrap();
        leave_checkpoint(&world, folder.path());
        reset(&world);
        for id in 2..200 {
            insert(&world, id);
        }
        refused(&world, folder.path(), |reason| {
            matches!(reason, Unusable::OtherServer { .. } | Unusable::Gone { .. })
        });
    }
}

fn one_mirror_at_a_time_uses_a_folder(flavor: Flavor) {
    let world = World::start(flavor);
    let folder = tempfile::tempdir().unwrap();
    let first = mirror_in(&world, folder.path());
    let error = error_of(options_in(&world, folder.path(), WhenUnusable::Bootstrap));
    assert!(matches!(
        error,
        Error::Checkpoint(CheckpointError::InUse { .. })
    ));
    first.stop();
    mirror_in(&world, folder.path());
}
