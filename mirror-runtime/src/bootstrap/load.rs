//! Runs the SELECTs of a load on several connections.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mysql::prelude::Queryable;
use mysql::{Conn, Params};

use super::pieces::{Piece, pieces};
use crate::error::{Error, TableError};
use crate::mirror::Shared;
use crate::options::Options;
use crate::row::SelectValue;
use crate::source::{StopHandle, connect, query_error};
use crate::status::StatusCell;
use crate::store::{Batch, NewTables, Schema, Writer};

/// Rows that a connection hands over at once.
const BATCH_ROWS: usize = 1000;
/// Batches that wait to be inserted, per connection.
const QUEUE_BATCHES: usize = 4;
/// How often a load that waits for the server looks whether it is to stop.
const STOP_POLL: Duration = Duration::from_millis(50);

/// Rows of one table, or why there are none.
type Delivery = Result<(usize, Box<dyn Batch>), Error>;

/// Loads the selected tables; by the connection of a snapshot alone where there is one.
///
/// # Errors
/// The first error of any connection; the others are ended.
pub(super) fn load<S: Schema>(
    conn: &mut Conn,
    shared: &Shared<S>,
    writer: &Writer<S>,
    selected: &[bool],
    mut snapshot: Option<Conn>,
) -> Result<NewTables<S>, Error> {
    let (options, status, stop) = (&shared.options, &shared.status, &*shared.stop);
    let mut jobs = VecDeque::new();
    for (table, layout) in S::layouts().iter().enumerate() {
        if selected.get(table) != Some(&true) {
            continue;
        }
        let (pieces, estimated) = pieces(conn, table, layout, options.chunk_rows)?;
        status.update(|status| {
            if let Some(shown) = status.tables.get_mut(table) {
                shown.rows = 0;
                shown.estimated_rows = estimated;
            }
        });
        jobs.extend(pieces);
    }
    let workers = match snapshot {
        Some(_) => 1,
        None => options.load_connections.clamp(1, 64).min(jobs.len().max(1)),
    };
    let jobs = Mutex::new(jobs);
    let failed = AtomicBool::new(false);
    let reads = Mutex::new(Vec::new());
    let (sender, receiver) = sync_channel(QUEUE_BATCHES * workers);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            let conn = snapshot.take();
            let ended = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
            let (jobs, reads) = (&jobs, &reads);
            scope.spawn(move || {
                if let Err(error) = work::<S>(options, conn, jobs, reads, &sender, &ended) {
                    // Nobody listens once an error was taken; that one is reported.
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        let result = collect(&receiver, writer, writer.new_tables(selected), status, stop);
        failed.store(true, Ordering::Relaxed);
        // Lets connections that wait for room or for the server go on, and end.
        drop(receiver);
        if result.is_err() {
            for read in lock(&reads).drain(..) {
                read.stop();
            }
        }
        result
    })
}

/// Inserts batches until the last connection is done.
fn collect<S: Schema>(
    receiver: &Receiver<Delivery>,
    writer: &Writer<S>,
    mut tables: NewTables<S>,
    status: &StatusCell,
    stop: &AtomicBool,
) -> Result<NewTables<S>, Error> {
    loop {
        let (index, batch) = match receiver.recv_timeout(STOP_POLL) {
            Ok(delivery) => delivery?,
            Err(RecvTimeoutError::Disconnected) => return Ok(tables),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                return Err(Error::Stopped);
            }
            Err(RecvTimeoutError::Timeout) => continue,
        };
        let rows = batch.rows() as u64;
        writer
            .insert_batch(&mut tables, index, batch)
            .map_err(|error| TableError::Event {
                event: "SELECT",
                position: crate::source::BinlogPosition::start_of("none"),
                detail: error.to_string(),
            })?;
        status.update(|status| {
            if let Some(shown) = status.tables.get_mut(index) {
                shown.rows += rows;
            }
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One connection, a new one unless it is given: takes pieces until there are none left.
fn work<S: Schema>(
    options: &Options,
    conn: Option<Conn>,
    jobs: &Mutex<VecDeque<Piece>>,
    reads: &Mutex<Vec<StopHandle>>,
    sender: &SyncSender<Delivery>,
    ended: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let mut conn = match conn {
        Some(conn) => conn,
        None => connect(&options.url)?,
    };
    lock(reads).push(StopHandle::new(&conn)?);
    loop {
        let piece = lock(jobs).pop_front();
        let Some(piece) = piece else { return Ok(()) };
        let new_batch = || S::kinds().get(piece.table).map(|kind| kind.new_batch());
        select::<S>(&mut conn, &piece, &new_batch, sender, ended)?;
        if ended() {
            return Ok(());
        }
    }
}

/// One SELECT: its rows go over in batches.
fn select<S: Schema>(
    conn: &mut Conn,
    piece: &Piece,
    new_batch: &dyn Fn() -> Option<Box<dyn Batch>>,
    sender: &SyncSender<Delivery>,
    ended: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let parameters = if piece.parameters.is_empty() {
        Params::Empty
    } else {
        Params::Positional(piece.parameters.clone())
    };
    let rows = conn
        .exec_iter(&piece.sql, parameters)
        .map_err(|error| query_error(error, "loading a table"))?;
    let Some(mut batch) = new_batch() else {
        return Ok(());
    };
    for row in rows {
        let values: Vec<SelectValue> = row
            .map_err(|error| query_error(error, "loading a table"))?
            .unwrap();
        batch
            .push(&mut values.into_iter())
            .map_err(|error| value_error::<S>(piece.table, error))?;
        if batch.rows() >= BATCH_ROWS {
            let Some(next) = new_batch() else {
                return Ok(());
            };
            let full = std::mem::replace(&mut batch, next);
            if ended() || sender.send(Ok((piece.table, full))).is_err() {
                return Ok(());
            }
        }
    }
    // The receiver is gone only when the load has failed or ended.
    let _ = sender.send(Ok((piece.table, batch)));
    Ok(())
}

fn value_error<S: Schema>(table: usize, error: crate::error::ValueError) -> Error {
    TableError::Value {
        table: S::layouts()
            .get(table)
            .map_or_else(String::new, |layout| layout.full_name()),
        error,
        position: None,
    }
    .into()
}
