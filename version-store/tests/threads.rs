//! Readers on threads of their own while the writer works: what a snapshot shows is one version,
//! and no row that it shows is freed. Run under the sanitizers too.
#![cfg(not(loom))]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use version_store::{Keyed, Snapshot, Store, Table};

const KEYS: u64 = 64;

/// `values` are all the same, and are scribbled over when the row is freed.
struct Row {
    key: u64,
    values: Box<[u64; 4]>,
}

impl Row {
    fn new(key: u64, value: u64) -> Self {
        Self {
            key,
            values: Box::new([value; 4]),
        }
    }

    fn value(&self) -> u64 {
        let [first, rest @ ..] = *self.values;
        assert_eq!(rest, [first; 3], "row {} is no row", self.key);
        first
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        *self.values = [1, 2, 3, 4];
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

/// Two tables that have the same rows in every version.
type Payload = Option<Arc<(Table<Row>, Table<Row>)>>;

/// Both tables agree row by row, and no row is of the future.
fn compare(snapshot: &Snapshot<Payload>) {
    let Some(tables) = snapshot.payload() else {
        return;
    };
    let (left, right) = (
        tables.0.view(snapshot.moment()),
        tables.1.view(snapshot.moment()),
    );
    for key in 0..KEYS {
        let values = (
            left.get(key).map(Row::value),
            right.get(key).map(Row::value),
        );
        assert_eq!(values.0, values.1, "key {key} at {}", snapshot.number());
        assert!(values.0.is_none_or(|number| number <= snapshot.number()));
    }
}

#[test]
fn a_snapshot_is_one_version_of_all_tables_while_the_writer_works() {
    let versions: u64 = if cfg!(miri) { 60 } else { 30_000 };
    let (store, mut publisher) = Store::new(None);
    let (left, mut left_writer) = Table::<Row>::new(publisher.writing());
    let (right, mut right_writer) = Table::<Row>::new(publisher.writing());
    let payload = || Some(Arc::new((left.clone(), right.clone())));
    publisher.publish(payload());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for reader in 0..3_u32 {
            let (store, ended) = (&store, &ended);
            scope.spawn(move || {
                let mut held = Vec::new();
                let mut turns = 0_u32;
                while !ended.load(Ordering::Relaxed) {
                    turns += 1;
                    let snapshot = store.snapshot();
                    compare(&snapshot);
                    // Some are kept for a while, of different lengths for each reader.
                    held.push(snapshot);
                    if held.len() > 2 + 7 * reader as usize {
                        compare(&held[0]);
                        held.swap_remove(turns as usize % held.len());
                    }
                }
            });
        }
        let mut random = 88_172_645_463_325_252_u64;
        let mut next = move |limit: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % limit
        };
        for _ in 0..versions {
            let number = publisher.writing().number();
            for _ in 0..=next(4) {
                let key = next(KEYS);
                if next(3) == 0 {
                    left_writer.remove(publisher.writing(), key);
                    right_writer.remove(publisher.writing(), key);
                } else {
                    left_writer.put(publisher.writing(), Row::new(key, number));
                    right_writer.put(publisher.writing(), Row::new(key, number));
                }
            }
            if next(8) == 0 {
                left_writer.roll_back(publisher.writing());
                right_writer.roll_back(publisher.writing());
                continue;
            }
            publisher.publish(payload());
            left_writer.reclaim(publisher.writing(), 16);
            right_writer.reclaim(publisher.writing(), 16);
        }
        ended.store(true, Ordering::Relaxed);
    });
}
