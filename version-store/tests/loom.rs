//! Every order in which a reader and the writer can meet, by loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p version-store --test loom --release`.
#![cfg(loom)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loom::thread;
use version_store::{Keyed, Publisher, Store, Table, TableWriter};

/// A row that says in `alive`, which outlives it, whether it was freed.
struct Row {
    key: u64,
    value: u64,
    alive: Arc<AtomicBool>,
}

impl Drop for Row {
    fn drop(&mut self) {
        self.alive.store(false, Ordering::SeqCst);
    }
}

impl Keyed for Row {
    type KeyRef<'a> = u64;
    fn key_ref(&self) -> u64 {
        self.key
    }
    fn is_same_key(one: u64, other: u64) -> bool {
        one == other
    }
}

fn row(key: u64, value: u64) -> Row {
    let alive = Arc::new(AtomicBool::new(true));
    Row { key, value, alive }
}

type Payload = Option<Table<Row>>;

/// A store with rows 0 and 1 of value 0, what the writer does to it, and what a reader may see,
/// by version.
fn check(
    work: impl Fn(&mut Publisher<Payload>, &Table<Row>, &mut TableWriter<Row>)
    + Sync
    + Send
    + Copy
    + 'static,
    sees: impl Fn(u64, Option<u64>, Option<u64>) -> bool + Sync + Send + Copy + 'static,
) {
    loom::model(move || {
        let (store, mut publisher) = Store::new(None);
        let (table, mut writer) = Table::<Row>::new(publisher.writing());
        for key in 0..2 {
            writer.put(publisher.writing(), row(key, 0));
        }
        publisher.publish(Some(table.clone()));
        let reader = {
            let store = Arc::clone(&store);
            thread::spawn(move || {
                let snapshot = store.snapshot();
                let Some(table) = snapshot.payload() else {
                    unreachable!()
                };
                let view = table.view(snapshot.moment());
                let first = view.get(0);
                let second = view.get(1);
                let again = view.get(0);
                for row in [first, second, again].into_iter().flatten() {
                    assert!(
                        row.alive.load(Ordering::SeqCst),
                        "a row was freed under a reader"
                    );
                }
                let value = |row: Option<&Row>| row.map(|row| row.value);
                assert_eq!(value(first), value(again));
                let number = snapshot.number();
                assert!(
                    sees(number, value(first), value(second)),
                    "version {number}: {:?} {:?}",
                    value(first),
                    value(second)
                );
            })
        };
        work(&mut publisher, &table, &mut writer);
        reader.join().unwrap();
    });
}

#[test]
fn an_update_is_seen_whole_and_what_it_replaced_is_freed_late_enough() {
    check(
        |publisher, table, writer| {
            writer.put(publisher.writing(), row(0, 1));
            writer.put(publisher.writing(), row(1, 1));
            publisher.publish(Some(table.clone()));
            writer.reclaim(publisher.writing(), 10);
        },
        |number, first, second| match number {
            1 => (first, second) == (Some(0), Some(0)),
            _ => (first, second) == (Some(1), Some(1)),
        },
    );
}

#[test]
fn a_delete_is_seen_whole_and_the_rows_are_freed_late_enough() {
    check(
        |publisher, table, writer| {
            writer.remove(publisher.writing(), 0);
            writer.remove(publisher.writing(), 1);
            publisher.publish(Some(table.clone()));
            writer.reclaim(publisher.writing(), 10);
            publisher.publish(Some(table.clone()));
            writer.reclaim(publisher.writing(), 10);
        },
        |number, first, second| match number {
            1 => (first, second) == (Some(0), Some(0)),
            _ => (first, second) == (None, None),
        },
    );
}

#[test]
fn what_is_rolled_back_is_never_seen() {
    check(
        |publisher, table, writer| {
            writer.put(publisher.writing(), row(0, 9));
            writer.remove(publisher.writing(), 1);
            writer.roll_back(publisher.writing());
            writer.put(publisher.writing(), row(0, 2));
            writer.put(publisher.writing(), row(0, 3));
            publisher.publish(Some(table.clone()));
            writer.reclaim(publisher.writing(), 10);
            publisher.publish(Some(table.clone()));
            writer.reclaim(publisher.writing(), 10);
        },
        |number, first, second| match number {
            1 => (first, second) == (Some(0), Some(0)),
            _ => (first, second) == (Some(3), Some(0)),
        },
    );
}

#[test]
fn a_reader_finds_its_rows_while_the_slots_grow() {
    check(
        |publisher, table, writer| {
            writer.remove(publisher.writing(), 1);
            for key in 2..14 {
                writer.put(publisher.writing(), row(key, 1));
            }
            publisher.publish(Some(table.clone()));
            writer.reclaim(publisher.writing(), 100);
            publisher.publish(Some(table.clone()));
            writer.reclaim(publisher.writing(), 100);
        },
        |number, first, second| match number {
            1 => (first, second) == (Some(0), Some(0)),
            _ => (first, second) == (Some(0), None),
        },
    );
}

#[test]
fn a_chain_is_shortened_under_a_reader_that_walks_it() {
    check(
        |publisher, table, writer| {
            for value in 1..4 {
                writer.put(publisher.writing(), row(0, value));
                publisher.publish(Some(table.clone()));
            }
            writer.reclaim(publisher.writing(), 100);
        },
        |number, first, second| (first, second) == (Some(number - 1), Some(0)),
    );
}
