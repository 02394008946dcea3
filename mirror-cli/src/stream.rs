//! `mirror tail --from` and `--gtid`: the stream without a mirror behind it.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use generated::Tables;
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::jsonl::{write_row, write_string};
use mirror_runtime::source::status::binlog_status;
use mirror_runtime::source::{
    Collations, EventSource, GtidSet, LiveSource, RawEvent, ServerInfo, StatementTexts, StopHandle,
    StreamOptions, StreamStart, connect, derive_server_id,
};
use mirror_runtime::store::{ApplyError, Divergence, Op, Schema, ShownRow};
use mirror_runtime::transaction::{Boundary, Redefined, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{BinlogPosition, Error, Options, SourceError, TableError, ValueError};
use mysql::prelude::Queryable;

use crate::cli::TailArguments;
use crate::exit::Failure;
use crate::lines::{finish_line, open_change, start_line};
use crate::servers::first_that_serves;
use crate::stop::{StopFlag, on_signal};
use crate::tail::options;

/// Runs the command.
pub(crate) fn run(arguments: &TailArguments) -> Result<(), Failure> {
    let mut options = options(&arguments.server, &arguments.limits)?;
    options.check()?;
    let layouts = Tables::layouts();
    let selected = options.selection(layouts)?;
    if arguments.from.is_some() && options.url.servers().len() > 1 {
        return Err(Failure::Usage(
            "--from is a place in the binlog of one server, and the URL names several; name that \
             server alone, or start from a GTID set (--gtid)"
                .into(),
        ));
    }
    options.url = first_that_serves(&options.url)?;
    let mut conn = connect(&options.url)?;
    let info = ServerInfo::read(&mut conn)?;
    mirror_runtime::check_server::<Tables>(&mut conn, &info, &selected, None)?;
    let start = start(arguments, &info)?;
    let until = if arguments.until_current {
        Some(binlog_status(&mut conn, &info)?)
    } else {
        None
    };
    if let (StreamStart::File(start), Some(until)) = (&start, &until)
        && start >= until
    {
        return if start == until {
            Ok(())
        } else {
            Err(SourceError::AheadOfServer {
                asked: start.to_string(),
                detail: format!("it ends at {until}"),
            }
            .into())
        };
    }
    let reader = TransactionReader::new(layouts, &selected)
        .with_limits(&options.limits)
        .with_collations(Collations::read(&mut conn, &info)?)
        .with_definitions_of(&mut conn, &info)?;
    drop(conn);
    let handle: Arc<Mutex<Option<StopHandle>>> = Arc::default();
    let at_signal = Arc::clone(&handle);
    let stop = on_signal(move || {
        if let Some(handle) = at_signal
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
        {
            handle.stop();
        }
    })?;
    let (mut source, stream_handle) =
        LiveSource::open(&options.url, &start, stream_options(&options, &until))?;
    *handle.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream_handle);
    let mut printer = Printer::new();
    let mut reader = reader
        .with_lower_case_names(info.lower_case_table_names != 0)
        .with_statement_texts(StatementTexts::new(options.url.clone()));
    let result = read(
        &mut source,
        &mut reader,
        &mut printer,
        until.as_ref(),
        &stop,
    );
    match result {
        Err(_) if stop.is_set() => Ok(()),
        Err(failure) => Err(at_start(failure, &start, &options)),
        Ok(()) => Ok(()),
    }
}

/// "Error when executing command": what SHOW BINLOG EVENTS gives for a place where no event
/// starts (MySQL and MariaDB server error references).
const ER_ERROR_WHEN_EXECUTING_COMMAND: u16 = 1220;

/// A failure that comes of a start where no event starts, said as that: what the server sends
/// from there is read as something else, so its own error tells nothing.
fn at_start(failure: Failure, start: &StreamStart, options: &Options) -> Failure {
    let (Failure::Mirror(_), StreamStart::File(position)) = (&failure, start) else {
        return failure;
    };
    let file = position.file.replace('\'', "''");
    let sql = format!(
        "SHOW BINLOG EVENTS IN '{file}' FROM {} LIMIT 1",
        position.offset
    );
    // Without the right to ask, or a connection, the failure stays as it is.
    let asked = connect(&options.url).map(|mut conn| conn.query_drop(sql));
    match asked {
        Ok(Err(mysql::Error::MySqlError(error)))
            if error.code == ER_ERROR_WHEN_EXECUTING_COMMAND =>
        {
            Failure::Usage(format!(
                "--from {position}: no event starts there; expected the place behind a transaction: \
                 \"file\" and \"position\" of a line of `mirror tail`, Pos of a GTID event in \
                 SHOW BINLOG EVENTS IN '{file}', or {}:4, the start of the file",
                position.file
            ))
        }
        _ => failure,
    }
}

fn stream_options(options: &Options, until: &Option<BinlogPosition>) -> StreamOptions {
    StreamOptions {
        server_id: options
            .server_id
            .unwrap_or_else(|| derive_server_id(&options.url)),
        heartbeat_seconds: options.heartbeat_seconds,
        non_blocking: until.is_some(),
        max_event_bytes: options.limits.event_bytes,
    }
}

