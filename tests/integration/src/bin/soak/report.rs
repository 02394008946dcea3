//! The report of a run: Markdown, with plots beside it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use integration::usage::Usage;
use lab::Flavor;
use plotters::prelude::*;

const SIZE: (u32, u32) = (800, 320);
const MEBIBYTE: f64 = (1 << 20) as f64;

/// One look at everything.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) at: Duration,
    pub(crate) usage: Usage,
    pub(crate) table_bytes: u64,
    pub(crate) transactions: u64,
    pub(crate) snapshots: u64,
    pub(crate) changes: u64,
    pub(crate) commit_to_visible: Option<Duration>,
    pub(crate) reconnects: u64,
    pub(crate) reloads: u64,
    pub(crate) checkpoints: u64,
}

/// What a run has shown so far.
#[derive(Debug)]
pub(crate) struct Report {
    server: String,
    seed: u64,
    samples: Vec<Sample>,
    events: BTreeMap<&'static str, u32>,
    comparisons: u32,
    rows: u64,
}

/// A plot of one figure over time.
struct Plot {
    name: &'static str,
    title: &'static str,
    figure: fn(&Sample) -> f64,
}

const PLOTS: [Plot; 4] = [
    Plot {
        name: "memory",
        title: "Resident memory, MiB",
        figure: |sample| sample.usage.resident as f64 / MEBIBYTE,
    },
    Plot {
        name: "descriptors",
        title: "File descriptors",
        figure: |sample| sample.usage.descriptors as f64,
    },
    Plot {
        name: "table-memory",
        title: "Memory of the tables, MiB",
        figure: |sample| sample.table_bytes as f64 / MEBIBYTE,
    },
    Plot {
        name: "lag",
        title: "From commit to visible, ms",
        figure: |sample| sample.commit_to_visible.unwrap_or_default().as_secs_f64() * 1e3,
    },
];

impl Report {
    pub(crate) fn new(flavor: Flavor, version: &str, seed: u64) -> Self {
        Self {
            server: format!("{flavor} {version}"),
            seed,
            samples: Vec::new(),
            events: BTreeMap::new(),
            comparisons: 0,
            rows: 0,
        }
    }

    pub(crate) fn add(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    pub(crate) fn happened(&mut self, event: &'static str) {
        *self.events.entry(event).or_default() += 1;
    }

    /// All rows were compared, and so many were the same.
    pub(crate) fn verified(&mut self, rows: u64) {
        self.comparisons += 1;
        self.rows = rows;
    }

    /// A few lines.
    pub(crate) fn summary(&self) -> String {
        let Some(last) = self.samples.last() else {
            return "nothing was measured".to_owned();
        };
        let seconds = last.at.as_secs_f64().max(1e-3);
        let mebibytes = |bytes: u64| bytes as f64 / MEBIBYTE;
        format!(
            "{}, seed {}, after {:.1} min: {} comparisons equal (the last of {} rows), {} \
             transactions, {:.0} row changes/s, {} snapshots judged, {} reconnects, {} reloads, \
             {} checkpoints; {:.1} MiB resident, {:.1} MiB in tables, {} descriptors, {:.0} % of \
             a core",
            self.server,
            self.seed,
            seconds / 60.0,
            self.comparisons,
            self.rows,
            last.transactions,
            self.changes() as f64 / seconds,
            last.snapshots,
            last.reconnects,
            last.reloads,
            last.checkpoints,
            mebibytes(last.usage.resident),
            mebibytes(last.table_bytes),
            last.usage.descriptors,
            last.usage.cpu_millis as f64 / seconds / 10.0,
        )
    }

    /// Row changes that were applied; a table that is loaded again begins anew.
    fn changes(&self) -> u64 {
        let pairs = self.samples.windows(2);
        let steps = pairs.map(|pair| pair[1].changes.saturating_sub(pair[0].changes));
        steps.sum()
    }

    /// Why memory or descriptors have grown, if they have, from the first third of the run,
    /// without its beginning, to the last.
    pub(crate) fn not_flat(&self) -> Option<String> {
        let settled = self.samples.get(self.samples.len() / 10..)?;
        let third = settled.len() / 3;
        if third < 5 {
            return None;
        }
        let median = |samples: &[Sample], figure: fn(&Sample) -> u64| {
            let mut values: Vec<u64> = samples.iter().map(figure).collect();
            values.sort_unstable();
            values.get(values.len() / 2).copied().unwrap_or(0)
        };
        let (begin, end) = (settled.get(..third)?, settled.get(settled.len() - third..)?);
        let memory = |sample: &Sample| sample.usage.resident;
        let (before, after) = (median(begin, memory), median(end, memory));
        if after > before + before / 8 + (8 << 20) {
            return Some(format!(
                "resident memory grew from {before} to {after} bytes"
            ));
        }
        let files = |sample: &Sample| sample.usage.descriptors;
        let (before, after) = (median(begin, files), median(end, files));
        (after > before + 8).then(|| format!("descriptors grew from {before} to {after}"))
    }

    /// Writes `report.md` and its plots.
    pub(crate) fn write(&self, folder: &Path) {
        std::fs::create_dir_all(folder).unwrap();
        let mut text = format!(
            "# Soak\n\n{}\n\n| event | times |\n|---|---:|\n",
            self.summary()
        );
        for (event, count) in &self.events {
            let _ = writeln!(text, "| {event} | {count} |");
        }
        for plot in &PLOTS {
            self.draw(plot, &folder.join(format!("{}.svg", plot.name)));
            let _ = write!(text, "\n![{}]({}.svg)\n", plot.title, plot.name);
        }
        std::fs::write(folder.join("report.md"), text).unwrap();
    }

    fn draw(&self, plot: &Plot, file: &Path) {
        let minutes = |sample: &Sample| sample.at.as_secs_f64() / 60.0;
        let points: Vec<(f64, f64)> = self
            .samples
            .iter()
            .map(|sample| (minutes(sample), (plot.figure)(sample)))
            .collect();
        let end = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(1e-3, f64::max);
        let (right, top) = (end(|point| point.0), end(|point| point.1) * 1.1);
        let root = SVGBackend::new(file, SIZE).into_drawing_area();
        root.fill(&WHITE).unwrap();
        let mut chart = ChartBuilder::on(&root)
            .caption(plot.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..right, 0.0..top)
            .unwrap();
        chart.configure_mesh().x_desc("minutes").draw().unwrap();
        chart.draw_series(LineSeries::new(points, &BLUE)).unwrap();
        root.present().unwrap();
    }
}
