//! MySQL's binary JSON as the text that the server prints for it.
//!
//! Format: MySQL source, `sql-common/json_binary.h`. A value is a type byte and a body. The body
//! of an object or array has a header (count and size), entries of fixed size for keys and
//! values, and then what the entries point to by offset within the body.

use std::io::Write as _;

use super::json_scalar::{write_json_double, write_json_opaque, write_json_string};
use super::type_code;
use crate::error::ValueError;
use crate::types::{date_time_from_packed, time_from_packed, write_decimal};

const SMALL_OBJECT: u8 = 0x00;
const LARGE_OBJECT: u8 = 0x01;
const SMALL_ARRAY: u8 = 0x02;
const LARGE_ARRAY: u8 = 0x03;
const LITERAL: u8 = 0x04;
const INT16: u8 = 0x05;
const UINT16: u8 = 0x06;
const INT32: u8 = 0x07;
const UINT32: u8 = 0x08;
const INT64: u8 = 0x09;
const UINT64: u8 = 0x0a;
const DOUBLE: u8 = 0x0b;
const STRING: u8 = 0x0c;
const OPAQUE: u8 = 0x0f;

/// The server refuses documents with more containers within each other.
const MAX_DEPTH: u32 = 100;

const TOO_SHORT: ValueError = ValueError::Invalid("binary JSON that points behind its end");
pub(super) const OVERLAP: ValueError = ValueError::Invalid("binary JSON whose parts overlap");

/// Writes a binary JSON value as text; no bytes at all are the literal `null`, as for the server.
///
/// The work is bounded by the length of the value: every one of its bytes may be used once, so
/// values whose parts overlap are refused. The text takes at most about eight times the bytes.
///
/// # Errors
/// When the bytes are not a value of the format.
pub(crate) fn write_json_text(out: &mut Vec<u8>, raw: &[u8]) -> Result<(), ValueError> {
    let Some((type_byte, body)) = raw.split_first() else {
        out.extend_from_slice(b"null");
        return Ok(());
    };
    let mut writer = Writer {
        out,
        unused: body.len(),
    };
    writer.write_value(*type_byte, body, 0)
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Bytes of the value that were not used yet.
    unused: usize,
}

/// Widths within an object or array.
#[derive(Clone, Copy)]
struct Container<'b> {
    body: &'b [u8],
    count: usize,
    /// Bytes of counts, sizes and offsets: 2 or 4.
    width: usize,
    has_keys: bool,
}

impl<'b> Container<'b> {
    fn new(type_byte: u8, bytes: &'b [u8]) -> Result<Self, ValueError> {
        let width = match type_byte {
            LARGE_OBJECT | LARGE_ARRAY => 4,
            _ => 2,
        };
        let count = number(bytes, 0, width)?;
        let size = number(bytes, width, width)?;
        Ok(Self {
            body: bytes.get(..size).ok_or(TOO_SHORT)?,
            count,
            width,
            has_keys: matches!(type_byte, SMALL_OBJECT | LARGE_OBJECT),
        })
    }

    /// A key's entry is its offset and a length of two bytes.
    fn key_entry_bytes(&self) -> usize {
        if self.has_keys { self.width + 2 } else { 0 }
    }

    /// A value's entry is its type and its offset, or itself where it fits.
    fn value_entry_bytes(&self) -> usize {
        self.width + 1
    }

    /// Bytes of header and entries; saturates, so that an impossible count is too long.
    fn head_bytes(&self) -> usize {
        self.count
            .saturating_mul(self.key_entry_bytes() + self.value_entry_bytes())
            .saturating_add(2 * self.width)
    }

    fn key(&self, index: usize) -> Result<&'b [u8], ValueError> {
        let entry = 2 * self.width + index * self.key_entry_bytes();
        let offset = number(self.body, entry, self.width)?;
        let length = number(self.body, entry + self.width, 2)?;
        slice(self.body, offset, length)
    }

    /// A value's type and the bytes from its start on.
    fn value(&self, index: usize) -> Result<(u8, &'b [u8]), ValueError> {
        let values = 2 * self.width + self.count * self.key_entry_bytes();
        let entry = values + index * self.value_entry_bytes();
        let type_byte = *self.body.get(entry).ok_or(TOO_SHORT)?;
        if self.is_inlined(type_byte) {
            return Ok((type_byte, slice(self.body, entry + 1, self.width)?));
        }
        let offset = number(self.body, entry + 1, self.width)?;
        Ok((type_byte, self.body.get(offset..).ok_or(TOO_SHORT)?))
    }

    fn is_inlined(&self, type_byte: u8) -> bool {
        matches!(type_byte, LITERAL | INT16 | UINT16)
            || (self.width == 4 && matches!(type_byte, INT32 | UINT32))
    }
}

