//! Which images are read where the generated code knows their columns to be, and which are not.

use super::test_support::{WireSample, bitmap, layout, named, rows_body, table_map_body};
use super::type_code as t;
use super::{ExactImage, Plan, ReadImage, RowsEvent, TableMap, places};
use crate::layout::{ColumnLayout, ColumnType as T, TableLayout};

const INT: T = T::Int { unsigned: false };

/// `a`, `d` and `e` of a table `a INT, b .., c .., d INT NOT NULL, e VARCHAR(20)` are mirrored.
fn partly(between: &[WireSample]) -> (&'static TableLayout, Plan) {
    let columns = vec![
        named("a", 0, false, INT),
        named("d", 3, false, INT),
        named("e", 4, true, T::VarChar { max_bytes: 20 }),
    ];
    let layout = layout(columns, 5);
    let ends = [(t::LONG, &[][..], false), (t::VARCHAR, &[20, 0][..], true)];
    let all = [&[ends[0]], between, &[ends[0], ends[1]]].concat();
    let map = TableMap::parse(&table_map_body(&all, &[])).unwrap();
    (layout, Plan::new(layout, &map).unwrap())
}

#[test]
fn columns_that_are_not_mirrored_may_be_of_any_type() {
    let between: [(&[WireSample], &[u8]); 3] = [
        (&[(t::TINY, &[], false), (t::LONGLONG, &[], false)], &[9; 9]),
        (
            &[(t::VARCHAR, &[20, 0], false), (t::TINY, &[], true)],
            &[2, 9, 9, 9],
        ),
        (
            &[(t::TINY, &[], true), (t::BLOB, &[2], true)],
            &[9, 1, 0, 9],
        ),
    ];
    for (wire, values) in between {
        let (layout, plan) = partly(wire);
        assert!(plan.has_places());
        let mut row = vec![0];
        row.extend(1_i32.to_le_bytes());
        row.extend(values);
        row.extend(2_i32.to_le_bytes());
        row.extend(b"\x03abc");
        let body = rows_body(5, &[&[0b11111]], &[row.clone(), row].concat());
        let event = RowsEvent::parse(30, &body).unwrap();
        let mut reader = plan.reader(&event);
        for _ in 0..2 {
            let image = reader.next().unwrap().unwrap().after.unwrap();
            let exact: ExactImage<'_, 3> = image.exact(layout).unwrap();
            let places = places::<3>(layout);
            assert_eq!(exact.get::<i32>(0, places[0]), Ok(1));
            assert_eq!(exact.get::<i32>(1, places[1]), Ok(2));
            assert_eq!(exact.get::<Box<str>>(2, places[2]), Ok("abc".into()));
            assert_eq!(image.get::<i32>(1), Ok(2));
            assert_eq!(image.get::<Box<str>>(2), Ok("abc".into()));
        }
        assert!(reader.next().unwrap().is_none());
    }
}

#[test]
fn an_image_that_is_not_as_compiled_is_never_exact() {
    let wire: &[WireSample] = &[(t::TINY, &[], false), (t::TINY, &[], false)];
    let (layout, plan) = partly(wire);
    let row = [&[0][..], &[1, 0, 0, 0, 9, 9, 2, 0, 0, 0, 1, b'x']].concat();
    let body = rows_body(5, &[&[0b11111]], &row);
    let event = RowsEvent::parse(30, &body).unwrap();
    let exact_of = |plan: &Plan, event: &RowsEvent<'_>, layout| {
        let mut reader = plan.reader(event);
        let image = reader.next().unwrap().unwrap().after.unwrap();
        image.exact::<3>(layout).is_some()
    };
    assert!(exact_of(&plan, &event, layout));
    let (other, _) = partly(wire);
    assert!(!exact_of(&plan, &event, other), "another table's layout");
    assert!(!exact_of(&plan.clone().without_places(), &event, layout));
    // Without one of the columns that are not mirrored.
    let less = [&[0][..], &[1, 0, 0, 0, 9, 2, 0, 0, 0, 1, b'x']].concat();
    let body = rows_body(5, &[&[0b11011]], &less);
    let event = RowsEvent::parse(30, &body).unwrap();
    assert!(!exact_of(&plan, &event, layout), "an absent column");
    let mut reader = plan.reader(&event);
    let image = reader.next().unwrap().unwrap().after.unwrap();
    assert_eq!(image.get::<i32>(1), Ok(2));
}

