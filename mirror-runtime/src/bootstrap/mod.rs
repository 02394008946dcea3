//! The consistent load of all tables from a server that is being written to.
//!
//! 1. An *anchor*: a place in the binlog such that every transaction before it is visible to
//!    SELECTs from now on (see [`anchor`]).
//! 2. SELECTs of the tables in pieces, on several connections, without locks. Each row that
//!    they give is at least as new as the anchor.
//! 3. The server's position *p2* after the last SELECT: nothing that a SELECT saw is after it.
//! 4. A replay of the binlog from the anchor to p2, tolerant of rows that are newer than the
//!    change (the newer change follows before p2).
//!
//! Then the tables are what the server had at p2. This module does 1 to 3.
//!
//! Where a replay met what it could not apply, the next load is made in one snapshot, of which
//! it is known what it does not have in it (see [`snapshot`]).

mod anchor;
mod defaults;
mod load;
mod pieces;
mod snapshot;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mysql::Conn;
use mysql::prelude::Queryable;

pub(crate) use pieces::select;
pub(crate) use snapshot::Contents;

use crate::by_position::ByPosition;
use crate::error::Error;
use crate::foreign_key_check::{check_foreign_keys, logs_cascades};
use crate::foreign_keys::ForeignKeys;
use crate::image::ColumnDefault;
use crate::layout::TableLayout;
use crate::layout_check::check_layouts;
use crate::options::Options;
use crate::source::{
    BinlogPosition, Collations, Definitions, Requirements, ServerInfo, Severity, SourceError,
    SourceErrorKind, StopHandle, StreamStart, TableRequirement, connect, preflight, query_error,
    status::binlog_status,
};
use crate::statement::Reach;
use crate::status::{State, StatusCell};
use crate::store::Schema;

/// Loaded tables, and from where to replay.
pub(crate) struct Loaded<S> {
    /// The tables; not yet a state that the server ever had.
    pub(crate) tables: S,
    /// Where to start the replay.
    pub(crate) start: StreamStart,
    /// The end of the binlog before the first SELECT: a change of a table's definition that is
    /// before that was over when the table was SELECTed.
    pub(crate) before_load: BinlogPosition,
    /// Where it ends.
    pub(crate) until: BinlogPosition,
    /// Of a load in one snapshot: what it does not have in it.
    pub(crate) contents: Option<Contents>,
    /// What columns have that an insert's image lacks: by table index, by field index. As of
    /// after `before_load`, like the rows.
    pub(crate) defaults: Vec<Arc<[ColumnDefault]>>,
    /// The server's collations.
    pub(crate) collations: Collations,
    /// From where the stream goes on by position.
    pub(crate) by_position: ByPosition,
    /// Through what statements change tables that they do not name.
    pub(crate) reach: Reach,
}

