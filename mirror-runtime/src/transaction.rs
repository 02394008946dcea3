//! Which events belong to which transaction: from binlog events to rows and boundaries.
//!
//! [`TransactionReader`] takes events in order and tells a [`TransactionSink`] about rows of
//! mirrored tables and about the boundaries between transactions. A boundary is told with
//! the event that makes it (XID, a COMMIT statement, a DDL statement), not with the next.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::error::{Error, TableError};
use crate::event_policy::{EventPolicy, event_policy};
use crate::image::{ColumnDefault, Plan, RowsEvent, TableMap};
use crate::layout::TableLayout;
use crate::source::event::{QueryEvent, event_type};
use crate::source::{BinlogPosition, Gtid, GtidEvent, RawEvent, SourceError, mariadb_gtid_flags};
use crate::statement::{Statement, classify};

/// The end of a transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// Position after the transaction's last event: a place to resume from.
    pub position: BinlogPosition,
    /// The transaction's GTID, where the server gives one.
    pub gtid: Option<Gtid>,
    /// Commit time on the server, in microseconds since 1970-01-01 00:00:00 UTC (whole
    /// seconds where the server logs no more).
    pub committed_at_micros: u64,
}

/// A statement or event after which row events alone no longer tell what a table holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// Table indexes.
    pub tables: Vec<usize>,
    /// What it was: the leading words of a statement, or the name of an event.
    pub kind: String,
}

impl Touch {
    /// Whether it was a statement about the tables' definition, which waits for everybody who
    /// uses them and lets nobody use them until it is over.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        ["ALTER", "CREATE", "DROP", "RENAME", "TRUNCATE"]
            .iter()
            .any(|verb| self.kind.starts_with(verb))
    }
}

/// What a [`TransactionReader`] tells.
pub trait TransactionSink {
    /// Rows of a mirrored table, within a transaction.
    ///
    /// # Errors
    /// When they cannot be taken; the reader stops with it.
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), Error>;
    /// TRUNCATE TABLE of a mirrored table.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn truncate(&mut self, table: usize) -> Result<(), Error>;
    /// Row events alone no longer tell what these tables hold; told before the boundary.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn touched(&mut self, touch: Touch) -> Result<(), Error>;
    /// Everything since the last boundary is committed.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn commit(&mut self, boundary: Boundary) -> Result<(), Error>;
    /// Everything since the last boundary never happened.
    fn abandon(&mut self);
}

/// A table map of this stream.
struct Mapped {
    /// The TABLE_MAP's body: the server repeats it with every statement.
    body: Box<[u8]>,
    /// Table index and plan; `None` for a table that is not mirrored.
    mirrored: Option<(usize, Box<Plan>)>,
}

/// More table maps than this are forgotten at once; the server sends one with each statement.
const MAX_TABLE_MAPS: usize = 4096;
/// Table id of the row event that only ends a statement.
const DUMMY_TABLE_ID: u64 = 0x00ff_ffff;

/// The state between events; see the module's documentation.
pub struct TransactionReader {
    layouts: Vec<&'static TableLayout>,
    selected: Vec<bool>,
    /// By database and table, with a zero byte between.
    by_name: HashMap<String, usize>,
    /// The same in lower case; `None` where several tables differ by case only.
    by_lower_name: HashMap<String, Option<usize>>,
    maps: HashMap<u64, Mapped>,
    in_transaction: bool,
    changed: Vec<usize>,
    /// Tables whose definition may have changed on the way: without names in the table map,
    /// another order of columns would not show.
    altered: HashSet<usize>,
    gtid: Option<Gtid>,
    commit_micros: Option<u64>,
    /// Whether the start of a transaction was seen; without it the stream starts inside one.
    started: bool,
    /// By table index; empty when they are not known.
    defaults: Vec<Arc<[ColumnDefault]>>,
}

