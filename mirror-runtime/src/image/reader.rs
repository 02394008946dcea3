//! Going through the rows of a rows event.

use super::ImageError;
use super::partial::PartialColumns;
use super::plan::{Plan, has_bit};
use super::row_image::RowImage;
use super::rows_event::{AbsentColumns, RowsEvent, RowsKind};
use super::side::Side;
use super::straight::StraightRows;
use crate::error::ValueError;
use crate::layout::TableLayout;
use crate::row::Row;
use crate::source::Family;

/// The images of one changed row.
#[derive(Debug, Clone, Copy)]
pub struct RowImages<'a> {
    /// The row before (update, delete).
    pub before: Option<RowImage<'a>>,
    /// The row after (insert, update).
    pub after: Option<RowImage<'a>>,
}

/// Which of the images of a changed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The row before (update, delete).
    Before,
    /// The row after (insert, update).
    After,
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
    /// The layout by which rows can be read in one go, and whose server they are of.
    straight: Option<(&'static TableLayout, Family)>,
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
            straight: None,
            partial: None,
            defaults_only: event.kind == RowsKind::Insert
                && event.rows.is_empty()
                && event.columns > 0
                // Bits behind the last column may be set: those of hidden columns are.
                && !(0..event.columns).any(|column| has_bit(event.columns_after, column)),
        };
        let is_exact =
            |side: &Option<Side<'_>>| side.as_ref().is_none_or(|side| side.exact.is_some());
        let whole = is_exact(&reader.before) && is_exact(&reader.after) && reader.refused.is_none();
        if plan.is_straight() && whole && !event.partial && event.absent == AbsentColumns::Kept {
            reader.straight = plan.exact();
        }
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

    /// Decodes all rows that are left, image by image, and gives their number: the fastest way
    /// through them. Where all of a table is as it was compiled in, they are read in one go.
    ///
    /// # Errors
    /// As [`next`](Self::next), as [`Row::decode`], and what `each` gives. `each` may have got the
    /// before image of the row in hand then.
    #[inline]
    pub fn decode_each<R, E>(
        &mut self,
        mut each: impl FnMut(Which, R) -> Result<(), E>,
    ) -> Result<u64, E>
    where
        R: Row,
        E: From<ImageError> + From<ValueError>,
    {
        let mut count = 0;
        loop {
            let (rows, given) = self.decode_straight(&mut each)?;
            count += rows;
            if !self.decode_by_plan(given, &mut each)? {
                return Ok(count);
            }
            count += 1;
        }
    }

    /// What the event did.
    #[must_use]
    pub fn kind(&self) -> RowsKind {
        match (&self.before, &self.after) {
            (None, _) => RowsKind::Insert,
            (_, None) => RowsKind::Delete,
            (Some(_), Some(_)) => RowsKind::Update,
        }
    }

    /// Goes through rows that can be read in one go. `step` gets the rows from the next one on and
    /// gives those behind it, or nothing when that one has to be looked at closer:
    /// [`next`](Self::next) gives it then. Where rows cannot be read so, `step` is not called.
    ///
    /// # Errors
    /// What `step` gives; the row that it was of is the next one still.
    #[inline(always)]
    pub fn each_straight<R: Row, E>(
        &mut self,
        mut step: impl FnMut(StraightRows<'a>) -> Result<Option<StraightRows<'a>>, E>,
    ) -> Result<(), E> {
        let family = match self.straight {
            Some((layout, family)) if std::ptr::eq(layout, R::layout()) => family,
            _ => return Ok(()),
        };
        let mut rows = StraightRows::new(self.rows.get(self.at..).unwrap_or_default(), family);
        while rows.len() > 0 {
            match step(rows)? {
                // A row has a byte at least, or this would not end.
                Some(behind) if behind.len() < rows.len() => rows = behind,
                _ => break,
            }
            self.at = self.rows.len() - rows.len();
        }
        Ok(())
    }

    /// Decodes rows in one go up to the first that has to be looked at closer; gives their number,
    /// and whether that one's before image was given.
    #[inline(always)]
    fn decode_straight<R: Row, E>(
        &mut self,
        each: &mut impl FnMut(Which, R) -> Result<(), E>,
    ) -> Result<(u64, bool), E> {
        let first = match self.before {
            Some(_) => Which::Before,
            None => Which::After,
        };
        let is_update = self.kind() == RowsKind::Update;
        let (mut count, mut given) = (0, false);
        self.each_straight::<R, E>(|rows| {
            let Ok((done, mut behind)) = R::decode_straight(rows, |row| each(first, row)) else {
                return Ok(None);
            };
            done?;
            if is_update {
                given = true;
                let after = R::decode_straight(behind, |row| each(Which::After, row));
                let Ok((done, rest)) = after else {
                    return Ok(None);
                };
                done?;
                (given, behind) = (false, rest);
            }
            count += 1;
            Ok(Some(behind))
        })?;
        Ok((count, given))
    }

    /// Decodes the next row, but for a before image that was given; tells whether there is one.
    #[inline(never)]
    fn decode_by_plan<R, E>(
        &mut self,
        given: bool,
        each: &mut impl FnMut(Which, R) -> Result<(), E>,
    ) -> Result<bool, E>
    where
        R: Row,
        E: From<ImageError> + From<ValueError>,
    {
        let Some(images) = self.next()? else {
            return Ok(false);
        };
        if let (Some(before), false) = (&images.before, given) {
            each(Which::Before, R::decode(before)?)?;
        }
        if let Some(after) = &images.after {
            each(Which::After, R::decode(after)?)?;
        }
        Ok(true)
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
