//! Random transactions on a table with indexes and on plain maps, one for each version: every
//! snapshot must read as its map by each way to read.

use std::collections::BTreeMap;
use std::ops::Bound;

use version_store::{Publisher, Snapshot, Store};

use super::table_core::TableCore;
use super::{Index, IndexOf, Indexes, Keyed, Step, Table, TableAt};
use crate::error::ValueError;
use crate::image::RowImage;
use crate::layout::TableLayout;
use crate::row::{Row, SelectValue};
use crate::value::Value;

/// A row with a unique name, which other versions may have in other rows, and a class.
#[derive(Debug, Clone, PartialEq)]
struct Item {
    id: u32,
    name: Box<str>,
    class: u8,
}

static LAYOUT: TableLayout = TableLayout {
    database: "d",
    table: "item",
    columns: &[],
    key: &[],
    physical_columns: 0,
    old_fractions: &[],
    foreign_keys: &[],
    ignored_foreign_keys: &[],
};

impl Keyed for Item {
    type KeyRef<'a> = u32;
    fn key_ref(&self) -> u32 {
        self.id
    }
    fn is_same_key(one: u32, other: u32) -> bool {
        one == other
    }
}

#[derive(Clone, Default)]
struct ItemIndexes {
    by_name: Index<ByName, Item>,
    by_class: Index<ByClass, Item>,
}

struct ByName;
struct ByClass;

impl IndexOf<Item> for ByName {
    type Key = Box<str>;
    fn of(row: &Item) -> Box<str> {
        row.name.clone()
    }
    fn is_of(row: &Item, key: &Box<str>) -> bool {
        row.name == *key
    }
    fn is_same(one: &Item, other: &Item) -> bool {
        one.name == other.name
    }
    fn index(indexes: &ItemIndexes) -> &Index<Self, Item> {
        &indexes.by_name
    }
}

impl IndexOf<Item> for ByClass {
    type Key = u8;
    fn of(row: &Item) -> u8 {
        row.class
    }
    fn is_of(row: &Item, key: &u8) -> bool {
        row.class == *key
    }
    fn is_same(one: &Item, other: &Item) -> bool {
        one.class == other.class
    }
    fn index(indexes: &ItemIndexes) -> &Index<Self, Item> {
        &indexes.by_class
    }
}

impl Indexes<Item> for ItemIndexes {
    const COUNT: usize = 2;
    fn differ(one: &Item, other: &Item) -> bool {
        !(ByName::is_same(one, other) && ByClass::is_same(one, other))
    }
    fn follow(&mut self, row: &Item, beside: Option<&Item>, step: Step) {
        self.by_name.follow(row, beside, step);
        self.by_class.follow(row, beside, step);
    }
    fn bytes(&self) -> usize {
        self.by_name.bytes() + self.by_class.bytes()
    }
}

impl Row for Item {
    type Key = u32;
    type Indexes = ItemIndexes;
    fn layout() -> &'static TableLayout {
        &LAYOUT
    }
    fn key(&self) -> u32 {
        self.id
    }
    fn borrowed(key: &u32) -> u32 {
        *key
    }
    fn heap_bytes(&self) -> usize {
        self.name.len()
    }
    fn decode(_: &RowImage<'_>) -> Result<Self, ValueError> {
        unreachable!()
    }
    fn merge(&mut self, _: &RowImage<'_>) -> Result<(), ValueError> {
        unreachable!()
    }
    fn matches(&self, _: &RowImage<'_>) -> Result<bool, ValueError> {
        unreachable!()
    }
    fn decode_key(_: &RowImage<'_>) -> Result<u32, ValueError> {
        unreachable!()
    }
    fn from_select(_: &mut dyn Iterator<Item = SelectValue>) -> Result<Self, ValueError> {
        unreachable!()
    }
    fn store(&self, _: &mut Vec<u8>) {
        unreachable!()
    }
    fn restore(_: &mut crate::stored::StoredBytes<'_>) -> Result<Self, ValueError> {
        unreachable!()
    }
    fn value(&self, _: usize) -> Value<'_> {
        unreachable!()
    }
    fn image_value(_: &RowImage<'_>, _: usize) -> Result<Value<'static>, ValueError> {
        unreachable!()
    }
}

type Map = BTreeMap<u32, Item>;
type Published = Option<Table<Item>>;

const IDS: u32 = 200;
const NAMES: u32 = 60;
const CLASSES: u8 = 5;

