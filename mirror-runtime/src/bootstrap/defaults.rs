//! What columns have in rows that are inserted without them.
//!
//! With `binlog_row_image=MINIMAL` the image of an insert has only the columns that the statement
//! named (and those with a computed default): the others have their default, which the binlog
//! does not tell. `COLUMN_DEFAULT` of information_schema is no exact value (a FLOAT has six
//! digits there, a VARBINARY may come damaged), so the server is asked for `DEFAULT(column)`.

use std::sync::Arc;

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::charset::Charset;
use crate::error::Error;
use crate::image::ColumnDefault;
use crate::layout::{ColumnLayout, ColumnType, TableLayout};
use crate::row::{SelectValue, quote_identifier, select_operand};
use crate::source::{Family, ServerColumn, ServerInfo, columns, query_error};
use crate::types::{DateTime, Uuid};

/// The defaults of all columns of the selected tables: by table index, by field index.
///
/// # Errors
/// When the server cannot be asked.
pub(super) fn read(
    conn: &mut Conn,
    info: &ServerInfo,
    layouts: &[&'static TableLayout],
    selected: &[bool],
) -> Result<Vec<Arc<[ColumnDefault]>>, Error> {
    let mut all = Vec::with_capacity(layouts.len());
    for (layout, selected) in layouts.iter().zip(selected) {
        all.push(if *selected {
            table_defaults(conn, info.family, layout)?.into()
        } else {
            Arc::default()
        });
    }
    Ok(all)
}

/// Where a column's default comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// NULL.
    Null,
    /// The type's own, since there is no DEFAULT (outside of strict SQL mode).
    Implicit,
    /// A literal: the server knows its value.
    Literal,
    /// Computed for each row, and then in every row image; or generated.
    Computed,
}

fn origin(column: &ServerColumn, family: Family) -> Origin {
    let extra = column.extra.to_ascii_uppercase();
    if extra.contains("GENERATED") || extra.contains("AUTO_INCREMENT") {
        return Origin::Computed;
    }
    let default = column.default.as_deref();
    match (default, family) {
        (None, _) if column.nullable => Origin::Null,
        (None, _) => Origin::Implicit,
        (Some(text), Family::MariaDb) => mariadb_origin(text),
        (Some(text), Family::MySql) if is_now(text, column) => Origin::Computed,
        (Some(_), Family::MySql) => Origin::Literal,
    }
}

/// MariaDB prints expressions: literals are quoted strings, numbers, or `NULL`.
fn mariadb_origin(text: &[u8]) -> Origin {
    match text {
        b"NULL" => Origin::Null,
        [b'\'' | b'-' | b'0'..=b'9', ..] | [b'b' | b'x' | b'B' | b'X', b'\'', ..] => {
            Origin::Literal
        }
        _ => Origin::Computed,
    }
}

/// MySQL before 8.0 has no other mark of a computed default.
fn is_now(text: &[u8], column: &ServerColumn) -> bool {
    let kind = column.sql_type.to_ascii_lowercase();
    (kind.starts_with("timestamp") || kind.starts_with("datetime"))
        && text.to_ascii_uppercase().starts_with(b"CURRENT_TIMESTAMP")
}

fn table_defaults(
    conn: &mut Conn,
    family: Family,
    layout: &TableLayout,
) -> Result<Vec<ColumnDefault>, Error> {
    let server = columns(conn, layout.database, layout.table)?;
    let on_server = |column: &ColumnLayout| {
        let lower = column.name.to_lowercase();
        server
            .iter()
            .find(|found| found.name.to_lowercase() == lower)
    };
    let origin_of = |column: &ColumnLayout| {
        on_server(column).map_or(Origin::Computed, |found| origin(found, family))
    };
    let origins: Vec<Origin> = layout.columns.iter().map(origin_of).collect();
    let mut literals = literals(conn, layout, &origins)?.into_iter();
    let defaults = layout.columns.iter().zip(origins);
    Ok(defaults
        .map(|(column, origin)| match origin {
            Origin::Null => Some(SelectValue::NULL),
            Origin::Implicit => implicit(column.kind, family),
            // NULL: of a NOT NULL column of an empty table MySQL does not tell.
            Origin::Literal => literals
                .next()
                .flatten()
                .filter(|value| *value != SelectValue::NULL)
                .or_else(|| from_text(column, on_server(column)?, family)),
            Origin::Computed => None,
        })
        .collect())
}

