//! Runs the xtask binary.

use std::fmt;
use std::io::Write;
use std::process::{Command, Output, Stdio};

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
    answer(command(arguments).output().unwrap())
}

/// As [`xtask`], with this text as its standard input.
#[allow(dead_code, reason = "not each test binary has input to give")]
pub(crate) fn xtask_with_input(arguments: &[&str], input: &str) -> Answer {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    answer(child.wait_with_output().unwrap())
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).env_remove("DATABASE_URL");
    command
}

fn answer(output: Output) -> Answer {
    Answer {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
