//! The background auditor: a verification that walks slowly, again and again.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::walk::{Verification, selection};
use super::{Difference, VerifyOptions, VerifyProgress, VerifyReport, Watch};
use crate::error::Error;
use crate::mirror::Shared;
use crate::policy::Cause;
use crate::reload::Reload;
use crate::source::{BinlogPosition, SourceError};
use crate::status::Status;
use crate::store::Schema;

/// How often a waiting auditor looks whether it is to end.
const POLL: Duration = Duration::from_millis(20);
/// First wait after a round that failed; each next one is twice as long, up to the pause or a
/// minute.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How an auditor walks; start from `AuditOptions::default()` and change what you need.
#[derive(Clone)]
pub struct AuditOptions {
    /// Full names (`database.table`) of the tables to compare; `None` for all mirrored ones.
    pub tables: Option<Vec<String>>,
    /// Rows that are read from the server per second, 1 or more; default 5,000.
    pub rows_per_second: u64,
    /// Time between two rounds; default 1 minute.
    pub pause: Duration,
    /// Whether a table with differences is treated as after a divergence, by
    /// [`Policies::divergence`](crate::Policies::divergence): loaded again by default; default
    /// `false`.
    pub heal: bool,
    /// Called for each difference, once per round, on the auditor's thread.
    pub on_finding: Option<FindingCallback>,
}

/// What [`AuditOptions::on_finding`] holds.
pub type FindingCallback = Arc<dyn Fn(&Finding) + Send + Sync>;

impl Default for AuditOptions {
    fn default() -> Self {
        Self {
            tables: None,
            rows_per_second: 5_000,
            pause: Duration::from_secs(60),
            heal: false,
            on_finding: None,
        }
    }
}

impl fmt::Debug for AuditOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditOptions")
            .field("tables", &self.tables)
            .field("rows_per_second", &self.rows_per_second)
            .field("pause", &self.pause)
            .field("heal", &self.heal)
            .finish_non_exhaustive()
    }
}

/// A difference, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// `database.table`.
    pub table: String,
    /// Key and kind.
    pub difference: Difference,
    /// The position of the server at which the row was read last.
    pub position: BinlogPosition,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "table {}, {} (at {})",
            self.table, self.difference, self.position
        )
    }
}

/// How far an auditor is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditProgress {
    /// Rounds over all tables that have ended.
    pub rounds: u64,
    /// `database.table` that is being compared; the last one between two rounds.
    pub table: String,
    /// Rows compared in this round.
    pub rows: u64,
    /// Rows that the mirror holds in all tables that are compared.
    pub total_rows: u64,
    /// Differences found in all rounds; one that stays counts in each.
    pub differences: u64,
    /// What the last round that ended has found.
    pub last_report: Option<VerifyReport>,
    /// Why the last round failed, if it did; it is tried again.
    pub last_error: Option<String>,
    /// Whether the auditor goes on: it ends with its mirror.
    pub is_running: bool,
}

/// A running auditor; it stops when this is dropped.
pub struct Audit {
    watched: Watched,
    thread: Option<JoinHandle<()>>,
}

/// What the auditor's thread and its owner share.
#[derive(Clone)]
struct Watched {
    stop: Arc<AtomicBool>,
    progress: Arc<Mutex<AuditProgress>>,
}

impl Watched {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn update(&self, change: impl FnOnce(&mut AuditProgress)) {
        let progress = self.progress.lock();
        change(&mut progress.unwrap_or_else(PoisonError::into_inner));
    }

    /// Rounds that have ended.
    fn rounds(&self) -> u64 {
        let progress = self.progress.lock();
        progress.unwrap_or_else(PoisonError::into_inner).rounds
    }

    /// Waits, but no longer once the auditor is to stop.
    fn wait(&self, time: Duration, is_over: &dyn Fn() -> bool) {
        let until = Instant::now() + time;
        while !self.is_stopped() && !is_over() {
            match until.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => std::thread::sleep(left.min(POLL)),
                _ => return,
            }
        }
    }
}

