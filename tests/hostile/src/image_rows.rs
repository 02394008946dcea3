//! Rows events of the tables of `test-mirror`.

use std::fmt::Debug;
use std::sync::LazyLock;

use mirror_runtime::image::{Plan, RowImage, RowsEvent, RowsKind, TableMap};
use mirror_runtime::jsonl;
use mirror_runtime::store::{ApplyError, Mode, RowValues, Store};
use mirror_runtime::{BinlogPosition, Row, Schema as _, Value};
use test_mirror::Tables;

use crate::wire::table_map_body;

/// The types of rows events, by the second byte of an input of [`rows()`].
pub const ROWS_TYPES: [u8; 7] = [23, 24, 25, 30, 31, 32, 39];

/// The body of a rows event behind the index of a table and of the event's type
/// ([`ROWS_TYPES`]), a byte each.
///
/// An image from which a row is decoded gives the same values one by one, the row's own key, and
/// matches the row; merged into the row, it changes nothing. All of that is the same whether
/// columns are found by way of the plan or where the generated code knows them to be, and so are
/// all rows when they are decoded in one go. Applying the event, in every mode, to an empty table and
/// to the rows that it changes, has the same outcome either way, lists no more changes than there are images and keeps as many rows as it says.
pub fn rows(input: &[u8]) {
    let [table, event_type, body @ ..] = input else {
        return;
    };
    let table = usize::from(*table) % Tables::layouts().len();
    let event_type = ROWS_TYPES[usize::from(*event_type) % ROWS_TYPES.len()];
    let plan = &PLANS[table];
    let Ok(event) = RowsEvent::parse(event_type, body) else {
        return;
    };
    assert_eq!(event.rows_at + event.rows.len(), body.len());
    let images = CHECKS[table](plan, &PLANS_WITHOUT_PLACES[table], &event);
    applied(table, plan, &PLANS_WITHOUT_PLACES[table], &event, images);
}

/// By table index.
static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let plan = |layout| {
        let map = TableMap::parse(&table_map_body(7, layout)).unwrap();
        Plan::new(layout, &map).unwrap()
    };
    Tables::layouts()
        .iter()
        .map(|layout| plan(layout))
        .collect()
});

/// The same, by which the generated code knows no places.
static PLANS_WITHOUT_PLACES: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let plans = PLANS.iter();
    plans.map(|plan| plan.clone().without_places()).collect()
});

/// Goes through an event by both plans of its table; gives the number of its images.
fn check<R: Row + PartialEq + Debug>(plan: &Plan, other: &Plan, event: &RowsEvent<'_>) -> usize {
    both_ways::<R>(plan, other, event);
    each_both_ways::<R>(plan, other, event);
    let mut reader = plan.reader(event);
    let mut count = 0;
    let mut last: Option<R> = None;
    let mut at = 0;
    while let Ok(Some(images)) = reader.next() {
        for image in [images.before, images.after].into_iter().flatten() {
            count += 1;
            if let Some(row) = last.take() {
                last = Some(merged(row, &image));
            }
            if let Some(row) = decoded::<R>(&image) {
                last = Some(row);
            }
        }
        let is_of_defaults = event.rows.is_empty();
        assert!(
            reader.position() > at || is_of_defaults,
            "no other row is without bytes"
        );
        at = reader.position();
    }
    assert!(
        matches!(reader.next(), Ok(None)),
        "behind an error is nothing"
    );
    count
}

/// Both plans give the same rows and the same error when all rows are decoded; but of a row whose
/// after image cannot be read, one may give the before image and the other not.
fn each_both_ways<R: Row + Debug>(plan: &Plan, other: &Plan, event: &RowsEvent<'_>) {
    let rows = |plan: &Plan| {
        let mut rows = Vec::new();
        let result = plan.reader(event).decode_each(|which, row: R| {
            rows.push(format!("{which:?} {row:?}"));
            Ok::<_, ApplyError>(())
        });
        let is_whole = result.is_ok();
        (rows, format!("{result:?}"), is_whole)
    };
    let (one, result, is_whole) = rows(plan);
    let (other, same, _) = rows(other);
    assert_eq!(result, same);
    let both = one.len().min(other.len());
    assert_eq!(one[..both], other[..both]);
    assert!(one.len() == other.len() || (!is_whole && one.len().abs_diff(other.len()) == 1));
}

