//! The compiled layout against the server's columns, at connect.

use mysql::Conn;

use crate::charset::Charset;
use crate::error::{Error, TableError};
use crate::layout::{ColumnLayout, ColumnType, TableLayout};
use crate::source::{ServerColumn, columns};

/// Compares every mirrored column of the selected tables with the server's.
///
/// Without `by_name` the columns' places count too: table maps that carry no names are read by
/// them.
///
/// # Errors
/// [`TableError::Layout`] for the first difference; a source error when the server cannot be
/// asked.
pub(crate) fn check_layouts(
    conn: &mut Conn,
    layouts: &[&'static TableLayout],
    selected: &[bool],
    by_name: bool,
) -> Result<(), Error> {
    for (layout, _) in layouts.iter().zip(selected).filter(|(_, on)| **on) {
        check_layout(conn, layout, by_name)?;
    }
    Ok(())
}

/// Compares one table, as [`check_layouts`] does.
///
/// # Errors
/// As those of [`check_layouts`].
pub(crate) fn check_layout(
    conn: &mut Conn,
    layout: &TableLayout,
    by_name: bool,
) -> Result<(), Error> {
    let server = columns(conn, layout.database, layout.table)?;
    compare(layout, &server, by_name)?;
    check_old_formats(layout, &server)?;
    Ok(())
}

/// Compares one table; columns that are not mirrored may differ as they like.
fn compare(layout: &TableLayout, server: &[ServerColumn], by_name: bool) -> Result<(), TableError> {
    let mismatch =
        |column: Option<&ColumnLayout>, expected: String, found: String| TableError::Layout {
            table: layout.full_name(),
            column: column.map(|column| column.name.to_owned()),
            expected,
            found,
            position: None,
        };
    if server.is_empty() {
        return Err(mismatch(
            None,
            format!("{} columns", layout.physical_columns),
            "no such table, or none that this user may read".into(),
        ));
    }
    for column in layout.columns {
        let Some(found) = server
            .iter()
            .find(|found| found.name.to_lowercase() == column.name.to_lowercase())
        else {
            return Err(mismatch(
                Some(column),
                column.sql_type.to_owned(),
                "no such column".into(),
            ));
        };
        if !by_name && found.ordinal != column.ordinal {
            return Err(mismatch(
                Some(column),
                format!("column {} of the table", column.ordinal + 1),
                format!(
                    "column {}, and a binlog without names (binlog_row_metadata is not FULL)",
                    found.ordinal + 1
                ),
            ));
        }
        if normal_type(&found.sql_type) != normal_type(column.sql_type) {
            return Err(mismatch(
                Some(column),
                column.sql_type.to_owned(),
                found.sql_type.clone(),
            ));
        }
        if found.nullable && !column.nullable {
            return Err(mismatch(
                Some(column),
                "NOT NULL".into(),
                "a column that may be NULL".into(),
            ));
        }
        let charset = found.charset.as_deref().and_then(Charset::from_name);
        if is_text(column.kind) && charset != column.charset {
            return Err(mismatch(
                Some(column),
                format!(
                    "character set {}",
                    column.charset.map_or("none", Charset::name)
                ),
                format!(
                    "character set {}",
                    found.charset.as_deref().unwrap_or("none")
                ),
            ));
        }
    }
    Ok(())
}

fn is_text(kind: ColumnType) -> bool {
    matches!(
        kind,
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. }
    )
}

/// Columns that are not mirrored, but have to be stepped over: of some the binlog does not tell
/// the width.
fn check_old_formats(layout: &TableLayout, server: &[ServerColumn]) -> Result<(), TableError> {
    for column in server {
        let known = layout
            .columns
            .iter()
            .any(|mirrored| mirrored.name.to_lowercase() == column.name.to_lowercase())
            || layout
                .old_fractions
                .iter()
                .any(|(ordinal, _)| *ordinal == column.ordinal);
        if !known && column.sql_type.contains(") /* mariadb-5.3 */") {
            return Err(TableError::Layout {
                table: layout.full_name(),
                column: Some(column.name.clone()),
                expected: "a column whose width was known when the code was generated".into(),
                found: format!("{}, whose width the binlog does not tell", column.sql_type),
                position: None,
            });
        }
    }
    Ok(())
}

/// A type's text without what says nothing about its values: the display width of integers
/// and YEAR, and ZEROFILL, and under one name. Versions of the servers print these differently.
pub(crate) fn normal_type(sql_type: &str) -> String {
    let text = sql_type.trim();
    let lower = text.to_ascii_lowercase();
    if lower == "json" || lower.starts_with("enum") || lower.starts_with("set") {
        // Labels keep their case.
        let head = lower.split('(').next().unwrap_or("").to_owned();
        return head.clone() + text.get(head.len()..).unwrap_or("");
    }
    // Comments tell how values are stored: compressed, or in a format of before.
    let lower = lower.split(" /*").next().unwrap_or(&lower);
    let lower = lower.replace(" zerofill", "");
    let head: String = lower
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    let after_width = || {
        lower
            .get(head.len()..)
            .and_then(|rest| rest.strip_prefix('('))
            .and_then(|rest| rest.split_once(')'))
            .map(|(_, after)| after)
    };
    match head.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" => {
            format!(
                "{head}{}",
                after_width().unwrap_or_else(|| lower.get(head.len()..).unwrap_or(""))
            )
        }
        // MySQL's name for it since 8.0.
        "geomcollection" => "geometrycollection".to_owned(),
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_widths_and_zerofill_do_not_count() {
        assert_eq!(normal_type("int(10) unsigned zerofill"), "int unsigned");
        assert_eq!(normal_type("INT unsigned"), "int unsigned");
        assert_eq!(normal_type("year(4)"), "year");
        assert_eq!(normal_type("geomcollection"), "geometrycollection");
        assert_eq!(normal_type("bigint(20)"), "bigint");
        assert_eq!(
            normal_type("varchar(9) /*M!100301 COMPRESSED*/"),
            "varchar(9)"
        );
        assert_eq!(normal_type("enum('a /*b*/')"), "enum('a /*b*/')");
    }

    #[test]
    fn what_changes_values_counts() {
        assert_ne!(normal_type("int"), normal_type("int unsigned"));
        assert_ne!(normal_type("varchar(10)"), normal_type("varchar(20)"));
        assert_ne!(normal_type("decimal(10,2)"), normal_type("decimal(10,3)"));
        assert_ne!(normal_type("datetime(3)"), normal_type("datetime(6)"));
        assert_ne!(normal_type("enum('a','b')"), normal_type("enum('b','a')"));
        assert_ne!(normal_type("enum('a')"), normal_type("enum('A')"));
        assert_eq!(normal_type("ENUM('A')"), normal_type("enum('A')"));
    }
}
