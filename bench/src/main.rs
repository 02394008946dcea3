//! `cargo xtask bench`: what decoding and reading cost, against baselines measured in the same
//! run.

mod decode;
mod measure;
mod reload;
mod report;
mod workload;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Benchmarks of mysql-mirror.
#[derive(Debug, Parser)]
#[command(name = "bench", version)]
struct Arguments {
    /// Fewer rows and runs: minutes become seconds, figures become rough.
    #[arg(long)]
    quick: bool,
    /// Also write the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Why a benchmark could not be run.
type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let (rows, runs) = if arguments.quick {
        (50_000, 3)
    } else {
        (1_000_000, 5)
    };
    eprintln!("making the standard load: {rows} rows an interval");
    let workload = workload::make(rows)?;
    let mut results = Vec::new();
    for interval in &workload.intervals {
        eprintln!("decoding {}", interval.name);
        results.extend(decode::run(interval, runs)?);
    }
    eprintln!("loading a table again");
    results.extend(reload::run(&workload.server, rows, runs)?);
    print!("{}", report::table(&results));
    let path = report::write_markdown(&results)?;
    eprintln!("report: {}", path.display());
    if let Some(file) = &arguments.json {
        report::write_json(file, &results)?;
    }
    Ok(())
}