/// The default from its text, where the text that a server gives is exact; the others remain
/// unknown until the table has a row. Not exact are on MySQL FLOAT (six digits), TIMESTAMP (in the time zone of
/// whoever made the table, from 8.0 on), and text beyond three bytes a character (`?`).
fn from_text(column: &ColumnLayout, server: &ServerColumn, family: Family) -> ColumnDefault {
    use ColumnType as T;
    let text = std::str::from_utf8(server.default.as_deref()?).ok()?;
    let text = match family {
        Family::MySql => text,
        // MariaDB repeats what was written, which is not the value of a DECIMAL, YEAR or DATETIME.
        Family::MariaDb if is_integer_or_text(column.kind) => unquoted(text)?,
        Family::MariaDb => return None,
    };
    match column.kind {
        T::TinyInt { .. }
        | T::SmallInt { .. }
        | T::MediumInt { .. }
        | T::Int { .. }
        | T::BigInt { .. }
        | T::Year => match text.parse() {
            Ok(number) => Some(SelectValue::Int(number)),
            Err(_) => text.parse().ok().map(SelectValue::UInt),
        },
        T::Decimal { .. } => Some(SelectValue::Bytes(text.as_bytes().to_vec())),
        T::DateTime { .. } => date_time(text.parse().ok()?),
        T::Char { .. } | T::VarChar { .. }
            if column.charset == Some(Charset::Utf8mb4)
                && text.is_ascii()
                && !text.ends_with(' ')
                && !text.contains('?') =>
        {
            Some(SelectValue::Bytes(text.as_bytes().to_vec()))
        }
        _ => None,
    }
}

fn is_integer_or_text(kind: ColumnType) -> bool {
    use ColumnType as T;
    matches!(
        kind,
        T::TinyInt { .. }
            | T::SmallInt { .. }
            | T::MediumInt { .. }
            | T::Int { .. }
            | T::BigInt { .. }
            | T::Char { .. }
            | T::VarChar { .. }
    )
}

/// The text of a literal as MariaDB prints it, where nothing in it is escaped.
fn unquoted(text: &str) -> Option<&str> {
    match text.strip_prefix('\'') {
        Some(quoted) => quoted
            .strip_suffix('\'')
            .filter(|text| !text.contains(['\'', '\\'])),
        None => Some(text),
    }
}

fn date_time(value: DateTime) -> ColumnDefault {
    let date = value.date();
    Some(SelectValue::Date(
        date.year(),
        date.month(),
        date.day(),
        value.hour(),
        value.minute(),
        value.second(),
        value.micros(),
    ))
}

/// Asks for the literal defaults, in the order of the columns. DEFAULT() needs a table that it
/// belongs to; the outer join gives a row even when that is empty.
fn literals(
    conn: &mut Conn,
    layout: &TableLayout,
    origins: &[Origin],
) -> Result<Vec<ColumnDefault>, Error> {
    let expressions: Vec<String> = layout
        .columns
        .iter()
        .zip(origins)
        .filter(|(_, origin)| **origin == Origin::Literal)
        .map(|(column, _)| {
            let default = format!("DEFAULT(t.{})", quote_identifier(column.name));
            select_operand(column, &default)
        })
        .collect();
    if expressions.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {} FROM (SELECT 1) AS one LEFT JOIN {}.{} AS t ON TRUE LIMIT 1",
        expressions.join(", "),
        quote_identifier(layout.database),
        quote_identifier(layout.table),
    );
    let action = format!("reading the defaults of {}", layout.full_name());
    let row: Option<mysql::Row> = conn
        .exec_first(sql, ())
        .map_err(|error| query_error(error, &action))?;
    Ok(row.map_or_else(Vec::new, |row| row.unwrap_raw()))
}

