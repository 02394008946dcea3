//! Which events belong to which transaction: from binlog events to rows and boundaries.
//!
//! [`TransactionReader`] takes events in order and tells a [`TransactionSink`] about rows of
//! mirrored tables and about the boundaries between transactions. A boundary is told with
//! the event that makes it (XID, a COMMIT statement, a DDL statement), not with the next.

mod annotation;
mod compressed;
mod names;
mod reach;
mod sink;
mod statements;
mod table_maps;
#[cfg(test)]
mod test_support;
mod unpack;

use std::sync::Arc;

use annotation::Annotation;
use compressed::{plain_rows_type, unpack_error};
pub use sink::{Boundary, Redefined, Touch, TransactionSink};
use table_maps::{MappedTable, TableMaps};
use unpack::Unpacker;

use crate::error::{Error, TableError};
use crate::event_policy::{EventPolicy, event_policy};
use crate::image::{ColumnDefault, RowsEvent, RowsKind};
use crate::layout::TableLayout;
use crate::limits::Limits;
use crate::source::event::{event_type, rows_query};
use crate::source::{
    BinlogPosition, Collations, Family, Gtid, GtidEvent, RawEvent, SourceError, StatementTexts,
    mariadb_gtid_flags,
};
use crate::statement::Reach;

/// Table id of the row event that only ends a statement.
const DUMMY_TABLE_ID: u64 = 0x00ff_ffff;

/// The state between events; see the module's documentation.
pub struct TransactionReader {
    layouts: Vec<&'static TableLayout>,
    selected: Vec<bool>,
    maps: TableMaps,
    unpacker: Unpacker,
    /// The event in hand is part of a payload that has more events behind it.
    payload_goes_on: bool,
    annotation: Annotation,
    texts: Option<StatementTexts>,
    reach: Reach,
    /// Where the GTID event of the transaction in hand ended.
    group: Option<BinlogPosition>,
    /// Events of the file since then.
    group_events: usize,
    in_transaction: bool,
    /// The statement in hand is the first phase of an ALTER TABLE of MariaDB, or the end of one
    /// that failed: it changes nothing.
    changes_nothing: bool,
    changed: Vec<usize>,
    gtid: Option<Gtid>,
    commit_micros: Option<u64>,
    /// Whether the start of a transaction was seen; without it the stream starts inside one.
    started: bool,
}

impl TransactionReader {
    /// A reader that stands between two transactions.
    ///
    /// `selected` says which of the tables are followed, by table index.
    #[must_use]
    pub fn new(layouts: &[&'static TableLayout], selected: &[bool]) -> Self {
        let is_selected = |table: usize| selected.get(table).copied().unwrap_or(false);
        Self {
            layouts: layouts.to_vec(),
            selected: (0..layouts.len()).map(is_selected).collect(),
            maps: TableMaps::new(layouts, selected),
            unpacker: Unpacker::default(),
            payload_goes_on: false,
            annotation: Annotation::default(),
            texts: None,
            reach: Reach::new(layouts),
            group: None,
            group_events: 0,
            in_transaction: false,
            changes_nothing: false,
            changed: Vec::new(),
            gtid: None,
            commit_micros: None,
            started: false,
        }
    }

    /// The same reader with limits for what is unpacked.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.unpacker
            .limit(limits.event_bytes, limits.payload_bytes);
        self
    }

