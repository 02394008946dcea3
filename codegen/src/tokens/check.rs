//! The rules of a model that the generated code relies on, checked before anything is rendered.
//!
//! A model that comes from DDL keeps them; where one does not, the message names the table
//! instead of leaving it to the compiler of the generated crate.

use std::collections::BTreeMap;

use super::full_name;
use super::lookups::prefix_names;
use super::types::{Shape, shape};
use crate::model::{Column, ColumnType, Model, Table};

/// Module names that the generated crate uses itself, or that would be read as something else.
pub const RESERVED_MODULE_NAMES: &[&str] = &[
    "core",
    "lib",
    "main",
    "mirror_runtime",
    "std",
    "tables",
    "version",
];

/// Type names that the generated crate uses itself.
pub const RESERVED_TYPE_NAMES: &[&str] = &[
    "Arc",
    "BitOr",
    "Box",
    "Change",
    "ChangeView",
    "Charset",
    "Clone",
    "ColumnLayout",
    "ColumnType",
    "ColumnValue",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "From",
    "Hash",
    "ImageColumn",
    "Index",
    "IndexRange",
    "Indexes",
    "IntoIterator",
    "Iterator",
    "Mirror",
    "None",
    "Ok",
    "Option",
    "Options",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "RangeBounds",
    "Result",
    "Row",
    "RowChange",
    "RowImage",
    "Schema",
    "SelectValue",
    "Self",
    "Send",
    "Sized",
    "Snapshot",
    "Some",
    "String",
    "Sync",
    "Table",
    "TableLayout",
    "TableWriter",
    "Tables",
    "Transaction",
    "Value",
    "ValueError",
    "Vec",
    "Version",
];

/// Methods of every view, which no look-up can be named after.
const VIEW_METHODS: &[&str] = &[
    "get",
    "into_iter",
    "is_empty",
    "iter",
    "len",
    "new",
    "prefix",
    "range",
    "unordered",
];

/// Most labels of an ENUM.
const ENUM_LABELS: usize = 65_535;

/// Most labels of a SET.
const SET_LABELS: usize = 64;

/// A model that cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("table {table}: {problem}; {remedy}")]
pub struct ModelError {
    /// The table, as `database.table`.
    pub table: String,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: &'static str,
}

const RENAME: &str = "choose another name with `rust_name` in schema.json";

fn broken(table: &Table, problem: impl Into<String>, remedy: &'static str) -> ModelError {
    ModelError {
        table: full_name(table),
        problem: problem.into(),
        remedy,
    }
}

/// The names that all tables share: modules and exported types.
pub(super) fn check_crate(model: &Model) -> Result<(), ModelError> {
    let mut modules = BTreeMap::new();
    let mut types = BTreeMap::new();
    for table in &model.tables {
        let file = table.module_name.trim_start_matches("r#").to_lowercase();
        if RESERVED_MODULE_NAMES.contains(&file.as_str()) {
            return Err(broken(
                table,
                format!("the module name {file} is reserved"),
                RENAME,
            ));
        }
        once(table, "module", &mut modules, file)?;
        let own = [
            table.type_name.clone(),
            format!("{}View", table.type_name),
            format!("{}Indexes", table.type_name),
        ];
        let labels = table.columns.iter().map(|column| column.type_name.clone());
        for name in own
            .into_iter()
            .chain(labels.filter(|name| !name.is_empty()))
        {
            if RESERVED_TYPE_NAMES.contains(&name.as_str()) {
                return Err(broken(
                    table,
                    format!("the type name {name} is reserved"),
                    RENAME,
                ));
            }
            once(table, "type", &mut types, name)?;
        }
    }
    Ok(())
}

fn once(
    table: &Table,
    what: &str,
    seen: &mut BTreeMap<String, String>,
    name: String,
) -> Result<(), ModelError> {
    match seen.insert(name.clone(), full_name(table)) {
        None => Ok(()),
        Some(other) => {
            let problem = format!("the {what} name {name} is taken already, by {other}");
            Err(broken(table, problem, RENAME))
        }
    }
}

