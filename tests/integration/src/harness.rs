//! A harness for tests that share servers: these end with the run, for which the usual harness
//! has no place.

use std::process::ExitCode;
use std::sync::Arc;

use lab::Flavor;
use libtest_mimic::{Arguments, Trial};

use crate::cases::Servers;

/// A test of both kinds of server, with its name.
pub type Test = (&'static str, fn(&Servers, Flavor));

/// Lists tests under the names of their functions, as a slice of [`Test`]s.
#[macro_export]
macro_rules! tests {
    ($($test:ident),+ $(,)?) => {
        &[$((stringify!($test), $test as fn(&$crate::cases::Servers, lab::Flavor))),+]
    };
}

/// Runs the tests that the command line asks for, each on MySQL and on MariaDB.
///
/// # Panics
/// When a test still runs after the end.
#[must_use]
pub fn run(modules: &[&[Test]]) -> ExitCode {
    let servers = Arc::new(Servers::default());
    let mut trials = Vec::new();
    for &(name, test) in modules.concat().iter() {
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
