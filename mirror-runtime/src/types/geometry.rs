//! GEOMETRY and its subtypes.

use std::borrow::Cow;

use super::select::{not_null, select_bytes};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::ColumnLayout;
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// A geometry value: its SRID and its WKB (MySQL manual: "Internal Geometry Storage Format").
///
/// MySQL keeps geographic coordinates as longitude and latitude here, whatever order the
/// spatial reference system has.
///
/// ```
/// use mirror_runtime::Geometry;
///
/// let geometry = Geometry::from_bytes(*b"\xe6\x10\0\0\x01\x01\0\0\0").unwrap();
/// assert_eq!(geometry.srid(), 4326);
/// assert_eq!(geometry.wkb().len(), 5);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Geometry(Box<[u8]>);

const SRID_BYTES: usize = 4;

impl Geometry {
    /// A value from the server's bytes: four of the SRID, little endian, then the WKB; `None`
    /// when there are fewer than four. Without any byte it is what MariaDB and MySQL 5.6 put into
    /// a NOT NULL column that got no value, outside of strict mode.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        (bytes.is_empty() || bytes.len() >= SRID_BYTES).then_some(Self(bytes))
    }

    /// The id of the spatial reference system; 0 for none.
    #[must_use]
    pub fn srid(&self) -> u32 {
        self.0
            .first_chunk::<SRID_BYTES>()
            .map_or(0, |srid| u32::from_le_bytes(*srid))
    }

    /// The geometry as WKB, little endian.
    #[must_use]
    pub fn wkb(&self) -> &[u8] {
        self.0.get(SRID_BYTES..).unwrap_or_default()
    }

    /// SRID and WKB as the server holds them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

const TOO_SHORT: ValueError = ValueError::Invalid("a geometry without its SRID");

impl ColumnValue for Geometry {
    #[inline]
    fn from_image(raw: Option<&[u8]>, _column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        Self::from_bytes(raw).ok_or(TOO_SHORT)
    }

    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        Self::from_bytes(select_bytes(value, "bytes of a geometry")?).ok_or(TOO_SHORT)
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        self.0.len()
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Bytes(Cow::Borrowed(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};
    use crate::layout::ColumnType;

    #[test]
    fn srid_and_wkb_are_the_same_on_both_paths() {
        let layout = column(ColumnType::Geometry);
        let image = image_column(layout, 255, 4);
        let bytes = b"\xe6\x10\0\0\x01\x01\0\0\0";
        let decoded = Geometry::from_image(Some(bytes), &image).unwrap();
        let selected = Geometry::from_select(SelectValue::Bytes(bytes.to_vec()), layout).unwrap();
        assert_eq!(decoded, selected);
        assert_eq!((decoded.srid(), decoded.wkb()), (4326, &bytes[4..]));
        let empty = Geometry::from_image(Some(b""), &image).unwrap();
        assert_eq!((empty.srid(), empty.wkb()), (0, &[][..]));
        assert_eq!(
            Geometry::from_image(Some(b"\0\0\0"), &image),
            Err(TOO_SHORT)
        );
    }
}
