//! A run: rounds on one or both kinds of server until time or schemas are used up.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use lab::{Flavor, Reporter, Server, ServerOptions};
use mysql::prelude::Queryable;

use crate::case::{Case, Step};
use crate::error::Error;
use crate::finding::Finding;
use crate::folder::Folder;
use crate::ground::Ground;
use crate::keep;
use crate::product::Product;
use crate::random::Random;
use crate::random_case::{self, Size};
use crate::round::{self, Counts, Outcome};
use crate::schema::Maker;
use crate::sessions::{Sessions, connect};
use crate::shrink::shrink;
use crate::sql;

/// Findings of a schema that are printed.
const SHOWN: usize = 5;
/// How long a case is made smaller.
const SHRINKING: Duration = Duration::from_secs(120);

/// What a run is to do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Seed of everything random.
    pub seed: u64,
    /// Number of the first random schema.
    pub first: usize,
    /// Random schemas, at most.
    pub schemas: usize,
    /// Random schemas of a round.
    pub per_round: usize,
    /// Row changes in each, about.
    pub changes: u64,
    /// After this time no round is begun.
    pub limit: Option<Duration>,
    /// Cases that the first round runs besides.
    pub cases: Vec<Case>,
    /// Cases with findings that are made smaller in each round.
    pub shrink: usize,
    /// Keep the server's folder.
    pub keep: bool,
}

