use super::super::test_support::{event, feed, packed};
use super::*;
use crate::charset::Charset;
use crate::image::test_support::{layout, named};
use crate::layout::{ColumnLayout, ColumnType, TableLayout};

/// GTID and TRANSACTION_PAYLOAD of MySQL 9.7.4: BEGIN, INSERT of two rows, SAVEPOINT, an
/// UPDATE that was rolled back to it, DELETE, XID.
const GTID: &str = "0096fb3828ece911f1ac1202fc000000010f000000000000000200000000000000000100000000\
    0000000e44c25b826106fc2d0150620100";
const PAYLOAD: &str = "0201000303fc7e010101bb0028b52ffd607e008d0500b2c81f2a806b1a0330911199d4d25a08\
    03330bebc8f58cb805bc289121d6a368383c751ed881b44094f1db963205ff7fe3138565c44c9345cc6559b02a13b95\
    4b64fb76f3a1bfcf5b9ef06c742a48375f2a8e42c407a8ee0aeba634b807ba74b5db9872034eaf32e8b524996cfc353\
    921d070315e8a82b5e173c3df9476835eaf30215002005ecd14c06b00e28834070cf482f38ac66d465b1006801bb048\
    23dd006fc3ac2d6dc4696f5807860e4017801";
/// XA START, INSERT, XA END and XA PREPARE in a payload of MySQL 9.7.4.
const XA_PAYLOAD: &str = "0201000303fc29010101af0028b52ffd6029002d050042081f2b80c5690c60266442c0585a\
    4b4164743400d7ab6678c75ac4e9f0c0d482c63ebec80383b741b2a1b6a54c01d9bfbe60482653e592edef9efb6e800\
    a0025ac4f46256603ce33c0edaa3b650b6ec774a9ebf51184056d5a2382304610f280f15516a9a29e1497cfc3d391d8\
    e50493e6a7275e1ffc4cbd63b316b469011100bb8ca01804026790299c4b6734057d608c4030029a03175a615d6e39c\
    bd2406830c800bc";
/// GTID, TABLE_MAP, UPDATE_ROWS_COMPRESSED_V1 and XID of MariaDB 10.11.19, and a TRUNCATE in a
/// QUERY_COMPRESSED.
const MARIADB_GTID: &str = "0500000000000000000000000c000000000000";
const MARIADB_MAP: &str =
    "120000000000010001640001740002030f0214000201010002010804050269640176080100";
const MARIADB_UPDATE: &str =
    "12000000000001000203038114789cfbc3c8c0c0c09c9f97fa07c4602dc9284a4d050035cd055d";
const MARIADB_XID: &str = "1300000000000000";
const MARIADB_TRUNCATE_GTID: &str = "07000000000000000000000029000000000000";
const MARIADB_TRUNCATE: &str = "05000000000000000100001a0000000000010100002054000000000603737464042d\
    002d00080064008110789c2b292acd4b4e2c495528494cca01920036cd0623";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// `d.t (id INT PRIMARY KEY, v VARCHAR(20))`
fn reader(charset: Charset, max_bytes: u32) -> TransactionReader {
    let v = ColumnLayout {
        charset: Some(charset),
        ..named("v", 1, true, ColumnType::VarChar { max_bytes })
    };
    let id = named("id", 0, false, ColumnType::Int { unsigned: false });
    let table: &'static TableLayout = layout(vec![id, v], 2);
    TransactionReader::new(&[table], &[true])
}

fn mysql_reader() -> TransactionReader {
    reader(Charset::Utf8mb4, 80)
}

const MYSQL_TOLD: [&str; 3] = [
    "Insert of 0 at b.000001:300: 1=one 2=two",
    "Delete of 0 at b.000001:300: 2=two",
    "commit 15 at b.000001:300",
];

/// The events of [`PAYLOAD`] as they stand in it.
fn inner_events() -> Vec<Vec<u8>> {
    let body = bytes(PAYLOAD);
    let payload = TransactionPayload::parse(&body).unwrap();
    let mut rest = &zstd::decode_all(payload.payload).unwrap()[..];
    let mut events = Vec::new();
    while let Some(size) = rest.get(9..13) {
        let size = u32::from_le_bytes(size.try_into().unwrap()) as usize;
        let (event, behind) = rest.split_at(size);
        events.push(event.to_vec());
        rest = behind;
    }
    assert_eq!(events.len(), 7);
    events
}

