//! `cargo xtask demo`: a lab server with the demo data, and the demo program on it.

use std::io::{IsTerminal, stdout};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use codegen::diff::{Breaks, diff};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::lab::{LabFlavor, start_with_demo_data};
use super::regenerate::{RegenerateOptions, regenerate};
use crate::error::{Error, Outcome};
use crate::pipeline::{self, Paths};
use crate::project;
use crate::steps::seconds;
use crate::url::ServerUrl;

/// How long the demo program may take to end after it was told to.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the demo runs when nobody watches it in a terminal.
const UNWATCHED_SECONDS: u64 = 15;

/// Options of [`demo`].
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DemoOptions {
    /// Kind of server
    #[arg(long, value_enum, default_value_t)]
    pub flavor: LabFlavor,
    /// How long to run, in seconds; 0: until Ctrl-C. Default: 0 in a terminal, else 15
    #[arg(long, value_name = "N")]
    pub seconds: Option<u64>,
}

/// Starts a server, loads the demo data, regenerates (nothing changes), and runs the demo
/// program: a live mirror under a write load. Ctrl-C ends it all cleanly.
///
/// # Errors
/// [`Error`] when the server or a program cannot be started.
pub fn demo(options: &DemoOptions) -> Result<Outcome, Error> {
    let stop = Stop::watch()?;
    let started = Instant::now();
    let server = start_with_demo_data(options.flavor)?;
    println!("server and data ready after {}", seconds(started.elapsed()));
    match bring_up_to_date(&server.url())? {
        Outcome::Holds if !stop.requested() => {}
        other => return Ok(other),
    }
    let seconds = options.seconds.unwrap_or_else(|| {
        if stdout().is_terminal() {
            0
        } else {
            UNWATCHED_SECONDS
        }
    });
    let arguments = [
        "run",
        "--release",
        "--package",
        "mirror-cli",
        "--example",
        "demo",
        "--",
    ];
    let mut command = Command::new(project::cargo());
    command.current_dir(project::root()).args(arguments).args([
        "--url",
        &server.url(),
        "--seconds",
        &seconds.to_string(),
    ]);
    println!("building the demo program (some minutes the first time) and starting it");
    let program = command.get_program().to_string_lossy().into_owned();
    let child = command
        .spawn()
        .map_err(|source| Error::Program { program, source })?;
    wait(child, &stop)
}

/// Regenerates from the server. Where the recorded definitions are the other kind of server's,
/// which prints the same tables in other words, it only makes sure that both can be followed.
fn bring_up_to_date(url: &str) -> Result<Outcome, Error> {
    let paths = Paths::new(None, None);
    let schema = paths.read_schema()?;
    let recorded = paths.read_lock()?;
    let live = pipeline::fetch(&ServerUrl::parse(url)?, &schema)?.complete()?;
    let Some(recorded) = recorded.filter(|lock| lock.server.family != live.server.family) else {
        return regenerate(&RegenerateOptions {
            url: Some(url.to_owned()),
            ..RegenerateOptions::default()
        });
    };
    let changes = diff(&schema, &recorded, &live);
    println!(
        "generated from {}, running on {}: {} definitions are printed differently, which {}",
        recorded.server.family,
        live.server.family,
        changes.changes.len(),
        changes.breaks()
    );
    if changes.breaks() == Breaks::NOTHING {
        return Ok(Outcome::Holds);
    }
    for change in changes
        .changes
        .iter()
        .filter(|change| change.breaks != Breaks::NOTHING)
    {
        println!("  {change}");
    }
    Ok(Outcome::DoesNotHold)
}

/// Waits for the demo program, and ends it when we are told to end.
fn wait(mut child: Child, stop: &Stop) -> Result<Outcome, Error> {
    let mut told: Option<Instant> = None;
    loop {
        let ended = child.try_wait().map_err(|source| Error::Program {
            program: "the demo program".to_owned(),
            source,
        })?;
        if let Some(status) = ended {
            let fine = status.success() || stop.requested();
            return if fine {
                Ok(Outcome::Holds)
            } else {
                Err(Error::Usage(
                    "the demo program failed; see above".to_owned(),
                ))
            };
        }
        match told {
            None if stop.requested() => {
                told = Some(Instant::now());
                send(&child, Signal::SIGTERM);
            }
            Some(since) if since.elapsed() > PATIENCE => send(&child, Signal::SIGKILL),
            _ => {}
        }
        sleep(Duration::from_millis(50));
    }
}

/// Sends a signal; a child that is gone needs none.
fn send(child: &Child, signal: Signal) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

/// SIGINT and SIGTERM, noted instead of ending the process, so that the server is stopped.
struct Stop(Arc<AtomicBool>);

impl Stop {
    fn watch() -> Result<Self, Error> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&flag)).map_err(|source| {
                Error::Program {
                    program: "the signal handler".to_owned(),
                    source,
                }
            })?;
        }
        Ok(Self(flag))
    }

    fn requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
