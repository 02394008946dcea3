//! Child rows by the values of a foreign key, and what happens to them with their parent.

use std::fmt;

use super::index::{Entries, Heap, Step};
use crate::error::ValueError;
use crate::layout::{ForeignKeyAction, ForeignKeyLayout};
use crate::row::{Row, SelectValue};
use crate::store::RowValues;
use crate::value::Value;

/// The values of a foreign key's columns, in a form that is equal just when they are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ParentKey(Box<[u8]>);

/// Values of rows stay out of messages.
impl fmt::Debug for ParentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParentKey({} bytes)", self.0.len())
    }
}

impl ParentKey {
    /// The values that a row has in these fields; `None` when one is NULL, which belongs to no
    /// parent, or of a type that is not compared by value.
    #[must_use]
    pub fn of(row: &dyn RowValues, fields: &[usize]) -> Option<Self> {
        let mut bytes = Vec::with_capacity(fields.len() * 9);
        for &field in fields {
            write_value(&row.column_value(field), &mut bytes)?;
        }
        Some(Self(bytes.into()))
    }
}

/// Appends a value with its length before it, so that no two lists of values are the same bytes.
fn write_value(value: &Value<'_>, out: &mut Vec<u8>) -> Option<()> {
    let text;
    let bytes: &[u8] = match value {
        Value::Int(number) => &number.to_le_bytes(),
        Value::UInt(number) => &number.to_le_bytes(),
        Value::Year(year) => &year.to_le_bytes(),
        Value::Decimal(digits) => digits.as_bytes(),
        Value::Date(date) => {
            text = date.to_string();
            text.as_bytes()
        }
        Value::DateTime(value) => {
            // With the microseconds that the text may leave out.
            text = format!("{value}/{}", value.micros());
            text.as_bytes()
        }
        Value::Bytes(bytes) => bytes,
        _ => return None,
    };
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
    Some(())
}

/// A value as a SELECT would give it; `None` for types that are not compared by value.
pub(crate) fn select_value(value: &Value<'_>) -> Option<SelectValue> {
    Some(match value {
        Value::Null => SelectValue::NULL,
        Value::Int(number) => SelectValue::Int(*number),
        Value::UInt(number) => SelectValue::UInt(*number),
        Value::Year(year) => SelectValue::UInt(u64::from(*year)),
        Value::Decimal(digits) => SelectValue::Bytes(digits.clone().into_bytes()),
        Value::Date(date) => SelectValue::Date(date.year(), date.month(), date.day(), 0, 0, 0, 0),
        Value::DateTime(value) => {
            let date = value.date();
            SelectValue::Date(
                date.year(),
                date.month(),
                date.day(),
                value.hour(),
                value.minute(),
                value.second(),
                value.micros(),
            )
        }
        Value::Bytes(bytes) => SelectValue::Bytes(bytes.to_vec()),
        _ => return None,
    })
}

/// What happens to child rows.
#[derive(Debug, Clone, PartialEq)]
pub enum ChildChange {
    /// They are deleted.
    Delete,
    /// The columns of the foreign key get these values.
    Set(Vec<SelectValue>),
}

impl ChildChange {
    /// What a foreign key makes of the child rows of a parent row that is deleted (without
    /// `after`) or changed; `None` when nothing.
    ///
    /// # Errors
    /// When a new value is of a type that is not compared by value.
    pub fn of(
        key: &ForeignKeyLayout,
        after: Option<&dyn RowValues>,
    ) -> Result<Option<Self>, ValueError> {
        let nulls = || Self::Set(vec![SelectValue::NULL; key.fields.len()]);
        let action = match after {
            None => key.on_delete,
            Some(_) => key.on_update,
        };
        Ok(match (action, after) {
            (ForeignKeyAction::Restrict, _) => None,
            (ForeignKeyAction::SetNull, _) => Some(nulls()),
            (ForeignKeyAction::Cascade, None) => Some(Self::Delete),
            (ForeignKeyAction::Cascade, Some(after)) => {
                let value = |&field: &usize| {
                    select_value(&after.column_value(field)).ok_or(ValueError::Invalid(
                        "a foreign key of a type without one form",
                    ))
                };
                let values: Result<_, _> = key.parent_fields.iter().map(value).collect();
                Some(Self::Set(values?))
            }
        })
    }
}

/// The rows of one table by the values of each of its foreign keys, those of older versions
/// among them.
pub(super) struct Children<R: Row> {
    /// By foreign key; empty for those that are not compared by value.
    by_key: Vec<Entries<ParentKey, R::Key>>,
}

impl<R: Row> Default for Children<R> {
    fn default() -> Self {
        let keys = R::layout().foreign_keys.len();
        Self {
            by_key: vec![Entries::default(); keys],
        }
    }
}

impl<R: Row> Children<R> {
    /// Follows a row that came or went, in the place of `beside` if there is one.
    #[inline]
    pub(super) fn follow(&mut self, row: &R, beside: Option<&R>, step: Step) {
        for (key, children) in Self::keys().zip(&mut self.by_key) {
            let parent = Self::parent(key, row);
            let had = beside.map(|beside| Self::parent(key, beside));
            if let Some(parent) = parent.filter(|parent| had.flatten().as_ref() != Some(parent)) {
                let heap = Heap {
                    key: parent.0.len(),
                    row: row.key_heap_bytes(),
                };
                children.count(parent, row.key(), heap, step);
            }
        }
    }

    /// Keys of the rows that have, or had, these values in the foreign key with this index.
    pub(super) fn of(&self, key: usize, parent: &ParentKey) -> Vec<R::Key> {
        let children = self.by_key.get(key);
        let under = children.and_then(|children| children.under(parent, None));
        under.map_or_else(Vec::new, |(_, rows)| rows.cloned().collect())
    }

    /// Whether a row has these values in the foreign key with this index.
    pub(super) fn is_of(row: &R, key: usize, parent: &ParentKey) -> bool {
        let key = R::layout().foreign_keys.get(key);
        key.and_then(|key| Self::parent(key, row)).as_ref() == Some(parent)
    }

    /// About the bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.by_key.iter().map(Entries::bytes).sum()
    }

    fn keys() -> impl Iterator<Item = &'static ForeignKeyLayout> {
        R::layout().foreign_keys.iter()
    }

    fn parent(key: &ForeignKeyLayout, row: &R) -> Option<ParentKey> {
        key.by_value
            .then(|| ParentKey::of(row, key.fields))
            .flatten()
    }
}

/// A child row with other values in the columns of the foreign key with this index.
pub(super) fn assigned<R: Row>(
    row: &R,
    key: usize,
    values: &[SelectValue],
) -> Result<R, ValueError> {
    let mut row = R::clone(row);
    let fields = R::layout().foreign_keys.get(key);
    let fields = fields.map_or(&[][..], |key| key.fields);
    for (&field, value) in fields.iter().zip(values) {
        row.assign(field, &mut std::iter::once(value.clone()))?;
    }
    Ok(row)
}
