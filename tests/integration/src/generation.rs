//! What `cargo xtask regenerate` makes of a server's tables.

use std::path::Path;

use xtask::commands::{RegenerateOptions, regenerate};

use crate::Site;

/// Generates code for tables of a server into a folder.
///
/// # Errors
/// The text of the refusal.
///
/// # Panics
/// When the folder cannot be written.
pub fn generate(site: &Site, schema: &str, out: &Path) -> Result<(), String> {
    let file = out.join("schema.json");
    std::fs::write(&file, schema).expect("a file can be written");
    let options = RegenerateOptions {
        url: Some(site.server.url()),
        schema: Some(file),
        out: Some(out.to_path_buf()),
        ..RegenerateOptions::default()
    };
    regenerate(&options)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// The public items and fields of a generated file, without their documentation.
///
/// # Panics
/// When the file is not there.
#[must_use]
pub fn surface(folder: &Path, file: &str) -> Vec<String> {
    let path = folder.join("src").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let is_shown = |line: &&str| line.starts_with("pub ") || line.contains("Self = Self(");
    let lines = text.lines().map(str::trim).filter(is_shown);
    lines.map(str::to_owned).collect()
}
