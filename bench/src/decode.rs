//! Decoding into generated structs, against the other contenders; the same files, in the page
//! cache, for all.

use std::fs;

use bench_contenders::{Contender, Error};

use crate::measure::{Cost, cost};
use crate::report::Measurement;
use crate::workload::Interval;

/// Others that decode rows, and how figures against them are called.
const DECODERS: &[(&str, Contender)] = &[
    ("", Contender::BinlogRow),
    #[cfg(feature = "mysql_cdc")]
    ("_vs_mysql_cdc", Contender::MysqlCdc),
];

/// Measures one interval: rows against those of others, and the time against framing.
pub(crate) fn run(interval: &Interval, runs: usize) -> Result<Vec<Measurement>, Error> {
    let file = interval.file.as_path();
    let rows = interval.rows;
    let megabytes = fs::metadata(file)?.len() as f64 / 1e6;
    let framing = cost(Contender::Framing, file, rows, runs)?;
    let ours = cost(Contender::Mirror, file, rows, runs)?;
    let name = format!("decode_{}", swap(interval.name));
    let per_second = |cost: Cost| rows as f64 / cost.cpu_seconds;
    let allocations = |cost: Cost| cost.allocations as f64 / rows as f64;
    let mut measurements = Vec::new();
    for &(suffix, contender) in DECODERS {
        let its = cost(contender, file, rows, runs.min(3))?;
        measurements.push(Measurement {
            name: format!("{name}{suffix}"),
            unit: "rows/CPU-s",
            value: per_second(ours),
            baseline: contender.name(),
            baseline_value: per_second(its),
            runs,
            note: format!(
                "{:.0} MB/CPU-s, {:.2} allocations a row; the baseline {:.0} MB/CPU-s, {:.1} allocations a row",
                megabytes / ours.cpu_seconds,
                allocations(ours),
                megabytes / its.cpu_seconds,
                allocations(its),
            ),
        });
    }
    let common = cost(Contender::CommonFraming, file, rows, runs)?;
    for (suffix, contender, its) in [
        ("_vs_framing", Contender::Framing, framing),
        ("_vs_common_framing", Contender::CommonFraming, common),
    ] {
        measurements.push(Measurement {
            name: format!("{name}{suffix}"),
            unit: "CPU-s",
            value: ours.cpu_seconds,
            baseline: contender.name(),
            baseline_value: its.cpu_seconds,
            runs,
            note: format!("the baseline {:.0} MB/CPU-s", megabytes / its.cpu_seconds),
        });
    }
    Ok(measurements)
}

/// `insert_long` is reported as `long_insert`.
fn swap(name: &str) -> String {
    match name.split_once('_') {
        Some((verb, table)) => format!("{table}_{verb}"),
        None => name.to_owned(),
    }
}
