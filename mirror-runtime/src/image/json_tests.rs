//! Tests of binary JSON: what it prints, and that damage is refused.

use super::json::*;
use crate::error::ValueError;

fn text(raw: &[u8]) -> Result<String, ValueError> {
    let mut out = Vec::new();
    write_json_text(&mut out, raw)?;
    Ok(String::from_utf8(out).unwrap())
}

fn ok(raw: &[u8]) -> String {
    text(raw).unwrap()
}

/// `{"a": 1, "bc": [true, "x", 70000]}`
const NESTED: &[u8] = &[
    0, 2, 0, 45, 0, 18, 0, 1, 0, 19, 0, 2, 0, 5, 1, 0, 2, 21, 0, b'a', b'b', b'c', 3, 0, 19, 0, 4,
    1, 0, 12, 13, 0, 7, 15, 0, 1, b'x', 0x70, 0x11, 1, 0, 0, 0, 0, 0, 0,
];

#[test]
fn objects_and_arrays_print_as_the_server_prints_them() {
    assert_eq!(ok(NESTED), r#"{"a": 1, "bc": [true, "x", 70000]}"#);
    assert_eq!(ok(&[0, 0, 0, 4, 0]), "{}");
    assert_eq!(ok(&[2, 0, 0, 4, 0]), "[]");
    // Large array with numbers of 32 bits in its entries.
    let large = [
        3, 2, 0, 0, 0, 18, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff, 8, 0xff, 0xff, 0xff, 0xff,
    ];
    assert_eq!(ok(&large), "[-1, 4294967295]");
}

#[test]
fn scalars_keep_their_kind_and_range() {
    assert_eq!(ok(&[]), "null");
    assert_eq!(ok(&[4, 0]), "null");
    assert_eq!(ok(&[4, 2]), "false");
    assert_eq!(ok(&[5, 0, 0x80]), "-32768");
    assert_eq!(ok(&[6, 0xff, 0xff]), "65535");
    assert_eq!(ok(&[9, 0, 0, 0, 0, 0, 0, 0, 0x80]), "-9223372036854775808");
    assert_eq!(
        ok(&[0xa, 255, 255, 255, 255, 255, 255, 255, 255]),
        "18446744073709551615"
    );
    let mut double = vec![0xb];
    double.extend(1.0f64.to_le_bytes());
    assert_eq!(ok(&double), "1.0");
    let long = [&[0xc, 0x80, 1][..], &[b'z'; 128]].concat();
    assert_eq!(ok(&long).len(), 130);
}

#[test]
fn opaque_values_print_as_the_server_prints_them() {
    let opaque = |field_type: u8, data: &[u8]| {
        let mut raw = vec![0xf, field_type, u8::try_from(data.len()).unwrap()];
        raw.extend_from_slice(data);
        ok(&raw)
    };
    assert_eq!(opaque(246, &[3, 2, 0x81, 99]), "1.99");
    assert_eq!(opaque(246, &[1, 1, 0x7a]), "-0.5");
    let time = |hms: i64, micros: i64| (hms << 24 | micros).to_le_bytes();
    assert_eq!(opaque(11, &time(0, 0)), "\"00:00:00.000000\"");
    let negative = -(((1 << 12 | 2 << 6 | 3) << 24) + 500_000i64);
    assert_eq!(opaque(11, &negative.to_le_bytes()), "\"-01:02:03.500000\"");
    let day = (2031 * 13 + 2) << 5 | 3i64;
    let midnight = (day << 41).to_le_bytes();
    assert_eq!(opaque(10, &midnight), "\"2031-02-03\"");
    let moment = ((day << 17 | 4 << 12 | 5 << 6 | 6) << 24).to_le_bytes();
    assert_eq!(opaque(12, &moment), "\"2031-02-03 04:05:06.000000\"");
    assert_eq!(opaque(15, &[0, 255]), "\"base64:type15:AP8=\"");
}

#[test]
fn a_hundred_containers_are_read_and_one_more_refused() {
    fn nested(depth: usize) -> Vec<u8> {
        let mut body = vec![0, 0, 4, 0];
        for _ in 1..depth {
            let size = u16::try_from(body.len() + 7).unwrap().to_le_bytes();
            body = [&[1, 0, size[0], size[1], 2, 7, 0][..], &body].concat();
        }
        [&[2][..], &body].concat()
    }
    assert_eq!(ok(&nested(100)), "[".repeat(100) + &"]".repeat(100));
    assert!(text(&nested(101)).is_err());
}

#[test]
fn parts_that_overlap_cannot_multiply_the_work() {
    // Arrays of two whose entries both point to the next array, 90 deep.
    let mut raw = vec![2];
    for level in 0..90u16 {
        let rest = ((90 - level) * 10 + 4).to_le_bytes();
        raw.extend([2, 0, rest[0], rest[1], 2, 10, 0, 2, 10, 0]);
    }
    raw.extend([0, 0, 4, 0]);
    assert_eq!(text(&raw), Err(OVERLAP));
    // A count that the bytes cannot hold.
    assert!(text(&[3, 255, 255, 255, 255, 9, 0, 0, 0, 4]).is_err());
    // An array that is its own element.
    assert!(text(&[2, 1, 0, 7, 0, 2, 0, 0]).is_err());
}

#[test]
fn truncated_and_mutated_documents_never_panic() {
    for length in 1..NESTED.len() {
        assert!(text(&NESTED[..length]).is_err(), "cut at {length}");
    }
    for at in 0..NESTED.len() {
        for byte in 0..=255 {
            let mut raw = NESTED.to_vec();
            raw[at] = byte;
            let mut out = Vec::new();
            let _ = write_json_text(&mut out, &raw);
            assert!(out.len() <= 8 * raw.len(), "{at} {byte}");
        }
    }
    assert!(text(&[4, 3]).is_err());
    assert!(text(&[0xd, 0, 0]).is_err());
    assert!(text(&[0xc, 0xff, 0xff, 0xff, 0xff, 0xff, 0]).is_err());
    assert!(text(&[0xf, 246, 2, 0, 0]).is_err());
    let infinite = [&[0xb][..], &f64::INFINITY.to_le_bytes()].concat();
    assert!(text(&infinite).is_err());
}