impl TransactionReader {
    /// A reader that stands between two transactions.
    ///
    /// `selected` says which of the tables are followed, by table index.
    #[must_use]
    pub fn new(layouts: &[&'static TableLayout], selected: &[bool]) -> Self {
        let is_selected = |table: usize| selected.get(table).copied().unwrap_or(false);
        let mut by_name = HashMap::new();
        let mut by_lower_name = HashMap::new();
        for (table, layout) in layouts.iter().enumerate() {
            if is_selected(table) {
                let name = full_name(layout.database, layout.table);
                by_lower_name
                    .entry(name.to_lowercase())
                    .and_modify(|found| *found = None)
                    .or_insert(Some(table));
                by_name.insert(name, table);
            }
        }
        Self {
            layouts: layouts.to_vec(),
            selected: (0..layouts.len()).map(is_selected).collect(),
            by_name,
            by_lower_name,
            maps: HashMap::new(),
            in_transaction: false,
            changed: Vec::new(),
            altered: HashSet::new(),
            gtid: None,
            commit_micros: None,
            started: false,
            defaults: Vec::new(),
        }
    }

    /// The same reader with what columns have that an insert's image lacks: by table index, by
    /// field index.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Vec<Arc<[ColumnDefault]>>) -> Self {
        self.defaults = defaults;
        self
    }

    /// Whether the last event taken was inside a transaction.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// Forgets a transaction that was cut, and all table maps: the stream starts again at a
    /// boundary.
    pub fn restart(&mut self) {
        self.maps.clear();
        self.started = false;
        self.start_group();
    }

