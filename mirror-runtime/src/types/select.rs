//! What a SELECT over the binary protocol gave: kinds, and what to say of the wrong one.

use crate::error::ValueError;
use crate::row::SelectValue;

/// The bytes of a value in a row image, or the error for NULL.
#[inline]
pub(super) fn not_null(raw: Option<&[u8]>) -> Result<&[u8], ValueError> {
    match raw {
        Some(raw) => Ok(raw),
        None => Err(ValueError::UnexpectedNull),
    }
}

/// The value, or the error for NULL.
#[inline]
pub(super) fn refuse_null(value: SelectValue) -> Result<SelectValue, ValueError> {
    match value {
        SelectValue::NULL => Err(ValueError::UnexpectedNull),
        value => Ok(value),
    }
}

/// The error for a value of another kind than the column's type calls for.
#[cold]
pub(super) fn kind_error(expected: &'static str, found: &SelectValue) -> ValueError {
    ValueError::Kind {
        expected,
        found: match found {
            SelectValue::NULL => "NULL",
            SelectValue::Bytes(_) => "bytes",
            SelectValue::Int(_) => "signed integer",
            SelectValue::UInt(_) => "unsigned integer",
            SelectValue::Float(_) => "float",
            SelectValue::Double(_) => "double",
            SelectValue::Date(..) => "date",
            SelectValue::Time(..) => "time",
        },
    }
}

/// The bytes of a value that comes as bytes.
#[inline]
pub(super) fn select_bytes(
    value: SelectValue,
    expected: &'static str,
) -> Result<Vec<u8>, ValueError> {
    match refuse_null(value)? {
        SelectValue::Bytes(bytes) => Ok(bytes),
        other => Err(kind_error(expected, &other)),
    }
}

/// A number of either sign: the server's flags decide whether it comes as signed or unsigned.
#[inline]
pub(super) fn select_integer(
    value: SelectValue,
    expected: &'static str,
) -> Result<i128, ValueError> {
    match refuse_null(value)? {
        SelectValue::Int(number) => Ok(i128::from(number)),
        SelectValue::UInt(number) => Ok(i128::from(number)),
        other => Err(kind_error(expected, &other)),
    }
}