/// The rules within one table.
pub(super) fn check_table(table: &Table) -> Result<(), ModelError> {
    if table.key.is_empty() {
        return Err(broken(
            table,
            "it has no key",
            "name one with `key` in schema.json",
        ));
    }
    check_key(table, &table.key_name, &table.key)?;
    let mut fields = BTreeMap::new();
    for column in &table.columns {
        once(table, "field", &mut fields, column.rust_name.clone())?;
        check_labels(table, column)?;
    }
    for &index in &table.key {
        if column(table, index)?.nullable {
            let problem = format!("the key {} has a column that may be NULL", table.key_name);
            return Err(broken(
                table,
                problem,
                "name another with `key` in schema.json",
            ));
        }
    }
    let mut methods: BTreeMap<String, String> = VIEW_METHODS
        .iter()
        .map(|name| ((*name).to_owned(), "every view".to_owned()))
        .collect();
    for index in &table.indexes {
        check_key(table, &index.name, &index.columns)?;
        let range = format!("{}_range", index.method.trim_start_matches("r#"));
        once(table, "method", &mut methods, index.method.clone())?;
        once(table, "method", &mut methods, range)?;
        let prefix = format!("{}_prefix", index.method.trim_start_matches("r#"));
        for name in prefix_names(&prefix, index.columns.len()) {
            once(table, "method", &mut methods, name)?;
        }
    }
    Ok(())
}

fn check_key(table: &Table, name: &str, columns: &[usize]) -> Result<(), ModelError> {
    const REMEDY: &str = "leave it out of `key` and `indexes` in schema.json";
    if columns.is_empty() {
        return Err(broken(
            table,
            format!("the key {name} has no columns"),
            REMEDY,
        ));
    }
    for &index in columns {
        let column = column(table, index)?;
        if shape(column) == Shape::Unordered {
            let problem = format!(
                "the key {name} has the column {}, which has no order",
                column.name
            );
            return Err(broken(table, problem, REMEDY));
        }
    }
    Ok(())
}

fn check_labels(table: &Table, column: &Column) -> Result<(), ModelError> {
    let (members, most) = match &column.ty {
        ColumnType::Enum { members } => (members, ENUM_LABELS),
        ColumnType::Set { members } => (members, SET_LABELS),
        _ => return Ok(()),
    };
    if members.is_empty() || members.len() > most {
        let problem = format!(
            "the column {} has {} labels, expected 1 to {most}",
            column.name,
            members.len()
        );
        return Err(broken(
            table,
            problem,
            "leave the column out of schema.json",
        ));
    }
    let mut names = BTreeMap::new();
    for member in members {
        once(table, "label", &mut names, member.rust_name.clone())?;
    }
    Ok(())
}

/// The mirrored column with this field index.
pub(super) fn column(table: &Table, index: usize) -> Result<&Column, ModelError> {
    table.columns.get(index).ok_or_else(|| {
        let problem = format!(
            "a key names column {index}, but {} are mirrored",
            table.columns.len()
        );
        broken(
            table,
            problem,
            "add the key's columns to `columns` in schema.json",
        )
    })
}

/// A type of schema.json as the path that it must be.
pub(super) fn type_path(table: &Table, text: &str) -> Result<syn::Path, ModelError> {
    const REMEDY: &str = "write it as a path such as my_crate::BannerId in schema.json";
    match syn::parse_str::<syn::Path>(text) {
        Ok(path) if path.segments.iter().all(|part| part.arguments.is_none()) => Ok(path),
        _ => Err(broken(
            table,
            format!("the type {text:?} is not a plain path"),
            REMEDY,
        )),
    }
}

/// A derive of schema.json as the path that it must be.
pub(super) fn derive_path(table: &Table, text: &str) -> Result<syn::Path, ModelError> {
    const REMEDY: &str = "write it as a path such as serde::Serialize in schema.json";
    let path = syn::parse_str::<syn::Path>(text)
        .map_err(|_| broken(table, format!("the derive {text:?} is not a path"), REMEDY))?;
    let plain = path
        .segments
        .iter()
        .all(|segment| segment.arguments.is_none());
    if plain {
        Ok(path)
    } else {
        Err(broken(
            table,
            format!("the derive {text:?} has arguments"),
            REMEDY,
        ))
    }
}
