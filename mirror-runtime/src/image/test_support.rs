//! Columns and events for tests.

use super::ImageColumn;
use crate::charset::Charset;
use crate::layout::{ColumnLayout, ColumnType, TableLayout};
use crate::source::Family;

/// A NOT NULL column of a type.
pub(crate) fn column(kind: ColumnType) -> &'static ColumnLayout {
    build(kind, None)
}

/// A NOT NULL column of text in a character set.
pub(crate) fn text_column(kind: ColumnType, charset: Charset) -> &'static ColumnLayout {
    build(kind, Some(charset))
}

fn build(kind: ColumnType, charset: Option<Charset>) -> &'static ColumnLayout {
    Box::leak(Box::new(ColumnLayout {
        name: "c",
        ordinal: 0,
        nullable: false,
        sql_type: "a type",
        charset,
        generated_from: None,
        kind,
    }))
}

/// A column as a table map has it.
pub(crate) fn image_column(layout: &'static ColumnLayout, type_code: u8, meta: u16) -> ImageColumn {
    ImageColumn {
        layout,
        type_code,
        meta,
        family: Family::MySql,
    }
}

/// A nullable or NOT NULL column with a name and a place in the table.
pub(crate) fn named(
    name: &'static str,
    ordinal: usize,
    nullable: bool,
    kind: ColumnType,
) -> ColumnLayout {
    ColumnLayout {
        name,
        ordinal,
        nullable,
        sql_type: "a type",
        charset: None,
        generated_from: None,
        kind,
    }
}

/// The layout of `d.t`.
pub(crate) fn layout(columns: Vec<ColumnLayout>, physical_columns: usize) -> &'static TableLayout {
    Box::leak(Box::new(TableLayout {
        database: "d",
        table: "t",
        columns: columns.leak(),
        key: &[0],
        physical_columns,
        old_fractions: &[],
        foreign_keys: &[],
        ignored_foreign_keys: &[],
    }))
}

/// The body of a TABLE_MAP event of a table without columns.
pub(crate) fn table_map_named(id: u64, database: &str, table: &str) -> Vec<u8> {
    let mut body = id.to_le_bytes()[..6].to_vec();
    body.extend([1, 0]);
    for name in [database, table] {
        body.push(u8::try_from(name.len()).unwrap());
        body.extend(name.as_bytes());
        body.push(0);
    }
    body.push(0);
    body
}

/// A column of a table map: type code, metadata, nullable.
pub(crate) type WireSample = (u8, &'static [u8], bool);

/// The body of a TABLE_MAP event of table 7, `d.t`; `optional` is the optional metadata.
pub(crate) fn table_map_body(columns: &[WireSample], optional: &[u8]) -> Vec<u8> {
    let mut body = vec![7, 0, 0, 0, 0, 0, 1, 0, 1, b'd', 0, 1, b't', 0];
    body.push(u8::try_from(columns.len()).unwrap());
    body.extend(columns.iter().map(|(type_code, _, _)| type_code));
    let metadata: Vec<u8> = columns
        .iter()
        .flat_map(|(_, meta, _)| *meta)
        .copied()
        .collect();
    body.push(u8::try_from(metadata.len()).unwrap());
    body.extend(metadata);
    body.extend(bitmap(columns.iter().map(|(_, _, nullable)| *nullable)));
    body.extend_from_slice(optional);
    body
}

/// One field of optional metadata.
pub(crate) fn metadata_field(kind: u8, value: &[u8]) -> Vec<u8> {
    let mut field = vec![kind, u8::try_from(value.len()).unwrap()];
    field.extend_from_slice(value);
    field
}

/// Strings with a length byte each.
pub(crate) fn counted_strings(strings: &[&str]) -> Vec<u8> {
    let counted = strings.iter().map(|string| {
        let mut counted = vec![u8::try_from(string.len()).unwrap()];
        counted.extend_from_slice(string.as_bytes());
        counted
    });
    counted.flatten().collect()
}

/// Bits, lowest first.
pub(crate) fn bitmap(bits: impl ExactSizeIterator<Item = bool>) -> Vec<u8> {
    let mut bytes = vec![0; bits.len().div_ceil(8)];
    for (at, bit) in bits.enumerate() {
        bytes[at / 8] |= u8::from(bit) << (at % 8);
    }
    bytes
}

/// The body of a rows event (version 2) of table 7 with some extra data.
pub(crate) fn rows_body(columns: u8, present: &[&[u8]], rows: &[u8]) -> Vec<u8> {
    let mut body = vec![7, 0, 0, 0, 0, 0, 1, 0, 4, 0, 0xaa, 0xbb, columns];
    body.extend(present.concat());
    body.extend_from_slice(rows);
    body
}
