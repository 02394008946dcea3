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
mod jobs;
mod load;
mod pieces;
mod snapshot;
mod view;

use std::sync::Arc;

use mysql::Conn;
use mysql::prelude::Queryable;

pub(crate) use pieces::select;
pub(crate) use snapshot::Contents;

use crate::by_position::ByPosition;
use crate::error::Error;
use crate::foreign_key_check::check_foreign_keys;
use crate::image::ColumnDefault;
use crate::layout::TableLayout;
use crate::layout_check::check_layouts;
use crate::mirror::Shared;
use crate::source::{
    BinlogPosition, Collations, Definitions, FollowedLog, GtidSet, Requirements, ServerInfo,
    ServerUrl, Severity, SourceError, SourceErrorKind, StopHandle, StreamStart, TableRequirement,
    connect, preflight, query_error,
    status::{binlog_status, gtids_at},
};
use crate::statement::Reach;
use crate::status::State;
use crate::store::{NewTables, Schema, Writer};
use view::View;

/// Loaded tables, and from where to replay.
pub(crate) struct Loaded<S: Schema> {
    /// The tables; not yet a state that the server ever had.
    pub(crate) tables: NewTables<S>,
    /// Whether they are all that are selected, although fewer were wanted.
    pub(crate) is_whole: bool,
    /// Where to start the replay.
    pub(crate) start: StreamStart,
    /// The transactions before that, when it is a position and the server can tell.
    pub(crate) gtids: Option<GtidSet>,
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
    /// Whether the case of names does not tell tables apart.
    pub(crate) lower_case_names: bool,
    /// From where the stream goes on by position.
    pub(crate) by_position: ByPosition,
    /// Through what statements change tables that they do not name.
    pub(crate) reach: Reach,
    /// Identity of the server that they were loaded from.
    pub(crate) server: String,
    /// Of tables that were read from a checkpoint: the log in which they stand.
    pub(crate) restored: Option<FollowedLog>,
}

/// What to load, and how.
pub(crate) struct Order<'a> {
    /// Which tables, by table index.
    pub(crate) loading: &'a [bool],
    /// Where the others stand, if they are followed on from there.
    pub(crate) resume: Option<&'a StreamStart>,
    /// The log in which that is.
    pub(crate) log: &'a FollowedLog,
    /// Our server id, when it is to be looked for among those of the replicas.
    pub(crate) check_id: Option<u32>,
    /// Whether to load in one snapshot.
    pub(crate) in_snapshot: bool,
    /// Gets what ends the connection that asks the questions, in whatever it waits for.
    pub(crate) asks: &'a dyn Fn(StopHandle),
}

/// Checks the server, then loads the tables that are wanted; all selected ones when the others
/// cannot be followed on.
///
/// # Errors
/// When the server or its settings do not serve, or a value cannot be converted.
pub(crate) fn bootstrap<S: Schema>(
    shared: &Shared<S>,
    order: &Order<'_>,
    writer: &Writer<S>,
) -> Result<Loaded<S>, Error> {
    let (options, selected) = (&shared.options, shared.selected.as_slice());
    let mut conn = connect(shared.url())?;
    (order.asks)(StopHandle::new(&conn)?);
    let info = ServerInfo::read(&mut conn)?;
    let is_other = order.log.is_of_other(&info.identity());
    let order = &Order {
        // A place in a file means nothing on another server.
        resume: order
            .resume
            .filter(|resume| !is_other || matches!(resume, StreamStart::Gtid(_))),
        ..*order
    };
    check_server::<S>(&mut conn, &info, selected, order.check_id)?;
    let definitions = Definitions::read(&mut conn, &info)?;
    let view = View::open::<S>(&mut conn, &info, shared, order)?;
    let loading = if view.is_whole {
        selected
    } else {
        order.loading
    };
    // Once more, since what was altered before the anchor is in no replay.
    check_definitions::<S>(&mut conn, &info, selected)?;
    // What was made before the anchor, and what was dropped behind it.
    let definitions = definitions.and(Definitions::read(&mut conn, &info)?);
    let known_until = binlog_status(&mut conn, &info)?;
    let kind = view.anchor.kind;
    let in_snapshot = view.conn.is_some();
    tracing::Span::current().record("anchor", kind);
    tracing::info!(anchor = kind, start = %view.anchor.start, in_snapshot, "loading");
    shared.status.update(|status| status.state = State::Loading);
    let collations = Collations::read(&mut conn, &info)?;
    let mut anchor = view.anchor.start;
    let loaded = defaults::read(&mut conn, &info, S::layouts(), loading).and_then(|defaults| {
        let plan = load::plan::<S>(&mut conn, options, loading)?;
        if options.naive_anchor {
            // As naive as can be: right before the SELECTs.
            anchor = StreamStart::File(binlog_status(&mut conn, &info)?);
        }
        load::load(shared, writer, plan, view.conn, &info).map(|tables| (tables, defaults))
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
    if shared.stopped() {
        return Err(Error::Stopped);
    }
    let until = binlog_status(&mut conn, &info)?;
    let resume = order.resume.filter(|_| !view.is_whole);
    let start = resume.cloned().unwrap_or(anchor);
    Ok(Loaded {
        tables,
        is_whole: view.is_whole,
        by_position: ByPosition::new(&info, &start, &view.before_load),
        gtids: match &start {
            StreamStart::File(position) => gtids_at(&mut conn, &info, position)?,
            StreamStart::Gtid(_) => None,
        },
        start,
        before_load: view.before_load,
        until,
        contents: view.contents,
        defaults,
        collations,
        lower_case_names: info.lower_case_table_names != 0,
        reach: Reach::of_server(S::layouts(), &definitions, known_until),
        server: info.identity(),
        restored: None,
    })
}

/// Another connection to the server that was asked before: behind one name there may be several.
///
/// # Errors
/// When there is no connection, or it is to another server.
fn connect_again(url: &ServerUrl, info: &ServerInfo) -> Result<Conn, SourceError> {
    let mut conn = connect(url)?;
    let (expected, found) = (info.identity(), ServerInfo::read(&mut conn)?.identity());
    if expected != found {
        return Err(SourceError::Broken {
            detail: format!(
                "{} gave a connection to another server (found {found}, expected {expected}); \
                 all connections of a load must be to one",
                url.address()
            ),
        });
    }
    Ok(conn)
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
    check_definitions::<S>(conn, info, selected)
}

/// Layouts and foreign keys.
fn check_definitions<S: Schema>(
    conn: &mut Conn,
    info: &ServerInfo,
    selected: &[bool],
) -> Result<(), Error> {
    let by_name = has_full_metadata(conn)?;
    check_layouts(conn, S::layouts(), selected, by_name)?;
    check_foreign_keys(conn, info, S::layouts(), selected)
}
