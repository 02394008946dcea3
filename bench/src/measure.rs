//! CPU time and allocations of a piece of work, medians and quantiles.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};

use crate::Error;

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

/// Runs `work` once to warm up and to count allocations, then several times for the clock; it
/// gives the rows that it went through, which must be `rows`.
pub(crate) fn cost(
    runs: usize,
    rows: u64,
    mut work: impl FnMut() -> Result<u64, Error>,
) -> Result<Cost, Error> {
    let mut checked = || {
        let seen = work()?;
        if seen == rows {
            Ok(())
        } else {
            Err(Error::from(format!(
                "{seen} rows were decoded, expected {rows}"
            )))
        }
    };
    let mut first = Ok(());
    let allocations = allocation_counter::measure(|| first = checked()).count_total;
    first?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let before = cpu_time()?;
        checked()?;
        times.push((cpu_time()? - before).as_secs_f64());
    }
    Ok(Cost {
        cpu_seconds: median(&mut times),
        allocations,
    })
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
