//! Where the mirrored columns of a table are in an image that has all of them, worked out when the
//! generated code is compiled.
//!
//! A [`Plan`](super::Plan) works out the same from each table map. Where both agree, the generated
//! code reads values from where it knows them to be ([`ExactImage`](super::ExactImage)), where not,
//! by way of the plan.

use super::locate::Field;
use super::matching::{enum_bytes, set_bytes};
use super::row_image::ImageColumn;
use super::type_code as t;
use super::wire_type::{Width, WireColumn};
use crate::layout::{ColumnLayout, ColumnType, TableLayout};
use crate::source::Family;

/// Where one column is in the images of a table as it was when the code was generated, and what
/// the table maps of today's servers say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub(super) field: Field,
    /// Bytes of the run of NOT NULL columns of fixed width that the column is in.
    pub(super) run: u32,
    /// What a value takes; `None` for what stands in no row.
    pub(super) width: Option<Width>,
    /// As on MySQL; on MariaDB just the family differs.
    pub(super) column: ImageColumn,
}

/// The places of the mirrored columns, by field index; there are `N` of them.
///
/// # Panics
/// When the table has no mirrored columns.
#[must_use]
pub const fn places<const N: usize>(layout: &'static TableLayout) -> [Place; N] {
    let absent = Place {
        field: Field::Absent,
        run: 0,
        width: None,
        column: image_column(&layout.columns[0]),
    };
    let mut places = [absent; N];
    let mut walk = Walk::START;
    let mut at = 0;
    while at < N && at < layout.columns.len() {
        places[at].field = walk.next(&layout.columns[at]);
        places[at].width = wire_column(layout.columns[at].kind).width();
        places[at].column = image_column(&layout.columns[at]);
        at += 1;
    }
    // A run is as long as its last column says.
    let mut run = (0, 0);
    while at > 0 {
        at -= 1;
        if let Field::Fixed {
            slot,
            offset,
            width,
        } = places[at].field
        {
            if run.0 != slot || run.1 == 0 {
                run = (slot, offset + width);
            }
            places[at].run = run.1;
        }
    }
    places
}

/// How many slots these places are found by.
#[must_use]
pub const fn slot_count(layout: &TableLayout) -> usize {
    let mut walk = Walk::START;
    let mut field = 0;
    while field < layout.columns.len() {
        walk.next(&layout.columns[field]);
        field += 1;
    }
    walk.slots as usize
}

/// Bytes of the null bitmap of images that have all columns, all of which are mirrored.
#[must_use]
pub const fn bitmap_bytes(layout: &TableLayout) -> usize {
    layout.columns.len().div_ceil(8)
}

/// The bits that are never set in the null bitmap of such images, one for each NOT NULL column;
/// `N` is [`bitmap_bytes`].
#[must_use]
pub const fn not_null<const N: usize>(layout: &TableLayout) -> [u8; N] {
    let mut bits = [0; N];
    let mut column = 0;
    while column < layout.columns.len() && column / 8 < N {
        if !layout.columns[column].nullable {
            bits[column / 8] |= 1 << (column % 8);
        }
        column += 1;
    }
    bits
}

/// Whether the table has the mirrored columns and no others, in their order, with the widths and
/// with NULL where they were compiled in; `physical` is by position in the table, `fields` the
/// field index by it.
pub(super) fn is_straight(
    layout: &'static TableLayout,
    physical: &[(WireColumn, Width)],
    fields: &[Option<usize>],
) -> bool {
    let same =
        |(at, (compiled, (column, width))): (usize, (&ColumnLayout, &(WireColumn, Width)))| {
            compiled.ordinal == at
            && fields.get(at) == Some(&Some(at))
            && compiled.nullable == column.nullable
            && wire_column(compiled.kind).width() == Some(*width)
            // A run begins with the column that is 0 bytes behind its start.
            && *width != Width::Fixed(0)
        };
    physical.len() == layout.columns.len()
        && layout.columns.iter().zip(physical).enumerate().all(same)
}

