//! Writes a snapshot of the tables as a checkpoint, block by block in bounded memory.

use std::fs::File;
use std::io::{self, Write};

use super::format::{
    BLOCK_BYTES, BlockHead, End, FORMAT, MAGIC, MAX_HEADER_BYTES, MAX_PACKED_BYTES, Packing, chain,
    checksum,
};
use super::header::Header;
use crate::store::{Schema, Snapshot};

/// Quick, and about half of what the best level gives.
const ZSTD_LEVEL: i32 = 1;
/// Most rows of a block.
const BLOCK_ROWS: u32 = 100_000;

/// Writes header and rows, at most so many bytes; gives the bytes of the file, which is on the disk
/// then.
///
/// # Errors
/// When the file cannot be written or would be larger, or `ended` says that the checkpoint is not wanted any more.
pub(super) fn write<S: Schema>(
    file: File,
    header: &Header,
    snapshot: &Snapshot<S>,
    allowed: u64,
    ended: &dyn Fn() -> bool,
) -> io::Result<u64> {
    let mut blocks = Blocks::begin(file, header, allowed)?;
    for (index, table) in header.tables.iter().enumerate() {
        if table.is_none() {
            continue;
        }
        let (Ok(number), Some(mut rows)) = (u32::try_from(index), snapshot.stored_rows(index))
        else {
            return Err(io::Error::other("a table that the snapshot does not have"));
        };
        let (mut raw, mut count) = (Vec::with_capacity(BLOCK_BYTES + BLOCK_BYTES / 8), 0);
        loop {
            let before = raw.len();
            if !rows(&mut raw) {
                break;
            }
            if raw.len() as u64 > MAX_PACKED_BYTES && count > 0 {
                // A large row stands alone.
                let large = raw.split_off(before);
                blocks.block(number, count, &raw)?;
                (raw, count) = (large, 0);
            }
            count += 1;
            if raw.len() >= BLOCK_BYTES || count == BLOCK_ROWS {
                if ended() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                blocks.block(number, count, &raw)?;
                raw.clear();
                raw.shrink_to(2 * BLOCK_BYTES);
                count = 0;
            }
        }
        if count > 0 {
            blocks.block(number, count, &raw)?;
        }
    }
    blocks.end()
}

struct Blocks {
    file: File,
    id: u64,
    compressor: zstd::bulk::Compressor<'static>,
    packed: Vec<u8>,
    checksums: u32,
    blocks: u64,
    rows: u64,
    written: u64,
    allowed: u64,
}

impl Blocks {
    fn begin(file: File, header: &Header, allowed: u64) -> io::Result<Self> {
        let encoded = header.encode();
        let length = u32::try_from(encoded.len())
            .ok()
            .filter(|length| *length <= MAX_HEADER_BYTES)
            .ok_or_else(|| io::Error::other("a header of more than 256 MiB"))?;
        let mut start = Vec::with_capacity(encoded.len() + 32);
        start.extend_from_slice(&MAGIC);
        start.extend_from_slice(&FORMAT.to_le_bytes());
        start.extend_from_slice(&length.to_le_bytes());
        start.extend_from_slice(&encoded);
        let sum = crc32fast::hash(&start);
        start.extend_from_slice(&sum.to_le_bytes());
        let mut blocks = Self {
            file,
            id: header.id,
            compressor: zstd::bulk::Compressor::new(ZSTD_LEVEL)?,
            packed: Vec::new(),
            checksums: chain(0, sum),
            blocks: 0,
            rows: 0,
            written: 0,
            allowed,
        };
        blocks.put(&[&start])?;
        Ok(blocks)
    }

    fn put(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let bytes: u64 = parts.iter().map(|part| part.len() as u64).sum();
        if self.written + bytes > self.allowed {
            return Err(io::Error::other(format!(
                "it would be larger than {} bytes (limit checkpoint_bytes)",
                self.allowed
            )));
        }
        for part in parts {
            self.file.write_all(part)?;
            self.written += part.len() as u64;
        }
        Ok(())
    }

    fn block(&mut self, table: u32, rows: u32, raw: &[u8]) -> io::Result<()> {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        let is_large = raw.len() as u64 > MAX_PACKED_BYTES;
        if !is_large {
            packed.reserve(zstd::zstd_safe::compress_bound(raw.len()));
            self.compressor.compress_to_buffer(raw, &mut packed)?;
        }
        let (packing, body) = match is_large {
            true => (Packing::AsItIs, raw),
            false => (Packing::Zstd, packed.as_slice()),
        };
        let head = BlockHead {
            packing,
            table,
            rows,
            bytes: raw.len() as u64,
            length: body.len() as u64,
        }
        .encode();
        let sum = checksum(self.id, self.blocks, &[&head, body]);
        self.put(&[&head, body, &sum.to_le_bytes()])?;
        self.checksums = chain(self.checksums, sum);
        self.blocks += 1;
        self.rows += u64::from(rows);
        self.packed = packed;
        Ok(())
    }

    fn end(mut self) -> io::Result<u64> {
        let end = End {
            blocks: self.blocks,
            rows: self.rows,
            checksums: self.checksums,
        }
        .encode();
        let sum = checksum(self.id, self.blocks, &[&end]);
        self.put(&[&end, &sum.to_le_bytes()])?;
        self.file.sync_all()?;
        Ok(self.written)
    }
}