impl Writer<'_> {
    /// Counts bytes as used.
    fn use_up(&mut self, bytes: usize) -> Result<(), ValueError> {
        self.unused = self.unused.checked_sub(bytes).ok_or(OVERLAP)?;
        Ok(())
    }

    fn write_value(&mut self, type_byte: u8, bytes: &[u8], depth: u32) -> Result<(), ValueError> {
        match type_byte {
            SMALL_OBJECT | LARGE_OBJECT | SMALL_ARRAY | LARGE_ARRAY => {
                if depth == MAX_DEPTH {
                    return Err(ValueError::Invalid(
                        "binary JSON with more than 100 containers within each other",
                    ));
                }
                self.write_container(Container::new(type_byte, bytes)?, depth + 1)
            }
            _ => {
                let used = self.write_scalar(type_byte, bytes)?;
                self.use_up(used)
            }
        }
    }

    fn write_container(&mut self, container: Container<'_>, depth: u32) -> Result<(), ValueError> {
        self.use_up(container.head_bytes())?;
        let (open, close) = if container.has_keys {
            (b'{', b'}')
        } else {
            (b'[', b']')
        };
        self.out.push(open);
        for index in 0..container.count {
            if index > 0 {
                self.out.extend_from_slice(b", ");
            }
            if container.has_keys {
                let key = container.key(index)?;
                self.use_up(key.len())?;
                write_json_string(self.out, key);
                self.out.extend_from_slice(b": ");
            }
            let (type_byte, bytes) = container.value(index)?;
            if container.is_inlined(type_byte) {
                // Its bytes are part of the entries.
                self.write_scalar(type_byte, bytes)?;
            } else {
                self.write_value(type_byte, bytes, depth)?;
            }
        }
        self.out.push(close);
        Ok(())
    }

    /// Writes a scalar and gives the bytes that it takes.
    fn write_scalar(&mut self, type_byte: u8, bytes: &[u8]) -> Result<usize, ValueError> {
        match type_byte {
            LITERAL => {
                let text: &[u8] = match bytes.first() {
                    Some(0) => b"null",
                    Some(1) => b"true",
                    Some(2) => b"false",
                    _ => return Err(ValueError::Invalid("an unknown literal in binary JSON")),
                };
                self.out.extend_from_slice(text);
                Ok(1)
            }
            INT16 => self.write_number(i16::from_le_bytes(array(bytes)?), 2),
            UINT16 => self.write_number(u16::from_le_bytes(array(bytes)?), 2),
            INT32 => self.write_number(i32::from_le_bytes(array(bytes)?), 4),
            UINT32 => self.write_number(u32::from_le_bytes(array(bytes)?), 4),
            INT64 => self.write_number(i64::from_le_bytes(array(bytes)?), 8),
            UINT64 => self.write_number(u64::from_le_bytes(array(bytes)?), 8),
            DOUBLE => {
                let number = f64::from_le_bytes(array(bytes)?);
                if !number.is_finite() {
                    return Err(ValueError::Invalid("a number in binary JSON that is none"));
                }
                write_json_double(self.out, number);
                Ok(8)
            }
            STRING => {
                let (text, used) = counted(bytes)?;
                self.check_unused(used)?;
                write_json_string(self.out, text);
                Ok(used)
            }
            OPAQUE => {
                let (field_type, rest) = bytes.split_first().ok_or(TOO_SHORT)?;
                let (data, used) = counted(rest)?;
                self.check_unused(used)?;
                self.write_opaque(*field_type, data)?;
                Ok(1 + used)
            }
            _ => Err(ValueError::Invalid("an unknown type in binary JSON")),
        }
    }

    /// Refuses to copy bytes that were used before.
    fn check_unused(&self, bytes: usize) -> Result<(), ValueError> {
        if bytes > self.unused {
            return Err(OVERLAP);
        }
        Ok(())
    }

    fn write_number(
        &mut self,
        number: impl std::fmt::Display,
        used: usize,
    ) -> Result<usize, ValueError> {
        // Writing into memory does not fail.
        let _ = write!(self.out, "{number}");
        Ok(used)
    }

    /// A value of a type that only SQL has: decimals and times in their own form, others as
    /// base64.
    fn write_opaque(&mut self, field_type: u8, data: &[u8]) -> Result<(), ValueError> {
        match field_type {
            type_code::NEWDECIMAL => {
                let [precision, scale, digits @ ..] = data else {
                    return Err(TOO_SHORT);
                };
                write_decimal(self.out, digits, *precision, *scale)
            }
            type_code::DATE => {
                let value = date_time_from_packed(i64::from_le_bytes(array(data)?))?;
                self.write_quoted(value.date())
            }
            type_code::DATETIME | type_code::TIMESTAMP => {
                let value = date_time_from_packed(i64::from_le_bytes(array(data)?))?;
                self.write_quoted(value.with_fsp(6))
            }
            type_code::TIME => {
                let value = time_from_packed(i64::from_le_bytes(array(data)?))?;
                self.write_quoted(value.with_fsp(6))
            }
            _ => {
                write_json_opaque(self.out, field_type, data);
                Ok(())
            }
        }
    }

    fn write_quoted(&mut self, value: impl std::fmt::Display) -> Result<(), ValueError> {
        // Writing into memory does not fail.
        let _ = write!(self.out, "\"{value}\"");
        Ok(())
    }
}

fn slice(bytes: &[u8], offset: usize, length: usize) -> Result<&[u8], ValueError> {
    offset
        .checked_add(length)
        .and_then(|end| bytes.get(offset..end))
        .ok_or(TOO_SHORT)
}

/// A little-endian number of 2 or 4 bytes.
fn number(bytes: &[u8], offset: usize, width: usize) -> Result<usize, ValueError> {
    let digits = slice(bytes, offset, width)?;
    Ok(digits
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// The first bytes as an array.
fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], ValueError> {
    bytes.first_chunk().copied().ok_or(TOO_SHORT)
}

/// Bytes behind their length, and how many bytes both take. The length has seven bits a byte,
/// lowest first, with the highest bit set on all bytes but the last, at most five.
fn counted(bytes: &[u8]) -> Result<(&[u8], usize), ValueError> {
    let mut length = 0u64;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        length |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            let length = usize::try_from(length).map_err(|_| TOO_SHORT)?;
            return Ok((slice(bytes, at + 1, length)?, at + 1 + length));
        }
    }
    Err(TOO_SHORT)
}
