//! The parts of the benchmarks. `cargo xtask bench` reads this file too, and so knows them before
//! anything is built.

/// A part of the benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Part {
    /// The versioned store alone
    Store,
    /// Decoding of the standard load
    Decode,
    /// The standard load from the server's log to visible rows
    EndToEnd,
    /// Bytes of a row in memory
    Memory,
    /// The first load by SELECTs
    Bootstrap,
    /// The start from a checkpoint
    WarmRestart,
    /// Reads while a table is loaded again
    Reload,
    /// Changes into the store, from memory and from a live server
    Apply,
    /// From COMMIT to visible
    Latency,
    /// Reads by several threads
    Readers,
    /// All rows of a large table deleted in one transaction
    MassDelete,
}
