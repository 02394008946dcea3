//! When a service should stop trusting a mirror.

use std::time::Duration;

use crate::status::{Health, State, Status};

/// What a service still takes for good: see [`Status::readiness`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staleness {
    /// Longest time without any sign of life of the server (it sends one each
    /// [`heartbeat_seconds`](crate::Options::heartbeat_seconds)); default 30 s.
    pub max_silence: Duration,
    /// Longest time from the commit of the last transaction on the server to its visibility here;
    /// `None`, the default, for any: clocks differ, and a large transaction takes its time.
    pub max_commit_to_visible: Option<Duration>,
    /// Whether an older state is good while tables are loaded again; default yes.
    pub while_reloading: bool,
    /// Whether a table may have rows that are wrong
    /// ([`Policy::KeepServing`](crate::Policy::KeepServing)); default no.
    pub with_suspect_tables: bool,
}

impl Default for Staleness {
    fn default() -> Self {
        Self {
            max_silence: Duration::from_secs(30),
            max_commit_to_visible: None,
            while_reloading: true,
            with_suspect_tables: false,
        }
    }
}

/// Whether a service can use what the mirror shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It can.
    Ready,
    /// It cannot, for this reason.
    NotReady(String),
}

impl Status {
    /// Whether a service that takes so much staleness for good can use what the mirror shows: for
    /// the readiness probe of an orchestrator, or to fall back to SQL.
    ///
    /// ```
    /// # fn example<S: mirror_runtime::Schema>(mirror: &mirror_runtime::Mirror<S>) {
    /// use mirror_runtime::{Readiness, Staleness};
    ///
    /// if let Readiness::NotReady(reason) = mirror.status().readiness(&Staleness::default()) {
    ///     eprintln!("asking the server instead: {reason}");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn readiness(&self, taken: &Staleness) -> Readiness {
        match self.not_ready(taken) {
            None => Readiness::Ready,
            Some(reason) => Readiness::NotReady(reason),
        }
    }

    fn not_ready(&self, taken: &Staleness) -> Option<String> {
        if self.position.is_none() {
            return Some("nothing was loaded yet".into());
        }
        let suspect = self.tables.iter().any(|table| table.suspect.is_some());
        match self.health() {
            Health::Unhealthy(reason) if !(suspect && taken.with_suspect_tables) => {
                return Some(reason);
            }
            Health::Stale(reason)
                if !taken.while_reloading && self.state != State::Reconnecting =>
            {
                return Some(reason);
            }
            _ => {}
        }
        if let Some(silence) = self
            .silent_for
            .filter(|silence| *silence > taken.max_silence)
        {
            return Some(format!(
                "nothing was heard from the server for {:.1} s",
                silence.as_secs_f64()
            ));
        }
        let late = self.commit_to_visible.zip(taken.max_commit_to_visible);
        late.filter(|(found, most)| found > most).map(|(found, _)| {
            format!(
                "the last transaction was visible {:.1} s after its commit",
                found.as_secs_f64()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::BinlogPosition;
    use crate::status::StatusCell;

    fn live() -> Status {
        let cell = StatusCell::new(["d.a".to_owned()].into_iter());
        cell.update(|status| {
            status.state = State::Live;
            status.position = Some(BinlogPosition::start_of("b.000001"));
        });
        cell.get()
    }

    fn is_ready(status: &Status, taken: &Staleness) -> bool {
        status.readiness(taken) == Readiness::Ready
    }

    #[test]
    fn a_mirror_is_not_ready_before_its_load_and_after_its_end() {
        let usual = Staleness::default();
        assert!(is_ready(&live(), &usual));
        let empty = Status {
            position: None,
            ..live()
        };
        assert!(!is_ready(&empty, &usual));
        for state in [State::Stopped, State::Failed("why".into())] {
            assert!(!is_ready(&Status { state, ..live() }, &usual));
        }
    }

    #[test]
    fn silence_and_lag_are_taken_up_to_their_limits() {
        let silent = |seconds| Status {
            state: State::Reconnecting,
            silent_for: Some(Duration::from_secs(seconds)),
            ..live()
        };
        let usual = Staleness::default();
        assert!(is_ready(&silent(29), &usual));
        assert!(!is_ready(&silent(31), &usual));
        let late = Status {
            commit_to_visible: Some(Duration::from_secs(3)),
            ..live()
        };
        assert!(is_ready(&late, &usual));
        let strict = Staleness {
            max_commit_to_visible: Some(Duration::from_secs(2)),
            ..usual
        };
        assert!(!is_ready(&late, &strict));
    }

    #[test]
    fn loads_and_suspect_tables_count_as_the_service_says() {
        let mut status = Status {
            state: State::Loading,
            ..live()
        };
        let usual = Staleness::default();
        assert!(is_ready(&status, &usual));
        let strict = Staleness {
            while_reloading: false,
            ..usual
        };
        assert!(!is_ready(&status, &strict));
        status.state = State::Live;
        status.tables[0].suspect = Some("a divergence".into());
        assert!(!is_ready(&status, &usual));
        let lenient = Staleness {
            with_suspect_tables: true,
            ..usual
        };
        assert!(is_ready(&status, &lenient));
    }
}
