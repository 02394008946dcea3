//! Integer types, and what else is held in an integer: YEAR and BIT.

use super::select::{kind_error, not_null, refuse_null, select_integer};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::{ColumnLayout, ColumnType};
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

const OUT_OF_RANGE: ValueError = ValueError::Invalid("an integer outside of the type's range");

macro_rules! integer_column {
    ($int:ty, $decode:ident, $select:ident, $value:ident) => {
        impl ColumnValue for $int {
            #[inline]
            fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
                $decode(not_null(raw)?, column)
            }

            #[inline]
            fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
                Self::try_from($select(value, column)?).map_err(|_| OUT_OF_RANGE)
            }

            fn as_value<'a>(&'a self, column: &'a ColumnLayout) -> Value<'a> {
                $value(*self, column)
            }
        }
    };
}

integer_column!(i8, decode_i8, plain_select, signed_value);
integer_column!(i16, decode_i16, plain_select, signed_value);
integer_column!(i32, decode_i32, plain_select, signed_value);
integer_column!(i64, decode_i64, plain_select, signed_value);
integer_column!(u8, decode_u8, plain_select, unsigned_value);
integer_column!(u16, decode_u16, plain_select, unsigned_value);
integer_column!(u32, decode_u32, plain_select, unsigned_value);
integer_column!(u64, decode_u64, select_u64, unsigned_value);

fn plain_select(value: SelectValue, _column: &ColumnLayout) -> Result<i128, ValueError> {
    select_integer(value, "integer")
}

fn signed_value(number: impl Into<i64>, _column: &ColumnLayout) -> Value<'static> {
    Value::Int(number.into())
}

fn unsigned_value(number: impl Into<u64>, column: &ColumnLayout) -> Value<'static> {
    let number = number.into();
    match (column.kind, u16::try_from(number)) {
        (ColumnType::Year, Ok(year)) => Value::Year(year),
        (ColumnType::Bit { .. }, _) => Value::Bit(number),
        _ => Value::UInt(number),
    }
}

#[inline]
fn fixed<const N: usize>(raw: &[u8]) -> Result<[u8; N], ValueError> {
    raw.try_into().map_err(|_| ValueError::Length {
        expected: N,
        found: raw.len(),
    })
}

#[inline]
fn decode_i8(raw: &[u8], _column: &ImageColumn) -> Result<i8, ValueError> {
    fixed(raw).map(i8::from_le_bytes)
}

#[inline]
fn decode_u8(raw: &[u8], _column: &ImageColumn) -> Result<u8, ValueError> {
    fixed(raw).map(u8::from_le_bytes)
}

#[inline]
fn decode_i16(raw: &[u8], _column: &ImageColumn) -> Result<i16, ValueError> {
    fixed(raw).map(i16::from_le_bytes)
}

/// SMALLINT UNSIGNED, or a YEAR: one byte, 0 or the years since 1900.
#[inline]
fn decode_u16(raw: &[u8], column: &ImageColumn) -> Result<u16, ValueError> {
    match (raw, column.layout.kind) {
        ([0], ColumnType::Year) => Ok(0),
        ([years], ColumnType::Year) => Ok(1900 + u16::from(*years)),
        _ => fixed(raw).map(u16::from_le_bytes),
    }
}

/// INT, or MEDIUMINT: three bytes with the sign in the highest bit.
#[inline]
fn decode_i32(raw: &[u8], _column: &ImageColumn) -> Result<i32, ValueError> {
    match raw {
        [low, middle, high] => Ok(i32::from_le_bytes([0, *low, *middle, *high]) >> 8),
        _ => fixed(raw).map(i32::from_le_bytes),
    }
}

/// INT UNSIGNED or MEDIUMINT UNSIGNED.
#[inline]
fn decode_u32(raw: &[u8], _column: &ImageColumn) -> Result<u32, ValueError> {
    match raw {
        [low, middle, high] => Ok(u32::from_le_bytes([*low, *middle, *high, 0])),
        _ => fixed(raw).map(u32::from_le_bytes),
    }
}

#[inline]
fn decode_i64(raw: &[u8], _column: &ImageColumn) -> Result<i64, ValueError> {
    fixed(raw).map(i64::from_le_bytes)
}

/// BIGINT UNSIGNED, or BIT(n).
#[inline]
fn decode_u64(raw: &[u8], column: &ImageColumn) -> Result<u64, ValueError> {
    match column.layout.kind {
        ColumnType::Bit { bits } => decode_bits(raw, bits),
        _ => fixed(raw).map(u64::from_le_bytes),
    }
}

/// BIT(n): big endian on both paths.
fn decode_bits(raw: &[u8], bits: u8) -> Result<u64, ValueError> {
    let expected = usize::from(bits).div_ceil(8);
    if raw.len() != expected {
        return Err(ValueError::Length {
            expected,
            found: raw.len(),
        });
    }
    let number = raw
        .iter()
        .fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    if bits < 64 && number >> bits != 0 {
        return Err(ValueError::Invalid("a BIT value wider than the column"));
    }
    Ok(number)
}

