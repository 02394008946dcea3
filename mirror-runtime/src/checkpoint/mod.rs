//! Checkpoints: the tables and their place in the binlog in one file, from which a mirror starts
//! without a load.
//!
//! A checkpoint is taken at a transaction boundary: the mirror's thread hands over a snapshot with
//! the place where the stream would be resumed ([`keeper`]), and a thread of its own writes both
//! ([`writer`]) in the format of [`format`](self::format). At the next start the file is judged
//! against what was compiled in and against the server ([`admit`]), read by several threads
//! ([`reader`]), and the binlog is followed from its place ([`warm_start`]). `docs/checkpoint.md`
//! has the argument.

mod admit;
mod error;
mod folder;
mod format;
mod header;
mod keeper;
mod reader;
mod warm_start;
mod writer;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub use error::{CheckpointError, Unusable};
pub(crate) use keeper::Keeper;

use crate::source::BinlogPosition;
use crate::store::{Schema, Store};

/// Where and when a mirror writes checkpoints; it starts from the one that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointOptions {
    /// Folder of the checkpoint; made when it is not there. One mirror at a time uses it.
    pub folder: PathBuf,
    /// Time from one checkpoint to the next; `None` for only one, at a clean stop. Default 5
    /// minutes. Nothing is written when there was no transaction since the last.
    pub interval: Option<Duration>,
    /// What to do at the start about a checkpoint that cannot be used; default: load the tables.
    pub when_unusable: WhenUnusable,
}

impl CheckpointOptions {
    /// The defaults, for this folder.
    ///
    /// ```
    /// use mirror_runtime::{CheckpointOptions, WhenUnusable};
    ///
    /// let options = CheckpointOptions::new("/var/lib/ads/mirror");
    /// assert_eq!(options.when_unusable, WhenUnusable::Bootstrap);
    /// ```
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            interval: Some(Duration::from_secs(300)),
            when_unusable: WhenUnusable::Bootstrap,
        }
    }
}

/// What a mirror does at its start about a checkpoint that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WhenUnusable {
    /// Load the tables from the server, and say why in the log and in
    /// [`CheckpointStatus::unusable`].
    #[default]
    Bootstrap,
    /// End with [`CheckpointError::Refused`].
    Refuse,
}

/// How a mirror stands with its checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckpointStatus {
    /// Where the checkpoint stood that the mirror started from; `None` when it loaded its tables.
    pub started_from: Option<BinlogPosition>,
    /// Why the checkpoint that was there at the start was not used.
    pub unusable: Option<String>,
    /// When the last one was written; `None` before the first of this run.
    pub written_at: Option<SystemTime>,
    /// Where it stands.
    pub position: Option<BinlogPosition>,
    /// Bytes of its file.
    pub bytes: u64,
    /// How long it took to write.
    pub took: Duration,
    /// Checkpoints that were written in this run.
    pub written: u64,
    /// Why the last try to write one failed; the last good one is kept then, and the next try is
    /// made when the next is due.
    pub error: Option<String>,
}

impl CheckpointStatus {
    /// Time since the last one was written; `None` before the first of this run.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        // Nothing when the clock was put back.
        Some(self.written_at?.elapsed().unwrap_or_default())
    }
}

/// All tables of a checkpoint's file, without a server; `None` when there is no file. Tables that
/// are not in it are empty.
///
/// # Errors
/// When it cannot be read, is damaged, or is of other tables than `S` has.
pub fn read_checkpoint<S: Schema>(path: &Path) -> Result<Option<S::Snapshot>, Unusable> {
    let Some(opened) = reader::open(path, u64::MAX)? else {
        return Ok(None);
    };
    let tables = opened.header.tables.iter().map(Option::is_some);
    let wanted: Vec<bool> = tables.take(S::layouts().len()).collect();
    admit::check_schema::<S>(&opened.header, &wanted)?;
    let position = opened.header.position.clone();
    let (store, mut writer) = Store::<S>::new();
    if let Some(tables) = opened.load(&writer, &wanted, &|_, _| true)? {
        writer.replace(tables);
        writer.commit(position);
    }
    Ok(Some(store.snapshot().into()))
}
