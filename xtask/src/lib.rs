//! The development commands of mysql-mirror, as a library: another workspace's xtask calls
//! them in a line.
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     xtask::run(std::env::args_os())
//! }
//! ```
//!
//! or one command of its own:
//!
//! ```no_run
//! use xtask::commands::{RegenerateOptions, regenerate};
//!
//! let outcome = regenerate(&RegenerateOptions {
//!     url: Some("mysql://me@localhost/ads".to_owned()),
//!     ..RegenerateOptions::default()
//! });
//! ```
//!
//! Exit codes: 0 fine, 1 the thing asked about does not hold, 2 it could not be done.

mod cli;
pub mod commands;
mod error;
mod manifest;
mod pipeline;
mod project;
mod server;
mod steps;
mod url;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

pub use error::{Error, Outcome};
pub use server::{Definition, Server, ServerError};
pub use url::{ServerUrl, UrlError};

/// Runs one command line (the first argument is the program's name) and says how it went.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match cli::Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return match error.print() {
                Ok(()) => ExitCode::from(code),
                Err(_) => ExitCode::from(2),
            };
        }
    };
    match cli.command.run() {
        Ok(Outcome::Holds) => ExitCode::SUCCESS,
        Ok(Outcome::DoesNotHold) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
