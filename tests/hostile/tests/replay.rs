//! The seeds in `fuzz/seeds`, and inputs that once failed, hold what the targets check.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostile_bytes::TARGETS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_seed_holds_what_its_target_checks() {
    let mut failed = Vec::new();
    for target in TARGETS {
        let folder = fuzz().join("seeds").join(target.name);
        let seeds = names(&folder);
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for seed in seeds {
            let input = fs::read(folder.join(&seed)).unwrap();
            if catch_unwind(|| (target.check)(&input)).is_err() {
                failed.push(format!("{}/{seed}", target.name));
            }
        }
    }
    assert!(failed.is_empty(), "in fuzz/seeds: {failed:#?}");
}

#[test]
fn no_input_and_short_inputs_of_one_byte_value_are_taken() {
    for target in TARGETS {
        for length in 0..40 {
            for byte in [0, 1, 7, 0x7f, 0x80, 0xfe, 0xff] {
                (target.check)(&vec![byte; length]);
            }
        }
    }
}

/// Nesting and repetition cost time in proportion to the text, and no stack.
#[test]
fn long_repetitions_are_taken() {
    let tokens = [
        "(", "[", "{\"a\":", "/*", "/*!", "/*M! ", "`", "'", "\"", ",", "\\", "-- \n", "a ", "1",
        ".", "@", "(a", "a.", "a(", "a int,",
    ];
    let starts = [
        "",
        "\u{1}",
        "\u{1}CREATE TABLE t (a int",
        "\u{1}CREATE TABLE t (a int DEFAULT (",
        "\u{1}CREATE TABLE t (",
        "\u{1}CREATE TABLE t (a int) ",
        "ALTER TABLE ",
        "DROP TABLE ",
        "{\"tables\":",
    ];
    let texts = ["classify", "ddl", "generate", "lock_file", "schema_json"];
    for target in TARGETS.iter().filter(|target| texts.contains(&target.name)) {
        for start in starts {
            for token in tokens {
                let input = start.to_owned() + &token.repeat(10_000);
                let begin = Instant::now();
                (target.check)(input.as_bytes());
                let taken = begin.elapsed();
                assert!(
                    taken < Duration::from_secs(10),
                    "{}: {taken:?} for {start:?} and 10000 times {token:?}",
                    target.name
                );
            }
        }
    }
}

#[test]
fn every_target_has_a_program_and_seeds_and_the_other_way_round() {
    let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert!(targets.is_sorted());
    assert_eq!(names(&fuzz().join("seeds")), targets);
    let programs: Vec<String> = targets.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz().join("fuzz_targets")), programs);
}
