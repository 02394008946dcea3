//! Prints the allocations of one contender on one binlog file: `count-allocations NAME FILE`. A
//! program of its own, since an allocator that counts is a slow one.

use std::path::Path;
use std::process::ExitCode;

use bench_contenders::{Contender, Error};

fn main() -> ExitCode {
    match count() {
        Ok(count) => {
            println!("{count}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("count-allocations: {error}");
            ExitCode::from(2)
        }
    }
}

fn count() -> Result<u64, Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, file] = arguments.as_slice() else {
        return Err("expected: NAME FILE".into());
    };
    let contender = Contender::ALL
        .iter()
        .find(|contender| contender.name() == name.as_str())
        .ok_or_else(|| format!("there is no contender {name:?}"))?;
    let mut done = Ok(None);
    let counted = allocation_counter::measure(|| done = contender.go(Path::new(file)));
    done?;
    Ok(counted.count_total)
}
