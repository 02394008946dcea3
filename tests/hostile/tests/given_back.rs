//! What snapshots hold stays as it is, however many there are; memory of rows that nobody can see
//! any more is given back, also when no further transaction comes to the table.

use std::collections::BTreeMap;
use std::time::Duration;

use hostile_bytes::table_map_body;
use mirror_runtime::BinlogPosition;
use mirror_runtime::Schema as _;
use mirror_runtime::image::{AbsentColumns, Plan, RowsEvent, RowsKind, TableMap};
use mirror_runtime::store::{Mode, Store, Writer};
use test_mirror::{Snapshot, Tables};

const ROWS: i32 = 20_000;
const TIME: Duration = Duration::from_secs(20);

fn table(name: &str) -> usize {
    let layouts = Tables::layouts().iter();
    let mut layouts = layouts.map(|layout| layout.table);
    layouts.position(|table| table == name).unwrap()
}

fn big() -> usize {
    table("big")
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
    apply_to(big(), writer, kind, rows);
}

fn apply_to(index: usize, writer: &mut Writer<Tables>, kind: RowsKind, rows: &[u8]) {
    let layout = Tables::layouts()[index];
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
    let (table, at) = writer.table_mut(index).unwrap();
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
fn text_of_keys_is_counted_where_they_are_kept_in_order_and_given_back() {
    let index = table("key_text");
    let rows = |bytes: usize| -> Vec<u8> {
        // The third column is NULL.
        let row = |number: usize| {
            let text = format!("{number:0bytes$}").into_bytes();
            [vec![4, bytes as u8], text, 5_i64.to_le_bytes().to_vec()].concat()
        };
        (0..1_000).flat_map(row).collect()
    };
    let filled = |bytes: usize| {
        let (store, mut writer) = Store::<Tables>::new();
        apply_to(index, &mut writer, RowsKind::Insert, &rows(bytes));
        commit(&mut writer);
        (store, writer)
    };
    let (_store, short) = filled(8);
    let (_store, mut long) = filled(40);
    let beyond = long.memory(index).index_bytes - short.memory(index).index_bytes;
    // Once in their order, once in the index over `n`.
    assert!((80_000..90_000).contains(&beyond), "{beyond}");
    apply_to(index, &mut long, RowsKind::Delete, &rows(40));
    commit(&mut long);
    while long.tidy(TIME) {}
    let left = long.memory(index);
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

#[test]
fn thousands_of_snapshots_show_their_versions_also_without_a_mirror() {
    const SNAPSHOTS: usize = 3_000;
    let (store, mut writer) = Store::<Tables>::new();
    let mut rows: BTreeMap<i32, i32> = BTreeMap::new();
    let mut held: Vec<(Snapshot, BTreeMap<i32, i32>)> = Vec::new();
    let mut number = 1_u32;
    let mut random = move |below: u32| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (number >> 8) % below
    };
    let shows = |(snapshot, rows): &(Snapshot, BTreeMap<i32, i32>)| {
        let big = snapshot.big();
        assert_eq!(big.len(), rows.len());
        assert!(
            big.iter()
                .map(|row| (row.id, row.n))
                .eq(rows.iter().map(|(&id, &n)| (id, n)))
        );
        assert_eq!(big.unordered().count(), rows.len());
    };
    for n in 0..SNAPSHOTS as i32 {
        for _ in 0..=random(3) {
            let id = random(40) as i32;
            let ids = id..id + 1;
            match rows.get(&id).copied() {
                Some(old) if random(2) == 0 => {
                    apply(&mut writer, RowsKind::Delete, &images(ids, old));
                    rows.remove(&id);
                }
                Some(old) => {
                    let both = [images(ids.clone(), old), images(ids, n)].concat();
                    apply(&mut writer, RowsKind::Update, &both);
                    rows.insert(id, n);
                }
                None => {
                    apply(&mut writer, RowsKind::Insert, &images(ids, n));
                    rows.insert(id, n);
                }
            }
        }
        if random(5) == 0 {
            // All of the transaction is undone, not just this.
            apply(&mut writer, RowsKind::Insert, &images(50..60, n));
            writer.rollback();
            rows = held
                .last()
                .map_or_else(BTreeMap::new, |(_, rows)| rows.clone());
        }
        if random(400) == 0 {
            writer.truncate(big(), None);
            rows.clear();
        }
        commit(&mut writer);
        held.push((Snapshot::from(store.snapshot()), rows.clone()));
    }
    held.iter().for_each(shows);
    for _ in 0..SNAPSHOTS / 2 {
        held.swap_remove(random(held.len() as u32) as usize);
    }
    commit(&mut writer);
    writer.tidy(TIME);
    held.iter().for_each(shows);
    drop((writer, store));
    held.iter().for_each(shows);
    for _ in 0..SNAPSHOTS / 4 {
        held.swap_remove(random(held.len() as u32) as usize);
    }
    held.iter().for_each(shows);
}
