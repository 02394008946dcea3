//! Steps of a longer run: a heading and the time of each, a summary at the end.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Numbers of the `test result:` lines of cargo test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl TestCounts {
    /// Adds the numbers of one output line, if it is a `test result:` line.
    fn add_line(&mut self, line: &str) {
        let Some((_, numbers)) = line
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for part in numbers.split(';') {
            let mut words = part.split_whitespace();
            let (Some(Ok(count)), Some(what)) = (words.next().map(str::parse::<u64>), words.next())
            else {
                continue;
            };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.ignored += count,
                _ => {}
            }
        }
    }
}

struct Finished {
    heading: String,
    ok: bool,
    took: Duration,
}

/// A run of steps that stops at the first failure, unless told to go on.
pub(crate) struct Steps {
    keep_going: bool,
    started: Instant,
    planned: usize,
    finished: Vec<Finished>,
    counts: TestCounts,
}

impl Steps {
    pub(crate) fn new(planned: usize, keep_going: bool) -> Self {
        Self {
            keep_going,
            started: Instant::now(),
            planned,
            finished: Vec::new(),
            counts: TestCounts::default(),
        }
    }

    /// Whether the next step is to be run.
    pub(crate) fn goes_on(&self) -> bool {
        self.keep_going || self.finished.iter().all(|step| step.ok)
    }

    /// Runs one step, unless an earlier one failed.
    ///
    /// # Errors
    /// [`Error`] when it could not be carried out and `keep_going` is off.
    pub(crate) fn step(
        &mut self,
        heading: &str,
        work: impl FnOnce(&mut TestCounts) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        if !self.goes_on() {
            return Ok(());
        }
        println!("\n==> {heading}");
        let started = Instant::now();
        let result = work(&mut self.counts);
        let took = started.elapsed();
        let ok = matches!(result, Ok(true));
        println!("<== {heading}: {} in {}", word(ok), seconds(took));
        self.finished.push(Finished {
            heading: heading.to_owned(),
            ok,
            took,
        });
        match result {
            Err(error) if self.keep_going => {
                eprintln!("error: {error}");
                Ok(())
            }
            Err(error) => {
                self.summary();
                Err(error)
            }
            Ok(_) => Ok(()),
        }
    }

    /// Prints the summary; true when every step was run and was fine.
    pub(crate) fn finish(&self) -> bool {
        self.summary();
        self.finished.len() == self.planned && self.finished.iter().all(|step| step.ok)
    }

    fn summary(&self) {
        println!("\nSummary");
        let width = self.finished.iter().map(|step| step.heading.len()).max();
        let width = width.unwrap_or(0);
        for step in &self.finished {
            println!(
                "  {:width$}  {:6}  {:>8}",
                step.heading,
                word(step.ok),
                seconds(step.took)
            );
        }
        let fine = self.finished.iter().filter(|step| step.ok).count();
        let TestCounts {
            passed,
            failed,
            ignored,
        } = self.counts;
        println!(
            "Total: {fine} of {} steps ok; tests: {passed} passed, {failed} failed, {ignored} ignored; {}",
            self.planned,
            seconds(self.started.elapsed())
        );
    }
}

/// Runs a program with our input and output; true when it exits with 0.
///
/// # Errors
/// [`Error::Program`] when it cannot be started.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool, Error> {
    flush();
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|source| Error::Program { program, source })?;
    Ok(status.success())
}

/// Runs cargo test, passing its output on, and adds up its `test result:` lines; true when it
/// exits with 0.
///
/// # Errors
/// [`Error::Program`] when it cannot be started or its output cannot be read.
pub(crate) fn tests_succeed(command: &mut Command, counts: &mut TestCounts) -> Result<bool, Error> {
    flush();
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| Error::Program {
        program: program.clone(),
        source,
    };
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(output) = child.stdout.take() {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            let text = String::from_utf8_lossy(&line);
            print!("{text}");
            counts.add_line(&text);
            line.clear();
        }
    }
    let status = child.wait().map_err(failed)?;
    Ok(status.success())
}

/// Puts our own lines before those of a program that is started next. A closed output is
/// found out by the next print.
fn flush() {
    let _ = std::io::stdout().flush();
}

fn word(ok: bool) -> &'static str {
    if ok { "ok" } else { "FAILED" }
}

/// A duration as `12.3 s`.
pub(crate) fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_added_up_and_other_lines_are_not() {
        let mut counts = TestCounts::default();
        for line in [
            "running 3 tests",
            "test a ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        ] {
            counts.add_line(line);
        }
        let expected = TestCounts {
            passed: 4,
            failed: 2,
            ignored: 1,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_failure_stops_the_steps_after_it() {
        let mut steps = Steps::new(2, false);
        let mut ran = false;
        steps.step("fails", |_| Ok(false)).unwrap();
        steps
            .step("is not run", |_| {
                ran = true;
                Ok(true)
            })
            .unwrap();
        assert!(!ran);
        assert!(!steps.finish());
    }

    #[test]
    fn keep_going_runs_the_rest_and_still_fails() {
        let mut steps = Steps::new(2, true);
        let mut ran = false;
        steps
            .step("cannot be done", |_| Err(Error::Usage("x".to_owned())))
            .unwrap();
        steps
            .step("is run", |_| {
                ran = true;
                Ok(true)
            })
            .unwrap();
        assert!(ran);
        assert!(!steps.finish());
    }

    #[test]
    fn all_planned_steps_must_have_been_run() {
        let mut steps = Steps::new(2, false);
        steps.step("one", |_| Ok(true)).unwrap();
        assert!(!steps.finish());
        steps.step("two", |_| Ok(true)).unwrap();
        assert!(steps.finish());
    }
}
