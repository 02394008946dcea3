//! Waits between tries to connect.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use std::time::Duration;

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
        let until = std::time::Instant::now() + shortened(self.next);
        while !shared.stopped() && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.next = (self.next * 2).min(self.max);
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
    fn waits_are_between_half_and_all_and_differ() {
        let wait = Duration::from_secs(10);
        let waits: Vec<Duration> = (0..100).map(|_| shortened(wait)).collect();
        assert!(waits.iter().all(|found| (wait / 2..=wait).contains(found)));
        assert!(waits.iter().max() > waits.iter().min());
    }
}
