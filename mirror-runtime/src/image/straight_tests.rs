//! Which rows are read in one go, and that it gives what the plan gives.

use super::test_support::{
    WireSample, counted_strings, layout, metadata_field, named, rows_body, table_map_body,
};
use super::type_code as t;
use super::{
    ImageError, Place, Plan, ReadImage as _, RowImage, RowsEvent, StraightRows, TableMap, Which,
    bitmap_bytes, not_null, places,
};
use crate::error::ValueError;
use crate::layout::{ColumnLayout, ColumnType as T, TableLayout};
use crate::row::{ColumnValue as _, Row, SelectValue};
use crate::source::Family;
use crate::store::{Indexes, Keyed, Step};
use crate::value::Value;

const INT: T = T::Int { unsigned: false };
const TEXT: T = T::VarChar { max_bytes: 20 };
const WIRE: [WireSample; 3] = [
    (t::LONG, &[], false),
    (t::VARCHAR, &[20, 0], true),
    (t::TINY, &[], false),
];

/// `id INT NOT NULL, name VARCHAR(20), flag TINYINT UNSIGNED NOT NULL`, as generated code has it.
#[derive(Debug, Clone, PartialEq)]
struct Named {
    id: i32,
    name: Option<Box<str>>,
    flag: u8,
}

const fn column(name: &'static str, ordinal: usize, nullable: bool, kind: T) -> ColumnLayout {
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

static LAYOUT: TableLayout = TableLayout {
    database: "d",
    table: "t",
    columns: &[
        column("id", 0, false, INT),
        column("name", 1, true, TEXT),
        column("flag", 2, false, T::TinyInt { unsigned: true }),
    ],
    key: &[0],
    physical_columns: 3,
    old_fractions: &[],
    foreign_keys: &[],
    ignored_foreign_keys: &[],
};
const PLACES: [Place; 3] = places(&LAYOUT);
const NOT_NULL: [u8; bitmap_bytes(&LAYOUT)] = not_null(&LAYOUT);

#[derive(Clone, Default)]
struct NoIndexes;

impl Indexes<Named> for NoIndexes {
    const COUNT: usize = 0;
    fn differ(_: &Named, _: &Named) -> bool {
        false
    }
    fn follow(&mut self, _: &Named, _: Option<&Named>, _: Step) {}
    fn bytes(&self) -> usize {
        0
    }
}

impl Keyed for Named {
    type KeyRef<'a> = i32;
    fn key_ref(&self) -> i32 {
        self.id
    }
    fn is_same_key(one: i32, other: i32) -> bool {
        one == other
    }
}

impl Row for Named {
    type Key = i32;
    type Indexes = NoIndexes;

    fn layout() -> &'static TableLayout {
        &LAYOUT
    }

    fn key(&self) -> i32 {
        self.id
    }

    fn borrowed(key: &i32) -> i32 {
        *key
    }

    fn heap_bytes(&self) -> usize {
        self.name.heap_bytes()
    }

    fn decode(image: &RowImage<'_>) -> Result<Self, ValueError> {
        Ok(Self {
            id: image.get(0)?,
            name: image.get(1)?,
            flag: image.get(2)?,
        })
    }

    fn decode_straight<'a, T>(
        rows: StraightRows<'a>,
        take: impl FnOnce(Self) -> T,
    ) -> Result<(T, StraightRows<'a>), ValueError> {
        let mut image = rows.first(NOT_NULL)?;
        let columns = [
            image.next(0, PLACES[0])?,
            image.next(1, PLACES[1])?,
            image.next(2, PLACES[2])?,
        ];
        let taken = take(Self {
            id: columns[0].get(0, PLACES[0])?,
            name: columns[1].get(1, PLACES[1])?,
            flag: columns[2].get(2, PLACES[2])?,
        });
        Ok((taken, image.behind()))
    }

    fn merge(&mut self, image: &RowImage<'_>) -> Result<(), ValueError> {
        *self = Self::decode(image)?;
        Ok(())
    }

    fn matches(&self, image: &RowImage<'_>) -> Result<bool, ValueError> {
        Ok(*self == Self::decode(image)?)
    }

    fn decode_key(image: &RowImage<'_>) -> Result<i32, ValueError> {
        image.get(0)
    }

    fn store(&self, _: &mut Vec<u8>) {
        unreachable!()
    }

    fn restore(_: &mut crate::stored::StoredBytes<'_>) -> Result<Self, ValueError> {
        unreachable!()
    }

    fn from_select(_values: &mut dyn Iterator<Item = SelectValue>) -> Result<Self, ValueError> {
        unreachable!()
    }

    fn value(&self, _field: usize) -> Value<'_> {
        unreachable!()
    }

    fn image_value(_image: &RowImage<'_>, _field: usize) -> Result<Value<'static>, ValueError> {
        unreachable!()
    }
}

