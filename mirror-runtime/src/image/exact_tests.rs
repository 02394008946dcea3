//! An image read where the generated code knows its columns to be gives what it gives by way of
//! the plan.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::cursor::Cursor;
use super::test_support::{WireSample, layout, named, rows_body, table_map_body};
use super::type_code as t;
use super::wire_type::{Width, WireColumn};
use super::{
    ExactImage, Plan, ReadImage, RowImage, RowsEvent, StraightRows, TableMap, not_null, places,
    slot_count,
};
use crate::charset::Charset;
use crate::error::ValueError;
use crate::layout::{ColumnLayout, ColumnType as T, TableLayout};
use crate::row::ColumnValue;
use crate::source::Family;
use crate::types::{
    BigDecimal, Date, DateTime, Decimal, Geometry, Json, Time, Timestamp, Uuid, Vector, enum_index,
    set_bits,
};

const INT: T = T::Int { unsigned: false };
const LABELS: &[&str] = &["a", "b", "c"];
const MANY_LABELS: &[&str] = &[""; 300];

/// Numbers that look random, the same ones with each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Bytes of which many are small or letters, so that values of every type are among them.
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let kind = self.next() % 4;
        let byte = |at: usize| {
            let number = self.next();
            match kind {
                0 => (number % 4) as u8,
                1 => b'a' + (number % 26) as u8,
                // As DECIMAL and the new temporal formats begin.
                2 => (number % 4) as u8 | if at == 0 { 0x80 } else { 0 },
                _ => number as u8,
            }
        };
        (0..count).map(byte).collect()
    }
}

/// A column between two others, as the table map has it.
struct Sample {
    layout: &'static TableLayout,
    plan: Plan,
    width: Width,
    nullable: bool,
}

impl Sample {
    fn new(
        kind: T,
        charset: Option<Charset>,
        code: u8,
        meta: &'static [u8],
        nullable: bool,
    ) -> Self {
        let mut columns = vec![
            named("before", 0, false, INT),
            named("c", 1, nullable, kind),
            named("behind", 2, false, INT),
        ];
        columns[1].charset = charset;
        let layout = layout(columns, 3);
        let wire: [WireSample; 3] = [
            (t::LONG, &[], false),
            (code, meta, nullable),
            (t::LONG, &[], false),
        ];
        let map = TableMap::parse(&table_map_body(&wire, &[])).unwrap();
        let real = WireColumn::read(code, 1, &mut Cursor::new(meta)).unwrap();
        let fsp = match kind {
            T::DateTime { fsp } | T::Timestamp { fsp } | T::Time { fsp } => fsp,
            _ => 0,
        };
        Self {
            layout,
            plan: Plan::new(layout, &map).unwrap(),
            width: real.width_with_fraction(fsp).unwrap(),
            nullable,
        }
    }

    /// One row: the columns before and behind are 5 and -7.
    fn row(&self, numbers: &mut Numbers) -> Vec<u8> {
        let is_null = self.nullable && numbers.next().is_multiple_of(5);
        let mut row = vec![if is_null { 0b010 } else { 0 }];
        row.extend(5_i32.to_le_bytes());
        if !is_null {
            let length = match self.width {
                Width::Fixed(width) => width as usize,
                Width::Prefixed(prefix) => {
                    let length = (numbers.next() % 3 * 8) as usize;
                    row.extend(&length.to_le_bytes()[..usize::from(prefix)]);
                    length
                }
            };
            row.extend(numbers.bytes(length));
        }
        row.extend((-7_i32).to_le_bytes());
        row
    }
}

/// Both ways give this of an image.
fn same<V: ColumnValue + std::fmt::Debug, const SLOTS: usize>(
    sample: &Sample,
    image: &RowImage<'_>,
    last: &mut Option<V>,
) -> bool {
    let places = places::<3>(sample.layout);
    let exact: ExactImage<'_, SLOTS> = image.exact(sample.layout).expect("an exact image");
    assert_eq!(exact.get::<i32>(0, places[0]), Ok(5));
    assert_eq!(exact.get::<i32>(2, places[2]), Ok(-7));
    if let Some(value) = last {
        assert_eq!(
            exact.matches(1, places[1], value),
            image.matches(1, value),
            "{value:?}"
        );
    }
    let (one, other) = (exact.get::<V>(1, places[1]), image.get::<V>(1));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
    if let Ok(value) = &one {
        assert_eq!(exact.matches(1, places[1], value), Ok(true));
    }
    in_one_go::<V>(sample, image.side.rows, &one);
    let read = one.is_ok();
    *last = one.ok().or(last.take());
    read
}

