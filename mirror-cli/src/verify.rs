//! `mirror verify`: the mirror's rows against the server's.

use std::sync::Arc;

use generated::{Mirror, Tables};
use mirror_runtime::VerifyOptions;
use mirror_runtime::store::Schema;

use crate::cli::VerifyArguments;
use crate::exit::Failure;
use crate::progress::{bar, wait_with_progress};
use crate::stop::on_signal;
use crate::tail::options;

/// Runs the command.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let options = options(&arguments.server)?;
    options.selection(Tables::layouts())?;
    let mirror = Arc::new(Mirror::start(options)?);
    let at_signal = Arc::clone(&mirror);
    let stop = on_signal(move || at_signal.stop())?;
    wait_with_progress(&mirror, &stop)?;
    let bar = bar();
    let shown = bar.clone();
    let verify = VerifyOptions {
        on_progress: Some(Arc::new(move |progress| {
            shown.set_length(progress.total_rows);
            shown.set_position(progress.rows);
            shown.set_message(format!("verifying {}", progress.table));
        })),
        ..VerifyOptions::default()
    };
    let report = mirror.verify(&verify);
    bar.finish_and_clear();
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
