//! The hot path: where the mirrored columns are in one row.
//!
//! A row is its null bitmap and the values that are not NULL, in table order. Runs of NOT NULL
//! columns of fixed width always take the same number of bytes, so only the other columns need
//! a look: each of them is a [`Step`], and what is found of it is kept in a [`Slot`]. A column
//! within a run is found from the end of the slot before it, when it is asked for.

use super::ImageError;
use super::wire_type::{Width, WireColumn};

/// A column whose place in the row depends on the row, and the run of fixed bytes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    /// Bytes of the NOT NULL columns of fixed width before this one.
    skip: u32,
    /// Number of the column's bit in the null bitmap; `None` for NOT NULL.
    null_bit: Option<u32>,
    width: Width,
}

/// Where the value of a step is in one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Slot {
    start: u32,
    /// [`NULL`](Self::NULL), or the length in bytes.
    length: u32,
}

impl Slot {
    /// Rows events are far shorter than this.
    const NULL: u32 = u32::MAX;

    #[inline]
    pub(super) fn is_null(self) -> bool {
        self.length == Self::NULL
    }

    #[inline]
    pub(super) fn start(self) -> usize {
        self.start as usize
    }

    #[inline]
    pub(super) fn length(self) -> usize {
        if self.is_null() {
            0
        } else {
            self.length as usize
        }
    }

    #[inline]
    pub(super) fn end(self) -> usize {
        self.start() + self.length()
    }
}

/// How a mirrored column is found in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// The image does not have it.
    Absent,
    /// So many bytes behind the end of a slot.
    Fixed {
        /// Index of the slot.
        slot: u32,
        /// Bytes from the slot's end to the value.
        offset: u32,
        /// Bytes of the value.
        width: u32,
    },
    /// It is a slot.
    Slot(u32),
    /// It is a slot that holds differences of a JSON document in place of its value.
    Difference(u32),
}

/// How to go through the rows that have one set of present columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps {
    steps: Vec<Step>,
    /// Bytes behind the last step.
    tail: u32,
    /// The bits of the null bitmap that must be 0.
    not_null: Vec<u8>,
    /// By field index.
    pub(super) fields: Vec<Field>,
}

impl Steps {
    /// Works out the steps for rows that have the columns for which `present` is true.
    ///
    /// `columns` is every column of the table with its width; `field_of` gives a column's field
    /// index, `None` for one that is not mirrored.
    pub(super) fn new(
        columns: &[(WireColumn, Width)],
        field_count: usize,
        field_of: impl Fn(usize) -> Option<usize>,
        present: impl Fn(usize) -> bool,
    ) -> Self {
        let mut steps = Self {
            steps: Vec::new(),
            tail: 0,
            not_null: Vec::new(),
            fields: vec![Field::Absent; field_count],
        };
        let mut null_bit = 0;
        for (ordinal, (column, width)) in columns.iter().enumerate() {
            if !present(ordinal) {
                continue;
            }
            let field = steps.push(column.nullable.then_some(null_bit), *width);
            steps.mark(null_bit, column.nullable);
            if let Some(entry) = field_of(ordinal).and_then(|at| steps.fields.get_mut(at)) {
                *entry = field;
            }
            null_bit += 1;
        }
        steps
    }

    /// Adds the next present column and says how it is found.
    fn push(&mut self, null_bit: Option<u32>, width: Width) -> Field {
        // Slot 0 is the end of the null bitmap, so the slot of a step is its index plus 1.
        let slot = self.steps.len() as u32;
        match (null_bit, width) {
            (None, Width::Fixed(width)) => {
                let offset = self.tail;
                self.tail += width;
                Field::Fixed {
                    slot,
                    offset,
                    width,
                }
            }
            (null_bit, width) => {
                self.steps.push(Step {
                    skip: std::mem::take(&mut self.tail),
                    null_bit,
                    width,
                });
                Field::Slot(slot + 1)
            }
        }
    }

    fn mark(&mut self, null_bit: u32, nullable: bool) {
        let (byte, bit) = ((null_bit / 8) as usize, null_bit % 8);
        if byte == self.not_null.len() {
            self.not_null.push(0);
        }
        if let Some(mask) = self.not_null.get_mut(byte) {
            *mask |= u8::from(!nullable) << bit;
        }
    }

    /// Slots that a row takes.
    pub(super) fn slot_count(&self) -> usize {
        self.steps.len() + 1
    }

    /// Finds the columns of the row at `start`; gives the offset behind it.
    ///
    /// `slots` has [`slot_count`](Self::slot_count) entries.
    #[inline]
    pub(super) fn locate(
        &self,
        rows: &[u8],
        start: usize,
        slots: &mut [Slot],
    ) -> Result<usize, ImageError> {
        let mut at = start + self.not_null.len();
        let Some(nulls) = rows.get(start..at) else {
            return Err(truncated(rows, start, self.not_null.len(), "null bitmap"));
        };
        if nulls
            .iter()
            .zip(&self.not_null)
            .any(|(null, not)| null & not != 0)
        {
            return Err(ImageError::UnexpectedNull { at: start });
        }
        let Some((first, slots)) = slots.split_first_mut() else {
            return Ok(at);
        };
        *first = Slot {
            start: at as u32,
            length: 0,
        };
        for (step, slot) in self.steps.iter().zip(slots) {
            at += step.skip as usize;
            if step.null_bit.is_some_and(|bit| is_set(nulls, bit)) {
                *slot = Slot {
                    start: at as u32,
                    length: Slot::NULL,
                };
                continue;
            }
            let length = match step.width {
                Width::Fixed(width) => width,
                Width::Prefixed(prefix) => {
                    let length = read_length(rows, at, prefix)?;
                    at += usize::from(prefix);
                    length
                }
            };
            if length as usize > rows.len().saturating_sub(at) {
                return Err(truncated(rows, at, length as usize, "column value"));
            }
            *slot = Slot {
                start: at as u32,
                length,
            };
            at += length as usize;
        }
        at += self.tail as usize;
        if at > rows.len() {
            return Err(truncated(rows, start, at - start, "row"));
        }
        Ok(at)
    }
}

#[inline]
fn is_set(bitmap: &[u8], bit: u32) -> bool {
    bitmap
        .get((bit / 8) as usize)
        .is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

/// A little-endian length of 1 to 4 bytes.
#[inline]
fn read_length(rows: &[u8], at: usize, prefix: u8) -> Result<u32, ImageError> {
    let length = match (prefix, rows.get(at..)) {
        (1, Some([a, ..])) => u32::from(*a),
        (2, Some([a, b, ..])) => u32::from(u16::from_le_bytes([*a, *b])),
        (3, Some([a, b, c, ..])) => u32::from_le_bytes([*a, *b, *c, 0]),
        (4, Some([a, b, c, d, ..])) => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => return Err(truncated(rows, at, prefix.into(), "length of a value")),
    };
    Ok(length)
}

#[cold]
fn truncated(rows: &[u8], at: usize, expected: usize, what: &'static str) -> ImageError {
    ImageError::Truncated {
        what,
        at,
        expected,
        found: rows.len().saturating_sub(at),
    }
}
