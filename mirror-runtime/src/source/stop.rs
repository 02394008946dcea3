//! Stopping a read that waits for the server.

use std::fmt;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::socket::{Shutdown, shutdown};
use nix::unistd::{close, dup};

use super::error::SourceError;

/// Ends a [`LiveSource`](super::LiveSource) from any thread; clones end the same one.
#[derive(Clone)]
pub struct StopHandle {
    socket: Arc<Socket>,
}

/// A descriptor of our own for the connection's socket, valid until it is dropped.
struct Socket {
    descriptor: RawFd,
    stopped: AtomicBool,
}

impl StopHandle {
    pub(crate) fn new(connection: &impl AsRawFd) -> Result<Self, SourceError> {
        let descriptor = dup(connection.as_raw_fd()).map_err(|error| SourceError::Broken {
            detail: format!("cannot duplicate the socket's descriptor: {error}"),
        })?;
        Ok(Self {
            socket: Arc::new(Socket {
                descriptor,
                stopped: AtomicBool::new(false),
            }),
        })
    }

    /// Makes a waiting read return at once, and every later one, with the end of the stream.
    pub fn stop(&self) {
        // Before the shut-down, so that the reader finds it when its read fails.
        self.socket.stopped.store(true, Ordering::SeqCst);
        self.shut_down();
    }

    /// Whether [`stop`](Self::stop) was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.socket.stopped.load(Ordering::SeqCst)
    }

    /// Ends the connection, whoever else still holds a descriptor of it.
    pub(crate) fn shut_down(&self) {
        if let Err(error) = shutdown(self.socket.descriptor, Shutdown::Both) {
            // The usual one is "not connected": the server was faster.
            tracing::trace!("shutting down the binlog connection: {error}");
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = close(self.descriptor) {
            tracing::debug!("closing the binlog connection: {error}");
        }
    }
}

impl fmt::Debug for StopHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopHandle")
            .field("stopped", &self.is_stopped())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn stop_ends_a_waiting_read_at_once() {
        let (mut here, _there) = UnixStream::pair().unwrap();
        let handle = StopHandle::new(&here).unwrap();
        let other = handle.clone();
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            other.stop();
            Instant::now()
        });
        assert_eq!(here.read(&mut [0]).unwrap(), 0);
        let ended = Instant::now();
        let stopped = stopper.join().unwrap();
        assert!(ended.saturating_duration_since(stopped) < Duration::from_millis(500));
        assert!(handle.is_stopped());
    }

    #[test]
    fn the_last_clone_closes_the_descriptor() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let handle = StopHandle::new(&here).unwrap();
        let clone = handle.clone();
        drop(here);
        drop(handle);
        there.set_nonblocking(true).unwrap();
        assert!(there.read(&mut [0]).is_err(), "still open: nothing to read");
        drop(clone);
        assert_eq!(there.read(&mut [0]).unwrap(), 0, "closed: end of stream");
    }
}
