//! Tests of whole events: table map, plan and rows together.

use super::test_support::*;
use super::*;
use crate::error::ValueError;
use crate::layout::{ColumnType, TableLayout};

const INT: ColumnType = ColumnType::Int { unsigned: false };
const VARCHAR: ColumnType = ColumnType::VarChar { max_bytes: 80 };

/// id INT, skipped CHAR(255) utf8mb4 NULL, v VARCHAR(20) NULL, n SMALLINT, d DECIMAL(5,2),
/// b BLOB, t TIME(2) NULL.
const SAMPLE: &[WireSample] = &[
    (3, &[], false),
    (254, &[0xce, 0xfc], true),
    (15, &[80, 0], true),
    (2, &[], false),
    (246, &[5, 2], false),
    (252, &[2], false),
    (19, &[2], true),
];

/// Everything but the CHAR and the DECIMAL.
fn sample_layout() -> &'static TableLayout {
    let columns = vec![
        named("id", 0, false, INT),
        named("v", 2, true, VARCHAR),
        named("n", 3, false, ColumnType::SmallInt { unsigned: false }),
        named("b", 5, false, ColumnType::Blob { length_bytes: 2 }),
        named("t", 6, true, ColumnType::Time { fsp: 2 }),
    ];
    layout(columns, 7)
}

fn sample_plan() -> Plan {
    let map = TableMap::parse(&table_map_body(SAMPLE, &[])).unwrap();
    Plan::new(sample_layout(), &map).unwrap()
}

/// Null bitmap with the unused bit set, as servers write it, then the values.
const ROW_1: &[u8] = &[
    0x80, 1, 0, 0, 0, 2, 0, b'x', b'y', 3, b'a', b'b', b'c', 0xfe, 0xff, 0x80, 0, 0, 1, 0, 9, 0x7f,
    0xff, 0xff, 0xff,
];
/// The CHAR, the VARCHAR and the TIME are NULL.
const ROW_2: &[u8] = &[0xc6, 2, 0, 0, 0, 5, 0, 0x80, 0, 0, 0, 0];

fn all_present() -> [u8; 1] {
    [0x7f]
}

fn read(image: &RowImage<'_>) -> (i32, Option<Box<str>>, i16, Box<[u8]>, String) {
    let time: Option<crate::types::Time> = image.get(4).unwrap();
    (
        image.get(0).unwrap(),
        image.get(1).unwrap(),
        image.get(2).unwrap(),
        image.get(3).unwrap(),
        time.map_or_else(String::new, |time| time.with_fsp(2).to_string()),
    )
}

#[test]
fn columns_are_found_behind_unlisted_and_null_ones() {
    let rows = [ROW_1, ROW_2].concat();
    let body = rows_body(7, &[&all_present()], &rows);
    let event = RowsEvent::parse(30, &body).unwrap();
    assert_eq!((event.table_id, event.kind), (7, RowsKind::Insert));
    assert!(event.ends_statement());
    let plan = sample_plan();
    let mut reader = plan.reader(&event);
    let images = reader.next().unwrap().unwrap();
    assert!(images.before.is_none());
    let first = read(&images.after.unwrap());
    let expected = (
        1,
        Some("abc".into()),
        -2,
        Box::from([9]),
        "-00:00:00.01".into(),
    );
    assert_eq!(first, expected);
    assert_eq!(reader.position(), ROW_1.len());
    let images = reader.next().unwrap().unwrap();
    let second = read(&images.after.unwrap());
    assert_eq!(second, (2, None, 5, Box::from([]), String::new()));
    assert!(reader.next().unwrap().is_none());
}

#[test]
fn update_gives_before_and_after_of_every_row() {
    let rows = [ROW_1, ROW_2, ROW_2, ROW_1].concat();
    let body = rows_body(7, &[&all_present(), &all_present()], &rows);
    let event = RowsEvent::parse(31, &body).unwrap();
    let plan = sample_plan();
    let mut reader = plan.reader(&event);
    let mut ids = Vec::new();
    while let Some(images) = reader.next().unwrap() {
        let before: i32 = images.before.unwrap().get(0).unwrap();
        let after: i32 = images.after.unwrap().get(0).unwrap();
        ids.push((before, after));
    }
    assert_eq!(ids, [(1, 2), (2, 1)]);
}

