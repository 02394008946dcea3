//! Text of SHOW CREATE TABLE.

use codegen::ddl::{self, ServerVersion};
use codegen::lock::Lock;
use codegen::schema_file::SchemaFile;

/// The servers as which a text is read; the first byte of an input is an index into them.
pub const VERSIONS: [ServerVersion; 6] = [
    ServerVersion::mysql(5, 6),
    ServerVersion::mysql(8, 0),
    ServerVersion::mysql(9, 7),
    ServerVersion::mariadb(10, 3),
    ServerVersion::mariadb(10, 11),
    ServerVersion::mariadb(11, 8),
];

fn version_and_text(input: &[u8]) -> Option<(ServerVersion, &str)> {
    let (index, text) = input.split_first()?;
    let version = VERSIONS[usize::from(*index) % VERSIONS.len()];
    Some((version, std::str::from_utf8(text).ok()?))
}

/// A text behind the index of a server's version, a byte.
///
/// A table that is read has columns, each of them found by its name; keys are of columns that
/// are there. What is recorded of the text is recorded of that again, and is the same table.
pub fn ddl(input: &[u8]) {
    let Some((version, text)) = version_and_text(input) else {
        return;
    };
    let normal = ddl::normalize(text, version);
    assert!(normal.len() <= text.len());
    let table = match ddl::parse(text, version) {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for column in &table.columns {
        assert!(table.column(&column.name).is_some());
    }
    for key in &table.keys {
        assert!(!key.parts.is_empty());
    }
    assert_eq!(ddl::normalize(&normal, version), normal);
    let mut recorded = ddl::parse(&normal, version).unwrap();
    recorded.options = table.options.clone();
    assert_eq!(recorded, table);
}

/// As [`ddl()`]: the whole crate is generated from the text, or refused with a report.
///
/// What is generated is made of files that are not empty.
pub fn generate(input: &[u8]) {
    let Some((version, text)) = version_and_text(input) else {
        return;
    };
    let Ok(table) = ddl::parse(text, version) else {
        return;
    };
    let mut lock = Lock::new(version, None);
    lock.insert("d", &table.name, text);
    let name = serde_json::Value::from(table.name);
    let schema = format!("{{\"database\": \"d\", \"tables\": [{{\"table\": {name}}}]}}");
    let Ok(schema) = SchemaFile::parse("schema.json", &schema) else {
        return;
    };
    match codegen::generate(&schema, &lock) {
        Ok(files) => assert!(files.values().all(|text| !text.is_empty())),
        Err(report) => assert!(!report.to_string().is_empty()),
    }
}
