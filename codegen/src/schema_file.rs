//! schema.json: which tables and columns are wanted, and how they are to be named.
//!
//! The format is fixed (README, "schema.json"); `schema.schema.json` describes it for editors.
//! Unknown keys are refused, and every problem of the file is in one report.

mod json;
mod read;

use std::collections::BTreeSet;

use crate::error::{Problem, Report};
use crate::model::Held;
use read::Reader;

/// The JSON Schema of schema.json, for editors.
pub const EDITOR_SCHEMA: &str = include_str!("../schema.schema.json");

/// A schema.json that was understood; whether its tables exist is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFile {
    /// Name of the file, for messages.
    pub name: String,
    /// Database of the tables that name none.
    pub database: Option<String>,
    /// The tables, in the order of the file.
    pub tables: Vec<TableRequest>,
}

/// Where something stands in schema.json.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// JSON path, e.g. `tables[2].columns[0]`.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
}

impl Place {
    /// A problem at this place.
    pub(crate) fn problem(&self, what: impl Into<String>) -> Problem {
        Problem::new(self.path.clone(), what).line(self.line)
    }
}

/// One table of schema.json.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableRequest {
    /// Where it stands.
    pub place: Place,
    /// Its database, when it names one.
    pub database: Option<String>,
    /// Table name.
    pub table: String,
    /// The columns; nothing for all of them.
    pub columns: Option<Vec<ColumnRequest>>,
    /// Name of the row struct.
    pub rust_name: Option<String>,
    /// Columns of the key that identifies a row.
    pub key: Option<KeyRequest>,
    /// The indexes; nothing for every key that can serve.
    pub indexes: Option<Vec<IndexRequest>>,
    /// Extra derives of the row struct.
    pub derives: Vec<String>,
    /// Foreign keys of this table whose effects on its rows are not to be followed.
    pub ignored_foreign_keys: Vec<IgnoredForeignKey>,
}

/// One of the `ignore_foreign_keys` of a table of schema.json.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredForeignKey {
    /// Where it stands.
    pub place: Place,
    /// Name of the constraint.
    pub name: String,
}

/// One column of a table of schema.json.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnRequest {
    /// Where it stands.
    pub place: Place,
    /// Column name.
    pub column: String,
    /// Name of the field.
    pub rust_name: Option<String>,
    /// What values are to be held as.
    pub held: Option<Held>,
}

/// The `key` of a table of schema.json.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// Where it stands.
    pub place: Place,
    /// Column names.
    pub columns: Vec<String>,
}

/// One of the `indexes` of a table of schema.json.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexRequest {
    /// Where it stands.
    pub place: Place,
    /// What is wanted.
    pub index: IndexChoice,
}

/// How an index is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexChoice {
    /// By the name of a key of the table.
    Key(String),
    /// By its columns.
    Columns(Vec<String>),
}

/// A table by database and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableName {
    /// Database name.
    pub database: String,
    /// Table name.
    pub table: String,
}

impl std::fmt::Display for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.database, self.table)
    }
}

impl SchemaFile {
    /// Reads the text of a schema.json; `name` is the file's name in messages.
    ///
    /// # Errors
    /// A [`Report`] of all problems: no JSON, unknown or missing keys, wrong types, duplicates.
    pub fn parse(name: &str, text: &str) -> Result<Self, Report> {
        let mut reader = Reader::new(name);
        let database_and_tables = reader.file(text);
        let mut report = reader.into_report();
        let (database, tables) = database_and_tables.unwrap_or_default();
        let schema = Self {
            name: name.to_owned(),
            database,
            tables,
        };
        schema.check_duplicates(&mut report);
        report.into_result(schema)
    }

    /// Sets the database of the tables that name none, unless the file itself does.
    #[must_use]
    pub fn with_default_database(mut self, database: Option<&str>) -> Self {
        if self.database.is_none() {
            self.database = database.map(str::to_owned);
        }
        self
    }

    /// Whether every table has a database by the file alone.
    #[must_use]
    pub fn names_all_databases(&self) -> bool {
        self.database.is_some() || self.tables.iter().all(|table| table.database.is_some())
    }

    /// Database and name of every table, in the order of the file.
    ///
    /// # Errors
    /// A [`Report`] of the tables without a database, and of tables that stand twice once the
    /// default database is known.
    pub fn table_names(&self) -> Result<Vec<TableName>, Report> {
        let mut report = Report::new(&self.name);
        let mut names = Vec::new();
        for request in &self.tables {
            match self.table_name(request) {
                Some(name) => names.push(name),
                None => report.push(
                    request
                        .place
                        .problem(format!("table `{}` has no database", request.table))
                        .expected("`database` here, at the top of the file, or in the URL")
                        .remedy("add \"database\": \"...\""),
                ),
            }
        }
        self.check_duplicates(&mut report);
        report.into_result(names)
    }

    /// Database and name of one of this file's tables; nothing without a database.
    #[must_use]
    pub fn table_name(&self, request: &TableRequest) -> Option<TableName> {
        let database = request.database.as_ref().or(self.database.as_ref())?;
        Some(TableName {
            database: database.clone(),
            table: request.table.clone(),
        })
    }

    fn check_duplicates(&self, report: &mut Report) {
        let mut seen = BTreeSet::new();
        for request in &self.tables {
            let database = request.database.as_ref().or(self.database.as_ref());
            if !request.table.is_empty() && !seen.insert((database, &request.table)) {
                let full = database.map_or(String::new(), |database| format!("{database}."));
                report.push(
                    request
                        .place
                        .problem(format!("table `{full}{}` stands twice", request.table))
                        .remedy("merge the two entries"),
                );
            }
        }
    }
}
