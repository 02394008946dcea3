//! The type of a column as a TABLE_MAP event carries it, and what it takes in a row.
//!
//! Formats: MySQL source, `read_field_metadata()` and `calc_field_size()`; MariaDB source,
//! `table_def::table_def()`.

use super::ImageError;
use super::cursor::Cursor;
use super::type_code;
use crate::types::packed_length;

/// One column of a TABLE_MAP event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireColumn {
    /// Type code; see [`type_code`]. ENUM, SET and CHAR, which share one code on the wire, have
    /// their own here.
    pub type_code: u8,
    /// What the type needs besides its code: longest value in bytes (CHAR, BINARY, VARCHAR,
    /// VARBINARY), bytes of the length prefix (BLOB family, JSON, GEOMETRY, VECTOR), bytes of
    /// the value (FLOAT, DOUBLE, ENUM, SET), precision * 256 + scale (DECIMAL), digits of the
    /// fraction (TIME, DATETIME, TIMESTAMP), whole bytes * 256 + further bits (BIT).
    pub meta: u16,
    /// Whether the column may hold NULL.
    pub nullable: bool,
}

/// What a value takes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// So many bytes, always.
    Fixed(u32),
    /// A little-endian length of so many bytes (1 to 4), then as many bytes as it says.
    Prefixed(u8),
}

impl WireColumn {
    /// Reads the metadata of a type from the metadata block; NULL is not known here yet.
    pub(super) fn read(
        wire_code: u8,
        ordinal: usize,
        block: &mut Cursor<'_>,
    ) -> Result<Self, ImageError> {
        use type_code as t;
        const WHAT: &str = "column metadata";
        let mut type_code = wire_code;
        let meta = match wire_code {
            t::TINY_BLOB | t::MEDIUM_BLOB | t::LONG_BLOB | t::BLOB | t::BLOB_COMPRESSED => {
                u16::from(block.byte(WHAT)?)
            }
            t::FLOAT | t::DOUBLE | t::GEOMETRY | t::JSON | t::VECTOR => {
                u16::from(block.byte(WHAT)?)
            }
            t::TIME2 | t::DATETIME2 | t::TIMESTAMP2 => u16::from(block.byte(WHAT)?),
            t::BIT | t::VARCHAR | t::VARCHAR_COMPRESSED => block.number(2, WHAT)? as u16,
            t::NEWDECIMAL => u16::from_be_bytes([block.byte(WHAT)?, block.byte(WHAT)?]),
            t::STRING | t::VAR_STRING | t::ENUM | t::SET => {
                let (first, second) = (block.byte(WHAT)?, block.byte(WHAT)?);
                let (hidden, length) = unhide_string_type(first, second);
                type_code = hidden;
                length
            }
            t::TYPED_ARRAY => skip_array_metadata(ordinal, block)?,
            t::DECIMAL..=t::NEWDATE | t::BOOL => 0,
            _ => {
                return Err(ImageError::UnknownType {
                    ordinal,
                    type_code: wire_code,
                });
            }
        };
        Ok(Self {
            type_code,
            meta,
            nullable: false,
        })
    }

    /// As [`width`](Self::width), for a column that has so many digits of a fraction should it be
    /// of one of the old temporal formats, which have no metadata (MariaDB source,
    /// `Field_timestamp_hires`, `Field_time_hires`, `Field_datetime_hires`).
    pub(super) fn width_with_fraction(self, digits: u8) -> Option<Width> {
        use type_code as t;
        let widths: [u32; 7] = match self.type_code {
            t::TIMESTAMP => [4, 5, 5, 6, 6, 7, 7],
            t::TIME => [3, 4, 4, 5, 5, 5, 6],
            t::DATETIME => [8, 6, 6, 7, 7, 7, 8],
            _ => return self.width(),
        };
        widths
            .get(usize::from(digits))
            .map(|bytes| Width::Fixed(*bytes))
    }

    /// What a value takes in a row, `None` when the type never stands in one or the metadata
    /// is impossible.
    pub(super) const fn width(self) -> Option<Width> {
        use type_code as t;
        let fraction = (self.meta as u32).div_ceil(2);
        Some(match self.type_code {
            t::NULL => Width::Fixed(0),
            t::TINY | t::YEAR | t::BOOL => Width::Fixed(1),
            t::SHORT => Width::Fixed(2),
            t::INT24 | t::DATE | t::NEWDATE | t::TIME => Width::Fixed(3),
            t::LONG | t::FLOAT | t::TIMESTAMP => Width::Fixed(4),
            t::LONGLONG | t::DOUBLE | t::DATETIME => Width::Fixed(8),
            t::TIMESTAMP2 if self.meta <= 6 => Width::Fixed(4 + fraction),
            t::DATETIME2 if self.meta <= 6 => Width::Fixed(5 + fraction),
            t::TIME2 if self.meta <= 6 => Width::Fixed(3 + fraction),
            t::ENUM | t::SET if self.meta >= 1 && self.meta <= 8 => Width::Fixed(self.meta as u32),
            t::BIT => {
                let [bytes, bits] = self.meta.to_be_bytes();
                Width::Fixed(bytes as u32 + (bits > 0) as u32)
            }
            t::NEWDECIMAL => {
                let [precision, scale] = self.meta.to_be_bytes();
                match packed_length(precision, scale) {
                    0 => return None,
                    length => Width::Fixed(length as u32),
                }
            }
            t::VARCHAR | t::VARCHAR_COMPRESSED | t::STRING | t::VAR_STRING => {
                Width::Prefixed(if self.meta > 255 { 2 } else { 1 })
            }
            t::TINY_BLOB
            | t::MEDIUM_BLOB
            | t::LONG_BLOB
            | t::BLOB
            | t::BLOB_COMPRESSED
            | t::JSON
            | t::GEOMETRY
            | t::VECTOR
            | t::TYPED_ARRAY
                if self.meta >= 1 && self.meta <= 4 =>
            {
                Width::Prefixed(self.meta as u8)
            }
            _ => return None,
        })
    }
}

