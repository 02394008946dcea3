//! What has gone wrong for others who do this job, as tests: each named by what must hold.
//!
//! Every test runs on a MySQL and a MariaDB server that all of them share, most with each row
//! image and with each amount of column metadata in the binlog. The values are those that the
//! statements say, and those that the server says.

mod columns;
mod definitions;
mod encoded;
mod generation;
mod keys;
mod labels;
mod lower_case;
mod numbers;
mod temporal;
mod texts;
mod zones;

use std::process::ExitCode;
use std::sync::Arc;

use integration::cases::Servers;
use lab::Flavor;
use libtest_mimic::{Arguments, Trial};

/// A test, with the name of its function.
type Test = (&'static str, fn(&Servers, Flavor));

/// Lists tests under the names of their functions.
macro_rules! tests {
    ($($test:ident),+ $(,)?) => {
        &[$((stringify!($test), $test)),+]
    };
}
use tests;

const MODULES: [&[Test]; 11] = [
    columns::TESTS,
    definitions::TESTS,
    encoded::TESTS,
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
    let servers = Arc::new(Servers::default());
    let mut trials = Vec::new();
    for &(name, test) in MODULES.concat().iter() {
        for flavor in Flavor::ALL {
            let servers = Arc::clone(&servers);
            trials.push(Trial::test(format!("{name}::{flavor}"), move || {
                test(&servers, flavor);
                Ok(())
            }));
        }
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    // The servers end here, not with the process.
    drop(Arc::into_inner(servers).expect("every test has ended"));
    conclusion.exit_code()
}
