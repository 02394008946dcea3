//! The start from a checkpoint of `long_table`, against the first load by SELECTs; and the writing
//! of the checkpoint.

use std::path::Path;
use std::time::{Duration, Instant};

use generated::Mirror;
use lab::Server;
use mirror_runtime::{CheckpointOptions, CheckpointStatus, Options, VerifyOptions, WhenUnusable};

use crate::Error;
use crate::measure::median;
use crate::report::Measurement;

const LIMIT: Duration = Duration::from_secs(600);
const BOOTSTRAP: &str = "the first load by SELECTs";

/// Starts from the checkpoint and by SELECTs, in turn.
pub(crate) fn run(server: &Server, rows: u64, runs: usize) -> Result<Vec<Measurement>, Error> {
    server.exec("ANALYZE TABLE ads.long_table")?;
    let folder = tempfile::tempdir()?;
    let (mut loads, mut starts, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    // Once before the clock runs, so that all find the table in the server's memory.
    start(server, rows, None)?;
    for _ in 0..runs {
        loads.push(start(server, rows, None)?.0);
        let file = folder.path().join("mirror.checkpoint");
        if file.exists() {
            std::fs::remove_file(file)?;
        }
        let (_, written) = start(server, rows, Some(folder.path()))?;
        let written = written.ok_or("no checkpoint was written")?;
        bytes = written.bytes;
        writes.push(written.took.as_secs_f64());
        let (took, status) = start(server, rows, Some(folder.path()))?;
        if status.is_none_or(|status| status.started_from.is_none()) {
            return Err("the checkpoint was not used".into());
        }
        starts.push(took);
    }
    let rate = |seconds: &mut Vec<f64>| rows as f64 / median(seconds);
    let base = rate(&mut loads);
    let figure = |name: &str, value, note: String| Measurement {
        name: name.to_owned(),
        unit: "rows/s",
        value,
        baseline: BOOTSTRAP,
        baseline_value: base,
        runs,
        note,
    };
    let of_row = bytes as f64 / rows as f64;
    Ok(vec![
        figure(
            "warm_restart",
            rate(&mut starts),
            "live mirror: connecting, checks, reading the checkpoint, publication".to_owned(),
        ),
        figure(
            "checkpoint_write",
            rate(&mut writes),
            format!("in the background, with fsync; {of_row:.1} bytes a row on the disk"),
        ),
    ])
}

/// Starts a mirror of the table alone, with a checkpoint or without; the seconds until it is live.
fn start(
    server: &Server,
    rows: u64,
    folder: Option<&Path>,
) -> Result<(f64, Option<CheckpointStatus>), Error> {
    let mut options = Options::new(server.url().parse()?);
    options.tables = Some(vec!["ads.long_table".into()]);
    options.checkpoint = folder.map(|folder| CheckpointOptions {
        interval: None,
        when_unusable: WhenUnusable::Refuse,
        ..CheckpointOptions::new(folder)
    });
    let started = Instant::now();
    let mirror = Mirror::connect(options, LIMIT)?;
    let took = started.elapsed();
    let held = mirror.snapshot().long_table().len() as u64;
    if held != rows {
        return Err(format!("{held} rows are there, expected {rows}").into());
    }
    let is_restarted = |status: &CheckpointStatus| status.started_from.is_some();
    if mirror
        .status()
        .checkpoint
        .as_ref()
        .is_some_and(is_restarted)
    {
        let report = mirror.verify(&VerifyOptions::default())?;
        if !report.is_equal() {
            return Err(format!("the mirror differs from the server: {report}").into());
        }
    }
    mirror.stop();
    let status = mirror.status().checkpoint;
    if let Some(error) = status.as_ref().and_then(|status| status.error.as_ref()) {
        return Err(error.clone().into());
    }
    Ok((took.as_secs_f64(), status))
}
