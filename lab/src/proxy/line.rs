//! One connection through the proxy, and what is wrong with it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::packets::{EVENT_BODY, Packets, Stretch};

/// What can be made to go wrong with a connection; see [`Proxy::disturb`](super::Proxy::disturb).
///
/// Bytes are counted from then on, in the direction from the server to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Each piece of bytes to the client waits so long, until [`heal`](super::Proxy::heal).
    Delay(Duration),
    /// No more than so many bytes a second go to the client, until
    /// [`heal`](super::Proxy::heal).
    Throttle(u64),
    /// Both ends are closed after exactly so many bytes.
    Cut(u64),
    /// The byte behind so many others arrives with these bits flipped.
    Flip {
        /// Bytes that pass before.
        after: u64,
        /// The bits; not 0.
        bits: u8,
    },
    /// A byte of a rows event's body, its checksum included, arrives with these bits flipped.
    FlipInRows {
        /// Rows events that pass before.
        skip: u64,
        /// Which byte of the body, modulo its length.
        place: u64,
        /// The bits; not 0.
        bits: u8,
    },
    /// Nothing passes any more in either direction, but the sockets stay open; until
    /// [`heal`](super::Proxy::heal), which closes them.
    Freeze,
}

/// What both directions of a connection share.
#[derive(Debug, Default)]
pub(super) struct Line {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the client has asked for the binlog.
    is_stream: bool,
    delay: Option<Duration>,
    bytes_a_second: Option<u64>,
    cut: Option<u64>,
    flip: Option<(u64, u8)>,
    in_rows: Option<InRows>,
    frozen: bool,
    ended: bool,
}

#[derive(Debug)]
struct InRows {
    skip: u64,
    place: u64,
    bits: u8,
    /// Offset in the payload that is under way, once it is the one to hit.
    target: Option<usize>,
}

/// What becomes of bytes to the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shaped {
    /// Bytes that are passed on.
    pub(super) pass: usize,
    /// Whether the connection is cut behind them.
    pub(super) cut: bool,
    /// Bytes that were changed.
    pub(super) flipped: u64,
}

impl Line {
    pub(super) fn new(cut: Option<u64>) -> Self {
        let state = State {
            cut,
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements that change it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_stream(&self) -> bool {
        self.lock().is_stream
    }

    pub(super) fn disturb(&self, fault: Fault) {
        let mut state = self.lock();
        match fault {
            Fault::Delay(delay) => state.delay = Some(delay),
            Fault::Throttle(rate) => state.bytes_a_second = Some(rate.max(1)),
            Fault::Cut(after) => state.cut = Some(after),
            Fault::Flip { after, bits } => state.flip = Some((after, bits)),
            Fault::FlipInRows { skip, place, bits } => {
                let target = None;
                state.in_rows = Some(InRows {
                    skip,
                    place,
                    bits,
                    target,
                });
            }
            Fault::Freeze => state.frozen = true,
        }
    }

    /// Ends what does not end by itself. Whether the connection is to be closed, since it was
    /// frozen.
    pub(super) fn heal(&self) -> bool {
        let mut state = self.lock();
        state.delay = None;
        state.bytes_a_second = None;
        let was_frozen = std::mem::take(&mut state.frozen);
        state.ended |= was_frozen;
        drop(state);
        self.changed.notify_all();
        was_frozen
    }

    /// Ends all waits for good.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Whether no byte may go to the client any more.
    pub(super) fn is_cut(&self) -> bool {
        self.lock().cut == Some(0)
    }

    /// Waits as long as the connection is frozen; false when it has ended.
    pub(super) fn may_pass(&self) -> bool {
        let mut state = self.lock();
        while state.frozen && !state.ended {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        !state.ended
    }

    /// Holds so many bytes back, when they are slow.
    pub(super) fn hold_back(&self, bytes: usize) {
        let begin = Instant::now();
        let mut state = self.lock();
        while let Some(wait) = state.wait(bytes).filter(|_| !state.ended) {
            let Some(left) = wait.checked_sub(begin.elapsed()) else {
                return;
            };
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Whether these bytes to the server ask for the binlog.
    pub(super) fn asks_for_binlog(&self, bytes: &[u8], packets: &mut Packets) -> bool {
        let mut is_dump = false;
        packets.feed(bytes, |stretch| is_dump |= stretch.is_dump);
        if is_dump {
            self.lock().is_stream = true;
        }
        is_dump
    }

    /// Does to bytes to the client what is to be done.
    pub(super) fn shape(&self, bytes: &mut [u8], packets: &mut Packets) -> Shaped {
        let mut state = self.lock();
        let mut flips: Vec<(usize, u8)> = Vec::new();
        let is_stream = state.is_stream;
        packets.feed(bytes, |stretch| {
            if is_stream {
                flips.extend(state.in_rows(stretch));
            }
        });
        flips.extend(take_place(&mut state.flip, bytes.len()));
        let cut = take_count(&mut state.cut, bytes.len());
        let pass = cut.unwrap_or(bytes.len());
        let mut flipped = 0;
        for (at, bits) in flips {
            if let Some(byte) = bytes.get_mut(..pass).and_then(|bytes| bytes.get_mut(at)) {
                *byte ^= bits;
                flipped += 1;
            }
        }
        Shaped {
            pass,
            cut: cut.is_some(),
            flipped,
        }
    }
}

impl State {
    /// How long so many bytes wait.
    fn wait(&self, bytes: usize) -> Option<Duration> {
        let slow = |rate: u64| Duration::from_secs_f64(bytes as f64 / rate as f64);
        self.delay.max(self.bytes_a_second.map(slow))
    }

    /// The place among the bytes that came, when it is in this stretch.
    fn in_rows(&mut self, stretch: Stretch) -> Option<(usize, u8)> {
        let wanted = self.in_rows.as_mut()?;
        if stretch.begins_rows && wanted.target.is_none() {
            match wanted.skip.checked_sub(1) {
                Some(left) => wanted.skip = left,
                None => {
                    let body = (stretch.payload - EVENT_BODY) as u64;
                    let place = usize::try_from(wanted.place % body).unwrap_or(0);
                    wanted.target = Some(EVENT_BODY + place);
                }
            }
        }
        let offset = wanted.target?.checked_sub(stretch.at)?;
        let bits = wanted.bits;
        (offset < stretch.len).then(|| {
            self.in_rows = None;
            (stretch.from + offset, bits)
        })
    }
}

/// The index of the byte that is to be changed, when it is among the next `len`.
fn take_place(wanted: &mut Option<(u64, u8)>, len: usize) -> Option<(usize, u8)> {
    let (after, bits) = *wanted.as_ref()?;
    match usize::try_from(after).ok().filter(|&at| at < len) {
        Some(at) => {
            *wanted = None;
            Some((at, bits))
        }
        None => {
            *wanted = Some((after - len as u64, bits));
            None
        }
    }
}

/// How many of the next `len` bytes may pass, when not all may, or none behind them.
fn take_count(left: &mut Option<u64>, len: usize) -> Option<usize> {
    let count = *left.as_ref()?;
    match usize::try_from(count).ok().filter(|&count| count <= len) {
        Some(count) => Some(count),
        None => {
            *left = Some(count - len as u64);
            None
        }
    }
}
