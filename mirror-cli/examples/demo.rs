//! What `cargo xtask demo` shows: a mirror of a server that is being written to, in numbers.
//!
//! Writes to the demo tables itself, on connections of its own.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use generated::{BannerStatus, Mirror, Snapshot};
use mirror_runtime::Options;
use mysql::prelude::Queryable;

/// A mirror under a write load.
#[derive(Parser)]
struct Arguments {
    /// Server with the demo schema and data.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    url: String,
    /// How long, in seconds; 0: until Ctrl-C.
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Connections that write.
    #[arg(long, default_value_t = 2)]
    writers: u64,
}

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Error> {
    let arguments = Arguments::parse();
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let committed = AtomicU64::new(0);
    let mut options = Options::new(arguments.url.parse()?);
    options.heartbeat_seconds = 1;
    let mirror = Mirror::connect(options, Duration::from_secs(60))?;
    std::thread::scope(|scope| -> Result<(), Error> {
        let writers: Vec<_> = (0..arguments.writers)
            .map(|number| {
                let (url, stop, committed) = (&arguments.url, &stop, &committed);
                scope.spawn(move || write(url, number, stop, committed))
            })
            .collect();
        let shown = show(&mirror, &arguments, &stop, &committed);
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.join().map_err(|_| "a writer panicked")??;
        }
        shown
    })?;
    finish(&mirror, &arguments)
}

/// Multi-table transactions: a banner's weight and state, its campaign's spending, a ledger
/// entry's price of it.
fn write(url: &str, number: u64, stop: &AtomicBool, committed: &AtomicU64) -> Result<(), Error> {
    let mut conn = mysql::Conn::new(url)?;
    conn.query_drop("SET sql_mode = '', time_zone = '+00:00'")?;
    let mut round = number;
    while !stop.load(Ordering::Relaxed) {
        round = round
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let banner = (round >> 33) % 400 + 1;
        let cents = (round >> 20) % 100;
        conn.query_drop("START TRANSACTION")?;
        conn.exec_drop(
            "UPDATE ads.banner SET weight = (weight + 1) % 1000, \
             status = IF(id = 1, 1 + (ABS(weight) DIV 50) % 2, status) WHERE id = ?",
            (if round.is_multiple_of(4) { 1 } else { banner },),
        )?;
        conn.exec_drop(
            "UPDATE ads.campaign c JOIN ads.banner b ON b.campaign_id = c.id \
             SET c.spent = (c.spent + ? / 100) % 100000 WHERE b.id = ?",
            (cents, banner),
        )?;
        conn.query_drop("COMMIT")?;
        committed.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(())
}

/// Prints the state until the time is over; redraws in place on a terminal.
fn show(
    mirror: &Mirror,
    arguments: &Arguments,
    stop: &AtomicBool,
    committed: &AtomicU64,
) -> Result<(), Error> {
    let started = Instant::now();
    let terminal = std::io::stdout().is_terminal();
    let every = Duration::from_millis(if terminal { 500 } else { 3000 });
    let mut lines = 0;
    let mut first = true;
    loop {
        let text = page(mirror, committed, started, first || terminal);
        let mut out = std::io::stdout().lock();
        if terminal && lines > 0 {
            write!(out, "\x1b[{lines}A\x1b[J")?;
        }
        lines = text.lines().count();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        drop(out);
        first = false;
        let until = Instant::now() + every;
        while Instant::now() < until {
            let over = arguments.seconds > 0 && started.elapsed().as_secs() >= arguments.seconds;
            if over || stop.load(Ordering::Relaxed) || mirror.error().is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn page(mirror: &Mirror, committed: &AtomicU64, started: Instant, tables: bool) -> String {
    let status = mirror.status();
    let mut text = String::new();
    if tables {
        text.push_str("table                      rows\n");
        for table in &status.tables {
            text.push_str(&format!("{:<22} {:>8}\n", table.table, table.rows));
        }
        let rows: u64 = status.tables.iter().map(|table| table.rows).sum();
        let load = status.load_time.unwrap_or_default();
        text.push_str(&format!(
            "loaded {rows} rows of {} tables in {}, from a server that was not stopped\n",
            status.tables.len(),
            short(load)
        ));
    }
    let position = status
        .position
        .map_or_else(String::new, |position| position.to_string());
    text.push_str(&format!(
        "{:>5.1} s  {:?}  {} written, {} applied, commit to visible {}, at {position}\n",
        started.elapsed().as_secs_f64(),
        status.state,
        committed.load(Ordering::Relaxed),
        status.transactions,
        status.commit_to_visible.map_or("-".into(), short),
    ));
    text.push_str(&look_up(&mirror.snapshot()));
    text
}

/// A duration in milliseconds; below one, in microseconds.
fn short(duration: Duration) -> String {
    let micros = duration.as_micros();
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..100_000 => format!("{:.1} ms", micros as f64 / 1_000.0),
        _ => format!("{} ms", micros / 1_000),
    }
}

/// A typed look-up over two tables at one version.
fn look_up(snapshot: &Snapshot) -> String {
    let Some(banner) = snapshot.banner().get(1) else {
        return "banner 1 is gone\n".into();
    };
    let Some(campaign) = snapshot.campaign().get(banner.campaign_id) else {
        return "banner 1 has no campaign\n".into();
    };
    let active = snapshot
        .banner()
        .by_campaign_status(campaign.id, BannerStatus::Active)
        .count();
    format!(
        "         banner 1 {:?}: {}, weight {}; campaign {:?}: spent {} of {}, {active} banners active\n",
        banner.name,
        banner.status.label(),
        banner.weight,
        campaign.name,
        campaign.spent,
        campaign.budget,
    )
}

/// After the writers: the mirror must hold what the server holds.
fn finish(mirror: &Mirror, arguments: &Arguments) -> Result<(), Error> {
    if let Some(error) = mirror.error() {
        return Err(error.into());
    }
    let mut conn = mysql::Conn::new(arguments.url.as_str())?;
    let row: Option<(u64, String)> = conn.query_first(
        "SELECT (SELECT SUM(weight) FROM ads.banner), (SELECT CAST(SUM(spent) AS CHAR) FROM ads.campaign)",
    )?;
    let expected = row.ok_or("the server gave no sums")?;
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let snapshot = mirror.snapshot();
        let weights: i64 = snapshot.banner().iter().map(|b| i64::from(b.weight)).sum();
        let spent: mirror_runtime::Decimal = snapshot.campaign().iter().map(|c| c.spent).sum();
        if weights == i64::try_from(expected.0)? && spent.to_string() == expected.1 {
            println!(
                "the mirror and the server agree: banner weights {weights}, campaigns spent {spent}"
            );
            mirror.stop();
            return Ok(());
        }
        if Instant::now() > until {
            return Err(format!(
                "mirror and server differ: weights {weights} and {}, spent {spent} and {}",
                expected.0, expected.1
            )
            .into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
