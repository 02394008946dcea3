//! Values and rows as JSON, one format for everything that prints them.
//!
//! Integers, FLOAT and DOUBLE (shortest digits that read back as the same number), YEAR and BIT
//! are numbers; DECIMAL, dates and times are strings as the server prints them at the column's
//! precision, TIMESTAMP in UTC; bytes are base64; an ENUM is its label, or the number 0 for index
//! 0; a SET is a list of labels; JSON is itself.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::image::write_json_string;
use crate::layout::{ColumnLayout, ColumnType};
use crate::store::RowValues;
use crate::value::Value;

/// Appends a row as an object: SQL column names in table order.
///
/// With `only`, the columns for whose field index it gives false are left out.
pub fn write_row(out: &mut Vec<u8>, row: &dyn RowValues, only: Option<&dyn Fn(usize) -> bool>) {
    out.push(b'{');
    let mut first = true;
    for (field, column) in row.row_layout().columns.iter().enumerate() {
        if only.is_some_and(|only| !only(field)) {
            continue;
        }
        if !first {
            out.push(b',');
        }
        first = false;
        write_json_string(out, column.name.as_bytes());
        out.push(b':');
        write_value(out, &row.column_value(field), column);
    }
    out.push(b'}');
}

/// Appends one value of a column.
pub fn write_value(out: &mut Vec<u8>, value: &Value<'_>, column: &ColumnLayout) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Int(number) => write_plain(out, number),
        Value::UInt(number) | Value::Bit(number) => write_plain(out, number),
        Value::Year(year) => write_plain(out, year),
        Value::Float(number) => write_float(out, number.is_finite(), *number),
        Value::Double(number) => write_float(out, number.is_finite(), *number),
        Value::Decimal(digits) => write_json_string(out, digits.as_bytes()),
        Value::Date(date) => write_quoted(out, date),
        Value::DateTime(value) => write_quoted(out, value.with_fsp(fsp(column))),
        Value::Timestamp(value) => write_quoted(out, value.with_fsp(fsp(column))),
        Value::Time(value) => write_quoted(out, value.with_fsp(fsp(column))),
        Value::Text(text) => write_json_string(out, text.as_bytes()),
        Value::Bytes(bytes) => write_quoted(out, STANDARD.encode(bytes)),
        Value::Enum(index) => write_enum(out, *index, labels(column)),
        Value::Set(bits) => write_set(out, *bits, labels(column)),
        Value::Json(json) => out.extend_from_slice(json.as_str().as_bytes()),
    }
}

fn write_plain(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    // Writing into memory does not fail.
    let _ = write!(out, "{value}");
}

fn write_quoted(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    // Writing into memory does not fail.
    let _ = write!(out, "\"{value}\"");
}

/// JSON has no infinities; neither have the servers.
fn write_float(out: &mut Vec<u8>, finite: bool, number: impl ryu::Float) {
    if finite {
        out.extend_from_slice(ryu::Buffer::new().format_finite(number).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

fn fsp(column: &ColumnLayout) -> u8 {
    match column.kind {
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } | ColumnType::Time { fsp } => {
            fsp
        }
        _ => 6,
    }
}

fn labels(column: &ColumnLayout) -> &'static [&'static str] {
    match column.kind {
        ColumnType::Enum { labels } | ColumnType::Set { labels } => labels,
        _ => &[],
    }
}

/// An index without a label, 0 above all, is printed as a number.
fn write_enum(out: &mut Vec<u8>, index: u16, labels: &[&str]) {
    let label = usize::from(index)
        .checked_sub(1)
        .and_then(|at| labels.get(at));
    match label {
        Some(label) => write_json_string(out, label.as_bytes()),
        None => write_plain(out, index),
    }
}

fn write_set(out: &mut Vec<u8>, bits: u64, labels: &[&str]) {
    out.push(b'[');
    let mut first = true;
    for (_, label) in labels
        .iter()
        .enumerate()
        .take(64)
        .filter(|(bit, _)| bits >> bit & 1 == 1)
    {
        if !first {
            out.push(b',');
        }
        first = false;
        write_json_string(out, label.as_bytes());
    }
    out.push(b']');
}
