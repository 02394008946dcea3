//! Whether a column of a table map is the one that was compiled in.

use super::table_map::TableMap;
use super::wire_type::WireColumn;
use super::{LayoutMismatch, type_code};
use crate::charset::Charset;
use crate::layout::{ColumnLayout, ColumnType, TableLayout};

/// Collation id of the character set `binary`.
const BINARY_COLLATION: u64 = 63;

pub(super) fn mismatch(
    layout: &TableLayout,
    column: &str,
    expected: String,
    found: String,
) -> LayoutMismatch {
    LayoutMismatch {
        table: layout.full_name(),
        column: column.to_owned(),
        expected,
        found,
    }
}

/// Compares a mirrored column with the column at `ordinal` of the table map.
pub(super) fn check_column(
    layout: &TableLayout,
    column: &ColumnLayout,
    map: &TableMap,
    ordinal: usize,
) -> Result<WireColumn, LayoutMismatch> {
    let differs = |found: String| {
        let null = if column.nullable { "" } else { " NOT NULL" };
        let expected = format!("{}{null}", column.sql_type);
        Err(mismatch(layout, column.name, expected, found))
    };
    let Some(wire) = map.columns.get(ordinal) else {
        return differs("no such column".to_owned());
    };
    if !same_type(column.kind, wire) {
        return differs(describe(wire));
    }
    if wire.nullable && !column.nullable {
        return differs("a column that may hold NULL".to_owned());
    }
    let metadata = &map.metadata;
    if let (Some(expected), Some(found)) = (
        unsigned(column.kind),
        by_column(metadata.unsigned.as_deref(), ordinal),
    ) && expected != *found
    {
        return differs(if *found { "unsigned" } else { "signed" }.to_owned());
    }
    if let (Some(expected), Some(collation)) = (
        is_binary(column.kind),
        by_column(metadata.collations.as_deref(), ordinal),
    ) && expected != (*collation == BINARY_COLLATION)
    {
        return differs(format!("collation number {collation}"));
    }
    if let (Some(expected), Some(found)) = (
        labels(column.kind),
        by_column(metadata.labels.as_deref(), ordinal),
    ) && let Some(found) = labels_difference(expected, found, column.charset)
    {
        return differs(found);
    }
    Ok(*wire)
}

/// What optional metadata says of a column.
fn by_column<T>(all: Option<&[Option<T>]>, ordinal: usize) -> Option<&T> {
    all?.get(ordinal)?.as_ref()
}

/// Whether a type that was compiled in gives this type code and metadata.
fn same_type(kind: ColumnType, wire: &WireColumn) -> bool {
    use type_code as t;
    let (code, meta) = (wire.type_code, wire.meta);
    let string_of = |bytes: u32| u32::from(meta) == bytes;
    match kind {
        ColumnType::TinyInt { .. } => code == t::TINY,
        ColumnType::SmallInt { .. } => code == t::SHORT,
        ColumnType::MediumInt { .. } => code == t::INT24,
        ColumnType::Int { .. } => code == t::LONG,
        ColumnType::BigInt { .. } => code == t::LONGLONG,
        ColumnType::Float => code == t::FLOAT,
        ColumnType::Double => code == t::DOUBLE,
        ColumnType::Decimal { precision, scale } => {
            code == t::NEWDECIMAL && meta.to_be_bytes() == [precision, scale]
        }
        ColumnType::Date => matches!(code, t::DATE | t::NEWDATE),
        ColumnType::DateTime { fsp } => same_temporal(t::DATETIME2, t::DATETIME, fsp, wire),
        ColumnType::Timestamp { fsp } => same_temporal(t::TIMESTAMP2, t::TIMESTAMP, fsp, wire),
        ColumnType::Time { fsp } => same_temporal(t::TIME2, t::TIME, fsp, wire),
        ColumnType::Year => code == t::YEAR,
        ColumnType::Char { max_bytes } | ColumnType::Binary { bytes: max_bytes } => {
            code == t::STRING && string_of(max_bytes)
        }
        ColumnType::VarChar { max_bytes } | ColumnType::VarBinary { max_bytes } => {
            (matches!(code, t::VARCHAR | t::VAR_STRING) && string_of(max_bytes))
                // Room for the byte that says how the value is compressed.
                || (code == t::VARCHAR_COMPRESSED && u32::from(meta) == max_bytes + 1)
        }
        ColumnType::Text { length_bytes } | ColumnType::Blob { length_bytes } => {
            matches!(
                code,
                t::TINY_BLOB | t::BLOB | t::MEDIUM_BLOB | t::LONG_BLOB | t::BLOB_COMPRESSED
            ) && meta == u16::from(length_bytes)
        }
        ColumnType::Enum { labels } => code == t::ENUM && meta == enum_bytes(labels.len()),
        ColumnType::Set { labels } => code == t::SET && meta == set_bytes(labels.len()),
        ColumnType::Bit { bits } => code == t::BIT && meta.to_be_bytes() == [bits / 8, bits % 8],
        ColumnType::Json => code == t::JSON,
        ColumnType::Geometry => code == t::GEOMETRY,
        // MariaDB's is a VARBINARY on the wire.
        ColumnType::Vector { dimension } => {
            code == t::VECTOR || (code == t::VARCHAR && u32::from(meta) == dimension * 4)
        }
        ColumnType::Uuid | ColumnType::Inet6 => code == t::STRING && string_of(16),
        ColumnType::Inet4 => code == t::STRING && string_of(4),
    }
}

