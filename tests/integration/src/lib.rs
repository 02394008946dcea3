//! What the tests of this package share: servers with the test tables, mirrors of them, random
//! writers, and the comparison of a mirror with what the server itself says.
//!
//! Each test runs on both kinds of server ([`on_both_servers!`]). The numbers of rounds suit
//! CI; `MIRROR_TEST_ROUNDS=10` makes ten times as many (see [`rounds`]), and
//! `MIRROR_TEST_SEED` repeats a run with the random numbers of another ([`Random`]).

pub mod cases;
pub mod compare;
mod compression;
pub mod edge;
pub mod fire;
mod gate;
pub mod generation;
pub mod harness;
pub mod json_fire;
pub mod marathon;
pub mod oracle;
mod random;
pub mod replay;
mod rounds;
mod servers;
pub mod shown;
mod site;
pub mod stream;
pub mod usage;
pub mod watched;
mod world;

pub use compression::{compressed_events, compressing};
pub use gate::{EndOnDrop, Gate};
pub use random::Random;
pub use rounds::rounds;
pub use site::{Site, run_in};
pub use world::{World, connect, wait_for};

/// Makes a test on MySQL and one on MariaDB of each function that takes a [`lab::Flavor`].
#[macro_export]
macro_rules! on_both_servers {
    ($($test:ident),+ $(,)?) => {
        $(
            mod $test {
                #[test]
                fn mysql() {
                    super::$test(lab::Flavor::Mysql);
                }

                #[test]
                fn mariadb() {
                    super::$test(lab::Flavor::Mariadb);
                }
            }
        )+
    };
}