#[test]
fn minimal_images_have_one_null_bit_per_present_column() {
    // Before: only id. After: v (NULL), n and t.
    let rows = [0xfe, 1, 0, 0, 0, 0xf9, 7, 0, 0x80, 0, 0, 0x32];
    let body = rows_body(7, &[&[0b000_0001], &[0b100_1100]], &rows);
    let event = RowsEvent::parse(31, &body).unwrap();
    let plan = sample_plan();
    let mut reader = plan.reader(&event);
    let images = reader.next().unwrap().unwrap();
    let (before, after) = (images.before.unwrap(), images.after.unwrap());
    assert_eq!(before.get(0), Ok(1i32));
    assert!(!before.is_present(2));
    let absent = ValueError::Absent.in_column("n");
    assert_eq!(before.get::<i16>(2), Err(absent));
    assert!(!after.is_present(0));
    assert_eq!(after.get::<Option<Box<str>>>(1), Ok(None));
    assert_eq!(
        after.get::<Box<str>>(1),
        Err(ValueError::UnexpectedNull.in_column("v"))
    );
    assert_eq!(after.get(2), Ok(7i16));
    let time: crate::types::Time = after.get(4).unwrap();
    assert_eq!(time.with_fsp(2).to_string(), "00:00:00.50");
    assert!(!after.is_present(5));
    assert!(reader.next().unwrap().is_none());
}

#[test]
fn null_in_a_not_null_column_is_an_error_with_its_place() {
    let mut row = ROW_1.to_vec();
    row[0] |= 1;
    let body = rows_body(7, &[&all_present()], &row);
    let event = RowsEvent::parse(30, &body).unwrap();
    let plan = sample_plan();
    let mut reader = plan.reader(&event);
    assert_eq!(
        reader.next().unwrap_err(),
        ImageError::UnexpectedNull { at: 0 }
    );
    assert!(reader.next().unwrap().is_none());
}

#[test]
fn rows_event_of_another_width_is_refused() {
    let body = rows_body(6, &[&[0x3f]], ROW_1);
    let event = RowsEvent::parse(30, &body).unwrap();
    let plan = sample_plan();
    let error = plan.reader(&event).next().unwrap_err();
    let expected = ImageError::ColumnCount {
        expected: 7,
        found: 6,
    };
    assert_eq!(error, expected);
    // Without rows and columns it only ends a statement.
    let body = rows_body(0, &[], &[]);
    let event = RowsEvent::parse(30, &body).unwrap();
    assert!(plan.reader(&event).next().unwrap().is_none());
}

#[test]
fn version_1_rows_events_have_no_extra_data() {
    let mut body = rows_body(7, &[&all_present()], ROW_2);
    body.drain(8..12);
    let event = RowsEvent::parse(25, &body).unwrap();
    assert_eq!(event.kind, RowsKind::Delete);
    assert_eq!(event.rows, ROW_2);
    assert_eq!(RowsEvent::parse_table_id(&body), Ok(7));
}

#[test]
fn names_find_columns_that_moved() {
    let optional = metadata_field(4, &counted_strings(&["new", "N", "id"]));
    let columns: &[WireSample] = &[(3, &[], true), (2, &[], false), (3, &[], false)];
    let map = TableMap::parse(&table_map_body(columns, &optional)).unwrap();
    let columns = vec![
        named("id", 0, false, INT),
        named("n", 3, false, ColumnType::SmallInt { unsigned: false }),
    ];
    let plan = Plan::new(layout(columns, 4), &map).unwrap();
    let body = rows_body(3, &[&[7]], &[0xf9, 5, 0, 8, 0, 0, 0]);
    let event = RowsEvent::parse(30, &body).unwrap();
    let mut reader = plan.reader(&event);
    let image = reader.next().unwrap().unwrap().after.unwrap();
    assert_eq!((image.get(0), image.get(1)), (Ok(8i32), Ok(5i16)));
}