    fn start_group(&mut self) {
        self.in_transaction = false;
        self.changed.clear();
        self.gtid = None;
        self.commit_micros = None;
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// When the event cannot be read or applied, or the sink refuses.
    pub fn event(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let code = event.header.type_code;
        match event_policy(code) {
            EventPolicy::Ignore(_) => Ok(()),
            EventPolicy::Unknown if event.header.is_ignorable() => Ok(()),
            EventPolicy::Unknown => Err(unsupported(
                &format!("the unknown event type {code}"),
                event,
                "this server is newer than this version of mysql-mirror",
            )),
            EventPolicy::Stop(what) => self.stop(event, what, sink),
            EventPolicy::Apply => self.apply(event, sink),
        }
    }

    fn apply(&mut self, event: &RawEvent<'_>, sink: &mut dyn TransactionSink) -> Result<(), Error> {
        self.check_start(event)?;
        match event.header.type_code {
            event_type::TABLE_MAP => self.table_map(event),
            event_type::XID => self.commit(event, sink),
            event_type::QUERY => self.query(event, sink),
            event_type::EXECUTE_LOAD_QUERY => {
                let body = without_load_header(event.body)
                    .ok_or_else(|| unreadable(event, "it is shorter than its header"))?;
                let statement = RawEvent {
                    body: &body,
                    ..*event
                };
                self.query(&statement, sink)
            }
            event_type::FORMAT_DESCRIPTION => {
                // A new file or a restarted server: a transaction does not span that.
                self.maps.clear();
                if event.header.log_pos != 0 && self.in_transaction {
                    sink.abandon();
                    self.start_group();
                }
                Ok(())
            }
            event_type::XA_PREPARE => self.xa_prepare(event, sink),
            event_type::GTID
            | event_type::ANONYMOUS_GTID
            | event_type::GTID_TAGGED
            | event_type::MARIADB_GTID => self.gtid(event, sink),
            _ => self.rows(event, sink),
        }
    }

    /// The first event of a stream must not be one from the middle of a transaction.
    fn check_start(&mut self, event: &RawEvent<'_>) -> Result<(), Error> {
        match event.header.type_code {
            event_type::FORMAT_DESCRIPTION => Ok(()),
            event_type::GTID
            | event_type::ANONYMOUS_GTID
            | event_type::GTID_TAGGED
            | event_type::MARIADB_GTID
            | event_type::QUERY
            | event_type::EXECUTE_LOAD_QUERY => {
                self.started = true;
                Ok(())
            }
            _ if self.started => Ok(()),
            _ => Err(SourceError::Malformed {
                file: event.file.to_string(),
                position: event.start,
                detail: "the stream starts inside a transaction: give a position between two \
                         transactions, as `mirror tail` prints them"
                    .into(),
            }
            .into()),
        }
    }

    fn gtid(&mut self, event: &RawEvent<'_>, sink: &mut dyn TransactionSink) -> Result<(), Error> {
        let gtid = GtidEvent::parse(event)?.ok_or_else(|| unreadable(event, "it is no GTID"))?;
        if self.in_transaction && !self.changed.is_empty() {
            return Err(unreadable(event, "it stands inside a transaction"));
        }
        if self.in_transaction {
            sink.abandon();
        }
        self.start_group();
        // MariaDB has no BEGIN: its GTID event opens a group, but for single statements.
        self.in_transaction = matches!(gtid.gtid, Some(Gtid::MariaDb(_)))
            && gtid.flags & mariadb_gtid_flags::STANDALONE == 0;
        self.commit_micros = gtid.committed_at_micros;
        self.gtid = gtid.gtid;
        Ok(())
    }

    fn table_map(&mut self, event: &RawEvent<'_>) -> Result<(), Error> {
        let body = event.body;
        let header =
            TableMap::parse_header(body).map_err(|error| unreadable(event, &error.to_string()))?;
        let known = self.maps.get(&header.table_id);
        if known.is_some_and(|known| *known.body == *body) {
            return Ok(());
        }
        if self.maps.len() >= MAX_TABLE_MAPS {
            self.maps.clear();
        }
        let Some(table) = self.find_table(header.database, header.table) else {
            let mapped = Mapped {
                body: body.into(),
                mirrored: None,
            };
            self.maps.insert(header.table_id, mapped);
            return Ok(());
        };
        let map = TableMap::parse(body).map_err(|error| unreadable(event, &error.to_string()))?;
        let layout = self.layout(table)?;
        if map.metadata.names.is_none() && self.altered.contains(&table) {
            return Err(TableError::Layout {
                table: layout.full_name(),
                column: None,
                expected: "the layout of before the last ALTER, or names to check the new one by"
                    .into(),
                found: "an altered table without names (set binlog_row_metadata = FULL)".into(),
                position: Some(event.end_position()),
            }
            .into());
        }
        let plan = Plan::new(layout, &map).map_err(|mismatch| TableError::Layout {
            table: layout.full_name(),
            column: Some(mismatch.column),
            expected: mismatch.expected,
            found: mismatch.found,
            position: Some(event.end_position()),
        })?;
        let defaults = self.defaults.get(table).cloned().unwrap_or_default();
        let plan = plan.with_defaults(defaults);
        self.maps.insert(
            header.table_id,
            Mapped {
                body: body.into(),
                mirrored: Some((table, Box::new(plan))),
            },
        );
        Ok(())
    }

    /// The mirrored table of that name; with lower_case_table_names the log has names in
    /// lower case, so a name that matches only without case is taken when it is the only one.
    fn find_table(&self, database: &str, table: &str) -> Option<usize> {
        let name = full_name(database, table);
        match self.by_name.get(&name) {
            Some(&found) => Some(found),
            None => self.by_lower_name.get(&name).copied().flatten(),
        }
    }

    fn layout(&self, table: usize) -> Result<&'static TableLayout, Error> {
        self.layouts
            .get(table)
            .copied()
            .ok_or_else(|| Error::UnknownTable {
                name: format!("number {table}"),
                mirrored: String::new(),
            })
    }

    fn rows(&mut self, event: &RawEvent<'_>, sink: &mut dyn TransactionSink) -> Result<(), Error> {
        let table_id = RowsEvent::parse_table_id(event.body)
            .map_err(|error| unreadable(event, &error.to_string()))?;
        match self.maps.get(&table_id).map(|mapped| &mapped.mirrored) {
            Some(None) => Ok(()),
            Some(Some((table, plan))) => {
                let rows = RowsEvent::parse(event.header.type_code, event.body)
                    .map_err(|error| unreadable(event, &error.to_string()))?;
                if self.changed.last() != Some(table) && !self.changed.contains(table) {
                    self.changed.push(*table);
                }
                self.in_transaction = true;
                sink.rows(*table, plan, &rows, event)
            }
            None if table_id == DUMMY_TABLE_ID => Ok(()),
            None => Err(unreadable(event, "no TABLE_MAP stands before it")),
        }
    }

