//! Tests of GTID events: hand-made bodies, and every cut of them.

use super::*;
use crate::source::event::testing::with_event;

fn parse(type_code: u8, body: &[u8]) -> Result<Option<GtidEvent>, SourceError> {
    with_event(type_code, body, GtidEvent::parse)
}

/// flags, uuid 01 01 .., number 5, logical clock, commit times, length 300, version.
fn mysql_body(immediate: u64, original: Option<u64>) -> Vec<u8> {
    let mut body = vec![1];
    body.extend([1; 16]);
    body.extend(5_u64.to_le_bytes());
    body.push(2);
    body.extend([0; 16]);
    let marked = immediate | if original.is_some() { 1 << 55 } else { 0 };
    body.extend(&marked.to_le_bytes()[..7]);
    if let Some(original) = original {
        body.extend(&original.to_le_bytes()[..7]);
    }
    body.extend([0xfc, 44, 1]);
    body.extend(90_704_u32.to_le_bytes());
    body
}

#[test]
fn mysql_gtid_has_its_commit_times() {
    let event = parse(event_type::GTID, &mysql_body(1_900_000_000_123_456, None))
        .unwrap()
        .unwrap();
    assert_eq!(
        event.gtid.map(|gtid| gtid.to_string()).as_deref(),
        Some("01010101-0101-0101-0101-010101010101:5")
    );
    assert_eq!(event.committed_at_micros, Some(1_900_000_000_123_456));
    assert_eq!(
        event.originally_committed_at_micros,
        Some(1_900_000_000_123_456)
    );
    assert_eq!(event.transaction_length, Some(300));

    let body = mysql_body(1_900_000_000_123_456, Some(1_800_000_000_000_001));
    let event = parse(event_type::ANONYMOUS_GTID, &body).unwrap().unwrap();
    assert_eq!(event.gtid, None);
    assert_eq!(event.committed_at_micros, Some(1_900_000_000_123_456));
    assert_eq!(
        event.originally_committed_at_micros,
        Some(1_800_000_000_000_001)
    );
}

#[test]
fn numbers_that_no_transaction_has_are_refused() {
    for (number, valid) in [
        (0, false),
        (1, true),
        (i64::MAX as u64 - 1, true),
        (i64::MAX as u64, false),
        (u64::MAX, false),
    ] {
        let mut body = mysql_body(7, None);
        body[17..25].copy_from_slice(&number.to_le_bytes());
        let parsed = parse(event_type::GTID, &body);
        assert_eq!(parsed.is_ok(), valid, "{number}");
        // Without GTIDs there is no number to be judged.
        assert!(parse(event_type::ANONYMOUS_GTID, &body).is_ok());
    }
}

#[test]
fn mysql_gtid_of_old_versions_is_shorter() {
    let body = mysql_body(7, None);
    for length in [25, 42] {
        let event = parse(event_type::GTID, &body[..length]).unwrap().unwrap();
        assert!(event.gtid.is_some());
        assert_eq!(event.committed_at_micros, None);
    }
    for length in 0..25 {
        assert!(parse(event_type::GTID, &body[..length]).is_err());
    }
}

/// A body as MySQL's serialization library writes it, all numbers below 128 in one byte.
fn tagged_body(tag: &str, extra: &[u8]) -> Vec<u8> {
    let mut fields = vec![0, 2, 2];
    fields.extend([2; 16]);
    fields.extend([4, 5 << 2, 6, (tag.len() as u8) << 1]);
    fields.extend(tag.as_bytes());
    fields.extend([8, 0, 10, 1 << 2, 12, 100 << 1, 16, 77 << 1]);
    fields.extend(extra);
    let mut body = vec![2 << 1, ((fields.len() + 3) as u8) << 1, 10 << 1];
    body.extend(fields);
    body
}

