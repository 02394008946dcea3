//! Point reads while a table is loaded again, against point reads before.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use generated::Mirror;
use lab::Server;
use mirror_runtime::{Options, State, VerifyOptions};
use mysql::prelude::Queryable;

use crate::Error;
use crate::measure::{Random, quantile};
use crate::report::Measurement;

/// Reads that are timed together, each through a snapshot of its own.
const BATCH: i64 = 16;
/// Time between two batches.
const PAUSE: Duration = Duration::from_micros(200);
/// How long is measured before a load.
const BEFORE: Duration = Duration::from_secs(3);
/// Time between two changes of the other table.
const WRITE_PAUSE: Duration = Duration::from_millis(1);
const LIMIT: Duration = Duration::from_secs(600);

/// Loads `short_table` again while a client changes rows of both tables, and compares all rows
/// with the server's afterwards.
pub(crate) fn run(server: &Server, rows: u64, runs: usize) -> Result<Vec<Measurement>, Error> {
    let mut options = Options::new(server.url().parse()?);
    options.tables = Some(vec!["ads.short_table".into(), "ads.long_table".into()]);
    let mirror = Mirror::connect(options, LIMIT)?;
    let ended = AtomicBool::new(false);
    let (mut before, mut during) = (Vec::new(), Vec::new());
    let mut times = Vec::new();
    std::thread::scope(|scope| -> Result<(), Error> {
        let writer = scope.spawn(|| write(server, rows, &ended).map_err(|error| error.to_string()));
        let measured = (0..runs.min(3)).try_for_each(|_| -> Result<(), Error> {
            let until = Instant::now() + BEFORE;
            read(&mirror, rows, &mut before, || Instant::now() < until);
            let reloads = mirror.status().reloads;
            let started = Instant::now();
            mirror.reload(&["ads.short_table"])?;
            read(&mirror, rows, &mut during, || {
                let status = mirror.status();
                let is_over = status.reloads > reloads && status.state == State::Live;
                !is_over && started.elapsed() < LIMIT
            });
            times.push(mirror.status().load_time.unwrap_or_default().as_secs_f64());
            Ok(())
        });
        ended.store(true, Ordering::Relaxed);
        writer.join().map_err(|_| "the writer died")??;
        measured
    })?;
    let report = mirror.verify(&VerifyOptions::default())?;
    if !report.is_equal() {
        return Err(format!("the mirror differs from the server: {report}").into());
    }
    let note = format!(
        "{} reads before, {} during loads of {} s; all rows equal the server's afterwards",
        before.len(),
        during.len(),
        times
            .iter()
            .map(|time| format!("{time:.2}"))
            .collect::<Vec<_>>()
            .join(", "),
    );
    Ok([("p50", 0.5), ("p99", 0.99)]
        .into_iter()
        .map(|(name, share)| Measurement {
            name: format!("read_{name}_during_reload"),
            unit: "ns",
            value: quantile(&mut during, share),
            baseline: "before the reload, under the same writes",
            baseline_value: quantile(&mut before, share),
            runs: times.len(),
            note: note.clone(),
        })
        .collect())
}

/// Reads at random keys while `goes_on`; adds the nanoseconds of each read.
fn read(mirror: &Mirror, rows: u64, nanoseconds: &mut Vec<f64>, goes_on: impl Fn() -> bool) {
    let mut random = Random::new(1);
    while goes_on() {
        let started = Instant::now();
        for _ in 0..BATCH {
            let id = i32::try_from(random.up_to(rows)).unwrap_or(1);
            black_box(
                mirror
                    .snapshot()
                    .short_table()
                    .get(id)
                    .map(|row| row.field1),
            );
        }
        let each = started.elapsed().as_nanos() as f64 / BATCH as f64;
        nanoseconds.push(each);
        std::thread::sleep(PAUSE);
    }
}

/// Changes rows, one a transaction, until it is over.
fn write(server: &Server, rows: u64, ended: &AtomicBool) -> Result<(), Error> {
    let mut conn = server.conn()?;
    let mut number: u64 = 0;
    while !ended.load(Ordering::Relaxed) {
        number += 1;
        let id = number.wrapping_mul(7919) % rows + 1;
        let table = if number.is_multiple_of(2) {
            "short_table SET field2"
        } else {
            "long_table SET field6"
        };
        conn.query_drop(format!(
            "UPDATE ads.{table} = {} WHERE id = {id}",
            number % 30_000
        ))?;
        std::thread::sleep(WRITE_PAUSE);
    }
    Ok(())
}
