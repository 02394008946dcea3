//! The mirror's thread: load, replay, follow; connect again; load again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mysql::prelude::Queryable;

use crate::apply::Applier;
use crate::backoff::Backoff;
use crate::bootstrap::{Loaded, check_server};
use crate::checkpoint::Keeper;
use crate::course::Course;
use crate::error::Error;
use crate::image::ColumnDefault;
use crate::judge::stopped;
use crate::mirror::Shared;
use crate::policy::{Cause, Policy};
use crate::quiet_server::QuietServer;
use crate::reload::Reload;
use crate::replay::ReplayedOver;
use crate::resume::{Failures, Recovery, Resume};
use crate::source::{
    BinlogPosition, Collations, EventSource, LiveSource, ServerInfo, ServerUrl, SourceError,
    StatementTexts, StreamOptions, StreamStart, connect, query_error,
};
use crate::status::State;
use crate::store::{Schema, Writer};
use crate::transaction::{TransactionReader, TransactionSink};

/// Heartbeats within which an event has to come whole at first: 30 s by default. Each time that it
/// does not, it has twice as long, so that a large event comes over any link.
const EVENT_HEARTBEATS: u32 = 15;

/// How following ended, other than by an error.
enum Ended {
    Stopped,
    /// Tables have to be loaded again; where the others stand, if that can be followed on, and
    /// whether the load before had been caught up with.
    Reload(Reload, Option<StreamStart>, bool),
}

/// Runs a mirror until it is stopped.
///
/// # Errors
/// What a retry cannot help; before the mirror was live, also what it could.
pub(crate) fn run<S: Schema>(shared: &Shared<S>, writer: Writer<S>) -> Result<(), Error> {
    let Some(keeper) = Keeper::open(shared)? else {
        return run_with(shared, writer, None);
    };
    std::thread::scope(|scope| {
        keeper.start(scope)?;
        let _end = keeper.end_on_drop();
        run_with(shared, writer, Some(&keeper))
    })
}

/// From load to load; from a checkpoint to the first, if there is one.
fn run_with<S: Schema>(
    shared: &Shared<S>,
    mut writer: Writer<S>,
    keeper: Option<&Keeper<'_, S>>,
) -> Result<(), Error> {
    let mut course = Course::new(shared);
    let mut started = Instant::now();
    let mut restored = match keeper {
        Some(keeper) => keeper.restore(course.server_id, &writer)?,
        None => None,
    };
    loop {
        let loaded = match restored.take() {
            Some(restored) => Some(restored),
            None => course.load(&writer)?,
        };
        let Some(loaded) = loaded else {
            return Ok(());
        };
        let mut applied = 0;
        let reason = course.reason.take();
        let session = Session {
            shared,
            server_id: course.server_id,
            started,
            reason,
            keeper,
        };
        match session.follow(&mut writer, &mut course, loaded, &mut applied)? {
            Ended::Stopped => return Ok(()),
            Ended::Reload(reload, resume, live) => {
                course.again(reload, resume, live, applied)?;
            }
        }
        started = Instant::now();
    }
}

/// One load and what follows on it.
struct Session<'m, S: Schema> {
    shared: &'m Shared<S>,
    server_id: u32,
    started: Instant,
    /// Why the load was made, unless it is the first.
    reason: Option<String>,
    keeper: Option<&'m Keeper<'m, S>>,
}

