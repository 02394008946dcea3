//! Events that do not fit into one packet of 2^24-1 bytes, or just do.

use integration::cases::{Case, start};
use integration::{Site, on_both_servers, run_in};
use lab::{Flavor, ServerOptions};
use mirror_runtime::source::{EventSource, LiveSource, StreamOptions, StreamStart};
use mysql::prelude::Queryable;
use test_cases::Mirror;

on_both_servers!(
    events_of_several_packets_are_whole,
    a_low_max_allowed_packet_does_not_cut_what_a_mirror_reads,
    an_event_that_is_too_large_is_a_final_error_with_its_place,
);

/// Bytes of a full packet; more follow in another one, which may be empty.
const PACKET: u64 = (1 << 24) - 1;

fn server(flavor: Flavor) -> Site {
    let options = ServerOptions::new().args([
        "--max-allowed-packet=256M",
        "--loose-innodb-log-file-size=512M",
        "--loose-innodb-redo-log-capacity=2G",
    ]);
    let site = start(flavor, &options);
    // The undo of BLOBs has limits of its own (MySQL 5.6).
    site.run("ALTER TABLE t_blobs ENGINE = MyISAM");
    site
}

/// The byte that a row's BLOB is made of.
fn filler(id: u32) -> char {
    char::from(b'a' + (id % 26) as u8)
}

fn insert(site: &Site, id: u32, length: u64) {
    site.run(&format!(
        "INSERT INTO t_blobs VALUES ({id}, '', '', '', '', '', REPEAT('{}', {length}))",
        filler(id)
    ));
}

/// Size of the last rows event.
fn last_event(site: &Site, from: &str) -> u64 {
    let (file, offset) = from.split_once(':').unwrap();
    let events: Vec<mysql::Row> = site
        .conn()
        .query(format!("SHOW BINLOG EVENTS IN '{file}' FROM {offset}"))
        .unwrap();
    let is_rows = |row: &mysql::Row| {
        let kind = row.get::<String, _>(2).unwrap_or_default();
        kind.to_lowercase().contains("_rows") && !kind.starts_with("Annotate")
    };
    let at = events.iter().rposition(is_rows).expect("a rows event");
    // MariaDB 11 logs no ends within a transaction.
    let starts = [at, at + 1].map(|at| events[at].get::<u64, _>(1).unwrap());
    starts[1] - starts[0]
}

/// Each row is its byte over and over, and so many of them.
fn assert_rows(case: &Case<'_>, mirror: &Mirror, expected: &[(u32, u64)]) {
    let snapshot = case.caught_up(mirror);
    let held: Vec<(u32, u64)> = snapshot
        .t_blobs()
        .iter()
        .map(|row| {
            let byte = filler(row.id) as u8;
            assert!(row.huge.iter().all(|found| *found == byte), "{}", row.id);
            (row.id, row.huge.len() as u64)
        })
        .collect();
    assert_eq!(held, expected);
    let status = mirror.status();
    let counts = (status.reloads, status.connection_attempts);
    assert_eq!(counts, (0, 0), "{:?}", status.last_reload);
}

fn events_of_several_packets_are_whole(flavor: Flavor) {
    let site = server(flavor);
    let case = Case::on(&site, &["t_blobs"]).expect("every server has these types");
    let mirror = case.mirror();
    let from = site.position();
    insert(&site, 1, 1_000_000);
    let around = last_event(&site, &from) - 1_000_000;
    let mut expected = vec![(1, 1_000_000)];
    // A packet has a byte before the event.
    for (id, packet) in (2..).zip([
        PACKET - 1,
        PACKET,
        PACKET + 1,
        2 * PACKET - 1,
        2 * PACKET,
        2 * PACKET + 1,
    ]) {
        let from = site.position();
        let length = packet - 1 - around;
        insert(&site, id, length);
        assert_eq!(
            last_event(&site, &from) + 1,
            packet,
            "what the test is about"
        );
        expected.push((id, length));
    }
    insert(&site, 20, 40_000_000);
    expected.push((20, 40_000_000));
    let from = site.position();
    site.run("UPDATE t_blobs SET plain = 'END' WHERE id = 20");
    let both = last_event(&site, &from);
    assert!(both > 80_000_000, "two images: {both} bytes");
    assert_rows(&case, &mirror, &expected);
    assert_eq!(&*mirror.snapshot().t_blobs().get(20).unwrap().plain, b"END");
    drop(mirror);
    // The same by SELECT.
    assert_rows(&case, &case.mirror(), &expected);
}

/// The limit is one for what clients send; a server's own stream has none below 1 GiB.
fn a_low_max_allowed_packet_does_not_cut_what_a_mirror_reads(flavor: Flavor) {
    let site = server(flavor);
    let case = Case::on(&site, &["t_blobs"]).expect("every server has these types");
    insert(&site, 1, 20_000_000);
    let mut large = site.conn();
    run_in(&mut large, "SET GLOBAL max_allowed_packet = 1048576");
    let mirror = case.mirror();
    // A session keeps the limit that it began with.
    run_in(
        &mut large,
        "INSERT INTO t_blobs SELECT 27, v10, v300, tiny, plain, medium, huge FROM t_blobs",
    );
    run_in(&mut large, "UPDATE t_blobs SET plain = 'END'");
    assert_rows(&case, &mirror, &[(1, 20_000_000), (27, 20_000_000)]);
}

/// A place within an event, where the bytes say that an event of 2 GiB follows: the server gives
/// it up with `max_allowed_packet`.
fn an_event_that_is_too_large_is_a_final_error_with_its_place(flavor: Flavor) {
    let site = server(flavor);
    let from = site.position();
    insert(&site, 1, 100_000);
    let end = site.position();
    let (file, end) = end.split_once(':').unwrap();
    let within = end.parse::<u64>().unwrap() - 50_000;
    assert!(from.starts_with(file));
    let start = format!("{file}:{within}");
    let url = site.server.url().parse().unwrap();
    let stream = StreamStart::File(start.parse().unwrap());
    let (mut source, _) = LiveSource::open(&url, &stream, StreamOptions::new(&url)).unwrap();
    let error = loop {
        match source.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ends"),
            Err(error) => break error,
        }
    };
    println!("{flavor}: {error}");
    assert!(!error.is_transient(), "{error}");
    let text = error.to_string();
    for part in ["max_allowed_packet", file, &within.to_string()] {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}
