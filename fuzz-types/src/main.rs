//! `fuzz-types`: what `cargo xtask fuzz-types` runs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fuzz_types::error::Error;
use fuzz_types::keep;
use fuzz_types::run::{Plan, Summary, Target, numbers, run};
use lab::{Flavor, Release};
use xtask::commands::FuzzOptions;

/// Random tables and statements on real servers: a mirror must hold what the server says.
#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    options: FuzzOptions,
}

/// Seed, schemas and row changes of the short form.
const SHORT: (u64, usize, u64) = (20_310_203, 8, 300);

fn main() -> ExitCode {
    match all(&Cli::parse().options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs on all servers that are asked for; the number of findings.
fn all(options: &FuzzOptions) -> Result<usize, Error> {
    let targets = match (&options.url, options.server) {
        (Some(url), _) => vec![Target::Url(url.clone())],
        (None, Some(server)) => vec![Target::Lab(flavor_of(server.into())?)],
        (None, None) => Flavor::ALL.map(Target::Lab).to_vec(),
    };
    let plan = plan(options, targets.len())?;
    println!("seed {}", plan.seed);
    let mut findings = 0;
    for target in &targets {
        let summary = run(target, &plan)?;
        say(target, &summary);
        findings += summary.findings;
    }
    Ok(findings)
}

/// The lab starts a server of another version when the environment says so, as `cargo xtask
/// fuzz-types` makes it say.
fn flavor_of(release: Release) -> Result<Flavor, Error> {
    let flavor = release.flavor();
    let said = std::env::var(flavor.variable()).unwrap_or_default();
    if !release.series().is_empty() && said != release.series() {
        return Err(Error::Usage(format!(
            "{release} needs {}={}: run it by `cargo xtask fuzz-types`",
            flavor.variable(),
            release.series()
        )));
    }
    Ok(flavor)
}

fn plan(options: &FuzzOptions, targets: usize) -> Result<Plan, Error> {
    let mut cases = Vec::new();
    if options.short {
        cases = keep::read(&keep::regressions())?;
    }
    for path in &options.replay {
        cases.extend(keep::read(path)?);
    }
    let minutes = options.minutes.filter(|_| !options.short);
    let share = |minutes: u64| Duration::from_secs(minutes * 60 / targets.max(1) as u64);
    let (seed, schemas, changes) = SHORT;
    let schemas = match (options.schemas, options.short, minutes) {
        (Some(schemas), _, _) => schemas,
        (None, true, _) => schemas,
        (None, false, None) if !options.replay.is_empty() => 0,
        (None, false, None) => 25,
        (None, false, Some(_)) => usize::MAX,
    };
    Ok(Plan {
        seed: options.seed.unwrap_or(seed),
        first: options.first,
        schemas,
        per_round: options.per_round,
        changes: options
            .changes
            .unwrap_or(if options.short { changes } else { 1000 }),
        limit: minutes.map(share),
        cases,
        shrink: options.shrink.unwrap_or(if options.short { 0 } else { 4 }),
        keep: options.keep,
    })
}

fn say(target: &Target, summary: &Summary) {
    let name = match target {
        Target::Lab(flavor) => flavor.name(),
        Target::Url(_) => "the server",
    };
    let counts = &summary.counts;
    println!(
        "{name}: {} schemas, {}; {} columns and {} tables refused and {} reloads as expected; {} difference(s)",
        counts.schemas,
        numbers(counts),
        counts.refused_columns,
        counts.refused_tables,
        counts.reloads,
        summary.findings
    );
    if !counts.refused_statements.is_empty() {
        println!("{name}: statements that the server refused, each error's first message:");
        for (code, (count, message)) in &counts.refused_statements {
            let message: String = message.chars().take(120).collect();
            println!("  {count:>6}  {code}: {message}");
        }
    }
}
