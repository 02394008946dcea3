//! `cargo xtask test`: everything that CI runs, step by step.

use std::process::Command;

use lab::Release;

use super::check::{CheckOptions, check};
use super::fuzz_types::{FuzzOptions, SCHEMAS_PER_ROUND, fuzz_types};
use super::lab::{LabRelease, install_release};
use super::store::{Tool, run as run_store};
use crate::error::{Error, Outcome};
use crate::project;
use crate::steps::{Steps, TestCounts, succeeds, tests_succeed};

/// The part of a test's name that says that it starts database servers.
const ON_A_SERVER: &str = "on_a_server";
/// The package whose tests all need servers.
const INTEGRATION: &str = "integration";

/// The package of the lab, whose tests are told apart by file.
const LAB: &str = "mysql-mirror-lab";

/// Options of [`test()`].
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TestOptions {
    /// Leave out what needs a database server
    #[arg(long)]
    pub quick: bool,
    /// Only the integration tests, on this server
    #[arg(long, value_name = "SERVER", conflicts_with = "quick")]
    pub server: Option<LabRelease>,
    /// With --server: only these files of tests/integration/tests, as `equality,positions`
    #[arg(long, value_name = "FILES", value_delimiter = ',', requires = "server")]
    pub only: Vec<String>,
    /// Go on after a failure, and say at the end what failed
    #[arg(long)]
    pub keep_going: bool,
}

/// Formatting, lints, docs, freshness of the generated code, all tests without and with
/// servers; the time of each, and a summary.
///
/// # Errors
/// [`Error`] when a step cannot be carried out and `keep_going` is off.
pub fn test(options: &TestOptions) -> Result<Outcome, Error> {
    if let Some(release) = options.server {
        return test_on(release.into(), options);
    }
    let planned = if options.quick { 6 } else { 11 };
    let mut steps = Steps::new(planned, options.keep_going);
    static_steps(&mut steps)?;
    steps.step("unit, golden and doc tests", |counts| {
        let all = [
            "test",
            "--workspace",
            "--exclude",
            INTEGRATION,
            "--exclude",
            LAB,
        ];
        let lab = ["test", "--package", LAB, "--lib", "--test", "proxy"];
        Ok(tests(&all, &["--", "--skip", ON_A_SERVER], counts)? && tests(&lab, &[], counts)?)
    })?;
    steps.step("the store under loom", |counts| {
        run_store(Tool::Loom, counts)
    })?;
    if !options.quick {
        server_steps(&mut steps)?;
    }
    Ok(outcome(&steps))
}

/// The integration tests on one server, which may be of a version that CI does not run.
fn test_on(release: Release, options: &TestOptions) -> Result<Outcome, Error> {
    let mut steps = Steps::new(2, options.keep_going);
    steps.step(&format!("lab: a {release} server"), |_| {
        install_release(release).map(|()| true)
    })?;
    steps.step(&format!("integration tests on {release}"), |counts| {
        let mut command = cargo();
        command.args(["test", "--package", INTEGRATION]);
        if options.keep_going {
            command.arg("--no-fail-fast");
        }
        match &options.only[..] {
            [] => command.args(["--test", "*"]),
            only => command.args(only.iter().flat_map(|file| ["--test", file.as_str()])),
        };
        if !release.series().is_empty() {
            command.env(release.flavor().variable(), release.series());
        }
        // The names of tests say which kind of server they run on.
        command.args(["--", "--show-output", release.flavor().name()]);
        tests_succeed(&mut command, counts)
    })?;
    Ok(outcome(&steps))
}

fn outcome(steps: &Steps) -> Outcome {
    if steps.finish() {
        Outcome::Holds
    } else {
        Outcome::DoesNotHold
    }
}

/// What needs no test to be run.
fn static_steps(steps: &mut Steps) -> Result<(), Error> {
    steps.step("formatting (cargo fmt)", |_| {
        succeeds(cargo().args(["fmt", "--all", "--check"]))
    })?;
    steps.step("lints (cargo clippy)", |_| {
        let arguments = [
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ];
        succeeds(cargo().args(arguments))
    })?;
    steps.step("documentation (cargo doc)", |_| {
        let arguments = ["doc", "--workspace", "--no-deps", "--quiet"];
        succeeds(cargo().args(arguments).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    steps.step("generated code is fresh (cargo xtask check)", |_| {
        check(&CheckOptions::default()).map(|outcome| outcome == Outcome::Holds)
    })
}

/// What needs a MySQL and a MariaDB server.
fn server_steps(steps: &mut Steps) -> Result<(), Error> {
    for release in lab::Flavor::ALL.map(Release::usual) {
        steps.step(&format!("lab: a {release} server"), |_| {
            install_release(release).map(|()| true)
        })?;
    }
    steps.step("lab and commands on both servers", |counts| {
        let lab = [
            "test",
            "--package",
            LAB,
            "--test",
            "lab",
            "--test",
            "detached",
        ];
        let commands = [
            "test",
            "--package",
            "xtask",
            "--test",
            "server",
            "--test",
            "lab",
        ];
        Ok(tests(&lab, &[], counts)? && tests(&commands, &[], counts)?)
    })?;
    steps.step(
        "random tables on both servers (cargo xtask fuzz-types --short)",
        |counts| {
            let oracle = ["test", "--package", "fuzz-types", "--test", "oracle"];
            let short = FuzzOptions {
                short: true,
                per_round: SCHEMAS_PER_ROUND,
                ..FuzzOptions::default()
            };
            Ok(tests(&oracle, &[], counts)? && fuzz_types(&short)? == Outcome::Holds)
        },
    )?;
    steps.step("integration tests on both servers", |counts| {
        // One file that fails says nothing about the others.
        let all = ["test", "--package", INTEGRATION, "--no-fail-fast"];
        tests(&all, &[], counts)
    })
}

fn tests(arguments: &[&str], filter: &[&str], counts: &mut TestCounts) -> Result<bool, Error> {
    tests_succeed(cargo().args(arguments).args(filter), counts)
}

fn cargo() -> Command {
    let mut command = Command::new(project::cargo());
    command.current_dir(project::root());
    command
}
