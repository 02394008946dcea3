//! Commands that need no server: exit codes, and what they print.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use std::fs;

use codegen::ddl::ServerVersion;
use codegen::lock::{LOCK_FILE, Lock};
use common::{Answer, xtask};
use tempfile::TempDir;

const DDL: &str = "CREATE TABLE `banner` (\n  `id` int unsigned NOT NULL,\n  `name` varchar(100) NOT NULL,\n  \
    `status` enum('active','it''s \"off\"') NOT NULL,\n  PRIMARY KEY (`id`),\n  KEY `name` (`name`)\n) \
    ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

/// A schema.json and a generated folder that is fresh.
struct Project {
    folder: TempDir,
}

impl Project {
    /// With the recorded definition only: nothing generated yet.
    fn recorded() -> Self {
        let project = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        project.write(
            "schema.json",
            "{ \"database\": \"ads\", \"tables\": [ { \"table\": \"banner\" } ] }\n",
        );
        let mut lock = Lock::new(ServerVersion::mysql(9, 7), None);
        lock.insert("ads", "banner", DDL);
        fs::create_dir(project.folder.path().join("generated")).unwrap();
        project.write(&format!("generated/{LOCK_FILE}"), &lock.to_text());
        project
    }

    /// Generated as well.
    fn fresh() -> Self {
        let project = Self::recorded();
        assert_eq!(project.run("regenerate", &["--offline"]).code, 0);
        project
    }

    fn run(&self, command: &str, more: &[&str]) -> Answer {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let (schema, out) = (path("schema.json"), path("generated"));
        let mut arguments = vec![command, "--schema", &schema, "--out", &out];
        arguments.extend(more);
        xtask(&arguments)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no {from:?}");
        self.write(name, &text.replacen(from, to, 1));
    }
}

#[test]
fn the_checked_in_generated_crate_is_fresh() {
    let answer = xtask(&["check"]);
    assert_eq!(answer.code, 0, "{answer}");
}

#[test]
fn regenerate_offline_needs_no_server_and_its_result_is_fresh() {
    let project = Project::recorded();
    let answer = project.run("regenerate", &["--offline"]);
    assert_eq!(answer.code, 0, "{answer}");
    assert!(answer.out.contains("src/banner.rs"), "{answer}");
    assert!(
        project
            .read("generated/src/banner.rs")
            .contains("pub struct Banner")
    );
    assert_eq!(project.run("check", &[]).code, 0);
}

#[test]
fn regenerating_again_changes_nothing() {
    let project = Project::fresh();
    let answer = project.run("regenerate", &["--offline"]);
    assert_eq!(answer.code, 0, "{answer}");
    assert!(answer.out.contains("schema: nothing changed"), "{answer}");
    assert!(answer.out.contains("files: nothing changed"), "{answer}");
}

#[test]
fn one_edited_character_of_a_generated_file_fails_with_diff_and_command() {
    let project = Project::fresh();
    project.edit(
        "generated/src/banner.rs",
        "pub struct Banner",
        "pub struct Bamner",
    );
    let answer = project.run("check", &[]);
    assert_eq!(answer.code, 1, "{answer}");
    assert!(answer.out.contains("-pub struct Bamner"), "{answer}");
    assert!(answer.out.contains("+pub struct Banner"), "{answer}");
    assert!(answer.out.contains("cargo xtask regenerate"), "{answer}");
    assert!(answer.out.contains("--offline"), "{answer}");
}

#[test]
fn a_missing_and_a_left_over_generated_file_fail() {
    let project = Project::fresh();
    let banner = project.folder.path().join("generated/src/banner.rs");
    let left_over = project.folder.path().join("generated/src/old.rs");
    fs::rename(&banner, &left_over).unwrap();
    let answer = project.run("check", &[]);
    assert_eq!(answer.code, 1, "{answer}");
    assert!(answer.out.contains("src/banner.rs: missing"), "{answer}");
    assert!(answer.out.contains("src/old.rs"), "{answer}");
    assert_eq!(project.run("regenerate", &["--offline"]).code, 0);
    assert!(banner.exists() && !left_over.exists());
}

#[test]
fn any_edit_of_schema_json_fails_until_regenerated() {
    for (from, to, names) in [
        ("{ \"table\"", "{ \"rust_name\": \"Ad\", \"table\"", "Ad"),
        ("\"banner\"", "\"baner\"", "ads.banner"),
        ("\"tables\"", "\"tabels\"", "tabels"),
        ("[", "", "JSON"),
    ] {
        let project = Project::fresh();
        project.edit("schema.json", from, to);
        let answer = project.run("check", &[]);
        assert_eq!(answer.code, 1, "{answer}");
        assert!(answer.out.contains(names), "{answer}");
        assert!(answer.out.contains("cargo xtask regenerate"), "{answer}");
    }
}

#[test]
fn an_edited_lock_fails() {
    let project = Project::fresh();
    project.edit("generated/schema.lock.json", "varchar(100)", "varchar(101)");
    let answer = project.run("check", &[]);
    assert_eq!(answer.code, 1, "{answer}");
    assert!(answer.out.contains("varchar(101)"), "{answer}");
}

