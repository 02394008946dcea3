//! Runs `apt-get` with the private configuration, and `dpkg-deb`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::report::tail;

/// Time between two progress lines.
const PROGRESS: Duration = Duration::from_secs(3);

/// Lines of output that an error shows.
const TAIL: usize = 20;

pub(super) struct Runner {
    config: PathBuf,
    folder: PathBuf,
}

impl Runner {
    pub(super) fn new(config: PathBuf, folder: &Path) -> Self {
        Runner {
            config,
            folder: folder.to_owned(),
        }
    }

    /// Runs `apt-get` quietly; returns what it wrote to standard output.
    pub(super) fn run(&self, step: &str, arguments: &[&str]) -> Result<String> {
        self.run_watched(step, arguments, |_| {})
    }

    /// As [`Runner::run`], and tells every few seconds how many bytes of packages are there.
    pub(super) fn run_watched(
        &self,
        step: &str,
        arguments: &[&str],
        progress: impl Fn(u64),
    ) -> Result<String> {
        let mut command = Command::new("apt-get");
        command
            .arg("-c")
            .arg(&self.config)
            .arg("-q")
            .args(arguments)
            .current_dir(self.folder.join("archives"))
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C");
        self.finish(step, command, progress)
    }

    /// Unpacks the files of one package into `root`.
    pub(super) fn extract(&self, deb: &Path, root: &Path) -> Result<()> {
        let mut command = Command::new("dpkg-deb");
        command.arg("-x").arg(deb).arg(root);
        let name = deb.file_name().unwrap_or_default().to_string_lossy();
        self.finish(&format!("dpkg-deb -x {name}"), command, |_| {})
            .map(drop)
    }

    fn finish(&self, step: &str, mut command: Command, progress: impl Fn(u64)) -> Result<String> {
        let failed = || Error::io(format!("cannot run {step}"));
        // Files, not pipes: nobody reads while the program runs.
        let (out, err) = (self.folder.join("stdout"), self.folder.join("stderr"));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(File::create(&out).map_err(failed())?)
            .stderr(File::create(&err).map_err(failed())?)
            .spawn()
            .map_err(failed())?;
        let mut told = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed())? {
                break status;
            }
            if told.elapsed() >= PROGRESS {
                told = Instant::now();
                progress(folder_bytes(&self.folder.join("archives")));
            }
            thread::sleep(Duration::from_millis(10));
        };
        let output = read_lossy(&out);
        if status.success() {
            return Ok(output);
        }
        Err(Error::Package {
            step: step.to_owned(),
            output: without_passwords(&tail(&format!("{output}{}", read_lossy(&err)), TAIL)),
        })
    }
}

fn read_lossy(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Bytes of the files in a folder and in its `partial` folder.
fn folder_bytes(folder: &Path) -> u64 {
    let sum = |folder: &Path| -> u64 {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| entry.metadata().ok())
            .filter(|m| m.is_file())
            .map(|m| m.len())
            .sum()
    };
    sum(folder) + sum(&folder.join("partial"))
}

/// Replaces `//user:password@` in URIs by `//...@`.
fn without_passwords(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for (index, part) in text.split("//").enumerate() {
        if index > 0 {
            clean.push_str("//");
        }
        let end = part
            .find(|c: char| c == '/' || c.is_whitespace())
            .unwrap_or(part.len());
        let (host, rest) = part.split_at(end);
        match host.rsplit_once('@') {
            Some((_, host)) if index > 0 => {
                clean.push_str("...@");
                clean.push_str(host);
            }
            _ => clean.push_str(host),
        }
        clean.push_str(rest);
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_uris_are_not_shown() {
        let text = "Err:1 http://me:s3cret@h/debian sid\n see https://h/x@y a@b";
        assert_eq!(
            without_passwords(text),
            "Err:1 http://...@h/debian sid\n see https://h/x@y a@b"
        );
    }

    #[test]
    fn failing_program_gives_its_output() {
        let folder = tempfile::tempdir().unwrap();
        let runner = Runner::new(folder.path().join("apt.conf"), folder.path());
        let mut command = Command::new("sh");
        command.args(["-c", "echo to-out; echo to-err >&2; exit 3"]);
        let message = runner
            .finish("the step", command, |_| {})
            .unwrap_err()
            .to_string();
        for part in ["the step", "to-out", "to-err"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
