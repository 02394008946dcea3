//! Statements within a stream that change mirrored tables which they do not name.

use mysql::Conn;

use super::{Touch, TransactionReader, TransactionSink};
use crate::error::Error;
use crate::source::event::QueryEvent;
use crate::source::{Definitions, RawEvent, ServerInfo, SourceError, status::binlog_status};
use crate::statement::{Reach, Reached};

impl TransactionReader {
    /// The same reader with the server's definitions of views, triggers and routines, through
    /// which statements in STATEMENT format change tables that they do not name. Without them it
    /// knows those that the stream has told of.
    ///
    /// # Errors
    /// When the server cannot be asked; definitions that the account may not see are no error.
    pub fn with_definitions_of(
        self,
        conn: &mut Conn,
        info: &ServerInfo,
    ) -> Result<Self, SourceError> {
        let definitions = Definitions::read(conn, info)?;
        let until = binlog_status(conn, info)?;
        let reach = Reach::of_server(&self.layouts, &definitions, until);
        Ok(self.with_reach(reach))
    }

    /// As [`with_definitions_of`](Self::with_definitions_of), with what was read.
    #[must_use]
    pub(crate) fn with_reach(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Tables that a statement changes without naming them; `is_told` when it was told of already,
    /// for those that it names.
    pub(super) fn reach(
        &mut self,
        is_told: bool,
        event: &RawEvent<'_>,
        query: &QueryEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let database = String::from_utf8_lossy(query.database);
        let end = event.end_position();
        let met = self.reach.meet(query.statement, &database, &end, is_told);
        let Some(Reached { mut tables, kind }) = met else {
            return Ok(());
        };
        tables.retain(|&table| self.selected.get(table) == Some(&true));
        if tables.is_empty() {
            return Ok(());
        }
        // Rows only: the tables' definitions are what they were.
        sink.touched(Touch { tables, kind })
    }
}
