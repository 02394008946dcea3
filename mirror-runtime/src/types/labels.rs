//! ENUM and SET: numbers into a list of labels. Used by the generated types.

use super::select::{not_null, select_integer};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::{ColumnLayout, ColumnType};
use crate::row::SelectValue;

const BEYOND: ValueError = ValueError::Invalid("an ENUM index beyond the column's labels");

/// The index of an ENUM value in a row image (1 or 2 bytes, little endian): 0, the server's
/// error value, up to the number of labels.
///
/// # Errors
/// NULL, another length, or an index beyond the column's labels.
#[inline]
pub fn enum_index(raw: Option<&[u8]>, column: &ImageColumn) -> Result<u16, ValueError> {
    let index = match not_null(raw)? {
        [low] => u16::from(*low),
        [low, high] => u16::from_le_bytes([*low, *high]),
        other => {
            return Err(ValueError::Length {
                expected: if label_count(column.layout) < 256 {
                    1
                } else {
                    2
                },
                found: other.len(),
            });
        }
    };
    check_index(index, column.layout)
}

/// The index of an ENUM value that was SELECTed as `CAST(column AS UNSIGNED)`.
///
/// # Errors
/// NULL, another kind than a number, or an index beyond the column's labels.
pub fn enum_index_from_select(
    value: SelectValue,
    column: &ColumnLayout,
) -> Result<u16, ValueError> {
    let index = select_integer(value, "number (CAST of an ENUM AS UNSIGNED)")?;
    check_index(u16::try_from(index).map_err(|_| BEYOND)?, column)
}

/// The bits of a SET value in a row image (1, 2, 3, 4 or 8 bytes, little endian).
///
/// # Errors
/// NULL, another length, or a bit that has no label.
#[inline]
pub fn set_bits(raw: Option<&[u8]>, column: &ImageColumn) -> Result<u64, ValueError> {
    let raw = not_null(raw)?;
    let mut bytes = [0; 8];
    match bytes.get_mut(..raw.len()) {
        Some(low) if !raw.is_empty() => low.copy_from_slice(raw),
        _ => {
            return Err(ValueError::Length {
                expected: label_count(column.layout).div_ceil(8),
                found: raw.len(),
            });
        }
    }
    check_bits(u64::from_le_bytes(bytes), column.layout)
}

/// The bits of a SET value that was SELECTed as `CAST(column AS UNSIGNED)`.
///
/// # Errors
/// NULL, another kind than a number, or a bit that has no label.
pub fn set_bits_from_select(value: SelectValue, column: &ColumnLayout) -> Result<u64, ValueError> {
    let bits = match value {
        // A SET of 64 members with its last bit may come as a negative number.
        SelectValue::Int(number) => number.cast_unsigned(),
        other => u64::try_from(select_integer(other, "number (CAST of a SET AS UNSIGNED)")?)
            .map_err(|_| ValueError::Invalid("SET bits outside of 64 bits"))?,
    };
    check_bits(bits, column)
}

#[inline]
fn label_count(column: &ColumnLayout) -> usize {
    match column.kind {
        ColumnType::Enum { labels } | ColumnType::Set { labels } => labels.len(),
        _ => 0,
    }
}

#[inline]
fn check_index(index: u16, column: &ColumnLayout) -> Result<u16, ValueError> {
    if usize::from(index) <= label_count(column) {
        Ok(index)
    } else {
        Err(BEYOND)
    }
}

#[inline]
fn check_bits(bits: u64, column: &ColumnLayout) -> Result<u64, ValueError> {
    let labels = label_count(column);
    if labels >= 64 || bits >> labels == 0 {
        Ok(bits)
    } else {
        Err(ValueError::Invalid("a SET bit that has no label"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};

    const LABELS: &[&str] = &["a,b", "it's", ""];

    #[test]
    fn enum_index_zero_is_kept_and_the_next_beyond_the_labels_refused() {
        let layout = column(ColumnType::Enum { labels: LABELS });
        let image = image_column(layout, 247, 1);
        for (raw, index) in [([0u8], 0u16), ([1], 1), ([3], 3)] {
            assert_eq!(enum_index(Some(&raw), &image), Ok(index));
            assert_eq!(
                enum_index_from_select(SelectValue::UInt(u64::from(index)), layout),
                Ok(index)
            );
        }
        assert!(enum_index(Some(&[4]), &image).is_err());
        assert!(enum_index(Some(&[1, 0, 0]), &image).is_err());
        assert!(enum_index_from_select(SelectValue::Int(-1), layout).is_err());
        assert_eq!(enum_index(None, &image), Err(ValueError::UnexpectedNull));
        assert_eq!(enum_index(Some(&[2, 0]), &image), Ok(2));
    }

    #[test]
    fn set_bits_without_a_label_are_refused() {
        let layout = column(ColumnType::Set { labels: LABELS });
        let image = image_column(layout, 248, 1);
        assert_eq!(set_bits(Some(&[0b111]), &image), Ok(7));
        assert!(set_bits(Some(&[0b1000]), &image).is_err());
        assert!(set_bits(Some(&[]), &image).is_err());
        assert!(set_bits(Some(&[0; 9]), &image).is_err());
        assert!(set_bits_from_select(SelectValue::Int(8), layout).is_err());
    }

    #[test]
    fn set_of_64_members_uses_every_bit() {
        static MANY: [&str; 64] = ["x"; 64];
        let layout = column(ColumnType::Set { labels: &MANY });
        let image = image_column(layout, 248, 8);
        assert_eq!(set_bits(Some(&[0xff; 8]), &image), Ok(u64::MAX));
        assert_eq!(
            set_bits_from_select(SelectValue::Int(-1), layout),
            Ok(u64::MAX)
        );
    }
}
