//! The folder of a checkpoint: one user at a time, and never a half-written file in the place of a
//! whole one.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use super::error::CheckpointError;

/// The checkpoint.
const CHECKPOINT: &str = "mirror.checkpoint";
/// One that is being written.
const TEMPORARY: &str = "mirror.checkpoint.tmp";
/// One that could not be used at a start, and was replaced since.
const SET_ASIDE: &str = "mirror.checkpoint.unusable";
/// Locked while a mirror uses the folder.
const LOCK: &str = "mirror.lock";

/// A folder that no other mirror uses.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Held until this is dropped; the operating system lets go of it when the process ends,
    /// however it does.
    lock: Result<Flock<File>, CheckpointError>,
}

impl Folder {
    /// Takes the folder, which is made when it is not there, and removes what a process that was
    /// killed has left of a checkpoint. A folder that cannot be written to is no error yet.
    ///
    /// # Errors
    /// When another process uses it.
    pub(super) fn open(path: &Path) -> Result<Self, CheckpointError> {
        let lock = lock(path)?;
        let folder = Self {
            path: path.to_owned(),
            lock,
        };
        if folder.lock.is_ok() {
            // One that cannot be removed is written over, or that fails and is said.
            let _ = fs::remove_file(path.join(TEMPORARY));
        }
        Ok(folder)
    }

    /// The checkpoint's path.
    pub(super) fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// Writes a checkpoint under another name, and puts it in the place of the one that is there
    /// once it is whole and on the disk; sets that one aside if `keep_old`. Gives the bytes.
    ///
    /// # Errors
    /// When it cannot be written; the one that is there stays as it is.
    pub(super) fn replace(
        &self,
        keep_old: bool,
        write: impl FnOnce(File) -> io::Result<u64>,
    ) -> Result<u64, CheckpointError> {
        self.lock.as_ref().map_err(Clone::clone)?;
        let temporary = self.path.join(TEMPORARY);
        let result = File::create(&temporary).and_then(write).and_then(|bytes| {
            if keep_old {
                set_aside(&self.checkpoint(), &self.path.join(SET_ASIDE))?;
            }
            fs::rename(&temporary, self.checkpoint())?;
            File::open(&self.path)?.sync_all()?;
            Ok(bytes)
        });
        result.map_err(|error| {
            // Its space is needed; the error is that of before.
            let _ = fs::remove_file(&temporary);
            write_error(&self.checkpoint(), &error)
        })
    }
}

fn set_aside(checkpoint: &Path, other: &Path) -> io::Result<()> {
    match fs::rename(checkpoint, other) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// The lock of a folder, or why nothing can be written there.
fn lock(path: &Path) -> Result<Result<Flock<File>, CheckpointError>, CheckpointError> {
    let name = path.join(LOCK);
    let opened = fs::create_dir_all(path).and_then(|()| {
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&name)
    });
    let file = match opened {
        Ok(file) => file,
        Err(error) => {
            // Whoever may not write there may still meet one who does.
            if let Ok(file) = File::open(&name) {
                flock(file, path)?;
            }
            return Ok(Err(write_error(path, &error)));
        }
    };
    flock(file, path).map(Ok)
}

fn flock(file: File, folder: &Path) -> Result<Flock<File>, CheckpointError> {
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(lock) => Ok(lock),
        Err((_, Errno::EWOULDBLOCK)) => Err(CheckpointError::InUse {
            folder: folder.display().to_string(),
        }),
        Err((_, error)) => Err(CheckpointError::Write {
            path: folder.display().to_string(),
            error: format!("it cannot be locked: {}", error.desc()),
        }),
    }
}

fn write_error(path: &Path, error: &io::Error) -> CheckpointError {
    CheckpointError::Write {
        path: path.display().to_string(),
        error: error.to_string(),
    }
}
