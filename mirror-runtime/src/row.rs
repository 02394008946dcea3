//! The contract between the runtime and generated row types.

use crate::charset::Charset;
use crate::error::ValueError;
use crate::image::{ImageColumn, RowImage, StraightRows};
use crate::layout::{ColumnLayout, TableLayout};
use crate::stored::StoredBytes;
use crate::value::Value;
use version_store::Keyed;

/// A column value that came from a SELECT over the binary protocol.
pub type SelectValue = mysql::Value;

/// A Rust type that a column can be held in.
///
/// Implemented here for the plain types and by generated code for ENUM and SET types. Both
/// paths, the binlog ([`from_image`](Self::from_image)) and SELECT
/// ([`from_select`](Self::from_select)), must give the same value for the same stored value.
pub trait ColumnValue: Sized + PartialEq {
    /// Decodes a value from a row image; `raw` is the value's bytes without any length prefix
    /// (for fixed-width types just their bytes), `None` for NULL.
    ///
    /// # Errors
    /// When the bytes do not hold a value of the column's type, or NULL stands where none may.
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError>;

    /// Converts a value that a SELECT of [`select_expression`] gave.
    ///
    /// # Errors
    /// When the value does not fit the column's type, or NULL stands where none may.
    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError>;

    /// The value for printing and comparing.
    fn as_value<'a>(&'a self, column: &'a ColumnLayout) -> Value<'a>;

    /// Bytes that the value owns beside itself.
    #[inline]
    fn heap_bytes(&self) -> usize {
        0
    }

    /// Whether the value in a row image is this one, bit by bit for floats; types that own
    /// memory compare without building a value.
    ///
    /// # Errors
    /// As [`from_image`](Self::from_image).
    fn equals_image(&self, raw: Option<&[u8]>, column: &ImageColumn) -> Result<bool, ValueError> {
        Ok(*self == Self::from_image(raw, column)?)
    }

    /// Applies the differences that a PARTIAL_UPDATE_ROWS event has in place of a value. When
    /// the event is `replayed`, the value may have them in it already.
    ///
    /// # Errors
    /// [`ValueError::JsonMisfit`] and [`ValueError::JsonReplay`] when they cannot be applied to
    /// this value; also when they cannot be read, or the type is none that has differences.
    fn apply_difference(&mut self, diffs: &[u8], replayed: bool) -> Result<(), ValueError> {
        let _ = (diffs, replayed);
        Err(ValueError::Invalid(
            "JSON differences to a value that is no JSON document",
        ))
    }
}

impl<T: ColumnValue> ColumnValue for Option<T> {
    #[inline]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        match raw {
            None => Ok(None),
            some => T::from_image(some, column).map(Some),
        }
    }

    #[inline]
    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
        match value {
            SelectValue::NULL => Ok(None),
            value => T::from_select(value, column).map(Some),
        }
    }

    fn equals_image(&self, raw: Option<&[u8]>, column: &ImageColumn) -> Result<bool, ValueError> {
        match (self, raw) {
            (None, None) => Ok(true),
            (Some(value), some @ Some(_)) => value.equals_image(some, column),
            _ => Ok(false),
        }
    }

    fn as_value<'a>(&'a self, column: &'a ColumnLayout) -> Value<'a> {
        self.as_ref()
            .map_or(Value::Null, |value| value.as_value(column))
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        self.as_ref().map_or(0, T::heap_bytes)
    }

    fn apply_difference(&mut self, diffs: &[u8], replayed: bool) -> Result<(), ValueError> {
        match self {
            Some(value) => value.apply_difference(diffs, replayed),
            // Set to NULL by a later change, which follows.
            None if replayed => Ok(()),
            None => Err(ValueError::JsonMisfit),
        }
    }
}

/// A generated row type: one struct per mirrored table.
pub trait Row: Keyed + Clone + Sized {
    /// The key that identifies a row: the type of its one column, or a tuple.
    type Key: Clone + Ord + Send + Sync + std::fmt::Debug + 'static;
    /// The generated secondary indexes.
    type Indexes: crate::store::Indexes<Self>;

    /// What was compiled in for this table.
    fn layout() -> &'static TableLayout;

    /// The row's key.
    fn key(&self) -> Self::Key;

    /// A key as [`Keyed::key_ref`] gives it.
    fn borrowed(key: &Self::Key) -> Self::KeyRef<'_>;

    /// Bytes of text, bytes and documents that the row owns.
    fn heap_bytes(&self) -> usize;

    /// Those of them that belong to the key.
    #[inline]
    fn key_heap_bytes(&self) -> usize {
        0
    }

    /// Decodes a row from an image that has every mirrored column.
    ///
    /// # Errors
    /// When a column is absent from the image or cannot be decoded.
    fn decode(image: &RowImage<'_>) -> Result<Self, ValueError>;

    /// Decodes the first of some rows in one go; gives what `take` makes of it, and the rows behind
    /// it. The row is handed down, not back, so that it is built where it stays.
    ///
    /// # Errors
    /// When something in the row is not as it was compiled in. [`decode`](Self::decode) says what.
    #[inline]
    fn decode_straight<'a, T>(
        rows: StraightRows<'a>,
        take: impl FnOnce(Self) -> T,
    ) -> Result<(T, StraightRows<'a>), ValueError> {
        let _ = (rows, take);
        Err(ValueError::Absent)
    }

    /// The key of the first of some images, read in one go.
    ///
    /// # Errors
    /// When something is not as it was compiled in. [`decode_key`](Self::decode_key) says what.
    #[inline]
    fn key_straight(rows: StraightRows<'_>) -> Result<Self::Key, ValueError> {
        let _ = rows;
        Err(ValueError::Absent)
    }

