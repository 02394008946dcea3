//! From COMMIT to visible: one client commits a row now and then, a reader of an otherwise idle
//! mirror looks at snapshots until it is there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use generated::Mirror;
use lab::Server;
use mirror_runtime::Options;
use mysql::prelude::Queryable;

use crate::Error;
use crate::held::{LIMIT, plain_user};
use crate::measure::{Random, quantile};
use crate::plot::{Plot, Series, outline};
use crate::report::Measurement;

/// Time between two transactions, from 1 to so many microseconds, so that no clock of the server
/// keeps step with it.
const PAUSE_MICROS: u64 = 4_000;
/// Time between two looks at a snapshot.
const LOOK: Duration = Duration::from_micros(10);
/// Longest wait for one row.
const LOST: Duration = Duration::from_secs(30);
/// Steps of the histogram.
const STEPS: usize = 80;

/// One transaction, in seconds.
struct Seen {
    /// From the moment that COMMIT was sent to the server's answer.
    commit: f64,
    /// From the same moment until a snapshot showed the row.
    visible: f64,
}

/// Commits so many rows of `short_table`, one a transaction.
pub(crate) fn run(
    server: &Server,
    transactions: usize,
) -> Result<(Vec<Measurement>, Vec<Plot>), Error> {
    let mut options = Options::new(plain_user(server)?.parse()?);
    options.tables = Some(vec!["ads.short_table".into()]);
    let mirror = Mirror::connect(options, LIMIT)?;
    let seen = watch(server, &mirror, transactions)?;
    let mut visible: Vec<f64> = seen.iter().map(|seen| seen.visible * 1e3).collect();
    let mut commit: Vec<f64> = seen.iter().map(|seen| seen.commit * 1e3).collect();
    let plot = plot(&mut visible, &mut commit);
    let of_commits = [0.5, 0.99, 1.0].map(|share| quantile(&mut commit, share));
    let note = format!(
        "{transactions} transactions; p90 {:.3} ms, p99.9 {:.3} ms; the COMMIT itself: p50 {:.3}, p99 {:.3}, max {:.3} ms",
        quantile(&mut visible, 0.9),
        quantile(&mut visible, 0.999),
        of_commits[0],
        of_commits[1],
        of_commits[2],
    );
    let mut figure = |name: &str, share, baseline, baseline_value| Measurement {
        name: format!("commit_to_visible_{name}"),
        unit: "ms",
        value: quantile(&mut visible, share),
        baseline,
        baseline_value,
        runs: 1,
        note: note.clone(),
    };
    let measurements = vec![
        figure("p50", 0.5, "1 ms", 1.0),
        figure("p99", 0.99, "5 ms", 5.0),
        figure("max", 1.0, "max of the COMMITs", of_commits[2]),
    ];
    Ok((measurements, vec![plot]))
}

fn plot(visible: &mut [f64], commit: &mut [f64]) -> Plot {
    let end = 2.0 * quantile(visible, 0.9);
    let beyond = visible.iter().filter(|&&value| value >= end).count();
    let series = |name: &str, values: &[f64]| Series {
        name: name.to_owned(),
        points: outline(values, end, STEPS),
    };
    Plot {
        name: "latency",
        title: "From COMMIT sent to visible in a snapshot".into(),
        x: format!("milliseconds ({beyond} of {} are beyond)", visible.len()),
        y: "transactions".into(),
        series: vec![
            series("visible", visible),
            series("COMMIT answered", commit),
        ],
    }
}

/// Commits row by row on this thread, while another looks for the rows.
fn watch(server: &Server, mirror: &Mirror, transactions: usize) -> Result<Vec<Seen>, Error> {
    let mut conn = server.conn()?;
    // The id that is looked for, from the moment that it is known; 0 for none.
    let wanted = AtomicU64::new(0);
    let mut random = Random::new(3);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| look(mirror, &wanted, transactions));
        let written = (0..transactions).try_fold(Vec::new(), |mut times, _| {
            times.push(commit_one(&mut conn, &wanted)?);
            let until = Instant::now() + LOST;
            while wanted.load(Ordering::Acquire) != 0 {
                if reader.is_finished() || Instant::now() > until {
                    return Err(Error::from("a row that was committed is not visible"));
                }
                std::thread::sleep(LOOK);
            }
            std::thread::sleep(Duration::from_micros(random.up_to(PAUSE_MICROS)));
            Ok(times)
        });
        // Nothing more to look for, also after an error.
        wanted.store(u64::MAX, Ordering::Release);
        let visible = reader.join().map_err(|_| "the reader died")?;
        let pairs = written?.into_iter().zip(visible);
        let seen = pairs.map(|((sent, answered), visible)| Seen {
            commit: (answered - sent).as_secs_f64(),
            visible: visible.saturating_duration_since(sent).as_secs_f64(),
        });
        Ok(seen.collect())
    })
}

/// When COMMIT was sent, and when it was answered.
fn commit_one(conn: &mut mysql::Conn, wanted: &AtomicU64) -> Result<(Instant, Instant), Error> {
    conn.query_drop("BEGIN")?;
    conn.query_drop("INSERT INTO ads.short_table (field1, field2) VALUES (1, 2)")?;
    wanted.store(conn.last_insert_id(), Ordering::Release);
    let sent = Instant::now();
    conn.query_drop("COMMIT")?;
    Ok((sent, Instant::now()))
}

/// When each of the rows was visible first.
fn look(mirror: &Mirror, wanted: &AtomicU64, transactions: usize) -> Vec<Instant> {
    let mut visible = Vec::with_capacity(transactions);
    loop {
        match wanted.load(Ordering::Acquire) {
            u64::MAX => return visible,
            0 => {}
            id => {
                let id = i32::try_from(id).unwrap_or(i32::MAX);
                if mirror.snapshot().short_table().get(id).is_some() {
                    visible.push(Instant::now());
                    wanted.store(0, Ordering::Release);
                }
            }
        }
        std::thread::sleep(LOOK);
    }
}
