//! The folder of a round: a workspace of the generated crate and the driver, built by cargo.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::files::{self, FileMap};

use crate::error::Error;

const DRIVER: &str = include_str!("../template/driver.rs");
const DRIVER_MANIFEST: &str = include_str!("../template/driver.toml");
const GENERATED_MANIFEST: &str = include_str!("../template/generated.toml");
const WORKSPACE_MANIFEST: &str = include_str!("../template/workspace.toml");

/// A folder below cargo's target folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    target: PathBuf,
    name: String,
}

/// How a build ended.
#[derive(Debug)]
pub enum Built {
    /// The driver's program.
    Program(PathBuf),
    /// What the compiler said of the generated code.
    Refused(String),
}

impl Folder {
    /// The folder of this name, with everything but generated code in it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn prepare(name: &str) -> Result<Self, Error> {
        let root = root();
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let target = std::path::absolute(&target).map_err(Error::file(&target))?;
        let folder = Self {
            path: target.join("fuzz-types").join(name),
            target,
            name: format!("fuzz-driver-{name}"),
        };
        let root = root.display().to_string().replace('\\', "\\\\");
        let filled = |text: &str| {
            text.replace("@ROOT@", &root)
                .replace("@NAME@", &folder.name)
        };
        for (file, text) in [
            ("Cargo.toml", WORKSPACE_MANIFEST.to_owned()),
            ("generated/Cargo.toml", filled(GENERATED_MANIFEST)),
            ("driver/Cargo.toml", filled(DRIVER_MANIFEST)),
            ("driver/main.rs", DRIVER.to_owned()),
        ] {
            write_if_new(&folder.path.join(file), &text)?;
        }
        // The same versions as in our own workspace; cargo drops what is not needed.
        let lock = folder.path.join("Cargo.lock");
        if !lock.exists() {
            let own = Path::new(&root).join("Cargo.lock");
            fs::copy(&own, &lock).map_err(Error::file(&own))?;
        }
        Ok(folder)
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the generated crate.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, generated: &FileMap) -> Result<(), Error> {
        files::write(&self.path.join("generated"), generated)?;
        Ok(())
    }

    /// Builds the driver over the generated crate.
    ///
    /// # Errors
    /// When cargo cannot be started.
    pub fn build(&self) -> Result<Built, Error> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(&cargo)
            .current_dir(&self.path)
            .args(["build", "--quiet", "--color", "never", "--target-dir"])
            .arg(&self.target)
            // Settings of the cargo that runs us are not meant for this workspace.
            .env_remove("CARGO_MANIFEST_DIR")
            .output()
            .map_err(|error| Error::Program {
                program: "cargo".to_owned(),
                detail: error.to_string(),
            })?;
        if output.status.success() {
            Ok(Built::Program(self.target.join("debug").join(&self.name)))
        } else {
            Ok(Built::Refused(
                String::from_utf8_lossy(&output.stderr).into_owned(),
            ))
        }
    }
}

/// The workspace of mysql-mirror.
#[must_use]
pub fn root() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    package.parent().map_or(package.clone(), Path::to_path_buf)
}

fn write_if_new(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    fs::write(path, text).map_err(Error::file(path))
}