    /// The same reader with what columns have that an insert's image lacks: by table index, by
    /// field index.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Vec<Arc<[ColumnDefault]>>) -> Self {
        self.maps = self.maps.with_defaults(defaults);
        self
    }

    /// The same reader with the server's collations: the character sets of text columns are then
    /// compared wherever a TABLE_MAP tells them.
    #[must_use]
    pub fn with_collations(mut self, collations: Collations) -> Self {
        self.maps = self.maps.with_collations(collations);
        self
    }

    /// The same reader for a server whose `lower_case_table_names` is not 0: names of databases
    /// and tables are then compared without regard to case. Else another spelling is another
    /// table.
    #[must_use]
    pub fn with_lower_case_names(mut self, folds: bool) -> Self {
        self.maps = self.maps.with_lower_case_names(folds);
        self
    }

    /// The same reader with a way to ask for the texts of statements. Without it, updates of
    /// MariaDB that lack columns are [`AbsentColumns::Unknown`](crate::image::AbsentColumns), but
    /// for those in recorded files, which have the texts.
    #[must_use]
    pub fn with_statement_texts(mut self, texts: StatementTexts) -> Self {
        self.texts = Some(texts);
        self
    }

    /// From now on the log is that of another server with the same transactions, which has other
    /// positions, collations and rules for names, and is asked for texts.
    pub(crate) fn moved(
        &mut self,
        texts: StatementTexts,
        collations: Collations,
        folds_names: bool,
    ) {
        self.texts = Some(texts);
        self.maps.moved(collations, folds_names);
        self.reach.leave_stretch();
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
        self.payload_goes_on = false;
        self.started = false;
        self.group = None;
        self.start_group();
    }

    fn start_group(&mut self) {
        self.annotation.clear();
        self.in_transaction = false;
        self.changes_nothing = false;
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
        let index = self.group_events;
        // Artificial events are in no file.
        self.group_events += usize::from(event.end > event.start);
        match event_policy(code) {
            EventPolicy::Ignore(_) => Ok(()),
            EventPolicy::Unknown if event.header.is_ignorable() => Ok(()),
            EventPolicy::Unknown => Err(unsupported(
                &format!("the unknown event type {code}"),
                event,
                "this server is newer than this version of mysql-mirror",
            )),
            EventPolicy::Reload(what) => {
                self.touch(what, (0..self.layouts.len()).collect(), sink)?;
                self.end_statement(event, sink)
            }
            EventPolicy::Stop(what) => Err(unsupported(
                what,
                event,
                "start from a position in a binlog that a newer server has written",
            )),
            EventPolicy::Apply(_) => self.apply(event, index, sink),
        }
    }

    fn apply(
        &mut self,
        event: &RawEvent<'_>,
        index: usize,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        self.check_start(event)?;
        match event.header.type_code {
            event_type::TABLE_MAP => {
                let number = self.maps.add(event)?;
                if self.maps.family() == Family::MariaDb {
                    let place = self.group.as_ref().map(|group| (group, index));
                    self.annotation.table_map(number, place);
                }
                Ok(())
            }
            event_type::ANNOTATE_ROWS => {
                self.annotation.set(rows_query(event));
                Ok(())
            }
            event_type::TRANSACTION_PAYLOAD => self.payload(event, sink),
            event_type::XID => self.commit(event, sink),
            event_type::QUERY => self.query(event, sink),
            event_type::QUERY_COMPRESSED => self.query_compressed(event, sink),
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
                self.maps.start_file(event);
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
            | event_type::QUERY_COMPRESSED
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
        let without_effect = mariadb_gtid_flags::START_ALTER | mariadb_gtid_flags::ROLLBACK_ALTER;
        self.changes_nothing = gtid.extra_flags & without_effect != 0;
        self.commit_micros = gtid.committed_at_micros;
        self.group = Some(event.end_position());
        self.group_events = 0;
        self.gtid = gtid.gtid;
        Ok(())
    }

    fn rows(&mut self, event: &RawEvent<'_>, sink: &mut dyn TransactionSink) -> Result<(), Error> {
        let result = self.rows_of_statement(event, sink);
        if RowsEvent::ends_its_statement(event.body) {
            self.annotation.clear();
        }
        result
    }

    fn rows_of_statement(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        let table_id = RowsEvent::parse_table_id(event.body)
            .map_err(|error| unreadable(event, &error.to_string()))?;
        match self.maps.get(table_id) {
            Some(MappedTable::Other) => Ok(()),
            Some(MappedTable::Unnamed { table, how, error }) => {
                self.in_transaction = true;
                sink.unnamed_rows(*table, *how, error.clone())
            }
            Some(MappedTable::Mirrored { table, plan }) => {
                let code = event.header.type_code;
                let (code, compressed) = match plain_rows_type(code) {
                    Some(plain) => (plain, true),
                    None => (code, false),
                };
                let mut rows = RowsEvent::parse(code, event.body)
                    .map_err(|error| unreadable(event, &error.to_string()))?;
                if compressed {
                    rows.rows = self
                        .unpacker
                        .inflate(rows.rows)
                        .map_err(|error| unpack_error(&error, event))?;
                }
                if self.maps.family() == Family::MariaDb
                    && rows.kind == RowsKind::Update
                    && plan.lacks_stored(rows.columns_after)
                {
                    let texts = self.texts.as_mut();
                    rows.absent = self.annotation.absent_columns(table_id, &self.maps, texts);
                }
                if self.changed.last() != Some(table) && !self.changed.contains(table) {
                    self.changed.push(*table);
                }
                self.in_transaction = true;
                let result = sink.rows(*table, plan, &rows, event);
                self.unpacker.trim();
                result
            }
            None if table_id == DUMMY_TABLE_ID => Ok(()),
            None => Err(unreadable(event, "no TABLE_MAP stands before it")),
        }
    }

    fn commit(
        &mut self,
        event: &RawEvent<'_>,
        sink: &mut dyn TransactionSink,
    ) -> Result<(), Error> {
        if self.payload_goes_on {
            return Err(unreadable(
                event,
                "it ends a transaction within a payload that goes on",
            ));
        }
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