fn plan_of(wire: &[WireSample], optional: &[u8]) -> Plan {
    let map = TableMap::parse(&table_map_body(wire, optional)).unwrap();
    Plan::new(&LAYOUT, &map).unwrap()
}

fn image(id: i32, name: Option<&str>, flag: u8) -> Vec<u8> {
    let mut image = vec![if name.is_none() { 0b010 } else { 0 }];
    image.extend(id.to_le_bytes());
    if let Some(name) = name {
        image.push(u8::try_from(name.len()).unwrap());
        image.extend(name.as_bytes());
    }
    image.push(flag);
    image
}

/// Why rows could not be decoded.
#[derive(Debug, Clone, PartialEq)]
enum Failed {
    Image(ImageError),
    Value(ValueError),
}

impl From<ImageError> for Failed {
    fn from(error: ImageError) -> Self {
        Self::Image(error)
    }
}

impl From<ValueError> for Failed {
    fn from(error: ValueError) -> Self {
        Self::Value(error)
    }
}

type Given = (Vec<(Which, Named)>, Result<u64, Failed>);

fn decode(plan: &Plan, code: u8, body: &[u8]) -> Given {
    let event = RowsEvent::parse(code, body).unwrap();
    let mut given = Vec::new();
    let result = plan.reader(&event).decode_each(|which, row| {
        given.push((which, row));
        Ok(())
    });
    (given, result)
}

/// What both ways give, which must be the same.
fn decoded(code: u8, present: &[&[u8]], rows: &[u8]) -> Given {
    let plan = plan_of(&WIRE, &[]);
    assert!(plan.is_straight());
    let body = rows_body(3, present, rows);
    let (given, result) = decode(&plan, code, &body);
    let (by_plan, same) = decode(&plan.without_places(), code, &body);
    assert_eq!(result, same);
    // The before image of a row whose after image cannot be read is given by one of them only.
    let both = given.len().min(by_plan.len());
    assert_eq!(given[..both], by_plan[..both]);
    assert!(given.len() == by_plan.len() || (code == 31 && result.is_err()));
    (given, result)
}

fn row(id: i32, name: Option<&str>, flag: u8) -> Named {
    Named {
        id,
        name: name.map(Box::from),
        flag,
    }
}

#[test]
fn rows_are_given_in_order_with_null_and_empty_and_other_than_ascii_text() {
    let samples = [
        (1, Some("abc"), 5),
        (-2, None, 255),
        (3, Some(""), 0),
        (4, Some("déjà vu"), 1),
    ];
    let images: Vec<Vec<u8>> = samples.map(|(id, name, flag)| image(id, name, flag)).into();
    let rows = samples.map(|(id, name, flag)| row(id, name, flag));
    let (given, result) = decoded(30, &[&[0b111]], &images.concat());
    assert_eq!(result, Ok(4));
    assert_eq!(given, rows.clone().map(|row| (Which::After, row)));
    let (given, result) = decoded(32, &[&[0b111]], &images.concat());
    assert_eq!(result, Ok(4));
    assert_eq!(given, rows.clone().map(|row| (Which::Before, row)));
    let (given, result) = decoded(31, &[&[0b111], &[0b111]], &images.concat());
    assert_eq!(result, Ok(2));
    let sides = [Which::Before, Which::After, Which::Before, Which::After];
    assert!(given.into_iter().eq(sides.into_iter().zip(rows)));
}

