//! The generated crate in a repository of the user's: a folder that was not there before becomes
//! a crate that others can depend on.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use codegen::ddl::ServerVersion;
use codegen::lock::{LOCK_FILE, Lock};
use common::xtask;

const DDL: &str = "CREATE TABLE `item` (\n  `id` int NOT NULL,\n  `name` varchar(100) NOT NULL,\n  \
    PRIMARY KEY (`id`),\n  KEY `name` (`name`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";

const SERVICE: &str = "//! A service.\n\n/// Looks up an item.\n\
    pub fn name(snapshot: &shop_tables::Snapshot) -> Option<String> {\n    \
    snapshot.item().get(1).map(|item| item.name.to_string())\n}\n";

/// A repository with a workspace, a service in it, and schema.json; no generated crate yet.
fn repository(folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let ours = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    // With our profiles and versions nothing is built anew or looked up.
    let profiles = &ours[ours.find("[profile.").unwrap()..];
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"service\", \"shop-tables\"]\n";
    write("Cargo.toml", &format!("{workspace}\n{profiles}"));
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let package = "[package]\nname = \"service\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
    let depends = "[dependencies]\nshop-tables = { path = \"../shop-tables\" }\n";
    write("service/Cargo.toml", &format!("{package}\n{depends}"));
    write("service/src/lib.rs", SERVICE);
    let table = "{ \"table\": \"item\", \"derives\": [\"serde::Serialize\"] }";
    write(
        "schema.json",
        &format!("{{ \"database\": \"shop\", \"tables\": [ {table} ] }}"),
    );
    let mut lock = Lock::new(ServerVersion::mysql(9, 7), None);
    lock.insert("shop", "item", DDL);
    write(&format!("shop-tables/{LOCK_FILE}"), &lock.to_text());
}

#[test]
fn a_folder_without_cargo_toml_becomes_a_crate_once_that_a_service_compiles_with() {
    let repository_folder = tempfile::tempdir().unwrap();
    let folder = repository_folder.path();
    repository(folder);
    let shown = |name: &str| folder.join(name).display().to_string();
    let (schema, out) = (shown("schema.json"), shown("shop-tables"));
    let regenerate = [
        "regenerate",
        "--offline",
        "--schema",
        &schema,
        "--out",
        &out,
    ];
    let first = xtask(&regenerate);
    assert_eq!(first.code, 0, "{first}");
    let said = format!("wrote {}, once", shown("shop-tables/Cargo.toml"));
    assert!(first.out.contains(&said), "{first}");
    assert!(first.out.contains("among the `members`"), "{first}");

    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let checked = Command::new(env!("CARGO"))
        .args(["check", "--workspace", "--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", "")
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{err}");

    let manifest = folder.join("shop-tables/Cargo.toml");
    let mine = fs::read_to_string(&manifest).unwrap() + "# mine\n";
    fs::write(&manifest, &mine).unwrap();
    let second = xtask(&regenerate);
    assert!(
        second.code == 0 && !second.out.contains("Cargo.toml"),
        "{second}"
    );
    assert_eq!(fs::read_to_string(&manifest).unwrap(), mine);
    let check = xtask(&["check", "--schema", &schema, "--out", &out]);
    assert_eq!(check.code, 0, "{check}");
}
