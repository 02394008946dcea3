//! SIGINT and SIGTERM end a command after the transaction in hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Failure;

/// Whether the user asked for the end.
#[derive(Clone, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sets the flag at the first signal and calls `on_stop`; a second signal ends the process
/// as if it were not handled.
pub(crate) fn on_signal(on_stop: impl FnOnce() + Send + 'static) -> Result<StopFlag, Failure> {
    let flag = StopFlag::default();
    let handle = |error| Failure::Output {
        what: "signal handlers".into(),
        error,
    };
    for signal in [SIGINT, SIGTERM] {
        // Registered first, so it acts only when the flag was set by an earlier signal.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&flag.0))
            .map_err(handle)?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(handle)?;
    let shared = flag.clone();
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            shared.0.store(true, Ordering::Relaxed);
            on_stop();
        }
    });
    Ok(flag)
}
