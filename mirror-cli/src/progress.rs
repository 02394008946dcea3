//! Progress bars on standard error, where that is a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use generated::Mirror;
use indicatif::{ProgressBar, ProgressStyle};
use mirror_runtime::{Error, State};

use crate::exit::Failure;
use crate::stop::StopFlag;

/// A bar of rows; hidden where nobody sees it.
pub(crate) fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(
        "{spinner} {msg} {wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
    )
    .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style)
}

/// Waits for the load; on a terminal with a bar.
pub(crate) fn wait_with_progress(mirror: &Mirror, stop: &StopFlag) -> Result<(), Failure> {
    let bar = bar();
    loop {
        match mirror.wait_until_live(Duration::from_millis(100)) {
            Ok(()) => break,
            Err(Error::TimedOut { .. }) => {
                let status = mirror.status();
                let rows: u64 = status.tables.iter().map(|table| table.rows).sum();
                let all: u64 = status.tables.iter().map(|table| table.estimated_rows).sum();
                bar.set_length(all.max(rows));
                bar.set_position(rows);
                bar.set_message(match status.state {
                    State::Loading => "loading",
                    State::CatchingUp => "catching up",
                    _ => "connecting",
                });
            }
            Err(_) if stop.is_set() => {
                bar.finish_and_clear();
                return Err(Failure::Interrupted);
            }
            Err(error) => {
                bar.finish_and_clear();
                return Err(error.into());
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}
