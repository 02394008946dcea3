//! The hot path: where the mirrored columns are in one row.
//!
//! A row is its null bitmap and the values that are not NULL, in table order. Runs of NOT NULL
//! columns of fixed width always take the same number of bytes, so only the other columns need
//! a look: each of them is a [`Step`], and what is found of it is kept in a [`Slot`]. A column
//! within a run is found from the end of the slot before it, when it is asked for.

use super::ImageError;
use super::wire_type::{Width, WireColumn};

/// A column whose place in the row depends on the row, and the run of fixed bytes before it; or
/// just the end of columns that are not mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    /// Bytes of the NOT NULL columns of fixed width before this one.
    skip: u32,
    /// Bytes of the value, when there is no length before it.
    width: u32,
    /// Bytes of the length before the value, 0 to 4, and the bits of a number of 32 bits that they
    /// are.
    prefix: u8,
    prefix_mask: u32,
    /// Which 64 bits of the null bitmap have the column's bit.
    null_word: u32,
    /// The bit in them; 0 for NOT NULL.
    null_mask: u64,
    /// Slot that what is found is kept in; [`NO_SLOT`] for a column that is not mirrored.
    slot: u32,
}

/// No row has as many slots.
const NO_SLOT: u32 = u32::MAX;

/// Where the value of a step is in one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Slot {
    /// [`NULL`](Self::NULL), or the offset of the value.
    start: u32,
    /// Offset behind the value; of NULL, of where it would be.
    end: u32,
}

impl Slot {
    /// Rows events are far shorter than this.
    const NULL: u32 = u32::MAX;

    #[inline]
    pub(super) fn is_null(self) -> bool {
        self.start == Self::NULL
    }

    /// Offset of a value that is not NULL.
    #[inline]
    pub(super) fn start(self) -> usize {
        self.start as usize
    }

