//! Decompression of transactions and events, in bounded memory.
//!
//! What an event says of its own size is compared with what was found, and never believed
//! when memory is set aside.

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, Operation};

use crate::source::EventHeader;
use crate::source::event::TransactionPayload;

/// Bytes by which a buffer grows as they come, and that are kept for the next event.
const STEP_BYTES: usize = 1 << 22;

/// Why something cannot be decompressed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnpackError {
    #[error("an event of more than {limit} bytes after decompression")]
    EventTooLarge { limit: u64 },
    #[error("a compressed transaction of more than {limit} bytes after decompression")]
    PayloadTooLarge { limit: u64 },
    #[error("it is compressed by method {found}, expected 0 ({expected})")]
    Method { found: u64, expected: &'static str },
    #[error("it does not start with its size")]
    NoSize,
    #[error("the compressed bytes are damaged: {0}")]
    Damaged(String),
    #[error("the compressed bytes end too early")]
    Truncated,
    #[error("{0} bytes follow on the compressed ones")]
    BytesBehind(usize),
    #[error("it says {declared} bytes after decompression, found {found}{}", more(*goes_on))]
    Size {
        declared: u64,
        found: u64,
        goes_on: bool,
    },
    #[error("the payload holds no event")]
    Empty,
    #[error("the payload ends within an event")]
    EndsWithinEvent,
    #[error("an event in the payload says that it is {0} bytes long, which is no header")]
    EventSize(u32),
}

fn more(goes_on: bool) -> &'static str {
    if goes_on { " and more" } else { "" }
}

/// How much is decompressed at most.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// The servers write no larger events than 1 GiB (MySQL manual and MariaDB knowledge base,
    /// "max_allowed_packet").
    event: u64,
    /// The events of a payload are never in memory together; the limit is there because a few
    /// megabytes can be made to decompress for hours.
    payload: u64,
}

/// Contexts and buffers that are used again for each event.
pub(super) struct Unpacker {
    /// Made with the first payload.
    zstd: Option<Decoder<'static>>,
    /// Made with the first compressed event.
    zlib: Option<Decompress>,
    buffer: Vec<u8>,
    limits: Limits,
}

impl Default for Unpacker {
    fn default() -> Self {
        let limits = crate::limits::Limits::default();
        Self {
            zstd: None,
            zlib: None,
            buffer: Vec::new(),
            limits: Limits {
                event: limits.event_bytes,
                payload: limits.payload_bytes,
            },
        }
    }
}

/// One event of a payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct PayloadEvent<'u> {
    pub(super) header: EventHeader,
    pub(super) body: &'u [u8],
    /// No event follows, and the payload is whole.
    pub(super) is_last: bool,
}

impl Unpacker {
    /// Takes other limits.
    pub(super) fn limit(&mut self, event: u64, payload: u64) {
        self.limits = Limits { event, payload };
    }

