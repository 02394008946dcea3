//! schema.json and the file of recorded definitions.

use std::sync::LazyLock;

use codegen::lock::Lock;
use codegen::resolve::resolve;
use codegen::schema_file::SchemaFile;

static LOCK: LazyLock<Lock> = LazyLock::new(|| {
    let text = include_str!("../../mirror/schema.lock.json");
    Lock::parse(text).unwrap_or_else(|error| panic!("{error}"))
});

/// The text of a schema.json, also held against the definitions of the tables of `test-mirror`.
///
/// A file that is read has a table at least, and names each once; problems are named.
pub fn schema_json(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let schema = match SchemaFile::parse("schema.json", text) {
        Ok(schema) => schema,
        Err(report) => {
            assert!(!report.to_string().is_empty());
            return;
        }
    };
    let schema = schema.with_default_database(Some("mirror_test"));
    if let Ok(names) = schema.table_names() {
        assert_eq!(names.len(), schema.tables.len());
    }
    match resolve(&schema, &LOCK) {
        Ok(model) => assert_eq!(model.tables.len(), schema.tables.len()),
        Err(report) => assert!(!report.to_string().is_empty()),
    }
}

/// The text of a schema.lock.json.
///
/// What is read is read again from what it is written as.
pub fn lock_file(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(lock) = Lock::parse(text) {
        let written = lock.to_text();
        let again = Lock::parse(&written).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, lock);
    }
}
