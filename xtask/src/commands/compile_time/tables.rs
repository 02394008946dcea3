//! Tables of all usual types, for the compiler to work on: no server is asked.

use codegen::ddl::ServerVersion;
use codegen::lock::Lock;
use codegen::schema_file::SchemaFile;

use crate::error::Error;
use crate::pipeline;

/// The database that the tables are said to be in.
const DATABASE: &str = "wide";

/// Types of columns, one after the other, as SHOW CREATE TABLE of MySQL 8 prints them.
const TYPES: [&str; 10] = [
    "int NOT NULL",
    "varchar(255) NOT NULL",
    "enum('new','active','closed') NOT NULL",
    "decimal(12,2) NOT NULL",
    "datetime NOT NULL",
    "bigint unsigned DEFAULT NULL",
    "set('a','b','c','d') NOT NULL",
    "varchar(100) DEFAULT NULL",
    "double NOT NULL",
    "json DEFAULT NULL",
];

/// `schema.json` and definitions of so many tables of so many columns, with a primary key and
/// up to two more indexes each.
///
/// # Errors
/// [`Error`] when codegen refuses them, which is a defect.
pub(super) fn made(tables: usize, columns: usize) -> Result<(String, SchemaFile, Lock), Error> {
    let mut entries = Vec::new();
    let mut lock = Lock::new(ServerVersion::mysql(8, 4), None);
    for number in 0..tables {
        let name = format!("table{number}");
        entries.push(serde_json::json!({ "table": name }));
        lock.insert(DATABASE, &name, &definition(&name, columns));
    }
    let text = serde_json::json!({ "database": DATABASE, "tables": entries }).to_string();
    let schema = SchemaFile::parse("schema.json", &text).map_err(pipeline::refused)?;
    Ok((text, schema, lock))
}

fn definition(name: &str, columns: usize) -> String {
    let mut lines = vec!["  `id` int NOT NULL AUTO_INCREMENT".to_owned()];
    for number in 1..columns.max(1) {
        let kind = TYPES[(number - 1) % TYPES.len()];
        lines.push(format!("  `field{number}` {kind}"));
    }
    lines.push("  PRIMARY KEY (`id`)".to_owned());
    if columns > 2 {
        lines.push("  UNIQUE KEY `name` (`field2`)".to_owned());
    }
    if columns > 3 {
        lines.push("  KEY `number_state` (`field1`,`field3`)".to_owned());
    }
    format!(
        "CREATE TABLE `{name}` (\n{}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
        lines.join(",\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_tables_are_generated_with_all_their_columns() {
        let (_, schema, lock) = made(3, 50).unwrap();
        let files = pipeline::generate(&schema, &lock).unwrap();
        for table in ["table0", "table1", "table2"] {
            let text = files.get(&format!("src/{table}.rs")).unwrap();
            assert!(text.contains("pub field49:"), "{table}");
        }
    }

    #[test]
    fn tables_of_few_columns_have_no_index_of_a_column_that_is_not_there() {
        for columns in 0..5 {
            let (_, schema, lock) = made(1, columns).unwrap();
            pipeline::generate(&schema, &lock).unwrap();
        }
    }
}
