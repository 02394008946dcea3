//! The versioned store alone: point reads and snapshots, idle and beside a writer at full speed,
//! and writing.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use version_store::{Keyed, Publisher, Store, Table, TableWriter};

use crate::measure::median;
use crate::report::Measurement;

/// Point reads of one run.
const READS: u64 = 2_000_000;
/// Snapshots taken and dropped in one run.
const SNAPSHOTS: u64 = 2_000_000;
/// Time to write in, of one run.
const WRITE_TIME: Duration = Duration::from_millis(500);

/// A row like those of `short_table`.
#[derive(Clone, Copy)]
struct Row {
    id: i32,
    field1: i32,
    _field2: i32,
}

impl Row {
    fn new(id: i32, field1: i32) -> Self {
        Self {
            id,
            field1,
            _field2: 2,
        }
    }
}

impl Keyed for Row {
    type KeyRef<'a> = i32;
    fn key_ref(&self) -> i32 {
        self.id
    }
    fn is_same_key(one: i32, other: i32) -> bool {
        one == other
    }
}

type Payload = Option<Table<Row>>;

struct Random(u64);

impl Random {
    fn key(&mut self, rows: u64) -> i32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i32::try_from(self.0 % rows).unwrap_or(0)
    }
}

/// Nanoseconds each.
fn per(count: u64, work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_nanos() as f64 / count as f64
}

struct Filled {
    store: Arc<Store<Payload>>,
    publisher: Publisher<Payload>,
    table: Table<Row>,
    writer: TableWriter<Row>,
    rows: u64,
}

impl Filled {
    fn new(rows: u64) -> Self {
        let (store, mut publisher) = Store::new(None);
        let (table, mut writer) = Table::new(publisher.writing());
        for id in 0..rows {
            let id = i32::try_from(id).unwrap_or(0);
            writer.put(publisher.writing(), Row::new(id, 1));
        }
        publisher.publish(Some(table.clone()));
        Self {
            store,
            publisher,
            table,
            writer,
            rows,
        }
    }

    /// Transactions of so many updates each, until it is over; rows a second.
    fn write(&mut self, size: u64, is_over: impl Fn() -> bool) -> f64 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (started, mut written) = (Instant::now(), 0_u64);
        while !is_over() {
            for _ in 0..size {
                let row = Row::new(random.key(self.rows), 3);
                self.writer.put(self.publisher.writing(), row);
            }
            self.publisher.publish(Some(self.table.clone()));
            self.writer.reclaim(self.publisher.writing(), 2_000);
            written += size;
        }
        written as f64 / started.elapsed().as_secs_f64()
    }
}

fn gets(store: &Store<Payload>, rows: u64) -> f64 {
    let snapshot = store.snapshot();
    let Some(table) = snapshot.payload() else {
        return f64::NAN;
    };
    let view = table.view(snapshot.moment());
    let mut random = Random(88_172_645_463_325_252);
    per(READS, || {
        for _ in 0..READS {
            black_box(view.get(random.key(rows)).map(|row| row.field1));
        }
    })
}

fn snapshots(store: &Store<Payload>) -> f64 {
    per(SNAPSHOTS, || {
        for _ in 0..SNAPSHOTS {
            black_box(store.snapshot().number());
        }
    })
}

/// What the store's reads are compared with, which no writer touches.
struct Plain {
    map: HashMap<i32, Arc<Row>, foldhash::fast::RandomState>,
    counted: Arc<u64>,
    rows: u64,
}

impl Plain {
    fn new(rows: u64) -> Self {
        let ids = (0..rows).map(|id| i32::try_from(id).unwrap_or(0));
        Self {
            map: ids.map(|id| (id, Arc::new(Row::new(id, 1)))).collect(),
            counted: Arc::new(1),
            rows,
        }
    }

    fn gets(&self) -> f64 {
        let mut random = Random(88_172_645_463_325_252);
        per(READS, || {
            for _ in 0..READS {
                black_box(self.map.get(&random.key(self.rows)).map(|row| row.field1));
            }
        })
    }

    fn counts(&self) -> f64 {
        per(SNAPSHOTS, || {
            for _ in 0..SNAPSHOTS {
                black_box(*black_box(Arc::clone(&self.counted)));
            }
        })
    }
}

/// Nanoseconds of each kind of read, run by run.
#[derive(Default)]
struct Reads {
    get: Vec<f64>,
    map_get: Vec<f64>,
    snapshot: Vec<f64>,
    count: Vec<f64>,
}

impl Reads {
    fn measure(store: &Store<Payload>, plain: &Plain, runs: usize) -> Self {
        let mut reads = Self::default();
        for _ in 0..runs {
            reads.get.push(gets(store, plain.rows));
            reads.map_get.push(plain.gets());
            reads.snapshot.push(snapshots(store));
            reads.count.push(plain.counts());
        }
        reads
    }

    /// Medians, in this order: get, `map_get`, snapshot, count.
    fn medians(mut self) -> [f64; 4] {
        [
            median(&mut self.get),
            median(&mut self.map_get),
            median(&mut self.snapshot),
            median(&mut self.count),
        ]
    }
}

/// Figures of the store on its own.
pub(crate) fn run(rows: u64, runs: usize) -> Vec<Measurement> {
    let mut filled = Filled::new(rows);
    let store = Arc::clone(&filled.store);
    let plain = Plain::new(rows);
    let idle = Reads::measure(&store, &plain, runs).medians();
    let ended = AtomicBool::new(false);
    let beside = std::thread::scope(|scope| {
        let (filled, ended) = (&mut filled, &ended);
        scope.spawn(move || filled.write(1, || ended.load(Ordering::Relaxed)));
        let beside = Reads::measure(&store, &plain, runs).medians();
        ended.store(true, Ordering::Relaxed);
        beside
    });
    drop(plain);
    let mut write = |size| {
        let mut speeds: Vec<f64> = (0..runs)
            .map(|_| {
                let until = Instant::now() + WRITE_TIME;
                filled.write(size, || Instant::now() >= until)
            })
            .collect();
        median(&mut speeds)
    };
    let (single, thousand) = (write(1), write(1000));
    let figure = |name: &str, unit, value, baseline, baseline_value| Measurement {
        name: name.into(),
        unit,
        value,
        baseline,
        baseline_value,
        runs,
        note: format!("{rows} rows"),
    };
    let [get, map_get, snapshot, count] = idle;
    let [get_beside, map_get_beside, snapshot_beside, count_beside] = beside;
    let map = "HashMap<i32, Arc<Row>>, same hash";
    let idle = "the same without a writer";
    vec![
        figure("get", "ns", get, map, map_get),
        figure("get_beside_writer", "ns", get_beside, idle, get),
        figure(
            "get_beside_writer_vs_map",
            "ns",
            get_beside,
            "that map beside the writer, which does not touch it",
            map_get_beside,
        ),
        figure("map_get_beside_writer", "ns", map_get_beside, idle, map_get),
        figure("snapshot", "ns", snapshot, "50 ns", 50.0),
        figure(
            "snapshot_beside_writer",
            "ns",
            snapshot_beside,
            idle,
            snapshot,
        ),
        figure("count_beside_writer", "ns", count_beside, idle, count),
        figure(
            "put_1_row_transactions",
            "rows/s",
            single,
            "0.5 M rows/s",
            500_000.0,
        ),
        figure(
            "put_1000_row_transactions",
            "rows/s",
            thousand,
            "1 M rows/s",
            1_000_000.0,
        ),
    ]
}
