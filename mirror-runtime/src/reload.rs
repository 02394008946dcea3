//! Which changes make the mirror load tables again, and which stop it.

use crate::error::{Error, TableError};
use crate::policy::Cause;
use crate::source::BinlogPosition;
use crate::store::{ApplyError, Divergence};

/// Why tables have to be loaded again, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reload {
    /// For status, log and subscribers.
    pub(crate) reason: String,
    pub(crate) cause: Cause,
    /// Table indexes.
    pub(crate) tables: Vec<usize>,
    /// Whether a change did not fit the rows we hold; the same again right after a load means
    /// that loading does not help.
    pub(crate) diverged: bool,
    /// Whether it was a change that cannot be replayed over rows that may be newer; another load
    /// helps when that change is not in its replay.
    pub(crate) not_replayable: bool,
    /// The end of the transaction that it was, once that has come.
    pub(crate) at: Option<BinlogPosition>,
}

impl Reload {
    /// Of these tables, for a cause that says nothing of the replay.
    pub(crate) fn new(cause: Cause, tables: Vec<usize>, reason: String) -> Self {
        Self {
            reason,
            cause,
            tables,
            diverged: false,
            not_replayable: false,
            at: None,
        }
    }

    /// Takes in what else the transaction did.
    pub(crate) fn join(&mut self, other: Self) {
        for table in other.tables {
            if !self.tables.contains(&table) {
                self.tables.push(table);
            }
        }
        self.diverged |= other.diverged;
        self.not_replayable |= other.not_replayable;
    }
}

/// A divergence is a reason to load again; everything else stops the mirror.
pub(crate) fn apply_error(
    error: ApplyError,
    table: usize,
    name: String,
    position: &BinlogPosition,
) -> Result<Reload, Error> {
    let error = match error {
        ApplyError::Divergence { what, key } => {
            return Ok(divergence(what, key, table, &name, position));
        }
        ApplyError::Value(error) if error.is_absent() => TableError::Unsupported {
            table: name,
            what: format!("a row image without all columns that are needed ({error})"),
            position: position.clone(),
            remedy: "set binlog_row_image = FULL, also in the sessions that write",
        },
        ApplyError::Value(error) => TableError::Value {
            table: name,
            error,
            position: Some(position.clone()),
        },
        ApplyError::Image(error) => TableError::Event {
            event: "ROWS",
            position: position.clone(),
            detail: format!("table {name}: {error}"),
        },
        ApplyError::Mismatch(what) => TableError::Event {
            event: "ROWS",
            position: position.clone(),
            detail: format!("table {name}: {what}"),
        },
    };
    Err(error.into())
}

fn divergence(
    what: Divergence,
    key: Option<String>,
    table: usize,
    name: &str,
    position: &BinlogPosition,
) -> Reload {
    let row = key.map_or_else(String::new, |key| format!(", row {key}"));
    let place = format!("{name}{row} at {position}: {what}");
    let reload = |cause, reason| Reload::new(cause, vec![table], reason);
    match what {
        // The server does so every time, and loading helps every time, but not when the
        // replay of the load meets the next one.
        Divergence::GeneratedNotLogged | Divergence::ReplaceNotTold => Reload {
            not_replayable: true,
            ..reload(Cause::Incomplete, place)
        },
        Divergence::PartialMove | Divergence::JsonReplay => Reload {
            diverged: true,
            not_replayable: true,
            ..reload(Cause::Incomplete, place)
        },
        Divergence::DefaultNotKnown { .. } => Reload {
            diverged: true,
            ..reload(Cause::Incomplete, place)
        },
        _ => Reload {
            diverged: true,
            ..reload(Cause::Divergence, format!("divergence of {place}"))
        },
    }
}
