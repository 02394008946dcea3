//! Reads by several threads, of an idle mirror and beside its writer, against SELECTs of the same
//! rows on the same server.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use generated::Mirror;
use lab::Server;
use mirror_runtime::Options;
use mysql::prelude::Queryable;

use crate::Error;
use crate::held::{LIMIT, plain_user};
use crate::measure::{Random, median, thread_cpu_time};
use crate::plot::{Plot, Series};
use crate::report::{Measurement, human};

/// Rows of one INSERT.
const INSERT_ROWS: u64 = 1000;
/// Rows of a range.
const RANGE: u32 = 100;
/// Reads between two looks at the clock.
const BATCH: u32 = 64;
const QUICK: Duration = Duration::from_millis(250);
const LONG: Duration = Duration::from_secs(1);

/// How fast so many threads read.
#[derive(Debug, Clone, Copy)]
struct Speed {
    threads: usize,
    /// Of all threads together, by the clock.
    reads_per_second: f64,
    /// By the CPU time of the threads.
    reads_per_cpu_second: f64,
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Key,
    Unique,
    Range,
}

const KINDS: [(Kind, &str); 3] = [
    (Kind::Key, "primary_key"),
    (Kind::Unique, "unique_index"),
    (Kind::Range, "range_of_100"),
];

/// Fills `user` and reads it, with one thread up to one for each core.
pub(crate) fn run(
    server: &Server,
    rows: u64,
    runs: usize,
    quick: bool,
) -> Result<(Vec<Measurement>, Vec<Plot>), Error> {
    fill(server, rows)?;
    let mut options = Options::new(plain_user(server)?.parse()?);
    options.tables = Some(vec!["ads.user".into()]);
    let mirror = Mirror::connect(options, LIMIT)?;
    let place = Place {
        mirror: &mirror,
        server,
        emails: (1..=rows).map(email).collect(),
        runs,
        time: if quick { QUICK } else { LONG },
    };
    let threads = thread_counts();
    let sql = threads
        .iter()
        .map(|&threads| place.sql(threads))
        .collect::<Result<Vec<_>, _>>()?;
    let (mut measurements, mut series) = (Vec::new(), Vec::new());
    for beside_writer in [false, true] {
        for (kind, name) in KINDS {
            let (speeds, writes) = place.reads(kind, &threads, beside_writer)?;
            let more = if beside_writer {
                " beside a writer"
            } else {
                ""
            };
            series.push(line(&format!("{name}{more}"), &speeds));
            let figures = speeds.iter().zip(&sql);
            measurements.extend(figures.map(|(ours, sql)| figure(name, *ours, *sql, writes, runs)));
        }
    }
    let plot = Plot {
        name: "readers",
        title: "Reads by number of threads".into(),
        x: "threads".into(),
        y: "million reads a second, by the clock".into(),
        series,
    };
    Ok((measurements, vec![plot]))
}

fn line(name: &str, speeds: &[Speed]) -> Series {
    let point = |speed: &Speed| (speed.threads as f64, speed.reads_per_second / 1e6);
    Series {
        name: name.to_owned(),
        points: speeds.iter().map(point).collect(),
    }
}

fn figure(name: &str, ours: Speed, sql: Speed, writes: Option<f64>, runs: usize) -> Measurement {
    let (beside, writer) = match writes {
        Some(writes) => (
            "_beside_writer",
            format!("; {} transactions a second", human(writes)),
        ),
        None => ("", String::new()),
    };
    Measurement {
        name: format!("read_{name}_by_{}{beside}", ours.threads),
        unit: "reads/CPU-s",
        value: ours.reads_per_cpu_second,
        baseline: "SELECT by primary key, reads/s of a client",
        baseline_value: sql.reads_per_second / sql.threads as f64,
        runs,
        note: format!(
            "{} reads/s by the clock, SQL {} with as many clients{writer}",
            human(ours.reads_per_second),
            human(sql.reads_per_second)
        ),
    }
}

/// 1, 2, 4 and so on, and the number of cores.
fn thread_counts() -> Vec<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let powers = std::iter::successors(Some(1), |count| Some(count * 2));
    powers
        .take_while(|&count| count < cores)
        .chain([cores])
        .collect()
}

fn email(id: u64) -> String {
    format!("user{id}@example.com")
}

fn fill(server: &Server, rows: u64) -> Result<(), Error> {
    let mut conn = server.conn()?;
    conn.query_drop("DELETE FROM ads.user")?;
    for first in (1..=rows).step_by(usize::try_from(INSERT_ROWS)?) {
        let last = (first + INSERT_ROWS - 1).min(rows);
        let values: Vec<String> = (first..=last)
            .map(|id| format!("({id}, 'User {id}', '{}')", email(id)))
            .collect();
        conn.query_drop(format!(
            "INSERT INTO ads.user (id, name, email) VALUES {}",
            values.join(",")
        ))?;
    }
    Ok(())
}

/// Where is read, and for how long.
struct Place<'m> {
    mirror: &'m Mirror,
    server: &'m Server,
    emails: Vec<String>,
    runs: usize,
    time: Duration,
}

