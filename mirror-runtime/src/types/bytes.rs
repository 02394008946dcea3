//! BINARY, VARBINARY and the BLOB family as bytes.

use std::borrow::Cow;

use super::compressed::{decompress, is_compressed};
use super::select::{not_null, select_bytes};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::{ColumnLayout, ColumnType};
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// The bytes that BINARY(n) always has: row events leave out zeros at the end.
fn padded(mut bytes: Vec<u8>, column: &ColumnLayout) -> Result<Box<[u8]>, ValueError> {
    if let ColumnType::Binary { bytes: width } = column.kind {
        let expected = width as usize;
        if bytes.len() > expected {
            return Err(ValueError::Length {
                expected,
                found: bytes.len(),
            });
        }
        bytes.resize(expected, 0);
    }
    Ok(bytes.into_boxed_slice())
}

impl ColumnValue for Box<[u8]> {
    #[inline]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        if is_compressed(column.type_code) {
            return decompress(raw, column).map(Vec::into_boxed_slice);
        }
        match column.layout.kind {
            ColumnType::Binary { bytes: width } if raw.len() != width as usize => {
                let mut bytes = Vec::with_capacity(width as usize);
                bytes.extend_from_slice(raw);
                padded(bytes, column.layout)
            }
            _ => Ok(Self::from(raw)),
        }
    }

    #[inline]
    fn equals_image(&self, raw: Option<&[u8]>, column: &ImageColumn) -> Result<bool, ValueError> {
        // A BINARY(n) of n bytes lacks no zeros.
        if raw == Some(&**self) && !is_compressed(column.type_code) {
            return Ok(true);
        }
        Ok(*self == Self::from_image(raw, column)?)
    }

    #[inline]
    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
        padded(select_bytes(value, "bytes")?, column)
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        self.len()
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Bytes(Cow::Borrowed(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};

    fn decode(kind: ColumnType, raw: &[u8]) -> Result<Box<[u8]>, ValueError> {
        Box::<[u8]>::from_image(Some(raw), &image_column(column(kind), 254, 4))
    }

    #[test]
    fn binary_is_padded_back_with_zeros() {
        let kind = ColumnType::Binary { bytes: 4 };
        for raw in [&[][..], &[1], &[1, 2], &[1, 2, 3, 4]] {
            let mut whole = raw.to_vec();
            whole.resize(4, 0);
            assert_eq!(decode(kind, raw), Ok(whole.clone().into_boxed_slice()));
            assert_eq!(
                Box::<[u8]>::from_select(SelectValue::Bytes(whole.clone()), column(kind)),
                Ok(whole.into_boxed_slice())
            );
        }
        assert_eq!(
            decode(kind, &[1, 2, 3, 4, 5]),
            Err(ValueError::Length {
                expected: 4,
                found: 5
            })
        );
    }

    #[test]
    fn varbinary_and_blobs_are_never_padded() {
        for kind in [
            ColumnType::VarBinary { max_bytes: 4 },
            ColumnType::Blob { length_bytes: 1 },
        ] {
            assert_eq!(decode(kind, &[1, 0]), Ok(Box::from([1, 0])));
            assert_eq!(decode(kind, &[]), Ok(Box::from([])));
        }
    }
}
