//! What is measured by two programs: one takes the time, the other counts allocations.

mod applier;
mod contenders;

pub use applier::MemoryMirror;
pub use contenders::Contender;

/// Why a benchmark could not be run.
pub type Error = Box<dyn std::error::Error>;
