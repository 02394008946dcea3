//! The mirror's thread: load, replay, follow; connect again; load again.

use std::sync::Arc;
use std::time::Duration;

use mysql::prelude::Queryable;

use crate::apply::{Applier, ReplayedOver};
use crate::bootstrap::{Loaded, bootstrap};
use crate::by_position::ByPosition;
use crate::error::{Error, TableError};
use crate::foreign_keys::ForeignKeys;
use crate::mirror::Shared;
use crate::options::Options;
use crate::reload::Reload;
use crate::source::{
    BinlogPosition, EventSource, LiveSource, ServerUrl, SourceError, SourceErrorKind,
    StatementTexts, StreamOptions, StreamStart, connect, derive_server_id, query_error,
};
use crate::status::State;
use crate::store::{Schema, Writer};
use crate::transaction::{TransactionReader, TransactionSink};

/// First wait before connecting again.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Tries in a row, without any progress, at a stream that cannot be read.
const MAX_UNREADABLE: u32 = 3;

/// How following ended, other than by an error.
enum Ended {
    Stopped,
    /// The tables have to be loaded again.
    Reload(Reload),
}

/// Runs a mirror until it is stopped.
///
/// # Errors
/// What a retry cannot help; before the mirror was live, also what it could.
pub(crate) fn run<S: Schema>(shared: &Shared<S>, mut writer: Writer<S>) -> Result<(), Error> {
    let (options, selected) = (&shared.options, shared.selected.as_slice());
    let server_id = options
        .server_id
        .unwrap_or_else(|| derive_server_id(&options.url));
    let mut reload: Option<String> = None;
    let mut in_a_row = 0;
    let mut missing = 0;
    let mut met_at: Option<BinlogPosition> = None;
    let mut in_snapshot = false;
    let mut backoff = Backoff::new(options);
    loop {
        let started = std::time::Instant::now();
        // Our own stream of before a reload may still be listed among the replicas.
        let check_id = reload.is_none().then_some(server_id);
        let asks = |conn| shared.set_stream(Some(conn));
        let loaded = bootstrap(
            options,
            selected,
            check_id,
            &shared.status,
            &shared.stop,
            &asks,
            in_snapshot,
        );
        shared.set_stream(None);
        if shared.stopped() {
            return Ok(());
        }
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(error) if reload.is_some() && is_transient(&error) => {
                tracing::warn!(%error, "loading again failed");
                shared
                    .status
                    .update(|status| status.state = State::Reconnecting);
                backoff.wait(shared);
                continue;
            }
            Err(error) if reload.is_some() && is_missing(&error) && missing < MAX_MISSING => {
                // Between the DROP or RENAME that made us load again and what follows on it.
                tracing::warn!(%error, "loading again failed");
                missing += 1;
                backoff.wait(shared);
                continue;
            }
            Err(error) => return Err(error),
        };
        missing = 0;
        let mut applied = 0;
        let session = Session {
            shared,
            options,
            selected,
            server_id,
            started,
        };
        let ended = session.follow(&mut writer, loaded, reload.take(), &mut applied)?;
        let Ended::Reload(Reload {
            reason,
            diverged,
            not_replayable,
            at,
        }) = ended
        else {
            return Ok(());
        };
        in_snapshot = not_replayable;
        tracing::warn!(reason, "loading all tables again");
        // A load that is replayed from before what it was made for meets that again.
        let met_again = at.is_some() && at == met_at;
        in_a_row = match (diverged || met_again, applied) {
            (true, 0) => in_a_row + 1,
            _ => 0,
        };
        if in_a_row >= options.max_reloads_in_a_row {
            if let Some(position) = at.filter(|_| met_again && !diverged) {
                return Err(met_in_each_replay(&reason, position).into());
            }
            return Err(TableError::ReloadLoop {
                table: "*".into(),
                times: in_a_row,
                reason,
            }
            .into());
        }
        shared.status.update(|status| {
            status.reloads += 1;
            status.last_reload = Some(reason.clone());
        });
        reload = Some(reason);
        met_at = at;
        if met_again {
            backoff.wait(shared);
        } else {
            backoff.reset();
        }
    }
}

/// What rows cannot tell, in the stretch that each load has to be replayed from: without GTIDs
/// and the right to read `log_status`, that is the current file.
fn met_in_each_replay(reason: &str, position: BinlogPosition) -> TableError {
    TableError::Unsupported {
        table: "*".into(),
        what: format!("{reason}, which each load meets again in its replay,"),
        position,
        remedy: "make the server start a new file (FLUSH BINARY LOGS) and start again; on MySQL, \
                 loads start behind such statements with gtid_mode = ON, or with BACKUP_ADMIN ON \
                 *.* and SELECT ON performance_schema.log_status",
    }
}

