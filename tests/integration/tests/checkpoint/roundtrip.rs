//! What goes into a checkpoint comes out of it.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::edge::Literals;
use integration::fire::Writers;
use integration::shown::layout_of;
use integration::{Random, World, on_both_servers, rounds, run_in, wait_for};
use lab::Flavor;
use mirror_runtime::{CheckpointOptions, Options};
use mysql::prelude::Queryable;

use super::*;

on_both_servers!(
    a_warm_start_has_every_value_and_selects_no_row,
    the_checkpoint_of_a_writer_s_moment_is_a_boundary,
    nothing_is_written_when_nothing_happened,
    any_byte_that_is_another_is_noticed,
    rows_of_every_size_come_back_in_order,
);

/// Tables of types; each has its key in `id`.
const TABLES: [&str; 10] = [
    "integers",
    "numbers",
    "dates",
    "times",
    "texts",
    "ascii_texts",
    "byte_strings",
    "label_sets",
    "bits",
    "documents",
];

fn fill(world: &World, ids: std::ops::Range<u32>, random: &mut Random) {
    let mut conn = world.conn();
    let names = world.tables();
    for table in TABLES {
        let layout = layout_of(table);
        if !names.contains(&layout.full_name()) {
            continue;
        }
        let literals = Literals::new(layout);
        for id in ids.clone() {
            let values: Vec<String> = (1..layout.columns.len())
                .map(|field| literals.value(field, id as usize + field * 5, random))
                .collect();
            let values = values.join(", ");
            run_in(
                &mut conn,
                &format!("INSERT INTO {table} VALUES ({id}, {values})"),
            );
        }
    }
    for id in ids {
        let code = char::from(b'A' + (id % 26) as u8);
        let code = format!("{code}{}", "X".repeat(id as usize % 7));
        run_in(
            &mut conn,
            &format!("INSERT IGNORE INTO choices VALUES ({id}, 1, NULL, 'a', '{code}', NULL, 0)"),
        );
    }
}

fn a_warm_start_has_every_value_and_selects_no_row(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    let rows = rounds("rows per table", 60);
    fill(&world, 1..rows, &mut random);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    fill(&world, rows..rows + rows / 2, &mut random);
    for table in TABLES.iter().filter(|table| **table != "documents") {
        world.run(&format!("DELETE FROM {table} WHERE id % 5 = 0"));
    }
    world.run("TRUNCATE TABLE dates");
    let (mirror, selects) = selects_of(&world, || mirror_in(&world, folder.path()));
    assert_eq!(selects, [""; 0], "{flavor}");
    // As the load does.
    let (_, selects) = selects_of(&world, || world.mirror());
    assert!(!selects.is_empty());
    let from = started_from(&mirror);
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
    assert_verified(&mirror);
    drop(mirror);
    // Now all of it is from the checkpoint.
    let again = mirror_in(&world, folder.path());
    assert!(started_from(&again) > from);
    assert_equals_server(&world, &again);
    assert_verified(&again);
    println!("{flavor}: {:?}", checkpoint(&again));
}

/// What a start gives, and its SELECTs of rows of mirrored tables, by the server's general log.
fn selects_of<T>(world: &World, start: impl FnOnce() -> T) -> (T, Vec<String>) {
    world.run("SET GLOBAL log_output = 'TABLE'");
    world.run("TRUNCATE TABLE mysql.general_log");
    world.run("SET GLOBAL general_log = ON");
    let started = start();
    world.run("SET GLOBAL general_log = OFF");
    let sql = "SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log";
    let mut texts: Vec<String> = world.conn().query(sql).unwrap();
    assert!(texts.iter().any(|text| text.contains("information_schema")));
    // Whether the account may read a table is asked with LIMIT 0.
    let of_rows = |text: &String| text.contains("FROM `mirror_test`") && !text.ends_with("LIMIT 0");
    texts.retain(of_rows);
    (started, texts)
}

