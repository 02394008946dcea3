//! TABLE_MAP events of compiled layouts, as a server without optional metadata writes them.

use mirror_runtime::image::type_code;
use mirror_runtime::layout::{ColumnLayout, ColumnType, TableLayout};

/// Type code and metadata of a column, as they stand in a TABLE_MAP event.
#[must_use]
pub fn wire_type(kind: ColumnType) -> (u8, Vec<u8>) {
    use type_code as t;
    match kind {
        ColumnType::TinyInt { .. } => (t::TINY, vec![]),
        ColumnType::SmallInt { .. } => (t::SHORT, vec![]),
        ColumnType::MediumInt { .. } => (t::INT24, vec![]),
        ColumnType::Int { .. } => (t::LONG, vec![]),
        ColumnType::BigInt { .. } => (t::LONGLONG, vec![]),
        ColumnType::Float => (t::FLOAT, vec![4]),
        ColumnType::Double => (t::DOUBLE, vec![8]),
        ColumnType::Decimal { precision, scale } => (t::NEWDECIMAL, vec![precision, scale]),
        ColumnType::Date => (t::DATE, vec![]),
        ColumnType::DateTime { fsp } => (t::DATETIME2, vec![fsp]),
        ColumnType::Timestamp { fsp } => (t::TIMESTAMP2, vec![fsp]),
        ColumnType::Time { fsp } => (t::TIME2, vec![fsp]),
        ColumnType::Year => (t::YEAR, vec![]),
        ColumnType::Char { max_bytes } => string_type(max_bytes),
        ColumnType::Binary { bytes } => string_type(bytes),
        ColumnType::VarChar { max_bytes } | ColumnType::VarBinary { max_bytes } => {
            (t::VARCHAR, (max_bytes as u16).to_le_bytes().to_vec())
        }
        ColumnType::Text { length_bytes } | ColumnType::Blob { length_bytes } => {
            (t::BLOB, vec![length_bytes])
        }
        ColumnType::Enum { labels } => (
            t::STRING,
            vec![t::ENUM, if labels.len() < 256 { 1 } else { 2 }],
        ),
        ColumnType::Set { labels } => {
            let bytes = labels.len().div_ceil(8) as u8;
            (t::STRING, vec![t::SET, if bytes > 4 { 8 } else { bytes }])
        }
        ColumnType::Bit { bits } => (t::BIT, vec![bits % 8, bits / 8]),
        ColumnType::Json => (t::JSON, vec![4]),
        ColumnType::Geometry => (t::GEOMETRY, vec![4]),
        ColumnType::Vector { .. } => (t::VECTOR, vec![4]),
        ColumnType::Uuid | ColumnType::Inet6 => string_type(16),
        ColumnType::Inet4 => string_type(4),
    }
}

/// A STRING of so many bytes; lengths from 256 on are hidden in the type's byte.
fn string_type(bytes: u32) -> (u8, Vec<u8>) {
    let [low, high] = (bytes as u16).to_le_bytes();
    (
        type_code::STRING,
        vec![type_code::STRING ^ (high << 4), low],
    )
}

/// The body of a TABLE_MAP event of this table; columns that are not mirrored are INTs.
#[must_use]
pub fn table_map_body(table_id: u32, layout: &TableLayout) -> Vec<u8> {
    let mut body = table_id.to_le_bytes().to_vec();
    body.extend([0, 0, 1, 0]);
    for name in [layout.database, layout.table] {
        body.push(name.len() as u8);
        body.extend(name.as_bytes());
        body.push(0);
    }
    let columns: Vec<Option<&ColumnLayout>> = (0..layout.physical_columns)
        .map(|ordinal| {
            layout
                .columns
                .iter()
                .find(|column| column.ordinal == ordinal)
        })
        .collect();
    let types = columns.iter().map(|column| match column {
        Some(column) => wire_type(column.kind),
        None => (type_code::LONG, vec![]),
    });
    let (codes, metadata): (Vec<u8>, Vec<Vec<u8>>) = types.unzip();
    push_packed(&mut body, codes.len());
    body.extend(codes);
    let metadata = metadata.concat();
    push_packed(&mut body, metadata.len());
    body.extend(metadata);
    let mut nullable = vec![0; columns.len().div_ceil(8)];
    for (at, column) in columns.iter().enumerate() {
        if column.is_none_or(|column| column.nullable) {
            nullable[at / 8] |= 1 << (at % 8);
        }
    }
    body.extend(nullable);
    body
}

/// A length-encoded integer.
pub(crate) fn push_packed(out: &mut Vec<u8>, number: usize) {
    match u8::try_from(number) {
        Ok(small @ 0..=250) => out.push(small),
        _ => {
            out.push(252);
            out.extend((number as u16).to_le_bytes());
        }
    }
}
