//! Whether a checkpoint can be gone on from: what was compiled in, the server, and its binlog.
//!
//! The checks of the server are those of a mirror that connects again: by GTIDs another server serves
//! that has all transactions of the checkpoint, by file and position only the same one does, and a
//! file that was begun at another time is another log.

use mysql::Conn;

use super::error::Unusable;
use super::header::Header;
use crate::error::Error;
use crate::options::Options;
use crate::resume::lacks_transactions;
use crate::source::{
    BinlogPosition, EventSource, Family, FollowedLog, LiveSource, ServerInfo, ServerUrl,
    SourceError, SourceErrorKind, StreamOptions, StreamStart, status,
};
use crate::store::Schema;

/// Why a checkpoint was not taken: it cannot be used, or the server could not be asked.
pub(super) enum Refusal {
    Unusable(Unusable),
    /// The server lacks transactions that the checkpoint has, and may get them.
    Behind(Unusable),
    Error(Error),
}

impl Refusal {
    /// Whether another server may do.
    pub(super) fn is_of_server(&self) -> bool {
        matches!(
            self,
            Self::Error(Error::Source(_))
                | Self::Behind(_)
                | Self::Unusable(Unusable::OtherServer { .. } | Unusable::Gone { .. })
        )
    }
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

/// From where the stream of this server goes on, if it is the one that the checkpoint is of, or one
/// that can be gone on at by GTIDs.
pub(super) fn check_server(
    header: &Header,
    conn: &mut Conn,
    info: &ServerInfo,
) -> Result<StreamStart, Refusal> {
    let (held, identity) = (&header.server, info.identity());
    if held.family != info.family {
        return Err(other("the kind", held.family.name(), info.family.name()));
    }
    let is_other = held.identity != identity;
    match (&header.start, info.family) {
        // On MySQL before 8.0 a stream by GTIDs goes on by position.
        (StreamStart::Gtid(_), Family::MySql) if !is_other || info.mysql_at_least(8, 0, 0) => {}
        (StreamStart::Gtid(_), Family::MariaDb) => {}
        (StreamStart::File(_), Family::MariaDb) if is_other && header.gtids.is_some() => {
            let gtids = header.gtids.clone();
            return Ok(gtids.map_or_else(|| header.start.clone(), StreamStart::Gtid));
        }
        (StreamStart::File(position), Family::MariaDb) if !is_other => {
            check_gtids(header, position, conn, info)?;
        }
        _ if is_other => return Err(other("its identity", &held.identity, &identity)),
        _ => {}
    }
    Ok(header.start.clone())
}

/// Whether the transactions before the position are those that the checkpoint has: a file that was
/// begun in the same second on another server is told by them.
fn check_gtids(
    header: &Header,
    position: &BinlogPosition,
    conn: &mut Conn,
    info: &ServerInfo,
) -> Result<(), Refusal> {
    let Some(expected) = &header.gtids else {
        return Ok(());
    };
    match status::gtids_at(conn, info, position)? {
        Some(found) if found != *expected => Err(other(
            "what is before its position",
            &expected.to_string(),
            &found.to_string(),
        )),
        // The file is not there, or not so long; the look at the binlog says so.
        _ => Ok(()),
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
    (url, options): (&ServerUrl, &Options),
    server_id: u32,
    end: &BinlogPosition,
) -> Result<(), Refusal> {
    let by_gtids = matches!(header.start, StreamStart::Gtid(_));
    let gone = |error: SourceError| {
        if !cannot_be_followed(&error) {
            return error.into();
        }
        let is_behind = lacks_transactions(&error, by_gtids);
        let reason = Unusable::Gone {
            position: header.start.to_string(),
            error: Box::new(error),
        };
        match is_behind {
            true => Refusal::Behind(reason),
            false => Refusal::Unusable(reason),
        }
    };
    if let StreamStart::File(position) = &header.start
        && position.partial_cmp(end).is_none_or(|order| order.is_gt())
    {
        return Err(gone(SourceError::AheadOfServer {
            asked: position.to_string(),
            detail: format!("it ends at {end}"),
        }));
    }
    probe(header, url, options, server_id).map_err(gone)
}

/// Whether it is about the place, and not about the server.
fn cannot_be_followed(error: &SourceError) -> bool {
    let kind = error.kind();
    matches!(kind, SourceErrorKind::Purged | SourceErrorKind::Malformed)
        || matches!(
            error,
            SourceError::PacketTooLarge { .. }
                | SourceError::LacksTransactions { .. }
                | SourceError::OtherServer { .. }
        )
        || error.is_without_gtids()
}

/// Opens the stream as following will, and reads up to what tells the file.
fn probe(
    header: &Header,
    url: &ServerUrl,
    options: &Options,
    server_id: u32,
) -> Result<(), SourceError> {
    let stream = StreamOptions {
        server_id,
        heartbeat_seconds: options.heartbeat_seconds,
        non_blocking: true,
        max_event_bytes: options.limits.event_bytes,
    };
    let mut log: FollowedLog = header.followed_log();
    let (mut source, _) = LiveSource::open(url, &header.start, stream)?;
    log.check(url, &header.start, source.server_info())?;
    while let Some(event) = source.next_event()? {
        log.event(&event)?;
        if event.end > event.start {
            break;
        }
    }
    Ok(())
}
