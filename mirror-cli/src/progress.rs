//! Progress on standard error: a bar where that is a terminal, otherwise a line now and then.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use generated::Mirror;
use indicatif::{ProgressBar, ProgressStyle};
use mirror_runtime::{Error, Progress, State};

use crate::exit::Failure;
use crate::stop::StopFlag;

/// Time between two lines.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// How often the state of a load is looked at.
const POLL: Duration = Duration::from_millis(100);

/// Shows how far the work is, with the rate and the time left.
pub(crate) struct Meter {
    /// `None` where no terminal shows it.
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self {
            bar: std::io::stderr().is_terminal().then(bar),
            last_line: Instant::now(),
        }
    }

    /// What is being done, and how far that is, if it can be told.
    pub(crate) fn show(&mut self, what: &str, progress: Option<Progress>) {
        let text = progress.map_or_else(String::new, |progress| format!(" {progress}"));
        if let Some(bar) = &self.bar {
            let (rows, all) = progress.map_or((0, 0), |shown| (shown.rows, shown.estimated_rows));
            bar.set_length(all.max(rows));
            bar.set_position(rows);
            bar.set_prefix(what.to_owned());
            bar.set_message(text);
        } else if !text.is_empty() && self.last_line.elapsed() >= BETWEEN_LINES {
            self.last_line = Instant::now();
            say!("{what}{text}");
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {prefix} {wide_bar}{msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style)
}

/// Waits for the load, and shows how far it is.
pub(crate) fn wait_with_progress(mirror: &Mirror, stop: &StopFlag) -> Result<(), Failure> {
    let mut meter = Meter::new();
    loop {
        match mirror.wait_until_live(POLL) {
            Ok(()) => return Ok(()),
            Err(Error::TimedOut { .. }) => {
                let status = mirror.status();
                let what = match status.state {
                    State::Loading => "loading",
                    State::CatchingUp => "catching up",
                    _ => "connecting",
                };
                meter.show(what, status.load_progress());
            }
            Err(_) if stop.is_set() => return Err(Failure::Interrupted),
            Err(error) => return Err(error.into()),
        }
    }
}
