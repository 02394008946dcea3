//! A running mirror: its thread, its life cycle, and what its owner can ask of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::backoff::Pace;
use crate::checkpoint::CheckpointStatus;
use crate::error::Error;
use crate::follow::run;
use crate::options::Options;
use crate::policy::Cause;
use crate::reload::Reload;
use crate::source::{ServerUrl, Servers, StopHandle};
use crate::status::{State, Status, StatusCell};
use crate::store::{Schema, Store};
use crate::subscription::{Deliveries, SubscribeOptions, Subscribers, Subscription};

/// The tables of `S` in memory, following a server until it is stopped or dropped.
pub struct Mirror<S: Schema> {
    pub(crate) shared: Arc<Shared<S>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the mirror's thread and its owner share.
pub(crate) struct Shared<S: Schema> {
    pub(crate) store: Arc<Store<S>>,
    pub(crate) subscribers: Subscribers<S>,
    pub(crate) status: StatusCell,
    pub(crate) stop: Arc<AtomicBool>,
    /// Ends the read that the thread may be blocked in.
    pub(crate) stream: Mutex<Option<StopHandle>>,
    pub(crate) options: Options,
    pub(crate) servers: Servers,
    pub(crate) pace: Pace,
    /// Which tables are mirrored, by table index.
    pub(crate) selected: Vec<bool>,
    /// Loads that are asked for from outside of the mirror's thread.
    requested: Mutex<Vec<Reload>>,
    error: Mutex<Option<Error>>,
}

impl<S: Schema> Shared<S> {
    /// The server that is used now.
    pub(crate) fn url(&self) -> &ServerUrl {
        self.servers.current()
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Makes the stream the one that a stop ends; ends it at once when that has come already.
    pub(crate) fn set_stream(&self, stream: Option<StopHandle>) {
        let mut held = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        *held = stream;
        if let Some(stream) = held.as_ref().filter(|_| self.stopped()) {
            stream.stop();
        }
    }

    fn request_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.subscribers.look_again();
        let held = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = held.as_ref() {
            stream.stop();
        }
    }

    /// Asks the mirror's thread for a load, or what the policy for its cause says; once, however
    /// often it is asked before that.
    pub(crate) fn request(&self, reload: Reload) {
        let requested = self.requested.lock();
        let mut requested = requested.unwrap_or_else(PoisonError::into_inner);
        let is_same = |held: &Reload| (held.cause, &held.tables) == (reload.cause, &reload.tables);
        if !requested.iter().any(is_same) {
            requested.push(reload);
        }
    }

