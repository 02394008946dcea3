//! Results as a table, as Markdown with plots below the target folder, and as JSON.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::Error;
use crate::plot::Plot;

/// One figure and its baseline from the same run.
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    pub(crate) value: f64,
    pub(crate) baseline: &'static str,
    pub(crate) baseline_value: f64,
    pub(crate) runs: usize,
    pub(crate) note: String,
}

impl Measurement {
    fn ratio(&self) -> f64 {
        self.value / self.baseline_value
    }
}

/// A number with a unit prefix where it is large.
pub(crate) fn human(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e3 => format!("{:.1} k", v / 1e3),
        v => format!("{v:.3}"),
    }
}

/// The results as a Markdown table.
pub(crate) fn table(results: &[Measurement]) -> String {
    let mut text = String::from(
        "| figure | value | baseline | its value | ratio | more |\n|---|---:|---|---:|---:|---|\n",
    );
    for result in results {
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {} | {:.2} | {} |",
            result.name,
            human(result.value),
            result.unit,
            result.baseline,
            human(result.baseline_value),
            result.ratio(),
            result.note
        );
    }
    text
}

/// Writes the report to `bench/report.md` in cargo's target folder, and its plots beside it; gives
/// its path.
pub(crate) fn write_markdown(results: &[Measurement], plots: &[Plot]) -> Result<PathBuf, Error> {
    let folder = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from("target"), PathBuf::from)
        .join("bench");
    fs::create_dir_all(&folder)?;
    let path = folder.join("report.md");
    let mut text = format!(
        "# Benchmarks\n\nMedians; each figure and its baseline are of one run on one machine: {} \
         cores, {}, {}, commit {}. docs/bench.md says what each figure is.\n\n{}",
        cores(),
        std::env::consts::ARCH,
        std::env::consts::OS,
        commit(),
        table(results)
    );
    for plot in plots {
        plot.write(&folder)?;
        let _ = write!(text, "\n![{}]({}.svg)\n", plot.title, plot.name);
    }
    fs::write(&path, text)?;
    Ok(path)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

/// Writes the results for machines.
pub(crate) fn write_json(path: &Path, results: &[Measurement]) -> Result<(), Error> {
    let results: Vec<_> = results
        .iter()
        .map(|result| {
            json!({
                "name": result.name,
                "value": result.value,
                "unit": result.unit,
                "baseline": result.baseline,
                "baseline_value": result.baseline_value,
                "ratio": result.ratio(),
                "runs": result.runs,
                "note": result.note,
            })
        })
        .collect();
    let document = json!({
        "machine": { "cores": cores(), "arch": std::env::consts::ARCH, "os": std::env::consts::OS },
        "commit": commit(),
        "results": results,
    });
    fs::write(path, serde_json::to_string_pretty(&document)? + "\n")?;
    Ok(())
}

/// The commit that was measured, or `unknown` outside a repository.
fn commit() -> String {
    Command::new("git")
        .args(["rev-parse", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "unknown".into(), |text| text.trim().to_owned())
}