#[test]
fn a_row_that_cannot_be_read_gives_the_plans_error_and_those_before_it_once() {
    let good = image(1, Some("abc"), 5);
    let mut null = image(2, Some("abc"), 5);
    null[0] = 0b001;
    let not_text = [&[0][..], &[1, 0, 0, 0], &[2, b'a', 0xff], &[5]].concat();
    for bad in [null, not_text, good[..9].to_vec(), good[..1].to_vec()] {
        for (code, present) in [(30, &[&[0b111_u8][..]][..]), (31, &[&[0b111], &[0b111]])] {
            for before in 0..4 {
                let rows = [good.repeat(before), bad.clone()].concat();
                let (given, result) = decoded(code, present, &rows);
                assert!(given.len() <= before && result.is_err(), "{bad:?}");
            }
        }
    }
}

#[test]
fn every_cut_of_an_image_is_refused() {
    let whole = image(1, Some("abc"), 5);
    for length in 0..whole.len() {
        let rows = StraightRows::new(&whole[..length], Family::MySql);
        assert!(Named::decode_straight(rows, |_| ()).is_err(), "{length}");
    }
    let longer = [whole, vec![7]].concat();
    let rows = StraightRows::new(&longer, Family::MySql);
    let (taken, behind) = Named::decode_straight(rows, |row| row).unwrap();
    assert_eq!((taken, behind.len()), (row(1, Some("abc"), 5), 1));
}

#[test]
fn rows_that_lack_columns_are_read_by_way_of_the_plan() {
    let images = [[0, 1, 0, 0, 0, 5], [0, 2, 0, 0, 0, 6]].concat();
    let (given, result) = decoded(30, &[&[0b101]], &images);
    assert_eq!(given, []);
    assert!(matches!(result, Err(Failed::Value(_))), "{result:?}");
}

#[test]
fn an_error_of_the_receiver_ends_the_reading() {
    let body = rows_body(3, &[&[0b111]], &image(1, None, 5).repeat(3));
    for plan in [plan_of(&WIRE, &[]), plan_of(&WIRE, &[]).without_places()] {
        let event = RowsEvent::parse(30, &body).unwrap();
        let mut seen = 0;
        let result = plan.reader(&event).decode_each(|_, _: Named| {
            seen += 1;
            match seen {
                2 => Err(Failed::Value(ValueError::Absent)),
                _ => Ok(()),
            }
        });
        assert_eq!((seen, result), (2, Err(Failed::Value(ValueError::Absent))));
    }
}

#[test]
fn a_table_that_is_not_as_compiled_is_never_read_in_one_go() {
    let mut not_nullable = WIRE;
    not_nullable[1].2 = false;
    assert!(!plan_of(&not_nullable, &[]).is_straight(), "nullability");
    // Names tell where columns are.
    let names = |names: &[&str]| metadata_field(4, &counted_strings(names));
    let same = plan_of(&WIRE, &names(&["id", "name", "flag"]));
    assert!(same.is_straight());
    let more = [WIRE[0], WIRE[1], WIRE[2], (t::TINY, &[], true)];
    let more = plan_of(&more, &names(&["id", "name", "flag", "new"]));
    assert!(more.has_places() && !more.is_straight(), "another column");
    let moved = plan_of(
        &[WIRE[2], WIRE[0], WIRE[1]],
        &names(&["flag", "id", "name"]),
    );
    assert!(!moved.is_straight(), "another order");
    assert!(!plan_of(&WIRE, &[]).without_places().is_straight());
    // Of which some columns are not mirrored.
    let columns = vec![named("a", 0, false, INT), named("c", 2, false, INT)];
    let wire = [WIRE[0], WIRE[1], WIRE[0]];
    let map = TableMap::parse(&table_map_body(&wire, &[])).unwrap();
    let partly = Plan::new(layout(columns, 3), &map).unwrap();
    assert!(partly.has_places() && !partly.is_straight());
}
