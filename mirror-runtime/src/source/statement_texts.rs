//! The text of statements whose rows are in the binlog, asked for one by one (MariaDB).

use mysql::Conn;
use mysql::prelude::Queryable;

use super::error::{Context, from_mysql};
use super::{BinlogPosition, ServerUrl, SourceError, connect};

/// This much of a statement is kept: up to the name of its table, with comments before it.
const MAX_TEXT: usize = 4096;

/// Events that are asked for at first, and then, at a time.
const FIRST_EVENTS: usize = 8;
const MORE_EVENTS: usize = 200;

/// Asks a MariaDB server for the texts of statements in its binlog; needs the right
/// `BINLOG MONITOR` (`REPLICATION CLIENT`), and connects with the first question.
#[derive(Debug)]
pub struct StatementTexts {
    url: ServerUrl,
    conn: Option<Conn>,
    reached: Option<Reached>,
}

/// How far a transaction was read.
#[derive(Debug, Clone)]
struct Reached {
    /// The end of its GTID event.
    group: BinlogPosition,
    /// An event, by its offset and its number among those that a stream has.
    offset: u64,
    index: usize,
}

/// An event as SHOW BINLOG EVENTS prints it: offset, and the text of an ANNOTATE_ROWS.
type Listed = (u64, Option<Vec<u8>>);

impl StatementTexts {
    /// Of the server at this address.
    #[must_use]
    pub fn new(url: ServerUrl) -> Self {
        Self {
            url,
            conn: None,
            reached: None,
        }
    }

    /// The part of a text that is looked at: its first 4 KiB.
    pub(crate) fn beginning(text: &[u8]) -> &[u8] {
        text.get(..MAX_TEXT).unwrap_or(text)
    }

    /// The beginning of the text of the ANNOTATE_ROWS event right before an event (MariaDB
    /// knowledge base, "SHOW BINLOG EVENTS"); `None` when there is none, or the server does not
    /// say.
    ///
    /// The event is the one with this `index`, from 0, of the transaction whose GTID event ends at
    /// `group`, counting those that a stream has: it has no ANNOTATE_ROWS, and from MariaDB 11.x
    /// on no positions within a transaction.
    pub(crate) fn annotation_before(
        &mut self,
        group: &BinlogPosition,
        index: usize,
    ) -> Option<Vec<u8>> {
        let answer = match self.find(group, index) {
            // A connection that was not used for long may be gone.
            Err(_) => {
                self.conn = None;
                self.find(group, index)
            }
            answer => answer,
        };
        answer.unwrap_or_else(|error| {
            tracing::warn!(%group, %error, "the text of a statement is not to be had");
            self.conn = None;
            None
        })
    }

    fn find(
        &mut self,
        group: &BinlogPosition,
        wanted: usize,
    ) -> Result<Option<Vec<u8>>, SourceError> {
        let before = |reached: &Reached| reached.group == *group && reached.index < wanted;
        let start = self.reached.clone().filter(before).unwrap_or(Reached {
            group: group.clone(),
            offset: group.offset,
            index: 0,
        });
        let (mut offset, mut index) = (start.offset, start.index);
        let mut count = FIRST_EVENTS;
        let mut text = None;
        loop {
            let events = self.list(&group.file, offset, count)?;
            // The last one comes again, as the first of the next list.
            let is_end = events.len() < count;
            let whole = events.len().saturating_sub(usize::from(!is_end));
            for (at, annotation) in events.iter().take(whole) {
                match annotation {
                    Some(annotation) => text = Some(annotation.clone()),
                    None if index == wanted => {
                        self.reached = Some(Reached {
                            group: group.clone(),
                            offset: *at,
                            index,
                        });
                        return Ok(text);
                    }
                    None => {
                        text = None;
                        index += 1;
                    }
                }
            }
            match events.last() {
                Some((next, _)) if !is_end => offset = *next,
                _ => return Ok(None),
            }
            count = MORE_EVENTS;
        }
    }

    fn list(&mut self, file: &str, offset: u64, count: usize) -> Result<Vec<Listed>, SourceError> {
        let conn = match &mut self.conn {
            Some(conn) => conn,
            none => none.insert(connect(&self.url)?),
        };
        let file = file.replace('\\', "\\\\").replace('\'', "''");
        let sql = format!("SHOW BINLOG EVENTS IN '{file}' FROM {offset} LIMIT {count}");
        let context = Context {
            address: &self.url.address(),
            user: self.url.user(),
            ..Context::query("asking for the text of a statement")
        };
        let rows: Vec<mysql::Row> = conn
            .query(sql)
            .map_err(|error| from_mysql(error, &context))?;
        Ok(rows.into_iter().filter_map(listed).collect())
    }
}

/// Log_name, Pos, Event_type, Server_id, End_log_pos, Info.
fn listed(mut row: mysql::Row) -> Option<Listed> {
    let offset: u64 = row.take_opt(1)?.ok()?;
    let kind: Vec<u8> = row.take_opt(2)?.ok()?;
    let info: Vec<u8> = row.take_opt(5)?.ok()?;
    let is_annotation = kind == b"Annotate_rows";
    Some((
        offset,
        is_annotation.then(|| StatementTexts::beginning(&info).to_vec()),
    ))
}
