//! The contenders of the decoding benchmarks, for the program that measures their time, and for
//! the one that counts their allocations.

mod contenders;

pub use contenders::Contender;

/// Why a benchmark could not be run.
pub type Error = Box<dyn std::error::Error>;
