//! `cargo xtask check`: is the generated code what it should be?

use std::path::PathBuf;

use codegen::diff::diff;
use codegen::files;
use codegen::lock::{LOCK_FILE, Lock};
use codegen::schema_file::SchemaFile;

use crate::error::{Error, Outcome};
use crate::pipeline::{self, Paths};
use crate::project;
use crate::url::{self, ServerUrl};

/// Options of [`check`].
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CheckOptions {
    /// The tables that are wanted; default: schema.json of the workspace
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Folder of the generated crate; default: generated of the workspace
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Also compare the recorded definitions with a server's
    #[arg(long)]
    pub live: bool,
    /// Server for --live, as mysql://user:password@host:port/db; DATABASE_URL holds the default
    #[arg(long, value_name = "URL", requires = "live")]
    pub url: Option<String>,
}

/// Whether the generated crate is what schema.json, the recorded definitions and the generator
/// give; with `live` also whether the definitions are the server's. Prints the difference and
/// what to do.
///
/// # Errors
/// [`Error`] when a file or the server cannot be read.
pub fn check(options: &CheckOptions) -> Result<Outcome, Error> {
    let paths = Paths::new(options.schema.as_deref(), options.out.as_deref());
    let (schema, lock) = match inputs(&paths) {
        Err(Error::Refused(text)) => return Ok(stale(&text, &paths, "--url URL")),
        Ok((_, None)) => {
            let lock = project::shown(&paths.out.join(LOCK_FILE));
            return Ok(stale(&format!("{lock} is not there"), &paths, "--url URL"));
        }
        Ok((schema, Some(lock))) => (schema, lock),
        Err(error) => return Err(error),
    };
    let fresh = is_fresh(&paths, &schema, &lock)?;
    let same = if options.live {
        is_live(options, &paths, &schema, &lock)?
    } else {
        Outcome::Holds
    };
    Ok(if fresh == Outcome::Holds { same } else { fresh })
}

fn inputs(paths: &Paths) -> Result<(SchemaFile, Option<Lock>), Error> {
    Ok((paths.read_schema()?, paths.read_lock()?))
}

/// The folder against what is generated.
fn is_fresh(paths: &Paths, schema: &SchemaFile, lock: &Lock) -> Result<Outcome, Error> {
    let generated = match pipeline::generate(schema, lock) {
        Err(Error::Refused(text)) => return Ok(stale(&text, paths, "--url URL")),
        other => other?,
    };
    let differences = files::compare(&paths.out, &generated)?;
    if differences.is_empty() {
        println!(
            "{}: {} files are fresh",
            project::shown(&paths.out),
            generated.len()
        );
        return Ok(Outcome::Holds);
    }
    for difference in &differences {
        print!("{difference}");
    }
    let what = format!(
        "{} file(s) in {} are not what {}, {LOCK_FILE}, the templates and the generator give",
        differences.len(),
        project::shown(&paths.out),
        project::shown(&paths.schema)
    );
    Ok(stale(&what, paths, "--offline"))
}

/// The recorded definitions against the server's.
fn is_live(
    options: &CheckOptions,
    paths: &Paths,
    schema: &SchemaFile,
    lock: &Lock,
) -> Result<Outcome, Error> {
    let url = ServerUrl::parse(&url::given_or_environment(options.url.as_deref())?)?;
    let fetched = pipeline::fetch(&url, schema)?;
    if fetched.failures.iter().any(|error| !error.is_missing()) {
        return Err(Error::Tables(fetched.failures));
    }
    let changes = diff(schema, lock, &fetched.lock);
    if changes.is_empty() && fetched.failures.is_empty() {
        println!(
            "server {}: the recorded definitions are its own",
            url.address()
        );
        return Ok(Outcome::Holds);
    }
    // The tables of a database that is not there are named with it.
    let is_told = |database: &str| {
        let mut failures = fetched.failures.iter();
        failures.any(|error| error.unknown_database() == Some(database))
    };
    for change in &changes.changes {
        if !is_told(&change.table.database) {
            println!("{change}");
        }
    }
    for error in &fetched.failures {
        println!("{error}");
    }
    let what = format!(
        "the tables on server {} are not those of {LOCK_FILE}: {}",
        url.address(),
        changes.breaks()
    );
    Ok(stale(&what, paths, "--url URL"))
}

/// Says what does not hold and the command that mends it.
fn stale(what: &str, paths: &Paths, flags: &str) -> Outcome {
    println!("{what}\n  remedy: {}", paths.regenerate_command(flags));
    Outcome::DoesNotHold
}