/// What a NOT NULL column without DEFAULT has when it is left out (MySQL manual: "Data Type
/// Default Values").
fn implicit(kind: ColumnType, family: Family) -> ColumnDefault {
    use ColumnType as T;
    Some(match kind {
        T::TinyInt { .. }
        | T::SmallInt { .. }
        | T::MediumInt { .. }
        | T::Int { .. }
        | T::BigInt { .. }
        | T::Year => SelectValue::Int(0),
        T::Float => SelectValue::Float(0.0),
        T::Double => SelectValue::Double(0.0),
        T::Decimal { scale, .. } => {
            let zero = format!("{:.*}", usize::from(scale), 0.0);
            SelectValue::Bytes(zero.into_bytes())
        }
        T::Date | T::DateTime { .. } | T::Timestamp { .. } => {
            SelectValue::Date(0, 0, 0, 0, 0, 0, 0)
        }
        T::Time { .. } => SelectValue::Time(false, 0, 0, 0, 0, 0),
        T::Char { .. }
        | T::VarChar { .. }
        | T::Text { .. }
        | T::Binary { .. }
        | T::VarBinary { .. }
        | T::Blob { .. } => SelectValue::Bytes(Vec::new()),
        // The first label.
        T::Enum { .. } => SelectValue::UInt(1),
        T::Set { .. } => SelectValue::UInt(0),
        T::Bit { bits } => SelectValue::Bytes(vec![0; usize::from(bits).div_ceil(8)]),
        T::Json => SelectValue::Bytes(b"null".to_vec()),
        T::Geometry => SelectValue::Bytes(Vec::new()),
        T::Vector { dimension } => SelectValue::Bytes(match family {
            Family::MySql => Vec::new(),
            Family::MariaDb => vec![0; dimension as usize * 4],
        }),
        T::Uuid => SelectValue::Bytes(Uuid::nil().to_string().into_bytes()),
        T::Inet4 => SelectValue::Bytes(b"0.0.0.0".to_vec()),
        T::Inet6 => SelectValue::Bytes(b"::".to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::text_column;

    fn column(default: Option<&str>, extra: &str, nullable: bool) -> ServerColumn {
        ServerColumn {
            name: "c".to_owned(),
            ordinal: 0,
            sql_type: "timestamp".to_owned(),
            charset: None,
            collation: None,
            nullable,
            extra: extra.to_owned(),
            default: default.map(|text| text.as_bytes().to_vec()),
        }
    }

    #[test]
    fn only_exact_texts_become_defaults() {
        let text_of = |kind, text: &str| {
            let layout = text_column(kind, Charset::Utf8mb4);
            from_text(layout, &column(Some(text), "", false), Family::MySql)
        };
        let varchar = ColumnType::VarChar { max_bytes: 40 };
        let bytes = |text: &str| Some(SelectValue::Bytes(text.as_bytes().to_vec()));
        assert_eq!(text_of(varchar, "a b"), bytes("a b"));
        assert_eq!(text_of(varchar, "?x"), None);
        assert_eq!(text_of(varchar, "\u{e9}"), None);
        let int = ColumnType::Int { unsigned: true };
        assert_eq!(text_of(int, "00007"), Some(SelectValue::Int(7)));
        let moment = "2031-01-02 03:04:05";
        let date_time = ColumnType::DateTime { fsp: 0 };
        let expected = SelectValue::Date(2031, 1, 2, 3, 4, 5, 0);
        assert_eq!(text_of(date_time, moment), Some(expected));
        assert_eq!(text_of(ColumnType::Timestamp { fsp: 0 }, moment), None);
        assert_eq!(text_of(ColumnType::Float, "1"), None);
    }

    #[test]
    fn mariadb_defaults_are_taken_from_text_where_nothing_is_escaped_or_rounded() {
        let of = |kind, text: &str| {
            let layout = text_column(kind, Charset::Utf8mb4);
            from_text(layout, &column(Some(text), "", false), Family::MariaDb)
        };
        let varchar = ColumnType::VarChar { max_bytes: 40 };
        let int = ColumnType::Int { unsigned: false };
        assert_eq!(of(int, "-7"), Some(SelectValue::Int(-7)));
        assert_eq!(of(int, "7.5"), None);
        assert_eq!(
            of(varchar, "'a b'"),
            Some(SelectValue::Bytes(b"a b".to_vec()))
        );
        for escaped in ["'it''s'", "'a\\\\b'", "'\u{e9}'", "'a "] {
            assert_eq!(of(varchar, escaped), None, "{escaped}");
        }
        let decimal = ColumnType::Decimal {
            precision: 5,
            scale: 2,
        };
        assert_eq!(of(decimal, "1"), None);
        assert_eq!(of(ColumnType::Year, "31"), None);
    }

    #[test]
    fn only_literals_are_taken_for_literals() {
        for (default, family, expected) in [
            ("7", Family::MySql, Origin::Literal),
            ("CURRENT_TIMESTAMP(6)", Family::MySql, Origin::Computed),
            ("'a'", Family::MariaDb, Origin::Literal),
            ("-1.5", Family::MariaDb, Origin::Literal),
            ("b'101'", Family::MariaDb, Origin::Literal),
            ("x'00ff'", Family::MariaDb, Origin::Literal),
            ("NULL", Family::MariaDb, Origin::Null),
            ("current_timestamp(6)", Family::MariaDb, Origin::Computed),
            ("concat('(',uuid(),')')", Family::MariaDb, Origin::Computed),
        ] {
            let column = column(Some(default), "", true);
            assert_eq!(origin(&column, family), expected, "{default}");
        }
        let column_with = |extra, nullable| origin(&column(None, extra, nullable), Family::MySql);
        assert_eq!(column_with("", true), Origin::Null);
        assert_eq!(column_with("", false), Origin::Implicit);
        assert_eq!(column_with("auto_increment", false), Origin::Computed);
        assert_eq!(column_with("VIRTUAL GENERATED", true), Origin::Computed);
        let generated = column(Some("uuid()"), "DEFAULT_GENERATED", true);
        assert_eq!(origin(&generated, Family::MySql), Origin::Computed);
    }
}
