//! Images that lack columns, and what is compared besides types.

use std::sync::Arc;

use super::test_support::{
    WireSample, layout, metadata_field, named, rows_body, table_map_body, text_column,
};
use super::{Plan, RowsEvent, TableMap};
use crate::charset::Charset;
use crate::error::ValueError;
use crate::layout::{ColumnLayout, ColumnType};
use crate::row::SelectValue;
use crate::source::Collations;

const INT: ColumnType = ColumnType::Int { unsigned: false };
/// Three columns of INT that may be NULL.
const INTS: &[WireSample] = &[(3, &[], true), (3, &[], true), (3, &[], true)];

/// `a`, `b`, and `g`, which is generated from `b`.
fn columns() -> Vec<ColumnLayout> {
    vec![
        named("a", 0, true, INT),
        named("b", 1, true, INT),
        ColumnLayout {
            generated_from: Some(&[1]),
            ..named("g", 2, true, INT)
        },
    ]
}

fn plan() -> Plan {
    let map = TableMap::parse(&table_map_body(INTS, &[])).unwrap();
    Plan::new(layout(columns(), 3), &map).unwrap()
}

#[test]
fn an_insert_that_lacks_columns_gets_their_defaults() {
    let defaults = [None, Some(SelectValue::Int(7)), None];
    let plan = plan().with_defaults(Arc::from(defaults));
    let body = rows_body(3, &[&[0b001]], &[0xfe, 1, 0, 0, 0]);
    let event = RowsEvent::parse(30, &body).unwrap();
    let mut reader = plan.reader(&event);
    let image = reader.next().unwrap().unwrap().after.unwrap();
    assert_eq!(image.get(0), Ok(Some(1_i32)));
    assert_eq!(image.get(1), Ok(Some(7_i32)));
    assert!(image.get::<Option<i32>>(2).unwrap_err().is_absent());
    assert_eq!(image.raw(1), Err(ValueError::Absent));
}

#[test]
fn an_insert_of_no_column_is_one_row_of_defaults() {
    let plan = plan().with_defaults(Arc::from(vec![Some(SelectValue::Int(7)); 3]));
    // The second bitmap has a bit behind the last column, as beside a hidden column.
    for present in [0b0000, 0b1000] {
        let body = rows_body(3, &[&[present]], &[]);
        let event = RowsEvent::parse(30, &body).unwrap();
        let mut reader = plan.reader(&event);
        let image = reader.next().unwrap().unwrap().after.unwrap();
        assert_eq!(image.get(0), Ok(Some(7_i32)));
        assert!(reader.next().unwrap().is_none());
    }
}

#[test]
fn an_update_that_lacks_columns_gets_no_defaults() {
    let plan = plan().with_defaults(Arc::from(vec![Some(SelectValue::Int(7)); 3]));
    let rows = [0xfe, 1, 0, 0, 0, 0xfe, 2, 0, 0, 0];
    let body = rows_body(3, &[&[0b001], &[0b001]], &rows);
    let event = RowsEvent::parse(31, &body).unwrap();
    let mut reader = plan.reader(&event);
    let images = reader.next().unwrap().unwrap();
    for image in [images.before.unwrap(), images.after.unwrap()] {
        assert!(image.get::<Option<i32>>(1).unwrap_err().is_absent());
    }
}

/// Whether an update of `a` and `b` with these present columns and rows leaves `g` open.
fn is_open(before: u8, after: u8, rows: &[u8]) -> bool {
    let plan = plan();
    let body = rows_body(3, &[&[before], &[after]], rows);
    let event = RowsEvent::parse(31, &body).unwrap();
    let mut reader = plan.reader(&event);
    let images = reader.next().unwrap().unwrap();
    let (before, after) = (images.before.unwrap(), images.after.unwrap());
    after.leaves_generated_open(&before)
}

#[test]
fn a_generated_column_that_is_not_logged_is_open_when_its_source_may_have_changed() {
    let row = |a: u8, b: u8| [0xfc, a, 0, 0, 0, b, 0, 0, 0];
    let all = 0b111;
    let whole = |a: u8, b: u8| [0xf8, a, 0, 0, 0, b, 0, 0, 0, 9, 0, 0, 0];
    assert!(!is_open(all, all, &[whole(1, 2), whole(1, 3)].concat()));
    assert!(is_open(0b011, 0b011, &[row(1, 2), row(1, 3)].concat()));
    assert!(!is_open(0b011, 0b011, &[row(1, 2), row(8, 2)].concat()));
    // The before image has the key alone, as with MINIMAL.
    let key = [0xfe, 1, 0, 0, 0];
    assert!(is_open(0b001, 0b010, &[&key[..], &key].concat()));
    assert!(!is_open(0b001, 0b001, &[&key[..], &key].concat()));
}

#[test]
fn text_in_another_charset_than_the_compiled_one_is_a_mismatch() {
    let columns: &[WireSample] = &[(15, &[80, 0], false)];
    let kind = ColumnType::VarChar { max_bytes: 80 };
    let body = table_map_body(columns, &metadata_field(2, &[8]));
    let map = TableMap::parse(&body).unwrap();
    let compiled = *text_column(kind, Charset::Latin1);
    let plan = Plan::new(layout(vec![compiled], 1), &map).unwrap();
    let known: Collations = [(8, Charset::Latin1), (33, Charset::Utf8mb3)]
        .into_iter()
        .collect();
    assert!(plan.check_charsets(&map, &known).is_ok());
    assert!(plan.check_charsets(&map, &Collations::default()).is_ok());
    let other: Collations = [(8, Charset::Cp1251)].into_iter().collect();
    let text = plan.check_charsets(&map, &other).unwrap_err().to_string();
    assert!(text.contains("expected character set latin1"), "{text}");
    assert!(text.contains("found character set cp1251"), "{text}");
}

#[test]
fn an_insert_without_any_column_is_one_row_of_defaults() {
    let plan = plan().with_defaults(Arc::from(vec![Some(SelectValue::Int(7)); 3]));
    let body = rows_body(3, &[&[0]], &[]);
    let event = RowsEvent::parse(30, &body).unwrap();
    let mut reader = plan.reader(&event);
    let image = reader.next().unwrap().unwrap().after.unwrap();
    assert_eq!(image.get(0), Ok(Some(7_i32)));
    assert!(reader.next().unwrap().is_none());
    // A delete or update always has its key.
    let delete = RowsEvent::parse(32, &body).unwrap();
    assert!(plan.reader(&delete).next().unwrap().is_none());
}
