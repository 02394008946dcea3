//! Reading suspects again, until they agree or are certainly different.

use std::time::{Duration, Instant};

use super::server::Link;
use super::view::held;
use super::walk::{Verification, Work};
use crate::error::Error;
use crate::store::{Read, Schema};

/// Frames in a row in which the same held row must differ; two are proof (see the module above).
const FRAMES: u32 = 3;
/// Suspects that are read at once.
const AT_ONCE: usize = 64;
/// First and longest wait between two frames.
const WAITS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

impl<S: Schema> Verification<'_, S> {
    /// Reads all suspects again; afterwards there are none.
    pub(super) fn recheck(&mut self, work: &mut Work) -> Result<(), Error> {
        if work.comparer.suspects() == 0 {
            return Ok(());
        }
        work.report.read_again += work.comparer.suspects() as u64;
        self.attempt(Self::let_others_read)?;
        while work.comparer.suspects() > 0 {
            let until = Instant::now() + self.options.recheck_time;
            let mut wait = WAITS.0;
            loop {
                self.attempt(|this| this.frame(work))?;
                if !work.comparer.is_asking() {
                    break;
                }
                if Instant::now() >= until {
                    let keys = work.comparer.give_up();
                    work.report.not_compared += keys.len() as u64;
                    let room = self.options.named_keys;
                    let named = &mut work.report.first_not_compared;
                    named.extend(keys.into_iter().take(room.saturating_sub(named.len())));
                    break;
                }
                std::thread::sleep(wait);
                wait = (wait * 2).min(WAITS.1);
            }
        }
        Ok(())
    }

    /// One frame: both reads of some suspects between two snapshots of the mirror.
    fn frame(&mut self, work: &mut Work) -> Result<(), Error> {
        let before = self.shared.store.snapshot();
        let comparer = &mut work.comparer;
        let keys = comparer.ask_for_suspects(AT_ONCE);
        for (link, read) in [(Link::Check, Read::Committed), (Link::Dirty, Read::Dirty)] {
            let question = work.select.by_keys(&keys);
            self.server
                .rows(link, work.layout, question, &mut |values| {
                    comparer.answer(read, &mut values.into_iter())
                })?;
        }
        let position = self.server.position(Link::Check)?;
        self.wait_for(&position, Instant::now() + self.options.patience)?;
        let after = self.shared.store.snapshot();
        if before.version().load != after.version().load {
            return Ok(());
        }
        let both = held(&before, &after, work.index).ok_or(Error::Stopped)?;
        for difference in work.comparer.judge(both, FRAMES) {
            self.found(work, difference, &position);
        }
        Ok(())
    }
}