/// One load and what follows on it.
struct Session<'m, S: Schema> {
    shared: &'m Shared<S>,
    options: &'m Options,
    selected: &'m [bool],
    server_id: u32,
    started: std::time::Instant,
}

impl<S: Schema> Session<'_, S> {
    fn follow(
        &self,
        writer: &mut Writer<S>,
        loaded: Loaded<S>,
        reload: Option<String>,
        applied: &mut u64,
    ) -> Result<Ended, Error> {
        let shared = self.shared;
        let replayed_over = ReplayedOver {
            tables: loaded.tables.clone(),
            before_load: loaded.before_load,
            contents: loaded.contents,
        };
        writer.replace(loaded.tables);
        shared
            .status
            .update(|status| status.state = State::CatchingUp);
        let mut applier = Applier::new(
            writer,
            Arc::new(ForeignKeys::new(S::layouts(), self.selected)),
            replayed_over,
            &shared.subscribers,
            &shared.status,
            &shared.stop,
        );
        let mut reader = TransactionReader::new(S::layouts(), self.selected)
            .with_defaults(loaded.defaults)
            .with_collations(loaded.collations)
            .with_reach(loaded.reach)
            .with_statement_texts(StatementTexts::new(self.options.url.clone()));
        let mut resume = Resume::new(loaded.start, loaded.by_position);
        let mut until = Some((loaded.until, reload));
        let mut backoff = Backoff::new(self.options);
        let mut unreadable = 0;
        loop {
            let before = resume.boundaries;
            let result = self.stream(&mut applier, &mut reader, &mut resume, &mut until);
            *applied = applier.applied();
            applier.abandon();
            reader.restart();
            shared.set_stream(None);
            if resume.boundaries > before {
                backoff.reset();
                unreadable = 0;
            }
            if shared.stopped() {
                return Ok(Ended::Stopped);
            }
            match result {
                Ok(Some(reload)) => return Ok(Ended::Reload(reload)),
                // Another stream goes on from where this one was.
                Ok(None) => continue,
                Err(Error::Source(error)) => match recovery(&error, &mut unreadable) {
                    Recovery::Reconnect => tracing::warn!(%error, "connecting again"),
                    Recovery::Reload => {
                        return Ok(Ended::Reload(Reload {
                            reason: error.to_string(),
                            diverged: true,
                            not_replayable: false,
                            at: None,
                        }));
                    }
                    Recovery::GiveUp => return Err(error.into()),
                },
                Err(error) => return Err(error),
            }
            shared.status.update(|status| {
                status.state = State::Reconnecting;
                status.reconnects += 1;
            });
            backoff.wait(shared);
        }
    }

    /// One connection: events until it breaks; the reason when the tables have to be loaded
    /// again, none when another connection is to go on.
    fn stream(
        &self,
        applier: &mut Applier<'_, S>,
        reader: &mut TransactionReader,
        resume: &mut Resume,
        until: &mut Option<(BinlogPosition, Option<String>)>,
    ) -> Result<Option<Reload>, Error> {
        let shared = self.shared;
        let options = StreamOptions {
            server_id: self.server_id,
            heartbeat_seconds: self.options.heartbeat_seconds,
            non_blocking: false,
        };
        let (mut source, handle) = LiveSource::open(&self.options.url, &resume.start, options)?;
        shared.set_stream(Some(handle));
        if until.is_none() {
            shared.status.update(|status| status.state = State::Live);
        }
        self.go_live_if_there(applier, &source.position(), until);
        loop {
            let Some(event) = source.next_event()? else {
                if shared.stopped() {
                    release(&self.options.url, source.connection_id());
                }
                return Err(SourceError::Broken {
                    detail: "the server ended the stream".into(),
                }
                .into());
            };
            let last = applier.boundary().1.map(|last| &last.position);
            let Resume {
                start, by_position, ..
            } = resume;
            if !reader.in_transaction() && by_position.goes_on(&event, last, start) {
                return Ok(None);
            }
            reader.event(&event, applier)?;
            shared.status.heard();
            if reader.in_transaction() {
                continue;
            }
            let position = event.end_position();
            resume.passed(applier);
            if let Some(reload) = applier.reload() {
                return Ok(Some(reload.clone()));
            }
            self.go_live_if_there(applier, &position, until);
            if until.is_none() {
                shared.status.reached(position);
            }
        }
    }

    /// At the end of the replay: publishes the load.
    fn go_live_if_there(
        &self,
        applier: &mut Applier<'_, S>,
        position: &BinlogPosition,
        until: &mut Option<(BinlogPosition, Option<String>)>,
    ) {
        let Some((_, reload)) = until.take_if(|(target, _)| *position >= *target) else {
            return;
        };
        applier.go_live(position.clone(), reload);
        self.shared.status.reached(position.clone());
        let took = self.started.elapsed();
        self.shared.status.update(|status| {
            status.state = State::Live;
            status.load_time = Some(took);
        });
        tracing::info!(%position, took_ms = took.as_millis() as u64, "live");
    }
}

