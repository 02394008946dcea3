//! Proof that a mirror and its server agree, while both go on.
//!
//! **Frame.** Rows are read from the server between two snapshots of the mirror: snapshot
//! *before*; the SELECT; the server's binlog position *p*; a wait until the mirror shows
//! everything before p; snapshot *after*. What a SELECT sees is in the binlog before it is
//! visible, so that every change that it saw is in *after*. A row that is the very same in
//! memory in both snapshots was touched by no change between them, so what the server has must
//! equal it. One that differs between them is good when it is what one of them holds; otherwise
//! it is read again.
//!
//! **The walk** makes one frame for the whole verification: the SELECTs of all tables run in one
//! consistent snapshot of the server, opened between *before* and *after*. So all rows are
//! compared as of one position. A snapshot that is lost or has become too old is opened anew,
//! which the report says.
//!
//! **Suspects**, rows that do not agree, are read again by their keys in frames of a few
//! milliseconds. A difference is reported when the held row is the very same through several
//! frames in a row and differs in each. One thing could still make a good mirror differ: a
//! transaction stands in the binlog, and so in the mirror, before a SELECT sees it (a commit that
//! waits for the disk or for a semi-synchronous replica). Its rows are locked until then, so a
//! dirty read (READ UNCOMMITTED, which takes no locks either) shows exactly its version: a row
//! that is as the mirror holds it in the dirty read is no difference, but read again later. And
//! once it is visible, the next frame sees it. So the second frame in a row is proof already;
//! [`FRAMES`](recheck) are made. A row that neither agrees nor stays the same until the time is
//! over is reported as *not compared*, never passed over.

mod audit;
mod recheck;
mod report;
mod select;
mod server;
mod view;
mod walk;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use audit::{Audit, AuditOptions, AuditProgress, Finding, FindingCallback};
pub use report::{Difference, DifferenceKind, TableReport, VerifyReport};
pub(crate) use select::{key_text, key_text_of, sql_parameter};

use crate::error::Error;
use crate::mirror::Mirror;
use crate::store::Schema;
use walk::Verification;

/// How a mirror is verified; start from `VerifyOptions::default()` and change what you need.
#[derive(Clone)]
pub struct VerifyOptions {
    /// Full names (`database.table`) of the tables to compare; `None` for all mirrored ones.
    pub tables: Option<Vec<String>>,
    /// Rows that are read from the server at a time, 1 or more; default 5,000. Their keys are
    /// kept in memory, and a change of a table's definition waits for no longer than that.
    pub page_rows: u64,
    /// How long a snapshot of the server is kept before another is opened. The report tells
    /// whether that was enough for all tables to be compared at one position. `None`, the
    /// default: 10 minutes; but 1 second on MariaDB with a user who may not set `sql_log_bin`,
    /// where the definitions of tables that were read cannot change before the snapshot ends.
    pub snapshot_time: Option<Duration>,
    /// Keys that the report names of each table; default 20. The others are counted.
    pub named_keys: usize,
    /// How long a row that changes all the time is read again; default 20 s.
    pub recheck_time: Duration,
    /// How long the mirror may take to reach a position of the server; default 10 minutes.
    pub patience: Duration,
    /// Called after every page, on the thread that verifies.
    pub on_progress: Option<ProgressCallback>,
}

/// What [`VerifyOptions::on_progress`] holds.
pub type ProgressCallback = Arc<dyn Fn(&VerifyProgress<'_>) + Send + Sync>;

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            tables: None,
            page_rows: 5_000,
            snapshot_time: None,
            named_keys: 20,
            recheck_time: Duration::from_secs(20),
            patience: Duration::from_secs(600),
            on_progress: None,
        }
    }
}

impl fmt::Debug for VerifyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyOptions")
            .field("tables", &self.tables)
            .field("page_rows", &self.page_rows)
            .field("snapshot_time", &self.snapshot_time)
            .field("named_keys", &self.named_keys)
            .field("recheck_time", &self.recheck_time)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

/// How far a verification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifyProgress<'a> {
    /// `database.table` that is being compared.
    pub table: &'a str,
    /// Rows compared so far, of all tables.
    pub rows: u64,
    /// Rows that the mirror holds in all tables that are compared.
    pub total_rows: u64,
    /// Rows that differ so far.
    pub differences: u64,
}

/// Who looks on while a verification runs.
trait Watch {
    /// Whether it is to end.
    fn is_stopped(&self) -> bool;
    /// A page of so many rows was compared.
    fn page(&mut self, progress: &VerifyProgress<'_>, rows: u64);
    /// A difference was found.
    fn found(&mut self, finding: Finding);
}

/// Nobody looks on; the options' callback may.
struct Unwatched;

impl Watch for Unwatched {
    fn is_stopped(&self) -> bool {
        false
    }

    fn page(&mut self, _progress: &VerifyProgress<'_>, _rows: u64) {}

    fn found(&mut self, _finding: Finding) {}
}

impl<S: Schema> Mirror<S> {
    /// Compares the mirror's rows with the server's, value by value, in both directions; the
    /// mirror goes on meanwhile, and so may writers. Takes no locks, and needs no rights beyond
    /// those of the mirror.
    ///
    /// Waits for a mirror that is not live yet.
    ///
    /// # Errors
    /// When the server cannot be asked, the mirror ends, or it does not reach the server's
    /// position in time. Differences are no error: see [`VerifyReport::is_equal`].
    ///
    /// # Examples
    /// ```no_run
    /// # use mirror_runtime::{Mirror, Schema, VerifyOptions};
    /// # fn example<S: Schema>(mirror: &Mirror<S>) -> Result<(), mirror_runtime::Error> {
    /// let report = mirror.verify(&VerifyOptions::default())?;
    /// if !report.is_equal() {
    ///     eprintln!("{report}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn verify(&self, options: &VerifyOptions) -> Result<VerifyReport, Error> {
        Verification::new(&self.shared, options, &mut Unwatched).run()
    }

    /// Compares the mirror with the server again and again, slowly, on a thread of its own,
    /// until the returned handle is dropped or the mirror ends.
    ///
    /// # Errors
    /// When `options` names a table that is not mirrored, or no thread can be started.
    ///
    /// # Examples
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use mirror_runtime::{AuditOptions, Mirror, Schema};
    /// # fn example<S: Schema>(mirror: &Mirror<S>) -> Result<(), mirror_runtime::Error> {
    /// let audit = mirror.audit(AuditOptions {
    ///     rows_per_second: 2_000,
    ///     on_finding: Some(Arc::new(|finding| eprintln!("{finding}"))),
    ///     ..AuditOptions::default()
    /// })?;
    /// println!("{:?}", audit.progress());
    /// # Ok(())
    /// # }
    /// ```
    pub fn audit(&self, options: AuditOptions) -> Result<Audit, Error> {
        Audit::start(Arc::clone(&self.shared), options)
    }
}
