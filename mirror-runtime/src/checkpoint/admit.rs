//! Whether a checkpoint can be gone on from: what was compiled in, the server, and its binlog.
//!
//! The checks of the server are those of a mirror that connects again: on MySQL with GTIDs another
//! server serves that has all transactions of the checkpoint, by file and position only the same
//! one does, and a file that was begun at another time is another log.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::error::Unusable;
use super::header::Header;
use crate::error::Error;
use crate::options::Options;
use crate::source::{
    BinlogPosition, EventSource, Family, FollowedLog, GtidSet, LiveSource, ServerInfo, SourceError,
    SourceErrorKind, StreamOptions, StreamStart, query_error, status,
};
use crate::store::Schema;

/// Why a checkpoint was not taken: it cannot be used, or the server could not be asked.
pub(super) enum Refusal {
    Unusable(Unusable),
    Error(Error),
}

impl From<Unusable> for Refusal {
    fn from(reason: Unusable) -> Self {
        Self::Unusable(reason)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<SourceError> for Refusal {
    fn from(error: SourceError) -> Self {
        Self::Error(error.into())
    }
}

/// Whether it is of the tables that were compiled in and are selected.
pub(super) fn check_schema<S: Schema>(header: &Header, selected: &[bool]) -> Result<(), Unusable> {
    if header.fingerprint != S::fingerprint() {
        return Err(Unusable::OtherSchema {
            expected: S::fingerprint().to_owned(),
            found: header.fingerprint.clone(),
        });
    }
    let layouts = S::layouts().iter().enumerate();
    let missing = layouts.zip(selected).find(|((index, _), selected)| {
        **selected && !matches!(header.tables.get(*index), Some(Some(_)))
    });
    match missing {
        Some(((_, layout), _)) => Err(Unusable::TableMissing {
            table: layout.full_name(),
        }),
        None => Ok(()),
    }
}

/// Whether the server is the one that it is of, or has the same transactions.
pub(super) fn check_server(
    header: &Header,
    conn: &mut Conn,
    info: &ServerInfo,
) -> Result<(), Refusal> {
    let held = &header.server;
    if held.family != info.family {
        return Err(other("the kind", held.family.name(), info.family.name()));
    }
    match (&header.start, info.family) {
        (StreamStart::Gtid(set), Family::MySql) => check_gtids(header, set, conn, info),
        (StreamStart::File(_), Family::MySql) => check_uuid(header, info),
        (_, Family::MariaDb) => check_mariadb(header, conn, info),
    }
}

/// On MySQL before 8.0 a stream by GTIDs goes on by position, so that another server does not
/// serve.
fn check_gtids(
    header: &Header,
    set: &GtidSet,
    conn: &mut Conn,
    info: &ServerInfo,
) -> Result<(), Refusal> {
    if !info.mysql_at_least(8, 0, 0) {
        check_uuid(header, info)?;
    }
    if !status::has_gtids(conn, info)? {
        return Err(other("gtid_mode", "ON", "not ON"));
    }
    let executed = status::gtid_executed(conn, info)?;
    if !executed.contains_set(set) {
        return Err(other(
            "gtid_executed",
            &format!("at least {set}"),
            &executed.to_string(),
        ));
    }
    Ok(())
}

fn check_uuid(header: &Header, info: &ServerInfo) -> Result<(), Refusal> {
    if header.server.uuid == info.server_uuid {
        return Ok(());
    }
    let text = |uuid: &Option<String>| uuid.clone().unwrap_or_else(|| "none".into());
    let (expected, found) = (text(&header.server.uuid), text(&info.server_uuid));
    Err(other("server_uuid", &expected, &found))
}

/// MariaDB has no identity of its own but its `server_id`; which transaction stands before the
/// position says more.
fn check_mariadb(header: &Header, conn: &mut Conn, info: &ServerInfo) -> Result<(), Refusal> {
    if header.server.id != info.server_id {
        let (expected, found) = (header.server.id.to_string(), info.server_id.to_string());
        return Err(other("server_id", &expected, &found));
    }
    let (StreamStart::File(position), Some(last)) = (&header.start, header.before) else {
        return Ok(());
    };
    let sql = "SELECT BINLOG_GTID_POS(?, ?)";
    let answer: Option<Option<String>> = conn
        .exec_first(sql, (&*position.file, position.offset))
        .map_err(|error| {
        query_error(error, "reading the GTIDs at the checkpoint's position")
    })?;
    // NULL: the file is not there, or not so long; the look at the binlog says so.
    let Some(text) = answer.flatten() else {
        return Ok(());
    };
    let at_position = match GtidSet::parse(&text, Family::MariaDb) {
        Ok(GtidSet::MariaDb(list)) => list.last_of(last.domain),
        _ => None,
    };
    match at_position == Some(last) {
        true => Ok(()),
        false => Err(other(
            "the GTID before the position",
            &last.to_string(),
            &text,
        )),
    }
}

fn other(what: &'static str, expected: &str, found: &str) -> Refusal {
    Refusal::Unusable(Unusable::OtherServer {
        what,
        expected: expected.to_owned(),
        found: found.to_owned(),
    })
}

/// Whether the server still sends its binlog from there, and it is the log that was followed.
pub(super) fn check_log(
    header: &Header,
    options: &Options,
    server_id: u32,
    end: &BinlogPosition,
) -> Result<(), Refusal> {
    let gone = |error: SourceError| match cannot_be_followed(&error) {
        true => Refusal::Unusable(Unusable::Gone {
            position: header.start.to_string(),
            error: Box::new(error),
        }),
        false => error.into(),
    };
    if let StreamStart::File(position) = &header.start
        && position.partial_cmp(end).is_none_or(|order| order.is_gt())
    {
        return Err(gone(SourceError::AheadOfServer {
            asked: position.to_string(),
            detail: format!("it ends at {end}"),
        }));
    }
    probe(header, options, server_id).map_err(gone)
}

/// Whether it is about the place, and not about the server.
fn cannot_be_followed(error: &SourceError) -> bool {
    let kind = error.kind();
    matches!(kind, SourceErrorKind::Purged | SourceErrorKind::Malformed)
        || matches!(error, SourceError::PacketTooLarge { .. })
        || error.is_without_gtids()
}

/// Opens the stream as following will, and reads up to what tells the file.
fn probe(header: &Header, options: &Options, server_id: u32) -> Result<(), SourceError> {
    let stream = StreamOptions {
        server_id,
        heartbeat_seconds: options.heartbeat_seconds,
        non_blocking: true,
    };
    let mut log: FollowedLog = header.followed_log();
    let (mut source, _) = LiveSource::open(&options.url, &header.start, stream)?;
    log.check(&options.url, &header.start, source.server_info())?;
    while let Some(event) = source.next_event()? {
        log.event(&event)?;
        if event.end > event.start {
            break;
        }
    }
    Ok(())
}
