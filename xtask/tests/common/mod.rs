//! Runs the xtask binary.

use std::fmt;
use std::process::Command;

/// What a command line gave.
pub(crate) struct Answer {
    /// Exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n{}\n{}", self.code, self.out, self.err)
    }
}

/// Runs xtask with these arguments and without DATABASE_URL.
pub(crate) fn xtask(arguments: &[&str]) -> Answer {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(arguments)
        .env_remove("DATABASE_URL")
        .output()
        .unwrap();
    Answer {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