/// The real type and length of a STRING column. Two bits of the length of a CHAR of 256 bytes
/// and more are hidden, inverted, in bits 4 and 5 of the type byte, which are otherwise set
/// (MySQL source, `Field_string::do_save_field_metadata()`).
fn unhide_string_type(first: u8, second: u8) -> (u8, u16) {
    let high = u16::from(!first & 0x30) << 4;
    match first | 0x30 {
        real @ (type_code::ENUM | type_code::SET) if high == 0 => (real, u16::from(second)),
        _ => (type_code::STRING, high | u16::from(second)),
    }
}

/// A typed array has the type and metadata of its elements; in a row it is a blob with a
/// length of four bytes.
fn skip_array_metadata(ordinal: usize, block: &mut Cursor<'_>) -> Result<u16, ImageError> {
    const WHAT: &str = "metadata of an array column";
    match block.byte(WHAT)? {
        // A VARCHAR element has a length of three bytes here.
        type_code::VARCHAR => {
            block.take(3, WHAT)?;
        }
        type_code::TYPED_ARRAY => {
            return Err(ImageError::UnknownType {
                ordinal,
                type_code: type_code::TYPED_ARRAY,
            });
        }
        element => {
            WireColumn::read(element, ordinal, block)?;
        }
    }
    Ok(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(type_code: u8, metadata: &[u8]) -> (u8, u16, Option<Width>) {
        let mut block = Cursor::new(metadata);
        let column = WireColumn::read(type_code, 0, &mut block).unwrap();
        assert_eq!(block.remaining(), 0, "metadata of type {type_code}");
        (column.type_code, column.meta, column.width())
    }

    #[test]
    fn char_of_256_bytes_and_more_has_its_length_from_both_bytes() {
        let one = Some(Width::Prefixed(1));
        let two = Some(Width::Prefixed(2));
        assert_eq!(read(254, &[0xfe, 252]), (254, 252, one));
        assert_eq!(read(254, &[0xfe, 255]), (254, 255, one));
        assert_eq!(read(254, &[0xee, 0]), (254, 256, two));
        assert_eq!(read(254, &[0xce, 0xfc]), (254, 1020, two));
    }

    #[test]
    fn enum_and_set_hide_behind_string() {
        assert_eq!(read(254, &[247, 1]), (247, 1, Some(Width::Fixed(1))));
        assert_eq!(read(254, &[247, 2]), (247, 2, Some(Width::Fixed(2))));
        assert_eq!(read(254, &[248, 8]), (248, 8, Some(Width::Fixed(8))));
    }

    #[test]
    fn varchar_changes_its_prefix_at_256_bytes() {
        assert_eq!(read(15, &[255, 0]), (15, 255, Some(Width::Prefixed(1))));
        assert_eq!(read(15, &[0, 1]), (15, 256, Some(Width::Prefixed(2))));
    }

    #[test]
    fn every_known_type_has_its_metadata_and_width() {
        let fixed = |bytes| Some(Width::Fixed(bytes));
        let prefixed = |bytes| Some(Width::Prefixed(bytes));
        for (code, metadata, width) in [
            (1, &[][..], fixed(1)),
            (2, &[], fixed(2)),
            (3, &[], fixed(4)),
            (4, &[4], fixed(4)),
            (5, &[8], fixed(8)),
            (6, &[], fixed(0)),
            (7, &[], fixed(4)),
            (8, &[], fixed(8)),
            (9, &[], fixed(3)),
            (10, &[], fixed(3)),
            (11, &[], fixed(3)),
            (12, &[], fixed(8)),
            (13, &[], fixed(1)),
            (14, &[], fixed(3)),
            (16, &[1, 8], fixed(9)),
            (16, &[0, 8], fixed(8)),
            (17, &[0], fixed(4)),
            (17, &[6], fixed(7)),
            (18, &[3], fixed(7)),
            (19, &[1], fixed(4)),
            (20, &[15, 1, 2, 3], prefixed(4)),
            (20, &[246, 10, 2], prefixed(4)),
            (140, &[2], prefixed(2)),
            (141, &[1, 1], prefixed(2)),
            (242, &[4], prefixed(4)),
            (244, &[], fixed(1)),
            (245, &[4], prefixed(4)),
            (246, &[65, 30], fixed(30)),
            (246, &[11, 4], fixed(6)),
            (249, &[1], prefixed(1)),
            (250, &[3], prefixed(3)),
            (251, &[4], prefixed(4)),
            (252, &[2], prefixed(2)),
            (253, &[253, 10], prefixed(1)),
            (255, &[4], prefixed(4)),
            (0, &[], None),
            (246, &[2, 5], None),
            (252, &[5], None),
            (18, &[7], None),
        ] {
            assert_eq!(read(code, metadata).2, width, "type {code} {metadata:?}");
        }
    }

    #[test]
    fn unknown_type_is_an_error_that_names_code_and_column() {
        let error = WireColumn::read(200, 3, &mut Cursor::new(&[0; 8])).unwrap_err();
        let expected = ImageError::UnknownType {
            ordinal: 3,
            type_code: 200,
        };
        assert_eq!(error, expected);
        let nested = [20, 20, 20];
        assert!(WireColumn::read(20, 0, &mut Cursor::new(&nested)).is_err());
    }
}
