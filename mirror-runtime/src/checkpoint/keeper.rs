//! Takes checkpoints at boundaries, and writes them beside everything else.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::CheckpointOptions;
use super::error::CheckpointError;
use super::folder::Folder;
use super::header::{Header, Server, Table};
use super::warm_start::warm_start;
use super::writer;
use crate::apply::Applier;
use crate::bootstrap::Loaded;
use crate::error::Error;
use crate::image::ColumnDefault;
use crate::mirror::Shared;
use crate::resume::Resume;
use crate::source::{BinlogPosition, ServerInfo, StreamStart};
use crate::store::{Schema, Snapshot, Writer};

/// Wait where there is no interval.
const FOR_EVER: Duration = Duration::from_secs(1 << 30);
/// Number of the load by which the rows of a checkpoint become readers' first.
const RESTORED_LOAD: u64 = 1;

/// The checkpoints of a mirror.
pub(crate) struct Keeper<'m, S: Schema> {
    shared: &'m Shared<S>,
    options: &'m CheckpointOptions,
    folder: Folder,
    /// Whether the next boundary is to be kept.
    due: AtomicBool,
    jobs: Mutex<Option<Sender<Job<S>>>>,
    /// Where the last checkpoint stands that is in the folder and can be used.
    last: Mutex<Option<Place>>,
}

/// What a checkpoint is of: none is written of the same again.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    position: BinlogPosition,
    start: StreamStart,
    /// The number of the load: rows that were loaded again may be others.
    load: u64,
}

/// A state of the tables with its place.
struct Job<S: Schema> {
    header: Header,
    place: Place,
    snapshot: Snapshot<S>,
    /// The mirror ends with it.
    is_final: bool,
}

impl<'m, S: Schema> Keeper<'m, S> {
    /// The keeper, if the mirror's options have a folder for it.
    ///
    /// # Errors
    /// When another process uses the folder.
    pub(crate) fn open(shared: &'m Shared<S>) -> Result<Option<Self>, Error> {
        let Some(options) = &shared.options.checkpoint else {
            return Ok(None);
        };
        let folder = Folder::open(&options.folder)?;
        Ok(Some(Self {
            shared,
            options,
            folder,
            due: AtomicBool::new(false),
            jobs: Mutex::new(None),
            last: Mutex::new(None),
        }))
    }

    /// What the checkpoint in the folder gives in place of a load.
    ///
    /// # Errors
    /// When the server cannot be asked or does not serve, or the checkpoint is refused.
    pub(crate) fn restore(
        &self,
        server_id: u32,
        writer: &Writer<S>,
    ) -> Result<Option<Loaded<S>>, Error> {
        let path = self.folder.checkpoint();
        let loaded = warm_start(&path, self.options, self.shared, server_id, writer)?;
        if let Some(loaded) = &loaded {
            *lock(&self.last) = Some(Place {
                position: loaded.before_load.clone(),
                start: loaded.start.clone(),
                load: RESTORED_LOAD,
            });
        }
        Ok(loaded)
    }