    #[inline]
    pub(super) fn end(self) -> usize {
        self.end as usize
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
    /// Slots that a row takes.
    slots: u32,
    /// Bytes behind the last step.
    tail: u32,
    /// Bytes of the null bitmap.
    bitmap: usize,
    /// The bits of the null bitmap that must be 0: the first 64 of them, and the others.
    not_null: u64,
    not_null_more: Vec<u64>,
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
            // Slot 0 is the end of the null bitmap.
            slots: 1,
            tail: 0,
            bitmap: 0,
            not_null: 0,
            not_null_more: Vec::new(),
            fields: vec![Field::Absent; field_count],
        };
        let mut null_bit = 0;
        let mut passed = false;
        for (ordinal, (column, width)) in columns.iter().enumerate() {
            if !present(ordinal) {
                continue;
            }
            let nullable = column.nullable.then_some(null_bit);
            match field_of(ordinal) {
                Some(at) => {
                    let field = steps.push(nullable, *width, passed);
                    if let Some(entry) = steps.fields.get_mut(at) {
                        *entry = field;
                    }
                }
                None => steps.pass(nullable, *width),
            }
            passed = field_of(ordinal).is_none();
            steps.mark(null_bit, column.nullable);
            null_bit += 1;
        }
        steps.bitmap = null_bit.div_ceil(8) as usize;
        steps
    }

    /// Adds the next present column, which is mirrored, and says how it is found; `passed` says
    /// whether the one before is not.
    ///
    /// What is found of columns that are not mirrored takes no slots, so that where the others are
    /// depends on them alone (see [`Place`](super::Place)).
    fn push(&mut self, null_bit: Option<u32>, width: Width, passed: bool) -> Field {
        match (null_bit, width) {
            (None, Width::Fixed(width)) => {
                if passed {
                    self.step(None, Width::Fixed(0), true);
                }
                let offset = self.tail;
                self.tail += width;
                Field::Fixed {
                    slot: self.slots - 1,
                    offset,
                    width,
                }
            }
            (null_bit, width) => {
                self.step(null_bit, width, true);
                Field::Slot(self.slots - 1)
            }
        }
    }

    /// Adds the next present column, which is not mirrored.
    fn pass(&mut self, null_bit: Option<u32>, width: Width) {
        match (null_bit, width) {
            (None, Width::Fixed(width)) => self.tail += width,
            (null_bit, width) => self.step(null_bit, width, false),
        }
    }

    fn step(&mut self, null_bit: Option<u32>, width: Width, keeps: bool) {
        let (width, prefix) = match width {
            Width::Fixed(width) => (width, 0),
            Width::Prefixed(prefix) => (0, prefix),
        };
        self.steps.push(Step {
            skip: std::mem::take(&mut self.tail),
            width,
            prefix,
            prefix_mask: (1_u64 << (8 * prefix)).wrapping_sub(1) as u32,
            null_word: null_bit.map_or(0, |bit| bit / 64),
            null_mask: null_bit.map_or(0, |bit| 1 << (bit % 64)),
            slot: if keeps { self.slots } else { NO_SLOT },
        });
        self.slots += u32::from(keeps);
    }

    fn mark(&mut self, null_bit: u32, nullable: bool) {
        let (word, bit) = ((null_bit / 64) as usize, null_bit % 64);
        if word > self.not_null_more.len() {
            self.not_null_more.push(0);
        }
        let mask = match word.checked_sub(1) {
            None => Some(&mut self.not_null),
            Some(more) => self.not_null_more.get_mut(more),
        };
        if let Some(mask) = mask {
            *mask |= u64::from(!nullable) << bit;
        }
    }

    /// Slots that a row takes.
    pub(super) fn slot_count(&self) -> usize {
        self.slots as usize
    }

    /// Finds the columns of the row at `start`; gives the offset behind it. Everything that the
    /// slots and fields name is within the rows then.
    ///
    /// `slots` has [`slot_count`](Self::slot_count) entries.
    #[inline]
    pub(super) fn locate(
        &self,
        rows: &[u8],
        start: usize,
        slots: &mut [Slot],
    ) -> Result<usize, ImageError> {
        let mut at = start + self.bitmap;
        let row = rows.get(start..).unwrap_or_default();
        if row.len() < self.bitmap {
            return Err(truncated(rows, start, self.bitmap, "null bitmap"));
        }
        // Bits behind those of the bitmap may be those of values; no mask has them.
        let nulls = word(row, 0);
        if nulls & self.not_null != 0 || !self.not_null_more.is_empty() {
            self.check_not_null(row, start)?;
        }
        if let Some(first) = slots.first_mut() {
            *first = Slot {
                start: at as u32,
                end: at as u32,
            };
        }
        for step in &self.steps {
            at += step.skip as usize;
            let nulls = match step.null_word {
                0 => nulls,
                at => word(row, at as usize),
            };
            let mut start = Slot::NULL;
            if nulls & step.null_mask == 0 {
                // The same for all widths: 32 bits, of which none are the length of a fixed one.
                let prefix = match rows.get(at..).and_then(|rest| rest.first_chunk()) {
                    Some(bytes) => u32::from_le_bytes(*bytes) & step.prefix_mask,
                    None => read_length(rows, at, step.prefix)?,
                };
                let length = step.width as usize + prefix as usize;
                at += usize::from(step.prefix);
                if length > rows.len().saturating_sub(at) {
                    return Err(truncated(rows, at, length, "column value"));
                }
                start = at as u32;
                at += length;
            }
            if let Some(slot) = slots.get_mut(step.slot as usize) {
                *slot = Slot {
                    start,
                    end: at as u32,
                };
            }
        }
        at += self.tail as usize;
        if at > rows.len() {
            return Err(truncated(rows, start, at - start, "row"));
        }
        Ok(at)
    }

    /// Refuses a row that has NULL where it may not stand.
    #[inline(never)]
    fn check_not_null(&self, row: &[u8], start: usize) -> Result<(), ImageError> {
        let masks = std::iter::once(&self.not_null).chain(&self.not_null_more);
        for (at, mask) in masks.enumerate() {
            if word(row, at) & mask != 0 {
                return Err(ImageError::UnexpectedNull { at: start });
            }
        }
        Ok(())
    }
}

/// The 64 bits with this index, lowest first; 0 for those that are not there.
#[inline]
fn word(row: &[u8], index: usize) -> u64 {
    let bytes = row.get(index * 8..).unwrap_or_default();
    match bytes.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// A little-endian length of so many bytes, 0 to 4, near the end of the rows.
#[cold]
fn read_length(rows: &[u8], at: usize, prefix: u8) -> Result<u32, ImageError> {
    let length = match (prefix, rows.get(at..)) {
        (0, _) => 0,
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
