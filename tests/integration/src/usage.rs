//! What this process takes of the machine.

use std::fs;

/// Memory and descriptors of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Bytes that are in memory.
    pub resident: u64,
    /// Open file descriptors.
    pub descriptors: u64,
    /// Threads.
    pub threads: u64,
    /// Processor time so far, in milliseconds.
    pub cpu_millis: u64,
}

impl Usage {
    /// As of now.
    ///
    /// # Panics
    /// Where there is no `/proc`.
    #[must_use]
    pub fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let field = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next());
            number.and_then(|number| number.parse().ok()).unwrap()
        };
        // Behind the name, which may have spaces: user and system time, in hundredths of a second.
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let times = stat.rsplit(')').next().unwrap().split_whitespace();
        let ticks: u64 = times
            .skip(11)
            .take(2)
            .map(|ticks| ticks.parse::<u64>().unwrap())
            .sum();
        Self {
            resident: field("VmRSS:") * 1024,
            descriptors: fs::read_dir("/proc/self/fd").unwrap().count() as u64,
            threads: field("Threads:"),
            cpu_millis: ticks * 10,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_descriptors_that_are_taken_show() {
        let before = Usage::now();
        let memory = vec![1_u8; 64 << 20];
        let files: Vec<_> = (0..50)
            .map(|_| fs::File::open("/dev/null").unwrap())
            .collect();
        let after = Usage::now();
        assert!(after.resident > before.resident + (32 << 20), "{after:?}");
        assert!(after.descriptors > before.descriptors + 25, "{after:?}");
        assert_eq!((memory.len(), files.len()), (64 << 20, 50));
    }
}
