//! The lab's folder and the locks in it.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::error::{Error, Result};
use crate::flavor::Flavor;
use crate::release::Release;

/// Environment variable that moves the lab's folder.
const VARIABLE: &str = "MYSQL_MIRROR_LAB_HOME";

/// The lab's folder, as an absolute path: unpacked servers, templates and instances.
///
/// ```text
/// <release>/root             unpacked packages (there only when complete)
/// <flavour>/template-<v>     data directory with system tables only
/// instances/<port>           servers of tests, each with its owner's lock
/// run/<name>                 the servers of `lab start`, the flavour's first of its name
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// The folder for this process: `MYSQL_MIRROR_LAB_HOME`, else `lab` in cargo's target folder.
    ///
    /// The target folder is `CARGO_TARGET_DIR`, else the folder above this program that cargo
    /// has tagged, else `target` in the current folder.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn locate() -> Result<Self> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        if let Some(home) = set(VARIABLE) {
            return Home::at(Path::new(&home));
        }
        let target = set("CARGO_TARGET_DIR")
            .map(PathBuf::from)
            .or_else(target_above_program)
            .unwrap_or_else(|| PathBuf::from("target"));
        Home::at(&target.join("lab"))
    }

    /// The given folder, made if need be.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn at(folder: &Path) -> Result<Self> {
        let what = || {
            format!(
                "cannot make the folder {} ({VARIABLE} moves it)",
                folder.display()
            )
        };
        fs::create_dir_all(folder).map_err(Error::io(what()))?;
        fs::canonicalize(folder)
            .map(Home)
            .map_err(Error::io(what()))
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn flavor(&self, flavor: Flavor) -> PathBuf {
        self.0.join(flavor.name())
    }

    pub(crate) fn release(&self, release: Release) -> PathBuf {
        self.0.join(release.name())
    }

    pub(crate) fn run(&self, name: &str) -> PathBuf {
        self.0.join("run").join(name)
    }

    /// Names of the folders of detached servers, sorted.
    pub(crate) fn run_names(&self) -> Result<Vec<String>> {
        let folder = self.0.join("run");
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder)
            .map_err(Error::io(format!("cannot read {}", folder.display())))?;
        let mut names: Vec<String> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        Ok(names)
    }

    pub(crate) fn instances(&self) -> PathBuf {
        self.0.join("instances")
    }

    /// Waits for the lock of this name and holds it until the guard is dropped.
    pub(crate) fn lock(&self, name: &str) -> Result<Flock<File>> {
        lock(&self.0.join(format!("{name}.lock")))
    }
}

/// The folder above the running program that has cargo's cache tag.
fn target_above_program() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let tagged = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file();
    program.ancestors().skip(1).find(tagged).map(Path::to_owned)
}

/// Locks the file, made if need be; waits for other holders.
///
/// The lock goes with the process however it ends, and programs it starts do not inherit it.
pub(crate) fn lock(path: &Path) -> Result<Flock<File>> {
    flock(path, FlockArg::LockExclusive)
}

/// Locks the file if nobody holds it; `None` if somebody does.
pub(crate) fn try_lock(path: &Path) -> Result<Option<Flock<File>>> {
    match flock(path, FlockArg::LockExclusiveNonblock) {
        Ok(guard) => Ok(Some(guard)),
        Err(Error::Io { source, .. })
            if source.raw_os_error() == Some(Errno::EWOULDBLOCK as i32) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn flock(path: &Path, how: FlockArg) -> Result<Flock<File>> {
    let what = || format!("cannot lock {}", path.display());
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(path).map_err(Error::io(what()))?;
    loop {
        match Flock::lock(file, how) {
            Ok(guard) => return Ok(guard),
            Err((same, Errno::EINTR)) => file = same,
            Err((_, errno)) => return Err(Error::io(what())(errno.into())),
        }
    }
}

/// Writes a small file in one step: readers see all of it or none.
pub(crate) fn write_file(path: &Path, content: &str) -> Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, content)
        .and_then(|()| fs::rename(&new, path))
        .map_err(Error::io(format!("cannot write {}", path.display())))
}

/// Removes a folder with all that is in it; one that is not there is fine.
pub(crate) fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(format!(
            "cannot remove {}",
            path.display()
        ))(error)),
        _ => Ok(()),
    }
}

/// Removes a file; one that is not there is fine.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(format!(
            "cannot remove {}",
            path.display()
        ))(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_lock_is_not_given_twice_and_comes_free_on_drop() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.lock");
        let held = lock(&file).unwrap();
        assert!(try_lock(&file).unwrap().is_none());
        drop(held);
        assert!(try_lock(&file).unwrap().is_some());
    }

    #[test]
    fn program_in_a_tagged_target_folder_finds_it() {
        let target = target_above_program().unwrap();
        assert!(env::current_exe().unwrap().starts_with(&target));
        assert!(target.join("CACHEDIR.TAG").is_file());
    }

    #[test]
    fn removing_what_is_not_there_is_fine() {
        let folder = tempfile::tempdir().unwrap();
        remove_folder(&folder.path().join("none")).unwrap();
        remove_file(&folder.path().join("none")).unwrap();
    }
}
