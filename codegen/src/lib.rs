//! Code generator of mysql-mirror: `schema.json` and the text of SHOW CREATE TABLE in, the
//! source files of a typed crate out. Pure: no server, no clock, no environment.
//!
//! [`schema_file::SchemaFile`] and [`lock::Lock`] go into [`generate`]; the [`files::FileMap`]
//! that comes out is compared with a folder or written to it by [`files`]. [`diff`] says in
//! words what changed between two locks.

pub mod ddl;
pub mod diff;
pub mod error;
pub mod files;
pub mod format;
pub mod lock;
pub mod model;
pub mod names;
mod near;
pub mod render;
pub mod resolve;
pub mod schema_file;
pub mod tokens;

use error::{Problem, Report};
use files::FileMap;
use lock::{LOCK_FILE, Lock};
use model::Model;
use schema_file::SchemaFile;

/// All files that the generated crate owes to the generator: its sources and the lock file,
/// reduced to the tables that are asked for.
///
/// The same schema.json and lock give the same bytes.
///
/// # Errors
/// A [`Report`] of everything in schema.json that does not fit the recorded tables, or of the
/// template that is broken.
pub fn generate(schema: &SchemaFile, lock: &Lock) -> Result<FileMap, Report> {
    let model = resolve::resolve(schema, lock)?;
    let mut files = render::render(&model, &fingerprint(&model)).map_err(|error| {
        Report::of(
            "code generator",
            Problem::new("rendering", error.to_string()),
        )
    })?;
    let schema = schema
        .clone()
        .with_default_database(lock.default_database.as_deref());
    let lock = lock.restricted_to(&schema.table_names()?);
    files.insert(LOCK_FILE.to_owned(), lock.to_text());
    Ok(files)
}

/// Sixteen hexadecimal digits that change with anything in the model (FNV-1a, 64 bits).
#[must_use]
pub fn fingerprint(model: &Model) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash = OFFSET;
    for byte in format!("{model:?}").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    format!("{hash:016x}")
}
