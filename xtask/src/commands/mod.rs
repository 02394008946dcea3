//! The commands: each a function of its options, without the command line.

mod bench;
mod check;
mod compile_time;
mod demo;
mod fuzz;
mod fuzz_types;
mod init;
mod lab;
mod lab_sql;
mod regenerate;
mod soak;
mod store;
mod test;

pub use bench::{BenchOptions, BenchPart, bench};
pub use check::{CheckOptions, check};
pub use compile_time::{CompileTimeOptions, compile_time};
pub use demo::{DemoOptions, demo};
pub use fuzz::{FuzzBytesOptions, fuzz};
pub use fuzz_types::{FuzzOptions, SCHEMAS_PER_ROUND, fuzz_types};
pub use init::{InitOptions, init};
pub use lab::{LabAction, LabFlavor, LabOptions, LabRelease, lab};
pub use lab_sql::SqlOptions;
pub use regenerate::{RegenerateOptions, regenerate};
pub use soak::{SoakOptions, soak};
pub use store::{StoreOptions, Tool, store};
pub use test::{TestOptions, test};
