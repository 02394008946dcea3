//! What a mirror holds, as text.
//!
//! Made from the parts of each value, not by the runtime's own printing.

use mirror_runtime::store::RowValues;
use mirror_runtime::{ColumnType, Row, Schema, TableLayout, Value};
use test_mirror::{Snapshot, Tables};

use crate::oracle::{Line, double_bits, float_bits};

macro_rules! rows_by_name {
    ($snapshot:expr, $layout:expr, $($table:ident),+ $(,)?) => {
        match $layout.table {
            $(stringify!($table) => $snapshot.$table().iter().map(line_of).collect(),)+
            other => panic!("table {other} is not listed here"),
        }
    };
}

/// All rows of a table in key order.
///
/// # Panics
/// When the table is not listed here.
#[must_use]
pub fn snapshot_rows(snapshot: &Snapshot, layout: &TableLayout) -> Vec<Line> {
    rows_by_name!(
        snapshot,
        layout,
        integers,
        numbers,
        dates,
        times,
        texts,
        ascii_texts,
        byte_strings,
        label_sets,
        bits,
        documents,
        key_composite,
        key_text,
        key_binary,
        key_unique,
        indexed,
        partly,
        json_parts,
        account_a,
        account_b,
        fire_a,
        fire_b,
        fire_c,
        big,
        marker,
        plain_log,
        audit,
        choices,
        ddl_a,
        ddl_b,
        ddl_p,
    )
}

/// All rows of one table in key order, whichever schema it is of; the index counts the layouts.
///
/// # Panics
/// When there is no such table.
#[must_use]
pub fn table_rows<S: Schema>(
    tables: &mirror_runtime::store::Snapshot<S>,
    index: usize,
) -> Vec<Line> {
    tables.rows(index).map(values_of).collect()
}

/// The layout of a test table.
///
/// # Panics
/// When there is none of that name.
#[must_use]
pub fn layout_of(table: &str) -> &'static TableLayout {
    Tables::layouts()
        .iter()
        .find(|layout| layout.table == table)
        .unwrap_or_else(|| panic!("there is no table {table}"))
}

fn line_of<R: Row>(row: &R) -> Line {
    values_of(row)
}

/// One row as text, column by column.
#[must_use]
pub fn values_of(row: &dyn RowValues) -> Line {
    let columns = row.row_layout().columns;
    (0..columns.len())
        .map(|field| text_of(&row.column_value(field), columns[field].kind))
        .collect()
}

/// The key of a row as text.
#[must_use]
pub fn key_of(row: &dyn RowValues) -> Line {
    let layout = row.row_layout();
    let text = |&field: &usize| text_of(&row.column_value(field), layout.columns[field].kind);
    layout.key.iter().map(text).collect()
}

fn text_of(value: &Value<'_>, kind: ColumnType) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Int(number) => number.to_string(),
        Value::UInt(number) | Value::Bit(number) => number.to_string(),
        Value::Float(number) => float_bits(*number),
        Value::Double(number) => double_bits(*number),
        Value::Decimal(digits) => digits.clone(),
        Value::Date(date) => date_text(*date),
        Value::DateTime(datetime) => datetime_text(*datetime, fsp(kind)),
        Value::Timestamp(timestamp) => {
            let digits = fsp(kind);
            let micros = timestamp.as_micros().unwrap_or(0);
            let (seconds, rest) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
            format!(
                "{} = {seconds}{}",
                datetime_text(timestamp.to_utc(), digits),
                fraction(rest as u32, digits)
            )
        }
        Value::Time(time) => {
            let micros = time.as_micros();
            let (seconds, rest) = (micros.abs() / 1_000_000, micros.abs() % 1_000_000);
            format!(
                "{}{:02}:{:02}:{:02}{}",
                if micros < 0 { "-" } else { "" },
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60,
                fraction(rest as u32, fsp(kind))
            )
        }
        Value::Year(year) => year.to_string(),
        Value::Text(text) => hex(text.as_bytes()),
        Value::Bytes(bytes) => hex(bytes),
        Value::Enum(index) => {
            let labels = labels(kind);
            let label = usize::from(*index)
                .checked_sub(1)
                .map_or("", |at| labels[at]);
            format!("{index} {}", hex(label.as_bytes()))
        }
        Value::Set(bits) => {
            let members: Vec<&str> = labels(kind)
                .iter()
                .enumerate()
                .filter(|(bit, _)| bits >> bit & 1 == 1)
                .map(|(_, label)| *label)
                .collect();
            format!("{bits} {}", hex(members.join(",").as_bytes()))
        }
        Value::Json(json) => hex(json.to_string().as_bytes()),
        Value::Vector(entries) => {
            let bytes = entries.iter().flat_map(|entry| entry.to_le_bytes());
            hex(&bytes.collect::<Vec<u8>>())
        }
        Value::Uuid(uuid) => uuid.to_string(),
        Value::Ip(address) => address.to_string(),
    })
}

fn fsp(kind: ColumnType) -> u8 {
    match kind {
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } | ColumnType::Time { fsp } => {
            fsp
        }
        other => panic!("a temporal value in a column of type {other:?}"),
    }
}

fn labels(kind: ColumnType) -> &'static [&'static str] {
    match kind {
        ColumnType::Enum { labels } | ColumnType::Set { labels } => labels,
        other => panic!("a label in a column of type {other:?}"),
    }
}

fn date_text(date: mirror_runtime::Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

fn datetime_text(value: mirror_runtime::DateTime, digits: u8) -> String {
    format!(
        "{} {:02}:{:02}:{:02}{}",
        date_text(value.date()),
        value.hour(),
        value.minute(),
        value.second(),
        fraction(value.micros(), digits)
    )
}

/// The fraction of a second with the point; digits that the column cannot hold are shown too,
/// so that they make a difference.
fn fraction(micros: u32, digits: u8) -> String {
    let all = format!("{micros:06}");
    let (kept, cut) = all.split_at(usize::from(digits));
    let point = if digits == 0 { "" } else { "." };
    if cut.bytes().all(|digit| digit == b'0') {
        format!("{point}{kept}")
    } else {
        format!("{point}{kept} and {cut}")
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_beyond_the_columns_precision_make_a_difference() {
        assert_eq!(fraction(120_000, 2), ".12");
        assert_eq!(fraction(0, 0), "");
        assert_ne!(fraction(120_001, 2), ".12");
        assert_eq!(fraction(5, 6), ".000005");
    }

    #[test]
    fn every_mirrored_table_is_listed() {
        let (store, _writer) = mirror_runtime::store::Store::<Tables>::new();
        let empty: Snapshot = store.snapshot().into();
        for layout in Tables::layouts() {
            assert!(snapshot_rows(&empty, layout).is_empty());
        }
    }
}
