//! One side of the rows of an event, before or after: what holds for all its images, and where the
//! columns are in the row in hand.

use std::borrow::Cow;

use super::ImageError;
use super::locate::{Field, Slot, Steps};
use super::partial::PartialColumns;
use super::plan::Plan;
use super::row_image::{ColumnDefault, ImageColumn};
use crate::layout::TableLayout;
use crate::source::Family;

/// Slots for which an event needs no memory of its own.
const SLOTS_AT_HAND: usize = 24;

/// One side of the rows: the steps through its images and the slots of the row in hand.
#[derive(Debug)]
pub(super) struct Side<'a> {
    /// All rows of the event.
    pub(super) rows: &'a [u8],
    steps: Cow<'a, Steps>,
    /// How many slots a row takes; they are here when they fit, else in `more_slots`.
    slot_count: usize,
    slots: [Slot; SLOTS_AT_HAND],
    more_slots: Vec<Slot>,
    pub(super) columns: &'a [ImageColumn],
    /// The layout whose places the columns have in these images, and whose server they are of.
    pub(super) exact: Option<(&'static TableLayout, Family)>,
    /// Of the after images of an insert or a REPLACE: what columns that they lack have, by field
    /// index.
    pub(super) defaults: &'a [ColumnDefault],
    /// Whether the images lack a mirrored generated column.
    pub(super) lacks_generated: bool,
    /// Whether these are the after images of a REPLACE.
    pub(super) replaces: bool,
}

impl<'a> Side<'a> {
    pub(super) fn new(plan: &'a Plan, rows: &'a [u8], present: &[u8]) -> Self {
        let steps = plan.steps(present);
        let slot_count = steps.slot_count();
        let more = if slot_count > SLOTS_AT_HAND {
            slot_count
        } else {
            0
        };
        let exact = match steps {
            Cow::Borrowed(_) => plan.exact(),
            Cow::Owned(_) => None,
        };
        let mut columns = plan.columns().iter().zip(&steps.fields);
        let lacks_generated = columns.any(|(column, field)| {
            column.layout.generated_from.is_some() && *field == Field::Absent
        });
        Self {
            rows,
            steps,
            slot_count,
            slots: [Slot::default(); SLOTS_AT_HAND],
            more_slots: vec![Slot::default(); more],
            columns: plan.columns(),
            exact,
            defaults: &[],
            lacks_generated,
            replaces: false,
        }
    }

    /// Finds the columns of the row at an offset; gives the offset behind it.
    #[inline]
    pub(super) fn locate(&mut self, at: usize) -> Result<usize, ImageError> {
        let slots = match self.slots.get_mut(..self.slot_count) {
            Some(slots) => slots,
            None => &mut self.more_slots,
        };
        self.steps.locate(self.rows, at, slots)
    }

    /// Marks the columns that hold differences in the next row.
    #[cold]
    #[inline(never)]
    pub(super) fn mark(
        &mut self,
        partial: &PartialColumns,
        at: usize,
    ) -> Result<usize, ImageError> {
        partial.mark(self.rows, at, &mut self.steps.to_mut().fields)
    }

    #[inline]
    pub(super) fn slots(&self) -> &[Slot] {
        match self.slots.get(..self.slot_count) {
            Some(slots) => slots,
            None => &self.more_slots,
        }
    }

    #[inline]
    pub(super) fn fields(&self) -> &[Field] {
        &self.steps.fields
    }
}
