//! All rows of a large table deleted in one transaction: what that takes in memory, what readers
//! feel of it, and what they see.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use generated::{Mirror, Snapshot};
use lab::Server;
use mirror_runtime::Options;
use mysql::prelude::Queryable;

use bench_contenders::{Error, MemoryMirror};

use crate::held::{LIMIT, plain_user};
use crate::measure::{Random, allocated, quantile};
use crate::report::Measurement;
use crate::workload::{begin_file, files_between};

/// Rows of one INSERT.
const INSERT_ROWS: u64 = 10_000;
/// Reads that are timed together, each through a snapshot of its own.
const BATCH: u32 = 16;
/// Time between two batches.
const PAUSE: Duration = Duration::from_micros(200);
/// Time between two looks at whether it is over.
const LOOK: Duration = Duration::from_millis(1);
/// How long is measured before the transaction.
const BEFORE: Duration = Duration::from_secs(3);

/// Nothing is written.
const IDLE: u8 = 0;
/// The statement runs; nothing of it is in the log.
const EXECUTING: u8 = 1;
/// COMMIT was sent.
const COMMITTING: u8 = 2;
const OVER: u8 = 3;

/// The binlog files of the two parts.
struct Files {
    /// A server goes on to another one at 1 GiB, between two transactions.
    insert: Vec<PathBuf>,
    delete: PathBuf,
}

/// What readers felt and saw.
struct Felt {
    before: Vec<f64>,
    during: Vec<f64>,
    /// From COMMIT sent to visible.
    visible: Duration,
    /// Looks at the number of rows meanwhile; each was all or none.
    looks: u64,
}

/// Fills `sbtest1`, deletes all of it in one transaction while a mirror follows, and then does
/// the same from the recorded files, where allocations are counted.
pub(crate) fn run(server: &Server, rows: u64) -> Result<Vec<Measurement>, Error> {
    let insert = begin_file(server)?;
    fill(server, rows)?;
    let mut options = Options::new(plain_user(server)?.parse()?);
    options.tables = Some(vec!["ads.sbtest1".into()]);
    let mirror = Mirror::connect(options, LIMIT)?;
    let held = mirror.snapshot();
    let before = Contents::of(&held);
    if before.rows != rows {
        return Err(format!("the mirror has {} rows, expected {rows}", before.rows).into());
    }
    let delete = begin_file(server)?;
    let insert = files_between(server, &insert, &delete)?;
    let mut felt = feel(server, &mirror, rows)?;
    if Contents::of(&held) != before {
        return Err("a snapshot that was held changed".into());
    }
    begin_file(server)?;
    drop((held, mirror));
    let memory = peak(&Files { insert, delete }, rows)?;
    Ok(figures(rows, &mut felt, &memory))
}

/// Everything in a snapshot of the table, for comparison.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    rows: u64,
    sum: u64,
}

impl Contents {
    fn of(snapshot: &Snapshot) -> Self {
        let mut contents = Self { rows: 0, sum: 0 };
        for row in snapshot.sbtest1().iter() {
            contents.rows += 1;
            let bytes = row.c.bytes().chain(row.pad.bytes());
            let numbers = [row.id, row.k].map(|number| u64::from(number.unsigned_abs()));
            contents.sum = bytes
                .map(u64::from)
                .chain(numbers)
                .fold(contents.sum, |sum, part| {
                    sum.wrapping_mul(31).wrapping_add(part)
                });
        }
        contents
    }
}

/// Rows as sysbench makes them, with ids from 1.
fn fill(server: &Server, rows: u64) -> Result<(), Error> {
    let mut conn = server.conn()?;
    conn.query_drop(format!(
        "SET SESSION cte_max_recursion_depth = {INSERT_ROWS}"
    ))?;
    // The names of common table expressions want one.
    conn.query_drop("USE ads")?;
    conn.query_drop("DELETE FROM sbtest1")?;
    for before in (0..rows).step_by(usize::try_from(INSERT_ROWS)?) {
        let now = INSERT_ROWS.min(rows - before);
        conn.query_drop(format!(
            "INSERT INTO sbtest1 (id, k, c, pad) \
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {now}) \
             SELECT n + {before}, (n + {before}) * 7919 % {rows}, \
             LEFT(REPEAT(CONCAT(SHA2(n + {before}, 224), '-'), 3), 119), \
             LEFT(REPEAT(CONCAT(SHA2(-n, 224), '-'), 2), 59) FROM n"
        ))?;
    }
    Ok(())
}

/// Deletes all rows while a thread reads.
fn feel(server: &Server, mirror: &Mirror, rows: u64) -> Result<Felt, Error> {
    let phase = AtomicU8::new(IDLE);
    let is_gone = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader =
            scope.spawn(|| read(mirror, rows, &phase, &is_gone).map_err(|error| error.to_string()));
        let deleted = delete(server, &phase, &is_gone, || reader.is_finished());
        phase.store(OVER, Ordering::Release);
        let (before, during, looks) = reader.join().map_err(|_| "the reader died")??;
        Ok(Felt {
            before,
            during,
            visible: deleted?,
            looks,
        })
    })
}

