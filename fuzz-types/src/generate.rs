//! From the server's tables to a generated crate: the steps of `cargo xtask regenerate`, one
//! table at a time first, so that a refused column is known by its table.

use std::collections::BTreeSet;

use codegen::ddl::ServerVersion;
use codegen::error::Problem;
use codegen::files::FileMap;
use codegen::lock::Lock;
use codegen::resolve::resolve;
use codegen::schema_file::SchemaFile;
use serde_json::json;

use crate::case::Case;
use crate::compare::Mirrored;
use crate::error::Error;
use crate::expected::{is_expected_refusal, is_expected_without_key};
use crate::finding::Finding;
use crate::oracle::Table;

/// What came of the tables of a round.
#[derive(Debug, Default)]
pub struct Chosen {
    /// Those that are mirrored.
    pub tables: Vec<Mirrored>,
    /// Columns that were refused as expected.
    pub refused_columns: u64,
    /// Tables whose key was refused as expected.
    pub refused_tables: u64,
    /// What should not have been refused.
    pub findings: Vec<Finding>,
}

/// Reads definitions and decides what can be mirrored.
pub struct Generator {
    server: xtask::Server,
    lock: Lock,
}

impl Generator {
    /// A generator for the tables of a server.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub fn connect(url: &str) -> Result<Self, Error> {
        let mut server = xtask::Server::connect(&xtask::ServerUrl::parse(url)?)?;
        let text = server.version()?;
        let version = ServerVersion::parse(&text)
            .ok_or_else(|| Error::Usage(format!("the server's version is {text:?}")))?;
        Ok(Self {
            server,
            lock: Lock::new(version, None),
        })
    }

    /// Adds a table, without the columns in `left_out` and those that are refused.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub fn add(&mut self, table: &Table, case: &Case, chosen: &mut Chosen) -> Result<(), Error> {
        let definition = self.server.definition(&table.database, &table.name)?;
        self.lock
            .insert(&definition.database, &definition.table, &definition.text);
        let out: BTreeSet<&str> = case
            .left_out
            .iter()
            .filter(|(name, _)| *name == table.name)
            .map(|(_, column)| column.as_str())
            .collect();
        let names = table.columns.iter().map(|column| column.name.clone());
        let mut mirrored = Mirrored {
            table: table.clone(),
            held: case
                .held
                .iter()
                .filter(|held| held.table == table.name)
                .map(|held| (held.column.clone(), held.kind.clone()))
                .collect(),
            columns: names.filter(|name| !out.contains(name.as_str())).collect(),
        };
        let before = chosen.findings.len();
        let problems = self.problems(&mirrored);
        self.judge(&mut mirrored, &problems, chosen);
        if problems.is_empty() {
            chosen.tables.push(mirrored);
            return Ok(());
        }
        let rest = self.problems(&mirrored);
        if rest.is_empty() {
            chosen.tables.push(mirrored);
        } else if rest
            .iter()
            .all(|problem| is_expected_without_key(&problem.found))
        {
            chosen.refused_tables += 1;
        } else if chosen.findings.len() == before {
            let findings = rest.iter().map(|problem| refused(&mirrored, problem));
            chosen.findings.extend(findings);
        }
        Ok(())
    }

    /// Takes the columns out that were refused, and says which should not have been.
    fn judge(&self, mirrored: &mut Mirrored, problems: &[Problem], chosen: &mut Chosen) {
        let name = mirrored.full_name();
        for problem in problems {
            let column = mirrored.table.columns.iter().find(|column| {
                let start = format!("column {name}.{}: ", column.name);
                problem.what.starts_with(&start)
            });
            let Some(column) = column else {
                continue;
            };
            if is_expected_refusal(&problem.what, &column.sql_type) {
                chosen.refused_columns += 1;
            } else {
                chosen.findings.push(refused(mirrored, problem));
            }
            let refused = column.name.clone();
            mirrored.columns.retain(|name| *name != refused);
        }
    }

    fn problems(&self, mirrored: &Mirrored) -> Vec<Problem> {
        if mirrored.columns.is_empty() {
            return vec![Problem::new("columns", "no column of the key is left")];
        }
        let result = schema_file(std::slice::from_ref(mirrored))
            .and_then(|schema| resolve(&schema, &self.lock));
        result
            .err()
            .map(|report| report.problems)
            .unwrap_or_default()
    }

    /// The generated files for these tables, and the file of each table's code.
    ///
    /// # Errors
    /// The generator's report, as text.
    pub fn files(&self, tables: &[Mirrored]) -> Result<(FileMap, Vec<(String, String)>), String> {
        let text = |report: codegen::error::Report| report.to_string();
        let schema = schema_file(tables).map_err(text)?;
        let files = codegen::generate(&schema, &self.lock).map_err(text)?;
        let model = resolve(&schema, &self.lock).map_err(text)?;
        let modules = model.tables.iter().map(|table| {
            (
                format!("src/{}.rs", table.module_name),
                format!("{}.{}", table.database, table.name),
            )
        });
        Ok((files, modules.collect()))
    }
}

fn refused(mirrored: &Mirrored, problem: &Problem) -> Finding {
    Finding::Refused {
        table: mirrored.full_name(),
        message: problem.to_string(),
    }
}

fn schema_file(tables: &[Mirrored]) -> Result<SchemaFile, codegen::error::Report> {
    let tables: Vec<serde_json::Value> = tables
        .iter()
        .map(|mirrored| {
            let (database, table) = (&mirrored.table.database, &mirrored.table.name);
            let whole = mirrored.columns.len() == mirrored.table.columns.len();
            if whole && mirrored.held.is_empty() {
                json!({"database": database, "table": table})
            } else {
                json!({"database": database, "table": table, "columns": columns(mirrored)})
            }
        })
        .collect();
    SchemaFile::parse("schema.json", &json!({ "tables": tables }).to_string())
}

/// The columns as schema.json names them.
fn columns(mirrored: &Mirrored) -> Vec<serde_json::Value> {
    let names = mirrored.columns.iter();
    names
        .map(|name| match mirrored.held.get(name) {
            Some(kind) => json!({"column": name, "as": kind}),
            None => json!(name),
        })
        .collect()
}
