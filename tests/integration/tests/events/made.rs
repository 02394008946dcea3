//! Events that no server here writes, made behind the end of a file that a real one has written:
//! those of servers before MySQL 5.1, of group replication, HEARTBEAT_V2 (sent to who asks for
//! it, which the mirror does not), IGNORABLE, DELETE_FILE (gives up a LOAD DATA), and version 2
//! of MariaDB's compressed rows.

use std::path::PathBuf;

use integration::World;
use integration::stream::{Seen, read};
use lab::Flavor;
use mirror_runtime::source::{RecordedSource, TruncatedTail};
use mirror_runtime::{Error, EventPolicy, TableError, event_policy};
use mysql::{BinlogDumpFlags, BinlogRequest};

pub(super) const CODES: &[u8] = &[
    1, 6, 7, 8, 10, 11, 12, 20, 21, 22, 28, 36, 37, 41, 169, 170, 171,
];

const MADE_BODY: [u8; 20] = [0; 20];
const IGNORABLE: u16 = 0x80;

/// A file that a server has written, whole, with the tables' rows in it.
struct Recorded {
    bytes: Vec<u8>,
    tables: Vec<String>,
    folder: tempfile::TempDir,
}

impl Recorded {
    fn new(flavor: Flavor) -> Self {
        let world = World::start(flavor);
        // Old servers log no names of columns: no definition may stand before the rows.
        world.run("FLUSH BINARY LOGS");
        world.run("INSERT INTO fire_a VALUES (1, 1, 'x'), (2, 2, 'y')");
        world.run("UPDATE fire_a SET n = 3 WHERE id = 1");
        world.run("DELETE FROM fire_a WHERE id = 2");
        world.run("FLUSH BINARY LOGS");
        let path = world.server.dir().join("data").join("binlog.000002");
        Self {
            bytes: std::fs::read(path).unwrap(),
            tables: world.tables(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The file with an event more at its end.
    fn with(&self, code: u8, flags: u16, body: &[u8]) -> PathBuf {
        let mut bytes = self.bytes.clone();
        let end = bytes.len() + 19 + body.len() + 4;
        bytes.extend(event(code, flags, body, end));
        let path = self.folder.path().join(format!("made.{code}"));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn read(&self, path: PathBuf) -> (Seen, Result<(), Error>) {
        let mut source = RecordedSource::open([path], TruncatedTail::Error).unwrap();
        read(&mut source, &self.tables)
    }
}

/// An event with its checksum.
fn event(code: u8, flags: u16, body: &[u8], end: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(1_900_000_000_u32.to_le_bytes());
    bytes.push(code);
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(u32::try_from(19 + body.len() + 4).unwrap().to_le_bytes());
    bytes.extend(u32::try_from(end).unwrap().to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend(body);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[test]
fn made_events_are_passed_over_or_stop_as_the_table_says() {
    let recorded = Recorded::new(Flavor::Mysql);
    let (whole, result) = recorded.read(recorded.with(4, 0, b"\x04\0\0\0\0\0\0\0binlog.000003"));
    result.unwrap();
    assert!(
        whole
            .told
            .iter()
            .filter(|told| told.starts_with("rows"))
            .count()
            >= 3
    );
    for &code in CODES.iter().filter(|code| **code < 160) {
        let (seen, result) = recorded.read(recorded.with(code, 0, &MADE_BODY));
        assert_eq!(seen.codes.get(&code), Some(&1), "it was read");
        match event_policy(code) {
            EventPolicy::Ignore(_) => {
                result.unwrap_or_else(|error| panic!("code {code}: {error}"));
                assert_eq!(seen.told, whole.told, "code {code}");
            }
            EventPolicy::Stop(what) => {
                let error = result.expect_err("it must stop");
                assert_stops(&error, &[what, "newer server"]);
            }
            other => panic!("code {code} is made, and is {other:?}"),
        }
    }
}

#[test]
fn a_code_that_is_not_known_stops_unless_it_may_be_ignored() {
    let recorded = Recorded::new(Flavor::Mysql);
    for code in [0, 43, 99, 159, 172, 255] {
        assert_eq!(event_policy(code), EventPolicy::Unknown);
        let (_, result) = recorded.read(recorded.with(code, 0, &MADE_BODY));
        let error = result.expect_err("it must stop");
        assert_stops(
            &error,
            &[&format!("event type {code}"), "newer than this version"],
        );
        let (seen, result) = recorded.read(recorded.with(code, IGNORABLE, &MADE_BODY));
        result.unwrap_or_else(|error| panic!("code {code}: {error}"));
        assert_eq!(seen.codes.get(&code), Some(&1));
    }
}

/// The body is one that a server sends to a replica that asks for it: the mirror does not.
#[test]
fn signs_of_life_with_long_positions_are_passed_over() {
    let world = World::start(Flavor::Mysql);
    if world.version() < (8, 0, 26) {
        return world.does_not_apply("it has no HEARTBEAT_V2");
    }
    let mut conn = world.conn();
    integration::run_in(&mut conn, "SET @source_heartbeat_period = 200000000");
    integration::run_in(&mut conn, "SET @source_binlog_checksum = 'CRC32'");
    // The bit by which a replica asks (MySQL source: USE_HEARTBEAT_EVENT_V2).
    let flags = BinlogDumpFlags::BINLOG_THROUGH_POSITION | BinlogDumpFlags::BINLOG_THROUGH_GTID;
    let request = BinlogRequest::new(4242).with_use_gtid(true).with_pos(4_u64);
    let mut stream = conn.get_binlog_stream(request.with_flags(flags)).unwrap();
    let heartbeat = stream
        .find_map(|event| {
            let event = event.unwrap();
            (event.header().event_type_raw() == 41).then(|| event.data().to_vec())
        })
        .unwrap();
    drop(stream);
    let recorded = Recorded::new(Flavor::Mysql);
    let (seen, result) = recorded.read(recorded.with(41, 0, &heartbeat));
    result.unwrap();
    assert_eq!(seen.codes.get(&41), Some(&1));
}

fn assert_stops(error: &Error, parts: &[&str]) {
    let Error::Table(TableError::Unsupported { .. }) = error else {
        panic!("another error: {error}")
    };
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

/// MariaDB writes version 1 of its compressed rows only; version 2 differs by the two bytes that
/// say how long more data is. Real rows of version 1 are made into such ones.
#[test]
fn version_2_of_compressed_rows_is_read_as_version_1() {
    let world = World::start_with(Flavor::Mariadb, &integration::compressing(Flavor::Mariadb));
    world.run("INSERT INTO fire_a VALUES (1, 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaa'), (2, 2, 'b')");
    world.run("UPDATE fire_a SET tag = 'cccccccccccccccccccccccccccccccccc' WHERE id = 1");
    world.run("DELETE FROM fire_a WHERE id = 1");
    world.run("FLUSH BINARY LOGS");
    let path = world.server.dir().join("data").join("binlog.000001");
    let (bytes, changed) = as_version_2(&std::fs::read(&path).unwrap());
    assert_eq!(changed, 3 + 1, "the marker's row is the fourth");
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("binlog.000001");
    std::fs::write(&made, bytes).unwrap();
    let tables = world.tables();
    let read_file = |path| {
        let mut source = RecordedSource::open([path], TruncatedTail::Error).unwrap();
        let (seen, result) = read(&mut source, &tables);
        result.unwrap();
        seen
    };
    let (one, two) = (read_file(path), read_file(made));
    assert!(
        one.has(&[166, 167, 168]) && !two.has(&[166]),
        "{one:?} {two:?}"
    );
    assert!(two.has(&[169, 170, 171]), "{two:?}");
    assert_eq!(one.told, two.told);
    assert_eq!(two.count("rows fire_a"), 3, "{two:?}");
}

/// A binlog file with its rows of 166 to 168 as those of 169 to 171, and how many these are.
fn as_version_2(file: &[u8]) -> (Vec<u8>, usize) {
    let mut made = file[..4].to_vec();
    let (mut rest, mut changed) = (&file[4..], 0);
    while let Some(header) = rest.first_chunk::<19>() {
        let size = u32::from_le_bytes(header[9..13].try_into().unwrap()) as usize;
        let (one, behind) = rest.split_at(size);
        rest = behind;
        let code = header[4];
        if !(166..=168).contains(&code) {
            made.extend(one);
            continue;
        }
        // Table id (6 bytes) and flags (2); then version 2 has a length that counts itself.
        let (body, flags) = (
            &one[19..size - 4],
            u16::from_le_bytes([header[17], header[18]]),
        );
        let body = [&body[..8], &[2, 0], &body[8..]].concat();
        made.extend(event(code + 3, flags, &body, 0));
        changed += 1;
    }
    (made, changed)
}
