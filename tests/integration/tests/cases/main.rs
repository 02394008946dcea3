//! What has gone wrong for others who do this job, as tests: each named by what must hold.
//!
//! Every test runs on a MySQL and a MariaDB server that all of them share, most with each row
//! image and with each amount of column metadata in the binlog. The values are those that the
//! statements say, and those that the server says.

mod columns;
mod definitions;
mod encoded;
mod foreign_keys;
mod generation;
mod keys;
mod labels;
mod lower_case;
mod numbers;
mod temporal;
mod texts;
mod zones;

use std::process::ExitCode;

use integration::harness::{Test, run};

const MODULES: [&[Test]; 12] = [
    columns::TESTS,
    definitions::TESTS,
    encoded::TESTS,
    foreign_keys::TESTS,
    generation::TESTS,
    keys::TESTS,
    labels::TESTS,
    lower_case::TESTS,
    numbers::TESTS,
    temporal::TESTS,
    texts::TESTS,
    zones::TESTS,
];

fn main() -> ExitCode {
    run(&MODULES)
}
