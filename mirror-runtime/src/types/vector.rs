//! VECTOR of both servers.

use std::borrow::Cow;

use super::select::{not_null, select_bytes};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::{ColumnLayout, ColumnType};
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// A vector of single-precision floats (MySQL manual: "The VECTOR Type").
///
/// Two vectors are equal when all bits of all their entries are.
#[derive(Debug, Clone, Default)]
pub struct Vector(Box<[f32]>);

impl Vector {
    /// A vector of these entries.
    #[must_use]
    pub fn new(entries: impl Into<Box<[f32]>>) -> Self {
        Self(entries.into())
    }

    /// The entries.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }
}

impl PartialEq for Vector {
    fn eq(&self, other: &Self) -> bool {
        let bits = |vector: &'_ Self| {
            vector
                .0
                .iter()
                .map(|entry| entry.to_bits())
                .collect::<Vec<_>>()
        };
        self.0.len() == other.0.len() && bits(self) == bits(other)
    }
}

impl Eq for Vector {}

/// Little-endian floats: on MySQL as many as there are up to the column's dimension, on MariaDB
/// exactly as many.
fn entries(raw: &[u8], column: &ColumnLayout) -> Result<Vector, ValueError> {
    let (floats, rest) = raw.as_chunks::<4>();
    let most = match column.kind {
        ColumnType::Vector { dimension } => dimension as usize,
        _ => 0,
    };
    if floats.len() > most || !rest.is_empty() {
        return Err(ValueError::Length {
            expected: most * 4,
            found: raw.len(),
        });
    }
    Ok(Vector(
        floats
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect(),
    ))
}

impl ColumnValue for Vector {
    #[inline]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        entries(not_null(raw)?, column.layout)
    }

    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
        entries(&select_bytes(value, "bytes of a vector")?, column)
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        size_of_val(&*self.0)
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Vector(Cow::Borrowed(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};

    #[test]
    fn entries_are_little_endian_floats() {
        let image = image_column(column(ColumnType::Vector { dimension: 3 }), 242, 4);
        let raw = b"\x66\x66\x86\x3f\x66\x66\x8e\xc1\0\0\0\x42";
        let vector = Vector::from_image(Some(raw), &image).unwrap();
        assert_eq!(vector.as_slice(), [1.05, -17.8, 32.0]);
        assert_eq!(vector.equals_image(Some(raw), &image), Ok(true));
        let shorter = Vector::from_image(Some(&raw[..8]), &image).unwrap();
        assert_ne!(vector, shorter);
    }

    #[test]
    fn entries_too_many_or_cut_are_errors() {
        let image = image_column(column(ColumnType::Vector { dimension: 1 }), 242, 4);
        assert!(Vector::from_image(Some(&[0; 8]), &image).is_err());
        assert!(Vector::from_image(Some(&[0; 3]), &image).is_err());
    }

    #[test]
    fn signs_of_zero_tell_vectors_apart() {
        assert_ne!(Vector::new([0.0]), Vector::new([-0.0]));
        assert_eq!(Vector::new([f32::NAN]), Vector::new([f32::NAN]));
    }
}
