//! TINYINT as a boolean, where schema.json asks for it.

use super::select::{not_null, select_integer};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::ColumnLayout;
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// 0 and 1; every other number is refused, since it would be lost.
fn from_number(number: i128) -> Result<bool, ValueError> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(ValueError::Invalid("a number other than 0 and 1 in a bool")),
    }
}

impl ColumnValue for bool {
    #[inline]
    fn from_image(raw: Option<&[u8]>, _column: &ImageColumn) -> Result<Self, ValueError> {
        match not_null(raw)? {
            [byte] => from_number(i128::from(*byte)),
            other => Err(ValueError::Length {
                expected: 1,
                found: other.len(),
            }),
        }
    }

    #[inline]
    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        from_number(select_integer(value, "integer")?)
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Int(i64::from(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};
    use crate::layout::ColumnType;

    #[test]
    fn only_zero_and_one_are_booleans() {
        let layout = column(ColumnType::TinyInt { unsigned: false });
        let image = image_column(layout, 1, 0);
        for (raw, value) in [(0, Some(false)), (1, Some(true)), (2, None), (0xff, None)] {
            assert_eq!(bool::from_image(Some(&[raw]), &image).ok(), value);
        }
        assert_eq!(bool::from_select(SelectValue::Int(1), layout), Ok(true));
        assert!(bool::from_select(SelectValue::Int(-1), layout).is_err());
    }
}
