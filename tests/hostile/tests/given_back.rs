//! Memory of rows that nobody can see any more is given back, also when no further transaction
//! comes to the table.

use std::time::Duration;

use hostile_bytes::table_map_body;
use mirror_runtime::BinlogPosition;
use mirror_runtime::Schema as _;
use mirror_runtime::image::{AbsentColumns, Plan, RowsEvent, RowsKind, TableMap};
use mirror_runtime::store::{Mode, Store, Writer};
use test_mirror::Tables;

const ROWS: i32 = 20_000;
const TIME: Duration = Duration::from_secs(20);

fn big() -> usize {
    let layouts = Tables::layouts().iter();
    let mut layouts = layouts.map(|layout| layout.table);
    layouts.position(|table| table == "big").unwrap()
}

/// Images of rows with these ids, whose `n` is what `n` gives.
fn images(ids: std::ops::Range<i32>, n: i32) -> Vec<u8> {
    let mut images = Vec::new();
    for id in ids {
        images.push(0);
        images.extend(id.to_le_bytes());
        images.extend(n.to_le_bytes());
        images.extend(20_u16.to_le_bytes());
        images.extend([b'x'; 20]);
    }
    images
}

fn apply(writer: &mut Writer<Tables>, kind: RowsKind, rows: &[u8]) {
    let layout = Tables::layouts()[big()];
    let map = TableMap::parse(&table_map_body(7, layout)).unwrap();
    let plan = Plan::new(layout, &map).unwrap();
    let event = RowsEvent {
        table_id: 7,
        flags: 0,
        kind,
        partial: false,
        absent: AbsentColumns::Kept,
        columns: 3,
        columns_before: &[7],
        columns_after: &[7],
        rows,
        rows_at: 0,
    };
    let (table, at) = writer.table_mut(big()).unwrap();
    table.apply(at, &plan, &event, Mode::Strict, None).unwrap();
}

fn commit(writer: &mut Writer<Tables>) {
    writer.commit(BinlogPosition::start_of("b.000001"));
}

#[test]
fn a_mass_delete_is_given_back_on_a_quiet_server() {
    let (_store, mut writer) = Store::<Tables>::new();
    apply(&mut writer, RowsKind::Insert, &images(0..ROWS, 1));
    commit(&mut writer);
    apply(&mut writer, RowsKind::Delete, &images(0..ROWS, 1));
    commit(&mut writer);
    while writer.tidy(TIME) {}
    let left = writer.memory(big());
    assert_eq!((left.rows, left.versions), (0, 0), "{left:?}");
    assert!(left.row_bytes + left.index_bytes < 10_000, "{left:?}");
}

#[test]
fn what_a_snapshot_held_is_given_back_when_it_goes() {
    let (store, mut writer) = Store::<Tables>::new();
    apply(&mut writer, RowsKind::Insert, &images(0..ROWS, 1));
    commit(&mut writer);
    let held = store.snapshot();
    apply(&mut writer, RowsKind::Delete, &images(0..ROWS, 1));
    commit(&mut writer);
    writer.tidy(Duration::from_millis(5));
    assert_eq!(writer.memory(big()).versions as i32, ROWS);
    drop(held);
    while writer.tidy(TIME) {}
    let left = writer.memory(big());
    assert_eq!((left.rows, left.versions), (0, 0), "{left:?}");
}

#[test]
fn rows_of_a_transaction_that_was_abandoned_are_given_back() {
    let (_store, mut writer) = Store::<Tables>::new();
    apply(&mut writer, RowsKind::Insert, &images(0..10, 1));
    commit(&mut writer);
    while writer.tidy(TIME) {}
    apply(&mut writer, RowsKind::Delete, &images(0..5, 1));
    apply(&mut writer, RowsKind::Insert, &images(100..ROWS, 1));
    writer.rollback();
    while writer.tidy(TIME) {}
    let left = writer.memory(big());
    assert_eq!((left.rows, left.versions), (10, 10), "{left:?}");
    assert!(left.row_bytes + left.index_bytes < 10_000, "{left:?}");
}

#[test]
fn a_table_that_was_emptied_waits_for_its_snapshots_without_work() {
    let (store, mut writer) = Store::<Tables>::new();
    apply(&mut writer, RowsKind::Insert, &images(0..ROWS, 1));
    commit(&mut writer);
    let held = store.snapshot();
    writer.truncate(big(), None);
    commit(&mut writer);
    let started = std::time::Instant::now();
    writer.tidy(TIME);
    assert!(started.elapsed() < TIME / 2);
    assert_eq!(held.rows(big()).count(), ROWS as usize);
    drop(held);
    assert!(!writer.tidy(TIME));
}