    /// Starts the thread that writes.
    pub(crate) fn start<'s>(&'s self, scope: &'s Scope<'s, '_>) -> Result<(), Error> {
        let (sender, receiver) = channel();
        *lock(&self.jobs) = Some(sender);
        let thread = std::thread::Builder::new().name("mirror-checkpoint".into());
        let spawned = thread.spawn_scoped(scope, move || self.work(&receiver));
        match spawned {
            Ok(_) => Ok(()),
            Err(error) => Err(CheckpointError::Write {
                path: self.options.folder.display().to_string(),
                error: format!("no thread for it: {error}"),
            }
            .into()),
        }
    }

    /// Lets the thread that writes end when this is dropped, however that comes: it writes what it
    /// was given before.
    pub(crate) fn end_on_drop(&self) -> EndOnDrop<'_, 'm, S> {
        EndOnDrop(self)
    }

    /// To be called at boundaries of a live mirror: keeps this one if a checkpoint is due.
    #[inline]
    pub(crate) fn boundary(
        &self,
        applier: &Applier<'_, S>,
        resume: &Resume,
        defaults: &[Arc<[ColumnDefault]>],
    ) {
        if self.due.load(Ordering::Relaxed) {
            self.due.store(false, Ordering::Relaxed);
            self.keep(applier, resume, defaults, false);
        }
    }

    /// Keeps the state that the mirror ends with, if it is one that can be gone on from.
    pub(crate) fn keep(
        &self,
        applier: &Applier<'_, S>,
        resume: &Resume,
        defaults: &[Arc<[ColumnDefault]>],
        is_final: bool,
    ) {
        let (boundaries, last) = applier.boundary();
        let is_whole =
            applier.is_live() && applier.reload().is_none() && boundaries == resume.boundaries;
        let Some(server) = resume.server.as_ref().filter(|_| is_whole) else {
            return;
        };
        if let Some(table) = applier.first_suspect() {
            let why = format!("rows of {} may be wrong", Applier::<S>::name_of(table));
            self.failed(&CheckpointError::Write {
                path: self.folder.checkpoint().display().to_string(),
                error: why,
            });
            return;
        }
        let snapshot = self.shared.store.snapshot();
        let position = match (&resume.start, last) {
            (StreamStart::File(position), _) => position.clone(),
            (StreamStart::Gtid(_), Some(last)) => last.position.clone(),
            (StreamStart::Gtid(_), None) => match &snapshot.version().position {
                Some(position) => position.clone(),
                None => return,
            },
        };
        let place = Place {
            position,
            start: resume.start.clone(),
            load: snapshot.version().load,
        };
        if lock(&self.last).as_ref() == Some(&place) {
            return;
        }
        let header = self.header(&snapshot, place.clone(), defaults, resume, server);
        let job = Job {
            header,
            place,
            snapshot,
            is_final,
        };
        if let Some(jobs) = &*lock(&self.jobs) {
            // The receiver is gone only when its thread is, which a panic has told of.
            let _ = jobs.send(job);
        }
    }

    fn header(
        &self,
        snapshot: &Snapshot<S>,
        place: Place,
        defaults: &[Arc<[ColumnDefault]>],
        resume: &Resume,
        server: &ServerInfo,
    ) -> Header {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let tables = self.shared.selected.iter().enumerate();
        let tables = tables.map(|(index, selected)| {
            selected.then(|| Table {
                rows: snapshot.row_count(index) as u64,
                defaults: defaults.get(index).cloned().unwrap_or_default(),
            })
        });
        Header {
            id: RandomState::new().build_hasher().finish(),
            fingerprint: S::fingerprint().to_owned(),
            written_at: now.map_or(0, |now| now.as_secs()),
            server: Server::of(server),
            position: place.position,
            start: place.start,
            gtids: resume.gtids.clone(),
            log: resume.log.to_store(),
            tables: tables.collect(),
        }
    }

    /// The thread that writes.
    fn work(&self, jobs: &Receiver<Job<S>>) {
        let interval = self.options.interval.unwrap_or(FOR_EVER);
        let mut next = Instant::now() + interval;
        loop {
            match jobs.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(job) => self.write(&job),
                Err(RecvTimeoutError::Timeout) => self.due.store(true, Ordering::Relaxed),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            next = Instant::now() + interval;
        }
    }

    fn write(&self, job: &Job<S>) {
        let started = Instant::now();
        let position = &job.header.position;
        let _in = tracing::info_span!("checkpoint", %position).entered();
        // One that is not wanted any more, since the last is about to come.
        let ended = || !job.is_final && self.shared.stopped();
        let keep_old = lock(&self.last).is_none();
        let allowed = self.shared.options.limits.checkpoint_bytes;
        let written = self.folder.replace(keep_old, |file| {
            writer::write(file, &job.header, &job.snapshot, allowed, &ended)
        });
        let bytes = match written {
            Ok(bytes) => bytes,
            Err(_) if ended() => return,
            Err(error) => return self.failed(&error),
        };
        tracing::info!(%position, bytes, "checkpoint");
        *lock(&self.last) = Some(job.place.clone());
        self.shared.status.update(|status| {
            let shown = status.checkpoint.get_or_insert_default();
            shown.written_at = Some(SystemTime::now());
            shown.position = Some(position.clone());
            shown.bytes = bytes;
            shown.took = started.elapsed();
            shown.written += 1;
            shown.error = None;
        });
    }

    fn failed(&self, error: &CheckpointError) {
        tracing::warn!(%error, "no checkpoint");
        self.shared.status.update(|status| {
            let shown = status.checkpoint.get_or_insert_default();
            shown.error = Some(error.to_string());
        });
    }
}

/// Ends the thread that writes.
pub(crate) struct EndOnDrop<'k, 'm, S: Schema>(&'k Keeper<'m, S>);

impl<S: Schema> Drop for EndOnDrop<'_, '_, S> {
    fn drop(&mut self) {
        lock(&self.0.jobs).take();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
