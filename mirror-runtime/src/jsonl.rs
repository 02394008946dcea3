//! Values and rows as JSON, one format for everything that prints them.
//!
//! Integers, FLOAT and DOUBLE (shortest digits that read back as the same number), YEAR and BIT
//! are numbers; DECIMAL, dates and times are strings as the server prints them at the column's
//! precision, TIMESTAMP in UTC; bytes are base64; an ENUM is its label, or the number 0 for index
//! 0; a SET is a list of labels; JSON is itself; a VECTOR is a list of numbers; UUID and INET are text.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::image::write_json_string;
use crate::layout::{ColumnLayout, ColumnType};
use crate::store::RowValues;
use crate::types::inet_text;
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

/// Appends a JSON string.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    write_json_string(out, text.as_bytes());
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
        Value::Vector(entries) => write_vector(out, entries),
        Value::Uuid(uuid) => write_quoted(out, uuid.as_hyphenated()),
        Value::Ip(address) => write_quoted(out, inet_text(*address)),
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

fn write_vector(out: &mut Vec<u8>, entries: &[f32]) {
    out.push(b'[');
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_float(out, entry.is_finite(), *entry);
    }
    out.push(b']');
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{layout, named};
    use crate::layout::TableLayout;
    use crate::types::{Date, Json, Time, Timestamp};

    fn value(value: &Value<'_>, kind: ColumnType) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value, &named("c", 0, true, kind));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_keep_every_bit() {
        let float = ColumnType::Float;
        assert_eq!(value(&Value::Float(0.1), float), "0.1");
        assert_eq!(value(&Value::Float(f32::MAX), float), "3.4028235e38");
        assert_eq!(value(&Value::Double(0.1), ColumnType::Double), "0.1");
        assert_eq!(value(&Value::Double(5e-324), ColumnType::Double), "5e-324");
        let bits = ColumnType::Bit { bits: 64 };
        assert_eq!(value(&Value::Bit(u64::MAX), bits), "18446744073709551615");
        assert_eq!(value(&Value::Int(i64::MIN), float), "-9223372036854775808");
        assert_eq!(value(&Value::Year(0), ColumnType::Year), "0");
        let decimal = Value::Decimal("-0.50".to_owned());
        assert_eq!(value(&decimal, float), "\"-0.50\"");
    }

    #[test]
    fn times_have_the_digits_of_their_column() {
        let time = Value::Time(Time::from_micros(-250_000).unwrap());
        let text = value(&time, ColumnType::Time { fsp: 3 });
        assert_eq!(text, "\"-00:00:00.250\"");
        let zero = Value::Timestamp(Timestamp::ZERO);
        let text = value(&zero, ColumnType::Timestamp { fsp: 6 });
        assert_eq!(text, "\"0000-00-00 00:00:00.000000\"");
        let partial = Value::Date(Date::new(2031, 0, 15).unwrap());
        assert_eq!(value(&partial, ColumnType::Date), "\"2031-00-15\"");
    }

    #[test]
    fn labels_stand_for_numbers_but_index_0_is_a_number() {
        const LABELS: &[&str] = &["a,b", "it\"s", ""];
        let kind = ColumnType::Enum { labels: LABELS };
        assert_eq!(value(&Value::Enum(0), kind), "0");
        assert_eq!(value(&Value::Enum(2), kind), r#""it\"s""#);
        assert_eq!(value(&Value::Enum(3), kind), "\"\"");
        let kind = ColumnType::Set { labels: LABELS };
        assert_eq!(value(&Value::Set(0), kind), "[]");
        assert_eq!(value(&Value::Set(0b101), kind), r#"["a,b",""]"#);
    }

    #[test]
    fn strings_bytes_and_documents() {
        let kind = ColumnType::Json;
        assert_eq!(value(&Value::Text("a\n\"é".into()), kind), "\"a\\n\\\"é\"");
        assert_eq!(value(&Value::Bytes([0, 255][..].into()), kind), "\"AP8=\"");
        let json = Json::from_text("{\"a\": 1.50}");
        assert_eq!(
            value(&Value::Json(std::borrow::Cow::Owned(json)), kind),
            "{\"a\": 1.50}"
        );
        assert_eq!(value(&Value::Null, kind), "null");
    }

    struct Pair(&'static TableLayout);

    impl RowValues for Pair {
        fn row_layout(&self) -> &'static TableLayout {
            self.0
        }
        fn column_value(&self, field: usize) -> Value<'_> {
            Value::UInt(field as u64)
        }
    }

    #[test]
    fn rows_are_objects_in_table_order_without_the_columns_left_out() {
        let columns = vec![
            named("z", 0, false, ColumnType::Year),
            named("na\"me", 1, false, ColumnType::Year),
        ];
        let row = Pair(layout(columns, 2));
        let mut out = Vec::new();
        write_row(&mut out, &row, None);
        write_row(&mut out, &row, Some(&|field| field == 1));
        write_row(&mut out, &row, Some(&|_| false));
        let expected = r#"{"z":0,"na\"me":1}{"na\"me":1}{}"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
