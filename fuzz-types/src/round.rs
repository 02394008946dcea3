//! One round: a server, some databases, one generated crate over all of them, mirrors of it
//! before and after the changes.

use std::path::PathBuf;

use crate::case::{Case, Step};
use crate::compare::Mirrored;
use crate::error::Error;
use crate::finding::Finding;
use crate::folder::{Built, Folder};
use crate::generate::{Chosen, Generator};
use crate::ground::{Ground, MARKER_DATABASE};
use crate::mirrors::Mirrors;
use crate::oracle;
use crate::random::Random;
use crate::sessions::Refused;

/// Crates that are generated again without the tables that do not compile, at most.
const BUILDS: usize = 4;

/// Numbers of a round or of a run.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Databases.
    pub schemas: u64,
    /// Tables that were mirrored.
    pub tables: u64,
    /// Columns that were mirrored.
    pub columns: u64,
    /// Statements that ran.
    pub statements: u64,
    /// Statements that the server refused.
    pub refused_statements: Refused,
    /// Row changes that the mirror applied.
    pub changes: u64,
    /// Rows that were compared.
    pub rows: u64,
    /// Columns that the generator refused as expected.
    pub refused_columns: u64,
    /// Tables that the generator refused as expected.
    pub refused_tables: u64,
    /// Times that tables were loaded again as expected.
    pub reloads: u64,
}

impl Counts {
    /// Adds the numbers of another.
    pub fn add(&mut self, other: &Self) {
        self.schemas += other.schemas;
        self.tables += other.tables;
        self.columns += other.columns;
        self.statements += other.statements;
        for (code, (count, message)) in &other.refused_statements {
            let known = self
                .refused_statements
                .entry(*code)
                .or_insert((0, message.clone()));
            known.0 += count;
        }
        self.changes += other.changes;
        self.rows += other.rows;
        self.refused_columns += other.refused_columns;
        self.refused_tables += other.refused_tables;
        self.reloads += other.reloads;
    }
}

/// What came of a round.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Numbers.
    pub counts: Counts,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The settings of the binlog that each part of the changes ran with.
    pub settings: Vec<Vec<Step>>,
}

/// Runs cases, whose tables are there, and compares. With `random` the settings of the binlog
/// are others for each part of the changes.
///
/// # Errors
/// When it cannot be carried out; what is wrong with the mirror is in the outcome.
pub fn run(
    ground: &mut Ground,
    folder: &Folder,
    cases: &[Case],
    mut random: Option<Random>,
    note: &dyn Fn(&str),
) -> Result<Outcome, Error> {
    let mut outcome = Outcome::default();
    note("first rows");
    for (at, case) in cases.iter().enumerate() {
        ground.run(at, &case.before)?;
    }
    let Some((program, tables)) = build(ground, folder, cases, &mut outcome, note)? else {
        return Ok(outcome);
    };
    outcome.counts.tables = tables.len() as u64 - 1;
    outcome.counts.columns = tables.iter().map(|table| table.columns.len() as u64).sum();
    let mut mirrors = Mirrors::start(&program, &ground.url, folder, tables)?;
    note("loading");
    let done = follow(
        ground,
        &mut mirrors,
        cases,
        random.as_mut(),
        &mut outcome,
        note,
    );
    outcome.counts.schemas = cases.len() as u64;
    outcome.counts.changes = mirrors.changes;
    outcome.counts.rows = mirrors.rows;
    outcome.counts.reloads = mirrors.expected_reloads;
    outcome.findings.append(&mut mirrors.findings);
    outcome.counts.statements = std::mem::take(&mut ground.sessions.statements);
    outcome.counts.refused_statements = std::mem::take(&mut ground.sessions.refused);
    // A mirror that names no table when it stops is a finding of all cases.
    match done {
        Err(Error::Program { .. }) if !outcome.findings.is_empty() => Ok(outcome),
        done => done.map(|()| outcome),
    }
}

/// Changes the tables and compares, part by part.
fn follow(
    ground: &mut Ground,
    mirrors: &mut Mirrors<'_>,
    cases: &[Case],
    mut random: Option<&mut Random>,
    outcome: &mut Outcome,
    note: &dyn Fn(&str),
) -> Result<(), Error> {
    mirrors.follow()?;
    let parts = cases.iter().map(|case| case.parts.len()).max().unwrap_or(0);
    for part in 0..parts {
        if let Some(random) = random.as_deref_mut() {
            outcome.settings.push(ground.change_settings(random)?);
        }
        for (at, case) in cases.iter().enumerate() {
            note(&format!("part {} of {parts}: {}", part + 1, case.name));
            if let Some(steps) = case.parts.get(part) {
                ground.run(at, steps)?;
            }
        }
        note("comparing");
        mirrors.catch_up(ground)?;
    }
    note("loading afresh");
    mirrors.load_afresh(ground)
}

/// Decides what can be mirrored and builds the driver, without the tables whose code does not
/// compile.
///
/// # Errors
/// When it cannot be carried out.
pub fn build(
    ground: &mut Ground,
    folder: &Folder,
    cases: &[Case],
    outcome: &mut Outcome,
    note: &dyn Fn(&str),
) -> Result<Option<(PathBuf, Vec<Mirrored>)>, Error> {
    note("generating");
    let mut generator = Generator::connect(&ground.url)?;
    let mut chosen = choose(ground, &mut generator, cases)?;
    outcome.findings.append(&mut chosen.findings);
    outcome.counts.refused_columns = chosen.refused_columns;
    outcome.counts.refused_tables = chosen.refused_tables;
    let mut tables = chosen.tables;
    for _ in 0..BUILDS {
        let (files, modules) = match generator.files(&tables) {
            Ok(generated) => generated,
            Err(message) => {
                let table = String::new();
                outcome.findings.push(Finding::Refused { table, message });
                return Ok(None);
            }
        };
        folder.write(&files)?;
        note("compiling");
        let message = match folder.build()? {
            Built::Program(program) => return Ok(Some((program, tables))),
            Built::Refused(message) => message,
        };
        let finding = |table: &str| Finding::Compile {
            table: table.to_owned(),
            message: message.chars().take(3000).collect(),
        };
        let mut modules = modules.iter();
        let blamed: Vec<_> = modules
            .by_ref()
            .filter(|(file, _)| message.contains(&format!("{file}:")))
            .collect();
        if blamed.is_empty() {
            outcome.findings.push(finding(""));
            return Ok(None);
        }
        for (_, table) in blamed {
            outcome.findings.push(finding(table));
            tables.retain(|mirrored| mirrored.full_name() != *table);
        }
    }
    Ok(None)
}

fn choose(ground: &mut Ground, generator: &mut Generator, cases: &[Case]) -> Result<Chosen, Error> {
    let mut chosen = Chosen::default();
    for table in oracle::tables(&mut ground.conn, MARKER_DATABASE)? {
        generator.add(&table, &Case::default(), &mut chosen)?;
    }
    for case in cases {
        for table in oracle::tables(&mut ground.conn, &case.database)? {
            generator.add(&table, case, &mut chosen)?;
        }
    }
    Ok(chosen)
}
