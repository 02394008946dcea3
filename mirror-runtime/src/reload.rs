//! Which changes make the mirror load all tables again, and which stop it.

use crate::error::{Error, TableError};
use crate::source::BinlogPosition;
use crate::store::{ApplyError, Divergence};

/// Why all tables have to be loaded again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reload {
    /// For status, log and subscribers.
    pub(crate) reason: String,
    /// Whether a change did not fit the rows we hold; the same again right after a load means
    /// that loading does not help.
    pub(crate) diverged: bool,
    /// Whether it was a change that cannot be replayed over rows that may be newer; another load
    /// helps when that change is not in its replay.
    pub(crate) not_replayable: bool,
    /// The end of the transaction that it was, once that has come.
    pub(crate) at: Option<BinlogPosition>,
}

/// A divergence is a reason to load again; everything else stops the mirror.
pub(crate) fn apply_error(
    error: ApplyError,
    table: String,
    position: &BinlogPosition,
) -> Result<Reload, Error> {
    let error = match error {
        ApplyError::Divergence(
            why @ (Divergence::GeneratedNotLogged | Divergence::ReplaceNotTold),
        ) => {
            return Ok(Reload {
                reason: format!("{table} at {position}: {why}"),
                // The server does so every time, and loading helps every time, but not when the
                // replay of the load meets the next one.
                diverged: false,
                not_replayable: true,
                at: None,
            });
        }
        ApplyError::Divergence(divergence) => {
            return Ok(Reload {
                reason: format!("divergence of {table} at {position}: {divergence}"),
                diverged: true,
                not_replayable: matches!(
                    divergence,
                    Divergence::PartialMove | Divergence::JsonReplay
                ),
                at: None,
            });
        }
        ApplyError::Value(error) if error.is_absent() => TableError::Unsupported {
            table,
            what: format!("a row image without all columns that are needed ({error})"),
            position: position.clone(),
            remedy: "set binlog_row_image = FULL, also in the sessions that write",
        },
        ApplyError::Value(error) => TableError::Value {
            table,
            error,
            position: Some(position.clone()),
        },
        ApplyError::Image(error) => TableError::Event {
            event: "ROWS",
            position: position.clone(),
            detail: format!("table {table}: {error}"),
        },
        ApplyError::Mismatch(what) => TableError::Event {
            event: "ROWS",
            position: position.clone(),
            detail: format!("table {table}: {what}"),
        },
    };
    Err(error.into())
}