    /// The events of a payload, one after the other.
    ///
    /// # Errors
    /// When the compression method is not known, or there is no first header.
    pub(super) fn open<'u>(
        &'u mut self,
        payload: &TransactionPayload<'u>,
    ) -> Result<PayloadEvents<'u>, UnpackError> {
        let decoder = match payload.compression {
            TransactionPayload::NONE => None,
            TransactionPayload::ZSTD => Some(zstd_decoder(&mut self.zstd)?),
            found => {
                let expected = "zstd) or 255 (none";
                return Err(UnpackError::Method { found, expected });
            }
        };
        let mut events = PayloadEvents {
            bytes: PayloadBytes {
                decoder,
                input: payload.payload,
                between_frames: true,
                declared: payload.uncompressed_size,
                found: 0,
                limit: self.limits.payload,
            },
            buffer: &mut self.buffer,
            max_event: self.limits.event,
            next: None,
        };
        events.next = Some(events.read_header()?.ok_or(UnpackError::Empty)?);
        Ok(events)
    }

    /// Gives memory back that only a large event needed.
    pub(super) fn trim(&mut self) {
        if self.buffer.capacity() > STEP_BYTES {
            self.buffer.truncate(STEP_BYTES);
            self.buffer.shrink_to(STEP_BYTES);
        }
    }

    /// Decompresses a part of a MariaDB event (MariaDB source `binlog_buf_uncompress`): a byte
    /// with the method in bits 4 to 6 and the length of the size in bits 0 to 2, the size,
    /// highest byte first, and a zlib stream.
    ///
    /// # Errors
    /// When the bytes are no such thing, or too large.
    pub(super) fn inflate(&mut self, bytes: &[u8]) -> Result<&[u8], UnpackError> {
        let (first, rest) = bytes.split_first().ok_or(UnpackError::Truncated)?;
        let method = u64::from(first >> 4 & 7);
        if method != 0 {
            let (found, expected) = (method, "zlib");
            return Err(UnpackError::Method { found, expected });
        }
        let width = usize::from(first & 7);
        if first & 0x80 == 0 || !(1..=4).contains(&width) {
            return Err(UnpackError::NoSize);
        }
        let (size, stream) = rest.split_at_checked(width).ok_or(UnpackError::Truncated)?;
        let declared = size
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        if declared > self.limits.event {
            let limit = self.limits.event;
            return Err(UnpackError::EventTooLarge { limit });
        }
        let zlib = self.zlib.get_or_insert_with(|| Decompress::new(true));
        zlib.reset(true);
        let found = inflate_stream(zlib, stream, declared, &mut self.buffer)?;
        Ok(self.buffer.get(..found).unwrap_or_default())
    }
}

fn zstd_decoder<'u>(
    kept: &'u mut Option<Decoder<'static>>,
) -> Result<&'u mut Decoder<'static>, UnpackError> {
    let failed = |error: std::io::Error| UnpackError::Damaged(error.to_string());
    let decoder = match kept.take() {
        Some(mut decoder) => {
            decoder.reinit().map_err(failed)?;
            decoder
        }
        None => Decoder::new().map_err(failed)?,
    };
    Ok(kept.insert(decoder))
}

/// Decompresses a whole zlib stream of `declared` bytes into the buffer's start.
fn inflate_stream(
    zlib: &mut Decompress,
    mut input: &[u8],
    declared: u64,
    buffer: &mut Vec<u8>,
) -> Result<usize, UnpackError> {
    let mut found = 0;
    loop {
        // A byte more than declared shows a stream that goes on.
        let missing = (declared - found as u64).saturating_add(1);
        let room = usize::try_from(missing).map_or(STEP_BYTES, |missing| missing.min(STEP_BYTES));
        let out = room_at(buffer, found, room);
        let (read, written) = (zlib.total_in(), zlib.total_out());
        let status = zlib
            .decompress(input, out, FlushDecompress::None)
            .map_err(|error| UnpackError::Damaged(error.to_string()))?;
        let read = (zlib.total_in() - read) as usize;
        let written = (zlib.total_out() - written) as usize;
        input = input.get(read..).unwrap_or_default();
        found += written;
        let goes_on = status != Status::StreamEnd;
        if found as u64 > declared || (!goes_on && (found as u64) < declared) {
            return Err(UnpackError::Size {
                declared,
                found: found as u64,
                goes_on,
            });
        }
        if !goes_on {
            return match input.len() {
                0 => Ok(found),
                behind => Err(UnpackError::BytesBehind(behind)),
            };
        }
        if read == 0 && written == 0 {
            return Err(UnpackError::Truncated);
        }
    }
}

/// Room for so many bytes behind the first `filled` ones; what stands there is overwritten.
fn room_at(buffer: &mut Vec<u8>, filled: usize, room: usize) -> &mut [u8] {
    let end = filled.saturating_add(room);
    if buffer.len() < end {
        buffer.resize(end, 0);
    }
    buffer.get_mut(filled..end).unwrap_or_default()
}

/// The decompressed bytes of a payload.
struct PayloadBytes<'u> {
    /// `None` for a payload that is not compressed.
    decoder: Option<&'u mut Decoder<'static>>,
    input: &'u [u8],
    /// No zstd frame was begun and not ended.
    between_frames: bool,
    declared: Option<u64>,
    found: u64,
    limit: u64,
}

