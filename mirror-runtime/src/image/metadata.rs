//! Optional metadata of TABLE_MAP events (MySQL source, `Table_map_event::Optional_metadata_fields`;
//! MariaDB from 10.5 on has the same format).

use super::cursor::Cursor;
use super::{ImageError, WireColumn, type_code};
use crate::source::Family;

const SIGNEDNESS: u8 = 1;
const DEFAULT_CHARSET: u8 = 2;
const COLUMN_CHARSET: u8 = 3;
const COLUMN_NAME: u8 = 4;
const SET_STR_VALUE: u8 = 5;
const ENUM_STR_VALUE: u8 = 6;
const SIMPLE_PRIMARY_KEY: u8 = 8;
const PRIMARY_KEY_WITH_PREFIX: u8 = 9;

/// Labels of one ENUM or SET column, in the column's character set.
pub type WireLabels = Vec<Box<[u8]>>;

/// What `binlog_row_metadata` adds to a TABLE_MAP event; every list is by column, in table
/// order, and `None` where the event does not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionalMetadata {
    /// Whether a numeric column is UNSIGNED; `None` also for columns of other types.
    pub unsigned: Option<Vec<Option<bool>>>,
    /// Collation ids of character columns; `None` also for columns of other types.
    pub collations: Option<Vec<Option<u64>>>,
    /// Column names.
    pub names: Option<Vec<String>>,
    /// Labels of ENUM and SET columns; `None` for other columns.
    pub labels: Option<Vec<Option<WireLabels>>>,
    /// Ordinals of the primary key's columns, in key order.
    pub primary_key: Option<Vec<u64>>,
}

impl OptionalMetadata {
    /// Reads the fields up to the end of the event.
    pub(super) fn read(
        cursor: &mut Cursor<'_>,
        columns: &[WireColumn],
        family: Family,
    ) -> Result<Self, ImageError> {
        let mut metadata = Self::default();
        while cursor.remaining() > 0 {
            let kind = cursor.byte("metadata field")?;
            let length = cursor.packed_length("metadata field length")?;
            let mut field = cursor.split(length, "metadata field")?;
            metadata.read_field(kind, &mut field, columns, family)?;
        }
        Ok(metadata)
    }

    fn read_field(
        &mut self,
        kind: u8,
        field: &mut Cursor<'_>,
        columns: &[WireColumn],
        family: Family,
    ) -> Result<(), ImageError> {
        match kind {
            SIGNEDNESS => self.unsigned = Some(read_signedness(field, columns)?),
            DEFAULT_CHARSET => self.collations = read_default_collation(field, columns, family)?,
            COLUMN_CHARSET => self.collations = read_collations(field, columns, family)?,
            COLUMN_NAME => self.names = Some(read_names(field, columns.len())?),
            SET_STR_VALUE => self.read_labels(field, columns, type_code::SET)?,
            ENUM_STR_VALUE => self.read_labels(field, columns, type_code::ENUM)?,
            SIMPLE_PRIMARY_KEY => self.primary_key = Some(read_key(field, false)?),
            PRIMARY_KEY_WITH_PREFIX => self.primary_key = Some(read_key(field, true)?),
            _ => {}
        }
        Ok(())
    }

    /// Labels come for all columns of one type, in table order.
    fn read_labels(
        &mut self,
        field: &mut Cursor<'_>,
        columns: &[WireColumn],
        type_code: u8,
    ) -> Result<(), ImageError> {
        let all = self.labels.get_or_insert_with(|| vec![None; columns.len()]);
        for (column, labels) in columns.iter().zip(all) {
            if column.type_code == type_code {
                *labels = Some(read_label_list(field)?);
            }
        }
        Ok(())
    }
}

/// The types that have a bit in the signedness field; YEAR is among them.
fn is_numeric(column: &WireColumn) -> bool {
    use type_code as t;
    matches!(
        column.type_code,
        t::YEAR
            | t::TINY
            | t::SHORT
            | t::INT24
            | t::LONG
            | t::LONGLONG
            | t::NEWDECIMAL
            | t::FLOAT
            | t::DOUBLE
    )
}

