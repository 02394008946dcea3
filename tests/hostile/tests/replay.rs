//! The seeds in `fuzz/seeds`, and inputs that once failed, hold what the targets check.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

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

#[test]
fn every_target_has_a_program_and_seeds_and_the_other_way_round() {
    let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert!(targets.is_sorted());
    assert_eq!(names(&fuzz().join("seeds")), targets);
    let programs: Vec<String> = targets.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz().join("fuzz_targets")), programs);
}