/// The server of a run.
#[derive(Debug, Clone)]
pub enum Target {
    /// A private server of that kind, a new one for each round.
    Lab(Flavor),
    /// A server that runs; its databases whose names begin with `fuzz` are dropped.
    Url(String),
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Summary {
    /// Numbers of all rounds.
    pub counts: Counts,
    /// Things that are wrong.
    pub findings: usize,
}

/// Runs the plan on one server, and prints what is found and a line for each round.
///
/// # Errors
/// When it cannot be carried out.
pub fn run(target: &Target, plan: &Plan) -> Result<Summary, Error> {
    let started = Instant::now();
    let mut summary = Summary::default();
    let mut done = 0;
    loop {
        let count = plan.per_round.min(plan.schemas - done);
        let first = done == 0;
        let cases = if first { plan.cases.as_slice() } else { &[] };
        if count == 0 && cases.is_empty() {
            break;
        }
        round(target, plan, plan.first + done, count, cases, &mut summary)?;
        done += count;
        let late = plan.limit.is_some_and(|limit| started.elapsed() >= limit);
        if late || done >= plan.schemas {
            break;
        }
    }
    Ok(summary)
}

fn round(
    target: &Target,
    plan: &Plan,
    first: usize,
    count: usize,
    kept: &[Case],
    summary: &mut Summary,
) -> Result<(), Error> {
    let began = Instant::now();
    let place = Place::open(target, plan)?;
    let bar = progress();
    let note = |text: &str| bar.set_message(format!("{}: {text}", place.name));
    let folder = Folder::prepare(&place.name)?;
    let number = plan.seed ^ first as u64;
    let mut ground = Ground::prepare(&place.url, place.product, &place.files, number)?;
    let cases = cases(&mut ground, plan, first, count, kept, &note)?;
    let random = (count > 0).then(|| Random::part(plan.seed, u64::MAX - first as u64));
    let outcome = round::run(&mut ground, &folder, &cases, random, &note)?;
    bar.finish_and_clear();
    report(&place, plan, &mut ground, &folder, &cases, &outcome)?;
    summary.findings += outcome.findings.len();
    summary.counts.add(&outcome.counts);
    println!(
        "{} {}: schemas {first} to {}{}: {}, {} difference(s), {:.0} s",
        place.name,
        place.version,
        first + count.saturating_sub(1),
        if kept.is_empty() {
            String::new()
        } else {
            format!(" and {} kept case(s)", cases.len() - count)
        },
        numbers(&outcome.counts),
        outcome.findings.len(),
        began.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The cases of a round; their tables are there.
fn cases(
    ground: &mut Ground,
    plan: &Plan,
    first: usize,
    count: usize,
    kept: &[Case],
    note: &dyn Fn(&str),
) -> Result<Vec<Case>, Error> {
    let product = ground.product;
    let mut cases = Vec::new();
    for case in kept.iter().filter(|case| case.is_for(product.family())) {
        ground.clear(case)?;
        ground.set_up(case)?;
        cases.push(case.clone());
    }
    let maker = Maker::new(product);
    let size = Size {
        seed: plan.seed,
        changes: plan.changes,
    };
    for number in first..first + count {
        note(&format!("schema {number}"));
        let case = random_case::make(&mut ground.sessions, &maker, product, size, number)?;
        cases.push(case);
    }
    Ok(cases)
}

/// The numbers in words.
#[must_use]
pub fn numbers(counts: &Counts) -> String {
    format!(
        "{} tables, {} columns, {} row changes in {} statements ({} refused), {} rows compared",
        counts.tables,
        counts.columns,
        counts.changes,
        counts.statements,
        counts
            .refused_statements
            .values()
            .map(|(count, _)| count)
            .sum::<u64>(),
        counts.rows
    )
}

/// Prints the findings of each schema, and keeps its case as it is and, where it can be made
/// smaller, that one, too.
fn report(
    place: &Place,
    plan: &Plan,
    ground: &mut Ground,
    folder: &Folder,
    cases: &[Case],
    outcome: &Outcome,
) -> Result<(), Error> {
    let kept = folder.path().join("kept");
    let mut left = plan.shrink;
    for case in cases {
        let findings = outcome
            .findings
            .iter()
            .filter(|finding| finding.is_of(&case.database));
        let own: Vec<&Finding> = findings.collect();
        if own.is_empty() {
            continue;
        }
        println!(
            "{} {}: {} ({})",
            place.name, place.version, case.name, case.origin
        );
        for finding in own.iter().take(SHOWN) {
            println!("  {finding}");
        }
        if own.len() > SHOWN {
            println!("  ... and {} more", own.len() - SHOWN);
        }
        let name = format!(
            "{}-seed-{}-{}",
            place.name,
            plan.seed,
            case.name.replace(' ', "-")
        );
        let case = with_settings(case, &outcome.settings);
        let file = keep::keep(&kept, &name, &case, &own)?;
        println!("  kept in {}", file.display());
        if left > 0 {
            left -= 1;
            let shapes: Vec<String> = own.iter().map(|finding| finding.shape()).collect();
            match shrink(ground, folder, &case, &shapes, SHRINKING)? {
                Some(smaller) => {
                    let file = keep::keep(&kept, &format!("{name}-small"), &smaller, &own)?;
                    println!(
                        "  made smaller: {} statement(s) in {}",
                        statements(&smaller),
                        file.display()
                    );
                }
                None => println!("  it does not come again when the case is run alone"),
            }
        }
    }
    let others = |finding: &&Finding| !cases.iter().any(|case| finding.is_of(&case.database));
    for finding in outcome.findings.iter().filter(others) {
        println!("  {finding}");
    }
    Ok(())
}

fn statements(case: &Case) -> usize {
    case.before.len() + case.parts.iter().map(Vec::len).sum::<usize>()
}

/// The case with the settings of the binlog as statements.
fn with_settings(case: &Case, settings: &[Vec<Step>]) -> Case {
    let mut case = case.clone();
    for (steps, settings) in case.parts.iter_mut().zip(settings) {
        steps.splice(0..0, settings.iter().cloned());
    }
    case
}

fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A server that runs, and where it may write files.
struct Place {
    name: String,
    version: String,
    url: String,
    product: Product,
    files: PathBuf,
    _server: Option<Server>,
}

impl Place {
    fn open(target: &Target, plan: &Plan) -> Result<Self, Error> {
        match target {
            Target::Lab(flavor) => {
                let options = ServerOptions::new()
                    .reporter(Reporter::stderr())
                    .keep(plan.keep);
                let server = Server::start(*flavor, &options)?;
                let mut place = Self::at(&server.url(), &server.dir().join("tmp"))?;
                place._server = Some(server);
                Ok(place)
            }
            Target::Url(url) => {
                let mut conn = connect(url)?;
                let names: Vec<String> = conn
                    .query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE 'fuzz%'")
                    .map_err(Error::sql("listing databases"))?;
                let mut sessions = Sessions::open(url)?;
                for name in names {
                    sessions.statement(0, &format!("DROP DATABASE {}", sql::name(&name)))?;
                }
                let files: Option<String> = conn
                    .query_first("SELECT @@tmpdir")
                    .map_err(Error::sql("reading tmpdir"))?;
                Self::at(url, Path::new(&files.unwrap_or_else(|| "/tmp".to_owned())))
            }
        }
    }

    fn at(url: &str, files: &Path) -> Result<Self, Error> {
        let version: Option<String> = connect(url)?
            .query_first("SELECT VERSION()")
            .map_err(Error::sql("reading the version"))?;
        let version = version.unwrap_or_default();
        let product = Product::parse(&version)?;
        Ok(Self {
            name: format!(
                "{}-{}-{}",
                product.family(),
                product.version.0,
                product.version.1
            ),
            version,
            url: url.to_owned(),
            product,
            files: files.to_path_buf(),
            _server: None,
        })
    }
}