/// The types that have an entry in the lists of collations. MySQL counts VECTOR, MariaDB (which
/// has no such code) GEOMETRY.
fn is_character(column: &WireColumn, family: Family) -> bool {
    use type_code as t;
    if column.type_code == t::GEOMETRY {
        return family == Family::MariaDb;
    }
    matches!(
        column.type_code,
        t::STRING
            | t::VAR_STRING
            | t::VARCHAR
            | t::VARCHAR_COMPRESSED
            | t::TINY_BLOB
            | t::MEDIUM_BLOB
            | t::LONG_BLOB
            | t::BLOB
            | t::BLOB_COMPRESSED
            | t::VECTOR
    )
}

/// One bit per numeric column, highest bit first.
fn read_signedness(
    field: &mut Cursor<'_>,
    columns: &[WireColumn],
) -> Result<Vec<Option<bool>>, ImageError> {
    let numeric = columns.iter().filter(|column| is_numeric(column)).count();
    let bits = field.take(numeric.div_ceil(8), "signedness of columns")?;
    let mut next = 0;
    let unsigned = columns.iter().map(|column| {
        is_numeric(column).then(|| {
            let byte = bits.get(next / 8).copied().unwrap_or(0);
            let bit = byte >> (7 - next % 8) & 1;
            next += 1;
            bit == 1
        })
    });
    Ok(unsigned.collect())
}

/// The collation of most character columns, then pairs of a character column's number (counting
/// only those) and its collation.
fn read_default_collation(
    field: &mut Cursor<'_>,
    columns: &[WireColumn],
    family: Family,
) -> Result<Option<Vec<Option<u64>>>, ImageError> {
    let default = field.packed("default collation")?;
    let character = columns
        .iter()
        .filter(|column| is_character(column, family))
        .count();
    let mut by_number = vec![default; character];
    while field.remaining() > 0 {
        let number = field.packed_length("column of a collation")?;
        let collation = field.packed("collation of a column")?;
        match by_number.get_mut(number) {
            Some(entry) => *entry = collation,
            None => return Ok(None),
        }
    }
    Ok(spread(&by_number, columns, family))
}

/// One collation per character column.
fn read_collations(
    field: &mut Cursor<'_>,
    columns: &[WireColumn],
    family: Family,
) -> Result<Option<Vec<Option<u64>>>, ImageError> {
    let mut by_number = Vec::new();
    while field.remaining() > 0 {
        by_number.push(field.packed("collation of a column")?);
    }
    Ok(spread(&by_number, columns, family))
}

/// From one entry per character column to one per column. A list of another length (a server
/// that counts other types as character columns) says nothing that could be relied on.
fn spread(by_number: &[u64], columns: &[WireColumn], family: Family) -> Option<Vec<Option<u64>>> {
    let mut entries = by_number.iter().copied();
    let all = columns
        .iter()
        .map(|column| {
            if is_character(column, family) {
                entries.next().map(Some)
            } else {
                Some(None)
            }
        })
        .collect::<Option<Vec<_>>>()?;
    entries.next().is_none().then_some(all)
}

fn read_names(field: &mut Cursor<'_>, count: usize) -> Result<Vec<String>, ImageError> {
    const WHAT: &str = "column name";
    let mut names = Vec::with_capacity(count);
    for _ in 0..count {
        let length = field.packed_length(WHAT)?;
        let at = field.position();
        let name = std::str::from_utf8(field.take(length, WHAT)?)
            .map_err(|_| ImageError::Invalid { what: WHAT, at })?;
        names.push(name.to_owned());
    }
    Ok(names)
}

fn read_label_list(field: &mut Cursor<'_>) -> Result<WireLabels, ImageError> {
    let at = field.position();
    let count = field.packed_length("label count")?;
    // Each label takes a byte at least.
    if count > field.remaining() {
        return Err(ImageError::Invalid {
            what: "label count",
            at,
        });
    }
    (0..count)
        .map(|_| {
            let length = field.packed_length("label length")?;
            field.take(length, "label").map(Box::from)
        })
        .collect()
}

fn read_key(field: &mut Cursor<'_>, with_prefix: bool) -> Result<Vec<u64>, ImageError> {
    let mut ordinals = Vec::new();
    while field.remaining() > 0 {
        ordinals.push(field.packed("column of the primary key")?);
        if with_prefix {
            field.packed("prefix length in the primary key")?;
        }
    }
    Ok(ordinals)
}
