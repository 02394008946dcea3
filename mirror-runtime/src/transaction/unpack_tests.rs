use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::super::test_support::{event, packed, payload};
use super::*;

fn unpacker(event: u64, payload: u64) -> Unpacker {
    Unpacker {
        limits: Limits { event, payload },
        ..Unpacker::default()
    }
}

fn unlimited() -> Unpacker {
    Unpacker::default()
}

/// Type codes and body lengths of the payload's events, whether the last was marked.
fn read(
    unpacker: &mut Unpacker,
    payload: &TransactionPayload<'_>,
) -> Result<Vec<(u8, usize, bool)>, UnpackError> {
    let mut events = unpacker.open(payload)?;
    let mut read = Vec::new();
    while let Some(event) = events.next()? {
        read.push((event.header.type_code, event.body.len(), event.is_last));
    }
    Ok(read)
}

fn zstd(bytes: &[u8]) -> TransactionPayload<'static> {
    payload(
        TransactionPayload::ZSTD,
        Some(bytes.len() as u64),
        &packed(bytes),
    )
}

fn sample() -> Vec<u8> {
    let big: Vec<u8> = (0..300_000_u32)
        .flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_le_bytes())
        .collect();
    [event(2, b"BEGIN"), event(30, &big), event(16, &[0; 8])].concat()
}

const SAMPLE: [(u8, usize, bool); 3] = [(2, 5, false), (30, 1_200_000, false), (16, 8, true)];

#[test]
fn events_come_one_by_one_from_both_kinds_of_payload_and_the_last_is_marked() {
    let bytes = sample();
    let mut unpacker = unlimited();
    assert_eq!(read(&mut unpacker, &zstd(&bytes)).unwrap(), SAMPLE);
    let plain = payload(TransactionPayload::NONE, None, &bytes);
    assert_eq!(read(&mut unpacker, &plain).unwrap(), SAMPLE);
    let none = zstd(b"");
    assert_eq!(read(&mut unpacker, &none), Err(UnpackError::Empty));
}

#[test]
fn frames_behind_each_other_are_one_payload() {
    let bytes = sample();
    let (one, other) = bytes.split_at(1000);
    let frames = [packed(one), packed(other)].concat();
    let payload = payload(TransactionPayload::ZSTD, Some(bytes.len() as u64), &frames);
    assert_eq!(read(&mut unlimited(), &payload).unwrap(), SAMPLE);
}

#[test]
fn a_context_serves_again_after_a_payload_that_was_left_in_its_middle() {
    let bytes = sample();
    let mut unpacker = unlimited();
    for _ in 0..3 {
        let payload = zstd(&bytes);
        let mut events = unpacker.open(&payload).unwrap();
        assert!(events.next().unwrap().is_some());
        assert_eq!(read(&mut unpacker, &payload).unwrap(), SAMPLE);
    }
}

#[test]
fn the_last_event_is_not_given_when_the_payload_is_cut() {
    let bytes = [event(2, b"BEGIN"), event(16, &[0; 8])].concat();
    let whole = packed(&bytes);
    for length in 0..whole.len() {
        for declared in [None, Some(bytes.len() as u64)] {
            let cut = payload(TransactionPayload::ZSTD, declared, &whole[..length]);
            let mut unpacker = unlimited();
            let mut given = 0;
            let result = unpacker.open(&cut).and_then(|mut events| {
                while events.next()?.is_some() {
                    given += 1;
                }
                Ok(())
            });
            assert!(result.is_err(), "{length} bytes");
            assert!(given < 2, "{length} bytes");
        }
    }
    for length in 1..bytes.len() {
        let cut = payload(TransactionPayload::NONE, None, &bytes[..length]);
        let result = read(&mut unlimited(), &cut);
        let between = length == event(2, b"BEGIN").len();
        assert_eq!(result.is_err(), !between, "{length} bytes: {result:?}");
    }
}

#[test]
fn a_wrong_declared_size_is_an_error_with_both_numbers() {
    let bytes = sample();
    for (wrong, goes_on) in [
        (0, true),
        (100, true),
        (1_200_050, true),
        (1_200_100, false),
    ] {
        let payload = payload(TransactionPayload::ZSTD, Some(wrong), &packed(&bytes));
        match read(&mut unlimited(), &payload).unwrap_err() {
            UnpackError::Size {
                declared,
                goes_on: more,
                ..
            } => assert_eq!((declared, more), (wrong, goes_on)),
            other => panic!("{wrong}: {other}"),
        }
    }
}

#[test]
fn zeros_without_end_are_refused_at_their_first_header() {
    let bomb = packed(&vec![0; 64 << 20]);
    assert!(bomb.len() < 10_000, "{} bytes", bomb.len());
    let mut unpacker = unlimited();
    let payload = payload(TransactionPayload::ZSTD, None, &bomb);
    let error = read(&mut unpacker, &payload).unwrap_err();
    assert_eq!(error, UnpackError::EventSize(0));
    assert!(unpacker.buffer.capacity() <= STEP_BYTES);
}

