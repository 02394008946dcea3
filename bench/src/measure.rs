//! CPU time and allocations of a piece of work, medians over several runs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bench_contenders::{Contender, Error};
use nix::sys::resource::{UsageWho, getrusage};

/// What a piece of work took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// CPU time of the process, user and system, in seconds; the median of the runs.
    pub(crate) cpu_seconds: f64,
    /// Allocations in one run.
    pub(crate) allocations: u64,
}

/// CPU time that this process has used.
fn cpu_time() -> Result<Duration, Error> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: nix::sys::time::TimeVal| {
        Duration::from_micros(
            u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).unwrap_or(0),
        )
    };
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// Lets a contender go through a file once to warm up, then several times for the clock; it must
/// see `rows` rows, if it looks at any.
pub(crate) fn cost(
    contender: Contender,
    file: &Path,
    rows: u64,
    runs: usize,
) -> Result<Cost, Error> {
    let checked = || match contender.go(file)? {
        Some(seen) if seen != rows => Err(Error::from(format!(
            "{seen} rows were decoded, expected {rows}"
        ))),
        _ => Ok(()),
    };
    checked()?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let before = cpu_time()?;
        checked()?;
        times.push((cpu_time()? - before).as_secs_f64());
    }
    Ok(Cost {
        cpu_seconds: median(&mut times),
        allocations: allocations(contender, file)?,
    })
}

/// Lets the program beside this one count allocations.
fn allocations(contender: Contender, file: &Path) -> Result<u64, Error> {
    let program = std::env::current_exe()?.with_file_name("count-allocations");
    let output = Command::new(&program)
        .arg(contender.name())
        .arg(file)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{} failed", program.display()).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// The middle value; 0 for none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
