//! Random operations on the store and on plain maps, one for each version: every snapshot must
//! show its map, and no row is leaked or freed too early.
#![cfg(not(loom))]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use version_store::{Follow, Keyed, RowRef, Snapshot, Store, Table};

/// A row that counts those that live, and knows whether it does.
struct Row {
    key: u64,
    value: u64,
    alive: u64,
    living: Arc<AtomicUsize>,
}

const ALIVE: u64 = 0x600d_600d_600d_600d;

impl Row {
    fn new(key: u64, value: u64, living: &Arc<AtomicUsize>) -> Self {
        living.fetch_add(1, Ordering::SeqCst);
        Self {
            key,
            value,
            alive: ALIVE,
            living: Arc::clone(living),
        }
    }

    fn value(&self) -> u64 {
        assert_eq!(self.alive, ALIVE, "row {} was freed", self.key);
        self.value
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        assert_eq!(self.alive, ALIVE, "row {} was freed twice", self.key);
        self.alive = 0xdead_dead_dead_dead;
        self.living.fetch_sub(1, Ordering::SeqCst);
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

/// Xorshift: the same in each run with the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

type Map = BTreeMap<u64, u64>;

/// How often each pair of a row's value class and its key is in the table, as an index counts it.
#[derive(Default)]
struct Classes(BTreeMap<(u64, u64), i64>);

impl Classes {
    fn class(value: u64) -> u64 {
        value % 3
    }

    fn count(&mut self, row: &Row, beside: Option<&Row>, by: i64) {
        let class = Self::class(row.value());
        if beside.is_none_or(|beside| Self::class(beside.value()) != class) {
            let count = self.0.entry((class, row.key)).or_default();
            *count += by;
            assert!(*count >= 0, "went more often than it came");
            if *count == 0 {
                self.0.remove(&(class, row.key));
            }
        }
    }

    fn have_all(&self, map: &Map) -> bool {
        let has = |(key, value): (&u64, &u64)| self.0.contains_key(&(Self::class(*value), *key));
        map.iter().all(has)
    }
}

impl Follow<Row> for Classes {
    fn came(&mut self, row: &Row, beside: Option<&Row>) {
        self.count(row, beside, 1);
    }

    fn went(&mut self, row: &Row, beside: Option<&Row>) {
        self.count(row, beside, -1);
    }
}

fn check(snapshot: &Snapshot<Option<Table<Row>>>, expected: &Map, keys: u64) {
    let Some(table) = snapshot.payload() else {
        assert!(expected.is_empty());
        return;
    };
    let view = table.view(snapshot.moment());
    let all: Map = view.iter().map(|row| (row.key, row.value())).collect();
    assert_eq!(&all, expected, "all rows at {}", snapshot.number());
    for key in 0..keys {
        let found = view.get(key).map(Row::value);
        assert_eq!(
            found,
            expected.get(&key).copied(),
            "key {key} at {}",
            snapshot.number()
        );
    }
}

fn run(seed: u64, steps: u64, keys: u64) {
    let living = Arc::new(AtomicUsize::new(0));
    let mut random = Random(seed | 1);
    let (store, mut publisher) = Store::new(None);
    let (table, mut writer) = Table::<Row>::followed(publisher.writing(), Classes::default());
    // What the transaction has, what the last boundary had, and what is published.
    let (mut working, mut boundary, mut published) = (Map::new(), Map::new(), Map::new());
    // The last version that was passed and not published.
    let mut passed: Option<(u64, Map)> = None;
    let mut held: Vec<(Snapshot<_>, Map)> = Vec::new();
    let mut kept: Vec<(RowRef<Row>, u64)> = Vec::new();
    for step in 0..steps {
        let key = random.below(keys);
        match random.below(100) {
            0..=1 => {
                // Found by its key, and replaced by a row with that key or, in vain, another.
                let held = writer.hold(publisher.writing(), key);
                assert_eq!(
                    held.as_ref().map(|held| held.row().value()),
                    working.get(&key).copied()
                );
                let other = key + random.below(2);
                let placed = held.map(|held| held.replace(Row::new(other, step, &living)));
                match placed {
                    Some(Some(placed)) => {
                        assert_eq!(other, key);
                        assert_eq!(placed.before().map(Row::value), working.insert(key, step));
                    }
                    Some(None) => assert_ne!(other, key),
                    None => assert!(!working.contains_key(&key)),
                }
            }
            2..=4 => {
                let placed = writer.put_new(publisher.writing(), Row::new(key, step, &living));
                assert_eq!(placed.is_none(), working.contains_key(&key));
                working.entry(key).or_insert(step);
            }
            5..=39 => {
                let row = Row::new(key, step, &living);
                let placed = writer.put(publisher.writing(), row);
                assert_eq!(placed.before().map(Row::value), working.insert(key, step));
                if random.below(20) == 0 {
                    kept.push((placed.row(), step));
                }
            }
            40..=64 => {
                let before = writer.remove(publisher.writing(), key);
                assert_eq!(before.map(|row| row.value()), working.remove(&key));
            }
            65..=69 => {
                writer.roll_back(publisher.writing());
                working.clone_from(&boundary);
            }
            70..=84 => {
                publisher.publish(Some(table.clone()));
                passed = None;
                boundary.clone_from(&working);
                published.clone_from(&working);
            }
            85..=87 => {
                passed = Some((publisher.writing().number(), working.clone()));
                publisher.pass();
                boundary.clone_from(&working);
            }
            88..=92 => held.push((store.snapshot(), published.clone())),
            93..=95 if !held.is_empty() => {
                let place = random.below(held.len() as u64) as usize;
                held.swap_remove(place);
            }
            96 if !kept.is_empty() => {
                kept.swap_remove(0);
            }
            _ => {
                let most = random.below(40) as usize;
                publisher.oldest();
                writer.reclaim(publisher.writing(), most);
            }
        }
        assert_eq!(writer.len(), working.len());
        assert_eq!(writer.get(key).map(Row::value), working.get(&key).copied());
        if step % 32 == 0 {
            check(&store.snapshot(), &published, keys);
            let maps = held.iter().map(|(_, map)| map);
            let mut maps = maps.chain([&working, &boundary, &published]);
            assert!(maps.all(|map| writer.follow().have_all(map)));
            if let Some((number, expected)) = &passed {
                let rows = writer.rows_at(publisher.writing(), *number);
                let rows: Map = rows.map(|row| (row.key, row.value())).collect();
                assert_eq!(rows, *expected);
            }
            for (snapshot, expected) in &held {
                check(snapshot, expected, keys);
            }
        }
        for (row, value) in &kept {
            assert_eq!(row.value(), *value);
        }
    }
    // With nobody looking, two versions later only the rows are left.
    held.clear();
    kept.clear();
    for _ in 0..3 {
        publisher.publish(Some(table.clone()));
        while writer.reclaim(publisher.writing(), 1000) {}
    }
    assert_eq!(
        living.load(Ordering::SeqCst),
        working.len(),
        "seed {seed}: rows that live"
    );
    assert_eq!(writer.memory().versions, working.len(), "seed {seed}");
    assert!(writer.follow().have_all(&working));
    assert_eq!(writer.follow().0.len(), working.len(), "seed {seed}");
    if seed.is_multiple_of(2) {
        // The writer goes first, in the middle of a transaction.
        writer.put(publisher.writing(), Row::new(0, 1, &living));
        writer.remove(publisher.writing(), 1);
    }
    drop(writer);
    check(&store.snapshot(), &working, keys);
    drop((store, publisher, table));
    assert_eq!(living.load(Ordering::SeqCst), 0, "seed {seed}: leaked");
}

#[test]
fn every_snapshot_shows_its_version_and_nothing_is_leaked() {
    let rounds = std::env::var("MODEL_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(if cfg!(miri) { 3 } else { 12 });
    let steps = if cfg!(miri) { 300 } else { 3_000 };
    for seed in 0..rounds {
        run(seed, steps, [7, 30, 200][seed as usize % 3]);
    }
}

#[test]
fn a_row_of_three_integers_takes_40_bytes_and_its_slot() {
    struct Short {
        id: i32,
        _fields: [i32; 2],
    }
    impl Keyed for Short {
        type KeyRef<'a> = i32;
        fn key_ref(&self) -> i32 {
            self.id
        }
        fn is_same_key(one: i32, other: i32) -> bool {
            one == other
        }
    }
    let (_store, publisher) = Store::new(());
    let (_table, mut writer) = Table::<Short>::new(publisher.writing());
    for id in 0..1000 {
        writer.put(
            publisher.writing(),
            Short {
                id,
                _fields: [0; 2],
            },
        );
    }
    let memory = writer.memory();
    assert_eq!((memory.rows, memory.versions), (1000, 1000));
    assert_eq!(memory.version_bytes, 40_000);
    assert!(memory.slot_bytes >= 8 * 1334, "{memory:?}");
}

#[test]
fn slots_are_given_back_after_a_mass_delete() {
    let rows: u64 = if cfg!(miri) { 500 } else { 5_000 };
    let living = Arc::new(AtomicUsize::new(0));
    let (store, mut publisher) = Store::new(None);
    let (table, mut writer) = Table::<Row>::new(publisher.writing());
    for key in 0..rows {
        writer.put(publisher.writing(), Row::new(key, key, &living));
    }
    publisher.publish(Some(table.clone()));
    let full = writer.memory();
    let snapshot = store.snapshot();
    for key in 0..rows - 10 {
        writer.remove(publisher.writing(), key);
    }
    publisher.publish(Some(table.clone()));
    while writer.reclaim(publisher.writing(), 100) {}
    // Held by the snapshot, all of them.
    assert_eq!(writer.memory().versions as u64, rows);
    let view = snapshot.payload().as_ref().unwrap().view(snapshot.moment());
    assert!((0..rows).all(|key| view.get(key).is_some()));
    drop(snapshot);
    for _ in 0..3 {
        publisher.publish(Some(table.clone()));
        while writer.reclaim(publisher.writing(), 100) {}
    }
    assert_eq!(living.load(Ordering::SeqCst), 10);
    let left = writer.memory();
    assert!(
        left.slot_bytes * 20 < full.slot_bytes,
        "{left:?} of {full:?}"
    );
}

#[test]
#[should_panic(expected = "a snapshot of another store")]
fn a_snapshot_of_another_store_is_refused() {
    let (_, publisher) = Store::new(());
    let (table, _writer) = Table::<Row>::new(publisher.writing());
    let (other, _) = Store::new(());
    let snapshot = other.snapshot();
    let _ = table.view(snapshot.moment());
}

#[test]
fn a_held_snapshot_keeps_chains_short() {
    let living = Arc::new(AtomicUsize::new(0));
    let (store, mut publisher) = Store::new(None);
    let (table, mut writer) = Table::<Row>::followed(publisher.writing(), Classes::default());
    writer.put(publisher.writing(), Row::new(1, 0, &living));
    publisher.publish(Some(table.clone()));
    let held = store.snapshot();
    for value in 1..=1000 {
        writer.put(publisher.writing(), Row::new(1, value, &living));
        publisher.publish(Some(table.clone()));
        while writer.reclaim(publisher.writing(), 10) {}
    }
    assert_eq!(writer.chain(1), 2);
    let view = held.payload().as_ref().unwrap().view(held.moment());
    assert_eq!(view.get(1).map(Row::value), Some(0));
    drop(held);
    for _ in 0..2 {
        publisher.publish(Some(table.clone()));
        while writer.reclaim(publisher.writing(), 1000) {}
    }
    assert_eq!((writer.chain(1), living.load(Ordering::SeqCst)), (1, 1));
}
