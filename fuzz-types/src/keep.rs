//! Cases on disk: those that a run keeps, and the small ones of `regressions/`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::error::Error;
use crate::finding::Finding;
use crate::folder;

/// Findings that are written beside a case.
const MOST: usize = 50;

/// Writes a case and what was found with it; gives the file.
///
/// # Errors
/// When it cannot be written.
pub fn keep(
    folder: &Path,
    name: &str,
    case: &Case,
    findings: &[&Finding],
) -> Result<PathBuf, Error> {
    fs::create_dir_all(folder).map_err(Error::file(folder))?;
    let file = folder.join(format!("{name}.sql"));
    let mut text = String::new();
    for line in findings.iter().take(MOST).flat_map(|finding| {
        let text = finding.to_string();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    }) {
        text.push_str(&format!("--! {line}\n"));
    }
    text.push_str(&case.to_text());
    fs::write(&file, text).map_err(Error::file(&file))?;
    Ok(file)
}

/// Cases of a folder, or of one file, in the order of their names.
///
/// # Errors
/// When one cannot be read or is not a case.
pub fn read(path: &Path) -> Result<Vec<Case>, Error> {
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(Error::file(path))? {
            files.push(entry.map_err(Error::file(path))?.path());
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "sql"));
        files.sort();
    } else {
        files.push(path.to_path_buf());
    }
    files.iter().map(|file| read_one(file)).collect()
}

fn read_one(file: &Path) -> Result<Case, Error> {
    let text = fs::read_to_string(file).map_err(Error::file(file))?;
    let mut case =
        Case::parse(&text).map_err(|what| Error::Usage(format!("{}: {what}", file.display())))?;
    if case.name.is_empty() {
        case.name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
    }
    Ok(case)
}

/// The cases of the repository.
#[must_use]
pub fn regressions() -> PathBuf {
    folder::root().join("fuzz-types").join("regressions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repositorys_cases_can_be_read_and_have_different_databases() {
        let cases = read(&regressions()).unwrap();
        let mut databases: Vec<&str> = cases.iter().map(|case| case.database.as_str()).collect();
        databases.sort_unstable();
        databases.dedup();
        assert_eq!(databases.len(), cases.len());
        assert!(
            databases.iter().all(|name| name.starts_with("fuzz")),
            "{databases:?}"
        );
    }

    #[test]
    fn a_kept_case_can_be_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let case = Case {
            name: "schema 3".to_owned(),
            database: "fuzz3".to_owned(),
            setup: vec!["CREATE DATABASE fuzz3".to_owned()],
            ..Case::default()
        };
        let finding = Finding::Stopped {
            message: "two\nlines".to_owned(),
        };
        let file = keep(folder.path(), "x", &case, &[&finding]).unwrap();
        assert_eq!(read(&file).unwrap(), [case]);
    }
}
