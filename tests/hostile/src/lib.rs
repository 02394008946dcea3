//! What must hold for any bytes.
//!
//! Each target is a function of some bytes that returns for every input: it panics when
//! something does not hold. cargo-fuzz calls them with bytes that it makes up (`fuzz/`, see
//! CONTRIBUTING.md), the test `replay` with the seeds in `fuzz/seeds`.
//!
//! For all of them: no panic in the code under test, no endless loop, and no memory out of
//! proportion to the input. What else each target checks is said at its function.

mod checkpoint;
mod classify;
mod columns;
mod ddl;
mod event;
mod file;
mod image_rows;
mod json_diff;
mod parsers;
mod payload;
mod schema;
mod stream;
mod table_map;
mod values;
mod wire;

pub use checkpoint::{checkpoint_file, checkpoint_rows, stored_rows, with_checksums};
pub use classify::classify;
pub use columns::{COLUMNS, TypedColumn};
pub use ddl::{VERSIONS, ddl, generate};
pub use event::{Parts, parts, push_event};
pub use file::binlog_file;
pub use image_rows::{ROWS_TYPES, rows};
pub use json_diff::json_diff;
pub use parsers::{PARSED_TYPES, charset, decimal, events, json};
pub use payload::payload;
pub use schema::{lock_file, schema_json};
pub use stream::stream;
pub use table_map::{metadata, metadata_input, table_map};
pub use values::column_values;
pub use wire::{table_map_body, wire_type};

/// A target: what cargo-fuzz runs under this name.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name: that of its binary and of its folders of inputs.
    pub name: &'static str,
    /// Checks one input.
    pub check: fn(&[u8]),
}

/// Every target.
pub const TARGETS: [Target; 19] = [
    target("binlog_file", binlog_file),
    target("charset", charset),
    target("checkpoint_file", checkpoint_file),
    target("classify", classify),
    target("column_values", column_values),
    target("ddl", ddl),
    target("decimal", decimal),
    target("events", events),
    target("generate", generate),
    target("json", json),
    target("json_diff", json_diff),
    target("lock_file", lock_file),
    target("metadata", metadata),
    target("payload", payload),
    target("rows", rows),
    target("schema_json", schema_json),
    target("stored_rows", stored_rows),
    target("stream", stream),
    target("table_map", table_map),
];

const fn target(name: &'static str, check: fn(&[u8])) -> Target {
    Target { name, check }
}