impl<S: Schema> Session<'_, S> {
    fn follow(
        &self,
        writer: &mut Writer<S>,
        course: &mut Course<'_, S>,
        mut loaded: Loaded<S>,
        applied: &mut u64,
    ) -> Result<Ended, Error> {
        let shared = self.shared;
        let start = course.take(&mut loaded);
        let mut log = std::mem::take(&mut course.log);
        log.is_now_of(loaded.server);
        let mut resume = Resume::new(start, loaded.gtids, loaded.by_position, log);
        let mut reader = TransactionReader::new(S::layouts(), &shared.selected)
            .with_limits(&shared.options.limits)
            .with_defaults(course.defaults.clone())
            .with_collations(loaded.collations)
            .with_lower_case_names(loaded.lower_case_names)
            .with_reach(loaded.reach)
            .with_statement_texts(StatementTexts::new(shared.url().clone()));
        let replayed_over = ReplayedOver {
            before_load: loaded.before_load,
            contents: loaded.contents,
        };
        writer.replace(loaded.tables);
        shared
            .status
            .update(|status| status.state = State::CatchingUp);
        let foreign_keys = Arc::clone(&course.foreign_keys);
        let states = &mut course.states;
        let mut applier = Applier::new(writer, states, foreign_keys, replayed_over, shared);
        applier.weight.check_tables(&"behind the load")?;
        let mut until = Some(loaded.until);
        let mut backoff = Backoff::new(&shared.options);
        let mut failures = Failures::default();
        let event_seconds = shared
            .options
            .heartbeat_seconds
            .saturating_mul(EVENT_HEARTBEATS);
        let event_patience = Duration::from_secs(u64::from(event_seconds));
        resume.event_patience = event_patience;
        loop {
            let before = resume.boundaries;
            let result = self.stream(
                &mut applier,
                &mut reader,
                &mut resume,
                &mut until,
                &course.defaults,
            );
            *applied = applier.applied();
            applier.abandon();
            reader.restart();
            shared.set_stream(None);
            if resume.boundaries > before {
                backoff.reset();
                failures = Failures::default();
                resume.event_patience = event_patience;
                shared.servers.served();
            }
            if shared.stopped() {
                if let Some(keeper) = self.keeper {
                    keeper.keep(&applier, &resume, &course.defaults, true);
                }
                return Ok(Ended::Stopped);
            }
            if let Err(Error::Source(SourceError::EventOverdue { .. })) = result {
                resume.event_patience = resume.event_patience.saturating_mul(2);
            }
            let loss = match result {
                Ok(Some(reload)) => {
                    course.log = resume.log;
                    return Ok(Ended::Reload(reload, Some(resume.start), applier.is_live()));
                }
                // Another stream goes on from where this one was.
                Ok(None) => continue,
                Err(Error::Source(error @ SourceError::OtherServer { .. }))
                    if resume.go_by_gtids() =>
                {
                    tracing::warn!(%error, "going on by GTIDs");
                    continue;
                }
                Err(Error::Source(error)) => match self.recovery(&mut failures, &error, &resume) {
                    Recovery::Reconnect => {
                        tracing::warn!(%error, "connecting again");
                        error.to_string()
                    }
                    Recovery::Reload => {
                        let reload = gap::<S>(&error);
                        if shared.options.policies.gap != Policy::Reload {
                            return Err(stopped(&reload));
                        }
                        return Ok(Ended::Reload(reload, None, applier.is_live()));
                    }
                    Recovery::GiveUp => return Err(error.into()),
                },
                Err(error) => return Err(error),
            };
            resume.lost = true;
            shared.status.update(|status| {
                status.state = State::Reconnecting;
                status.connection_attempts += 1;
                status.last_loss = Some(loss);
            });
            // What went on is tried again first; of others that failed, the next.
            let went_on = resume.boundaries > before;
            if went_on || !shared.servers.failed() {
                backoff.wait(shared);
            }
            shared.pace.wait(shared);
        }
    }

    fn recovery(&self, failures: &mut Failures, error: &SourceError, resume: &Resume) -> Recovery {
        let shared = self.shared;
        let by_gtids = matches!(resume.start, StreamStart::Gtid(_));
        let patience = shared.options.behind_patience;
        failures.recovery(error, by_gtids, shared.servers.len(), patience)
    }

    /// One connection: events until it breaks; the reason when the tables have to be loaded
    /// again, none when another connection is to go on.
    fn stream(
        &self,
        applier: &mut Applier<'_, S>,
        reader: &mut TransactionReader,
        resume: &mut Resume,
        until: &mut Option<BinlogPosition>,
        defaults: &[Arc<[ColumnDefault]>],
    ) -> Result<Option<Reload>, Error> {
        let shared = self.shared;
        let options = StreamOptions {
            server_id: self.server_id,
            heartbeat_seconds: shared.options.heartbeat_seconds,
            non_blocking: false,
            max_event_bytes: shared.options.limits.event_bytes,
        };
        let url = shared.url();
        let (server, start) = (url.address(), resume.start.to_string());
        let _in = tracing::info_span!("stream", server, start).entered();
        let (mut source, handle) = LiveSource::open(url, &resume.start, options)?;
        shared.set_stream(Some(handle));
        source.watch(resume.event_patience)?;
        let info = source.server_info();
        if resume.log.check(url, &resume.start, info)?
            && let Some(reload) = self.moved(info, reader, until.is_some())?
        {
            return Ok(Some(reload));
        }
        resume.server = Some(info.clone());
        self.go_live_if_there(applier, &source.position(), resume, until);
        let mut quiet = QuietServer::new(shared.options.heartbeat_seconds);
        loop {
            let Some(event) = source.next_event()? else {
                if shared.stopped() {
                    release(url, source.connection_id());
                }
                return Err(SourceError::Broken {
                    detail: "the server ended the stream".into(),
                }
                .into());
            };
            if std::mem::take(&mut resume.lost) {
                self.made_again(until.is_some());
            }
            let last = applier.boundary().1.map(|last| &last.position);
            let Resume {
                start, by_position, ..
            } = &mut *resume;
            if !reader.in_transaction() && by_position.goes_on(&event, last, start) {
                return Ok(None);
            }
            resume.log.event(&event)?;
            reader.event(&event, applier)?;
            shared.status.heard();
            if reader.in_transaction() {
                continue;
            }
            let position = event.end_position();
            resume.passed(applier);
            if applier.is_live() {
                for reload in shared.take_requests() {
                    applier.need(reload)?;
                }
            }
            if let Some(reload) = applier.reload() {
                return Ok(Some(reload.clone()));
            }
            self.go_live_if_there(applier, &position, resume, until);
            if until.is_none() {
                if let Some(keeper) = self.keeper {
                    keeper.boundary(applier, resume, defaults);
                }
                if event.header.is_heartbeat() {
                    applier.tidy(TIDY_TIME);
                }
                quiet.heard(&event.header, &position, url)?;
                shared.status.reached(position);
            }
        }
    }

    /// A lost connection was made again, during a load's replay or behind it.
    fn made_again(&self, is_replay: bool) {
        self.shared.status.update(|status| {
            status.state = match is_replay {
                true => State::CatchingUp,
                false => State::Live,
            };
            status.reconnects += 1;
        });
    }

    /// The stream goes on at another server, by GTIDs: checks it as the first one was. A reload when
    /// it cannot be gone on with.
    fn moved(
        &self,
        info: &ServerInfo,
        reader: &mut TransactionReader,
        is_replay: bool,
    ) -> Result<Option<Reload>, Error> {
        let shared = self.shared;
        let url = shared.url();
        tracing::warn!(
            server = url.address(),
            identity = info.identity(),
            "following another server"
        );
        if is_replay {
            // The end of the load is a place in the log of the server before.
            return Ok(Some(gap_at::<S>(
                "another server answered during the load's replay",
            )));
        }
        let mut conn = connect(url)?;
        check_server::<S>(&mut conn, info, &shared.selected, None)?;
        let collations = Collations::read(&mut conn, info)?;
        let folds_names = info.lower_case_table_names != 0;
        reader.moved(StatementTexts::new(url.clone()), collations, folds_names);
        Ok(None)
    }

    /// At the end of the replay: publishes the load.
    fn go_live_if_there(
        &self,
        applier: &mut Applier<'_, S>,
        position: &BinlogPosition,
        resume: &Resume,
        until: &mut Option<BinlogPosition>,
    ) {
        if until.take_if(|target| *position >= *target).is_none() {
            return;
        }
        applier.go_live(position.clone(), self.reason.clone());
        self.shared.status.reached(position.clone());
        self.shared.status.shows(resume.gtids());
        let took = self.started.elapsed();
        self.shared.status.update(|status| {
            status.state = State::Live;
            status.load_time = Some(took);
        });
        tracing::info!(%position, took_ms = took.as_millis() as u64, "live");
    }
}

/// How long memory is given back with each heartbeat of a server that has nothing to send.
const TIDY_TIME: Duration = Duration::from_millis(50);
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

/// A stream that does not go on where the mirror stands.
fn gap<S: Schema>(error: &SourceError) -> Reload {
    gap_at::<S>(&error.to_string())
}

fn gap_at<S: Schema>(reason: &str) -> Reload {
    let all = (0..S::layouts().len()).collect();
    Reload {
        diverged: true,
        ..Reload::new(Cause::Gap, all, reason.to_owned())
    }
}