fn mismatch_of(columns: &[WireSample], optional: &[u8], column: ColumnType) -> String {
    let map = TableMap::parse(&table_map_body(columns, optional)).unwrap();
    let layout = layout(vec![named("c", 0, false, column)], 1);
    Plan::new(layout, &map).unwrap_err().to_string()
}

#[test]
fn changed_columns_are_a_mismatch_that_names_them() {
    let text = mismatch_of(&[(3, &[], false), (3, &[], false)], &[], INT);
    assert!(
        text.contains("expected 1 columns, found 2 columns"),
        "{text}"
    );
    let text = mismatch_of(&[(8, &[], false)], &[], INT);
    assert!(text.contains("table d.t, column c"), "{text}");
    assert!(text.contains("found bigint"), "{text}");
    let text = mismatch_of(&[(3, &[], true)], &[], INT);
    assert!(text.contains("may hold NULL"), "{text}");
    let text = mismatch_of(&[(3, &[], false)], &metadata_field(1, &[0x80]), INT);
    assert!(text.contains("found unsigned"), "{text}");
    let names = metadata_field(4, &counted_strings(&["other"]));
    let text = mismatch_of(&[(3, &[], false)], &names, INT);
    assert!(text.contains("found no such column"), "{text}");
    let binary = metadata_field(2, &[63]);
    let text = mismatch_of(&[(15, &[80, 0], false)], &binary, VARCHAR);
    assert!(text.contains("collation number 63"), "{text}");
    let text = mismatch_of(&[(15, &[84, 0], false)], &[], VARCHAR);
    assert!(text.contains("84 bytes"), "{text}");
    let decimal = ColumnType::Decimal {
        precision: 5,
        scale: 3,
    };
    let text = mismatch_of(&[(246, &[5, 2], false)], &[], decimal);
    assert!(text.contains("decimal(5,2)"), "{text}");
}

#[test]
fn reordered_labels_are_a_mismatch() {
    let labels = ColumnType::Enum {
        labels: &["v1", "v2"],
    };
    let column: &[WireSample] = &[(254, &[247, 1], false)];
    let sent = |labels: &[&str]| {
        let mut list = vec![u8::try_from(labels.len()).unwrap()];
        list.extend(counted_strings(labels));
        metadata_field(6, &list)
    };
    let text = mismatch_of(column, &sent(&["v2", "v1", "v3"]), labels);
    assert!(text.contains("3 labels"), "{text}");
    let text = mismatch_of(column, &sent(&["v1", "v3"]), labels);
    assert!(text.contains("\"v3\" in place 2"), "{text}");
    let map = TableMap::parse(&table_map_body(column, &sent(&["v1", "v2"]))).unwrap();
    assert!(Plan::new(layout(vec![named("c", 0, false, labels)], 1), &map).is_ok());
}

#[test]
fn year_has_a_bit_of_signedness_and_unknown_metadata_is_skipped() {
    let columns: &[WireSample] = &[(13, &[], false), (15, &[9, 0], false), (3, &[], false)];
    let mut optional = metadata_field(1, &[0b0100_0000]);
    optional.extend(metadata_field(99, b"whatever"));
    optional.extend(metadata_field(8, &[2]));
    let map = TableMap::parse(&table_map_body(columns, &optional)).unwrap();
    assert_eq!(
        map.metadata.unsigned,
        Some(vec![Some(false), None, Some(true)])
    );
    assert_eq!(map.metadata.primary_key, Some(vec![2]));
}

