//! `mirror status`: the status of a mirror, once.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use generated::Mirror;
use indicatif::{HumanBytes, HumanCount};
use mirror_runtime::{Health, Readiness, Staleness, Status};

use crate::cli::StatusArguments;
use crate::exit::Failure;
use crate::progress::wait_with_progress;
use crate::stop::on_signal;
use crate::tail::options;

/// Runs the command.
pub(crate) fn run(arguments: &StatusArguments) -> Result<(), Failure> {
    let mirror = Arc::new(Mirror::start(options(
        &arguments.server,
        &arguments.limits,
    )?)?);
    let at_signal = Arc::clone(&mirror);
    let stop = on_signal(move || at_signal.stop())?;
    wait_with_progress(&mirror, &stop)?;
    let status = mirror.status();
    let text = match arguments.json {
        true => format!("{:#}\n", status.to_json()),
        false => as_text(&status),
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::Output {
            what: "standard output".into(),
            error,
        })?;
    match status.readiness(&Staleness::default()) {
        Readiness::Ready => Ok(()),
        Readiness::NotReady(reason) => Err(Failure::NotReady(reason)),
    }
}

/// The status in lines of at most 80 characters, as far as names allow.
pub(crate) fn as_text(status: &Status) -> String {
    let mut text = String::new();
    for (name, value) in facts(status) {
        let _ = writeln!(text, "{name:<12} {value}");
    }
    let width = status
        .tables
        .iter()
        .map(|table| table.table.chars().count());
    let width = width.max().unwrap_or(0).max(5);
    let _ = writeln!(
        text,
        "\n{:width$} {:>12} {:>11} {:>11} {:>10}",
        "TABLE", "ROWS", "ROW BYTES", "INDEXES", "VERSIONS"
    );
    for table in &status.tables {
        let _ = writeln!(
            text,
            "{:width$} {:>12} {:>11} {:>11} {:>10}",
            table.table,
            HumanCount(table.rows).to_string(),
            HumanBytes(table.memory.row_bytes as u64).to_string(),
            HumanBytes(table.memory.index_bytes as u64).to_string(),
            HumanCount(table.memory.versions as u64).to_string(),
        );
    }
    text
}

/// What there is to say of a mirror as a whole.
pub(crate) fn facts(status: &Status) -> Vec<(&'static str, String)> {
    let health = match status.health() {
        Health::Starting => "starting".to_owned(),
        Health::Healthy => "healthy".to_owned(),
        Health::Stale(reason) => format!("stale: {reason}"),
        Health::Unhealthy(reason) => format!("unhealthy: {reason}"),
    };
    let place = status
        .position
        .as_ref()
        .map_or("none".into(), ToString::to_string);
    let mut facts = vec![
        ("state", format!("{}, {health}", status.state.name())),
        ("server", status.server.clone()),
        ("position", place),
    ];
    if let Some(gtid) = &status.gtid {
        facts.push(("last GTID", gtid.to_string()));
    }
    facts.push((
        "lag",
        format!(
            "{} from commit to visible, {} since the server was heard",
            short(status.commit_to_visible),
            short(status.silent_for)
        ),
    ));
    facts.push((
        "since start",
        format!(
            "transactions {}, reconnects {} ({} tries), reloads {}",
            HumanCount(status.transactions),
            status.reconnects,
            status.connection_attempts,
            status.reloads
        ),
    ));
    facts.push((
        "memory",
        format!(
            "{} in tables, {} versions for snapshots",
            HumanBytes(status.memory_bytes() as u64),
            HumanCount(status.pinned_versions())
        ),
    ));
    if let Some(oldest) = status.oldest_snapshot {
        facts.push((
            "snapshots",
            format!("the oldest is {} old", short(Some(oldest))),
        ));
    }
    facts
}

/// A duration in a few characters; `-` for none.
pub(crate) fn short(duration: Option<Duration>) -> String {
    match duration {
        None => "-".to_owned(),
        Some(duration) if duration.as_millis() < 1 => format!("{} µs", duration.as_micros()),
        Some(duration) if duration.as_secs() < 1 => format!("{} ms", duration.as_millis()),
        Some(duration) if duration.as_secs() < 120 => format!("{:.1} s", duration.as_secs_f64()),
        Some(duration) => format!("{} min", duration.as_secs() / 60),
    }
}
