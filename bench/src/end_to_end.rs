//! The standard load from a server's log to rows that readers see, by a whole mirror, against a
//! client that throws the same bytes away, and against decoding alone.

use std::path::Path;

use lab::Server;
use mirror_runtime::VerifyOptions;

use bench_contenders::{Contender, Error};

use crate::held::HeldMirror;
use crate::measure::{cost, median};
use crate::plot::{Plot, Series};
use crate::raw_dump::{self, Dump};
use crate::report::Measurement;
use crate::workload::{INTERVALS, begin_file, run as run_statements, statements};

const TABLES: [&str; 2] = ["ads.short_table", "ads.long_table"];
/// Stretches that an interval is cut into for the plot of its speed.
const PLOT_POINTS: f64 = 30.0;

/// What one interval took, run by run.
#[derive(Default)]
struct Times {
    cpu: Vec<f64>,
    wall: Vec<f64>,
    raw: Vec<Dump>,
    decode_cpu: f64,
    bytes: u64,
    speed: Vec<(f64, f64)>,
}

/// Follows the load interval by interval, several times over, each time with a mirror of its
/// own, and compares all rows with the server's at the end of each.
pub(crate) fn run(
    server: &Server,
    rows: u64,
    runs: usize,
) -> Result<(Vec<Measurement>, Vec<Plot>), Error> {
    let mut times: Vec<Times> = INTERVALS.iter().map(|_| Times::default()).collect();
    for _ in 0..runs {
        for table in TABLES {
            server.exec(&format!("TRUNCATE TABLE {table}"))?;
        }
        let mut held = HeldMirror::start(server, &TABLES)?;
        for (name, times) in INTERVALS.into_iter().zip(&mut times) {
            interval(server, &mut held, name, rows, times)?;
        }
        let report = held.mirror.verify(&VerifyOptions::default())?;
        if !report.is_equal() {
            return Err(format!("the mirror differs from the server: {report}").into());
        }
    }
    let series = INTERVALS
        .into_iter()
        .zip(&times)
        .map(|(name, times)| Series {
            name: name.to_owned(),
            points: times.speed.clone(),
        });
    let plot = Plot {
        name: "speed",
        title: "Standard load: from the server's log to visible".into(),
        x: "seconds".into(),
        y: "million rows a second".into(),
        series: series.collect(),
    };
    let measurements = INTERVALS
        .into_iter()
        .zip(times)
        .flat_map(|(name, times)| figures(name, rows, runs, times));
    Ok((measurements.collect(), vec![plot]))
}

/// Makes one interval while the mirror is away, and lets it follow.
fn interval(
    server: &Server,
    held: &mut HeldMirror<'_>,
    name: &str,
    rows: u64,
    times: &mut Times,
) -> Result<(), Error> {
    held.hold()?;
    let path = begin_file(server)?;
    let file = file_name(&path)?;
    run_statements(server, &statements(name, rows))?;
    let followed = held.follow(file)?;
    times.cpu.push(followed.cpu_seconds);
    times.wall.push(followed.wall_seconds);
    times.raw.push(raw_dump::read(server.port(), "root", file)?);
    times.decode_cpu = cost(Contender::Mirror, &path, rows, 1)?.cpu_seconds;
    times.bytes = std::fs::metadata(&path)?.len();
    times.speed = speed(&followed.progress, rows);
    Ok(())
}

pub(crate) fn file_name(path: &Path) -> Result<&str, Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| "a binlog file without a name".into())
}

/// Million rows a second over time, from what was visible when.
fn speed(progress: &[(f64, u64)], rows: u64) -> Vec<(f64, f64)> {
    let Some(&(wall, total)) = progress.last() else {
        return Vec::new();
    };
    let step = wall / PLOT_POINTS;
    let (mut points, mut from) = (Vec::new(), (0.0, 0));
    for &(at, bytes) in progress {
        let took = at - from.0;
        if took < step {
            continue;
        }
        let share = bytes.saturating_sub(from.1) as f64 / total as f64;
        points.push((at, share * rows as f64 / took / 1e6));
        from = (at, bytes);
    }
    points
}

fn figures(name: &str, rows: u64, runs: usize, mut times: Times) -> Vec<Measurement> {
    let cpu = median(&mut times.cpu);
    let wall = median(&mut times.wall);
    let of_raw = |figure: fn(&Dump) -> f64| {
        let mut values: Vec<f64> = times.raw.iter().map(figure).collect();
        median(&mut values)
    };
    let (raw_cpu, raw_wall) = (
        of_raw(|dump| dump.cpu_seconds),
        of_raw(|dump| dump.wall_seconds),
    );
    let megabytes = times.bytes as f64 / 1e6;
    let per_second = |seconds: f64| rows as f64 / seconds;
    vec![
        Measurement {
            name: format!("end_to_end_{name}"),
            unit: "rows/CPU-s",
            value: per_second(cpu),
            baseline: "decoding alone, from the file",
            baseline_value: per_second(times.decode_cpu),
            runs,
            note: format!(
                "{:.0} ns a row, {:.0} MB/CPU-s; the raw read alone takes {:.0} ns a row",
                cpu * 1e9 / rows as f64,
                megabytes / cpu,
                raw_cpu * 1e9 / rows as f64
            ),
        },
        Measurement {
            name: format!("end_to_end_{name}_wall"),
            unit: "s",
            value: wall,
            baseline: "raw TCP read of the same dump",
            baseline_value: raw_wall,
            runs,
            note: format!(
                "{:.0} MB/s, {:.2} M rows/s; the raw read {:.0} MB/s",
                megabytes / wall,
                per_second(wall) / 1e6,
                megabytes / raw_wall
            ),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_rows_by_time_between_looks_that_are_far_enough_apart() {
        let progress = [(0.001, 100), (1.0, 500), (1.5, 500), (2.0, 1000)];
        let points = speed(&progress, 2_000_000);
        assert_eq!(points, [(1.0, 1.0), (1.5, 0.0), (2.0, 2.0)]);
    }
}
