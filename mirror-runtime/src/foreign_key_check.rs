//! The compiled foreign keys against the server's, at connect and before each load.
//!
//! A foreign key that the code does not know would change rows without the mirror doing the same.
//! They are read from SHOW CREATE TABLE, which needs no more than the right to SELECT.

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::error::{Error, TableError};
use crate::foreign_keys::parent_of;
use crate::layout::{ForeignKeyAction, ForeignKeyLayout, TableLayout};
use crate::row::quote_identifier;
use crate::source::{Family, ServerInfo, query_error};
use crate::statement::{ServerForeignKey, foreign_keys};

/// Whether the server logs the rows that foreign keys change (MySQL 9.6 release notes: foreign
/// keys are enforced by the SQL layer, unless `innodb_native_foreign_keys` is on).
pub(crate) fn logs_cascades(conn: &mut Conn, info: &ServerInfo) -> Result<bool, Error> {
    if info.family != Family::MySql || info.version < (9, 6, 0) {
        return Ok(false);
    }
    let native: Option<(String, String)> = conn
        .query_first("SHOW GLOBAL VARIABLES LIKE 'innodb_native_foreign_keys'")
        .map_err(|error| query_error(error, "asking who enforces foreign keys"))?;
    Ok(native.is_some_and(|(_, value)| value == "OFF"))
}

/// Compares the foreign keys of the selected tables that change their rows with those that were
/// compiled in, and looks whether the parents are selected too.
///
/// # Errors
/// [`TableError::Layout`] for the first difference; [`TableError::ParentNotSelected`]; a source
/// error when the server cannot be asked.
pub(crate) fn check_foreign_keys(
    conn: &mut Conn,
    info: &ServerInfo,
    layouts: &[&'static TableLayout],
    selected: &[bool],
) -> Result<(), Error> {
    if logs_cascades(conn, info)? {
        return Ok(());
    }
    for (layout, _) in layouts.iter().zip(selected).filter(|(_, on)| **on) {
        check_table(conn, layout, layouts, selected)?;
    }
    Ok(())
}

/// As [`check_foreign_keys`], of one table on a server that does not log what they do.
pub(crate) fn check_table(
    conn: &mut Conn,
    layout: &TableLayout,
    layouts: &[&'static TableLayout],
    selected: &[bool],
) -> Result<(), Error> {
    let sql = format!(
        "SHOW CREATE TABLE {}.{}",
        quote_identifier(layout.database),
        quote_identifier(layout.table)
    );
    let action = format!("reading the definition of {}", layout.full_name());
    let row: Option<mysql::Row> = conn
        .query_first(sql)
        .map_err(|error| query_error(error, &action))?;
    let text: Option<Vec<u8>> = row.and_then(|mut row| row.take_opt(1)?.ok());
    let text = text.unwrap_or_default();
    compare(
        layout,
        layouts,
        &foreign_keys(&String::from_utf8_lossy(&text)),
    )?;
    for key in layout.foreign_keys {
        let parent = parent_of(layouts, key);
        if parent.is_none_or(|at| selected.get(at) != Some(&true)) {
            return Err(TableError::ParentNotSelected {
                table: layout.full_name(),
                constraint: key.name.to_owned(),
                parent: format!("{}.{}", key.parent.0, key.parent.1),
            }
            .into());
        }
    }
    Ok(())
}

fn compare(
    layout: &TableLayout,
    layouts: &[&'static TableLayout],
    server: &[ServerForeignKey],
) -> Result<(), TableError> {
    let mismatch = |expected: String, found: String| TableError::Layout {
        table: layout.full_name(),
        column: None,
        expected,
        found,
        position: None,
    };
    let cascading = || {
        server.iter().filter(|key| {
            key.on_delete != ForeignKeyAction::Restrict
                || key.on_update != ForeignKeyAction::Restrict
        })
    };
    for key in cascading() {
        let known = layout
            .foreign_keys
            .iter()
            .any(|compiled| is_same(layout, layouts, compiled, key));
        let ignored = layout
            .ignored_foreign_keys
            .iter()
            .any(|name| name.to_lowercase() == key.name.to_lowercase());
        if !known && !ignored {
            return Err(mismatch(
                "no such foreign key, or another one".to_owned(),
                format!("foreign key `{}`, which changes its rows", key.name),
            ));
        }
    }
    for compiled in layout.foreign_keys {
        if !cascading().any(|key| is_same(layout, layouts, compiled, key)) {
            return Err(mismatch(
                format!("foreign key `{}`, which changes its rows", compiled.name),
                "none that does the same".to_owned(),
            ));
        }
    }
    Ok(())
}

/// Whether a compiled foreign key does what the server's does; its name does not matter.
fn is_same(
    layout: &TableLayout,
    layouts: &[&'static TableLayout],
    compiled: &ForeignKeyLayout,
    server: &ServerForeignKey,
) -> bool {
    let Some(parent) = parent_of(layouts, compiled).and_then(|at| layouts.get(at)) else {
        return false;
    };
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    let named = |layout: &TableLayout, fields: &[usize], names: &[String]| {
        fields.len() == names.len()
            && fields.iter().zip(names).all(|(&field, name)| {
                let column = layout.columns.get(field);
                column.is_some_and(|column| same(column.name, name))
            })
    };
    let database = server.database.as_deref().unwrap_or(layout.database);
    same(database, parent.database)
        && same(&server.table, parent.table)
        && named(layout, compiled.fields, &server.columns)
        && named(parent, compiled.parent_fields, &server.parent_columns)
        && compiled.on_delete == server.on_delete
        && compiled.on_update == server.on_update
}
