//! The bytes of a checkpoint's file.
//!
//! ```text
//! file    = magic (8 bytes), format (u32), header length (u32), header, CRC32 of all before (u32),
//!           blocks, end
//! block   = kind (u8: 1 zstd, 2 as it is), table index (u32), rows (u32), bytes of the rows (u64),
//!           bytes in the file (u64), those bytes, CRC32 (u32)
//! end     = kind (u8: 0), blocks (u64), rows (u64), CRC32 of all checksums before (u32), CRC32 (u32)
//! ```
//!
//! Numbers are little endian. The checksum of a block and of the end is over the header's random
//! id and the block's number too, so that a block of another file, or at another place, does not
//! pass. A block has the rows of one table, in key order, as [`crate::stored`] has them; the blocks
//! of a table follow each other. Rows that take more than [`MAX_PACKED_BYTES`] stand in a block of
//! their own that is not compressed: so what a block unfolds to is bounded, and what is not is in
//! the file byte by byte.

use super::error::Unusable;

pub(super) const MAGIC: [u8; 8] = *b"mirrckpt";
/// Changes with everything that the bytes mean, those of the rows included.
pub(super) const FORMAT: u32 = 1;
/// Rows of a block are added up to this.
pub(super) const BLOCK_BYTES: usize = 1 << 20;
/// The most that a compressed block unfolds to.
pub(super) const MAX_PACKED_BYTES: u64 = 8 << 20;
/// The most that one row takes, which stands in a block of its own: twice the largest packet.
pub(super) const MAX_ROW_BYTES: u64 = 4 << 30;
/// The most that the header takes.
pub(super) const MAX_HEADER_BYTES: u32 = 256 << 20;
/// Bytes before the header: magic, format, length.
pub(super) const PREFIX_BYTES: usize = 16;
/// Bytes of a block before those of its rows, with the kind.
pub(super) const BLOCK_HEAD_BYTES: usize = 25;
/// Bytes of the end before its checksum, with the kind.
pub(super) const END_BYTES: usize = 21;
/// Bytes of a checksum.
pub(super) const CRC_BYTES: usize = 4;

/// How the rows of a block stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Zstd,
    AsItIs,
}

/// What a block says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockHead {
    pub(super) packing: Packing,
    pub(super) table: u32,
    pub(super) rows: u32,
    /// Bytes of the rows.
    pub(super) bytes: u64,
    /// Bytes that they take in the file.
    pub(super) length: u64,
}

/// The kind of the end.
pub(super) const END: u8 = 0;
const ZSTD: u8 = 1;
const AS_IT_IS: u8 = 2;

impl BlockHead {
    pub(super) fn encode(&self) -> [u8; BLOCK_HEAD_BYTES] {
        let mut out = [0; BLOCK_HEAD_BYTES];
        let parts: [&[u8]; 5] = [
            &[match self.packing {
                Packing::Zstd => ZSTD,
                Packing::AsItIs => AS_IT_IS,
            }],
            &self.table.to_le_bytes(),
            &self.rows.to_le_bytes(),
            &self.bytes.to_le_bytes(),
            &self.length.to_le_bytes(),
        ];
        fill(&mut out, &parts);
        out
    }

    /// # Errors
    /// What is wrong, when it is no block's.
    pub(super) fn decode(raw: &[u8; BLOCK_HEAD_BYTES]) -> Result<Self, &'static str> {
        let [kind, rest @ ..] = raw;
        let packing = match *kind {
            ZSTD => Packing::Zstd,
            AS_IT_IS => Packing::AsItIs,
            _ => return Err("an unknown kind of block"),
        };
        let head = Self {
            packing,
            table: u32::from_le_bytes(part(rest, 0)),
            rows: u32::from_le_bytes(part(rest, 4)),
            bytes: u64::from_le_bytes(part(rest, 8)),
            length: u64::from_le_bytes(part(rest, 16)),
        };
        match packing {
            Packing::Zstd if head.bytes > MAX_PACKED_BYTES => {
                Err("a compressed block that unfolds to too much")
            }
            Packing::AsItIs if head.bytes != head.length => {
                Err("a block of another length than its rows")
            }
            Packing::AsItIs if head.bytes > MAX_ROW_BYTES => Err("a row that is too large"),
            _ => Ok(head),
        }
    }
}

/// What stands behind the last block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) blocks: u64,
    pub(super) rows: u64,
    /// Over the checksums of the header and of all blocks.
    pub(super) checksums: u32,
}

impl End {
    pub(super) fn encode(&self) -> [u8; END_BYTES] {
        let mut out = [0; END_BYTES];
        let parts: [&[u8]; 4] = [
            &[END],
            &self.blocks.to_le_bytes(),
            &self.rows.to_le_bytes(),
            &self.checksums.to_le_bytes(),
        ];
        fill(&mut out, &parts);
        out
    }

    pub(super) fn decode(raw: &[u8; END_BYTES]) -> Self {
        let [_, rest @ ..] = raw;
        Self {
            blocks: u64::from_le_bytes(part(rest, 0)),
            rows: u64::from_le_bytes(part(rest, 8)),
            checksums: u32::from_le_bytes(part(rest, 16)),
        }
    }
}

/// The checksum of a block, or of the end, with this number.
pub(super) fn checksum(id: u64, number: u64, parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&id.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

/// All checksums so far as one, and another one.
pub(super) fn chain(checksums: u32, next: u32) -> u32 {
    checksum(u64::from(checksums), u64::from(next), &[])
}

pub(super) fn damaged(offset: u64, what: &'static str) -> Unusable {
    Unusable::Damaged { offset, what }
}

fn fill(out: &mut [u8], parts: &[&[u8]]) {
    let bytes = parts.iter().copied().flatten();
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
}

/// `N` bytes from `at` on; zeros where there are none.
fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes
        .get(at..)
        .and_then(|bytes| bytes.first_chunk())
        .copied()
        .unwrap_or([0; N])
}
