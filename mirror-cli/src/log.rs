//! Where the log goes: to standard error, or to a line that a view of the whole terminal shows.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::EnvFilter;

use crate::cli::Command;

/// The last line of the log.
#[derive(Clone, Default)]
pub(crate) struct LastLine(Arc<Mutex<String>>);

impl LastLine {
    /// The line; empty when nothing was logged.
    pub(crate) fn get(&self) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Write for LastLine {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *held = text.trim().replace(char::is_control, " ");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Warnings, but what the command says itself: why a mirror stopped, and `also`.
fn filter(also: &str) -> EnvFilter {
    EnvFilter::try_from_env("MIRROR_LOG")
        .unwrap_or_else(|_| EnvFilter::new(format!("warn,mirror_runtime::mirror=off{also}")))
}

/// Logs to standard error, but for what this command says in words of its own.
pub(crate) fn to_standard_error(command: &Command) {
    let also = match command {
        // `loaded again: ...`, and why a checkpoint was not used.
        Command::Tail(_) => {
            ",mirror_runtime::loading_again=off,mirror_runtime::checkpoint::warm_start=off"
        }
        Command::Export(_) => ",mirror_runtime::checkpoint::warm_start=off",
        _ => "",
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter(also))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .init();
}

/// Keeps the last line.
pub(crate) fn to_last_line() -> LastLine {
    let last = LastLine::default();
    let writer = last.clone();
    tracing_subscriber::fmt()
        .with_env_filter(filter(""))
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .init();
    last
}
