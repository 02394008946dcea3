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
    /// What to do when loading does not help.
    pub(crate) remedy: &'static str,
}

/// For rows that are not as the log says.
pub(crate) const UNLOGGED_WRITES: &str =
    "find out who writes without the binlog (sql_log_bin=0) and start again";
/// For images that cannot be replayed over rows that may be newer.
pub(crate) const FULL_IMAGES: &str = "set binlog_row_image = FULL, also in the sessions that write, or start again while these \
     are not written";
/// For tables that are redefined while the log has no names of columns.
pub(crate) const NAMES: &str =
    "set binlog_row_metadata = FULL, or start again when the table is not altered any more";
/// For statements that change tables without row events.
pub(crate) const ROW_FORMAT: &str = "find out who runs this statement (with binlog_format = ROW its rows are in the log) and \
     start again";
/// For what a foreign key did to rows that may be newer.
pub(crate) const QUIET_PARENTS: &str =
    "start again while rows of the parent table are not deleted and keep their keys";
/// For logs that are gone when the mirror wants to go on in them.
pub(crate) const KEPT_LOGS: &str =
    "keep binlogs longer (binlog_expire_logs_seconds), and leave gtid_mode as it is";

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
                remedy: FULL_IMAGES,
            });
        }
        ApplyError::Divergence(divergence) => {
            let not_replayable = matches!(
                divergence,
                Divergence::PartialMove | Divergence::JsonReplay
            );
            let lacks_columns = not_replayable
                || matches!(
                    divergence,
                    Divergence::JsonDifference | Divergence::DefaultNotKnown { .. }
                );
            return Ok(Reload {
                reason: format!("divergence of {table} at {position}: {divergence}"),
                diverged: true,
                not_replayable,
                at: None,
                remedy: if lacks_columns {
                    FULL_IMAGES
                } else {
                    UNLOGGED_WRITES
                },
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
