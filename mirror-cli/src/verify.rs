//! `mirror verify`: the mirror's rows against the server's.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use generated::{Mirror, Tables};
use mirror_runtime::store::Schema;
use mirror_runtime::{Progress, VerifyOptions};

use crate::cli::VerifyArguments;
use crate::exit::Failure;
use crate::progress::{Meter, wait_with_progress};
use crate::stop::on_signal;
use crate::tail::options;

/// Runs the command.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let options = options(&arguments.server, &arguments.limits)?;
    options.selection(Tables::layouts())?;
    let mirror = Arc::new(Mirror::start(options)?);
    let at_signal = Arc::clone(&mirror);
    let stop = on_signal(move || at_signal.stop())?;
    wait_with_progress(&mirror, &stop)?;
    let (meter, started) = (Arc::new(Mutex::new(Some(Meter::new()))), Instant::now());
    let shown = Arc::clone(&meter);
    let verify = VerifyOptions {
        on_progress: Some(Arc::new(move |progress| {
            let done = Progress {
                rows: progress.rows,
                estimated_rows: progress.total_rows,
                elapsed: started.elapsed(),
            };
            let mut meter = shown.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(meter) = meter.as_mut() {
                meter.show(&format!("verifying {}", progress.table), Some(done));
            }
        })),
        ..VerifyOptions::default()
    };
    let report = mirror.verify(&verify);
    // Clears the line for what follows.
    drop(meter.lock().unwrap_or_else(PoisonError::into_inner).take());
    let report = match report {
        Err(_) if stop.is_set() => return Err(Failure::Interrupted),
        report => report?,
    };
    say!("{report}");
    match (report.differences(), report.not_compared()) {
        (0, 0) => Ok(()),
        (0, rows) => Err(Failure::NotCompared { rows }),
        (rows, _) => Err(Failure::Differs { rows }),
    }
}
