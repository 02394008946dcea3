//! Which JSON columns of an after image hold differences in place of their values.
//!
//! Format: MySQL source, `unpack_row()` and `Rows_log_event::pack_info`; seen on 9.7. Behind the
//! before image of a row in a PARTIAL_UPDATE_ROWS event stand the value options, a length-encoded
//! integer. When their lowest bit is set, a bitmap follows with one bit for each JSON column of
//! the table, whether the image has it or not; then the after image as usual. A column whose bit
//! is set has differences behind its length, see [`JsonDiffs`](super::JsonDiffs).

use super::ImageError;
use super::cursor::Cursor;
use super::locate::Field;
use super::plan::Plan;
use super::wire_type::Width;

const OPTIONS: &str = "value options of a partial update";
const BITMAP: &str = "bitmap of partial JSON columns";
/// The only option that there is.
const PARTIAL_JSON: u64 = 1;
/// Differences have a length of four bytes before them, as JSON values have.
const LENGTH_BYTES: u8 = 4;

/// The JSON columns of one event's after images.
#[derive(Debug, Clone)]
pub(super) struct PartialColumns {
    bitmap_bytes: usize,
    mirrored: Vec<Mirrored>,
}

#[derive(Debug, Clone, Copy)]
struct Mirrored {
    /// Bit of the bitmap.
    bit: usize,
    field: usize,
    slot: u32,
}

impl PartialColumns {
    /// `fields` is how the event's after images are read.
    pub(super) fn new(plan: &Plan, fields: &[Field]) -> Result<Self, ImageError> {
        let mut count = 0;
        let mut mirrored = Vec::new();
        for (bit, (field, width)) in plan.json_columns().enumerate() {
            count += 1;
            if width != Width::Prefixed(LENGTH_BYTES) {
                return Err(ImageError::Invalid {
                    what: "length of a JSON column in a table map",
                    at: 0,
                });
            }
            if let Some(field) = field
                && let Some(Field::Slot(slot)) = fields.get(field)
            {
                mirrored.push(Mirrored {
                    bit,
                    field,
                    slot: *slot,
                });
            }
        }
        Ok(Self {
            bitmap_bytes: usize::div_ceil(count, 8),
            mirrored,
        })
    }

    /// Reads the options and the bitmap of the row whose after image follows them, and marks the
    /// columns; gives the offset of the after image.
    pub(super) fn mark(
        &self,
        rows: &[u8],
        at: usize,
        fields: &mut [Field],
    ) -> Result<usize, ImageError> {
        let mut cursor = Cursor::starting_at(rows, at);
        let bitmap = match cursor.packed(OPTIONS)? {
            0 => &[],
            PARTIAL_JSON => cursor.take(self.bitmap_bytes, BITMAP)?,
            _ => return Err(ImageError::Invalid { what: OPTIONS, at }),
        };
        for column in &self.mirrored {
            let is_set = bitmap
                .get(column.bit / 8)
                .is_some_and(|byte| byte >> (column.bit % 8) & 1 == 1);
            if let Some(field) = fields.get_mut(column.field) {
                *field = if is_set {
                    Field::Difference(column.slot)
                } else {
                    Field::Slot(column.slot)
                };
            }
        }
        Ok(cursor.position())
    }
}

#[cfg(test)]
#[path = "partial_tests.rs"]
mod tests;
