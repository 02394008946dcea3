//! `cargo xtask store`: the tests of the versioned store under what finds errors of `unsafe` code
//! and of orders.

use std::process::{Command, Stdio};

use crate::error::{Error, Outcome};
use crate::project;
use crate::steps::{Steps, TestCounts, tests_succeed};

/// What the tests are run under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Tool {
    /// Every order in which threads can meet (stable Rust)
    Loom,
    /// An interpreter that sees undefined behaviour (nightly, component miri)
    Miri,
    /// The address sanitizer: use after free, leaks (nightly)
    Address,
    /// The thread sanitizer: data races (nightly, component rust-src)
    Thread,
}

/// Options of [`store`].
#[derive(Debug, Clone, clap::Args)]
pub struct StoreOptions {
    /// What to run the tests under; default: all
    #[arg(value_enum, value_name = "TOOL")]
    pub tools: Vec<Tool>,
}

impl Tool {
    const ALL: [Self; 4] = [Self::Loom, Self::Miri, Self::Address, Self::Thread];

    fn heading(self) -> &'static str {
        match self {
            Self::Loom => "the store under loom",
            Self::Miri => "the store under Miri",
            Self::Address => "the store under the address sanitizer",
            Self::Thread => "the store under the thread sanitizer",
        }
    }

    /// What has to be there, as arguments of cargo that must work, and how to get it.
    fn needs(self) -> Option<(&'static [&'static str], &'static str)> {
        let nightly: &[&str] = &["+nightly", "--version"];
        match self {
            Self::Loom => None,
            Self::Miri => Some((
                &["+nightly", "miri", "--version"],
                "rustup toolchain install nightly --component miri,rust-src",
            )),
            Self::Address => Some((nightly, "rustup toolchain install nightly")),
            Self::Thread => Some((
                nightly,
                "rustup toolchain install nightly --component rust-src",
            )),
        }
    }

    fn command(self) -> Command {
        let mut command = match self {
            Self::Loom => Command::new(project::cargo()),
            _ => rustup_cargo(),
        };
        command.current_dir(project::root());
        let target = "x86_64-unknown-linux-gnu";
        let (arguments, flags): (&[&str], &str) = match self {
            Self::Loom => (&["test", "--release", "--test", "loom"], "--cfg loom"),
            Self::Miri => (
                &[
                    "+nightly", "miri", "test", "--test", "model", "--test", "threads",
                ],
                "",
            ),
            Self::Address => (
                &[
                    "+nightly", "test", "--target", target, "--test", "model", "--test", "threads",
                ],
                "-Zsanitizer=address",
            ),
            Self::Thread => (
                &[
                    "+nightly",
                    "test",
                    "-Zbuild-std",
                    "--target",
                    target,
                    "--test",
                    "model",
                    "--test",
                    "threads",
                ],
                "-Zsanitizer=thread",
            ),
        };
        command.args(arguments).args(["--package", "version-store"]);
        // Of a folder of its own: other flags would build everything anew each time.
        let folder = format!("store-{self:?}").to_lowercase();
        command.env("CARGO_TARGET_DIR", project::target().join(folder));
        command.env("RUSTFLAGS", flags);
        command
    }
}

/// Runs the tests of the versioned store under these tools.
///
/// # Errors
/// [`Error`] when what a tool needs is missing.
pub fn store(options: &StoreOptions) -> Result<Outcome, Error> {
    let tools = match &options.tools[..] {
        [] => &Tool::ALL[..],
        tools => tools,
    };
    for tool in tools {
        check_needs(*tool)?;
    }
    let mut steps = Steps::new(tools.len(), true);
    for tool in tools {
        steps.step(tool.heading(), |counts| run(*tool, counts))?;
    }
    Ok(match steps.finish() {
        true => Outcome::Holds,
        false => Outcome::DoesNotHold,
    })
}

/// The tests under one tool.
pub(super) fn run(tool: Tool, counts: &mut TestCounts) -> Result<bool, Error> {
    tests_succeed(&mut tool.command(), counts)
}

/// The cargo of rustup, which knows `+nightly`.
fn rustup_cargo() -> Command {
    let mut command = Command::new("cargo");
    command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    command
}

fn check_needs(tool: Tool) -> Result<(), Error> {
    let Some((arguments, remedy)) = tool.needs() else {
        return Ok(());
    };
    let works = rustup_cargo()
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if works {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "`cargo {}` does not work, which {} needs: {remedy}",
        arguments.join(" "),
        tool.heading()
    )))
}
