//! Single values of every type.

use std::net::{Ipv4Addr, Ipv6Addr};

use mirror_runtime::image::ImageColumn;
use mirror_runtime::row::SelectValue;
use mirror_runtime::source::Family;
use mirror_runtime::{
    BigDecimal, ColumnLayout, ColumnValue, Date, DateTime, Decimal, Geometry, Json, Time,
    Timestamp, Uuid, Vector, enum_index, enum_index_from_select, jsonl, set_bits,
    set_bits_from_select,
};

use crate::COLUMNS;
use crate::columns::leaked;

/// Bit of the second byte: the value is NULL.
const IS_NULL: u8 = 1;
/// Bit of the second byte: the three bytes behind it are a type code and its metadata, in place
/// of those of the column.
const OTHER_TYPE: u8 = 2;
/// Bit of the second byte: the value is of a MariaDB server.
const MARIADB: u8 = 4;

/// The bytes of a value of a row image behind the index of a column in [`COLUMNS`] and a byte of
/// flags (1: NULL, 2: followed by a type code and two bytes of metadata, 4: of MariaDB), read as every Rust type
/// that a column can be held in; and the same bytes as SELECTed values of several kinds.
///
/// A value that is read equals its image and can be printed.
pub fn column_values(input: &[u8]) {
    let [index, flags, rest @ ..] = input else {
        return;
    };
    let typed = &COLUMNS[usize::from(*index) % COLUMNS.len()];
    let mut column = ImageColumn {
        layout: leaked(typed.layout),
        type_code: typed.type_code,
        meta: typed.meta,
        family: match flags & MARIADB {
            0 => Family::MySql,
            _ => Family::MariaDb,
        },
    };
    let mut raw = rest;
    if flags & OTHER_TYPE != 0 {
        let [code, low, high, behind @ ..] = rest else {
            return;
        };
        (column.type_code, column.meta) = (*code, u16::from_le_bytes([*low, *high]));
        raw = behind;
    }
    let value = (flags & IS_NULL == 0).then_some(raw);
    of_every_type(value, &column);
    for selected in selected_values(raw) {
        let _ = enum_index_from_select(selected.clone(), column.layout);
        let _ = set_bits_from_select(selected, column.layout);
    }
}

fn of_every_type(raw: Option<&[u8]>, column: &ImageColumn) {
    one::<bool>(raw, column);
    one::<i8>(raw, column);
    one::<u8>(raw, column);
    one::<i16>(raw, column);
    one::<u16>(raw, column);
    one::<i32>(raw, column);
    one::<u32>(raw, column);
    one::<i64>(raw, column);
    one::<u64>(raw, column);
    one::<f32>(raw, column);
    one::<f64>(raw, column);
    one::<Decimal>(raw, column);
    one::<BigDecimal>(raw, column);
    one::<Date>(raw, column);
    one::<DateTime>(raw, column);
    one::<Timestamp>(raw, column);
    one::<Time>(raw, column);
    one::<Box<str>>(raw, column);
    one::<Box<[u8]>>(raw, column);
    one::<Json>(raw, column);
    one::<Geometry>(raw, column);
    one::<Vector>(raw, column);
    one::<Uuid>(raw, column);
    one::<Ipv4Addr>(raw, column);
    one::<Ipv6Addr>(raw, column);
    let _ = enum_index(raw, column);
    let _ = set_bits(raw, column);
}

fn one<T: ColumnValue>(raw: Option<&[u8]>, column: &ImageColumn) {
    match T::from_image(raw, column) {
        Ok(value) => {
            assert!(raw.is_some());
            assert!(value.equals_image(raw, column).unwrap());
            print(&value, column.layout);
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
    let optional = Option::<T>::from_image(raw, column);
    assert!(raw.is_some() || matches!(optional, Ok(None)));
    for selected in selected_values(raw.unwrap_or_default()) {
        if let Ok(value) = T::from_select(selected, column.layout) {
            print(&value, column.layout);
        }
    }
}

fn print<T: ColumnValue>(value: &T, column: &ColumnLayout) {
    let shown = value.as_value(column);
    let mut line = Vec::new();
    jsonl::write_value(&mut line, &shown, column);
    assert!(std::str::from_utf8(&line).is_ok());
    let _ = format!("{shown:?}");
}

/// Values of every kind that a SELECT can give, made of these bytes.
fn selected_values(raw: &[u8]) -> Vec<SelectValue> {
    let mut eight = [0; 8];
    let length = raw.len().min(8);
    eight[..length].copy_from_slice(&raw[..length]);
    let number = u64::from_le_bytes(eight);
    let [a, b, c, d, e, f, g, h] = eight;
    let micros = u32::from_le_bytes([e, f, g, h]);
    vec![
        SelectValue::Bytes(raw.to_vec()),
        SelectValue::Int(number.cast_signed()),
        SelectValue::UInt(number),
        SelectValue::Float(f32::from_bits(number as u32)),
        SelectValue::Double(f64::from_bits(number)),
        SelectValue::Date(u16::from_le_bytes([a, b]), c, d, e, f, g, micros),
        SelectValue::Time(a & 1 == 1, micros, b, c, d, micros),
    ]
}