impl PayloadBytes<'_> {
    /// Fills `out`; fewer bytes only at the end of a whole payload.
    fn fill(&mut self, out: &mut [u8]) -> Result<usize, UnpackError> {
        let mut filled = 0;
        while filled < out.len() && !(self.input.is_empty() && self.between_frames) {
            let written = self.step(out.get_mut(filled..).unwrap_or_default())?;
            filled += written;
            self.found += written as u64;
            if self.found > self.limit {
                return Err(UnpackError::PayloadTooLarge { limit: self.limit });
            }
            self.check_size(true)?;
        }
        if filled < out.len() {
            self.check_size(false)?;
        }
        Ok(filled)
    }

    fn step(&mut self, out: &mut [u8]) -> Result<usize, UnpackError> {
        let Some(decoder) = &mut self.decoder else {
            let count = out.len().min(self.input.len());
            let (taken, rest) = self.input.split_at_checked(count).unwrap_or_default();
            if let Some(out) = out.get_mut(..count) {
                out.copy_from_slice(taken);
            }
            self.input = rest;
            return Ok(count);
        };
        let status = decoder
            .run_on_buffers(self.input, out)
            .map_err(|error| UnpackError::Damaged(error.to_string()))?;
        self.between_frames = status.remaining == 0;
        self.input = self.input.get(status.bytes_read..).unwrap_or_default();
        let is_end = self.between_frames && self.input.is_empty();
        if status.bytes_read == 0 && status.bytes_written == 0 && !is_end {
            return Err(UnpackError::Truncated);
        }
        Ok(status.bytes_written)
    }

    fn check_size(&self, goes_on: bool) -> Result<(), UnpackError> {
        match self.declared {
            Some(declared) if self.found > declared || (!goes_on && self.found < declared) => {
                Err(UnpackError::Size {
                    declared,
                    found: self.found,
                    goes_on,
                })
            }
            _ => Ok(()),
        }
    }
}

/// The events of a payload; see [`Unpacker::open`].
pub(super) struct PayloadEvents<'u> {
    bytes: PayloadBytes<'u>,
    buffer: &'u mut Vec<u8>,
    max_event: u64,
    /// The header of the event that [`next`](Self::next) will give.
    next: Option<EventHeader>,
}

impl PayloadEvents<'_> {
    /// The next event, when what follows on it can be read too: the last one, which commits,
    /// is given only when the whole payload was read.
    pub(super) fn next(&mut self) -> Result<Option<PayloadEvent<'_>>, UnpackError> {
        let Some(header) = self.next.take() else {
            return Ok(None);
        };
        let length = self.read_body(&header)?;
        self.next = self.read_header()?;
        Ok(Some(PayloadEvent {
            header,
            body: self.buffer.get(..length).unwrap_or_default(),
            is_last: self.next.is_none(),
        }))
    }

    fn read_header(&mut self) -> Result<Option<EventHeader>, UnpackError> {
        let mut bytes = [0; EventHeader::LEN];
        match self.bytes.fill(&mut bytes)? {
            0 => Ok(None),
            EventHeader::LEN => Ok(EventHeader::parse(&bytes)),
            _ => Err(UnpackError::EndsWithinEvent),
        }
    }

    fn read_body(&mut self, header: &EventHeader) -> Result<usize, UnpackError> {
        let length = (header.event_size as usize)
            .checked_sub(EventHeader::LEN)
            .ok_or(UnpackError::EventSize(header.event_size))?;
        if u64::from(header.event_size) > self.max_event {
            let limit = self.max_event;
            return Err(UnpackError::EventTooLarge { limit });
        }
        let mut filled = 0;
        while filled < length {
            let step = (length - filled).min(STEP_BYTES);
            let out = room_at(self.buffer, filled, step);
            if self.bytes.fill(out)? < step {
                return Err(UnpackError::EndsWithinEvent);
            }
            filled += step;
        }
        Ok(length)
    }
}

#[cfg(test)]
#[path = "unpack_tests.rs"]
mod tests;
