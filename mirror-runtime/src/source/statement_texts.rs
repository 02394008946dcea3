//! The text of statements whose rows are in the binlog, asked for one by one (MariaDB).

use std::borrow::Cow;

use mysql::Conn;
use mysql::prelude::Queryable;

use super::error::{Context, from_mysql};
use super::{BinlogPosition, ServerUrl, SourceError, connect};

/// This much of a statement is kept: up to the name of its table, with comments before it.
const MAX_TEXT: usize = 4096;

/// Asks a MariaDB server for the texts of statements in its binlog; needs the right
/// `BINLOG MONITOR` (`REPLICATION CLIENT`), and connects with the first question.
#[derive(Debug)]
pub struct StatementTexts {
    url: ServerUrl,
    conn: Option<Conn>,
}

impl StatementTexts {
    /// Of the server at this address.
    #[must_use]
    pub fn new(url: ServerUrl) -> Self {
        Self { url, conn: None }
    }

    /// The part of a text that is looked at: its first 4 KiB.
    pub(crate) fn beginning(text: &[u8]) -> &[u8] {
        text.get(..MAX_TEXT).unwrap_or(text)
    }

    /// The beginning of the text of the ANNOTATE_ROWS event at a position (MariaDB knowledge base,
    /// "SHOW BINLOG EVENTS"); `None` when no such event is there, or the server does not say.
    pub(crate) fn annotation_at(&mut self, position: &BinlogPosition) -> Option<Vec<u8>> {
        let answer = match self.ask(position) {
            // A connection that was not used for long may be gone.
            Err(_) => {
                self.conn = None;
                self.ask(position)
            }
            answer => answer,
        };
        answer.unwrap_or_else(|error| {
            tracing::warn!(%position, %error, "the text of a statement is not to be had");
            self.conn = None;
            None
        })
    }

    fn ask(&mut self, position: &BinlogPosition) -> Result<Option<Vec<u8>>, SourceError> {
        let conn = match &mut self.conn {
            Some(conn) => conn,
            none => none.insert(connect(&self.url)?),
        };
        let file = position.file.replace('\\', "\\\\").replace('\'', "''");
        let sql = format!(
            "SHOW BINLOG EVENTS IN '{file}' FROM {} LIMIT 1",
            position.offset
        );
        let context = Context {
            address: &self.url.address(),
            user: self.url.user(),
            ..Context::query("asking for the text of a statement")
        };
        let row: Option<mysql::Row> = conn
            .query_first(sql)
            .map_err(|error| from_mysql(error, &context))?;
        // Log_name, Pos, Event_type, Server_id, End_log_pos, Info.
        let field = |at: usize| match row.as_ref().and_then(|row| row.as_ref(at)) {
            Some(mysql::Value::Bytes(bytes)) => Cow::Borrowed(bytes.as_slice()),
            Some(mysql::Value::Int(number)) => Cow::Owned(number.to_string().into_bytes()),
            Some(mysql::Value::UInt(number)) => Cow::Owned(number.to_string().into_bytes()),
            _ => Cow::Borrowed(&[][..]),
        };
        let is_there = *field(1) == *position.offset.to_string().as_bytes();
        Ok((is_there && *field(2) == *b"Annotate_rows")
            .then(|| Self::beginning(&field(5)).to_vec()))
    }
}
