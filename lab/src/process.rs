//! Processes by their id: which run, which are servers of the lab, how they end.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Time between two looks at something that is awaited.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// Sends a signal; a process that is gone is fine.
pub(crate) fn send(pid: u32, signal: Signal) {
    if let Some(pid) = to_pid(pid) {
        // The only failures are a process that is gone or is another user's.
        let _ = kill(pid, signal);
    }
}

/// True if `pid` is a live server on this data directory.
///
/// Process ids are used again; on Linux its command line says whether it is the same.
pub(crate) fn is_server(pid: u32, datadir: &Path) -> bool {
    if cfg!(target_os = "linux") {
        let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else {
            return false;
        };
        let wanted = format!("--datadir={}", datadir.display());
        return line
            .split(|byte| *byte == 0)
            .any(|arg| arg == wanted.as_bytes());
    }
    to_pid(pid).is_some_and(|pid| kill(pid, None).is_ok())
}

/// The process id in a server's pid file, if that server is alive.
pub(crate) fn live_server(dir: &Path) -> Option<u32> {
    let text = fs::read_to_string(dir.join("server.pid")).ok()?;
    let pid = text.trim().parse().ok()?;
    is_server(pid, &dir.join("data")).then_some(pid)
}

/// Waits until the server in `dir` is gone; false if it still runs after `limit`.
pub(crate) fn wait_gone(pid: u32, dir: &Path, limit: Duration) -> bool {
    let datadir = dir.join("data");
    wait_until(limit, || !is_server(pid, &datadir))
}

/// Asks again and again; false if the answer is still no after `limit`.
pub(crate) fn wait_until(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !done() {
        if begin.elapsed() >= limit {
            return false;
        }
        thread::sleep(POLL);
    }
    true
}

/// Process ids of 0 and less mean groups to `kill`: never those.
fn to_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid)
        .ok()
        .filter(|pid| *pid > 1)
        .map(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_process_is_no_server() {
        assert!(!cfg!(target_os = "linux") || !is_server(std::process::id(), Path::new("/d")));
    }

    #[test]
    fn ids_that_mean_groups_are_never_signalled() {
        assert_eq!((to_pid(0), to_pid(1), to_pid(u32::MAX)), (None, None, None));
        assert_eq!(to_pid(77), Some(Pid::from_raw(77)));
    }
}
