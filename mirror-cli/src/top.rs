//! `mirror top`: the status of a mirror as it changes, on a terminal.

mod view;

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use generated::Mirror;
use mirror_runtime::{State, Status};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

use crate::cli::TopArguments;
use crate::exit::Failure;
use crate::log::to_last_line;
use crate::stop::{StopFlag, on_signal};
use crate::tail::options;
use view::{Rates, draw};

/// Runs the command.
pub(crate) fn run(arguments: &TopArguments) -> Result<(), Failure> {
    if !std::io::stdout().is_terminal() {
        return Err(Failure::Usage(
            "mirror top draws on a terminal, and standard output is none; use mirror status --json"
                .into(),
        ));
    }
    let log = to_last_line();
    let mirror = Arc::new(Mirror::start(options(
        &arguments.server,
        &arguments.limits,
    )?)?);
    let at_signal = Arc::clone(&mirror);
    let stop = on_signal(move || at_signal.stop())?;
    let interval = Duration::from_secs_f64(arguments.interval);
    let result = ratatui::run(|terminal| {
        let mut before: Option<(Instant, Status)> = None;
        loop {
            let (now, status) = (Instant::now(), mirror.status());
            let rates = Rates::between(before.as_ref(), now, &status);
            terminal.draw(|frame| draw(frame, &status, &rates, &log.get()))?;
            before = Some((now, status));
            let is_over = matches!(
                before.as_ref().map(|(_, status)| &status.state),
                Some(State::Failed(_) | State::Stopped)
            );
            if is_over || asks_to_end(now + interval, &stop)? {
                return Ok(());
            }
        }
    });
    mirror.stop();
    result.map_err(|error| Failure::Output {
        what: "the terminal".into(),
        error,
    })?;
    match mirror.error() {
        Some(error) if !stop.is_set() => Err(error.into()),
        _ => Ok(()),
    }
}

/// Waits until then, or until the user asks for the end.
fn asks_to_end(until: Instant, stop: &StopFlag) -> std::io::Result<bool> {
    const LOOK: Duration = Duration::from_millis(100);
    loop {
        if stop.is_set() {
            return Ok(true);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        if !event::poll(left.min(LOOK))? {
            continue;
        }
        match event::read()? {
            Event::Key(key) if key.kind == KeyEventKind::Press => match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(true),
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                    return Ok(true);
                }
                _ => {}
            },
            // Draws again at once.
            Event::Resize(..) => return Ok(false),
            _ => {}
        }
    }
}
