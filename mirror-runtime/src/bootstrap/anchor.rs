//! From where the replay starts: a place that is not ahead of what a SELECT sees.
//!
//! The position of SHOW BINARY LOG STATUS is no such place: the server advances it before the
//! transaction is visible. These are, best first:
//!
//! - MariaDB: `binlog_snapshot_file` and `binlog_snapshot_position` of START TRANSACTION WITH
//!   CONSISTENT SNAPSHOT, which is exact.
//! - MySQL with GTIDs: `@@global.gtid_executed`, to which a GTID is added after its
//!   transaction is visible.
//! - MySQL 8 and later: `performance_schema.log_status`, which stops commits for the moment.
//! - The start of the current binlog file: the server waits for running commits before it
//!   opens a new file.

use mysql::Conn;

use crate::error::Error;
use crate::source::status::{binlog_snapshot, binlog_status, gtid_executed, has_gtids, log_status};
use crate::source::{BinlogPosition, Family, ServerInfo, StreamStart};

/// An anchor, and how it was found.
pub(super) struct Anchor {
    pub(super) start: StreamStart,
    pub(super) kind: &'static str,
}

/// Finds the best anchor that the server and the user's rights allow.
///
/// # Errors
/// When the server cannot be asked.
pub(super) fn choose(conn: &mut Conn, info: &ServerInfo, naive: bool) -> Result<Anchor, Error> {
    if naive {
        return Ok(Anchor {
            start: StreamStart::File(binlog_status(conn, info)?),
            kind: "naive position",
        });
    }
    if info.family == Family::MariaDb {
        if let Some((position, _)) = binlog_snapshot(conn, info)? {
            return Ok(Anchor {
                start: StreamStart::File(position),
                kind: "consistent snapshot",
            });
        }
    } else {
        if has_gtids(conn, info)? {
            return Ok(Anchor {
                start: StreamStart::Gtid(gtid_executed(conn, info)?),
                kind: "gtid_executed",
            });
        }
        if let Some((position, _)) = log_status(conn, info)? {
            return Ok(Anchor {
                start: StreamStart::File(position),
                kind: "log_status",
            });
        }
    }
    let now = binlog_status(conn, info)?;
    Ok(Anchor {
        start: StreamStart::File(BinlogPosition::start_of(now.file)),
        kind: "start of the current file",
    })
}