/// Checks the server, then loads all selected tables.
///
/// `asks` gets what ends the connection that asks the questions, in whatever it waits for. With
/// `in_snapshot` the tables are loaded in one snapshot.
///
/// # Errors
/// When the server or its settings do not serve, or a value cannot be converted.
pub(crate) fn bootstrap<S: Schema>(
    options: &Options,
    selected: &[bool],
    server_id: Option<u32>,
    status: &StatusCell,
    stop: &AtomicBool,
    asks: &dyn Fn(StopHandle),
    in_snapshot: bool,
) -> Result<Loaded<S>, Error> {
    let mut conn = connect(&options.url)?;
    asks(StopHandle::new(&conn)?);
    let info = ServerInfo::read(&mut conn)?;
    check_server::<S>(&mut conn, &info, selected, server_id)?;
    let definitions = Definitions::read(&mut conn, &info)?;
    // What a foreign key does cannot be replayed over rows of different times.
    let has_cascades = !ForeignKeys::new(S::layouts(), selected).is_empty();
    let in_snapshot = in_snapshot || (has_cascades && !logs_cascades(&mut conn, &info)?);
    let (anchor, before_load, snapshot, contents) = if in_snapshot {
        let opened = snapshot::open(&mut conn, options, &info, S::layouts())?;
        let contents = Some(opened.contents);
        (opened.anchor, opened.before, Some(opened.conn), contents)
    } else {
        let anchor = anchor::choose(&mut conn, &info, options.naive_anchor)?;
        (anchor, binlog_status(&mut conn, &info)?, None, None)
    };
    // What was made before the anchor, and what was dropped behind it.
    let definitions = definitions.and(Definitions::read(&mut conn, &info)?);
    let known_until = binlog_status(&mut conn, &info)?;
    tracing::info!(anchor = anchor.kind, start = %anchor.start, in_snapshot, "loading");
    status.update(|status| status.state = State::Loading);
    let collations = Collations::read(&mut conn, &info)?;
    let loaded = defaults::read(&mut conn, &info, S::layouts(), selected).and_then(|defaults| {
        load::load::<S>(&mut conn, options, selected, status, stop, snapshot)
            .map(|tables| (tables, defaults))
    });
    let (tables, defaults) = match loaded {
        Err(Error::Source(error)) if is_about_columns(&error) => {
            // Altered since the check: said by the check, with table, expected and found.
            check_server::<S>(&mut conn, &info, selected, None)?;
            return Err(SourceError::Broken {
                detail: format!("a table was altered while it was loaded: {error}"),
            }
            .into());
        }
        loaded => loaded?,
    };
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Stopped);
    }
    let until = binlog_status(&mut conn, &info)?;
    let by_position = ByPosition::new(&info, &anchor.start, &before_load);
    Ok(Loaded {
        tables,
        by_position,
        start: anchor.start,
        before_load,
        until,
        contents,
        defaults,
        collations,
        reach: Reach::of_server(S::layouts(), &definitions, known_until),
    })
}

/// Whether table maps carry the columns' names, so that these may stand at other places.
pub(crate) fn has_full_metadata(conn: &mut Conn) -> Result<bool, Error> {
    let row: Option<(String, String)> = conn
        .query_first("SHOW GLOBAL VARIABLES LIKE 'binlog_row_metadata'")
        .map_err(|error| query_error(error, "reading binlog_row_metadata"))?;
    Ok(row.is_some_and(|(_, value)| value.eq_ignore_ascii_case("FULL")))
}

/// Unknown column (1054), unknown table (1146) or a definition that has changed (1412) in a
/// SELECT of the load (MySQL server error reference).
fn is_about_columns(error: &SourceError) -> bool {
    matches!(
        error,
        SourceError::UnknownTable { .. }
            | SourceError::Server {
                code: 1054 | 1146 | 1412,
                ..
            }
    )
}

/// What is SELECTed from the selected tables.
pub(crate) fn requirements(
    layouts: &[&'static TableLayout],
    selected: &[bool],
) -> Vec<TableRequirement> {
    let on = layouts.iter().zip(selected).filter(|(_, on)| **on);
    on.map(|(layout, _)| TableRequirement {
        database: layout.database.to_owned(),
        table: layout.table.to_owned(),
        columns: layout
            .columns
            .iter()
            .map(|column| column.name.to_owned())
            .collect(),
    })
    .collect()
}

/// Settings, rights and layouts.
///
/// # Errors
/// All settings and rights that are wrong in one error, or the first layout that differs.
pub fn check_server<S: Schema>(
    conn: &mut Conn,
    info: &ServerInfo,
    selected: &[bool],
    server_id: Option<u32>,
) -> Result<(), Error> {
    let layouts = S::layouts();
    let requirements = Requirements {
        tables: requirements(layouts, selected),
        server_id,
        binlog: true,
        thorough: false,
    };
    let by_name = has_full_metadata(conn)?;
    let report = match preflight(conn, info, &requirements) {
        Err(error) if error.kind() == SourceErrorKind::Unknown => {
            // A missing column or table is said best by the comparison of layouts.
            check_layouts(conn, layouts, selected, by_name)?;
            return Err(error.into());
        }
        report => report?,
    };
    let warnings = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Warning);
    for finding in warnings {
        tracing::warn!(
            setting = finding.name,
            found = finding.found,
            needed = finding.needed,
            remedy = finding.remedy,
            sql = finding.sql.join("; "),
            "server check"
        );
    }
    check_layouts(conn, layouts, selected, by_name)?;
    check_foreign_keys(conn, info, layouts, selected)
}