/// The body of a payload of these events.
fn body_of(events: &[Vec<u8>]) -> Vec<u8> {
    [&[2, 1, 0, 0][..], &packed(&events.concat())].concat()
}

fn feed_payload(body: &[u8]) -> (Result<(), Error>, Vec<String>) {
    feed(&mut mysql_reader(), &[(33, &bytes(GTID)), (40, body)])
}

#[test]
fn a_payload_is_a_transaction_that_ends_where_the_payload_ends() {
    let (result, told) = feed_payload(&bytes(PAYLOAD));
    assert_eq!(result, Ok(()));
    assert_eq!(told, MYSQL_TOLD);
    assert_eq!(feed_payload(&body_of(&inner_events())).1, MYSQL_TOLD);
}

#[test]
fn a_payload_that_is_not_compressed_gives_the_same() {
    let body = [&[2, 3, 0xfc, 0xff, 0, 0][..], &inner_events().concat()].concat();
    let (result, told) = feed_payload(&body);
    assert_eq!(result, Ok(()));
    assert_eq!(told, MYSQL_TOLD);
}

#[test]
fn prepared_rows_of_a_payload_stay_invisible() {
    let mut reader = mysql_reader();
    let xa = bytes(XA_PAYLOAD);
    let (result, told) = feed(&mut reader, &[(33, &bytes(GTID)), (40, &xa)]);
    assert_eq!(result, Ok(()));
    assert_eq!(
        told[1..],
        ["abandon", "commit 15 at b.000001:300"].map(String::from)
    );
}

#[test]
fn a_cut_payload_is_an_error_and_commits_nothing() {
    let body = bytes(PAYLOAD);
    let compressed = packed(&inner_events().concat());
    for length in 0..body.len() {
        check_refused(&body[..length]);
    }
    for length in 0..compressed.len() {
        // Without its size, so that the compressed bytes are all there is to tell.
        check_refused(&[&[2, 1, 0, 0][..], &compressed[..length]].concat());
    }
}

fn check_refused(body: &[u8]) -> String {
    let mut reader = mysql_reader();
    let (result, told) = feed(&mut reader, &[(33, &bytes(GTID)), (40, body)]);
    let error = result.unwrap_err().to_string();
    assert!(error.contains("b.000001:300"), "{error}");
    assert!(
        !told.iter().any(|line| line.starts_with("commit")),
        "{told:?}"
    );
    // The same reader takes the whole transaction after a restart.
    reader.restart();
    let whole = bytes(PAYLOAD);
    let (result, told) = feed(&mut reader, &[(33, &bytes(GTID)), (40, &whole)]);
    assert_eq!(
        (result, &told[..]),
        (Ok(()), &MYSQL_TOLD.map(String::from)[..])
    );
    error
}

