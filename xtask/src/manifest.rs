//! The Cargo.toml of a generated crate: written where there is none, and never again.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use codegen::files::FileMap;

use crate::error::Error;
use crate::project;

/// Names that cargo gives to no package (keywords and crates of the compiler that a folder may
/// well be called after).
const RESERVED: [&str; 16] = [
    "alloc",
    "build",
    "core",
    "crate",
    "deps",
    "examples",
    "false",
    "incremental",
    "mod",
    "proc_macro",
    "self",
    "static",
    "std",
    "super",
    "test",
    "true",
];

/// Writes a Cargo.toml into the folder of a generated crate, unless one is there. `runtime` is the
/// folder or the git URL of mirror-runtime; the one that this program was built beside without.
/// Returns the new file.
pub(crate) fn write_if_missing(
    out: &Path,
    runtime: Option<&str>,
    generated: &FileMap,
) -> Result<Option<PathBuf>, Error> {
    let file = out.join("Cargo.toml");
    let folder =
        fs::canonicalize(out).map_err(|source| Error::file(out, "cannot be found", source))?;
    if file.exists() {
        return Ok(None);
    }
    let text = text(
        &package_name(&folder),
        &source(&folder, runtime)?,
        generated,
    );
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&file)
        .and_then(|mut new| new.write_all(text.as_bytes()));
    match written {
        Ok(()) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(source) => Err(Error::file(&file, "cannot write", source)),
    }
}

/// What to do with a crate that was just made.
pub(crate) fn say_next(file: &Path) {
    println!(
        "wrote {}, once: it is yours from now on, and never overwritten",
        project::shown(file)
    );
    let above = fs::canonicalize(file)
        .ok()
        .and_then(|file| project::workspace_above(file.parent()?.parent()?));
    if let Some(workspace) = above {
        println!(
            "next: name this folder among the `members` of {}",
            project::shown(&workspace.join("Cargo.toml"))
        );
    }
}

fn text(name: &str, runtime: &str, generated: &FileMap) -> String {
    let mut text = format!(
        "# Written once by `cargo xtask regenerate`, which never touches this file again.\n\
         [package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{runtime}\n"
    );
    if generated.values().any(|text| text.contains("serde::")) {
        text.push_str("serde = { version = \"1\", features = [\"derive\"] }\n");
    }
    text.push_str("# Crates that \"as\" or \"derives\" of schema.json name go here.\n");
    text
}

/// The line of the dependency on mirror-runtime.
fn source(folder: &Path, runtime: Option<&str>) -> Result<String, Error> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    if let Some(url) = runtime.filter(|given| is_git(given)) {
        return Ok(format!("mirror-runtime = {{ git = {} }}", quoted(url)));
    }
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../mirror-runtime");
    let given = runtime.map_or_else(ours, PathBuf::from);
    let found = fs::canonicalize(&given)
        .ok()
        .filter(|found| found.join("Cargo.toml").is_file());
    let Some(found) = found else {
        return Err(Error::Usage(format!(
            "a new Cargo.toml has to say where mirror-runtime is, and {} has no Cargo.toml\n  \
             remedy: --runtime with the folder mirror-runtime of mysql-mirror, or with its git URL",
            given.display()
        )));
    };
    let path = relative(folder, &found).unwrap_or(found);
    Ok(format!(
        "mirror-runtime = {{ path = {} }}",
        quoted(&path.display().to_string())
    ))
}

fn is_git(runtime: &str) -> bool {
    runtime.contains("://") || runtime.starts_with("git@")
}

/// The way from one absolute folder to another; nothing when they share no folder but the root.
fn relative(from: &Path, to: &Path) -> Option<PathBuf> {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared < 2 {
        return None;
    }
    let up = from.iter().skip(shared).map(|_| Component::ParentDir);
    Some(up.chain(to.iter().skip(shared).copied()).collect())
}

/// A name for the package: the folder's, where cargo takes it.
fn package_name(folder: &Path) -> String {
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    let name: String = folder
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let name = name.trim_matches('-');
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !RESERVED.contains(&name);
    match good {
        true => name.to_owned(),
        false if name.is_empty() => "generated".to_owned(),
        false => format!("mirror-{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_called_like_its_folder_where_cargo_takes_that() {
        for (folder, name) in [
            ("/shop/shop-mirror", "shop-mirror"),
            ("/shop/my tables", "my-tables"),
            ("/shop/2nd", "mirror-2nd"),
            ("/shop/test", "mirror-test"),
            ("/shop/läden", "l-den"),
            ("/shop/日", "generated"),
            ("/", "generated"),
        ] {
            assert_eq!(package_name(Path::new(folder)), name, "{folder}");
        }
    }

    #[test]
    fn the_runtime_is_named_by_a_path_that_moves_with_both_or_by_a_url() {
        let way = |from, to| relative(Path::new(from), Path::new(to));
        assert_eq!(
            way("/w/shop/tables", "/w/mm/mirror-runtime"),
            Some("../../mm/mirror-runtime".into())
        );
        assert_eq!(way("/tmp/tables", "/w/mm/mirror-runtime"), None);
        let by_url = source(Path::new("/x"), Some("https://host/mm.git")).unwrap();
        assert_eq!(by_url, "mirror-runtime = { git = \"https://host/mm.git\" }");
        let message = source(Path::new("/x"), Some("/no/such/folder"))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("/no/such/folder") && message.contains("--runtime"),
            "{message}"
        );
    }

    #[test]
    fn serde_is_a_dependency_where_rows_derive_it() {
        let files = |text: &str| FileMap::from([("src/a.rs".to_owned(), text.to_owned())]);
        assert!(text("a", "", &files("#[derive(serde::Serialize)]")).contains("serde ="));
        assert!(!text("a", "", &files("#[derive(Debug)]")).contains("serde ="));
    }
}
