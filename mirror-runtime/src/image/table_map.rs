//! TABLE_MAP events (MySQL source, `Table_map_log_event`).

use super::cursor::Cursor;
use super::metadata::OptionalMetadata;
use super::wire_type::WireColumn;
use super::{ImageError, type_code};
use crate::source::Family;

/// The most columns that either server allows in a table.
const MAX_COLUMNS: usize = 4096;

/// The part of a TABLE_MAP event that tells whether its table is of interest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableMapHeader<'a> {
    /// Number by which the rows events that follow name the table.
    pub table_id: u64,
    /// Flags of the event.
    pub flags: u16,
    /// Database name.
    pub database: &'a str,
    /// Table name.
    pub table: &'a str,
}

/// A whole TABLE_MAP event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableMap {
    /// Number by which the rows events that follow name the table.
    pub table_id: u64,
    /// Flags of the event.
    pub flags: u16,
    /// Database name.
    pub database: String,
    /// Table name.
    pub table: String,
    /// Every column of the table in order, mirrored or not.
    pub columns: Vec<WireColumn>,
    /// What the server adds by `binlog_row_metadata`.
    pub metadata: OptionalMetadata,
    /// Which kind of server wrote it.
    pub family: Family,
}

impl TableMap {
    /// Reads just the table's number and name from the body of a TABLE_MAP event (behind the
    /// event header, without checksum).
    ///
    /// # Errors
    /// When the body ends too early or the names are not UTF-8.
    pub fn parse_header(body: &[u8]) -> Result<TableMapHeader<'_>, ImageError> {
        read_header(&mut Cursor::new(body))
    }

    /// Reads the body of a TABLE_MAP event of MySQL (behind the event header, without checksum).
    ///
    /// # Errors
    /// As [`parse_of`](Self::parse_of).
    pub fn parse(body: &[u8]) -> Result<Self, ImageError> {
        Self::parse_of(body, Family::MySql)
    }

    /// Reads the body of a TABLE_MAP event (behind the event header, without checksum).
    ///
    /// Optional metadata of kinds that are not known here is skipped.
    ///
    /// # Errors
    /// When the body ends too early, contradicts itself, or has a column of an unknown type.
    pub fn parse_of(body: &[u8], family: Family) -> Result<Self, ImageError> {
        let mut cursor = Cursor::new(body);
        let header = read_header(&mut cursor)?;
        let (database, table) = (header.database.to_owned(), header.table.to_owned());
        let mut columns = read_columns(&mut cursor)?;
        read_nullability(&mut cursor, &mut columns)?;
        let metadata = OptionalMetadata::read(&mut cursor, &columns, family)?;
        Ok(Self {
            table_id: header.table_id,
            flags: header.flags,
            database,
            table,
            columns,
            metadata,
            family,
        })
    }
}

fn read_header<'a>(cursor: &mut Cursor<'a>) -> Result<TableMapHeader<'a>, ImageError> {
    Ok(TableMapHeader {
        table_id: cursor.number(6, "table id")?,
        flags: cursor.number(2, "table map flags")? as u16,
        database: read_name(cursor, "database name")?,
        table: read_name(cursor, "table name")?,
    })
}

/// A name with its length before it and a zero byte behind it.
fn read_name<'a>(cursor: &mut Cursor<'a>, what: &'static str) -> Result<&'a str, ImageError> {
    let length = cursor.packed_length(what)?;
    let at = cursor.position();
    let name = cursor.take(length, what)?;
    match (std::str::from_utf8(name), cursor.byte(what)?) {
        (Ok(name), 0) => Ok(name),
        _ => Err(ImageError::Invalid { what, at }),
    }
}

fn read_columns(cursor: &mut Cursor<'_>) -> Result<Vec<WireColumn>, ImageError> {
    let at = cursor.position();
    let count = cursor.packed_length("column count")?;
    if count > MAX_COLUMNS {
        return Err(ImageError::Invalid {
            what: "column count",
            at,
        });
    }
    let type_codes = cursor.take(count, "column types")?;
    let length = cursor.packed_length("column metadata length")?;
    let mut block = cursor.split(length, "column metadata")?;
    let columns = type_codes
        .iter()
        .enumerate()
        .map(|(ordinal, type_code)| WireColumn::read(*type_code, ordinal, &mut block))
        .collect::<Result<Vec<_>, _>>()?;
    if block.remaining() > 0 {
        return Err(ImageError::Invalid {
            what: "column metadata",
            at: block.position(),
        });
    }
    Ok(columns)
}

fn read_nullability(cursor: &mut Cursor<'_>, columns: &mut [WireColumn]) -> Result<(), ImageError> {
    let bitmap = cursor.take(columns.len().div_ceil(8), "null bitmap of the table map")?;
    for (ordinal, column) in columns.iter_mut().enumerate() {
        let byte = bitmap.get(ordinal / 8).copied().unwrap_or(0);
        // A column of type NULL takes no bytes whatever its bit says.
        column.nullable = byte >> (ordinal % 8) & 1 == 1 || column.type_code == type_code::NULL;
    }
    Ok(())
}
