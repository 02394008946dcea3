//! A detached server made a replica of another.

use std::time::Duration;

use mysql::prelude::Queryable;
use mysql::{Conn, Row, Value};

use crate::client;
use crate::detached::Status;
use crate::error::{Error, Result};
use crate::flavor::Flavor;
use crate::process;

/// Time that replication has to begin.
const LIMIT: Duration = Duration::from_secs(20);

/// "You have an error in your SQL syntax" (MySQL server error reference).
const ER_PARSE_ERROR: u16 = 1064;

/// Makes the running server `replica` follow the running server `source` from its first
/// transaction on, by GTIDs, and waits until it does. One that is a replica already stays what
/// it is, and must be following.
///
/// # Errors
/// [`Error::Name`] when the two are of different flavours or one does not run; [`Error::State`]
/// with the server's reason when replication does not begin in 20 s.
pub fn replicate(replica: &Status, source: &Status) -> Result<()> {
    let (port, source_port) = (port(replica)?, port(source)?);
    if replica.flavor != source.flavor {
        return Err(Error::Name {
            name: source.name.clone().unwrap_or_default(),
            what: format!(
                "is that of a {} server, which a {} server cannot follow here",
                source.flavor, replica.flavor
            ),
        });
    }
    let mut conn = client::connect(port)?;
    if replication(&mut conn)?.is_none() {
        begin(&mut conn, replica.flavor, source_port)?;
    }
    let mut last = String::new();
    let follows = process::wait_until(LIMIT, || match replication(&mut conn) {
        Ok(Some(now)) => {
            last = now.error;
            now.runs
        }
        Ok(None) => false,
        Err(error) => {
            last = error.to_string();
            false
        }
    });
    match follows {
        true => Ok(()),
        false => Err(Error::State {
            flavor: replica.flavor,
            port,
            what: format!("does not follow the one on port {source_port}: {last}"),
        }),
    }
}

fn port(status: &Status) -> Result<u16> {
    let running = status.pid.and(status.port);
    running.ok_or_else(|| Error::Name {
        name: status.name.clone().unwrap_or_default(),
        what: "is that of a server that does not run: start it first".to_owned(),
    })
}

/// Tells a server its source, and starts it.
fn begin(conn: &mut Conn, flavor: Flavor, port: u16) -> Result<()> {
    let master = format!(
        "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port}, MASTER_USER='root', \
         MASTER_CONNECT_RETRY=1"
    );
    let sql = match flavor {
        Flavor::Mysql => format!(
            "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={port}, \
             SOURCE_USER='root', SOURCE_CONNECT_RETRY=1, SOURCE_AUTO_POSITION=1, \
             GET_SOURCE_PUBLIC_KEY=1"
        ),
        Flavor::Mariadb => format!("{master}, MASTER_USE_GTID=slave_pos"),
    };
    let old = format!("{master}, MASTER_AUTO_POSITION=1");
    or_as_before(conn.query_drop(sql), || conn.query_drop(old))
        .map_err(Error::sql("cannot name the source of the replica"))?;
    or_as_before(conn.query_drop("START REPLICA"), || {
        conn.query_drop("START SLAVE")
    })
    .map_err(Error::sql("cannot start the replica"))
}

/// The words of servers before MySQL 8.0.22, where these are not understood.
fn or_as_before<T>(
    result: mysql::Result<T>,
    before: impl FnOnce() -> mysql::Result<T>,
) -> mysql::Result<T> {
    match result {
        Err(mysql::Error::MySqlError(error)) if error.code == ER_PARSE_ERROR => before(),
        other => other,
    }
}

/// What a server says of its replication.
struct Replication {
    runs: bool,
    error: String,
}

/// `None` for a server that was not told a source.
fn replication(conn: &mut Conn) -> Result<Option<Replication>> {
    let row: Option<Row> = or_as_before(conn.query_first("SHOW REPLICA STATUS"), || {
        conn.query_first("SHOW SLAVE STATUS")
    })
    .map_err(Error::sql("cannot ask for the state of the replica"))?;
    Ok(row.map(|row| {
        let all = |end: &str| -> Vec<String> {
            let columns = row.columns();
            let named = columns.iter().enumerate();
            named
                .filter(|(_, column)| column.name_str().ends_with(end))
                .filter_map(|(at, _)| match row.as_ref(at) {
                    Some(Value::Bytes(text)) => Some(String::from_utf8_lossy(text).into_owned()),
                    _ => None,
                })
                .collect()
        };
        let threads = [all("_IO_Running"), all("_SQL_Running")].concat();
        let errors = [all("Last_IO_Error"), all("Last_SQL_Error")].concat();
        Replication {
            runs: threads.len() == 2 && threads.iter().all(|state| state == "Yes"),
            error: errors.join(" ").trim().to_owned(),
        }
    }))
}
