//! The start from a checkpoint: in place of the load.
//!
//! What a load sets up besides rows is as follows. The defaults of columns are those that the
//! mirror went by, from the checkpoint: any ALTER since then is in the stretch that is replayed.
//! Definitions of views, triggers and routines are read now; those that went in the stretch are
//! told by [`Reach`] as in the replay of a load, which has such a stretch too. Collations, and how
//! names compare, are the server's.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::admit::{Refusal, check_log, check_schema, check_server};
use super::error::{CheckpointError, Unusable};
use super::reader::{self, Opened};
use super::{CheckpointOptions, WhenUnusable};
use crate::backoff::Backoff;
use crate::bootstrap::{self, Loaded};
use crate::by_position::ByPosition;
use crate::error::Error;
use crate::mirror::Shared;
use crate::options::Options;
use crate::source::{
    Collations, Definitions, ServerInfo, StopHandle, connect, status::binlog_status,
};
use crate::statement::Reach;
use crate::status::State;
use crate::store::{Schema, Writer};

/// What the checkpoint in `path` gives in place of a load; `None` when there is none that can be
/// used, and the tables are to be loaded.
///
/// # Errors
/// When the server cannot be asked or does not serve, or the checkpoint cannot be used and that is
/// to be refused.
pub(super) fn warm_start<S: Schema>(
    path: &Path,
    options: &CheckpointOptions,
    shared: &Shared<S>,
    server_id: u32,
    writer: &Writer<S>,
) -> Result<Option<Loaded<S>>, Error> {
    let mut patience = Patience::new(&shared.options);
    let reason = loop {
        let started =
            reader::open(path, shared.options.limits.checkpoint_bytes).map_err(Refusal::from);
        let started = started.and_then(|opened| match opened {
            Some(opened) => start(opened, shared, server_id, writer),
            None => Ok(None),
        });
        shared.status.select_ends();
        shared.set_stream(None);
        match started {
            Ok(loaded) => {
                shared.servers.served();
                return Ok(loaded);
            }
            Err(_) if shared.stopped() => return Err(Error::Stopped),
            // It may serve another one of the servers, or this one later.
            Err(refusal) if refusal.is_of_server() => {
                if let Some(given_up) = patience.refused(refusal, shared) {
                    match given_up {
                        Refusal::Error(error) => return Err(error),
                        Refusal::Unusable(reason) | Refusal::Behind(reason) => break reason,
                    }
                }
            }
            Err(Refusal::Error(error)) => return Err(error),
            Err(Refusal::Unusable(reason) | Refusal::Behind(reason)) => break reason,
        }
    };
    if options.when_unusable == WhenUnusable::Refuse {
        return Err(CheckpointError::Refused {
            path: path.display().to_string(),
            reason: Box::new(reason),
        }
        .into());
    }
    tracing::warn!(path = %path.display(), %reason, "the checkpoint cannot be used; loading");
    shared.status.update(|status| {
        let shown = status.checkpoint.get_or_insert_default();
        shown.unusable = Some(reason.to_string());
    });
    Ok(None)
}

/// How long servers that are behind the checkpoint are waited for.
struct Patience {
    /// Since when a server lacks transactions, and what it said last.
    behind: Option<(Instant, Unusable)>,
    backoff: Backoff,
}

impl Patience {
    fn new(options: &Options) -> Self {
        Self {
            behind: None,
            backoff: Backoff::new(options),
        }
    }

    /// A server refused: goes on to the next, behind a wait when all have. What to give up with,
    /// once there is nothing to wait for.
    fn refused<S: Schema>(&mut self, refusal: Refusal, shared: &Shared<S>) -> Option<Refusal> {
        let refusal = match refusal {
            Refusal::Behind(reason) => {
                tracing::info!(%reason, "waiting for a server that has what the checkpoint has");
                let since = self
                    .behind
                    .take()
                    .map_or_else(Instant::now, |(since, _)| since);
                self.behind = Some((since, reason));
                None
            }
            refusal => Some(refusal),
        };
        let has_next = shared.servers.failed();
        let patience = shared.options.behind_patience;
        match &self.behind {
            _ if has_next => None,
            Some((since, _)) if since.elapsed() < patience => {
                self.backoff.wait(shared);
                None
            }
            Some(_) => {
                let behind = self.behind.take();
                behind.map(|(_, reason)| Refusal::Behind(reason))
            }
            None => refusal,
        }
    }
}

fn start<S: Schema>(
    mut opened: Opened,
    shared: &Shared<S>,
    server_id: u32,
    writer: &Writer<S>,
) -> Result<Option<Loaded<S>>, Refusal> {
    let (options, selected) = (&shared.options, shared.selected.as_slice());
    check_schema::<S>(&opened.header, selected)?;
    let url = shared.url();
    let mut conn = connect(url)?;
    shared.set_stream(Some(StopHandle::new(&conn)?));
    let info = ServerInfo::read(&mut conn)?;
    bootstrap::check_server::<S>(&mut conn, &info, selected, Some(server_id))?;
    let start = check_server(&opened.header, &mut conn, &info)?;
    if start != opened.header.start {
        // By GTIDs, which are in the start now.
        opened.header.start = start;
        opened.header.gtids = None;
    }
    let end = binlog_status(&mut conn, &info)?;
    check_log(&opened.header, (url, options), server_id, &end)?;
    let header = opened.header.clone();
    shared.status.update(|status| status.state = State::Loading);
    let Some(tables) = load(opened, shared, writer)? else {
        return Err(Refusal::Error(Error::Stopped));
    };
    // As late as can be: what is before `until` is one version for readers.
    let collations = Collations::read(&mut conn, &info)?;
    let definitions = Definitions::read(&mut conn, &info)?;
    let until = binlog_status(&mut conn, &info)?;
    shared.status.update(|status| {
        let shown = status.checkpoint.get_or_insert_default();
        shown.started_from = Some(header.position.clone());
    });
    let defaults = header.tables.iter().map(|table| match table {
        Some(table) => Arc::clone(&table.defaults),
        None => Arc::default(),
    });
    Ok(Some(Loaded {
        tables,
        is_whole: true,
        by_position: ByPosition::new(&info, &header.start, &header.position),
        defaults: defaults.collect(),
        server: info.identity(),
        restored: Some(header.followed_log()),
        gtids: header.gtids,
        start: header.start,
        before_load: header.position,
        contents: None,
        collations,
        lower_case_names: info.lower_case_table_names != 0,
        reach: Reach::of_server(S::layouts(), &definitions, until.clone()),
        until,
    }))
}

/// Reads the rows, and shows how far that is; `None` when the mirror is to stop.
fn load<S: Schema>(
    opened: Opened,
    shared: &Shared<S>,
    writer: &Writer<S>,
) -> Result<Option<crate::store::NewTables<S>>, Unusable> {
    let tables = opened.header.tables.iter().enumerate();
    let counts: Vec<(usize, u64)> = tables
        .filter_map(|(index, table)| Some((index, table.as_ref()?.rows)))
        .filter(|(index, _)| shared.selected.get(*index) == Some(&true))
        .collect();
    shared.status.select_begins(&counts);
    opened.load(writer, &shared.selected, &|table, rows| {
        shared.status.update(|status| {
            if let Some(shown) = status.tables.get_mut(table) {
                shown.rows += rows;
            }
        });
        !shared.stopped()
    })
}