#[test]
fn default_collation_has_exceptions_by_character_column() {
    let columns: &[WireSample] = &[
        (15, &[9, 0], false),
        (3, &[], false),
        (254, &[247, 1], false),
        (252, &[2], false),
    ];
    let optional = metadata_field(2, &[45, 1, 63]);
    let map = TableMap::parse(&table_map_body(columns, &optional)).unwrap();
    assert_eq!(
        map.metadata.collations,
        Some(vec![Some(45), None, None, Some(63)])
    );
    let optional = metadata_field(3, &[45, 252, 0, 1]);
    let map = TableMap::parse(&table_map_body(columns, &optional)).unwrap();
    assert_eq!(
        map.metadata.collations,
        Some(vec![Some(45), None, None, Some(256)])
    );
}

#[test]
fn unknown_type_hides_the_table_but_not_its_name() {
    let body = table_map_body(&[(3, &[], false), (200, &[], false)], &[]);
    let header = TableMap::parse_header(&body).unwrap();
    assert_eq!(
        (header.database, header.table, header.table_id),
        ("d", "t", 7)
    );
    let expected = ImageError::UnknownType {
        ordinal: 1,
        type_code: 200,
    };
    assert_eq!(TableMap::parse(&body), Err(expected));
}

/// Reads events of every kind as far as they go.
fn read_all(map_body: &[u8], event_type: u8, rows_body: &[u8], layout: &'static TableLayout) {
    let Ok(map) = TableMap::parse(map_body) else {
        return;
    };
    let Ok(plan) = Plan::new(layout, &map) else {
        return;
    };
    let Ok(event) = RowsEvent::parse(event_type, rows_body) else {
        return;
    };
    let mut reader = plan.reader(&event);
    let mut seen = 0;
    while let Ok(Some(images)) = reader.next() {
        seen += 1;
        assert!(seen <= rows_body.len(), "more rows than bytes");
        for image in [images.before, images.after].into_iter().flatten() {
            for field in 0..6 {
                let _ = image.get::<Box<[u8]>>(field);
            }
            let _ = image.get::<i32>(0);
            let _ = image.get::<Option<crate::types::Time>>(4);
        }
    }
}

fn sample_events() -> (Vec<u8>, Vec<u8>) {
    let names = metadata_field(4, &counted_strings(&["id", "s", "v", "n", "d", "b", "t"]));
    let signedness = metadata_field(1, &[0]);
    let collations = metadata_field(3, &[45, 45, 63]);
    let map = table_map_body(SAMPLE, &[signedness, collations, names].concat());
    let present = all_present();
    let rows = [ROW_1, ROW_2, ROW_2, ROW_1].concat();
    (map, rows_body(7, &[&present, &present], &rows))
}

#[test]
fn truncated_events_are_errors_and_never_panic() {
    let (map, rows) = sample_events();
    let layout = sample_layout();
    read_all(&map, 31, &rows, layout);
    for length in 0..rows.len() {
        read_all(&map, 31, &rows[..length], layout);
        let plan = sample_plan();
        let whole = RowsEvent::parse(31, &rows[..length]).is_ok_and(|event| {
            let mut reader = plan.reader(&event);
            loop {
                match reader.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => break true,
                    Err(_) => break false,
                }
            }
        });
        // A cut between two rows cannot be told; only one behind the first pair is there.
        let expected = length == 15 || length == 15 + ROW_1.len() + ROW_2.len();
        assert_eq!(whole, expected, "cut at {length}");
    }
    for length in 0..map.len() {
        let _ = TableMap::parse_header(&map[..length]);
        read_all(&map[..length], 31, &rows, layout);
    }
}

#[test]
fn mutated_events_never_panic() {
    let (map, rows) = sample_events();
    let layout = sample_layout();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..20_000 {
        let (mut map, mut rows) = (map.clone(), rows.clone());
        for _ in 0..=random(4) {
            let target = if random(2) == 0 { &mut map } else { &mut rows };
            let at = random(target.len());
            target[at] = [0, 1, 0x7f, 0x80, 0xfa, 0xfc, 0xfe, 0xff, random(256) as u8][random(9)];
        }
        read_all(&map, [23, 24, 25, 30, 31, 32][random(6)], &rows, layout);
    }
}
