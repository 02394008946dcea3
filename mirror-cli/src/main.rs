//! `mirror`: the tables of the generated crate on the command line.

/// Prints a line on standard error; one that cannot be written is nobody's loss.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

mod checkpoint;
mod cli;
mod doctor;
mod exit;
mod export;
mod limits;
mod lines;
mod log;
mod progress;
mod servers;
mod status;
mod stop;
mod stream;
mod tail;
mod top;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    // That draws on the whole terminal, and shows the log itself.
    if !matches!(cli.command, Command::Top(_)) {
        log::to_standard_error(&cli.command);
    }
    let result = match cli.command {
        Command::Tail(arguments) => tail::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::Doctor(arguments) => return doctor::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
    };
    match result {
        Ok(()) | Err(exit::Failure::NobodyReads) => ExitCode::SUCCESS,
        Err(error) => {
            say!("mirror: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
