//! From where the replay starts: a place that is not ahead of what a SELECT sees.
//!
//! The position of SHOW BINARY LOG STATUS is no such place: the server advances it before the
//! transaction is visible. These are, best first:
//!
//! - MariaDB: `binlog_snapshot_file` and `binlog_snapshot_position` of START TRANSACTION WITH
//!   CONSISTENT SNAPSHOT, which is exact.
//! - MariaDB whose commits wait for a semi-synchronous replica between binlog and engine
//!   (AFTER_SYNC): the start of the oldest file that may hold a transaction that is not
//!   visible. That position is not exact there: a new file, and the checkpoint event that
//!   follows, move it past transactions that still wait (seen on 10.11 in about 1 of 200 loads
//!   with a FLUSH BINARY LOGS shortly before).
//! - MySQL with GTIDs: `@@global.gtid_executed`, to which a GTID is added after its
//!   transaction is visible.
//! - MySQL 8 and later: `performance_schema.log_status`, which stops commits for the moment.
//! - The start of the current binlog file: the server waits for running commits before it
//!   opens a new file.

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::error::Error;
use crate::source::status::{
    binlog_checkpoint, binlog_snapshot, binlog_status, gtid_executed, has_gtids, log_status,
    waits_after_sync,
};
use crate::source::{BinlogPosition, Family, ServerInfo, StreamStart, query_error};

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
        if waits_after_sync(conn)? {
            let now = binlog_status(conn, info)?;
            return Ok(Anchor {
                start: StreamStart::File(binlog_checkpoint(conn, &now)?),
                kind: "binlog checkpoint",
            });
        }
        if let Some((position, _)) = binlog_snapshot(conn, info)? {
            // The position is all that was wanted. Open, the transaction would keep the
            // definitions of tables that this session looks at; an ALTER would wait for it, and
            // the load behind the ALTER, for ever.
            conn.query_drop("ROLLBACK")
                .map_err(|error| query_error(error, "ending a snapshot"))?;
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
