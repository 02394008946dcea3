//! CPU time and allocations of a piece of work, medians and quantiles.

use std::ffi::OsStr;
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

/// CPU time that this process has used, user and system.
pub(crate) fn cpu_time() -> Result<Duration, Error> {
    cpu_time_of(UsageWho::RUSAGE_SELF)
}

/// CPU time that this thread has used, user and system.
pub(crate) fn thread_cpu_time() -> Result<Duration, Error> {
    cpu_time_of(UsageWho::RUSAGE_THREAD)
}

/// CPU time, user and system, of this process, this thread, or the children that were waited for.
pub(crate) fn cpu_time_of(who: UsageWho) -> Result<Duration, Error> {
    let usage = getrusage(who)?;
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
    let counted = count("contender", &[contender.name().as_ref(), file.as_os_str()])?;
    Ok(counted.trim().parse()?)
}

/// Bytes more than before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allocated {
    /// After the work.
    pub(crate) left: f64,
    /// At most while it ran.
    pub(crate) peak: f64,
}

/// What applying each of these files takes, one after the other, to tables that are empty before.
pub(crate) fn allocated(files: &[&Path]) -> Result<Vec<Allocated>, Error> {
    let files: Vec<&OsStr> = files.iter().map(|file| file.as_os_str()).collect();
    let counted = count("apply", &files)?;
    let lines = counted.lines().map(|line| {
        let (left, peak) = line.split_once(' ').ok_or("two numbers were expected")?;
        Ok(Allocated {
            left: left.parse()?,
            peak: peak.parse()?,
        })
    });
    lines.collect()
}

/// The answer of the program beside this one that counts.
fn count(what: &str, arguments: &[&OsStr]) -> Result<String, Error> {
    let program = std::env::current_exe()?.with_file_name("count-allocations");
    let output = Command::new(&program)
        .arg(what)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{} failed", program.display()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The middle value; 0 for none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Sorts the values and gives the one below which this share of them is, 0 to 1; 0 for none.
pub(crate) fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let place = (values.len() as f64 * share) as usize;
    values.get(place.min(last)).copied().unwrap_or(0.0)
}

/// Pseudo-random numbers (xorshift), the same ones in each run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number from 1 to `last`.
    pub(crate) fn up_to(&mut self, last: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % last.max(1) + 1
    }
}