impl Audit {
    pub(super) fn start<S: Schema>(
        shared: Arc<Shared<S>>,
        options: AuditOptions,
    ) -> Result<Self, Error> {
        let rate = options.rows_per_second.max(1);
        let verify = VerifyOptions {
            tables: options.tables.clone(),
            page_rows: (rate / 4).clamp(50, 5_000),
            // Each page in a snapshot of its own: none is kept for long.
            snapshot_time: Some(Duration::ZERO),
            ..VerifyOptions::default()
        };
        selection(&shared, &verify)?;
        let watched = Watched {
            stop: Arc::default(),
            progress: Arc::new(Mutex::new(AuditProgress {
                is_running: true,
                ..AuditProgress::default()
            })),
        };
        let thread_watched = watched.clone();
        let thread = std::thread::Builder::new()
            .name("mirror audit".into())
            .spawn(move || {
                walk(&shared, &options, &verify, &thread_watched);
                thread_watched.update(|progress| progress.is_running = false);
            })
            .map_err(|error| SourceError::Broken {
                detail: format!("no thread for the auditor: {error}"),
            })?;
        Ok(Self {
            watched,
            thread: Some(thread),
        })
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> AuditProgress {
        let progress = self.watched.progress.lock();
        progress.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the auditor and waits for its thread, as dropping it does.
    pub fn stop(self) {}
}

impl Drop for Audit {
    fn drop(&mut self) {
        self.watched.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by the panic hook.
            let _ = thread.join();
        }
    }
}

/// Rounds until the mirror ends or the auditor is to stop.
fn walk<S: Schema>(
    shared: &Shared<S>,
    options: &AuditOptions,
    verify: &VerifyOptions,
    watched: &Watched,
) {
    let has_ended = || shared.stopped() || shared.error().is_some();
    let mut wait = FIRST_WAIT;
    while !watched.is_stopped() && !has_ended() {
        let mut watch = Pace {
            watched,
            on_finding: options.on_finding.clone(),
            rows_per_second: options.rows_per_second.max(1),
            has_ended: &has_ended,
            due: Instant::now(),
        };
        let before = shared.status.get();
        let span = tracing::info_span!("audit_round", round = watched.rounds() + 1);
        let result = span.in_scope(|| Verification::new(shared, verify, &mut watch).run());
        if watched.is_stopped() || has_ended() {
            return;
        }
        match result {
            Ok(report) => {
                wait = FIRST_WAIT;
                if options.heal {
                    heal(shared, &report, &before);
                }
                watched.update(|progress| {
                    progress.rounds += 1;
                    progress.last_report = Some(report);
                    progress.last_error = None;
                });
                watched.wait(options.pause, &has_ended);
            }
            Err(error) => {
                tracing::warn!(%error, "a round of the audit failed");
                watched.update(|progress| progress.last_error = Some(error.to_string()));
                watched.wait(wait, &has_ended);
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }
}

/// Hands tables with differences over to the mirror, but for those that were loaded again since
/// the round began.
fn heal<S: Schema>(shared: &Shared<S>, report: &VerifyReport, before: &Status) {
    let now = shared.status.get();
    for table in report.tables.iter().filter(|table| table.differences > 0) {
        let index = S::layouts()
            .iter()
            .position(|layout| layout.full_name() == table.table);
        let loads = |status: &Status| {
            let shown = index.and_then(|index| status.tables.get(index));
            shown.map(|table| table.reloads)
        };
        if loads(&now) != loads(before) {
            continue;
        }
        let key = table.first.first();
        let reason = format!(
            "divergence of {}: rows differ from the server's ({}), the first {}",
            table.table,
            table.differences,
            key.map_or("unnamed", |difference| difference.key.as_str()),
        );
        let tables = index.into_iter().collect();
        shared.request(Reload::new(Cause::Divergence, tables, reason));
    }
}

/// Keeps the rate, and tells how far the auditor is.
struct Pace<'w> {
    watched: &'w Watched,
    on_finding: Option<FindingCallback>,
    rows_per_second: u64,
    has_ended: &'w dyn Fn() -> bool,
    /// When the next page may be read.
    due: Instant,
}

impl Watch for Pace<'_> {
    fn is_stopped(&self) -> bool {
        self.watched.is_stopped()
    }

    fn page(&mut self, progress: &VerifyProgress<'_>, rows: u64) {
        self.watched.update(|shown| {
            shown.table.clear();
            shown.table.push_str(progress.table);
            shown.rows = progress.rows;
            shown.total_rows = progress.total_rows;
        });
        let now = Instant::now();
        // Time that a slow page took is not made up for.
        let took = Duration::from_secs_f64(rows as f64 / self.rows_per_second as f64);
        self.due = self.due.max(now.checked_sub(took).unwrap_or(now)) + took;
        self.watched
            .wait(self.due.saturating_duration_since(now), self.has_ended);
    }

    fn found(&mut self, finding: Finding) {
        tracing::warn!(
            table = finding.table,
            key = finding.difference.key,
            position = %finding.position,
            "the mirror differs from the server"
        );
        self.watched.update(|progress| progress.differences += 1);
        if let Some(callback) = &self.on_finding {
            callback(&finding);
        }
    }
}
