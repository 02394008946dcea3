//! `cargo xtask fuzz-types`.

use std::path::PathBuf;
use std::process::Command;

use lab::Release;

use super::lab::LabRelease;
use crate::error::{Error, Outcome};
use crate::project;

/// Random schemas that are generated and compiled together, unless told otherwise: a compromise
/// between the time of a build and what is lost when a mirror stops.
pub const SCHEMAS_PER_ROUND: usize = 25;

/// Options of [`fuzz_types`].
#[derive(Debug, Clone, Default, clap::Args)]
pub struct FuzzOptions {
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Begin rounds for so many minutes, shared between the servers; default: one round each
    #[arg(long, value_name = "M")]
    pub minutes: Option<u64>,
    /// Server; default: mysql and mariadb, one after the other
    #[arg(long, value_enum, value_name = "SERVER")]
    pub server: Option<LabRelease>,
    /// A server that runs, as mysql://user:password@host:port/; its databases fuzz* are dropped
    #[arg(long, value_name = "URL", conflicts_with = "server")]
    pub url: Option<String>,
    /// Random schemas on each server, at most
    #[arg(long, value_name = "N")]
    pub schemas: Option<usize>,
    /// Number of the first schema: with --schemas 1, that schema of the seed alone
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: usize,
    /// Random schemas that are generated and compiled together
    #[arg(long, value_name = "N", default_value_t = SCHEMAS_PER_ROUND)]
    pub per_round: usize,
    /// Row changes in each schema, about
    #[arg(long, value_name = "N")]
    pub changes: Option<u64>,
    /// Run kept cases: a file, or a folder of them; may be given several times
    #[arg(long, value_name = "PATH")]
    pub replay: Vec<PathBuf>,
    /// Cases with a difference that are made smaller in each round (default: 4)
    #[arg(long, value_name = "N")]
    pub shrink: Option<usize>,
    /// The short form: a fixed seed, few schemas, and the cases of fuzz-types/regressions
    #[arg(long)]
    pub short: bool,
    /// Keep the folders of private servers
    #[arg(long)]
    pub keep: bool,
}

impl FuzzOptions {
    /// The command line that gives these options.
    fn arguments(&self) -> Result<Vec<String>, Error> {
        let mut arguments = Vec::new();
        let mut push = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                arguments.extend([name.to_owned(), value]);
            }
        };
        push("--seed", self.seed.map(|seed| seed.to_string()));
        push("--minutes", self.minutes.map(|minutes| minutes.to_string()));
        let server = self
            .server
            .map(|server| Release::from(server).name().to_owned());
        push("--server", server);
        push("--url", self.url.clone());
        push("--schemas", self.schemas.map(|schemas| schemas.to_string()));
        push("--first", Some(self.first.to_string()));
        push("--per-round", Some(self.per_round.to_string()));
        push("--changes", self.changes.map(|changes| changes.to_string()));
        push("--shrink", self.shrink.map(|cases| cases.to_string()));
        for path in &self.replay {
            let path = std::path::absolute(path)
                .map_err(|source| Error::file(path, "cannot be made absolute", source))?;
            push("--replay", Some(path.display().to_string()));
        }
        for (flag, on) in [("--short", self.short), ("--keep", self.keep)] {
            if on {
                arguments.push(flag.to_owned());
            }
        }
        Ok(arguments)
    }
}

/// Builds and runs the package `fuzz-types`: random tables and statements on real servers,
/// where a mirror must hold what the server's own SELECT says.
///
/// # Errors
/// [`Error`] when it cannot be built or carried out.
pub fn fuzz_types(options: &FuzzOptions) -> Result<Outcome, Error> {
    let mut command = Command::new(project::cargo());
    command
        .current_dir(project::root())
        .args(["run", "--quiet", "--package", "fuzz-types", "--"])
        .args(options.arguments()?);
    // The lab takes the version of a server from the environment.
    if let Some(release) = options.server.map(Release::from)
        && !release.series().is_empty()
    {
        command.env(release.flavor().variable(), release.series());
    }
    let status = command.status().map_err(|source| Error::Program {
        program: "cargo".to_owned(),
        source,
    })?;
    match status.code() {
        Some(0) => Ok(Outcome::Holds),
        Some(1) => Ok(Outcome::DoesNotHold),
        _ => Err(Error::Usage("fuzz-types failed; see above".to_owned())),
    }
}
