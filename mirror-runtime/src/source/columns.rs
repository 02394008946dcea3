//! The columns that a table has on the server now.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::error::{Context, SourceError, from_mysql};

/// One column of a table, from `information_schema.COLUMNS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerColumn {
    /// Column name.
    pub name: String,
    /// Position in the table, from 0, counting every column.
    pub ordinal: usize,
    /// The SQL type as SHOW CREATE TABLE prints it, for instance `int unsigned`.
    pub sql_type: String,
    /// Character set of text, ENUM and SET columns.
    pub charset: Option<String>,
    /// Collation of text, ENUM and SET columns.
    pub collation: Option<String>,
    /// Whether the column may hold NULL.
    pub nullable: bool,
    /// `EXTRA`: `auto_increment`, `VIRTUAL GENERATED`, `INVISIBLE` and the like.
    pub extra: String,
    /// `COLUMN_DEFAULT`: a literal or an expression, or `None` where there is no DEFAULT or (on
    /// MySQL) where it is NULL.
    pub default: Option<Vec<u8>>,
}

/// The columns of `database.table` in table order; empty when there is no such table, or no
/// right on any of its columns.
///
/// Names are compared byte by byte, unless the server has names in lower case
/// (`lower_case_table_names`): `information_schema` compares them without regard to case, which
/// would mix the tables `t` and `T` up.
///
/// # Errors
/// When the query fails.
pub fn columns(
    conn: &mut Conn,
    database: &str,
    table: &str,
) -> Result<Vec<ServerColumn>, SourceError> {
    type Answer = (
        String,
        u32,
        Vec<u8>,
        Option<String>,
        Option<String>,
        String,
        String,
        Option<Vec<u8>>,
    );
    let action = format!("reading the columns of {database}.{table}");
    // The plain comparisons let the server find the table; the binary ones decide.
    let rows: Vec<Answer> = conn
        .exec(
            "SELECT COLUMN_NAME, ORDINAL_POSITION, COLUMN_TYPE, CHARACTER_SET_NAME, \
             COLLATION_NAME, IS_NULLABLE, EXTRA, COLUMN_DEFAULT FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? \
             AND (@@global.lower_case_table_names <> 0 \
             OR CAST(TABLE_SCHEMA AS BINARY) = CAST(? AS BINARY) \
             AND CAST(TABLE_NAME AS BINARY) = CAST(? AS BINARY)) ORDER BY ORDINAL_POSITION",
            (database, table, database, table),
        )
        .map_err(|error| from_mysql(error, &Context::query(&action)))?;
    let columns = rows.into_iter().zip(0..);
    Ok(columns
        .map(|(row, ordinal)| {
            let (name, _, sql_type, charset, collation, nullable, extra, default) = row;
            ServerColumn {
                name,
                ordinal,
                sql_type: String::from_utf8_lossy(&sql_type).into_owned(),
                charset,
                collation,
                nullable: nullable.eq_ignore_ascii_case("YES"),
                extra,
                default,
            }
        })
        .collect())
}
