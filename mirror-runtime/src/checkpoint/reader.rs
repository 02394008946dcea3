//! Reads a checkpoint: one thread reads blocks, several make rows of them, and the one that asked
//! inserts them in the order in which they stand.
//!
//! Nothing that a file says is believed before its checksum was right, and no memory is set aside
//! for more bytes than the file has, but for what a compressed block unfolds to, which is bounded.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::ScopedJoinHandle;

use super::error::Unusable;
use super::format::{
    BLOCK_HEAD_BYTES, BlockHead, CRC_BYTES, END, END_BYTES, End, FORMAT, MAGIC, MAX_HEADER_BYTES,
    PREFIX_BYTES, Packing, chain, checksum, damaged,
};
use super::header::Header;
use crate::store::{Batch, NewTables, Schema, Writer};
use crate::stored::StoredBytes;

/// Blocks that wait for a thread that makes rows of them, and batches that wait to be inserted;
/// for each of the threads.
const QUEUE: usize = 2;
/// Most threads that make rows.
const MAX_WORKERS: usize = 8;
/// Bytes that are read at once.
const READ_BYTES: usize = 1 << 18;

/// A checkpoint of which the header was read.
pub(super) struct Opened {
    pub(super) header: Header,
    input: Input,
    /// Over the checksums so far.
    checksums: u32,
}

/// Bytes of a file, counted.
struct Input {
    file: BufReader<File>,
    at: u64,
    length: u64,
}

/// One block as it stands in the file.
struct Block {
    at: u64,
    number: u64,
    raw_head: [u8; BLOCK_HEAD_BYTES],
    head: BlockHead,
    body: Vec<u8>,
    checksum: u32,
}

/// The rows of a block; none of a table that is not wanted.
type Rows = Result<(usize, Option<Box<dyn Batch>>), Unusable>;

/// Opens a checkpoint of so many bytes at most and reads its header; `None` when there is no file.
///
/// # Errors
/// When it is larger, cannot be read, or is no checkpoint of this format.
pub(super) fn open(path: &Path, allowed: u64) -> Result<Option<Opened>, Unusable> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(&error)),
    };
    let length = file.metadata().map_err(|error| unreadable(&error))?.len();
    if length > allowed {
        let found = length;
        return Err(Unusable::TooLarge { found, allowed });
    }
    let mut input = Input {
        file: BufReader::with_capacity(READ_BYTES, file),
        at: 0,
        length,
    };
    let prefix: [u8; PREFIX_BYTES] = input.array()?;
    let [
        m0,
        m1,
        m2,
        m3,
        m4,
        m5,
        m6,
        m7,
        f0,
        f1,
        f2,
        f3,
        l0,
        l1,
        l2,
        l3,
    ] = prefix;
    if [m0, m1, m2, m3, m4, m5, m6, m7] != MAGIC {
        return Err(damaged(0, "it does not begin as a checkpoint does"));
    }
    let found = u32::from_le_bytes([f0, f1, f2, f3]);
    let header_bytes = u32::from_le_bytes([l0, l1, l2, l3]);
    if header_bytes > MAX_HEADER_BYTES {
        return Err(damaged(0, "a header that is too large"));
    }
    let bytes = input.bytes(u64::from(header_bytes))?;
    let sum = u32::from_le_bytes(input.array()?);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&prefix);
    hasher.update(&bytes);
    if hasher.finalize() != sum {
        return Err(damaged(0, "the checksum of the header is another"));
    }
    if found != FORMAT {
        return Err(Unusable::Format {
            expected: FORMAT,
            found,
        });
    }
    let header = Header::decode(&bytes)
        .map_err(|_| damaged(PREFIX_BYTES as u64, "the header cannot be read"))?;
    Ok(Some(Opened {
        header,
        input,
        checksums: chain(0, sum),
    }))
}

