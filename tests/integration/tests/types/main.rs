//! The table of docs/types.md: a test for each of its rows, on both kinds of server.
//!
//! Edge values come by SELECT, by an insert and by an update, with each row image and with each
//! amount of column metadata in the binlog; they must be the expected values of the Rust type,
//! and what the server's own SELECT says.

mod geometry;
mod labels;
mod numbers;
mod refused;
mod strings;
mod structured;
mod temporal;

use std::process::ExitCode;

use integration::harness::{Test, run};

const MODULES: [&[Test]; 7] = [
    geometry::TESTS,
    labels::TESTS,
    numbers::TESTS,
    refused::TESTS,
    strings::TESTS,
    structured::TESTS,
    temporal::TESTS,
];

fn main() -> ExitCode {
    run(&MODULES)
}
