//! What happened between the checkpoint and the start is done as by a mirror that was connected.

use integration::compare::assert_equals_server;
use integration::{World, on_both_servers, run_in, wait_for};
use lab::{Flavor, ServerOptions};
use mirror_runtime::{Error, Health, Policies, Policy, State, TableError, WhenUnusable};

use super::*;

on_both_servers!(
    a_table_that_was_altered_stops_the_start_with_the_layout,
    a_table_that_was_altered_and_altered_back_is_loaded_again_alone,
    a_statement_through_a_view_that_is_gone_is_not_passed_over,
    a_truncated_table_is_empty,
    defaults_are_those_of_the_time,
    tables_that_may_be_wrong_are_in_no_checkpoint,
    a_reload_while_the_mirror_runs_is_in_the_next_checkpoint,
    rows_that_were_loaded_again_at_the_same_place_are_written,
);

fn a_table_that_was_altered_stops_the_start_with_the_layout(flavor: Flavor) {
    let world = World::start(flavor);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    insert(&world, 1);
    world.run("ALTER TABLE fire_a MODIFY n INT NOT NULL");
    insert(&world, 2);
    let error = error_of(options_in(&world, folder.path(), WhenUnusable::Bootstrap));
    assert!(
        matches!(&error, Error::Table(TableError::Layout { .. })),
        "{error}"
    );
}

fn a_table_that_was_altered_and_altered_back_is_loaded_again_alone(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    world.run("ALTER TABLE fire_a ADD COLUMN extra INT NULL FIRST");
    world.run("INSERT INTO fire_a VALUES (7, 2, 2, 'row')");
    world.run("ALTER TABLE fire_a DROP COLUMN extra");
    insert(&world, 3);
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert_equals_server(&world, &mirror);
    assert_eq!(ids(&mirror), [1, 2, 3]);
    let status = mirror.status();
    println!("{flavor}: {:?}", status.last_reload);
    assert!(status.reloads >= 1, "{status:?}");
    assert_verified(&mirror);
}

fn a_statement_through_a_view_that_is_gone_is_not_passed_over(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    world.run("CREATE VIEW way AS SELECT id, n FROM fire_a");
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_format = 'STATEMENT'");
    run_in(&mut conn, "UPDATE way SET n = 77 WHERE id = 1");
    world.run("DROP VIEW way");
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert_equals_server(&world, &mirror);
    println!("{flavor}: {:?}", mirror.status().last_reload);
}

fn a_truncated_table_is_empty(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    insert(&world, 2);
    world.run("TRUNCATE TABLE fire_a");
    insert(&world, 3);
    let mirror = mirror_in(&world, folder.path());
    assert_eq!(ids(&mirror), [3]);
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

/// An insert in MINIMAL images has not the columns that have their default.
fn defaults_are_those_of_the_time(flavor: Flavor) {
    let options = ServerOptions::new().args(["--binlog-row-image=MINIMAL"]);
    let world = World::start_with(flavor, &options);
    world.run("ALTER TABLE fire_a ALTER n SET DEFAULT 41");
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let mut conn = world.conn();
    run_in(&mut conn, "INSERT INTO fire_a (id, tag) VALUES (2, 'x')");
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
    mirror.stop();
    run_in(&mut conn, "INSERT INTO fire_a (id, tag) VALUES (3, 'x')");
    world.run("ALTER TABLE fire_a ALTER n SET DEFAULT 42");
    run_in(&mut conn, "INSERT INTO fire_a (id, tag) VALUES (4, 'x')");
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert_equals_server(&world, &mirror);
}

fn tables_that_may_be_wrong_are_in_no_checkpoint(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let good = std::fs::read(file_in(folder.path())).unwrap();
    let mut options = options_in(&world, folder.path(), WhenUnusable::Refuse);
    options.policies = Policies {
        divergence: Policy::KeepServing,
        ..Policies::default()
    };
    let mirror = world.mirror_with(options);
    let mut conn = world.conn();
    for sql in [
        "SET SESSION sql_log_bin = 0",
        "UPDATE fire_a SET n = 5 WHERE id = 1",
        "SET SESSION sql_log_bin = 1",
        "UPDATE fire_a SET n = 6 WHERE id = 1",
    ] {
        run_in(&mut conn, sql);
    }
    let is_wrong = || matches!(mirror.status().health(), Health::Unhealthy(_));
    assert!(wait_for(PATIENCE, is_wrong), "{:?}", mirror.status());
    mirror.stop();
    let error = checkpoint(&mirror).error.unwrap();
    println!("{flavor}: {error}");
    assert!(error.contains("mirror_test.fire_a"), "{error}");
    assert_eq!(std::fs::read(file_in(folder.path())).unwrap(), good);
}

fn a_reload_while_the_mirror_runs_is_in_the_next_checkpoint(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let mirror = mirror_in(&world, folder.path());
    world.run("ALTER TABLE fire_a COMMENT = 'another'");
    let is_loaded = || mirror.status().reloads > 0 && mirror.status().state == State::Live;
    assert!(wait_for(PATIENCE, is_loaded));
    // Nothing stands behind the ALTER.
    mirror.stop();
    assert_eq!(checkpoint(&mirror).written, 1);
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    insert(&world, 2);
    assert_equals_server(&world, &mirror);
    mirror.stop();
    insert(&world, 3);
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert_equals_server(&world, &mirror);
    assert_eq!(ids(&mirror), [1, 2, 3]);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

/// A row that was changed without the binlog is right after a reload on request, and stays right.
fn rows_that_were_loaded_again_at_the_same_place_are_written(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let mirror = mirror_in(&world, folder.path());
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION sql_log_bin = 0");
    run_in(&mut conn, "UPDATE fire_a SET n = 5 WHERE id = 1");
    mirror.reload(&["mirror_test.fire_a"]).unwrap();
    let is_loaded = || mirror.status().reloads > 0 && mirror.status().state == State::Live;
    assert!(wait_for(PATIENCE, is_loaded));
    mirror.stop();
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert_eq!(mirror.snapshot().fire_a().get(1).map(|row| row.n), Some(5));
}