/// In one go, the value is the same as well; what is wrong with one that is none is not told.
fn in_one_go<V: ColumnValue + std::fmt::Debug>(
    sample: &Sample,
    rows: &[u8],
    expected: &Result<V, ValueError>,
) {
    assert!(sample.plan.is_straight());
    let places = places::<3>(sample.layout);
    let rows = StraightRows::new(rows, Family::MySql);
    let mut image = rows.first(not_null::<1>(sample.layout)).unwrap();
    assert_eq!(image.next(0, places[0]).unwrap().get(0, places[0]), Ok(5));
    let column = image.next(1, places[1]).unwrap();
    assert_eq!(image.next(2, places[2]).unwrap().get(2, places[2]), Ok(-7));
    assert_eq!(image.behind().len(), 0);
    match (column.get::<V>(1, places[1]), expected) {
        (Ok(value), Ok(expected)) => {
            assert_eq!(format!("{value:?}"), format!("{expected:?}"));
            assert_eq!(column.matches(1, places[1], expected), Ok(true));
        }
        (value, expected) => assert_eq!(value.is_ok(), expected.is_ok(), "{expected:?}"),
    }
}

/// Checks many rows with the type in the middle; gives how many had a value of it.
fn check<V: ColumnValue + std::fmt::Debug>(
    kind: T,
    charset: Option<Charset>,
    code: u8,
    meta: &'static [u8],
) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 ^ u64::from(code));
    let mut read = 0;
    for nullable in [false, true] {
        let sample = Sample::new(kind, charset, code, meta, nullable);
        assert!(sample.plan.has_places(), "{kind:?}");
        let is_fixed = !nullable && matches!(sample.width, Width::Fixed(_));
        assert_eq!(slot_count(sample.layout), if is_fixed { 1 } else { 2 });
        let mut value = None;
        let mut option = None;
        for _ in 0..2000 {
            let row = sample.row(&mut numbers);
            let body = rows_body(3, &[&[0b111]], &row);
            let event = RowsEvent::parse(30, &body).unwrap();
            let mut reader = sample.plan.reader(&event);
            let image = reader.next().unwrap().unwrap().after.unwrap();
            read += usize::from(if is_fixed {
                same::<V, 1>(&sample, &image, &mut value)
            } else {
                same::<V, 2>(&sample, &image, &mut value)
            });
            if nullable {
                same::<Option<V>, 2>(&sample, &image, &mut option);
            }
        }
    }
    assert!(read > 20, "{read} values of {kind:?}");
}

/// An ENUM or SET as generated code has it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Index(u16);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Bits(u64);

macro_rules! label_column {
    ($name:ident, $read:ident) => {
        impl ColumnValue for $name {
            fn from_image(
                raw: Option<&[u8]>,
                column: &super::ImageColumn,
            ) -> Result<Self, crate::error::ValueError> {
                $read(raw, column).map(Self)
            }

            fn from_select(
                _value: crate::row::SelectValue,
                _column: &ColumnLayout,
            ) -> Result<Self, crate::error::ValueError> {
                unreachable!()
            }

            fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> crate::value::Value<'a> {
                unreachable!()
            }
        }
    };
}

label_column!(Index, enum_index);
label_column!(Bits, set_bits);

