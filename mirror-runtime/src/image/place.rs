//! Where the mirrored columns of a table are in an image that has all of them, worked out when the
//! generated code is compiled.
//!
//! A [`Plan`](super::Plan) works out the same from each table map. Where both agree, the generated
//! code reads values from where it knows them to be ([`ExactImage`](super::ExactImage)), where not,
//! by way of the plan.

use super::locate::Field;
use super::wire_type::Width;
use crate::layout::{ColumnLayout, ColumnType, TableLayout};
use crate::types::packed_length;

/// Where one column is in the images of a table as it was when the code was generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub(super) field: Field,
    /// Bytes of the run of NOT NULL columns of fixed width that the column is in.
    pub(super) run: u32,
}

/// The places of the mirrored columns, by field index; there are `N` of them.
#[must_use]
pub const fn places<const N: usize>(layout: &TableLayout) -> [Place; N] {
    let absent = Place {
        field: Field::Absent,
        run: 0,
    };
    let mut places = [absent; N];
    let mut walk = Walk::START;
    let mut at = 0;
    while at < N && at < layout.columns.len() {
        places[at].field = walk.next(&layout.columns[at]);
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

/// Whether these are the places of the columns.
pub(super) fn are_places(layout: &TableLayout, fields: &[Field]) -> bool {
    let mut walk = Walk::START;
    let compiled = layout.columns.iter().map(|column| walk.next(column));
    compiled.eq(fields.iter().copied())
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
        match (column.nullable, width(column.kind)) {
            (false, Width::Fixed(width)) => {
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

/// What a value of a type takes in a row, in the formats of today; of a length before a value, just
/// that there is one.
const fn width(kind: ColumnType) -> Width {
    use ColumnType as T;
    const fn fraction(fsp: u8) -> u32 {
        (fsp as u32).div_ceil(2)
    }
    Width::Fixed(match kind {
        T::TinyInt { .. } | T::Year => 1,
        T::SmallInt { .. } => 2,
        T::MediumInt { .. } | T::Date => 3,
        T::Int { .. } | T::Float => 4,
        T::BigInt { .. } | T::Double => 8,
        T::Decimal { precision, scale } => packed_length(precision, scale) as u32,
        T::DateTime { fsp } => 5 + fraction(fsp),
        T::Timestamp { fsp } => 4 + fraction(fsp),
        T::Time { fsp } => 3 + fraction(fsp),
        T::Enum { labels } => {
            if labels.len() < 256 {
                1
            } else {
                2
            }
        }
        T::Set { labels } => match labels.len().div_ceil(8) {
            bytes @ 0..=4 => bytes as u32,
            _ => 8,
        },
        T::Bit { bits } => (bits as u32).div_ceil(8),
        T::Char { .. }
        | T::VarChar { .. }
        | T::Text { .. }
        | T::Binary { .. }
        | T::VarBinary { .. }
        | T::Blob { .. }
        | T::Json
        | T::Geometry
        | T::Vector { .. }
        | T::Uuid
        | T::Inet4
        | T::Inet6 => return Width::Prefixed(1),
    })
}
