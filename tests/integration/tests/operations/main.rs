//! What happens to a server and its binlog while a mirror follows it, as people have reported it
//! of other readers: engines, statements, large events, checksums, purged and reset logs, ids
//! that are used twice.

mod checksums;
mod engines;
mod hidden;
mod large_events;
mod purged;
mod server_ids;
mod several_tables;
mod statements;

use std::time::Duration;

use integration::World;
use integration::compare::difference;
use integration::oracle::server_rows;
use integration::shown::{layout_of, snapshot_rows};
use test_mirror::Mirror;

/// Longest wait for something that takes well below a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// A mirror of these tables and the marker.
fn mirror_of(world: &World, tables: &[&str]) -> Mirror {
    let mut options = world.options();
    options.tables = Some(names(tables));
    world.mirror_with(options)
}

fn names(tables: &[&str]) -> Vec<String> {
    let tables = tables.iter().chain(&["marker"]);
    tables.map(|table| format!("mirror_test.{table}")).collect()
}

/// Waits until the mirror has caught up, and compares these tables with the server.
fn assert_equal(world: &World, mirror: &Mirror, tables: &[&str]) {
    world.catch_up(mirror);
    let mut conn = world.conn();
    for table in tables {
        let layout = layout_of(table);
        let held = snapshot_rows(&mirror.snapshot(), layout);
        if let Some(found) = difference(layout, held, server_rows(&mut conn, layout)) {
            panic!(
                "{}: mirror and server differ: {found}; {:?}",
                world.flavor(),
                mirror.status()
            );
        }
    }
}
