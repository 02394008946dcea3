//! Runs the SELECTs of a load on several connections.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mysql::Conn;
use mysql::prelude::Queryable;

use super::connect_again;
use super::jobs::{Jobs, Taken};
use super::pieces::{Piece, pieces};
use crate::error::{Error, TableError, ValueError};
use crate::mirror::Shared;
use crate::options::Options;
use crate::row::SelectValue;
use crate::source::{ServerInfo, StopHandle, query_error};
use crate::store::{Batch, NewTables, Schema, Writer};
use crate::weight::{bytes, check_tables};

/// A connection hands over so many rows at once, or fewer with so many bytes of text.
const BATCH_ROWS: usize = 1000;
const BATCH_BYTES: usize = 1 << 20;
/// Batches that wait to be inserted, per connection.
const QUEUE_BATCHES: usize = 4;
/// A range that has so many times the wanted rows is cut further.
const TOO_LARGE: u64 = 4;
/// How often a load that waits for the server looks whether it is to stop.
const STOP_POLL: Duration = Duration::from_millis(50);

/// Rows of one table, or why there are none.
type Delivery = Result<(usize, Box<dyn Batch>), Error>;

/// What is to be SELECTed.
pub(super) struct Plan {
    pieces: Vec<Piece>,
    /// Which tables, by table index.
    selected: Vec<bool>,
    /// The server's estimate of the rows of each table, by table index.
    estimates: Vec<(usize, u64)>,
}

/// Plans the SELECTs of the selected tables.
///
/// # Errors
/// When the server cannot be asked.
pub(super) fn plan<S: Schema>(
    conn: &mut Conn,
    options: &Options,
    selected: &[bool],
) -> Result<Plan, Error> {
    let (mut all, mut estimates) = (Vec::new(), Vec::new());
    for (table, layout) in S::layouts().iter().enumerate() {
        if selected.get(table) != Some(&true) {
            continue;
        }
        let (pieces, estimated) = pieces(conn, table, layout, options.chunk_rows)?;
        estimates.push((table, estimated));
        all.extend(pieces);
    }
    Ok(Plan {
        pieces: all,
        selected: selected.to_vec(),
        estimates,
    })
}

/// Loads what is planned from the server that was asked; by the connection of a snapshot alone where
/// there is one.
///
/// # Errors
/// The first error of any connection; the others are ended.
pub(super) fn load<S: Schema>(
    shared: &Shared<S>,
    writer: &Writer<S>,
    plan: Plan,
    snapshot: Option<Conn>,
    info: &ServerInfo,
) -> Result<NewTables<S>, Error> {
    shared.status.select_begins(&plan.estimates);
    let tables = load_pieces(shared, writer, plan, snapshot, info);
    shared.status.select_ends();
    tables
}