    fn query(&mut self, event: &RawEvent<'_>, sink: &mut dyn TransactionSink) -> Result<(), Error> {
        let query = QueryEvent::parse(event)?;
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
            Statement::Harmless => return self.end_statement(event, sink),
            Statement::Truncate { table } => {
                if self.selected.get(table) == Some(&true) {
                    self.changed.push(table);
                    sink.truncate(table)?;
                }
                return self.end_statement(event, sink);
            }
            Statement::Touches { tables, kind } => {
                self.touch(&kind, tables, sink)?;
                return self.end_statement(event, sink);
            }
        }
        Ok(())
    }

    /// The end of a statement that is a transaction of its own, unless it stands in one.
    fn end_statement(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        if self.in_transaction {
            return Ok(());
        }
        self.commit(event, sink)
    }

    fn commit(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let boundary = Boundary {
            position: event.end_position(),
            gtid: self.gtid.take(),
            committed_at_micros: self
                .commit_micros
                .unwrap_or_else(|| u64::from(event.header.timestamp) * 1_000_000),
        };
        self.start_group();
        sink.commit(boundary)
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

    fn xa_prepare(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let one_phase = event.body.first().is_some_and(|&flag| flag != 0);
        if !one_phase {
            // Prepared rows are invisible until XA COMMIT, after which the tables are loaded.
            sink.abandon();
        }
        self.commit(event, sink)
    }

    fn touch_changed(&mut self, kind: &str, sink: &mut dyn TransactionSink) -> Result<(), Error> {
        let tables = self.changed.clone();
        self.touch(kind, tables, sink)
    }

    fn touch(
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
        self.altered.extend(&tables);
        sink.touched(Touch {
            tables,
            kind: kind.to_owned(),
        })
    }

    fn stop(
        &mut self,
        event: &RawEvent<'_>,
        what: &'static str,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        match event.header.type_code {
            event_type::INCIDENT => {
                self.touch("INCIDENT", (0..self.layouts.len()).collect(), sink)?;
                self.end_statement(event, sink)
            }
            event_type::PARTIAL_UPDATE_ROWS => {
                let table_id = RowsEvent::parse_table_id(event.body)
                    .map_err(|error| unreadable(event, &error.to_string()))?;
                match self.maps.get(&table_id) {
                    Some(Mapped { mirrored: None, .. }) => Ok(()),
                    _ => Err(unsupported(
                        what,
                        event,
                        "set binlog_row_value_options='' in the sessions that write",
                    )),
                }
            }
            _ => Err(unsupported(
                what,
                event,
                "switch binlog compression off (binlog_transaction_compression, log_bin_compress)",
            )),
        }
    }
}

fn full_name(database: &str, table: &str) -> String {
    format!("{database}\0{table}")
}

/// The body of an EXECUTE_LOAD_QUERY as that of a QUERY: 13 bytes of header more are left out
/// (MySQL source: Execute_load_query_log_event).
fn without_load_header(body: &[u8]) -> Option<Vec<u8>> {
    let mut query = body.get(..13)?.to_vec();
    query.extend_from_slice(body.get(26..)?);
    Some(query)
}

fn unreadable(event: &RawEvent<'_>, detail: &str) -> Error {
    TableError::Event {
        event: event.header.type_name(),
        position: event.end_position(),
        detail: detail.to_owned(),
    }
    .into()
}

fn unsupported(what: &str, event: &RawEvent<'_>, remedy: &'static str) -> Error {
    TableError::Unsupported {
        table: "*".into(),
        what: what.into(),
        position: event.end_position(),
        remedy,
    }
    .into()
}
