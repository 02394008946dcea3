//! Texts: CREATE TABLE, schema.json, recorded definitions, and text in every character set.

use std::fs;
use std::path::Path;

use hostile_bytes::VERSIONS;
use integration::World;
use mirror_runtime::Charset;
use mysql::prelude::Queryable;

use crate::folder::Folder;

/// What the tests of `codegen` and the projects of this repository hold.
pub(crate) fn of_codegen(folder: &mut Folder) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    walk(&root.join("codegen/tests"), &mut |path, bytes| {
        let name = path.to_string_lossy();
        if name.ends_with(".sql") {
            for index in 0..VERSIONS.len() as u8 {
                keep_ddl(index, bytes, folder);
            }
        } else if name.ends_with(".lock.json") {
            folder.keep("lock_file", bytes);
        } else if name.ends_with(".json") {
            folder.keep("schema_json", bytes);
        }
    });
    for project in ["", "tests/mirror", "generated"] {
        for (name, target) in [
            ("schema.json", "schema_json"),
            ("schema.lock.json", "lock_file"),
        ] {
            if let Ok(bytes) = fs::read(root.join(project).join(name)) {
                folder.keep(target, &bytes);
            }
        }
    }
}

fn walk(folder: &Path, take: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, take);
        } else {
            take(&path, &fs::read(&path).unwrap());
        }
    }
}

fn keep_ddl(version: u8, text: &[u8], folder: &mut Folder) {
    let input = [&[version], text].concat();
    folder.keep("ddl", &input);
    folder.keep("generate", &input);
}

/// What the server prints of its tables, and text in its character sets.
pub(crate) fn of_server(world: &World, folder: &mut Folder) {
    let version = match (world.is_mysql(), world.version().0) {
        (true, 5) => 0,
        (true, 8) => 1,
        (true, _) => 2,
        (false, 10) => 4,
        (false, _) => 5,
    };
    let mut conn = world.conn();
    let tables: Vec<String> = conn
        .query(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'mirror_test'",
        )
        .unwrap();
    for table in tables {
        let row: mysql::Row = conn
            .query_first(format!("SHOW CREATE TABLE `{table}`"))
            .unwrap()
            .unwrap();
        let ddl: String = row.get(1).unwrap();
        keep_ddl(version, ddl.as_bytes(), folder);
        let mut lock = codegen::lock::Lock::new(VERSIONS[usize::from(version)], None);
        lock.insert("mirror_test", &table, &ddl);
        folder.keep("lock_file", lock.to_text().as_bytes());
    }
    for (index, charset) in (0..).zip(Charset::ALL) {
        let sql = format!(
            "SELECT CAST(CONVERT(_utf8mb4 'aZ~ éßÐ Жя ΑΩ ab שם ภา 日本語 ひカ 한글 €№🦀' USING {}) AS BINARY)",
            charset.name()
        );
        if let Ok(Some(bytes)) = conn.query_first::<Vec<u8>, _>(sql) {
            let input: Vec<u8> = std::iter::once(index).chain(bytes).collect();
            folder.keep("charset", &input);
        }
    }
}
