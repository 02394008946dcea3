//! Foreign keys that change rows of a mirrored table when rows of its parent change.
//!
//! Most servers do not log what such a foreign key does: the mirror does the same by itself, and
//! needs both tables and their columns for that.

use super::Found;
use crate::ddl::{self, Action};
use crate::error::Report;
use crate::model::{Column, ColumnType, ForeignKey, Table};

/// Adds the foreign keys to the tables; those that cannot be followed go to the report.
///
/// `tables` are those of `found` that had no problem of their own.
pub(super) fn resolve(found: &[Found<'_>], tables: &mut [Table], report: &mut Report) {
    for child in found {
        check_ignored(child, report);
        let (mut followed, mut ignored) = (Vec::new(), Vec::new());
        for key in child
            .create
            .foreign_keys
            .iter()
            .filter(|key| key.cascades())
        {
            if is_ignored(child, &key.name) {
                ignored.push(key.name.clone());
            } else {
                followed.extend(follow(child, key, found, tables, report));
            }
        }
        if let Some(at) = position(tables, &child.name.database, &child.create.name) {
            tables[at].foreign_keys = followed;
            tables[at].ignored_foreign_keys = ignored;
        }
    }
}

fn is_ignored(child: &Found<'_>, name: &str) -> bool {
    let ignored = &child.request.ignored_foreign_keys;
    ignored.iter().any(|ignored| ignored.name == name)
}

/// Names in `ignore_foreign_keys` must be those of constraints that change rows.
fn check_ignored(child: &Found<'_>, report: &mut Report) {
    let cascading = || {
        child
            .create
            .foreign_keys
            .iter()
            .filter(|key| key.cascades())
    };
    for ignored in &child.request.ignored_foreign_keys {
        if cascading().any(|key| key.name == ignored.name) {
            continue;
        }
        let names: Vec<String> = cascading().map(|key| format!("`{}`", key.name)).collect();
        let problem = ignored.place.problem(format!(
            "table {} has no foreign key `{}` that changes its rows",
            child.name, ignored.name
        ));
        report.push(problem.remedy(match names.is_empty() {
            true => "leave it out".to_owned(),
            false => format!("those that do are {}", names.join(", ")),
        }));
    }
}

fn position(tables: &[Table], database: &str, name: &str) -> Option<usize> {
    let is = |table: &&Table, fold: bool| match fold {
        false => table.database == database && table.name == name,
        true => {
            table.database.to_lowercase() == database.to_lowercase()
                && table.name.to_lowercase() == name.to_lowercase()
        }
    };
    // With lower_case_table_names names may be written in another case.
    let at = |fold| tables.iter().position(|table| is(&table, fold));
    at(false).or_else(|| at(true))
}

fn follow(
    child: &Found<'_>,
    key: &ddl::ForeignKey,
    found: &[Found<'_>],
    tables: &[Table],
    report: &mut Report,
) -> Option<ForeignKey> {
    let database = key.parent_database.as_ref().unwrap_or(&child.name.database);
    let parent_name = format!("{database}.{}", key.parent_table);
    let mut refuse = |lacking: String, remedy: String| {
        let what = format!(
            "table {}: constraint `{}` changes its rows when `{parent_name}` changes ({}), and {lacking}",
            child.name,
            key.name,
            key.actions()
        );
        let remedy = format!(
            "{remedy}; or add \"ignore_foreign_keys\": [\"{}\"] to the table, whose rows are then wrong after such a change, if the server does not log it",
            key.name
        );
        report.push(child.request.place.problem(what).remedy(remedy));
    };
    if key.on_delete == Action::SetDefault || key.on_update == Action::SetDefault {
        refuse(
            "SET DEFAULT is not known here".to_owned(),
            "leave the table out".to_owned(),
        );
        return None;
    }
    let Some(parent) = position(tables, database, &key.parent_table).map(|at| &tables[at]) else {
        let is_asked_for = found.iter().any(|found| {
            found.name.database.to_lowercase() == database.to_lowercase()
                && found.create.name.to_lowercase() == key.parent_table.to_lowercase()
        });
        // A parent with problems of its own is in the report already.
        if !is_asked_for {
            refuse(
                "that table is not mirrored".to_owned(),
                format!("mirror {parent_name} too"),
            );
        }
        return None;
    };
    let own = tables
        .iter()
        .find(|table| table.database == child.name.database && table.name == child.create.name)?;
    let mut all = |table: &Table, names: &[String]| {
        let indexes: Result<Vec<usize>, &String> = names
            .iter()
            .map(|name| index_of(&table.columns, name).ok_or(name))
            .collect();
        indexes
            .map_err(|name| {
                let of = format!("{}.{}", table.database, table.name);
                refuse(
                    format!("column `{name}` of {of} is not mirrored"),
                    "mirror that column too".to_owned(),
                );
            })
            .ok()
    };
    let columns = all(own, &key.columns)?;
    let parent_columns = all(parent, &key.parent_columns)?;
    Some(ForeignKey {
        name: key.name.clone(),
        parent: (parent.database.clone(), parent.name.clone()),
        by_value: is_by_value(own, &columns),
        columns,
        parent_columns,
        on_delete: key.on_delete,
        on_update: key.on_update,
    })
}

fn index_of(columns: &[Column], name: &str) -> Option<usize> {
    let wanted = name.to_lowercase();
    columns
        .iter()
        .position(|column| column.name.to_lowercase() == wanted)
}

fn is_by_value(table: &Table, columns: &[usize]) -> bool {
    let chosen = || columns.iter().filter_map(|&at| table.columns.get(at));
    let depends = |column: &Column| {
        column
            .generated_from
            .as_ref()
            .is_some_and(|sources| chosen().any(|own| sources.contains(&own.ordinal)))
    };
    chosen().all(|column| has_exact_equality(&column.ty)) && !table.columns.iter().any(depends)
}

/// Whether two values of a type are equal for the server just when they are the same.
fn has_exact_equality(ty: &ColumnType) -> bool {
    use ColumnType as T;
    matches!(
        ty,
        T::TinyInt { .. }
            | T::SmallInt { .. }
            | T::MediumInt { .. }
            | T::Int { .. }
            | T::BigInt { .. }
            | T::Decimal { .. }
            | T::Date
            | T::DateTime { .. }
            | T::Year
            | T::Binary { .. }
            | T::VarBinary { .. }
    )
}

#[cfg(test)]
#[path = "foreign_keys_tests.rs"]
mod tests;
