//! `cargo xtask soak`.

use std::path::PathBuf;
use std::process::Command;

use lab::Flavor;

use crate::error::{Error, Outcome};
use crate::project;
use crate::steps::succeeds;

/// Options of [`soak()`].
#[derive(Debug, Clone, clap::Args)]
pub struct SoakOptions {
    /// Minutes to run
    #[arg(long, default_value_t = 60.0, value_name = "N")]
    pub minutes: f64,
    /// Server: mysql or mariadb
    #[arg(long, default_value_t = Flavor::Mysql)]
    pub server: Flavor,
    /// Seed of the random numbers; another each time without this
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Row changes a second
    #[arg(long, default_value_t = 3000, value_name = "N")]
    pub rate: u64,
    /// Folder of the report; soak/SERVER in cargo's target folder without this
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Runs a mirror under load, and writes a report.
///
/// # Errors
/// [`Error`] when cargo cannot be started.
pub fn soak(options: &SoakOptions) -> Result<Outcome, Error> {
    let out = match &options.out {
        Some(out) => out.clone(),
        None => project::target().join("soak").join(options.server.name()),
    };
    let out = std::path::absolute(&out)
        .map_err(|source| Error::file(&out, "cannot be made absolute", source))?;
    let mut command = Command::new(project::cargo());
    command
        .current_dir(project::root())
        .args(["run", "--package", "integration", "--bin", "soak", "--"])
        .args(["--minutes", &options.minutes.to_string()])
        .args(["--server", options.server.name()])
        .args(["--rate", &options.rate.to_string()])
        .arg("--out")
        .arg(out);
    if let Some(seed) = options.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    Ok(match succeeds(&mut command)? {
        true => Outcome::Holds,
        false => Outcome::DoesNotHold,
    })
}
