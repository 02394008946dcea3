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

/// Figures of the store on its own.
pub(crate) fn run(rows: u64, runs: usize) -> Vec<Measurement> {
    let mut filled = Filled::new(rows);
    let store = Arc::clone(&filled.store);
    let map: HashMap<i32, Arc<Row>, foldhash::fast::RandomState> = (0..rows)
        .map(|id| i32::try_from(id).unwrap_or(0))
        .map(|id| (id, Arc::new(Row::new(id, 1))))
        .collect();
    let (mut ours, mut theirs, mut takes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        ours.push(gets(&store, rows));
        let mut random = Random(88_172_645_463_325_252);
        theirs.push(per(READS, || {
            for _ in 0..READS {
                black_box(map.get(&random.key(rows)).map(|row| row.field1));
            }
        }));
        takes.push(snapshots(&store));
    }
    drop(map);
    let (mut ours_beside, mut takes_beside) = (Vec::new(), Vec::new());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (filled, ended) = (&mut filled, &ended);
        scope.spawn(move || filled.write(1, || ended.load(Ordering::Relaxed)));
        for _ in 0..runs {
            ours_beside.push(gets(&store, rows));
            takes_beside.push(snapshots(&store));
        }
        ended.store(true, Ordering::Relaxed);
    });
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
    let get = median(&mut ours);
    let take = median(&mut takes);
    let figure = |name: &str, unit, value, baseline, baseline_value| Measurement {
        name: name.into(),
        unit,
        value,
        baseline,
        baseline_value,
        runs,
        note: format!("{rows} rows"),
    };
    vec![
        figure(
            "get",
            "ns",
            get,
            "HashMap<i32, Arc<Row>>, same hash",
            median(&mut theirs),
        ),
        figure(
            "get_beside_writer",
            "ns",
            median(&mut ours_beside),
            "get without a writer",
            get,
        ),
        figure("snapshot", "ns", take, "50 ns", 50.0),
        figure(
            "snapshot_beside_writer",
            "ns",
            median(&mut takes_beside),
            "snapshot without a writer",
            take,
        ),
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