/// Whether these are the places of the columns, and the columns are as they say; `fields` is by
/// field index, as `columns` is.
pub(super) fn are_places(
    layout: &'static TableLayout,
    columns: &[ImageColumn],
    fields: &[Field],
) -> bool {
    let mut walk = Walk::START;
    let same = |(compiled, (column, field)): (&'static ColumnLayout, (&ImageColumn, &Field))| {
        let compiled_column = ImageColumn {
            family: column.family,
            ..image_column(compiled)
        };
        walk.next(compiled) == *field && compiled_column == *column
    };
    columns.len() == layout.columns.len()
        && fields.len() == columns.len()
        && layout
            .columns
            .iter()
            .zip(columns.iter().zip(fields))
            .all(same)
}

/// Goes through the mirrored columns in table order, as [`Steps`](super::locate::Steps) does.
struct Walk {
    slots: u32,
    tail: u32,
    ordinal: usize,
}

impl Walk {
    const START: Self = Self {
        slots: 1,
        tail: 0,
        ordinal: 0,
    };

    const fn next(&mut self, column: &ColumnLayout) -> Field {
        let passed = column.ordinal != self.ordinal;
        self.ordinal = column.ordinal + 1;
        match (column.nullable, wire_column(column.kind).width()) {
            (false, Some(Width::Fixed(width))) => {
                if passed {
                    self.slots += 1;
                    self.tail = 0;
                }
                let offset = self.tail;
                self.tail += width;
                Field::Fixed {
                    slot: self.slots - 1,
                    offset,
                    width,
                }
            }
            _ => {
                self.slots += 1;
                self.tail = 0;
                Field::Slot(self.slots - 1)
            }
        }
    }
}

/// A column as the table maps of today's servers have it.
const fn image_column(layout: &'static ColumnLayout) -> ImageColumn {
    let wire = wire_column(layout.kind);
    ImageColumn {
        layout,
        type_code: wire.type_code,
        meta: wire.meta,
        family: Family::MySql,
    }
}

/// Type code and metadata of a type, in the formats of today.
const fn wire_column(kind: ColumnType) -> WireColumn {
    use ColumnType as T;
    let (type_code, meta) = match kind {
        T::TinyInt { .. } => (t::TINY, 0),
        T::SmallInt { .. } => (t::SHORT, 0),
        T::MediumInt { .. } => (t::INT24, 0),
        T::Int { .. } => (t::LONG, 0),
        T::BigInt { .. } => (t::LONGLONG, 0),
        T::Float => (t::FLOAT, 4),
        T::Double => (t::DOUBLE, 8),
        T::Decimal { precision, scale } => (t::NEWDECIMAL, u16::from_be_bytes([precision, scale])),
        T::Date => (t::DATE, 0),
        T::DateTime { fsp } => (t::DATETIME2, fsp as u16),
        T::Timestamp { fsp } => (t::TIMESTAMP2, fsp as u16),
        T::Time { fsp } => (t::TIME2, fsp as u16),
        T::Year => (t::YEAR, 0),
        T::Char { max_bytes } | T::Binary { bytes: max_bytes } => (t::STRING, max_bytes as u16),
        T::VarChar { max_bytes } | T::VarBinary { max_bytes } => (t::VARCHAR, max_bytes as u16),
        T::Text { length_bytes } | T::Blob { length_bytes } => (t::BLOB, length_bytes as u16),
        T::Enum { labels } => (t::ENUM, enum_bytes(labels.len())),
        T::Set { labels } => (t::SET, set_bytes(labels.len())),
        T::Bit { bits } => (t::BIT, u16::from_be_bytes([bits / 8, bits % 8])),
        T::Json => (t::JSON, 4),
        T::Geometry => (t::GEOMETRY, 4),
        T::Vector { .. } => (t::VECTOR, 4),
        T::Uuid | T::Inet6 => (t::STRING, 16),
        T::Inet4 => (t::STRING, 4),
    };
    WireColumn {
        type_code,
        meta,
        nullable: false,
    }
}
