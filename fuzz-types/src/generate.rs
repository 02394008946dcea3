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

use crate::compare::Mirrored;
use crate::error::Error;
use crate::expected::is_expected_refusal;
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
    pub fn add(
        &mut self,
        table: &Table,
        left_out: &[(String, String)],
        chosen: &mut Chosen,
    ) -> Result<(), Error> {
        let definition = self.server.definition(&table.database, &table.name)?;
        self.lock
            .insert(&definition.database, &definition.table, &definition.text);
        let out: BTreeSet<&str> = left_out
            .iter()
            .filter(|(name, _)| *name == table.name)
            .map(|(_, column)| column.as_str())
            .collect();
        let names = table.columns.iter().map(|column| column.name.clone());
        let mut mirrored = Mirrored {
            table: table.clone(),
            columns: names.filter(|name| !out.contains(name.as_str())).collect(),
        };
        let before = chosen.findings.len();
        let problems = self.problems(&mirrored);
        self.judge(&mut mirrored, &problems, chosen);
        if !problems.is_empty() {
            let rest = self.problems(&mirrored);
            if !rest.is_empty() {
                // Without some of its columns a table may have no key left.
                if chosen.findings.len() > before || rest.iter().all(is_about_key) {
                    chosen.refused_tables += 1;
                } else {
                    chosen
                        .findings
                        .extend(rest.iter().map(|problem| refused(&mirrored, problem)));
                }
                return Ok(());
            }
        }
        chosen.tables.push(mirrored);
        Ok(())
    }

    /// Takes the columns out that were refused, and says which should not have been.
    fn judge(&self, mirrored: &mut Mirrored, problems: &[Problem], chosen: &mut Chosen) {
        let name = mirrored.full_name();
        let columns = mirrored.table.columns.clone();
        let any_column = |problem: &Problem| {
            columns.iter().find(|column| {
                problem
                    .what
                    .starts_with(&format!("column {name}.{}: ", column.name))
            })
        };
        let some = problems.iter().any(|problem| any_column(problem).is_some());
        for problem in problems {
            match any_column(problem) {
                Some(column) => {
                    mirrored.columns.retain(|name| *name != column.name);
                    if is_expected_refusal(&problem.what, &column.sql_type) {
                        chosen.refused_columns += 1;
                    } else {
                        chosen.findings.push(refused(mirrored, problem));
                    }
                }
                None if some && is_about_key(problem) => {}
                None => chosen.findings.push(refused(mirrored, problem)),
            }
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

fn is_about_key(problem: &Problem) -> bool {
    problem.what.contains("no usable key")
        || problem.what.contains("primary key is not mirrored")
        || problem.what.contains("no column of the key is left")
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
            if mirrored.columns.len() == mirrored.table.columns.len() {
                json!({"database": database, "table": table})
            } else {
                json!({"database": database, "table": table, "columns": mirrored.columns})
            }
        })
        .collect();
    SchemaFile::parse("schema.json", &json!({ "tables": tables }).to_string())
}
