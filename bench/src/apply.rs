//! How fast changes get into the store: from recorded events alone, and by a whole mirror from a
//! live server, in transactions of one row and of 1000.

use std::path::PathBuf;

use lab::Server;
use mysql::prelude::Queryable;

use bench_contenders::{Contender, Error, MemoryMirror};

use crate::end_to_end::file_name;
use crate::held::{Followed, HeldMirror};
use crate::measure::{cost, cpu_time, median};
use crate::raw_dump::{self, Dump};
use crate::report::Measurement;
use crate::workload::{begin_file, run as run_statements, statements};

/// So many times fewer transactions of one row: the server takes its time for each.
const FEWER: u64 = 10;

/// What was made, and what it took to follow it.
struct Load {
    name: &'static str,
    rows: u64,
    transactions: u64,
    file: PathBuf,
    live: Vec<Followed>,
    raw: Vec<Dump>,
}

/// Makes both loads and measures them.
pub(crate) fn run(server: &Server, rows: u64, runs: usize) -> Result<Vec<Measurement>, Error> {
    let mut measurements = Vec::new();
    for (name, rows, size) in [
        ("1_row_transactions", rows / FEWER, 1),
        ("1000_row_transactions", rows, 1000),
    ] {
        let load = follow(server, name, rows, size, runs.min(3))?;
        measurements.push(from_memory(&load, runs)?);
        measurements.push(live(load));
    }
    Ok(measurements)
}

/// Makes the load while a mirror is away, and lets that follow; several times over.
fn follow(
    server: &Server,
    name: &'static str,
    rows: u64,
    size: u64,
    runs: usize,
) -> Result<Load, Error> {
    let mut held = HeldMirror::start(server, &["ads.short_table"])?;
    let mut load = Load {
        name,
        rows,
        transactions: rows.div_ceil(size),
        file: PathBuf::new(),
        live: Vec::new(),
        raw: Vec::new(),
    };
    for _ in 0..runs {
        held.hold()?;
        load.file = begin_file(server)?;
        if size == 1 {
            single_rows(server, rows)?;
        } else {
            run_statements(server, &statements("insert_short", rows))?;
        }
        let file = file_name(&load.file)?;
        load.live.push(held.follow(file)?);
        load.raw.push(raw_dump::read(server.port(), "root", file)?);
    }
    // So that the file holds nothing else.
    begin_file(server)?;
    let inserted = rows * runs as u64;
    let here = held.mirror.snapshot().short_table().len() as u64;
    let there: Option<u64> = server.query_value("SELECT COUNT(*) FROM ads.short_table")?;
    if there != Some(here) || here < inserted {
        return Err(format!("the mirror has {here} rows, the server {there:?}").into());
    }
    Ok(load)
}

fn single_rows(server: &Server, rows: u64) -> Result<(), Error> {
    let mut conn = server.conn()?;
    let insert = conn.prep("INSERT INTO ads.short_table (field1, field2) VALUES (1, 2)")?;
    for _ in 0..rows {
        conn.exec_drop(&insert, ())?;
    }
    Ok(())
}

/// From the recorded file into tables that were empty.
fn from_memory(load: &Load, runs: usize) -> Result<Measurement, Error> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let mut tables = MemoryMirror::new();
        let before = cpu_time()?;
        let transactions = tables.apply(&load.file)?;
        times.push((cpu_time()? - before).as_secs_f64());
        let rows = tables.snapshot().short_table().len() as u64;
        if (transactions, rows) != (load.transactions, load.rows) {
            return Err(format!(
                "{transactions} transactions of {rows} rows were applied, expected {} of {}",
                load.transactions, load.rows
            )
            .into());
        }
    }
    let decoding = cost(Contender::Mirror, &load.file, load.rows, runs)?;
    let seconds = median(&mut times);
    let rows = load.rows as f64;
    Ok(Measurement {
        name: format!("apply_{}", load.name),
        unit: "rows/CPU-s",
        value: rows / seconds,
        baseline: "decoding alone",
        baseline_value: rows / decoding.cpu_seconds,
        runs,
        note: format!(
            "{} rows, {:.0} ns a row, of which {:.0} are decoding",
            load.rows,
            seconds * 1e9 / rows,
            decoding.cpu_seconds * 1e9 / rows
        ),
    })
}

fn live(load: Load) -> Measurement {
    let rows = load.rows as f64;
    let mut wall: Vec<f64> = load.live.iter().map(|live| live.wall_seconds).collect();
    let mut cpu: Vec<f64> = load.live.iter().map(|live| live.cpu_seconds).collect();
    let mut raw: Vec<f64> = load.raw.iter().map(|dump| dump.wall_seconds).collect();
    let bytes = load.raw.first().map_or(0, |dump| dump.bytes);
    Measurement {
        name: format!("apply_live_{}", load.name),
        unit: "rows/s",
        value: rows / median(&mut wall),
        baseline: "raw TCP read of the same dump",
        baseline_value: rows / median(&mut raw),
        runs: load.live.len(),
        note: format!(
            "{} rows; {} rows/CPU-s; {:.0} bytes a row",
            load.rows,
            crate::report::human(rows / median(&mut cpu)),
            bytes as f64 / rows
        ),
    }
}
