//! Waits between tries to connect.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::mirror::Shared;
use crate::options::Options;
use crate::store::Schema;

/// First wait before connecting again.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Waits between tries to connect: about twice as long each time. Each is at random between half
/// and all of that, so that many mirrors do not come back to a server at one moment.
pub(crate) struct Backoff {
    next: Duration,
    max: Duration,
}

impl Backoff {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            next: FIRST_WAIT,
            max: options.reconnect_max_wait,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.next = FIRST_WAIT;
    }

    /// Waits, but no longer once the mirror is to stop.
    pub(crate) fn wait<S: Schema>(&mut self, shared: &Shared<S>) {
        wait_until(shared, Instant::now() + shortened(self.next));
        self.next = (self.next * 2).min(self.max);
    }
}

fn wait_until<S: Schema>(shared: &Shared<S>, until: Instant) {
    while !shared.stopped() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Bounds the times that a connection is made again, however much goes well in between: a server
/// that gives a transaction and ends the stream, each time, would be asked without end.
#[derive(Debug)]
pub(crate) struct Pace {
    most: usize,
    /// The last ones, at most `most`.
    made: Mutex<VecDeque<Instant>>,
}

impl Pace {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            most: options.limits.reconnects_per_minute.max(1) as usize,
            made: Mutex::default(),
        }
    }

    /// Waits for the time of the next, but no longer once the mirror is to stop.
    pub(crate) fn wait<S: Schema>(&self, shared: &Shared<S>) {
        let now = Instant::now();
        let Some(until) = self.next(now) else { return };
        let wait_ms = (until - now).as_millis() as u64;
        tracing::warn!(
            wait_ms,
            allowed = self.most,
            "too many reconnects within a minute; waiting"
        );
        wait_until(shared, until);
    }

    /// When the next may be made, which is noted; `None` for at once.
    fn next(&self, now: Instant) -> Option<Instant> {
        const MINUTE: Duration = Duration::from_secs(60);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let free = match made.len() < self.most {
            true => None,
            false => made.pop_front().map(|first| first + MINUTE),
        };
        let until = free.filter(|free| *free > now);
        made.push_back(until.unwrap_or(now));
        until
    }
}

/// At random between half of it and all.
fn shortened(wait: Duration) -> Duration {
    const STEPS: u32 = 1000;
    let random = RandomState::new().build_hasher().finish() % u64::from(STEPS + 1);
    wait / 2 + wait / 2 / STEPS * u32::try_from(random).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_any_minute_no_more_connections_are_made_than_allowed() {
        let mut options = Options::new("mysql://u@h/".parse().unwrap());
        options.limits.reconnects_per_minute = 3;
        let pace = Pace::new(&options);
        let start = Instant::now();
        let mut now = start;
        let mut made = Vec::new();
        for step in 0..50 {
            // Each takes a while, some of them longer than a minute.
            now += Duration::from_secs(if step % 11 == 0 { 61 } else { 7 });
            now = pace.next(now).unwrap_or(now);
            made.push(now - start);
        }
        for window in made.windows(4) {
            assert!(
                window[3] - window[0] >= Duration::from_secs(60),
                "{window:?}"
            );
        }
        // And no fewer: three come at once behind a pause.
        assert!(
            made.windows(3)
                .any(|w| w[2] - w[0] == Duration::from_secs(14))
        );
    }

    #[test]
    fn waits_are_between_half_and_all_and_differ() {
        let wait = Duration::from_secs(10);
        let waits: Vec<Duration> = (0..100).map(|_| shortened(wait)).collect();
        assert!(waits.iter().all(|found| (wait / 2..=wait).contains(found)));
        assert!(waits.iter().max() > waits.iter().min());
    }
}
