//! Numbers and texts of MySQL's serialization library, which GTID_TAGGED events use.
//!
//! Format: MySQL source documentation, "PageLibsMysqlSerialization".

use crate::source::event::Bytes;

/// An unsigned number of 1 to 9 bytes: the ones at the low end of the first byte count the
/// bytes that follow it.
pub(super) fn unsigned(bytes: &mut Bytes<'_>) -> Option<u64> {
    let first = *bytes.rest().first()?;
    let length = first.trailing_ones() as usize + 1;
    if length == 9 {
        bytes.u8()?;
        return bytes.u64();
    }
    let value = bytes.uint(length)?;
    Some(value >> length)
}

/// A signed number that must not be negative here; the lowest bit is the sign.
pub(super) fn not_negative(bytes: &mut Bytes<'_>) -> Option<u64> {
    let value = unsigned(bytes)?;
    (value & 1 == 0).then_some(value >> 1)
}

/// Sixteen numbers of one byte each.
pub(super) fn uuid(bytes: &mut Bytes<'_>) -> Option<[u8; 16]> {
    let mut uuid = [0; 16];
    for byte in &mut uuid {
        *byte = u8::try_from(unsigned(bytes)?).ok()?;
    }
    Some(uuid)
}

/// A text with its length before it.
pub(super) fn text<'a>(bytes: &mut Bytes<'a>) -> Option<&'a str> {
    let length = usize::try_from(unsigned(bytes)?).ok()?;
    std::str::from_utf8(bytes.take(length)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a number in `length` bytes.
    fn encode(value: u64, length: u32) -> Vec<u8> {
        if length == 9 {
            let mut bytes = vec![0xff];
            bytes.extend(value.to_le_bytes());
            return bytes;
        }
        let marked = (value << length) | ((1 << (length - 1)) - 1);
        marked.to_le_bytes()[..length as usize].to_vec()
    }

    #[test]
    fn numbers_of_every_length_are_read() {
        for length in 1..=9 {
            let largest = if length == 9 {
                u64::MAX
            } else {
                (1 << (7 * length)) - 1
            };
            for value in [0, 1, largest / 2, largest] {
                let bytes = encode(value, length);
                assert_eq!(unsigned(&mut Bytes::new(&bytes)), Some(value), "{length}");
                let cut = &bytes[..bytes.len() - 1];
                assert_eq!(unsigned(&mut Bytes::new(cut)), None, "{length}");
            }
        }
    }

    #[test]
    fn negative_numbers_are_refused() {
        assert_eq!(not_negative(&mut Bytes::new(&encode(10, 1))), Some(5));
        assert_eq!(not_negative(&mut Bytes::new(&encode(11, 1))), None);
    }

    #[test]
    fn text_must_be_as_long_as_it_says() {
        assert_eq!(text(&mut Bytes::new(b"\x04ab")), Some("ab"));
        assert_eq!(text(&mut Bytes::new(b"\x06ab")), None);
        assert_eq!(text(&mut Bytes::new(b"\x02\xff")), None);
    }
}