#[test]
fn an_event_or_payload_beyond_its_limit_is_refused_with_the_limit() {
    let bytes = sample();
    let result = read(&mut unpacker(1_000_000, u64::MAX), &zstd(&bytes));
    assert_eq!(result, Err(UnpackError::EventTooLarge { limit: 1_000_000 }));
    let many = event(28, &[0; 1000]).repeat(50_000);
    let bomb = packed(&many);
    assert!(bomb.len() < 100_000, "{} bytes", bomb.len());
    let bomb = payload(TransactionPayload::ZSTD, None, &bomb);
    let limit = 5_000_000;
    let result = read(&mut unpacker(u64::MAX, limit), &bomb);
    assert_eq!(result, Err(UnpackError::PayloadTooLarge { limit }));
    assert_eq!(
        read(&mut unpacker(u64::MAX, many.len() as u64), &bomb)
            .unwrap()
            .len(),
        50_000
    );
}

#[test]
fn memory_is_not_set_aside_for_what_an_event_says_of_itself() {
    let mut header = event(30, b"")[..EventHeader::LEN].to_vec();
    header[9..13].copy_from_slice(&(1_u32 << 30).to_le_bytes());
    header.extend([7; 100]);
    let mut unpacker = unlimited();
    let result = read(&mut unpacker, &zstd(&header));
    assert_eq!(result, Err(UnpackError::EndsWithinEvent));
    assert!(unpacker.buffer.capacity() <= STEP_BYTES);

    // 1 GiB, and two bytes of a stream.
    let result = unpacker.inflate(&[0x84, 0x40, 0, 0, 0, 0x78, 0x9c]);
    assert_eq!(result, Err(UnpackError::Truncated));
    assert!(unpacker.buffer.capacity() <= STEP_BYTES);
}

#[test]
fn a_large_event_does_not_keep_its_memory() {
    let bytes = [event(30, &vec![1; 20 << 20]), event(16, &[0; 8])].concat();
    let mut unpacker = unlimited();
    assert_eq!(read(&mut unpacker, &zstd(&bytes)).unwrap().len(), 2);
    assert!(unpacker.buffer.capacity() >= 20 << 20);
    unpacker.trim();
    assert!(unpacker.buffer.capacity() <= STEP_BYTES);
}

#[test]
fn unknown_methods_are_named() {
    let payload = payload(7, None, b"abc");
    let error = read(&mut unlimited(), &payload).unwrap_err();
    assert!(error.to_string().contains("method 7"), "{error}");
    let error = unlimited().inflate(&[0x91, 1, 0x78, 0x9c]).unwrap_err();
    assert!(error.to_string().contains("method 1"), "{error}");
}

/// As MariaDB writes it, with the size in so many bytes.
fn deflated(bytes: &[u8], size: u32, width: usize) -> Vec<u8> {
    let mut block = vec![0x80 | width as u8];
    block.extend(&size.to_be_bytes()[4 - width..]);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    block.extend(encoder.finish().unwrap());
    block
}

#[test]
fn sizes_of_one_to_four_bytes_are_read() {
    // A statement as MariaDB 10.11.19 logged it.
    let real =
        b"\x81\x10\x78\x9c\x2b\x29\x2a\xcd\x4b\x4e\x2c\x49\x55\x28\x49\x4c\xca\x49\x55\x28\x01\x00";
    let short = unlimited().inflate(real).unwrap_err();
    assert_eq!(short, UnpackError::Truncated);
    let mut unpacker = unlimited();
    for (length, width) in [(1, 1), (255, 1), (256, 2), (70_000, 3), (2 << 20, 4)] {
        let bytes: Vec<u8> = (0..length).map(|n: u32| (n % 251) as u8).collect();
        let block = deflated(&bytes, length, width);
        assert!(unpacker.inflate(&block).unwrap() == bytes, "{length} bytes");
    }
}

#[test]
fn a_compressed_part_that_is_cut_wrong_or_too_large_is_an_error() {
    let bytes = b"three three three three three";
    let whole = deflated(bytes, 29, 1);
    assert_eq!(unlimited().inflate(&whole).unwrap(), bytes);
    for length in 0..whole.len() {
        assert!(
            unlimited().inflate(&whole[..length]).is_err(),
            "{length} bytes"
        );
    }
    for size in [0, 1, 28, 30, 200] {
        match unlimited().inflate(&deflated(bytes, size, 2)) {
            Err(UnpackError::Size { declared, .. }) => assert_eq!(declared, u64::from(size)),
            other => panic!("{size}: {other:?}"),
        }
    }
    let behind = [&whole[..], &[1, 2]].concat();
    assert_eq!(
        unlimited().inflate(&behind),
        Err(UnpackError::BytesBehind(2))
    );
    let mut damaged = whole.clone();
    let at = damaged.len() - 1;
    damaged[at] ^= 1;
    assert!(matches!(
        unlimited().inflate(&damaged),
        Err(UnpackError::Damaged(_))
    ));
    assert_eq!(
        unpacker(28, u64::MAX).inflate(&whole),
        Err(UnpackError::EventTooLarge { limit: 28 })
    );
    for first in [0, 0x01, 0x80, 0x85, 0x87] {
        assert_eq!(
            unlimited().inflate(&[first, 1, 1, 1, 1, 1, 1, 1]),
            Err(UnpackError::NoSize)
        );
    }
}

#[test]
fn zeros_without_end_are_refused_at_the_declared_size() {
    let bomb = deflated(&vec![0; 8 << 20], 1000, 2);
    let mut unpacker = unlimited();
    assert!(matches!(
        unpacker.inflate(&bomb),
        Err(UnpackError::Size { found: 1001, .. })
    ));
    assert!(unpacker.buffer.capacity() <= STEP_BYTES);
}