impl Opened {
    /// Reads the rows of the wanted tables into new ones. `progress` is told of rows that were
    /// inserted, by table index, and says whether to go on.
    ///
    /// # Errors
    /// When the file is not as it was written, or a row is none of its table; `None` when
    /// `progress` said to end.
    pub(super) fn load<S: Schema>(
        self,
        writer: &Writer<S>,
        wanted: &[bool],
        progress: &dyn Fn(usize, u64) -> bool,
    ) -> Result<Option<NewTables<S>>, Unusable> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = cores.min(MAX_WORKERS);
        let Self {
            header,
            input,
            checksums,
        } = self;
        let (header, id) = (&header, header.id);
        std::thread::scope(|scope| {
            let (mut to_workers, mut from_workers) = (Vec::new(), Vec::new());
            for _ in 0..workers {
                let (to, blocks) = sync_channel::<Block>(QUEUE);
                let (rows, from) = sync_channel::<Rows>(QUEUE);
                scope.spawn(move || make_rows::<S>(id, wanted, &blocks, &rows));
                to_workers.push(to);
                from_workers.push(from);
            }
            let reading = scope.spawn(move || read_blocks(input, id, checksums, &to_workers));
            let mut tables = writer.new_tables(wanted);
            let collected = collect(&from_workers, writer, &mut tables, progress);
            // Lets threads that wait for room end.
            drop(from_workers);
            let read = joined(reading);
            match collected {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => return Err(error),
            }
            read?;
            check_counts::<S>(header, &tables, wanted)?;
            Ok(Some(tables))
        })
    }
}

fn joined(reading: ScopedJoinHandle<'_, Result<(), Unusable>>) -> Result<(), Unusable> {
    reading.join().unwrap_or_else(|_| {
        Err(Unusable::Unreadable {
            error: "the reading thread ended by a panic; this is a bug".into(),
        })
    })
}

