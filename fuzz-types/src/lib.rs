//! The equivalence machine: random tables over all column types, random statements on them,
//! and a mirror that must hold what the server's own SELECT says.
//!
//! A *round* is a server, some databases (*schemas*) with a few tables each, and one generated
//! crate over all of them. One mirror follows the server while the statements run, a second one
//! is loaded afterwards; both, and what the changes of a subscription add up to, are compared
//! with the server value by value. `cargo xtask fuzz-types` is the command.
//!
//! Everything comes from the seed: schema `n` of seed `s` is the same whatever ran before it.

pub mod case;
pub mod compare;
pub mod driver;
pub mod dump;
pub mod error;
pub mod expected;
pub mod finding;
pub mod folder;
pub mod generate;
pub mod ground;
pub mod keep;
pub mod mirrors;
mod names;
pub mod oracle;
pub mod product;
pub mod random;
pub mod random_case;
pub mod round;
pub mod run;
pub mod schema;
pub mod sessions;
pub mod shrink;
pub mod sql;
pub mod statements;
pub mod types;