/// Checkpoints are written while four writers write, and each is a state of one moment that can
/// be gone on from.
fn the_checkpoint_of_a_writer_s_moment_is_a_boundary(flavor: Flavor) {
    let world = World::start(flavor);
    let folder = tempfile::tempdir().unwrap();
    let copy = tempfile::tempdir().unwrap();
    let checkpoint_options = CheckpointOptions {
        interval: Some(Duration::from_millis(60)),
        ..CheckpointOptions::new(folder.path())
    };
    let options = Options {
        checkpoint: Some(checkpoint_options),
        ..world.options()
    };
    let mirror = world.mirror_with(options);
    let mut random = Random::for_test();
    let writers = Writers::default();
    writers.around(world.server.port(), &mut random, || {
        for round in 0..rounds("copies of checkpoints under load", 4) {
            let next = checkpoint(&mirror).written + 1;
            let is_next = || checkpoint(&mirror).written >= next;
            assert!(wait_for(PATIENCE, is_next), "{:?}", mirror.status());
            std::fs::copy(file_in(folder.path()), file_in(copy.path())).unwrap();
            let restarted = mirror_in(&world, copy.path());
            let from = started_from(&restarted);
            println!("{flavor}: round {round} from {from}");
            assert_invariant(&restarted);
            writers.gate.close();
            assert_equals_server(&world, &restarted);
            assert_equals_server(&world, &mirror);
            writers.gate.open();
        }
    });
    assert!(writers.commits() > 20, "{}", writers.commits());
    let status = mirror.status();
    assert_eq!(status.reloads, 0, "{status:?}");
    assert_eq!(checkpoint(&mirror).error, None);
}

/// Snapshots are whole transactions, from the first on.
fn assert_invariant(mirror: &Mirror) {
    let status = mirror.status();
    assert_eq!(
        (status.reloads, status.connection_attempts),
        (0, 0),
        "{status:?}"
    );
}

fn nothing_is_written_when_nothing_happened(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let written = std::fs::metadata(file_in(folder.path())).unwrap();
    let mirror = mirror_in(&world, folder.path());
    mirror.stop();
    assert_eq!(checkpoint(&mirror).written, 0);
    let after = std::fs::metadata(file_in(folder.path())).unwrap();
    assert_eq!(written.modified().unwrap(), after.modified().unwrap());
    insert(&world, 2);
    let mirror = mirror_in(&world, folder.path());
    assert_eq!(ids(&mirror), [1, 2]);
    mirror.stop();
    assert_eq!(checkpoint(&mirror).written, 1);
}

/// Every byte of a small checkpoint is made another, and it is cut at every length.
fn any_byte_that_is_another_is_noticed(flavor: Flavor) {
    let world = World::start(flavor);
    for id in 1..20 {
        insert(&world, id);
    }
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let whole = std::fs::read(file_in(folder.path())).unwrap();
    println!("{flavor}: {} bytes", whole.len());
    let path = folder.path().join("damaged");
    let is_refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        mirror_runtime::read_checkpoint::<test_mirror::Tables>(&path).is_err()
    };
    assert!(!is_refused(&whole));
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            assert!(is_refused(&damaged), "byte {at} ^ {flip}");
        }
        assert!(is_refused(&whole[..at]), "cut at {at}");
    }
    assert!(is_refused(&[whole.as_slice(), &[0]].concat()));
}

/// Rows around the sizes at which a block is full, or a row stands alone in one.
fn rows_of_every_size_come_back_in_order(flavor: Flavor) {
    const MB: usize = 1 << 20;
    let sizes = [
        0,
        MB - 400,
        MB,
        MB + 1,
        10,
        3 * MB,
        5 * MB,
        6 * MB,
        8 * MB - 400,
        8 * MB,
        9 * MB,
        1,
        12 * MB,
    ];
    let world = World::start(flavor);
    if world.is_old() {
        return world.does_not_apply("its packets have at most 4 MiB");
    }
    let mut conn = world.conn();
    for (id, bytes) in (1..).zip(sizes) {
        let letter = char::from(b'a' + id as u8);
        let sql = format!(
            "INSERT INTO byte_strings (id, long_blob) VALUES ({id}, REPEAT('{letter}', {bytes}))"
        );
        run_in(&mut conn, &sql);
    }
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    let snapshot = mirror.snapshot();
    let mut rows = snapshot.byte_strings().iter();
    for (id, bytes) in (1..).zip(sizes) {
        let row = rows.next().unwrap();
        assert_eq!((row.id, row.long_blob.len()), (id, bytes));
        let letter = b'a' + id as u8;
        assert!(row.long_blob.iter().all(|&byte| byte == letter), "{id}");
    }
    assert_eq!(rows.next(), None);
    let status = checkpoint(&mirror);
    println!("{flavor}: {status:?}");
}
