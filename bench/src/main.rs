//! `cargo xtask bench`: what decoding and reading cost, against baselines measured in the same
//! run.

mod decode;
mod measure;
mod reload;
mod report;
mod store;
mod workload;

use std::path::PathBuf;
use std::process::ExitCode;

use bench_contenders::Error;
use clap::Parser;

/// Benchmarks of mysql-mirror.
#[derive(Debug, Parser)]
#[command(name = "bench", version)]
struct Arguments {
    /// Fewer rows and runs: minutes become seconds, figures become rough.
    #[arg(long)]
    quick: bool,
    /// Only these parts, as `store,decode`.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS")]
    only: Vec<Part>,
    /// Also write the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A part of the benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The versioned store alone.
    Store,
    /// Decoding of the standard load.
    Decode,
    /// Reads while a table is loaded again.
    Reload,
}

/// What a service of this kind would run under; it serves all contenders.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    let wanted = |part| arguments.only.is_empty() || arguments.only.contains(&part);
    let mut results = Vec::new();
    if wanted(Part::Store) {
        eprintln!("reading and writing the store: {rows} rows");
        results.extend(store::run(rows, runs));
    }
    if wanted(Part::Decode) || wanted(Part::Reload) {
        eprintln!("making the standard load: {rows} rows an interval");
        let workload = workload::make(rows)?;
        for interval in workload.intervals.iter().filter(|_| wanted(Part::Decode)) {
            eprintln!("decoding {}", interval.name);
            results.extend(decode::run(interval, runs)?);
        }
        if wanted(Part::Reload) {
            eprintln!("loading a table again");
            results.extend(reload::run(&workload.server, rows, runs)?);
        }
    }
    print!("{}", report::table(&results));
    let path = report::write_markdown(&results)?;
    eprintln!("report: {}", path.display());
    if let Some(file) = &arguments.json {
        report::write_json(file, &results)?;
    }
    Ok(())
}