fn start(arguments: &TailArguments, info: &ServerInfo) -> Result<StreamStart, Failure> {
    if let Some(from) = &arguments.from {
        let position = from
            .parse()
            .map_err(|error| Failure::Usage(format!("--from: {error}")))?;
        return Ok(StreamStart::File(position));
    }
    let set = arguments.gtid.as_deref().unwrap_or_default();
    let set = GtidSet::parse(set, info.family)
        .map_err(|error| Failure::Usage(format!("--gtid: {error}")))?;
    Ok(StreamStart::Gtid(set))
}

/// Reads to the end, to `until`, or until the user stops it.
fn read(
    source: &mut LiveSource,
    reader: &mut TransactionReader,
    printer: &mut Printer,
    until: Option<&BinlogPosition>,
    stop: &StopFlag,
) -> Result<(), Failure> {
    while let Some(event) = source.next_event()? {
        reader.event(&event, printer)?;
        if let Some(failure) = printer.failure.take() {
            return Err(failure);
        }
        if reader.in_transaction() {
            continue;
        }
        if stop.is_set() || until.is_some_and(|until| event.end_position() >= *until) {
            return Ok(());
        }
    }
    Ok(())
}

/// Collects the changes of a transaction and prints it at its boundary.
struct Printer {
    line: Vec<u8>,
    changes: Vec<u8>,
    failure: Option<Failure>,
}

impl Printer {
    fn new() -> Self {
        Self {
            line: Vec::new(),
            changes: Vec::new(),
            failure: None,
        }
    }

    fn table_name(table: usize) -> String {
        Tables::layouts()
            .get(table)
            .map_or_else(String::new, |layout| layout.full_name())
    }

    /// Adds that rows alone no longer tell what a table holds, and says `how` that came.
    fn reload(&mut self, table: usize, reason: &str, how: &str) {
        let name = Self::table_name(table);
        open_change(&mut self.changes, &name, "reload");
        self.changes.extend_from_slice(b",\"reason\":");
        write_string(&mut self.changes, reason);
        self.changes
            .extend_from_slice(b",\"before\":null,\"after\":null}");
        say!("table {name}: {how}");
    }
}

impl TransactionSink for Printer {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        let name = Self::table_name(table);
        let changes = &mut self.changes;
        let mut show = |before: ShownRow<'_>, after: ShownRow<'_>| {
            add_images(changes, &name, before, after);
            Ok(())
        };
        let Some(decoder) = Tables::kinds().get(table) else {
            return Ok(());
        };
        match decoder.decode_only(plan, rows, &mut show) {
            Ok(()) => Ok(()),
            Err(ApplyError::Divergence {
                what: why @ (Divergence::GeneratedNotLogged | Divergence::ReplaceNotTold),
                ..
            }) => {
                let why = why.to_string();
                self.reload(table, &why, &not_told(&why));
                Ok(())
            }
            Err(error) => Err(decode_error(error, &name, event)),
        }
    }

    fn unnamed_rows(&mut self, table: usize, how: Redefined, error: Error) -> Result<(), Error> {
        if how == Redefined::Altered {
            return Err(error);
        }
        let reason = "rows of a table made anew, without names (binlog_row_metadata is not FULL)";
        self.reload(table, reason, &not_told(reason));
        Ok(())
    }

    fn truncate(&mut self, table: usize) -> Result<(), Error> {
        open_change(&mut self.changes, &Self::table_name(table), "truncate");
        self.changes
            .extend_from_slice(b",\"before\":null,\"after\":null}");
        Ok(())
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        let how = match touch.is_definition() {
            true => format!(
                "{} here: a change of definition, which tells of no rows",
                touch.kind
            ),
            false => not_told(&touch.kind),
        };
        for &table in &touch.tables {
            self.reload(table, &touch.kind, &how);
        }
        Ok(())
    }

    fn commit(&mut self, boundary: Boundary) -> Result<(), Error> {
        if self.changes.is_empty() {
            return Ok(());
        }
        start_line(&mut self.line, &boundary);
        self.line.append(&mut self.changes);
        let mut out = std::io::stdout().lock();
        if let Err(failure) = finish_line(&mut self.line, &mut out as &mut dyn Write) {
            self.failure = Some(failure);
        }
        Ok(())
    }

    fn abandon(&mut self) {
        self.changes.clear();
    }
}

/// What is said when changes of rows are not in the log.
fn not_told(reason: &str) -> String {
    format!("rows alone no longer tell what it holds: {reason}")
}

fn add_images(out: &mut Vec<u8>, table: &str, before: ShownRow<'_>, after: ShownRow<'_>) {
    let op = match (&before, &after) {
        (None, _) => Op::Insert,
        (Some(_), Some(_)) => Op::Update,
        (Some(_), None) => Op::Delete,
    };
    let op = match op {
        Op::Insert => "insert",
        Op::Update => "update",
        _ => "delete",
    };
    open_change(out, table, op);
    for (name, row) in [("before", before), ("after", after)] {
        out.extend_from_slice(format!(",\"{name}\":").as_bytes());
        match row {
            Some(row) => write_row(out, row, Some(&|field| row.has(field))),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
}

fn decode_error(error: ApplyError, table: &str, event: &RawEvent<'_>) -> Error {
    let value = |error: ValueError| TableError::Value {
        table: table.to_owned(),
        error,
        position: Some(event.end_position()),
    };
    match error {
        ApplyError::Value(error) => value(error),
        other => TableError::Event {
            event: event.header.type_name(),
            position: event.end_position(),
            detail: format!("table {table}: {other}"),
        },
    }
    .into()
}
