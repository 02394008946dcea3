//! The connections of a verification.

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::error::{Error, TableError};
use crate::layout::TableLayout;
use crate::row::SelectValue;
use crate::source::{
    BinlogPosition, ServerInfo, ServerUrl, SourceError, connect, query_error, status::binlog_status,
};

const ACTION: &str = "comparing a table";

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// The walk, in one consistent snapshot.
    Walk,
    /// Reading suspects again, each SELECT in a snapshot of its own.
    Check,
    /// Reading suspects as they are before they are committed.
    Dirty,
}

/// The connections, each made when it is needed first.
pub(super) struct Server {
    url: ServerUrl,
    links: [Option<(Conn, ServerInfo)>; 3],
    lets_go: bool,
}

impl Server {
    pub(super) fn new(url: ServerUrl) -> Self {
        Self {
            url,
            links: [None, None, None],
            lets_go: false,
        }
    }

    /// Whether ROLLBACK TO SAVEPOINT lets go of the definitions of the tables that the walk has
    /// read, so that others can change them.
    pub(super) fn lets_go(&self) -> bool {
        self.lets_go
    }

    /// Ends all connections, as after the loss of one.
    pub(super) fn close(&mut self) {
        self.links = [None, None, None];
    }

    pub(super) fn link(&mut self, link: Link) -> Result<&mut (Conn, ServerInfo), SourceError> {
        let slot = &mut self.links[link as usize];
        let open = match slot.take() {
            Some(open) => open,
            None => {
                let mut open = open(&self.url, link)?;
                if link == Link::Walk {
                    self.lets_go = lets_go(&mut open)?;
                }
                open
            }
        };
        Ok(slot.insert(open))
    }

    /// Where the binlog ends.
    pub(super) fn position(&mut self, link: Link) -> Result<BinlogPosition, SourceError> {
        let (conn, info) = self.link(link)?;
        binlog_status(conn, info)
    }

    /// Runs a statement without an answer.
    pub(super) fn run(&mut self, link: Link, sql: &str) -> Result<(), SourceError> {
        let (conn, _) = self.link(link)?;
        conn.query_drop(sql)
            .map_err(|error| query_error(error, ACTION))
    }

    /// Runs a SELECT and gives each row to `take`, one after the other.
    pub(super) fn rows(
        &mut self,
        link: Link,
        layout: &TableLayout,
        (sql, parameters): (String, Vec<SelectValue>),
        take: &mut dyn FnMut(Vec<SelectValue>) -> Result<(), crate::error::ValueError>,
    ) -> Result<u64, Error> {
        let (conn, _) = self.link(link)?;
        let parameters = match parameters.is_empty() {
            true => mysql::Params::Empty,
            false => mysql::Params::Positional(parameters),
        };
        let rows = conn
            .exec_iter(sql, parameters)
            .map_err(|error| query_error(error, ACTION))?;
        let mut count = 0;
        for row in rows {
            let values = row.map_err(|error| query_error(error, ACTION))?.unwrap();
            take(values).map_err(|error| TableError::Value {
                table: layout.full_name(),
                error,
                position: None,
            })?;
            count += 1;
        }
        Ok(count)
    }
}

/// Opens a connection. Dates that no calendar has must be allowed, or the server refuses to
/// compare with one.
fn open(url: &ServerUrl, link: Link) -> Result<(Conn, ServerInfo), SourceError> {
    let mut conn = connect(url)?;
    let info = ServerInfo::read(&mut conn)?;
    let mut settings = vec!["SET SESSION sql_mode = 'ALLOW_INVALID_DATES'"];
    if link == Link::Dirty {
        settings.push("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
    }
    for setting in settings {
        conn.query_drop(setting)
            .map_err(|error| query_error(error, "setting up the session"))?;
    }
    Ok((conn, info))
}

/// Whether a session lets go of definitions at ROLLBACK TO SAVEPOINT. MySQL does. MariaDB does
/// so only in a session that does not log what it writes (seen on 10.11), which takes a right
/// that a mirror need not have; ours writes nothing.
fn lets_go((conn, info): &mut (Conn, ServerInfo)) -> Result<bool, SourceError> {
    if !info.is_mariadb() {
        return Ok(true);
    }
    match conn.query_drop("SET SESSION sql_log_bin = 0") {
        Ok(()) => Ok(true),
        // Refused for lack of the right (1227), or within something (1694).
        Err(mysql::Error::MySqlError(_)) => Ok(false),
        Err(error) => Err(query_error(error, "setting up the session")),
    }
}
