//! Going through the rows of a rows event.

use super::ImageError;
use super::partial::PartialColumns;
use super::plan::{Plan, has_bit};
use super::row_image::RowImage;
use super::rows_event::{AbsentColumns, RowsEvent, RowsKind};
use super::side::Side;

/// The images of one changed row.
#[derive(Debug, Clone, Copy)]
pub struct RowImages<'a> {
    /// The row before (update, delete).
    pub before: Option<RowImage<'a>>,
    /// The row after (insert, update).
    pub after: Option<RowImage<'a>>,
}

/// Goes through the rows of one event; see [`Plan::reader`].
#[derive(Debug)]
pub struct RowReader<'a> {
    rows: &'a [u8],
    at: usize,
    /// What is wrong with the event as a whole, until it was told.
    refused: Option<ImageError>,
    before: Option<Side<'a>>,
    after: Option<Side<'a>>,
    /// Of an event whose after images may hold differences.
    partial: Option<PartialColumns>,
    /// Of an insert of which no column is logged, until its row was given: every column has its
    /// default, so by its key there is one such row.
    defaults_only: bool,
}

impl<'a> RowReader<'a> {
    pub(super) fn new(plan: &'a Plan, event: &RowsEvent<'a>) -> Self {
        let has_before = event.kind != RowsKind::Insert;
        let has_after = event.kind != RowsKind::Delete;
        let mut reader = Self {
            rows: event.rows,
            at: 0,
            refused: check_head(plan, event).err(),
            before: has_before.then(|| Side::new(plan, event.rows, event.columns_before)),
            after: has_after.then(|| Side::new(plan, event.rows, event.columns_after)),
            partial: None,
            defaults_only: event.kind == RowsKind::Insert
                && event.rows.is_empty()
                && event.columns > 0
                // Bits behind the last column may be set: those of hidden columns are.
                && !(0..event.columns).any(|column| has_bit(event.columns_after, column)),
        };
        let Some(after) = &mut reader.after else {
            return reader;
        };
        after.replaces = has_before && event.absent == AbsentColumns::Default;
        // Only the image of an insert or a REPLACE makes a row out of nothing.
        if !has_before || after.replaces {
            after.defaults = plan.defaults();
        }
        if event.partial {
            after.exact = None;
            match PartialColumns::new(plan, after.fields()) {
                Ok(partial) => reader.partial = Some(partial),
                Err(error) => reader.refused = reader.refused.or(Some(error)),
            }
        }
        reader
    }

    /// Offset of the next row within the rows of the event.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The images of the next row, `None` behind the last one.
    ///
    /// # Errors
    /// When the event has another number of columns than the table map, a row goes on behind the
    /// end of the event, or its null bitmap contradicts the table map; there is no next row then.
    #[inline(always)]
    #[allow(
        clippy::should_implement_trait,
        reason = "the images borrow from the reader, which an Iterator's items cannot"
    )]
    pub fn next(&mut self) -> Result<Option<RowImages<'_>>, ImageError> {
        if self.at >= self.rows.len() && !self.defaults_only {
            return Ok(None);
        }
        self.advance()?;
        let before = self.before.as_ref();
        let documents = match &self.partial {
            None => None,
            Some(_) => before,
        };
        let after = self.after.as_ref();
        Ok(Some(RowImages {
            before: before.map(|side| RowImage::new(side, None)),
            after: after.map(|side| RowImage::new(side, documents)),
        }))
    }

    /// Finds the columns of the next row.
    fn advance(&mut self) -> Result<(), ImageError> {
        let start = std::mem::replace(&mut self.at, self.rows.len());
        if let Some(error) = self.refused.take() {
            self.defaults_only = false;
            return Err(error);
        }
        let mut at = start;
        if let Some(before) = &mut self.before {
            at = before.locate(at)?;
        }
        if let Some(after) = &mut self.after {
            if let Some(partial) = &self.partial {
                at = after.mark(partial, at)?;
            }
            at = after.locate(at)?;
        }
        if at == start && !std::mem::take(&mut self.defaults_only) {
            return Err(ImageError::Invalid {
                what: "a row without bytes",
                at,
            });
        }
        self.at = at;
        Ok(())
    }
}

/// Checks what all rows of an event depend on. An event without rows may have no columns: a
/// server may send it just to end a statement.
fn check_head(plan: &Plan, event: &RowsEvent<'_>) -> Result<(), ImageError> {
    if event.columns != plan.physical_columns() {
        return Err(ImageError::ColumnCount {
            expected: plan.physical_columns(),
            found: event.columns,
        });
    }
    // Places within the rows are kept in 32 bits.
    if u32::try_from(event.rows.len()).is_err() {
        return Err(ImageError::Invalid {
            what: "length of the rows",
            at: event.rows_at,
        });
    }
    Ok(())
}