/// Takes the rows in the order of their blocks; false when `progress` said to end.
fn collect<S: Schema>(
    from_workers: &[Receiver<Rows>],
    writer: &Writer<S>,
    tables: &mut NewTables<S>,
    progress: &dyn Fn(usize, u64) -> bool,
) -> Result<bool, Unusable> {
    for from in from_workers.iter().cycle() {
        // A thread that has no more blocks was the next in turn: nobody has.
        let Ok(rows) = from.recv() else {
            return Ok(true);
        };
        let (table, Some(batch)) = rows? else {
            continue;
        };
        let count = batch.rows() as u64;
        writer
            .insert_batch(tables, table, batch)
            .map_err(|_| damaged(0, "a block of a table that there is not"))?;
        if !progress(table, count) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn check_counts<S: Schema>(
    header: &Header,
    tables: &NewTables<S>,
    wanted: &[bool],
) -> Result<(), Unusable> {
    for (index, table) in header.tables.iter().enumerate() {
        let expected = table.as_ref().map_or(0, |table| table.rows);
        if wanted.get(index) == Some(&true) && tables.row_count(index) as u64 != expected {
            return Err(damaged(0, "a table has other rows than the header says"));
        }
    }
    Ok(())
}

/// Reads block after block, and hands them to the threads in turn; the end must be behind them.
fn read_blocks(
    mut input: Input,
    id: u64,
    mut checksums: u32,
    to_workers: &[SyncSender<Block>],
) -> Result<(), Unusable> {
    let (mut number, mut rows) = (0, 0);
    for to in to_workers.iter().cycle() {
        let at = input.at;
        let [kind] = input.array()?;
        if kind == END {
            let end = input.end(id, number)?;
            let expected = End {
                blocks: number,
                rows,
                checksums,
            };
            if end != expected {
                return Err(damaged(at, "blocks are missing, or there are too many"));
            }
            if input.at != input.length {
                return Err(damaged(input.at, "there are bytes behind the end"));
            }
            return Ok(());
        }
        let block = input.block(at, number, kind)?;
        checksums = chain(checksums, block.checksum);
        rows += u64::from(block.head.rows);
        number += 1;
        // The receiver is gone only when the load has failed or ended.
        if to.send(block).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Makes rows of blocks, up to the first that is wrong.
fn make_rows<S: Schema>(
    id: u64,
    wanted: &[bool],
    blocks: &Receiver<Block>,
    rows: &SyncSender<Rows>,
) {
    for block in blocks {
        let made = block.rows::<S>(id, wanted);
        let is_last = made.is_err();
        if rows.send(made).is_err() || is_last {
            return;
        }
    }
}

impl Block {
    fn rows<S: Schema>(&self, id: u64, wanted: &[bool]) -> Rows {
        let wrong = |what| damaged(self.at, what);
        if checksum(id, self.number, &[&self.raw_head, &self.body]) != self.checksum {
            return Err(wrong("the checksum of a block is another"));
        }
        let table = self.head.table as usize;
        let Some(kind) = S::kinds().get(table) else {
            return Err(wrong("a block of a table that there is not"));
        };
        if wanted.get(table) != Some(&true) {
            return Ok((table, None));
        }
        let unfolded;
        let bytes = match self.head.packing {
            Packing::AsItIs => self.body.as_slice(),
            Packing::Zstd => {
                unfolded = zstd::bulk::decompress(&self.body, self.head.bytes as usize)
                    .map_err(|_| wrong("a block cannot be decompressed"))?;
                unfolded.as_slice()
            }
        };
        if bytes.len() as u64 != self.head.bytes {
            return Err(wrong("a block has another length than it says"));
        }
        let mut batch = kind.new_batch();
        let mut stored = StoredBytes::new(bytes);
        for _ in 0..self.head.rows {
            if stored.is_empty() {
                return Err(wrong("a block has fewer rows than it says"));
            }
            batch
                .push_stored(&mut stored)
                .map_err(|error| Unusable::Value {
                    table: S::layouts()
                        .get(table)
                        .map_or_else(String::new, |layout| layout.full_name()),
                    error,
                })?;
        }
        if !stored.is_empty() {
            return Err(wrong("a block has more rows than it says"));
        }
        Ok((table, Some(batch)))
    }
}

impl Input {
    fn left(&self) -> u64 {
        self.length.saturating_sub(self.at)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Unusable> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// So many bytes, if the file has them.
    fn bytes(&mut self, count: u64) -> Result<Vec<u8>, Unusable> {
        let cut = || damaged(self.at, CUT);
        if count > self.left() {
            return Err(cut());
        }
        let mut bytes = vec![0; usize::try_from(count).map_err(|_| cut())?];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Unusable> {
        match self.file.read_exact(bytes) {
            Ok(()) => {
                self.at += bytes.len() as u64;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(damaged(self.at, CUT)),
            Err(error) => Err(unreadable(&error)),
        }
    }

    fn block(&mut self, at: u64, number: u64, kind: u8) -> Result<Block, Unusable> {
        let mut raw_head = [kind; BLOCK_HEAD_BYTES];
        let [_, rest @ ..] = &mut raw_head;
        self.fill(rest)?;
        let head = BlockHead::decode(&raw_head).map_err(|what| damaged(at, what))?;
        Ok(Block {
            at,
            number,
            raw_head,
            head,
            body: self.bytes(head.length)?,
            checksum: u32::from_le_bytes(self.array()?),
        })
    }

    fn end(&mut self, id: u64, number: u64) -> Result<End, Unusable> {
        let at = self.at;
        let mut raw = [END; END_BYTES];
        let [_, rest @ ..] = &mut raw;
        self.fill(rest)?;
        let sum: [u8; CRC_BYTES] = self.array()?;
        if checksum(id, number, &[&raw]) != u32::from_le_bytes(sum) {
            return Err(damaged(at, "the checksum of the end is another"));
        }
        Ok(End::decode(&raw))
    }
}

const CUT: &str = "it ends before it is whole";

fn unreadable(error: &io::Error) -> Unusable {
    Unusable::Unreadable {
        error: error.to_string(),
    }
}
