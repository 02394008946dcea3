//! `cargo xtask compile-time`: what a generated crate of many wide tables takes to make and to
//! compile.

mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use codegen::files::{self, FileMap};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::error::{Error, Outcome};
use crate::pipeline;
use crate::project;
use crate::steps::succeeds;

/// Options of [`compile_time()`].
#[derive(Debug, Clone, clap::Args)]
pub struct CompileTimeOptions {
    /// Tables of the crate
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count)]
    pub tables: usize,
    /// Columns of each table: integers, text, ENUM, SET, DECIMAL, DATETIME, JSON, some nullable
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = count)]
    pub columns: usize,
    /// Only these builds, of debug,release
    #[arg(long, value_name = "BUILDS", value_delimiter = ',', default_values = ["debug", "release"], value_parser = ["debug", "release"])]
    pub builds: Vec<String>,
}

/// A number of tables or columns: 1 to 4096, as many columns as a server lets a table have.
fn count(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| (1..=4096).contains(number))
        .ok_or_else(|| "expected a number from 1 to 4096".to_owned())
}

/// Generates a crate of made-up tables into `target/compile-time`, compiles it after what it
/// depends on, and prints the time of each by the clock and of the processors.
///
/// # Errors
/// [`Error`] when a file cannot be written, cargo cannot be started, or the crate does not
/// compile.
pub fn compile_time(options: &CompileTimeOptions) -> Result<Outcome, Error> {
    let (text, schema, lock) = tables::made(options.tables, options.columns)?;
    let (files, took) = timed(UsageWho::RUSAGE_SELF, || pipeline::generate(&schema, &lock))?;
    let lines: usize = files.values().map(|text| text.lines().count()).sum();
    let bytes: usize = files.values().map(String::len).sum();
    println!(
        "{} tables of {} columns: {lines} lines, {} kB",
        options.tables,
        options.columns,
        bytes / 1000
    );
    println!("generating: {took}");
    let folder = project::target().join("compile-time");
    write_crate(&folder, &text, &files)?;
    for build in &options.builds {
        let took = compile(&folder, build == "release")?;
        println!("{build}: {took}");
    }
    Ok(Outcome::Holds)
}

/// A workspace of its own, so that it is no part of what is built and tested here; with the
/// profiles and the versions of ours.
fn write_crate(folder: &Path, schema: &str, files: &FileMap) -> Result<(), Error> {
    let root = project::root();
    let ours = read(&root.join("Cargo.toml"))?;
    let profiles = ours
        .find("[profile.")
        .and_then(|at| ours.get(at..))
        .unwrap_or("");
    let runtime = serde_json::json!(root.join("mirror-runtime"));
    let manifest = format!(
        "[package]\nname = \"compile-time\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\n\n[dependencies]\nmirror-runtime = {{ path = {runtime} }}\n\n{profiles}"
    );
    fs::create_dir_all(folder).map_err(|source| Error::file(folder, "cannot be made", source))?;
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("Cargo.lock"), &read(&root.join("Cargo.lock"))?)?;
    write(&folder.join("schema.json"), schema)?;
    files::write(folder, files)?;
    Ok(())
}

/// Compiles what the crate depends on, then, with the clock running, the crate alone.
fn compile(folder: &Path, release: bool) -> Result<Took, Error> {
    let built = |command: &mut Command| match succeeds(command)? {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "the crate in {} does not compile; see above",
            project::shown(folder)
        ))),
    };
    let mut before = cargo(folder, "build", release);
    built(before.args(["--package", "mirror-runtime"]))?;
    let mut forget = cargo(folder, "clean", release);
    built(forget.args(["--package", "compile-time"]))?;
    let mut alone = cargo(folder, "build", release);
    timed(UsageWho::RUSAGE_CHILDREN, || built(&mut alone)).map(|((), took)| took)
}

fn cargo(folder: &Path, command: &str, release: bool) -> Command {
    let mut cargo = Command::new(project::cargo());
    cargo
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target(folder))
        .args([command, "--quiet"]);
    if release {
        cargo.arg("--release");
    }
    cargo
}

fn target(folder: &Path) -> PathBuf {
    folder.join("target")
}

/// Seconds by the clock, and of the processors: user and system time.
struct Took {
    clock: Duration,
    processors: Duration,
}

impl std::fmt::Display for Took {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{:.1} s by the clock, {:.1} s of CPU",
            self.clock.as_secs_f64(),
            self.processors.as_secs_f64()
        )
    }
}

/// Does the work, and says what it took; `who` says in which processes.
fn timed<T>(who: UsageWho, work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Took), Error> {
    let before = processors(who)?;
    let started = Instant::now();
    let done = work()?;
    let took = Took {
        clock: started.elapsed(),
        processors: processors(who)?.saturating_sub(before),
    };
    Ok((done, took))
}

fn processors(who: UsageWho) -> Result<Duration, Error> {
    let usage: Usage =
        getrusage(who).map_err(|errno| Error::Usage(format!("getrusage: {errno}")))?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::file(path, "cannot read", source))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|source| Error::file(path, "cannot write", source))
}
