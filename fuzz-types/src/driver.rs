//! The program that mirrors the generated tables, as a child process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::error::Error;

/// A running driver.
pub struct Driver {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What a driver answered: what was asked for, or why it could not be done.
pub type Answer = Result<String, String>;

impl Driver {
    /// Starts the program on a server.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &Path, url: &str) -> Result<Self, Error> {
        let failed = |detail: String| Error::Program {
            program: program.display().to_string(),
            detail,
        };
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no input or output".to_owned()));
        };
        let mut driver = Self {
            child,
            input,
            output: BufReader::new(output),
        };
        driver.ask(&format!("url {url}")).map_err(failed)?;
        Ok(driver)
    }

    /// Gives a command and waits for the answer. A driver that ended is an answer, too.
    ///
    /// # Errors
    /// The reason that the driver gives.
    pub fn ask(&mut self, command: &str) -> Answer {
        let mut answer = String::new();
        let talked = writeln!(self.input, "{command}")
            .and_then(|()| self.input.flush())
            .and_then(|()| self.output.read_line(&mut answer));
        match (talked, answer.trim_end().split_once(' ')) {
            (Ok(_), Some(("ok", text))) => Ok(text.to_owned()),
            (Ok(_), Some(("error", text))) => Err(text.to_owned()),
            (Ok(_), None) if answer.trim_end() == "ok" => Ok(String::new()),
            _ => Err(format!(
                "the driver ended in the middle of `{command}`: {:?}",
                self.child.wait()
            )),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // One that ended already needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
