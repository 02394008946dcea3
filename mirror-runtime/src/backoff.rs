//! Waits between tries to connect.

use std::time::Duration;

use crate::mirror::Shared;
use crate::options::Options;
use crate::store::Schema;

/// First wait before connecting again.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Waits between tries to connect, each twice as long as the one before.
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
        let until = std::time::Instant::now() + self.next;
        while !shared.stopped() && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.next = (self.next * 2).min(self.max);
    }
}
