//! Statements within a stream: they frame transactions, or change tables without row events.

use super::{Redefined, Touch, TransactionReader, TransactionSink};
use crate::error::Error;
use crate::source::RawEvent;
use crate::source::event::QueryEvent;
use crate::statement::{Statement, classify};

/// Statements that change rows and no definition.
const ROWS_ONLY: [&str; 7] = [
    "INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD", "ROLLBACK", "XA",
];

impl TransactionReader {
    pub(super) fn query(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let query = QueryEvent::parse(event)?;
        self.statement(event, &query, sink)
    }

    pub(super) fn statement(
        &mut self,
        event: &RawEvent<'_>,
        query: &QueryEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        if self.changes_nothing {
            return self.end_statement(event, sink);
        }
        let database = String::from_utf8_lossy(query.database);
        match classify(query.statement, &database, &self.layouts) {
            Statement::Begin | Statement::XaStart => self.in_transaction = true,
            Statement::Savepoint | Statement::XaEnd => {}
            Statement::Commit => return self.commit(event, sink),
            Statement::Rollback => return self.rollback(event, sink),
            Statement::RollbackTo => self.touch_changed("ROLLBACK TO SAVEPOINT", sink)?,
            // Alone in its group, whatever the group's GTID event says.
            Statement::XaRollback => return self.commit(event, sink),
            Statement::XaCommit => {
                // Which tables the prepared rows are of is not in this event.
                self.touch("XA COMMIT", (0..self.layouts.len()).collect(), sink)?;
                return self.commit(event, sink);
            }
            Statement::Harmless => {
                self.reach(false, event, query, sink)?;
                return self.end_statement(event, sink);
            }
            // Perhaps of a temporary table that has the name of a mirrored one.
            Statement::Truncate { table } if event.header.is_thread_specific() => {
                self.touch("TRUNCATE", vec![table], sink)?;
                return self.end_statement(event, sink);
            }
            Statement::Truncate { table } => {
                if self.selected.get(table) == Some(&true) {
                    self.changed.push(table);
                    sink.truncate(table)?;
                }
                return self.end_statement(event, sink);
            }
            Statement::Touches { tables, kind } => {
                let is_told = tables
                    .iter()
                    .any(|&table| self.selected.get(table) == Some(&true));
                self.touch(&kind, tables, sink)?;
                self.reach(is_told, event, query, sink)?;
                return self.end_statement(event, sink);
            }
        }
        Ok(())
    }

    /// The end of a statement that is a transaction of its own, unless it stands in one.
    pub(super) fn end_statement(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        if self.in_transaction || self.payload_goes_on {
            return Ok(());
        }
        self.commit(event, sink)
    }

    /// ROLLBACK as the end of a group: the server logs it where rows of a non-transactional
    /// engine stay; which those are, the log does not say.
    fn rollback(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        self.touch_changed("ROLLBACK", sink)?;
        self.commit(event, sink)
    }

    fn touch_changed(&mut self, kind: &str, sink: &mut dyn TransactionSink) -> Result<(), Error> {
        let tables = self.changed.clone();
        self.touch(kind, tables, sink)
    }

    pub(super) fn touch(
        &mut self,
        kind: &str,
        tables: Vec<usize>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let tables: Vec<usize> = tables
            .into_iter()
            .filter(|&table| self.selected.get(table) == Some(&true))
            .collect();
        if tables.is_empty() {
            return Ok(());
        }
        let touch = Touch {
            tables,
            kind: kind.to_owned(),
        };
        if touch.kind.starts_with("CREATE") {
            self.maps.altered(&touch.tables, Redefined::Created);
        } else if !ROWS_ONLY.iter().any(|verb| touch.kind.starts_with(verb)) {
            self.maps.altered(&touch.tables, Redefined::Altered);
        }
        sink.touched(touch)
    }
}