    /// What was asked for, once.
    pub(crate) fn take_requests(&self) -> Vec<Reload> {
        let requested = self.requested.lock();
        std::mem::take(&mut *requested.unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn error(&self) -> Option<Error> {
        self.error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl<S: Schema> Mirror<S> {
    /// Starts a mirror and returns at once; [`wait_until_live`](Self::wait_until_live) waits
    /// for its tables.
    ///
    /// # Errors
    /// When an option is out of its range, `options` names a table that was not generated, or no
    /// thread can be started.
    pub fn start(options: Options) -> Result<Self, Error> {
        let layouts = S::layouts();
        options.check()?;
        let selected = options.selection(layouts)?;
        let (store, writer) = Store::new();
        let shared = Arc::new(Shared {
            store,
            subscribers: Subscribers::new(&options.limits),
            status: StatusCell::new(layouts.iter().map(|layout| layout.full_name())),
            stop: Arc::new(AtomicBool::new(false)),
            stream: Mutex::new(None),
            servers: Servers::new(&options.url),
            pace: Pace::new(&options),
            options,
            selected,
            requested: Mutex::new(Vec::new()),
            error: Mutex::new(None),
        });
        if shared.options.checkpoint.is_some() {
            let begun = Some(CheckpointStatus::default());
            shared.status.update(|status| status.checkpoint = begun);
        }
        let thread_shared = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("mirror".into())
            .spawn(move || {
                let result = run(&thread_shared, writer);
                finish(&thread_shared, result);
            })
            .map_err(|error| crate::source::SourceError::Broken {
                detail: format!("no thread for the mirror: {error}"),
            })?;
        Ok(Self {
            shared,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Starts a mirror and waits until its tables are there, at most `timeout`.
    ///
    /// # Errors
    /// What made the mirror stop, or [`Error::TimedOut`].
    pub fn connect(options: Options, timeout: Duration) -> Result<Self, Error> {
        let mirror = Self::start(options)?;
        mirror.wait_until_live(timeout)?;
        Ok(mirror)
    }

    /// All tables at the last transaction boundary: no lock, and never part of a transaction.
    ///
    /// Before the mirror is live the tables are empty.
    #[must_use]
    pub fn snapshot(&self) -> S::Snapshot {
        self.shared.store.snapshot().into()
    }

    /// Every transaction that is committed from now on, and the snapshot that it follows on.
    ///
    /// Waits for the end of the transaction that is being applied, if there is one. When there are
    /// too many subscriptions it ends at once, and [`Subscription::error`] says so.
    #[must_use]
    pub fn subscribe(&self) -> Subscription<S> {
        self.shared.subscribers.subscribe(&self.shared.store)
    }

    /// A snapshot, and every transaction that is committed behind it, with a queue and a way with
    /// slow readers of one's own.
    ///
    /// ```no_run
    /// # fn example<S: mirror_runtime::Schema>(
    /// #     mirror: &mirror_runtime::Mirror<S>,
    /// # ) -> Result<(), mirror_runtime::Error> {
    /// use mirror_runtime::{Delivery, SlowReader, SubscribeOptions};
    ///
    /// let deliveries = mirror.subscribe_with(SubscribeOptions {
    ///     queue: 10_000,
    ///     slow: SlowReader::Resync,
    /// })?;
    /// while let Some(delivery) = deliveries.next() {
    ///     match delivery {
    ///         Delivery::Resync(state) => println!("{:?}: make it anew", state.version().position),
    ///         Delivery::Transaction(transaction) => println!("{}", transaction.boundary.position),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Limit`] when there are too many subscriptions or the queue is longer than
    /// [`Limits`](crate::Limits) allow, [`Error::Option`] when it is 0.
    pub fn subscribe_with(&self, options: SubscribeOptions) -> Result<Deliveries<S>, Error> {
        let shared = &self.shared;
        shared.subscribers.subscribe_with(options, &shared.store)
    }

    /// What the mirror is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        Status {
            server: self.shared.url().address(),
            ..self.shared.status.get()
        }
    }

    /// Waits until the mirror follows the server.
    ///
    /// # Errors
    /// What made the mirror stop, or [`Error::TimedOut`].
    pub fn wait_until_live(&self, timeout: Duration) -> Result<(), Error> {
        let until = Instant::now() + timeout;
        self.shared
            .status
            .wait(Some(until), |status| self.live_or_ended(status))
            .unwrap_or(Err(Error::TimedOut {
                what: "the mirror's load".into(),
                within: timeout,
            }))
    }

    fn live_or_ended(&self, status: &Status) -> Option<Result<(), Error>> {
        match &status.state {
            State::Live => Some(Ok(())),
            State::Stopped | State::Failed(_) => {
                Some(Err(self.shared.error().unwrap_or(Error::Stopped)))
            }
            _ => None,
        }
    }

    /// Whether it follows the server, or has ended; nothing while it does neither.
    #[cfg(feature = "async")]
    pub(crate) fn is_live(&self) -> Option<Result<(), Error>> {
        self.shared
            .status
            .look(|_, _, status| self.live_or_ended(status))
    }

    /// Waits until the mirror has ended; the error that ended it, if one did.
    ///
    /// # Errors
    /// What made the mirror stop by itself.
    pub fn wait_until_ended(&self) -> Result<(), Error> {
        self.shared.status.wait(None, |status| {
            matches!(status.state, State::Stopped | State::Failed(_)).then_some(())
        });
        self.shared.error().map_or(Ok(()), Err)
    }

    /// The error that ended the mirror, if one did.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        self.shared.error()
    }

    /// Loads tables again, `tables` by full name (`database.table`) or all when there is none,
    /// and returns at once: as after a divergence, readers keep the last state until the load is
    /// there. It begins with the next event or heartbeat of the server, once the mirror is live.
    ///
    /// # Errors
    /// When a name is none of the mirrored tables.
    pub fn reload(&self, tables: &[&str]) -> Result<(), Error> {
        let names = tables.iter().map(|&name| name.to_owned()).collect();
        let options = Options {
            tables: (!tables.is_empty()).then_some(names),
            ..self.shared.options.clone()
        };
        let wanted = options.selection(S::layouts())?;
        let wanted = wanted.iter().zip(&self.shared.selected);
        let wanted: Vec<usize> = wanted
            .enumerate()
            .filter(|(_, (wanted, on))| **wanted && **on)
            .map(|(index, _)| index)
            .collect();
        let names: Vec<String> = wanted
            .iter()
            .filter_map(|&index| S::layouts().get(index))
            .map(|layout| layout.full_name())
            .collect();
        let reason = format!("a request to load {} again", names.join(", "));
        self.shared
            .request(Reload::new(Cause::Requested, wanted, reason));
        Ok(())
    }

    /// Stops following: ends a blocked read at once, and waits for the thread. Snapshots stay
    /// good.
    pub fn stop(&self) {
        self.shared.request_stop();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // A panic of the thread has been reported by the panic hook.
            if thread.join().is_err() {
                finish(&self.shared, Err(panicked()));
            }
        }
    }
}

impl<S: Schema> std::fmt::Debug for Mirror<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let status = self.status();
        f.debug_struct("Mirror")
            .field("server", &status.server)
            .field("state", &status.state)
            .field("position", &status.position)
            .finish_non_exhaustive()
    }
}

impl<S: Schema> Drop for Mirror<S> {
    fn drop(&mut self) {
        self.stop();
    }
}

fn panicked() -> Error {
    crate::source::SourceError::Broken {
        detail: "the mirror's thread ended by a panic; this is a bug".into(),
    }
    .into()
}

/// Records how the mirror ended and wakes everyone who waits for it.
fn finish<S: Schema>(shared: &Shared<S>, result: Result<(), Error>) {
    shared.set_stream(None);
    let state = match result {
        Ok(()) | Err(Error::Stopped) => State::Stopped,
        Err(error) => {
            tracing::error!(%error, "the mirror stopped");
            let text = error.to_string();
            *shared.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            State::Failed(text)
        }
    };
    shared.status.update(|status| status.state = state);
    shared.subscribers.end();
}