fn select_u64(value: SelectValue, column: &ColumnLayout) -> Result<i128, ValueError> {
    let ColumnType::Bit { bits } = column.kind else {
        return select_integer(value, "integer");
    };
    match refuse_null(value)? {
        SelectValue::Bytes(bytes) => decode_bits(&bytes, bits).map(i128::from),
        other => Err(kind_error("bytes of a BIT", &other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};

    fn decode<T: ColumnValue>(kind: ColumnType, raw: &[u8]) -> Result<T, ValueError> {
        T::from_image(Some(raw), &image_column(column(kind), 0, 0))
    }

    #[test]
    fn mediumint_extends_its_sign_from_three_bytes() {
        let signed = ColumnType::MediumInt { unsigned: false };
        assert_eq!(decode(signed, &[0x00, 0x00, 0x80]), Ok(-8_388_608i32));
        assert_eq!(decode(signed, &[0xff, 0xff, 0xff]), Ok(-1i32));
        assert_eq!(decode(signed, &[0xff, 0xff, 0x7f]), Ok(8_388_607i32));
        let unsigned = ColumnType::MediumInt { unsigned: true };
        assert_eq!(decode(unsigned, &[0xff, 0xff, 0xff]), Ok(16_777_215u32));
    }

    #[test]
    fn integers_of_another_width_are_refused() {
        let int = ColumnType::Int { unsigned: false };
        assert_eq!(decode(int, &[1, 2, 3, 0x80]), Ok(i32::MIN + 0x0003_0201));
        assert_eq!(
            decode::<i32>(int, &[1, 2]),
            Err(ValueError::Length {
                expected: 4,
                found: 2
            })
        );
        assert!(decode::<i8>(ColumnType::TinyInt { unsigned: false }, &[]).is_err());
        assert!(decode::<u64>(ColumnType::BigInt { unsigned: true }, &[0; 7]).is_err());
        assert!(decode::<u16>(ColumnType::SmallInt { unsigned: true }, &[1]).is_err());
    }

    #[test]
    fn year_zero_is_zero_and_not_1900() {
        assert_eq!(decode(ColumnType::Year, &[0]), Ok(0u16));
        assert_eq!(decode(ColumnType::Year, &[1]), Ok(1901u16));
        assert_eq!(decode(ColumnType::Year, &[255]), Ok(2155u16));
        let year = 2031u16;
        assert_eq!(year.as_value(column(ColumnType::Year)), Value::Year(2031));
    }

    #[test]
    fn bits_are_big_endian_on_both_paths() {
        for (bits, raw, number) in [
            (1, &[1][..], 1u64),
            (9, &[1, 2], 258),
            (9, &[1, 0xff], 511),
            (33, &[1, 0, 0, 0, 1], 4_294_967_297),
            (33, &[0, 0x80, 0, 0, 0], 2_147_483_648),
            (64, &[1, 2, 3, 4, 5, 6, 7, 8], 72_623_859_790_382_856),
            (64, &[0xff; 8], u64::MAX),
            (64, &[0x80, 0, 0, 0, 0, 0, 0, 0], 9_223_372_036_854_775_808),
        ] {
            let kind = ColumnType::Bit { bits };
            assert_eq!(decode(kind, raw), Ok(number));
            assert_eq!(
                u64::from_select(SelectValue::Bytes(raw.to_vec()), column(kind)),
                Ok(number)
            );
            assert_eq!(number.as_value(column(kind)), Value::Bit(number));
        }
        assert!(decode::<u64>(ColumnType::Bit { bits: 9 }, &[2, 0]).is_err());
        assert!(decode::<u64>(ColumnType::Bit { bits: 9 }, &[2]).is_err());
    }

    #[test]
    fn selected_integers_fit_by_value_not_by_kind() {
        let unsigned = column(ColumnType::BigInt { unsigned: true });
        assert_eq!(u64::from_select(SelectValue::Int(5), unsigned), Ok(5));
        assert_eq!(
            u64::from_select(SelectValue::UInt(u64::MAX), unsigned),
            Ok(u64::MAX)
        );
        assert!(u64::from_select(SelectValue::Int(-1), unsigned).is_err());
        let tiny = column(ColumnType::TinyInt { unsigned: false });
        assert_eq!(i8::from_select(SelectValue::Int(-128), tiny), Ok(-128));
        assert!(i8::from_select(SelectValue::UInt(128), tiny).is_err());
        assert_eq!(
            i8::from_select(SelectValue::NULL, tiny),
            Err(ValueError::UnexpectedNull)
        );
        assert!(matches!(
            i8::from_select(SelectValue::Double(1.0), tiny),
            Err(ValueError::Kind { .. })
        ));
    }
}
