//! `cargo xtask bench`.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::error::{Error, Outcome};
use crate::project;
use crate::steps::succeeds;

#[path = "../../../bench/src/parts.rs"]
mod parts;

pub use parts::Part as BenchPart;

/// Options of [`bench()`].
#[derive(Debug, Clone, Default, clap::Args)]
pub struct BenchOptions {
    /// Fewer rows and runs: for a look, not for a record
    #[arg(long)]
    pub quick: bool,
    /// Only these parts, as store,decode
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS")]
    pub only: Vec<BenchPart>,
    /// Rows that mass_delete deletes in one transaction (1,000,000; with --quick 100,000)
    #[arg(long, value_name = "ROWS")]
    pub delete_rows: Option<u64>,
    /// Also write the results to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Builds the benchmarks with optimisation and runs them.
///
/// # Errors
/// [`Error`] when cargo cannot be started.
pub fn bench(options: &BenchOptions) -> Result<Outcome, Error> {
    let mut features = Vec::new();
    if has_openssl() {
        features.extend(["--features", "mysql_cdc"]);
    } else {
        eprintln!(
            "left out: the baseline mysql_cdc, which needs the headers of OpenSSL (libssl-dev)"
        );
    }
    // The benchmarks look for the program that counts allocations beside their own.
    if !succeeds(cargo("build").arg("--bins").args(&features))? {
        return Err(Error::Usage("the benchmarks cannot be built".to_owned()));
    }
    let mut command = cargo("run");
    command.args(["--bin", "bench"]).args(&features).arg("--");
    if options.quick {
        command.arg("--quick");
    }
    let parts: Vec<String> = options.only.iter().filter_map(name).collect();
    if !parts.is_empty() {
        command.arg("--only").arg(parts.join(","));
    }
    if let Some(rows) = options.delete_rows {
        command.arg("--delete-rows").arg(rows.to_string());
    }
    if let Some(file) = &options.json {
        command.arg("--json").arg(absolute(file)?);
    }
    if succeeds(&mut command)? {
        Ok(Outcome::Holds)
    } else {
        Err(Error::Usage("the benchmarks failed; see above".to_owned()))
    }
}

/// The part's name on the command line.
fn name(part: &BenchPart) -> Option<String> {
    Some(part.to_possible_value()?.get_name().to_owned())
}

/// A command of cargo on the package of the benchmarks, with optimisation.
fn cargo(command: &str) -> Command {
    let mut cargo = Command::new(project::cargo());
    cargo
        .current_dir(project::root())
        .args([command, "--release", "--package", "bench"]);
    cargo
}

/// Whether what mysql_cdc is built on can be compiled and linked.
fn has_openssl() -> bool {
    Command::new("pkg-config")
        .args(["--exists", "openssl"])
        .status()
        .is_ok_and(|status| status.success())
}

/// The path seen from everywhere: the benchmarks run in the workspace's folder.
fn absolute(file: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(file).map_err(|source| Error::file(file, "cannot be made absolute", source))
}