/// Both plans give the same images, and of each the same row, key and errors.
fn both_ways<R: Row + PartialEq + Debug>(plan: &Plan, other: &Plan, event: &RowsEvent<'_>) {
    let (mut one, mut other) = (plan.reader(event), other.reader(event));
    let mut last: Option<R> = None;
    loop {
        let (one, other) = match (one.next(), other.next()) {
            (Ok(Some(one)), Ok(Some(other))) => (one, other),
            (one, other) => {
                assert_eq!(format!("{one:?}"), format!("{other:?}"));
                return;
            }
        };
        let pairs = [(one.before, other.before), (one.after, other.after)];
        for (one, other) in pairs {
            let (Some(one), Some(other)) = (one, other) else {
                assert!(one.is_none() && other.is_none());
                continue;
            };
            let row = R::decode(&one);
            assert_eq!(format!("{row:?}"), format!("{:?}", R::decode(&other)));
            let keys = [R::decode_key(&one), R::decode_key(&other)];
            assert_eq!(format!("{:?}", keys[0]), format!("{:?}", keys[1]));
            if let Some(held) = &last {
                assert_eq!(held.matches(&one), held.matches(&other));
                let (mut by_one, mut by_other) = (held.clone(), held.clone());
                let merged = [by_one.merge(&one), by_other.merge(&other)];
                assert_eq!(merged[0], merged[1]);
                if merged[0].is_ok() {
                    assert_eq!(format!("{by_one:?}"), format!("{by_other:?}"));
                }
            }
            last = row.ok().or(last);
        }
    }
}

fn decoded<R: Row + PartialEq>(image: &RowImage<'_>) -> Option<R> {
    let fields = R::layout().columns.len();
    let row = match R::decode(image) {
        Ok(row) => row,
        Err(error) => {
            let _ = error.to_string();
            let _ = R::decode_key(image);
            for field in 0..fields {
                let _ = R::image_value(image, field);
            }
            return None;
        }
    };
    assert_eq!(R::decode_key(image).unwrap(), row.key());
    assert!(matches(&row, image), "a row matches its image");
    for field in 0..fields {
        let (own, read) = (row.value(field), R::image_value(image, field).unwrap());
        assert!(same(&own, &read), "{own:?} and {read:?}");
    }
    let again = merged(row.clone(), image);
    assert!(matches(&again, image));
    let mut shown = Vec::new();
    jsonl::write_row(&mut shown, &row, None);
    assert!(String::from_utf8(shown).is_ok());
    Some(row)
}

fn merged<R: Row>(mut row: R, image: &RowImage<'_>) -> R {
    let before = row.clone();
    match row.merge(image) {
        Ok(()) => {
            assert!(matches(&row, image), "a row matches what was merged");
            row
        }
        Err(_) => before,
    }
}

/// Whether the row is as the image says; differences in place of a value say nothing.
fn matches<R: Row>(row: &R, image: &RowImage<'_>) -> bool {
    match row.matches(image) {
        Ok(same) => same,
        Err(error) => error.is_absent(),
    }
}

/// Equal, where no number counts as equal to itself too.
fn same(one: &Value<'_>, other: &Value<'_>) -> bool {
    one == other || format!("{one:?}") == format!("{other:?}")
}

/// Applies the event to an empty table, to one that has the rows that it changes, and to one that has
/// others under their keys, twice each: by both plans, with the same outcome.
fn applied(table: usize, plan: &Plan, other: &Plan, event: &RowsEvent<'_>, images: usize) {
    let held = before_images(plan, event, 0);
    let differ = before_images(plan, event, 1);
    for mode in [Mode::Tolerant, Mode::Strict, Mode::Lenient] {
        for held in [&[][..], &held, &differ] {
            let one = outcome(table, plan, event, mode, held, images);
            let other = outcome(table, other, event, mode, held, images);
            assert_eq!(one, other);
        }
    }
    let _ = Tables::kinds()[table].decode_only(plan, event, &mut |_, _| Ok(()));
}

/// The before images of an event, as the rows of an insert, with the last byte of each changed.
fn before_images(plan: &Plan, event: &RowsEvent<'_>, change: u8) -> Vec<u8> {
    let mut images = Vec::new();
    let mut reader = plan.reader(event);
    loop {
        let start = reader.position();
        if event.kind == RowsKind::Insert || !matches!(reader.next(), Ok(Some(_))) {
            return images;
        }
        let before = RowsEvent {
            rows: &event.rows[start..],
            ..as_insert(event)
        };
        let mut before_reader = plan.reader(&before);
        if !matches!(before_reader.next(), Ok(Some(_))) {
            return images;
        }
        images.extend_from_slice(&before.rows[..before_reader.position()]);
        if let Some(last) = images.last_mut() {
            *last ^= change;
        }
    }
}

