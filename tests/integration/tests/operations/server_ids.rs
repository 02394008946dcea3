//! Two readers with one server id: nobody loses a row, and nobody is thrown out again and again.

use std::time::Duration;

use integration::{World, on_both_servers, wait_for};
use lab::Flavor;
use mirror_runtime::source::{
    EventSource, LiveSource, SourceErrorKind, StreamOptions, StreamStart,
};
use mirror_runtime::{Error, Options, State};
use test_mirror::Mirror;

use super::{PATIENCE, assert_equal, names};

on_both_servers!(
    a_mirror_whose_id_another_reader_takes_stops_or_goes_on_whole,
    two_mirrors_that_start_with_one_id_are_whole_or_stop,
);

const TABLES: [&str; 1] = ["fire_a"];
const ID: u32 = 4242;

fn options(world: &World) -> Options {
    Options {
        server_id: Some(ID),
        tables: Some(names(&TABLES)),
        ..world.options()
    }
}

fn insert(world: &World, ids: std::ops::Range<u32>) {
    for id in ids {
        world.run(&format!("INSERT INTO fire_a VALUES ({id}, {id}, 'x')"));
    }
}

/// MySQL tells replicas apart by their UUIDs, of which each stream has its own; MariaDB ends the
/// older of two streams with one id.
fn assert_stopped_or_whole(world: &World, mirror: &Mirror) -> bool {
    let status = mirror.status();
    println!("{}: {:?}", world.flavor(), status.state);
    assert!(
        status.connection_attempts <= 3,
        "thrown out again and again: {status:?}"
    );
    assert_eq!(status.reloads, 0, "{status:?}");
    let Some(error) = mirror.error() else {
        assert_equal(world, mirror, &TABLES);
        return true;
    };
    println!("{}: {error}", world.flavor());
    let Error::Source(source) = &error else {
        panic!("no error of the source: {error}")
    };
    assert_eq!(source.kind(), SourceErrorKind::DuplicateServerId, "{error}");
    assert!(error.to_string().contains("4242"), "{error}");
    false
}

fn a_mirror_whose_id_another_reader_takes_stops_or_goes_on_whole(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = world.mirror_with(options(&world));
    insert(&world, 0..5);
    assert_equal(&world, &mirror, &TABLES);
    let url = world.server.url().parse().unwrap();
    let start = StreamStart::File(world.position().parse().unwrap());
    let taking = StreamOptions {
        server_id: ID,
        ..StreamOptions::new(&url)
    };
    let (mut thief, stop) = LiveSource::open(&url, &start, taking).unwrap();
    let reader = std::thread::spawn(move || {
        let mut rows = 0;
        while let Ok(Some(event)) = thief.next_event() {
            rows += usize::from([23, 30].contains(&event.header.type_code));
        }
        rows
    });
    for first in 1..=10 {
        insert(&world, first * 10..first * 10 + 2);
        std::thread::sleep(Duration::from_millis(200));
    }
    let goes_on = assert_stopped_or_whole(&world, &mirror);
    assert_eq!(goes_on, world.is_mysql(), "{:?}", mirror.status());
    stop.stop();
    let rows = reader.join().unwrap();
    assert!(rows >= 20, "the other reader lost rows: {rows}");
}

fn two_mirrors_that_start_with_one_id_are_whole_or_stop(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 0..5);
    let mirrors = [0, 1].map(|_| Mirror::start(options(&world)).unwrap());
    let is_settled = || {
        let settled =
            |mirror: &Mirror| matches!(mirror.status().state, State::Live | State::Failed(_));
        mirrors.iter().all(settled)
    };
    assert!(wait_for(PATIENCE, is_settled));
    for first in 1..=10 {
        insert(&world, first * 10..first * 10 + 2);
        std::thread::sleep(Duration::from_millis(200));
    }
    let going_on = mirrors
        .iter()
        .filter(|mirror| assert_stopped_or_whole(&world, mirror))
        .count();
    assert!(going_on >= 1, "both have ended");
}