#[test]
fn numbers_are_the_same_on_both_ways() {
    check::<i8>(T::TinyInt { unsigned: false }, None, t::TINY, &[]);
    check::<u8>(T::TinyInt { unsigned: true }, None, t::TINY, &[]);
    check::<bool>(T::TinyInt { unsigned: false }, None, t::TINY, &[]);
    check::<i16>(T::SmallInt { unsigned: false }, None, t::SHORT, &[]);
    check::<u16>(T::SmallInt { unsigned: true }, None, t::SHORT, &[]);
    check::<i32>(T::MediumInt { unsigned: false }, None, t::INT24, &[]);
    check::<u32>(T::MediumInt { unsigned: true }, None, t::INT24, &[]);
    check::<i32>(INT, None, t::LONG, &[]);
    check::<u32>(T::Int { unsigned: true }, None, t::LONG, &[]);
    check::<i64>(T::BigInt { unsigned: false }, None, t::LONGLONG, &[]);
    check::<u64>(T::BigInt { unsigned: true }, None, t::LONGLONG, &[]);
    check::<f32>(T::Float, None, t::FLOAT, &[4]);
    check::<f64>(T::Double, None, t::DOUBLE, &[8]);
    check::<u16>(T::Year, None, t::YEAR, &[]);
    check::<u64>(T::Bit { bits: 17 }, None, t::BIT, &[1, 2]);
    check::<u64>(T::Bit { bits: 64 }, None, t::BIT, &[0, 8]);
    let decimal = |precision, scale| T::Decimal { precision, scale };
    check::<Decimal>(decimal(10, 2), None, t::NEWDECIMAL, &[10, 2]);
    check::<Decimal>(decimal(28, 28), None, t::NEWDECIMAL, &[28, 28]);
    check::<BigDecimal>(decimal(65, 30), None, t::NEWDECIMAL, &[65, 30]);
    check::<Index>(T::Enum { labels: LABELS }, None, t::STRING, &[t::ENUM, 1]);
    check::<Index>(
        T::Enum {
            labels: MANY_LABELS,
        },
        None,
        t::STRING,
        &[t::ENUM, 2],
    );
    check::<Bits>(T::Set { labels: LABELS }, None, t::STRING, &[t::SET, 1]);
}

#[test]
fn temporal_values_are_the_same_on_both_ways() {
    check::<Date>(T::Date, None, t::DATE, &[]);
    check::<DateTime>(T::DateTime { fsp: 0 }, None, t::DATETIME2, &[0]);
    check::<DateTime>(T::DateTime { fsp: 2 }, None, t::DATETIME2, &[2]);
    check::<DateTime>(T::DateTime { fsp: 6 }, None, t::DATETIME2, &[6]);
    check::<Timestamp>(T::Timestamp { fsp: 0 }, None, t::TIMESTAMP2, &[0]);
    check::<Timestamp>(T::Timestamp { fsp: 3 }, None, t::TIMESTAMP2, &[3]);
    check::<Timestamp>(T::Timestamp { fsp: 6 }, None, t::TIMESTAMP2, &[6]);
    check::<Time>(T::Time { fsp: 0 }, None, t::TIME2, &[0]);
    check::<Time>(T::Time { fsp: 5 }, None, t::TIME2, &[5]);
}

#[test]
fn strings_and_documents_are_the_same_on_both_ways() {
    let varchar = T::VarChar { max_bytes: 80 };
    for charset in [
        Charset::Utf8mb4,
        Charset::Latin1,
        Charset::Gbk,
        Charset::Utf16,
    ] {
        check::<Box<str>>(varchar, Some(charset), t::VARCHAR, &[80, 0]);
        check::<Box<str>>(T::Text { length_bytes: 2 }, Some(charset), t::BLOB, &[2]);
    }
    let char = T::Char { max_bytes: 300 };
    check::<Box<str>>(char, Some(Charset::Utf8mb3), t::STRING, &[0xee, 44]);
    check::<Box<[u8]>>(T::Binary { bytes: 16 }, None, t::STRING, &[0xfe, 16]);
    check::<Box<[u8]>>(T::VarBinary { max_bytes: 300 }, None, t::VARCHAR, &[44, 1]);
    check::<Box<[u8]>>(T::Blob { length_bytes: 3 }, None, t::BLOB, &[3]);
    check::<Json>(T::Json, None, t::JSON, &[4]);
    check::<Geometry>(T::Geometry, None, t::GEOMETRY, &[4]);
    check::<Vector>(T::Vector { dimension: 4 }, None, t::VECTOR, &[4]);
    check::<Uuid>(T::Uuid, None, t::STRING, &[0xfe, 16]);
    check::<Ipv4Addr>(T::Inet4, None, t::STRING, &[0xfe, 4]);
    check::<Ipv6Addr>(T::Inet6, None, t::STRING, &[0xfe, 16]);
}
