//! The id under which the mirror registers as a replica.

use std::time::{Duration, Instant};

use mysql::Conn;
use mysql::prelude::Queryable;

use super::finding::{Finding, FindingKind, Severity};
use crate::source::error::{Context, SourceError, from_mysql};
use crate::source::server_info::ServerInfo;

/// How long an id is looked for again. A stream that ended stays in the list until the server
/// has failed to send it two heartbeats, on both servers; this allows for heartbeats of up to 3
/// seconds.
const LINGERING: Duration = Duration::from_secs(7);
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// No other replica, nor the server itself, uses our id; an id that is in use is looked for
/// again for a while, since it may be our own from before a restart. Without the right to list
/// replicas the check is passed over: the stream will tell.
pub(super) fn server_id_free(
    conn: &mut Conn,
    info: &ServerInfo,
    server_id: u32,
) -> Result<Finding, SourceError> {
    let finding = |found: String, severity| {
        let needed = "used by nobody else";
        Finding::new(FindingKind::ServerId, "our server_id", &found, needed)
            .remedy("give each replica and mirror a server_id of its own")
            .severity(severity)
    };
    if server_id == 0 {
        return Ok(finding("0".to_owned(), Severity::Error));
    }
    if server_id == info.server_id {
        let found = format!("{server_id} is the server's own");
        return Ok(finding(found, Severity::Error));
    }
    let deadline = Instant::now() + LINGERING;
    let mut listed = replica_ids(conn, info);
    while Instant::now() < deadline && listed.as_ref().is_ok_and(|ids| ids.contains(&server_id)) {
        std::thread::sleep(POLL_INTERVAL);
        listed = replica_ids(conn, info);
    }
    match listed {
        Ok(ids) if ids.contains(&server_id) => Ok(finding(
            format!("{server_id} is used by another replica"),
            Severity::Error,
        )),
        Ok(_) => Ok(finding(server_id.to_string(), Severity::Ok)),
        Err(SourceError::MissingRight { .. }) => Ok(finding(
            format!("{server_id}, and no right to list the replicas"),
            Severity::Ok,
        )),
        Err(error) => Err(error),
    }
}

/// Ids of the replicas that are registered with the server.
fn replica_ids(conn: &mut Conn, info: &ServerInfo) -> Result<Vec<u32>, SourceError> {
    let statement = if info.mysql_at_least(8, 0, 22) {
        "SHOW REPLICAS"
    } else {
        "SHOW SLAVE HOSTS"
    };
    let rows: Vec<mysql::Row> = conn
        .query(statement)
        .map_err(|error| from_mysql(error, &Context::query("listing the replicas")))?;
    Ok(rows
        .iter()
        .filter_map(|row| row.get_opt::<u32, _>(0).and_then(Result::ok))
        .collect())
}