#[test]
fn no_damage_to_a_payload_makes_it_panic_or_commit_twice() {
    let body = bytes(PAYLOAD);
    for at in 0..body.len() {
        for bit in 0..8 {
            let mut damaged = body.clone();
            damaged[at] ^= 1 << bit;
            // Values may be others then; the checksum of the event tells.
            let (_, told) = feed_payload(&damaged);
            let commits = told
                .iter()
                .filter(|line| line.starts_with("commit"))
                .count();
            assert!(commits <= 1, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn events_that_stand_outside_transactions_are_refused_within_a_payload() {
    let nested = event(40, &bytes(PAYLOAD));
    let gtid = event(33, &bytes(GTID));
    for (bad, name) in [
        (nested, "TRANSACTION_PAYLOAD_EVENT"),
        (gtid, "GTID_EVENT"),
        (event(4, b"\x04\0\0\0\0\0\0\0b.000002"), "ROTATE_EVENT"),
        (event(15, &[0; 100]), "FORMAT_DESCRIPTION_EVENT"),
        (event(162, &[0; 19]), "GTID_EVENT (MariaDB)"),
        (event(77, b"?"), "unknown event type 77"),
    ] {
        let mut events = inner_events();
        events.insert(3, bad);
        let error = check_refused(&body_of(&events));
        assert!(error.contains(name), "{name}: {error}");
    }
}

#[test]
fn an_ignorable_event_within_a_payload_is_passed_over() {
    let mut events = inner_events();
    let mut unknown = event(77, b"?");
    unknown[17] = 0x80;
    events.insert(3, unknown);
    assert_eq!(feed_payload(&body_of(&events)).1, MYSQL_TOLD);
}

#[test]
fn a_payload_without_an_end_or_with_more_behind_it_is_refused() {
    let events = inner_events();
    let error = check_refused(&body_of(&events[..6]));
    assert!(error.contains("no end"), "{error}");
    check_refused(&body_of(&[]));
    let twice = [&events[..], &events[..]].concat();
    let error = check_refused(&body_of(&twice));
    assert!(error.contains("goes on"), "{error}");
}

#[test]
fn a_stream_does_not_start_with_a_payload() {
    let (result, told) = feed(&mut mysql_reader(), &[(40, &bytes(PAYLOAD))]);
    let error = result.unwrap_err().to_string();
    assert!(error.contains("starts inside a transaction"), "{error}");
    assert_eq!(told, [""; 0]);
}

#[test]
fn compressed_rows_and_statements_of_mariadb_are_taken_like_plain_ones() {
    let mut reader = reader(Charset::Latin1, 20);
    let (gtid, map, update, xid) = (
        bytes(MARIADB_GTID),
        bytes(MARIADB_MAP),
        bytes(MARIADB_UPDATE),
        bytes(MARIADB_XID),
    );
    let (truncate_gtid, truncate) = (bytes(MARIADB_TRUNCATE_GTID), bytes(MARIADB_TRUNCATE));
    let (result, told) = feed(
        &mut reader,
        &[
            (162, &gtid),
            (19, &map),
            (167, &update),
            (16, &xid),
            (162, &truncate_gtid),
            (165, &truncate),
        ],
    );
    assert_eq!(result, Ok(()));
    assert_eq!(
        told,
        [
            "Update of 0 at b.000001:400: 1=one 1=three",
            "commit 5 at b.000001:500",
            "truncate 0",
            "commit 7 at b.000001:700"
        ]
    );
    // Version 2 has extra data behind the flags.
    let extra = [2, 0];
    let version_2 = [&update[..8], &extra, &update[8..]].concat();
    let (result, told) = feed(&mut reader, &[(162, &gtid), (19, &map), (170, &version_2)]);
    assert_eq!(result, Ok(()));
    assert_eq!(told, ["Update of 0 at b.000001:400: 1=one 1=three"]);
}

#[test]
fn cut_compressed_events_of_mariadb_are_errors() {
    let (gtid, map) = (bytes(MARIADB_GTID), bytes(MARIADB_MAP));
    for (type_code, body) in [(167, bytes(MARIADB_UPDATE)), (165, bytes(MARIADB_TRUNCATE))] {
        for length in 0..body.len() {
            let events: [(u8, &[u8]); 3] = [(162, &gtid), (19, &map), (type_code, &body[..length])];
            let (result, told) = feed(&mut reader(Charset::Latin1, 20), &events);
            assert!(result.is_err(), "{type_code}: {length} bytes");
            assert_eq!(told, [""; 0]);
        }
    }
}

#[test]
fn compressed_rows_of_other_tables_are_not_decompressed() {
    let mut reader = mysql_reader();
    let (gtid, mut map) = (bytes(MARIADB_GTID), bytes(MARIADB_MAP));
    map[9] = b'e';
    let garbage = [&bytes(MARIADB_UPDATE)[..11], &[1, 2, 3]].concat();
    let (result, told) = feed(&mut reader, &[(162, &gtid), (19, &map), (167, &garbage)]);
    assert_eq!(result, Ok(()));
    assert_eq!(told, [""; 0]);
}

#[test]
fn each_compressed_type_of_mariadb_has_its_plain_type() {
    let pairs: Vec<(u8, u8)> = (0..=255)
        .filter_map(|code| plain_rows_type(code).map(|plain| (code, plain)))
        .collect();
    let expected = [
        (166, 23),
        (167, 24),
        (168, 25),
        (169, 30),
        (170, 31),
        (171, 32),
    ];
    assert_eq!(pairs, expected);
}
