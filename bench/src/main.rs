//! `cargo xtask bench`: what decoding, following and reading cost, against baselines measured in
//! the same run.

mod apply;
mod bootstrap;
mod decode;
mod end_to_end;
mod held;
mod latency;
mod mass_delete;
mod measure;
mod memory;
#[expect(unreachable_pub, reason = "cargo xtask bench has this file as a part of its library")]
mod parts;
mod plot;
mod raw_dump;
mod readers;
mod reload;
mod report;
mod store;
mod warm_restart;
mod workload;

use std::path::PathBuf;
use std::process::ExitCode;

use bench_contenders::Error;
use clap::Parser;

use parts::Part;
use plot::Plot;
use report::Measurement;
use workload::Workload;

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
    /// Rows that mass_delete deletes in one transaction; 1,000,000 without this, 100,000 with
    /// `--quick`.
    #[arg(long, value_name = "ROWS")]
    delete_rows: Option<u64>,
    /// Also write the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Parts that measure on the standard load.
const ON_THE_LOAD: [Part; 6] = [
    Part::Decode,
    Part::EndToEnd,
    Part::Memory,
    Part::Bootstrap,
    Part::WarmRestart,
    Part::Reload,
];
/// Parts that make their own rows on the same server, after those.
const ON_A_SERVER: [Part; 4] = [Part::Apply, Part::Latency, Part::Readers, Part::MassDelete];

/// How much is measured.
struct Sizes {
    rows: u64,
    runs: usize,
    /// Rows that readers read, and runs of those.
    reader_rows: u64,
    transactions: usize,
    delete_rows: u64,
    quick: bool,
}

impl Sizes {
    fn new(arguments: &Arguments) -> Self {
        let quick = arguments.quick;
        let of = |quickly: u64, usually: u64| if quick { quickly } else { usually };
        Self {
            rows: of(50_000, 1_000_000),
            runs: if quick { 3 } else { 5 },
            reader_rows: of(20_000, 100_000),
            transactions: if quick { 1_000 } else { 10_000 },
            delete_rows: arguments.delete_rows.unwrap_or(of(100_000, 1_000_000)),
            quick,
        }
    }
}

/// What was measured.
#[derive(Default)]
struct Results {
    measurements: Vec<Measurement>,
    plots: Vec<Plot>,
}

impl Results {
    fn add(&mut self, (measurements, plots): (Vec<Measurement>, Vec<Plot>)) {
        self.measurements.extend(measurements);
        self.plots.extend(plots);
    }
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
    let sizes = Sizes::new(arguments);
    let wanted = |part: &Part| arguments.only.is_empty() || arguments.only.contains(part);
    let mut results = Results::default();
    if wanted(&Part::Store) {
        eprintln!("reading and writing the store: {} rows", sizes.rows);
        let measurements = store::run(sizes.rows, sizes.runs);
        results.add((measurements, Vec::new()));
    }
    let on_the_load: Vec<Part> = ON_THE_LOAD.into_iter().filter(wanted).collect();
    let on_a_server: Vec<Part> = ON_A_SERVER.into_iter().filter(wanted).collect();
    if !on_the_load.is_empty() || !on_a_server.is_empty() {
        let workload = if on_the_load.is_empty() {
            Workload {
                intervals: Vec::new(),
                server: workload::start_server()?,
            }
        } else {
            eprintln!("making the standard load: {} rows an interval", sizes.rows);
            workload::make(sizes.rows)?
        };
        for part in on_the_load.into_iter().chain(on_a_server) {
            run_part(part, &workload, &sizes, &mut results)?;
        }
    }
    print!("{}", report::table(&results.measurements));
    let path = report::write_markdown(&results.measurements, &results.plots)?;
    eprintln!("report: {}", path.display());
    if let Some(file) = &arguments.json {
        report::write_json(file, &results.measurements)?;
    }
    Ok(())
}

/// One of the parts that need a server.
fn run_part(
    part: Part,
    workload: &Workload,
    sizes: &Sizes,
    results: &mut Results,
) -> Result<(), Error> {
    let (server, rows, runs) = (&workload.server, sizes.rows, sizes.runs);
    let without_plot = |measurements| (measurements, Vec::new());
    match part {
        // Without a server, before all others.
        Part::Store => {}
        Part::Decode => {
            for interval in &workload.intervals {
                eprintln!("decoding {}", interval.name);
                results.add(without_plot(decode::run(interval, runs)?));
            }
        }
        Part::EndToEnd => {
            eprintln!("following the standard load");
            results.add(end_to_end::run(server, rows, runs.min(3))?);
        }
        Part::Memory => {
            eprintln!("counting the bytes of rows");
            results.add(without_plot(memory::run(&workload.intervals)?));
        }
        Part::Bootstrap => {
            eprintln!("loading a table");
            results.add(without_plot(bootstrap::run(server, rows, runs)?));
        }
        Part::WarmRestart => {
            eprintln!("starting from a checkpoint");
            results.add(without_plot(warm_restart::run(server, rows, runs)?));
        }
        Part::Reload => {
            eprintln!("loading a table again");
            results.add(without_plot(reload::run(server, rows, runs)?));
        }
        Part::Apply => {
            eprintln!("applying transactions of 1 and of 1000 rows");
            results.add(without_plot(apply::run(server, rows, runs)?));
        }
        Part::Latency => {
            eprintln!("committing {} rows one by one", sizes.transactions);
            results.add(latency::run(server, sizes.transactions)?);
        }
        Part::Readers => {
            eprintln!("reading by several threads");
            let (rows, runs) = (sizes.reader_rows, runs.min(3));
            results.add(readers::run(server, rows, runs, sizes.quick)?);
        }
        Part::MassDelete => {
            eprintln!("deleting {} rows in one transaction", sizes.delete_rows);
            results.add(without_plot(mass_delete::run(server, sizes.delete_rows)?));
        }
    }
    Ok(())
}