/// An event with the before images of another as its rows.
fn as_insert<'a>(event: &RowsEvent<'a>) -> RowsEvent<'a> {
    RowsEvent {
        kind: RowsKind::Insert,
        partial: false,
        columns_before: &[],
        columns_after: event.columns_before,
        ..*event
    }
}

/// How applying an event went, what it changed, and the rows behind it.
fn outcome(
    table: usize,
    plan: &Plan,
    event: &RowsEvent<'_>,
    mode: Mode,
    held: &[u8],
    images: usize,
) -> String {
    let (store, mut writer) = Store::<Tables>::new();
    if !held.is_empty() {
        let (held_table, at) = writer.table_mut(table).unwrap();
        let rows = RowsEvent {
            rows: held,
            ..as_insert(event)
        };
        let _ = held_table.apply(at, plan, &rows, Mode::Tolerant, None);
        writer.mark();
    }
    let (held, at) = writer.table_mut(table).unwrap();
    let mut text = String::new();
    for _ in 0..2 {
        let mut changes = Vec::new();
        let result = held.apply(at, plan, event, mode, Some(&mut changes));
        assert!(changes.len() <= 2 * images);
        text.push_str(&format!("{result:?}\n"));
        for change in &changes {
            let view = Tables::change_view(change);
            let rows = [view.before, view.after];
            let rows = rows.map(|row| row.map_or_else(String::new, shown));
            text.push_str(&format!("{:?} {} {}\n", view.op, rows[0], rows[1]));
        }
    }
    let mut all = Vec::new();
    held.describe(&mut all);
    assert_eq!(all.len(), held.row_count() + 1);
    let rows = writer.row_count(table);
    writer.commit(BinlogPosition::start_of("b.000001"));
    let snapshot = store.snapshot();
    assert_eq!(snapshot.row_count(table), rows);
    for row in snapshot.rows(table) {
        text.push_str(&shown(row));
    }
    assert_eq!(snapshot.rows(table).count(), rows);
    text
}

fn shown(row: &dyn RowValues) -> String {
    let fields = 0..row.row_layout().columns.len();
    let values: Vec<_> = fields.map(|field| row.column_value(field)).collect();
    format!("{values:?}\n")
}

/// [`check`] of every row type, by table index.
const CHECKS: [fn(&Plan, &Plan, &RowsEvent<'_>) -> usize; 30] = [
    check::<test_mirror::Integers>,
    check::<test_mirror::Numbers>,
    check::<test_mirror::Dates>,
    check::<test_mirror::Times>,
    check::<test_mirror::Texts>,
    check::<test_mirror::AsciiTexts>,
    check::<test_mirror::ByteStrings>,
    check::<test_mirror::LabelSets>,
    check::<test_mirror::Bits>,
    check::<test_mirror::Documents>,
    check::<test_mirror::KeyComposite>,
    check::<test_mirror::KeyText>,
    check::<test_mirror::KeyBinary>,
    check::<test_mirror::KeyUnique>,
    check::<test_mirror::Indexed>,
    check::<test_mirror::Partly>,
    check::<test_mirror::JsonParts>,
    check::<test_mirror::AccountA>,
    check::<test_mirror::AccountB>,
    check::<test_mirror::FireA>,
    check::<test_mirror::FireB>,
    check::<test_mirror::FireC>,
    check::<test_mirror::Big>,
    check::<test_mirror::Marker>,
    check::<test_mirror::PlainLog>,
    check::<test_mirror::Audit>,
    check::<test_mirror::Choices>,
    check::<test_mirror::DdlA>,
    check::<test_mirror::DdlB>,
    check::<test_mirror::DdlP>,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Each check is of the table with its index, and each table's map can be planned: an event
    /// that ends a statement without rows gets through everything.
    #[test]
    fn every_table_is_checked_as_itself() {
        assert_eq!(CHECKS.len(), Tables::layouts().len());
        for (table, layout) in Tables::layouts().iter().enumerate() {
            let map = TableMap::parse(&table_map_body(7, layout)).unwrap();
            assert_eq!(map.columns.len(), layout.physical_columns);
            let plan = Plan::new(layout, &map);
            let plan = plan.unwrap_or_else(|error| panic!("{}: {error}", layout.table));
            assert!(plan.has_places(), "{}", layout.table);
            rows(&[table as u8, 0, 7, 0, 0, 0, 0, 0, 1, 0, 0]);
            // One row of an insert that names no column.
            let mut insert = vec![table as u8, 0, 7, 0, 0, 0, 0, 0, 1, 0];
            insert.push(layout.physical_columns as u8);
            insert.resize(insert.len() + layout.physical_columns.div_ceil(8), 0);
            rows(&insert);
        }
    }
}
