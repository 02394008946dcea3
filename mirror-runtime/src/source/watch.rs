//! Watches that whole events come.
//!
//! The time-out of the socket counts bytes. A packet whose length arrived damaged is waited for up
//! to 16 MiB, and the heartbeats of a quiet server become part of it: bytes come, but no event,
//! for days. So a thread of its own looks whether an event came at all.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::StopHandle;

/// Looks within the time that an event may take.
const LOOKS: u32 = 8;

/// Ends the connection of a stream when an event takes longer than it may.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    patience: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    /// Counts begins and ends of waits for an event: odd while one is waited for.
    waits: AtomicU64,
    gave_up: AtomicBool,
    ended: Mutex<bool>,
    wake: Condvar,
}

impl Watch {
    /// Watches a stream, whose connection `stop` ends, from now on.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn new(stop: StopHandle, patience: Duration) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let watched = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("mirror-watch".to_owned())
            .spawn(move || watched.run(&stop, patience))?;
        Ok(Self {
            shared,
            thread: Some(thread),
            patience,
        })
    }

    /// The wait for an event begins, or ends; only the reader of the stream says so.
    #[inline]
    pub(super) fn step(&self) {
        let waits = self.shared.waits.load(Ordering::Relaxed);
        self.shared.waits.store(waits + 1, Ordering::Relaxed);
    }

    /// How long an event was waited for, once that was too long.
    pub(super) fn gave_up(&self) -> Option<Duration> {
        let gave_up = self.shared.gave_up.load(Ordering::Acquire);
        gave_up.then_some(self.patience)
    }
}

impl Shared {
    fn run(&self, stop: &StopHandle, patience: Duration) {
        let (mut seen, mut since) = (0, Instant::now());
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        while !*ended {
            ended = self
                .wake
                .wait_timeout(ended, patience / LOOKS)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            let waits = self.waits.load(Ordering::Relaxed);
            let is_waiting = waits % 2 == 1;
            if waits != seen || !is_waiting {
                (seen, since) = (waits, Instant::now());
            } else if since.elapsed() >= patience {
                self.gave_up.store(true, Ordering::Release);
                stop.shut_down();
                return;
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let ended = self.shared.ended.lock();
        *ended.unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::debug!("the thread that watches the stream has panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(200);

    #[test]
    fn bytes_without_an_event_end_the_connection() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let watch = Watch::new(StopHandle::new(&here).unwrap(), PATIENCE).unwrap();
        watch.step();
        let sender = std::thread::spawn(move || {
            while there.write_all(b"heartbeat").is_ok() {
                std::thread::sleep(PATIENCE / 10);
            }
        });
        let mut read = 0;
        while let Ok(bytes @ 1..) = here.read(&mut [0; 100]) {
            read += bytes;
        }
        assert!(read > 9, "{read}");
        assert_eq!(watch.gave_up(), Some(PATIENCE));
        drop(here);
        sender.join().unwrap();
    }

    #[test]
    fn events_that_come_and_a_reader_that_is_busy_are_left_alone() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let watch = Watch::new(StopHandle::new(&here).unwrap(), PATIENCE).unwrap();
        for _ in 0..20 {
            watch.step();
            std::thread::sleep(PATIENCE / 10);
            watch.step();
        }
        std::thread::sleep(PATIENCE * 2);
        assert_eq!(watch.gave_up(), None);
        there.write_all(b"open").unwrap();
    }
}
