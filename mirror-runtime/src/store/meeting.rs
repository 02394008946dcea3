//! What comes of an image that meets a row, or none.

use super::table_writer::RowImagesOf;
use super::{ApplyError, Divergence, Mode, RowChange};
use crate::error::ValueError;
use crate::image::{RowImage, RowImages};
use crate::layout::{ColumnLayout, TableLayout};
use crate::row::Row;
use crate::value::Value;
use crate::verify::key_text_of;

/// A row before and after, of a row that was there before.
pub(super) fn row_images<R: Row>(change: RowChange<R>) -> Option<RowImagesOf> {
    match change {
        RowChange::Update { before, after } => Some((Box::new(before), Some(Box::new(after)))),
        RowChange::Delete { before } => Some((Box::new(before), None)),
        RowChange::Insert { .. } | RowChange::Truncate => None,
    }
}

/// The row that an image makes with the defaults of columns that it lacks.
pub(super) fn decode_whole<R: Row>(image: &RowImage<'_>) -> Result<R, ApplyError> {
    match R::decode(image) {
        Err(error) if error.is_absent() => Err(lacking::<R>(image, &error).into()),
        other => Ok(other?),
    }
}

/// The row that is held, with what an update says of it.
pub(super) fn merged<R: Row>(
    held: &R,
    key: &R::Key,
    before: &RowImage<'_>,
    after: &RowImage<'_>,
    mode: Mode,
) -> Result<R, ApplyError> {
    if mode != Mode::Strict && moves_partly::<R>(key, after) {
        return Err(Divergence::PartialMove.into());
    }
    if after.leaves_generated_open(before) {
        return Err(Divergence::GeneratedNotLogged.into());
    }
    if after.is_exact() {
        return Ok(R::decode(after)?);
    }
    let mut row = R::clone(held);
    row.merge(&match mode {
        Mode::Tolerant | Mode::Lenient => after.replayed(),
        Mode::Strict => *after,
    })
    .map_err(difference_error)?;
    Ok(row)
}

/// Differences that cannot be applied to the row that is held are a divergence.
pub(super) fn difference_error(error: ValueError) -> ApplyError {
    match error.cause() {
        ValueError::JsonMisfit => Divergence::JsonDifference.into(),
        ValueError::JsonReplay => Divergence::JsonReplay.into(),
        _ => error.into(),
    }
}

/// The key of a row in words, as its images tell it.
pub(super) fn image_key<R: Row>(images: &RowImages<'_>) -> Option<String> {
    let image = images.before.as_ref().or(images.after.as_ref())?;
    let layout = R::layout();
    let values = layout.key.iter().map(|&field| R::image_value(image, field));
    let values: Vec<Value<'static>> = values.collect::<Result<_, _>>().ok()?;
    let place = |field: usize| layout.key.iter().position(|&key| key == field);
    Some(key_text_of(layout, |field| {
        let value = place(field).and_then(|place| values.get(place));
        value.cloned().unwrap_or(Value::Null)
    }))
}

/// What to say of an insert that lacks a column and does not find a default for it.
pub(super) fn lacking<R: Row>(image: &RowImage<'_>, error: &ValueError) -> Divergence {
    let columns = R::layout().columns.iter().enumerate();
    let generated = |(field, column): (usize, &ColumnLayout)| {
        column.generated_from.is_some() && !image.is_present(field)
    };
    if columns.into_iter().any(generated) {
        Divergence::GeneratedNotLogged
    } else {
        let column = match error {
            ValueError::InColumn { column, .. } => column,
            _ => "(of a name that is not known)",
        };
        Divergence::DefaultNotKnown { column }
    }
}

/// Whether an after image changes the key and lacks columns.
pub(super) fn moves_partly<R: Row>(key: &R::Key, after: &RowImage<'_>) -> bool {
    let layout = R::layout();
    if (0..layout.columns.len()).all(|field| after.is_present(field)) {
        return false;
    }
    let names_key = layout.key.iter().any(|&field| after.is_present(field));
    names_key && R::decode_key(after).map_or(true, |new| new != *key)
}

/// Whether an image lacks a mirrored generated column.
pub(super) fn lacks_generated(layout: &TableLayout, image: &RowImage<'_>) -> bool {
    let columns = layout.columns.iter().enumerate();
    columns
        .filter(|(_, column)| column.generated_from.is_some())
        .any(|(field, _)| !image.is_present(field))
}

/// In strict mode, whether every column of the before image is what we hold.
pub(super) fn check_before<R: Row>(
    held: &R,
    image: &RowImage<'_>,
    mode: Mode,
) -> Result<(), ApplyError> {
    if mode == Mode::Strict && !held.matches(image)? {
        return Err(Divergence::BeforeImageDiffers.into());
    }
    Ok(())
}
