//! `mirror tail`: committed transactions as JSON lines.

use std::env::VarError;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use generated::{Mirror, Tables};
use mirror_runtime::source::status::binlog_status;
use mirror_runtime::source::{ServerInfo, connect};
use mirror_runtime::store::Schema;
use mirror_runtime::{
    BinlogPosition, Delivery, NoTransaction, Options, ServerUrl, State, SubscribeOptions,
    Transaction,
};

use crate::checkpoint;
use crate::cli::{ServerArguments, TailArguments};
use crate::exit::Failure;
use crate::limits::LimitArguments;
use crate::lines::{add_change, finish_line, start_line};
use crate::progress::wait_with_progress;
use crate::servers::first_that_serves;
use crate::stop::{StopFlag, on_signal};
use crate::stream;

/// How often an idle tail looks whether it is to end.
const POLL: Duration = Duration::from_millis(50);
/// The password of a URL that has none.
const PASSWORD_VARIABLE: &str = "MIRROR_PASSWORD";

/// Runs the command.
pub(crate) fn run(arguments: &TailArguments) -> Result<(), Failure> {
    if arguments.from.is_some() || arguments.gtid.is_some() {
        return stream::run(arguments);
    }
    live(arguments)
}

/// Options of a mirror for these arguments.
pub(crate) fn options(
    server: &ServerArguments,
    limits: &LimitArguments,
) -> Result<Options, Failure> {
    let mut url = server.url.parse::<ServerUrl>()?;
    if !url.has_password()
        && let Some(password) = password_of_environment()?
    {
        url = url.with_password(password);
    }
    let mut options = Options::new(url);
    options.tables = server.tables.clone();
    options.limits = limits.limits();
    Ok(options)
}

/// The password that stands in the environment, for URLs without one.
fn password_of_environment() -> Result<Option<String>, Failure> {
    match std::env::var(PASSWORD_VARIABLE) {
        Ok(password) => Ok(Some(password)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Failure::Usage(format!(
            "{PASSWORD_VARIABLE} is not valid UTF-8"
        ))),
    }
}

fn live(arguments: &TailArguments) -> Result<(), Failure> {
    let mut options = options(&arguments.server, &arguments.limits)?;
    let interval = Duration::from_secs(arguments.checkpoint_interval);
    options.checkpoint = arguments.checkpoint.options(Some(interval));
    let until = if arguments.until_current {
        // The position is one of this server, which therefore is the one that is followed.
        options.url = first_that_serves(&options.url)?;
        let mut conn = connect(&options.url)?;
        let info = ServerInfo::read(&mut conn)?;
        Some(binlog_status(&mut conn, &info)?)
    } else {
        None
    };
    let mirror = Arc::new(Mirror::start(options)?);
    let at_signal = Arc::clone(&mirror);
    let stop = on_signal(move || at_signal.stop())?;
    match wait_with_progress(&mirror, &stop) {
        Err(Failure::Interrupted) => return Ok(()),
        result => result?,
    }
    checkpoint::tell_start(&mirror);
    // Begins with a snapshot, of which only the place is told: held, it would keep all versions of
    // rows from then on.
    let deliveries = mirror.subscribe_with(SubscribeOptions::default())?;
    let mut connection = Connection::new(&mirror);
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    loop {
        connection.tell(&mirror);
        match deliveries.next_timeout(POLL) {
            Ok(Delivery::Transaction(transaction)) => print(&transaction, &mut line, &mut out)?,
            Ok(Delivery::Resync(state)) => {
                if let Some(position) = &state.version().position {
                    say!("live at {position}");
                }
            }
            Err(NoTransaction::Ended) => break,
            Err(NoTransaction::Yet) => {
                let reached = mirror.status().position;
                if passed(reached.as_ref(), until.as_ref()) || stop.is_set() {
                    mirror.stop();
                }
            }
        }
    }
    end(&mirror, &stop)
}

/// Tells of connections that were made again.
struct Connection {
    made: u64,
    tried: u64,
    looked: Instant,
}

impl Connection {
    fn new(mirror: &Mirror) -> Self {
        let status = mirror.status();
        Self {
            made: status.reconnects,
            tried: status.connection_attempts,
            looked: Instant::now(),
        }
    }

    /// Prints a line once the mirror is live again, however busy it is.
    fn tell(&mut self, mirror: &Mirror) {
        if self.looked.elapsed() < POLL {
            return;
        }
        self.looked = Instant::now();
        let status = mirror.status();
        if status.reconnects == self.made || status.state != State::Live {
            return;
        }
        let tries = status.connection_attempts - self.tried;
        (self.made, self.tried) = (status.reconnects, status.connection_attempts);
        let at = status
            .position
            .map_or_else(String::new, |position| format!(" at {position}"));
        let plural = if tries == 1 { "try" } else { "tries" };
        let server = status.server;
        say!("live again{at} of server {server}, after {tries} {plural}");
    }
}

fn passed(reached: Option<&BinlogPosition>, until: Option<&BinlogPosition>) -> bool {
    matches!((reached, until), (Some(reached), Some(until)) if reached >= until)
}

fn end(mirror: &Mirror, stop: &StopFlag) -> Result<(), Failure> {
    match mirror.error() {
        Some(error) if !stop.is_set() => Err(error.into()),
        _ => {
            mirror.stop();
            checkpoint::tell_end(mirror)
        }
    }
}

fn print(
    transaction: &Transaction<Tables>,
    line: &mut Vec<u8>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    start_line(line, &transaction.boundary);
    if let Some(reason) = &transaction.reload {
        say!("loaded again: {reason}");
    }
    for change in &transaction.changes {
        add_change(line, &Tables::change_view(change));
    }
    finish_line(line, out)
}