/// The format of MySQL 5.6.4 and later has the fraction's digits in its metadata; those before
/// have no metadata, and MariaDB's may have a fraction all the same, which only DDL tells.
fn same_temporal(new: u8, old: u8, fsp: u8, wire: &WireColumn) -> bool {
    (wire.type_code == new && wire.meta == u16::from(fsp)) || wire.type_code == old
}

/// Bytes of an ENUM with so many labels.
pub(super) const fn enum_bytes(labels: usize) -> u16 {
    if labels < 256 { 1 } else { 2 }
}

/// Bytes of a SET with so many labels.
pub(super) const fn set_bytes(labels: usize) -> u16 {
    match labels.div_ceil(8) {
        bytes @ 0..=4 => bytes as u16,
        _ => 8,
    }
}

fn unsigned(kind: ColumnType) -> Option<bool> {
    match kind {
        ColumnType::TinyInt { unsigned }
        | ColumnType::SmallInt { unsigned }
        | ColumnType::MediumInt { unsigned }
        | ColumnType::Int { unsigned }
        | ColumnType::BigInt { unsigned } => Some(unsigned),
        _ => None,
    }
}

/// Whether a type of strings holds bytes; `None` for other types.
fn is_binary(kind: ColumnType) -> Option<bool> {
    match kind {
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            Some(false)
        }
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            Some(true)
        }
        _ => None,
    }
}

fn labels(kind: ColumnType) -> Option<&'static [&'static str]> {
    match kind {
        ColumnType::Enum { labels } | ColumnType::Set { labels } => Some(labels),
        _ => None,
    }
}

/// What is different about the labels that the server sends in the column's character set;
/// `None` when nothing is.
fn labels_difference(
    expected: &[&str],
    found: &[Box<[u8]>],
    charset: Option<Charset>,
) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("{} labels", found.len()));
    }
    let charset = charset.unwrap_or(Charset::Utf8mb4);
    let at = expected.iter().zip(found).position(|(expected, found)| {
        !charset
            .decode(found)
            .is_ok_and(|found| found.as_ref() == *expected)
    })?;
    let found = found.get(at)?;
    let label = charset
        .decode(found)
        .unwrap_or_else(|_| String::from_utf8_lossy(found));
    Some(format!("label {label:?} in place {}", at + 1))
}

/// The type of a column of a table map, in words.
fn describe(wire: &WireColumn) -> String {
    use type_code as t;
    let meta = wire.meta;
    let [high, low] = meta.to_be_bytes();
    match wire.type_code {
        t::TINY => "tinyint".to_owned(),
        t::SHORT => "smallint".to_owned(),
        t::INT24 => "mediumint".to_owned(),
        t::LONG => "int".to_owned(),
        t::LONGLONG => "bigint".to_owned(),
        t::FLOAT => "float".to_owned(),
        t::DOUBLE => "double".to_owned(),
        t::NEWDECIMAL => format!("decimal({high},{low})"),
        t::DATE | t::NEWDATE => "date".to_owned(),
        t::DATETIME => "datetime of the old format".to_owned(),
        t::DATETIME2 => format!("datetime({meta})"),
        t::TIMESTAMP => "timestamp of the old format".to_owned(),
        t::TIMESTAMP2 => format!("timestamp({meta})"),
        t::TIME => "time of the old format".to_owned(),
        t::TIME2 => format!("time({meta})"),
        t::YEAR => "year".to_owned(),
        t::STRING => format!("char or binary of {meta} bytes"),
        t::VARCHAR | t::VAR_STRING => format!("varchar or varbinary of {meta} bytes"),
        t::TINY_BLOB | t::BLOB | t::MEDIUM_BLOB | t::LONG_BLOB => {
            format!("text or blob with a length of {meta} bytes")
        }
        t::BLOB_COMPRESSED | t::VARCHAR_COMPRESSED => "a compressed column".to_owned(),
        t::ENUM => format!("enum of {meta} bytes"),
        t::SET => format!("set of {meta} bytes"),
        t::BIT => format!("bit({})", u32::from(high) * 8 + u32::from(low)),
        t::JSON => "json".to_owned(),
        t::GEOMETRY => "geometry".to_owned(),
        t::VECTOR => "vector".to_owned(),
        other => format!("type code {other}"),
    }
}
