//! MariaDB's COMPRESSED columns: row images carry their values still compressed.
//!
//! Format: MariaDB source, `Field_longstr::compress()` and `uncompress_zlib()`. An empty value has
//! no bytes. Else the first byte is 0 and the value follows, or it has the method (8: zlib) in
//! its high four bits, bit 3 for a raw deflate stream without zlib's frame, and in the low three
//! the number of bytes of the length that follows, big endian; then comes the stream.

use std::io::Read as _;

use crate::error::ValueError;
use crate::image::{ImageColumn, type_code};
use crate::layout::ColumnType;

const METHOD_ZLIB: u8 = 8;
const RAW_STREAM: u8 = 8;

/// Whether values of this type code are compressed.
#[inline]
pub(super) fn is_compressed(code: u8) -> bool {
    matches!(
        code,
        type_code::BLOB_COMPRESSED | type_code::VARCHAR_COMPRESSED
    )
}

/// The value in plain, at most as long as the column's type allows.
#[cold]
pub(super) fn decompress(raw: &[u8], column: &ImageColumn) -> Result<Vec<u8>, ValueError> {
    let Some((head, rest)) = raw.split_first() else {
        return Ok(Vec::new());
    };
    if *head == 0 {
        return Ok(rest.to_vec());
    }
    if head >> 4 != METHOD_ZLIB {
        return Err(ValueError::Invalid("an unknown compression method"));
    }
    let Some((length, stream)) = rest.split_at_checked(usize::from(head & 7)) else {
        return Err(ValueError::Invalid("a compressed value without its length"));
    };
    let length = length
        .iter()
        .fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    if length > longest(column.layout.kind) {
        return Err(ValueError::Invalid(
            "a compressed value longer than its column allows",
        ));
    }
    inflate(stream, head & RAW_STREAM != 0, length)
}

/// Decompresses a stream of exactly `length` bytes; memory grows with what really comes.
fn inflate(stream: &[u8], is_raw: bool, length: u64) -> Result<Vec<u8>, ValueError> {
    let mut value = Vec::new();
    // One byte more than announced would show.
    let limit = length + 1;
    let read = if is_raw {
        flate2::read::DeflateDecoder::new(stream)
            .take(limit)
            .read_to_end(&mut value)
    } else {
        flate2::read::ZlibDecoder::new(stream)
            .take(limit)
            .read_to_end(&mut value)
    };
    match read {
        Ok(found) if found as u64 == length => Ok(value),
        Ok(found) => Err(ValueError::Length {
            expected: length as usize,
            found,
        }),
        Err(_) => Err(ValueError::Invalid("a damaged compressed value")),
    }
}

/// The longest value of a type of strings, in bytes.
fn longest(kind: ColumnType) -> u64 {
    match kind {
        ColumnType::VarChar { max_bytes } | ColumnType::VarBinary { max_bytes } => max_bytes.into(),
        ColumnType::Text { length_bytes } | ColumnType::Blob { length_bytes } => {
            (1 << (8 * u64::from(length_bytes.min(4)))) - 1
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};

    fn value(raw: &[u8]) -> Result<Vec<u8>, ValueError> {
        let layout = column(ColumnType::VarBinary { max_bytes: 500 });
        decompress(
            raw,
            &image_column(layout, type_code::VARCHAR_COMPRESSED, 501),
        )
    }

    /// As MariaDB 10.11 logs REPEAT('ab', 200).
    const AB_200_TIMES: [u8; 12] = [
        0x8a, 0x01, 0x90, 0x4b, 0x4c, 0x4a, 0x1c, 0x85, 0x83, 0x08, 0x02, 0x00,
    ];

    #[test]
    fn values_in_all_forms_come_out_plain() {
        assert_eq!(value(b""), Ok(Vec::new()));
        assert_eq!(value(b"\0short"), Ok(b"short".to_vec()));
        assert_eq!(value(b"\0"), Ok(Vec::new()));
        assert_eq!(value(&AB_200_TIMES), Ok(b"ab".repeat(200)));
    }

    #[test]
    fn damaged_values_are_errors() {
        for cut in 1..AB_200_TIMES.len() - 1 {
            assert!(value(&AB_200_TIMES[..cut]).is_err(), "cut at {cut}");
        }
        for (at, byte) in [(0, 0x1a), (1, 0x02), (2, 0x8f), (2, 0x91)] {
            let mut raw = AB_200_TIMES;
            raw[at] = byte;
            assert!(value(&raw).is_err(), "byte {at} is {byte}");
        }
    }
}