#[test]
fn a_refused_schema_writes_nothing_and_cannot_be_done() {
    let project = Project::fresh();
    let before = project.read("generated/src/banner.rs");
    project.edit(
        "schema.json",
        "\"banner\"",
        "\"banner\", \"columns\": [\"id\", \"nmae\", \"stat\"]",
    );
    let answer = project.run("regenerate", &["--offline"]);
    assert_eq!(answer.code, 2, "{answer}");
    for part in ["nmae", "stat", "name"] {
        assert!(answer.err.contains(part), "{part}: {answer}");
    }
    assert_eq!(project.read("generated/src/banner.rs"), before);
}

#[test]
fn without_recorded_definitions_check_fails_and_offline_cannot_be_done() {
    let project = Project::fresh();
    fs::remove_file(project.folder.path().join("generated/schema.lock.json")).unwrap();
    let answer = project.run("check", &[]);
    assert_eq!(answer.code, 1, "{answer}");
    assert!(
        answer.out.contains("schema.lock.json is not there"),
        "{answer}"
    );
    let answer = project.run("regenerate", &["--offline"]);
    assert_eq!(answer.code, 2, "{answer}");
    assert!(answer.err.contains("cargo xtask regenerate"), "{answer}");
}

#[test]
fn a_missing_schema_file_cannot_be_checked() {
    let answer = xtask(&["check", "--schema", "no/such/schema.json"]);
    assert_eq!(answer.code, 2, "{answer}");
    assert!(answer.err.contains("no/such/schema.json"), "{answer}");
}

#[test]
fn a_url_that_is_none_is_refused_without_showing_it() {
    let project = Project::fresh();
    for url in [
        "mysql://me:s3cr3t@localhost:port/ads",
        "http://me:s3cr3t@localhost/ads",
    ] {
        let answer = project.run("regenerate", &["--url", url]);
        assert_eq!(answer.code, 2, "{answer}");
        assert!(answer.err.contains("expected: mysql://"), "{answer}");
        assert!(!answer.to_string().contains("s3cr3t"), "{answer}");
    }
}

#[test]
fn a_server_that_is_down_is_named_without_the_password() {
    let project = Project::fresh();
    let url = "mysql://me:s3cr3t@127.0.0.1:1/ads";
    for command in [
        &["regenerate", "--url", url][..],
        &["check", "--live", "--url", url],
    ] {
        let answer = project.run(command[0], &command[1..]);
        assert_eq!(answer.code, 2, "{answer}");
        assert!(
            answer.err.contains("127.0.0.1:1: cannot connect"),
            "{answer}"
        );
        assert!(answer.err.contains("remedy"), "{answer}");
        assert!(!answer.to_string().contains("s3cr3t"), "{answer}");
    }
}

#[test]
fn without_a_server_regenerate_says_what_else_there_is() {
    let answer = Project::fresh().run("regenerate", &[]);
    assert_eq!(answer.code, 2, "{answer}");
    for part in ["--url", "DATABASE_URL", "--offline", "--lab"] {
        assert!(answer.err.contains(part), "{part}: {answer}");
    }
}

#[test]
fn wrong_command_lines_exit_with_2_and_help_with_0() {
    for wrong in [
        &["no-such-command"][..],
        &[],
        &["check", "--no-such-flag"],
        &["check", "--url", "mysql://localhost/"],
        &["regenerate", "--offline", "--url", "mysql://localhost/"],
        &["lab", "start"],
        &["lab", "start", "oracle"],
        &["bench", "--json"],
        &["bench", "--only", "foo"],
        &["lab", "sql", "a", "SELECT 1", "more"],
    ] {
        let answer = xtask(wrong);
        assert_eq!(answer.code, 2, "{wrong:?}: {answer}");
    }
    for command in [
        "init",
        "regenerate",
        "check",
        "lab",
        "demo",
        "test",
        "bench",
    ] {
        let answer = xtask(&[command, "--help"]);
        assert_eq!(answer.code, 0, "{command}: {answer}");
        assert!(answer.out.contains("Usage: cargo xtask"), "{answer}");
    }
}

#[test]
fn help_of_bench_names_every_part_and_a_wrong_one_is_refused_with_them() {
    let wrong = xtask(&["bench", "--only", "store,foo"]);
    let help = xtask(&["bench", "--help"]);
    for part in <xtask::commands::BenchPart as clap::ValueEnum>::value_variants() {
        let name = clap::ValueEnum::to_possible_value(part).unwrap();
        for text in [&wrong.err, &help.out] {
            assert!(
                text.contains(name.get_name()),
                "{}: {text}",
                name.get_name()
            );
        }
    }
    assert!(wrong.err.contains("'foo'"), "{wrong}");
}

#[test]
fn init_does_not_overwrite() {
    let project = Project::fresh();
    let file = project
        .folder
        .path()
        .join("schema.json")
        .display()
        .to_string();
    let before = project.read("schema.json");
    let answer = xtask(&["init", "--url", "mysql://127.0.0.1:1/ads", "--out", &file]);
    assert_eq!(answer.code, 2, "{answer}");
    assert!(answer.err.contains("--force"), "{answer}");
    assert_eq!(project.read("schema.json"), before);
}
