//! schema.json and a server, or the recorded definitions, to generated files. The work is
//! codegen's; reading files and asking the server is ours.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use codegen::ddl::ServerVersion;
use codegen::error::Report;
use codegen::files::FileMap;
use codegen::lock::{LOCK_FILE, Lock};
use codegen::schema_file::SchemaFile;
use indicatif::{ProgressBar, ProgressStyle};

use crate::error::Error;
use crate::project;
use crate::server::{Definition, Server, ServerError};
use crate::url::ServerUrl;

/// The schema file and the folder of the generated crate that a command works on.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) schema: PathBuf,
    pub(crate) out: PathBuf,
}

impl Paths {
    /// The given ones, else `schema.json` and `generated` of the workspace.
    pub(crate) fn new(schema: Option<&Path>, out: Option<&Path>) -> Self {
        Self {
            schema: project::path_or(schema, "schema.json"),
            out: project::path_or(out, "generated"),
        }
    }

    /// The command that makes the generated code fresh again, with these paths.
    pub(crate) fn regenerate_command(&self, flags: &str) -> String {
        let mut command = "cargo xtask regenerate".to_owned();
        for (name, path, usual) in [
            ("--schema", &self.schema, "schema.json"),
            ("--out", &self.out, "generated"),
        ] {
            if *path != project::root().join(usual) {
                command.push_str(&format!(" {name} {}", path.display()));
            }
        }
        if !flags.is_empty() {
            command.push(' ');
            command.push_str(flags);
        }
        command
    }

    /// Reads and parses schema.json.
    pub(crate) fn read_schema(&self) -> Result<SchemaFile, Error> {
        let text = fs::read_to_string(&self.schema)
            .map_err(|source| Error::file(&self.schema, "cannot read", source))?;
        SchemaFile::parse(&project::shown(&self.schema), &text).map_err(refused)
    }

    /// Reads the recorded definitions; nothing when the file is not there.
    pub(crate) fn read_lock(&self) -> Result<Option<Lock>, Error> {
        let path = self.out.join(LOCK_FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::file(&path, "cannot read", source)),
        };
        Lock::parse(&text)
            .map(Some)
            .map_err(|error| Error::Refused(format!("{}: {error}", project::shown(&path))))
    }
}

/// All generated files.
pub(crate) fn generate(schema: &SchemaFile, lock: &Lock) -> Result<FileMap, Error> {
    codegen::generate(schema, lock).map_err(refused)
}

/// What a server has of the tables of a schema file.
pub(crate) struct Fetched {
    /// The definitions that it gives.
    pub(crate) lock: Lock,
    /// Why it does not give the others.
    pub(crate) failures: Vec<ServerError>,
}

impl Fetched {
    /// The definitions, when it gives all of them; else all failures in one error.
    pub(crate) fn complete(self) -> Result<Lock, Error> {
        if self.failures.is_empty() {
            Ok(self.lock)
        } else {
            Err(Error::Tables(self.failures))
        }
    }
}

/// Asks the server for the definitions of all tables.
pub(crate) fn fetch(url: &ServerUrl, schema: &SchemaFile) -> Result<Fetched, Error> {
    let url_database = url.database().map(str::to_owned);
    let default_database = url_database.filter(|_| !schema.names_all_databases());
    let schema = schema
        .clone()
        .with_default_database(default_database.as_deref());
    let names = schema.table_names().map_err(refused)?;
    let mut server = Server::connect(url)?;
    let mut lock = Lock::new(version(&mut server)?, default_database);
    let bar = progress(names.len());
    let mut failures = Vec::new();
    for name in names {
        bar.set_message(name.to_string());
        match server.definition(&name.database, &name.table) {
            Ok(Definition {
                database,
                table,
                text,
            }) => lock.insert(&database, &table, &text),
            Err(error) if error.is_about_one_table() => error.add_to(&mut failures),
            Err(error) => return Err(error.into()),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Fetched { lock, failures })
}

/// Family and version, as far as reading definitions depends on them.
pub(crate) fn version(server: &mut Server) -> Result<ServerVersion, Error> {
    let text = server.version()?;
    ServerVersion::parse(&text).ok_or_else(|| {
        Error::Refused(format!(
            "the server's version is {text:?}; expected two numbers such as 10.11 at its start"
        ))
    })
}

pub(crate) fn refused(report: Report) -> Error {
    Error::Refused(report.to_string())
}

/// A bar on the terminal; invisible when standard error is none.
pub(crate) fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(steps).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}