    /// Whether the first of some images is this row, read in one go, and the images behind it.
    ///
    /// # Errors
    /// When something in the image is not as it was compiled in. [`matches`](Self::matches) says
    /// what.
    #[inline]
    fn matches_straight<'a>(
        &self,
        rows: StraightRows<'a>,
    ) -> Result<(bool, StraightRows<'a>), ValueError> {
        let _ = rows;
        Err(ValueError::Absent)
    }

    /// Overwrites the columns that the image has; the others keep their values.
    ///
    /// # Errors
    /// When a column cannot be decoded.
    fn merge(&mut self, image: &RowImage<'_>) -> Result<(), ValueError>;

    /// Whether every mirrored column that the image has is as in this row.
    ///
    /// # Errors
    /// When a column cannot be decoded.
    fn matches(&self, image: &RowImage<'_>) -> Result<bool, ValueError>;

    /// Decodes just the key from an image.
    ///
    /// # Errors
    /// When a key column is absent from the image or cannot be decoded.
    fn decode_key(image: &RowImage<'_>) -> Result<Self::Key, ValueError>;

    /// Builds a row from the values of a SELECT, one per mirrored column, in table order.
    ///
    /// # Errors
    /// When there are too few values or one does not fit its column.
    fn from_select(values: &mut dyn Iterator<Item = SelectValue>) -> Result<Self, ValueError>;

    /// Adds the row's bytes, as a checkpoint holds them (see [`crate::stored`]).
    fn store(&self, out: &mut Vec<u8>);

    /// Takes the bytes of a row that [`store`](Self::store) gave.
    ///
    /// # Errors
    /// When there are too few bytes, or they are no values of the columns.
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError>;

    /// Puts a value as of a SELECT into a column that a foreign key may change.
    ///
    /// # Errors
    /// [`ValueError::Absent`] when no foreign key changes the column; as
    /// [`from_select`](Self::from_select) otherwise.
    fn assign(
        &mut self,
        field: usize,
        values: &mut dyn Iterator<Item = SelectValue>,
    ) -> Result<(), ValueError> {
        let _ = (field, values);
        Err(ValueError::Absent)
    }

    /// The value of the mirrored column with this field index, for printing and comparing.
    ///
    /// # Panics
    /// When `field` is not below the number of mirrored columns.
    fn value(&self, field: usize) -> Value<'_>;

    /// The value that an image has in the mirrored column with this field index.
    ///
    /// # Errors
    /// When the image lacks the column, or it cannot be decoded.
    ///
    /// # Panics
    /// When `field` is not below the number of mirrored columns.
    fn image_value(image: &RowImage<'_>, field: usize) -> Result<Value<'static>, ValueError>;
}

/// The SQL expression by which a column is SELECTed so that its exact value arrives.
///
/// ENUM and SET come as numbers (an ENUM's index 0 is not the empty label), text in other
/// character sets than the session's as the bytes that are stored, since the server gives `?`
/// for what it cannot convert; everything else comes as it is.
#[must_use]
pub fn select_expression(column: &ColumnLayout) -> String {
    select_operand(column, &quote_identifier(column.name))
}

/// As [`select_expression`], with something else of the column's type in place of its name.
pub(crate) fn select_operand(column: &ColumnLayout, operand: &str) -> String {
    use crate::layout::ColumnType as T;
    match column.kind {
        T::Enum { .. } | T::Set { .. } => format!("CAST({operand} AS UNSIGNED)"),
        T::Char { .. } | T::VarChar { .. } | T::Text { .. }
            if column
                .charset
                .is_some_and(|charset| charset != Charset::Utf8mb4) =>
        {
            format!("CAST({operand} AS BINARY)")
        }
        _ => operand.to_owned(),
    }
}

/// An identifier in backquotes, for SQL text.
#[must_use]
pub fn quote_identifier(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Takes the next SELECTed value for a column; the error names the column.
///
/// # Errors
/// When there is no value left, or it does not fit the column.
pub fn next_select<T: ColumnValue>(
    values: &mut dyn Iterator<Item = SelectValue>,
    column: &ColumnLayout,
) -> Result<T, ValueError> {
    let value = match values.next() {
        Some(value) => T::from_select(value, column),
        None => Err(ValueError::Absent),
    };
    match value {
        Ok(value) => Ok(value),
        Err(error) => Err(named(error, column)),
    }
}

/// Apart from the path of values that are as they should be.
#[cold]
fn named(error: ValueError, column: &ColumnLayout) -> ValueError {
    error.in_column(column.name)
}

/// Makes a column's value one of a type of the user; what that type says of a value that it
/// refuses may hold the value, and is not passed on.
pub(crate) fn convert<B, T: TryFrom<B>>(value: B) -> Result<T, ValueError> {
    T::try_from(value)
        .map_err(|_| ValueError::Invalid("a value that the type that schema.json names refuses"))
}

/// As [`next_select`], then made a type of the user, `T`, from the column's own, `B`.
///
/// # Errors
/// As `next_select`, and when `T` refuses the value.
pub fn next_converted<B: ColumnValue, T: TryFrom<B>>(
    values: &mut dyn Iterator<Item = SelectValue>,
    column: &ColumnLayout,
) -> Result<T, ValueError> {
    let value = next_select::<B>(values, column)?;
    convert(value).map_err(|error| error.in_column(column.name))
}

/// As [`next_converted`], of a column that may hold NULL.
///
/// # Errors
/// As `next_converted`.
pub fn next_converted_option<B: ColumnValue, T: TryFrom<B>>(
    values: &mut dyn Iterator<Item = SelectValue>,
    column: &ColumnLayout,
) -> Result<Option<T>, ValueError> {
    let value = next_select::<Option<B>>(values, column)?;
    value
        .map(convert)
        .transpose()
        .map_err(|error| error.in_column(column.name))
}