/// From where to read on after a broken connection.
struct Resume {
    start: StreamStart,
    by_position: ByPosition,
    boundaries: u64,
}

impl Resume {
    fn new(start: StreamStart, by_position: ByPosition) -> Self {
        Self {
            start,
            by_position,
            boundaries: 0,
        }
    }

    /// Takes over the last boundary, once.
    fn passed<S: Schema>(&mut self, applier: &Applier<'_, S>) {
        let (boundaries, last) = applier.boundary();
        if boundaries == self.boundaries {
            return;
        }
        self.boundaries = boundaries;
        let Some(last) = last else { return };
        match (&mut self.start, &last.gtid) {
            (StreamStart::Gtid(set), Some(gtid)) => {
                set.add(gtid);
            }
            // Without a GTID nothing is added to the set; the server will not send it again
            // either, since only transactions with GTIDs exist where the set was read.
            (StreamStart::Gtid(_), None) => {}
            (StreamStart::File(position), _) => *position = last.position.clone(),
        }
    }
}

/// Longest that a stop waits for the server to let go of the stream.
const RELEASE_TIMEOUT: Duration = Duration::from_millis(500);

/// Tells the server that a stream has ended. It would find out with its next heartbeat but
/// one, and until then keep the binlog file from being purged and our id in its list.
fn release(url: &ServerUrl, connection_id: u32) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let url = url.clone();
    std::thread::spawn(move || {
        let killed = connect(&url).and_then(|mut conn| {
            conn.query_drop(format!("KILL {connection_id}"))
                .map_err(|error| query_error(error, "ending the binlog stream"))
        });
        // Nobody listens any more when the server took too long.
        let _ = sender.send(killed);
    });
    match receiver.recv_timeout(RELEASE_TIMEOUT) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "the stream was not released"),
        Err(_) => tracing::debug!("the stream was not released in time"),
    }
}

enum Recovery {
    Reconnect,
    Reload,
    GiveUp,
}

/// What to do about a failure of the stream.
fn recovery(error: &SourceError, unreadable: &mut u32) -> Recovery {
    match error.kind() {
        SourceErrorKind::Purged => Recovery::Reload,
        // GTIDs were switched off: the next load starts from a position in a file.
        _ if error.is_without_gtids() => Recovery::Reload,
        _ if error.is_transient() => Recovery::Reconnect,
        SourceErrorKind::Malformed => {
            // A byte may have been damaged on the way; the same again at every try is in the
            // server's log.
            *unreadable += 1;
            if *unreadable > MAX_UNREADABLE {
                Recovery::GiveUp
            } else {
                Recovery::Reconnect
            }
        }
        _ => Recovery::GiveUp,
    }
}

/// Tries in a row at a reload while a table is not there; with the waits about 3 s in all.
const MAX_MISSING: u32 = 5;

/// Whether a whole table is missing.
fn is_missing(error: &Error) -> bool {
    match error {
        Error::Table(TableError::Layout { column: None, .. }) => true,
        Error::Source(error) => error.kind() == SourceErrorKind::Unknown,
        _ => false,
    }
}

fn is_transient(error: &Error) -> bool {
    matches!(error, Error::Source(error) if error.is_transient())
}

/// Waits between tries to connect, each twice as long as the one before.
struct Backoff {
    next: Duration,
    max: Duration,
}

impl Backoff {
    fn new(options: &Options) -> Self {
        Self {
            next: FIRST_WAIT,
            max: options.reconnect_max_wait,
        }
    }

    fn reset(&mut self) {
        self.next = FIRST_WAIT;
    }

    /// Waits, but no longer once the mirror is to stop.
    fn wait<S: Schema>(&mut self, shared: &Shared<S>) {
        let until = std::time::Instant::now() + self.next;
        while !shared.stopped() && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.next = (self.next * 2).min(self.max);
    }
}
