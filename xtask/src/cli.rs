//! The command line: names and help; the work is in `commands`.

use clap::{Parser, Subcommand};

use crate::commands::{
    self, BenchOptions, CheckOptions, CompileTimeOptions, DemoOptions, FuzzBytesOptions,
    FuzzOptions, InitOptions, LabOptions, RegenerateOptions, SoakOptions, StoreOptions,
    TestOptions,
};
use crate::error::{Error, Outcome};

/// Development commands of mysql-mirror.
///
/// Exit codes: 0 fine, 1 the thing asked about does not hold, 2 it could not be done.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a schema.json from a live database
    Init(InitOptions),
    /// Write the generated crate from schema.json and a server (or the recorded definitions)
    Regenerate(RegenerateOptions),
    /// Is the generated crate what schema.json, definitions and templates give?
    Check(CheckOptions),
    /// Install, start and stop a private MySQL or MariaDB server
    Lab(LabOptions),
    /// A live mirror of the demo data under a write load
    Demo(DemoOptions),
    /// Everything that CI runs
    Test(TestOptions),
    /// Bytes that cargo-fuzz makes up, for everything that reads bytes of a server or a file
    Fuzz(FuzzBytesOptions),
    /// Random tables and statements on real servers: a mirror must hold what the server says
    FuzzTypes(FuzzOptions),
    /// The tests of the versioned store under loom, Miri and the sanitizers
    Store(StoreOptions),
    /// A mirror under load for a long time, with lost connections and changes of definitions
    Soak(SoakOptions),
    /// Run the benchmarks
    Bench(BenchOptions),
    /// How long a generated crate of many wide tables takes to make and to compile
    CompileTime(CompileTimeOptions),
}

impl Command {
    pub(crate) fn run(&self) -> Result<Outcome, Error> {
        match self {
            Self::Init(options) => commands::init(options),
            Self::Regenerate(options) => commands::regenerate(options),
            Self::Check(options) => commands::check(options),
            Self::Lab(options) => commands::lab(options),
            Self::Demo(options) => commands::demo(options),
            Self::Test(options) => commands::test(options),
            Self::Fuzz(options) => commands::fuzz(options),
            Self::FuzzTypes(options) => commands::fuzz_types(options),
            Self::Store(options) => commands::store(options),
            Self::Soak(options) => commands::soak(options),
            Self::Bench(options) => commands::bench(options),
            Self::CompileTime(options) => commands::compile_time(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_argument_has_help() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
        }
    }
}