impl Place<'_> {
    fn rows(&self) -> u64 {
        self.emails.len() as u64
    }

    /// Reads of one kind, by each number of threads; and the transactions a second of the writer
    /// that ran all the while, if one is wanted.
    fn reads(
        &self,
        kind: Kind,
        threads: &[usize],
        beside_writer: bool,
    ) -> Result<(Vec<Speed>, Option<f64>), Error> {
        let ended = AtomicBool::new(!beside_writer);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| self.write(&ended).map_err(|error| error.to_string()));
            let speeds: Result<Vec<Speed>, Error> = threads
                .iter()
                .map(|&threads| {
                    self.median(threads, || {
                        Ok(move |random: &mut Random| self.read(kind, random))
                    })
                })
                .collect();
            ended.store(true, Ordering::Relaxed);
            let writes = writer.join().map_err(|_| "the writer died")??;
            Ok((speeds?, beside_writer.then_some(writes)))
        })
    }

    /// One read through a snapshot of its own; an error when a row is missing.
    fn read(&self, kind: Kind, random: &mut Random) -> Result<(), Error> {
        let number = random.up_to(self.rows());
        let snapshot = self.mirror.snapshot();
        let users = snapshot.user();
        let id = u32::try_from(number).unwrap_or(1);
        let found = match kind {
            Kind::Key => users.get(id).map(|user| user.karma),
            Kind::Unique => {
                let email = usize::try_from(number - 1)
                    .ok()
                    .and_then(|place| self.emails.get(place));
                email
                    .and_then(|email| users.by_email(email))
                    .map(|user| user.karma)
            }
            Kind::Range => Some(
                users
                    .range(id..id.saturating_add(RANGE))
                    .map(|user| user.karma)
                    .sum(),
            ),
        };
        black_box(found.ok_or("a row is missing")?);
        Ok(())
    }

    /// SELECTs by primary key, each thread with a connection of its own.
    fn sql(&self, threads: usize) -> Result<Speed, Error> {
        const SELECT: &str = "SELECT id, name, email, karma FROM ads.user WHERE id = ?";
        self.median(threads, || {
            let mut conn = self.server.conn()?;
            let select = conn.prep(SELECT)?;
            Ok(move |random: &mut Random| {
                let id = random.up_to(self.rows());
                let user: Option<(u32, String, String, i32)> = conn.exec_first(&select, (id,))?;
                black_box(user.ok_or("a row is missing")?);
                Ok(())
            })
        })
    }

    /// Changes rows, one a transaction, until it is over; transactions a second.
    fn write(&self, ended: &AtomicBool) -> Result<f64, Error> {
        let mut conn = self.server.conn()?;
        let update = conn.prep("UPDATE ads.user SET karma = ? WHERE id = ?")?;
        let mut random = Random::new(5);
        let (started, mut written) = (Instant::now(), 0_u32);
        while !ended.load(Ordering::Relaxed) {
            let id = random.up_to(self.rows());
            conn.exec_drop(&update, (random.up_to(30_000), id))?;
            written += 1;
        }
        Ok(f64::from(written) / started.elapsed().as_secs_f64())
    }

    /// The median of several runs.
    fn median<F: FnMut(&mut Random) -> Result<(), Error>>(
        &self,
        threads: usize,
        reader: impl Fn() -> Result<F, Error> + Sync,
    ) -> Result<Speed, Error> {
        let runs = (0..self.runs)
            .map(|_| measure(threads, self.time, &reader))
            .collect::<Result<Vec<_>, _>>()?;
        let of = |figure: fn(&Speed) -> f64| {
            let mut values: Vec<f64> = runs.iter().map(figure).collect();
            median(&mut values)
        };
        Ok(Speed {
            threads,
            reads_per_second: of(|speed| speed.reads_per_second),
            reads_per_cpu_second: of(|speed| speed.reads_per_cpu_second),
        })
    }
}

/// Lets so many threads read for that long.
fn measure<F: FnMut(&mut Random) -> Result<(), Error>>(
    threads: usize,
    time: Duration,
    reader: &(impl Fn() -> Result<F, Error> + Sync),
) -> Result<Speed, Error> {
    let barrier = Barrier::new(threads);
    let one = |seed: u64| -> Result<(f64, f64, f64), String> {
        let read = reader();
        // Also with an error, so that nobody waits for ever.
        barrier.wait();
        let mut read = read.map_err(|error| error.to_string())?;
        time_of(seed, time, &mut read).map_err(|error| error.to_string())
    };
    let mut sum = (0.0, 0.0);
    std::thread::scope(|scope| -> Result<(), Error> {
        let one = &one;
        let running: Vec<_> = (0..threads as u64)
            .map(|seed| scope.spawn(move || one(seed + 1)))
            .collect();
        for thread in running {
            let (reads, wall, cpu) = thread.join().map_err(|_| "a reader died")??;
            sum.0 += reads / wall;
            sum.1 += reads / cpu;
        }
        Ok(())
    })?;
    Ok(Speed {
        threads,
        reads_per_second: sum.0,
        reads_per_cpu_second: sum.1 / threads as f64,
    })
}

/// Reads, seconds by the clock, and of CPU.
fn time_of(
    seed: u64,
    time: Duration,
    read: &mut impl FnMut(&mut Random) -> Result<(), Error>,
) -> Result<(f64, f64, f64), Error> {
    let mut random = Random::new(seed);
    let (cpu, started, mut reads) = (thread_cpu_time()?, Instant::now(), 0_u64);
    while started.elapsed() < time {
        for _ in 0..BATCH {
            read(&mut random)?;
        }
        reads += u64::from(BATCH);
    }
    Ok((
        reads as f64,
        started.elapsed().as_secs_f64(),
        (thread_cpu_time()? - cpu).as_secs_f64(),
    ))
}
