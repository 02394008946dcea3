//! How rows that can be read in one go are applied to a table.
//!
//! This is the fast way of what `table_core` does image by image. It says nothing of a row that it
//! cannot read, or that does not fit: it stops before it, and the row is looked at image by image.

use super::meeting::image_key;
use super::table_core::{Applying, TableCore, change_of};
use super::table_writer::Unapplied;
use super::{ApplyError, Divergence, Mode, RowChange};
use crate::image::{RowReader, RowsKind, StraightRows};
use crate::row::Row;

/// The images behind a row that was applied, and the change, if changes are listed.
type Step<'a, R> = Option<(StraightRows<'a>, Option<RowChange<R>>)>;

impl<R: Row> TableCore<R> {
    /// Applies rows up to the first that has to be looked at closer, or that does not fit.
    pub(super) fn apply_straight<C: From<RowChange<R>>>(
        &mut self,
        reader: &mut RowReader<'_>,
        applying: Applying<'_>,
        changes: &mut Option<&mut Vec<C>>,
    ) -> Result<(), Unapplied> {
        let kind = reader.kind();
        let done = reader.each_straight::<R, Divergence>(|rows| {
            let step = match kind {
                RowsKind::Insert => self.insert_straight(rows, applying)?,
                RowsKind::Update => self.update_straight(rows, applying),
                RowsKind::Delete => self.delete_straight(rows, applying),
            };
            let Some((behind, change)) = step else {
                return Ok(None);
            };
            if let (Some(changes), Some(change)) = (changes.as_deref_mut(), change) {
                changes.push(change.into());
            }
            Ok(Some(behind))
        });
        done.map_err(|error| unapplied::<R>(reader, error))
    }

    #[inline(always)]
    fn insert_straight<'a>(
        &mut self,
        rows: StraightRows<'a>,
        applying: Applying<'_>,
    ) -> Result<Step<'a, R>, Divergence> {
        let inserted = R::decode_straight(rows, |row| self.insert_row(row, applying));
        let Ok((inserted, behind)) = inserted else {
            return Ok(None);
        };
        let change = match inserted {
            Err(_) if applying.mode == Mode::Lenient => None,
            change => change?,
        };
        Ok(Some((behind, change)))
    }

    /// Updates a row that keeps its key; in strict mode, one that is as the before image says.
    #[inline(always)]
    fn update_straight<'a>(
        &mut self,
        rows: StraightRows<'a>,
        applying: Applying<'_>,
    ) -> Step<'a, R> {
        let key = R::key_straight(rows).ok()?;
        let held = self.rows.hold(applying.at, R::borrowed(&key))?;
        let (is_same, after) = held.row().matches_straight(rows).ok()?;
        if !is_same && applying.mode == Mode::Strict {
            return None;
        }
        let (placed, behind) = R::decode_straight(after, |row| held.replace(row)).ok()?;
        let placed = placed?;
        Some((behind, applying.listed.then(|| change_of(&placed))))
    }

    /// Deletes a row that is there; in strict mode, one that is as the before image says.
    #[inline(always)]
    fn delete_straight<'a>(
        &mut self,
        rows: StraightRows<'a>,
        applying: Applying<'_>,
    ) -> Step<'a, R> {
        let key = R::key_straight(rows).ok()?;
        let held = self.rows.get(R::borrowed(&key))?;
        let (is_same, behind) = held.matches_straight(rows).ok()?;
        if !is_same && applying.mode == Mode::Strict {
            return None;
        }
        let before = self.rows.remove(applying.at, R::borrowed(&key))?;
        let change = applying.listed.then_some(RowChange::Delete { before });
        Some((behind, change))
    }
}

/// What to say of the next row of a reader.
#[cold]
fn unapplied<R: Row>(reader: &mut RowReader<'_>, error: Divergence) -> Unapplied {
    let bytes = reader.position();
    let images = reader.next().ok().flatten();
    let key = || images.as_ref().and_then(image_key::<R>);
    Unapplied::at(bytes)(ApplyError::from(error).of_row(key))
}
