//! The generated code of the test tables is what `cargo xtask regenerate` would write.

use std::path::Path;

use xtask::Outcome;
use xtask::commands::{CheckOptions, check};

#[test]
fn the_test_tables_are_what_schema_and_templates_give() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let options = CheckOptions {
        schema: Some(folder.join("schema.json")),
        out: Some(folder.to_path_buf()),
        ..CheckOptions::default()
    };
    assert_eq!(check(&options).unwrap(), Outcome::Holds);
}
