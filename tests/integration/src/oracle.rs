//! What the server itself says that a table holds.
//!
//! Values come as text that SQL expressions make exactly (`HEX` for text and bytes, `CAST` for
//! the rest), so that nothing here goes through the conversions that are tested.

use mirror_runtime::{ColumnLayout, ColumnType, TableLayout};
use mysql::Conn;
use mysql::prelude::Queryable;

/// A row: one text per mirrored column, `None` for NULL.
pub type Line = Vec<Option<String>>;

/// All rows of a table in no order, in the form that [`shown`](crate::shown) gives.
///
/// # Panics
/// When the SELECT fails.
#[must_use]
pub fn server_rows(conn: &mut Conn, layout: &TableLayout) -> Vec<Line> {
    let expressions: Vec<String> = layout.columns.iter().map(expression).collect();
    let sql = format!(
        "SELECT {} FROM `{}`.`{}`",
        expressions.join(", "),
        layout.database,
        layout.table
    );
    let rows: Vec<mysql::Row> = conn.query(sql).unwrap();
    rows.into_iter()
        .map(|row| {
            row.unwrap()
                .into_iter()
                .zip(layout.columns)
                .map(|(value, column)| {
                    mysql::from_value::<Option<String>>(value).map(|text| finish(text, column.kind))
                })
                .collect()
        })
        .collect()
}

/// The expression whose text is the column's exact value.
fn expression(column: &ColumnLayout) -> String {
    let name = format!("`{}`", column.name);
    let label = |name: &str| format!("HEX(CONVERT(CAST({name} AS CHAR) USING utf8mb4))");
    match column.kind {
        // The product is a DOUBLE, which the server prints with all digits that it needs; not
        // so within CONCAT.
        ColumnType::Float | ColumnType::Double => format!("{name} * 1e0"),
        ColumnType::Year => format!("CAST({name} + 0 AS CHAR)"),
        ColumnType::Timestamp { .. } => {
            format!("CONCAT(CAST({name} AS CHAR), ' = ', CAST(UNIX_TIMESTAMP({name}) AS CHAR))")
        }
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            format!("HEX(CONVERT({name} USING utf8mb4))")
        }
        ColumnType::Binary { .. }
        | ColumnType::VarBinary { .. }
        | ColumnType::Blob { .. }
        | ColumnType::Geometry
        | ColumnType::Vector { .. } => format!("HEX({name})"),
        ColumnType::Enum { .. } | ColumnType::Set { .. } => {
            format!("CONCAT(CAST({name} AS UNSIGNED), ' ', {})", label(&name))
        }
        ColumnType::Bit { .. } => format!("CAST(CAST({name} AS UNSIGNED) AS CHAR)"),
        ColumnType::Json => label(&name),
        _ => format!("CAST({name} AS CHAR)"),
    }
}

/// Floats as their bits: the digits that the server prints are not those of Rust.
fn finish(text: String, kind: ColumnType) -> String {
    match kind {
        ColumnType::Float => {
            let double: f64 = text.parse().unwrap();
            float_bits(double as f32)
        }
        ColumnType::Double => double_bits(text.parse().unwrap()),
        _ => text,
    }
}

/// A FLOAT as its value for people and its bits.
pub(crate) fn float_bits(value: f32) -> String {
    format!("{value:e} {:08x}", value.to_bits())
}

/// A DOUBLE as its value for people and its bits.
pub(crate) fn double_bits(value: f64) -> String {
    format!("{value:e} {:016x}", value.to_bits())
}