#[test]
fn tagged_gtid_is_read_field_by_field() {
    let event = parse(event_type::GTID_TAGGED, &tagged_body("blue", &[]))
        .unwrap()
        .unwrap();
    assert_eq!(
        event.gtid.map(|gtid| gtid.to_string()).as_deref(),
        Some("01010101-0101-0101-0101-010101010101:blue:5")
    );
    assert_eq!(event.flags, 1);
    assert_eq!(event.committed_at_micros, Some(100));
    assert_eq!(event.originally_committed_at_micros, Some(100));
    assert_eq!(event.transaction_length, Some(77));
}

#[test]
fn unknown_fields_at_the_end_of_a_tagged_gtid_are_passed_over() {
    let body = tagged_body("blue", &[12 << 1, 0xff, 0xff]);
    assert!(parse(event_type::GTID_TAGGED, &body).unwrap().is_some());
    let mut needed = tagged_body("blue", &[]);
    needed[2] = 12 << 1;
    assert!(parse(event_type::GTID_TAGGED, &needed).is_err());
}

#[test]
fn every_cut_of_a_tagged_gtid_is_an_error() {
    let body = tagged_body("blue", &[]);
    for length in 0..body.len() {
        assert!(parse(event_type::GTID_TAGGED, &body[..length]).is_err());
    }
    assert!(parse(event_type::GTID_TAGGED, &tagged_body("b-", &[])).is_err());
}

#[test]
fn mariadb_gtid_takes_its_server_from_the_header() {
    let mut body = 9_u64.to_le_bytes().to_vec();
    body.extend(3_u32.to_le_bytes());
    body.push(mariadb_gtid_flags::STANDALONE | mariadb_gtid_flags::DDL);
    body.extend([0; 6]);
    let event = parse(event_type::MARIADB_GTID, &body).unwrap().unwrap();
    assert_eq!(
        event.gtid.map(|gtid| gtid.to_string()).as_deref(),
        Some("3-7-9")
    );
    assert_eq!(event.flags, 33);
    assert_eq!(event.commit_id, None);
    assert!(parse(event_type::MARIADB_GTID, &body[..12]).is_err());
}

#[test]
fn mariadb_gtid_has_group_and_xa_when_it_says_so() {
    let mut body = 9_u64.to_le_bytes().to_vec();
    body.extend(0_u32.to_le_bytes());
    body.push(mariadb_gtid_flags::GROUP_COMMIT_ID | mariadb_gtid_flags::PREPARED_XA);
    body.extend(88_u64.to_le_bytes());
    body.extend(1_u32.to_le_bytes());
    body.extend([2, 1]);
    body.extend(b"abc");
    let event = parse(event_type::MARIADB_GTID, &body).unwrap().unwrap();
    assert_eq!(event.commit_id, Some(88));
    assert_eq!(event.xa, Some((1, b"ab".to_vec(), b"c".to_vec())));
    for length in 13..body.len() {
        assert!(parse(event_type::MARIADB_GTID, &body[..length]).is_err());
    }
}

#[test]
fn mariadb_gtid_tells_the_phases_of_an_alter() {
    let mut body = 9_u64.to_le_bytes().to_vec();
    body.extend(0_u32.to_le_bytes());
    body.push(mariadb_gtid_flags::STANDALONE | mariadb_gtid_flags::DDL);
    body.extend([mariadb_gtid_flags::START_ALTER, 0, 0, 0, 0, 0]);
    let event = parse(event_type::MARIADB_GTID, &body).unwrap().unwrap();
    assert_eq!(event.extra_flags, mariadb_gtid_flags::START_ALTER);
    // Behind the number of a group commit.
    body[12] |= mariadb_gtid_flags::GROUP_COMMIT_ID;
    body.truncate(13);
    body.extend(88_u64.to_le_bytes());
    let event = parse(event_type::MARIADB_GTID, &body).unwrap().unwrap();
    assert_eq!(event.extra_flags, 0);
    body.push(mariadb_gtid_flags::ROLLBACK_ALTER);
    let event = parse(event_type::MARIADB_GTID, &body).unwrap().unwrap();
    assert_eq!(event.extra_flags, mariadb_gtid_flags::ROLLBACK_ALTER);
}

#[test]
fn other_events_are_no_gtids() {
    assert_eq!(parse(event_type::XID, &[0; 8]).unwrap(), None);
}