/// Reads the pieces on several connections, and inserts what they give.
fn load_pieces<S: Schema>(
    shared: &Shared<S>,
    writer: &Writer<S>,
    plan: Plan,
    mut snapshot: Option<Conn>,
    info: &ServerInfo,
) -> Result<NewTables<S>, Error> {
    let Plan {
        pieces, selected, ..
    } = plan;
    let stop = &*shared.stop;
    let wanted = shared.options.load_connections.clamp(1, 64);
    let workers = match snapshot {
        Some(_) => 1,
        None => wanted.min(pieces.len().max(1)),
    };
    let failed = AtomicBool::new(false);
    let work = Work {
        jobs: Jobs::new(pieces),
        reads: Mutex::new(Vec::new()),
        is_shared: workers > 1,
        info,
        ended: &|| stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed),
    };
    let (sender, receiver) = sync_channel(QUEUE_BATCHES * workers);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            let (conn, work) = (snapshot.take(), &work);
            let span = tracing::Span::current();
            scope.spawn(move || {
                let _in = span.entered();
                if let Err(error) = work.run(shared, conn, &sender) {
                    // Nobody listens once an error was taken; that one is reported.
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        let tables = writer.new_tables(&selected);
        let result = collect(&receiver, writer, tables, shared);
        failed.store(true, Ordering::Relaxed);
        // Lets connections that wait for room or for the server go on, and end.
        drop(receiver);
        if result.is_err() {
            for read in lock(&work.reads).drain(..) {
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
    shared: &Shared<S>,
) -> Result<NewTables<S>, Error> {
    let mut weights = LoadWeights::new(writer);
    loop {
        let (index, batch) = match receiver.recv_timeout(STOP_POLL) {
            Ok(delivery) => delivery?,
            Err(RecvTimeoutError::Disconnected) => return Ok(tables),
            Err(RecvTimeoutError::Timeout) if shared.stopped() => return Err(Error::Stopped),
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
        weights.look(&tables, index);
        let limits = &shared.options.limits;
        check_tables(weights.held + weights.sum, limits, &"while they are loaded")?;
        shared.status.update(|status| {
            if let Some(shown) = status.tables.get_mut(index) {
                shown.rows += rows;
            }
        });
    }
}

/// Bytes of the tables that are loaded, and of those that readers have meanwhile.
struct LoadWeights {
    held: u64,
    tables: Vec<u64>,
    sum: u64,
}

impl LoadWeights {
    fn new<S: Schema>(writer: &Writer<S>) -> Self {
        let tables = 0..S::layouts().len();
        Self {
            held: tables.clone().map(|at| bytes(&writer.memory(at))).sum(),
            tables: tables.map(|_| 0).collect(),
            sum: 0,
        }
    }

    fn look<S: Schema>(&mut self, tables: &NewTables<S>, index: usize) {
        if let Some(held) = self.tables.get_mut(index) {
            let now = bytes(&tables.memory(index));
            self.sum = self.sum - *held + now;
            *held = now;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the connections of a load share.
struct Work<'a> {
    jobs: Jobs,
    /// End the connections, in whatever they wait for.
    reads: Mutex<Vec<StopHandle>>,
    /// Whether there are several connections, to which pieces that are too large are cut.
    is_shared: bool,
    /// The server that was asked.
    info: &'a ServerInfo,
    ended: &'a (dyn Fn() -> bool + Sync),
}

impl Work<'_> {
    /// One connection, a new one unless it is given: takes pieces until there are none left.
    fn run<S: Schema>(
        &self,
        shared: &Shared<S>,
        conn: Option<Conn>,
        sender: &SyncSender<Delivery>,
    ) -> Result<(), Error> {
        let options = &shared.options;
        let mut conn = match conn {
            Some(conn) => conn,
            None => connect_again(shared.url(), self.info)?,
        };
        lock(&self.reads).push(StopHandle::new(&conn)?);
        while let Some(mut taken) = self.jobs.take(self.ended) {
            if self.is_shared && !options.naive_anchor {
                cut_large::<S>(&mut conn, &mut taken, options.chunk_rows)?;
            }
            let piece = taken.settle();
            let new_batch = || S::kinds().get(piece.table).map(|kind| kind.new_batch());
            select::<S>(&mut conn, &piece, &new_batch, sender, self.ended)?;
        }
        Ok(())
    }
}

/// Cuts a range that has far more rows than the ranges of a table have on average: keys are
/// seldom spread evenly.
fn cut_large<S: Schema>(
    conn: &mut Conn,
    taken: &mut Taken<'_>,
    chunk_rows: u64,
) -> Result<(), Error> {
    let Some(layout) = S::layouts().get(taken.piece().table) else {
        return Ok(());
    };
    while let Some(rows) = taken.piece().estimated_rows(conn, layout)? {
        let parts = rows / chunk_rows.max(1);
        if parts < TOO_LARGE || !taken.cut(parts) {
            break;
        }
    }
    Ok(())
}

/// One SELECT: its rows go over in batches.
fn select<S: Schema>(
    conn: &mut Conn,
    piece: &Piece,
    new_batch: &dyn Fn() -> Option<Box<dyn Batch>>,
    sender: &SyncSender<Delivery>,
    ended: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let (Some(layout), Some(mut batch)) = (S::layouts().get(piece.table), new_batch()) else {
        return Ok(());
    };
    let rows = conn
        .exec_iter(piece.sql(layout), ())
        .map_err(|error| query_error(error, "loading a table"))?;
    let mut bytes = 0;
    for row in rows {
        let row = row.map_err(|error| query_error(error, "loading a table"))?;
        let mut values = row.unwrap_raw().into_iter().map_while(|value| {
            if let Some(SelectValue::Bytes(text)) = &value {
                bytes += text.len();
            }
            value
        });
        batch
            .push(&mut values)
            .map_err(|error| value_error(layout.full_name(), error))?;
        if batch.rows() >= BATCH_ROWS || bytes >= BATCH_BYTES {
            let Some(next) = new_batch() else {
                return Ok(());
            };
            let full = std::mem::replace(&mut batch, next);
            bytes = 0;
            if ended() || sender.send(Ok((piece.table, full))).is_err() {
                return Ok(());
            }
        }
    }
    // The receiver is gone only when the load has failed or ended.
    let _ = sender.send(Ok((piece.table, batch)));
    Ok(())
}

fn value_error(table: String, error: ValueError) -> Error {
    TableError::Value {
        table,
        error,
        position: None,
    }
    .into()
}
