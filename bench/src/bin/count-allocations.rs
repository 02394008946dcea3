//! Counts allocations; a program of its own, since an allocator that counts is a slow one.
//!
//! `count-allocations contender NAME FILE` prints the allocations of one contender on one binlog
//! file. `count-allocations apply FILE...` applies the files to empty tables, and prints a line
//! for each: the bytes that it left allocated, and those that it had at most meanwhile.

use std::path::Path;
use std::process::ExitCode;

use bench_contenders::{Contender, Error, MemoryMirror};

fn main() -> ExitCode {
    match count() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("count-allocations: {error}");
            ExitCode::from(2)
        }
    }
}

fn count() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [what, name, file] if what == "contender" => {
            println!("{}", contender(name, file)?);
            Ok(())
        }
        [what, files @ ..] if what == "apply" => apply(files),
        _ => Err("expected: contender NAME FILE, or apply FILE...".into()),
    }
}

/// Everything happens on this thread, so all of it is counted.
fn apply(files: &[String]) -> Result<(), Error> {
    let mut tables = MemoryMirror::new();
    for file in files {
        let mut applied = Ok(0);
        let counted = allocation_counter::measure(|| applied = tables.apply(Path::new(file)));
        applied?;
        println!("{} {}", counted.bytes_current, counted.bytes_max);
    }
    Ok(())
}

fn contender(name: &str, file: &str) -> Result<u64, Error> {
    let contender = Contender::ALL
        .iter()
        .find(|contender| contender.name() == name)
        .ok_or_else(|| format!("there is no contender {name:?}"))?;
    let mut done = Ok(None);
    let counted = allocation_counter::measure(|| done = contender.go(Path::new(file)));
    done?;
    Ok(counted.count_total)
}