/// Deletes and waits until that is visible; the time from COMMIT to there.
fn delete(
    server: &Server,
    phase: &AtomicU8,
    is_gone: &AtomicBool,
    has_failed: impl Fn() -> bool,
) -> Result<Duration, Error> {
    std::thread::sleep(BEFORE);
    let mut conn = server.conn()?;
    phase.store(EXECUTING, Ordering::Release);
    conn.query_drop("BEGIN")?;
    conn.query_drop("DELETE FROM ads.sbtest1")?;
    phase.store(COMMITTING, Ordering::Release);
    let sent = Instant::now();
    conn.query_drop("COMMIT")?;
    while !is_gone.load(Ordering::Acquire) {
        if has_failed() || sent.elapsed() > LIMIT {
            return Err("the rows that were deleted are still visible".into());
        }
        std::thread::sleep(LOOK);
    }
    Ok(sent.elapsed())
}

/// Reads at random keys until it is over: nanoseconds of each before the transaction and during
/// it, and how often the number of rows was looked at.
fn read(
    mirror: &Mirror,
    rows: u64,
    phase: &AtomicU8,
    is_gone: &AtomicBool,
) -> Result<(Vec<f64>, Vec<f64>, u64), Error> {
    let (mut before, mut during, mut looks) = (Vec::new(), Vec::new(), 0);
    let mut random = Random::new(7);
    loop {
        let started_in = phase.load(Ordering::Acquire);
        let (started, mut found) = (Instant::now(), 0);
        for _ in 0..BATCH {
            let id = i32::try_from(random.up_to(rows)).unwrap_or(1);
            found += u32::from(mirror.snapshot().sbtest1().get(id).is_some());
        }
        let each = started.elapsed().as_nanos() as f64 / f64::from(BATCH);
        match (started_in, found) {
            (OVER, _) => return Ok((before, during, looks)),
            (IDLE, BATCH) => before.push(each),
            (EXECUTING, BATCH) => {}
            (IDLE, _) => return Err("a row is missing before the transaction".into()),
            // COMMIT may have been sent within the batch.
            (EXECUTING, _) if phase.load(Ordering::Acquire) < COMMITTING => {
                return Err("a row is missing before COMMIT".into());
            }
            _ if is_gone.load(Ordering::Relaxed) => {}
            _ => during.push(each),
        }
        let held = mirror.snapshot().sbtest1().len() as u64;
        looks += 1;
        let may_be_gone = phase.load(Ordering::Acquire) >= COMMITTING;
        match held {
            0 if may_be_gone => is_gone.store(true, Ordering::Release),
            _ if held == rows && !is_gone.load(Ordering::Relaxed) => {}
            _ => return Err(format!("{held} of {rows} rows were visible").into()),
        }
        std::thread::sleep(PAUSE);
    }
}

/// Bytes of the rows in memory, and how many more there were at most while they were deleted.
struct Memory {
    rows: f64,
    peak: f64,
    left: f64,
}

fn peak(files: &Files, rows: u64) -> Result<Memory, Error> {
    let all: Vec<&Path> = files.insert.iter().map(PathBuf::as_path).collect();
    let all = [all.as_slice(), &[&files.delete]].concat();
    let counted = allocated(&all)?;
    let Some((deleted, inserted)) = counted.split_last() else {
        return Err("a count for each file was expected".into());
    };
    let inserted: f64 = inserted.iter().map(|counted| counted.left).sum();
    let mut tables = MemoryMirror::new();
    for file in &files.insert {
        tables.apply(file)?;
    }
    let held = tables.snapshot().sbtest1().len() as u64;
    tables.apply(&files.delete)?;
    let left = tables.snapshot().sbtest1().len();
    if (held, left) != (rows, 0) {
        return Err(format!("{held} rows were inserted, {left} left").into());
    }
    Ok(Memory {
        rows: inserted,
        peak: deleted.peak,
        left: inserted + deleted.left,
    })
}

fn figures(rows: u64, felt: &mut Felt, memory: &Memory) -> Vec<Measurement> {
    let note = format!(
        "{rows} rows; visible {:.2} s after COMMIT; {} reads before, {} meanwhile; the rows were there or gone at each of {} looks; the snapshot held meanwhile did not change",
        felt.visible.as_secs_f64(),
        felt.before.len() * BATCH as usize,
        felt.during.len() * BATCH as usize,
        felt.looks
    );
    let mut figures = vec![Measurement {
        name: "mass_delete_peak_memory".into(),
        unit: "MB more",
        value: memory.peak / 1e6,
        baseline: "the rows in memory, MB",
        baseline_value: memory.rows / 1e6,
        runs: 1,
        note: format!(
            "{rows} rows, {:.0} bytes each; {:.1} MB are left when they are gone",
            memory.rows / rows as f64,
            memory.left / 1e6
        ),
    }];
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        figures.push(Measurement {
            name: format!("read_{name}_during_mass_delete"),
            unit: "ns",
            value: quantile(&mut felt.during, share),
            baseline: "before the transaction",
            baseline_value: quantile(&mut felt.before, share),
            runs: 1,
            note: note.clone(),
        });
    }
    figures
}
