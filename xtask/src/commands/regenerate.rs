//! `cargo xtask regenerate`.

use std::path::PathBuf;

use codegen::diff::diff;
use codegen::files::{self, Written};
use codegen::lock::{LOCK_FILE, Lock};
use codegen::schema_file::SchemaFile;

use super::lab::{LabFlavor, start_with_demo_data, start_with_script};
use crate::error::{Error, Outcome};
use crate::manifest;
use crate::pipeline::{self, Paths};
use crate::project;
use crate::url::{self, ServerUrl};

/// Options of [`regenerate`].
#[derive(Debug, Clone, Default, clap::Args)]
pub struct RegenerateOptions {
    /// Server, as mysql://user:password@host:port/db; DATABASE_URL holds the default
    #[arg(long, value_name = "URL", conflicts_with_all = ["offline", "lab"])]
    pub url: Option<String>,
    /// The tables that are wanted; default: schema.json of the workspace
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Folder of the generated crate, which gets a Cargo.toml if it has none; default: generated
    /// of the workspace
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Where that Cargo.toml finds mirror-runtime: its folder, or the git URL of mysql-mirror;
    /// default: the folder beside this xtask
    #[arg(long, value_name = "FOLDER_OR_URL")]
    pub runtime: Option<String>,
    /// Render from the recorded definitions (schema.lock.json), without a server
    #[arg(long, conflicts_with = "lab")]
    pub offline: bool,
    /// Start a private server with the demo schema, and regenerate from that
    #[arg(long, value_enum, value_name = "FLAVOR")]
    pub lab: Option<LabFlavor>,
    /// With --lab: make the tables of this SQL script instead of the demo schema
    #[arg(long, value_name = "FILE", requires = "lab")]
    pub script: Option<PathBuf>,
}

/// Writes the generated crate, and prints what changed in the schema and which files. A folder
/// without a Cargo.toml gets one.
///
/// # Errors
/// [`Error`] when schema.json or a table is refused, or the server or a file cannot be used;
/// nothing is written then, unless the failure is one of writing.
pub fn regenerate(options: &RegenerateOptions) -> Result<Outcome, Error> {
    let paths = Paths::new(options.schema.as_deref(), options.out.as_deref());
    let schema = paths.read_schema()?;
    let lock = if options.offline {
        recorded(&paths)?
    } else {
        from_server(options, &schema)?
    };
    let generated = pipeline::generate(&schema, &lock)?;
    say_schema_changes(&paths, &schema, &lock);
    let written = files::write(&paths.out, &generated)?;
    say_files(&paths, &written);
    let new = manifest::write_if_missing(&paths.out, options.runtime.as_deref(), &generated)?;
    if let Some(file) = new {
        manifest::say_next(&file);
    }
    Ok(Outcome::Holds)
}

fn recorded(paths: &Paths) -> Result<Lock, Error> {
    paths.read_lock()?.ok_or_else(|| {
        Error::Usage(format!(
            "{} is not there, so nothing can be rendered without a server\n  remedy: {}",
            project::shown(&paths.out.join(LOCK_FILE)),
            paths.regenerate_command("--url URL")
        ))
    })
}

fn from_server(options: &RegenerateOptions, schema: &SchemaFile) -> Result<Lock, Error> {
    if let Some(flavor) = options.lab {
        let server = match &options.script {
            Some(script) => start_with_script(flavor, script)?,
            None => start_with_demo_data(flavor)?,
        };
        return pipeline::fetch(&ServerUrl::parse(&server.url())?, schema)?.complete();
    }
    let url = url::given_or_environment(options.url.as_deref()).map_err(|error| {
        Error::Usage(format!(
            "{error}\n  or: --offline (from the recorded definitions), --lab mysql (the demo schema on a private server)"
        ))
    })?;
    pipeline::fetch(&ServerUrl::parse(&url)?, schema)?.complete()
}

fn say_schema_changes(paths: &Paths, schema: &SchemaFile, lock: &Lock) {
    match paths.read_lock() {
        Ok(Some(old)) => {
            let changes = diff(schema, &old, lock);
            if changes.is_empty() {
                println!("schema: nothing changed");
            } else {
                println!("schema: {} change(s)", changes.changes.len());
                for change in &changes.changes {
                    println!("  {change}");
                }
            }
        }
        Ok(None) => println!("schema: recorded for the first time"),
        Err(error) => println!("schema: what was recorded cannot be compared: {error}"),
    }
}

fn say_files(paths: &Paths, written: &Written) {
    let count = written.written.len() + written.unchanged.len();
    if written.written.is_empty() && written.removed.is_empty() {
        println!("files: nothing changed ({count} files)");
        return;
    }
    for (word, list) in [("wrote", &written.written), ("removed", &written.removed)] {
        for path in list {
            println!("{word} {}", project::shown(&paths.out.join(path)));
        }
    }
    println!(
        "files: {} written, {} removed, {} unchanged",
        written.written.len(),
        written.removed.len(),
        written.unchanged.len()
    );
}