/// The same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(limit)) as u32
    }

    fn item(&mut self) -> Item {
        Item {
            id: self.below(IDS),
            name: format!("n{}", self.below(NAMES)).into(),
            class: self.below(u32::from(CLASSES)) as u8,
        }
    }
}

fn check(snapshot: &Snapshot<Published>, expected: &Map, random: &mut Random) {
    let Some(table) = snapshot.payload() else {
        return assert!(expected.is_empty());
    };
    let table: TableAt<'_, Item> = table.at(snapshot.moment(), expected.len());
    assert!(table.iter().eq(expected.values()), "all rows in order");
    assert_eq!(table.unordered().count(), expected.len());
    let from = random.below(IDS);
    let to = from + random.below(50);
    assert!(
        table
            .range(from..to)
            .eq(expected.range(from..to).map(|(_, item)| item))
    );
    for id in from..to {
        assert_eq!(table.get(id), expected.get(&id));
    }
    let name = format!("n{}", random.below(NAMES));
    let named = || expected.values().filter(|item| *item.name == *name);
    assert!(table.all::<ByName, str>(&name).eq(named()), "{name}");
    assert_eq!(table.first::<ByName, str>(&name), named().next());
    for class in 0..CLASSES {
        let of_class = expected.values().filter(|item| item.class == class);
        assert!(
            table.all::<ByClass, u8>(&class).eq(of_class),
            "class {class}"
        );
    }
    let mut ordered: Vec<&Item> = expected.values().filter(|item| item.class >= 2).collect();
    ordered.sort_by_key(|item| (item.class, item.id));
    let bounds = (Bound::Excluded(1), Bound::Unbounded);
    assert!(table.index_range::<ByClass>(bounds).eq(ordered));
}

fn publish(publisher: &mut Publisher<Published>, core: &mut TableCore<Item>) {
    core.show_order();
    publisher.publish(Some(core.table().clone()));
}

fn run(seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (store, mut publisher) = Store::new(None);
    let mut core = TableCore::<Item>::new(publisher.writing());
    let (mut working, mut boundary, mut published) = (Map::new(), Map::new(), Map::new());
    let mut held: Vec<(Snapshot<Published>, Map)> = Vec::new();
    for step in 0..4_000 {
        match random.below(100) {
            0..=49 => {
                let item = random.item();
                core.rows.put(publisher.writing(), item.clone());
                working.insert(item.id, item);
            }
            50..=69 => {
                let id = random.below(IDS);
                let gone = core.rows.remove(publisher.writing(), id);
                assert_eq!(gone.as_deref(), working.remove(&id).as_ref());
            }
            70..=73 => {
                core.rows.roll_back(publisher.writing());
                working.clone_from(&boundary);
            }
            74..=86 => {
                publish(&mut publisher, &mut core);
                boundary.clone_from(&working);
                published.clone_from(&working);
            }
            87..=89 => {
                publisher.pass();
                boundary.clone_from(&working);
            }
            90..=93 if held.len() < 12 => held.push((store.snapshot(), published.clone())),
            94..=96 if !held.is_empty() => {
                let place = random.below(held.len() as u32) as usize;
                held.swap_remove(place);
            }
            _ => {
                core.rows.reclaim(publisher.writing(), 20);
                // The order may be shown at any time: it has more than is asked for, never less.
                if step % 2 == 0 {
                    core.show_order();
                }
            }
        }
        if step % 20 == 0 {
            check(&store.snapshot(), &published, &mut random);
            for (snapshot, expected) in &held {
                check(snapshot, expected, &mut random);
            }
        }
    }
    held.clear();
    for _ in 0..3 {
        publish(&mut publisher, &mut core);
        while core.rows.reclaim(publisher.writing(), 1000) {}
    }
    check(&store.snapshot(), &working, &mut random);
    let ordered = core.rows.follow().ordered();
    assert_eq!(ordered.keys.len(), working.len(), "seed {seed}");
    assert_eq!(ordered.indexes.by_name.len(), working.len(), "seed {seed}");
    assert_eq!(ordered.indexes.by_class.len(), working.len(), "seed {seed}");
    let bytes: usize = working.values().map(Item::heap_bytes).sum();
    assert_eq!(core.rows.follow().heap_bytes, bytes, "seed {seed}");
}

#[test]
fn every_snapshot_reads_as_its_version_by_keys_ranges_and_indexes() {
    for seed in 1..=4 {
        run(seed);
    }
}
