//! A load of which little has to be replayed.
//!
//! Some changes cannot be replayed over rows that may be newer (see
//! [`Divergence`](crate::store::Divergence)). A usual load replays everything that was written
//! while its SELECTs ran, and under constant writes meets such a change at each try. Here all
//! tables are SELECTed by one connection in one consistent snapshot. What is written behind the
//! end that the binlog had right after the snapshot was opened is not in it, however long the
//! SELECTs take, so that from there on each change fits. It is a second choice, since one
//! connection loads slower than several, and a long snapshot makes the server keep old versions
//! of rows.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::anchor::{self, Anchor};
use super::connect_again;
use crate::error::Error;
use crate::layout::TableLayout;
use crate::source::status::{binlog_snapshot, binlog_status, waits_after_sync};
use crate::source::{BinlogPosition, Family, ServerInfo, ServerUrl, StreamStart, query_error};

/// A snapshot is opened so often to find a moment in which nobody commits.
const TRIES: u32 = 50;

/// An open snapshot.
pub(super) struct Snapshot {
    /// The connection that sees it.
    pub(super) conn: Conn,
    /// Every transaction before this is in it.
    pub(super) anchor: Anchor,
    /// The end of the binlog before it was opened.
    pub(super) before: BinlogPosition,
    pub(super) contents: Contents,
}

/// What a snapshot has in it, and what it does not.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    /// By table index, whether it is a matter of the snapshot.
    covered: Vec<bool>,
    /// The end of the binlog after the snapshot was opened.
    until: BinlogPosition,
    /// Whether everything before `until` is in it.
    is_exact: bool,
}

impl Contents {
    /// Whether every change of covered tables is known to be in the snapshot or not.
    pub(crate) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether a change of this table that ends there is certainly in the snapshot.
    pub(crate) fn have(&self, table: usize, end: &BinlogPosition) -> bool {
        self.is_exact && self.covered.get(table) == Some(&true) && *end <= self.until
    }

    /// Whether a change of this table that ends there is certainly not in the snapshot.
    pub(crate) fn lack(&self, table: usize, end: &BinlogPosition) -> bool {
        self.covered.get(table) == Some(&true) && *end > self.until
    }
}

/// Which tables a snapshot shows as they were when it was opened, by table index: those of
/// InnoDB; others it shows as they are.
///
/// # Errors
/// When the server cannot be asked.
fn covered(conn: &mut Conn, layouts: &[&'static TableLayout]) -> Result<Vec<bool>, Error> {
    let mut covered = Vec::with_capacity(layouts.len());
    for layout in layouts {
        let engine: Option<Option<String>> = conn
            .exec_first(
                "SELECT ENGINE FROM information_schema.TABLES \
                 WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
                (layout.database, layout.table),
            )
            .map_err(|error| query_error(error, "reading a table's engine"))?;
        let engine = engine.flatten().unwrap_or_default();
        covered.push(engine.eq_ignore_ascii_case("InnoDB"));
    }
    Ok(covered)
}

/// A snapshot of which the server tells the place in the binlog.
fn exact(conn: Conn, covered: Vec<bool>, position: BinlogPosition) -> Snapshot {
    Snapshot {
        conn,
        anchor: Anchor {
            start: StreamStart::File(position.clone()),
            kind: "consistent snapshot",
        },
        before: position.clone(),
        contents: Contents {
            covered,
            until: position,
            is_exact: true,
        },
    }
}

/// Opens a snapshot: on MariaDB at an exact place, else, if it can be in a moment in which the binlog does not grow.
///
/// # Errors
/// When the server cannot be asked.
pub(super) fn open(
    asks: &mut Conn,
    url: &ServerUrl,
    is_naive: bool,
    info: &ServerInfo,
    layouts: &[&'static TableLayout],
) -> Result<Snapshot, Error> {
    let mut conn = connect_again(url, info)?;
    let covered = covered(asks, layouts)?;
    if info.family == Family::MariaDb
        && !is_naive
        && !waits_after_sync(asks)?
        && let Some((position, _)) = binlog_snapshot(&mut conn, info)?
    {
        return Ok(exact(conn, covered, position));
    }
    let mut tries = 0;
    loop {
        tries += 1;
        let before = binlog_status(asks, info)?;
        let anchor = anchor::choose(asks, info, is_naive)?;
        // Ends the one before.
        conn.query_drop("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            .map_err(|error| query_error(error, "opening a snapshot"))?;
        let until = binlog_status(asks, info)?;
        if before == until || tries == TRIES {
            tracing::debug!(tries, "opened a snapshot");
            return Ok(Snapshot {
                conn,
                anchor,
                before,
                contents: Contents {
                    covered,
                    until,
                    is_exact: false,
                },
            });
        }
    }
}