/// Whether `a INT NOT NULL, b` has its places when the table map says this of `b`.
fn has_places(kind: T, nullable: bool, b: WireSample) -> bool {
    let columns = vec![named("a", 0, false, INT), named("b", 1, nullable, kind)];
    let map = TableMap::parse(&table_map_body(&[(t::LONG, &[], false), b], &[])).unwrap();
    Plan::new(layout(columns, 2), &map).unwrap().has_places()
}

#[test]
fn a_column_of_another_format_or_nullability_is_read_by_way_of_the_plan() {
    assert!(has_places(INT, true, (t::LONG, &[], true)));
    assert!(!has_places(INT, true, (t::LONG, &[], false)));
    // Old formats, of which some are as wide as the new ones.
    for fsp in [0, 1, 4, 6] {
        let old = [
            (T::DateTime { fsp }, t::DATETIME, t::DATETIME2),
            (T::Timestamp { fsp }, t::TIMESTAMP, t::TIMESTAMP2),
            (T::Time { fsp }, t::TIME, t::TIME2),
        ];
        for (kind, old, new) in old {
            assert!(!has_places(kind, false, (old, &[], false)), "{kind:?}");
            let digits: &[u8] = Box::leak(Box::new([fsp]));
            assert!(has_places(kind, false, (new, digits, false)), "{kind:?}");
        }
    }
    // A COMPRESSED column, whose values begin with how they are compressed.
    let kind = T::VarChar { max_bytes: 79 };
    assert!(!has_places(
        kind,
        false,
        (t::VARCHAR_COMPRESSED, &[80, 0], false)
    ));
    assert!(has_places(kind, false, (t::VARCHAR, &[79, 0], false)));
}

#[test]
fn null_bits_beyond_the_64th_column_count() {
    let count = 150;
    let columns: Vec<ColumnLayout> = (0..count)
        .map(|at| named("c", at, at % 3 != 0, T::TinyInt { unsigned: true }))
        .collect();
    let layout = layout(columns, count);
    let wire: Vec<WireSample> = (0..count)
        .map(|at| (t::TINY, &[][..], at % 3 != 0))
        .collect();
    let map = TableMap::parse(&table_map_body(&wire, &[])).unwrap();
    let plan = Plan::new(layout, &map).unwrap();
    let nulls: Vec<bool> = (0..count).map(|at| at % 3 == 1 && at % 2 == 0).collect();
    let mut row = bitmap(nulls.iter().copied());
    row.extend((0..count).filter(|at| !nulls[*at]).map(|at| at as u8));
    let present = [0xff; 19];
    let mut body = vec![7, 0, 0, 0, 0, 0, 1, 0, 2, 0, count as u8];
    body.extend(present);
    let head = body.len();
    body.extend(&row);
    let event = RowsEvent::parse(30, &body).unwrap();
    let mut reader = plan.reader(&event);
    let image = reader.next().unwrap().unwrap().after.unwrap();
    let exact: ExactImage<'_, 101> = image.exact(layout).unwrap();
    let places = places::<150>(layout);
    for at in 0..count {
        let expected = (!nulls[at]).then_some(at as u8);
        assert_eq!(exact.get::<Option<u8>>(at, places[at]), Ok(expected));
        assert_eq!(image.get::<Option<u8>>(at), Ok(expected));
    }
    assert!(reader.next().unwrap().is_none());
    // NULL in the NOT NULL column 147.
    body[head + 147 / 8] |= 1 << (147 % 8);
    let event = RowsEvent::parse(30, &body).unwrap();
    assert!(plan.reader(&event).next().is_err());
}
