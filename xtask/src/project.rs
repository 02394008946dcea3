//! Where the workspace and its files are.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The workspace's folder: the nearest one above the running xtask package (cargo says which
/// that is), else above the current folder, whose Cargo.toml has a `[workspace]` table; else
/// the current folder.
pub(crate) fn root() -> PathBuf {
    let start = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    start
        .as_deref()
        .and_then(workspace_above)
        .or_else(|| workspace_above(&here))
        .unwrap_or(here)
}

/// The nearest folder, this one or above, whose Cargo.toml has a `[workspace]` table.
pub(crate) fn workspace_above(start: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .find(|folder| {
            fs::read_to_string(folder.join("Cargo.toml"))
                .is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
        })
        .map(Path::to_path_buf)
}

/// `given` as it is, else `name` in the workspace's folder.
pub(crate) fn path_or(given: Option<&Path>, name: &str) -> PathBuf {
    given.map_or_else(|| root().join(name), Path::to_path_buf)
}

/// A path for people: relative to the current folder where it is below it.
pub(crate) fn shown(path: &Path) -> String {
    env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).ok())
        .filter(|rest| !rest.as_os_str().is_empty())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The cargo that runs us, else the one on PATH.
pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_found_above_the_package() {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = workspace_above(package).unwrap();
        assert_eq!(Some(workspace.as_path()), package.parent());
    }
}
