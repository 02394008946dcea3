//! How the SELECTs of a table are cut into pieces.

use mysql::prelude::Queryable;
use mysql::{Conn, Value};

use crate::layout::{ColumnType, TableLayout};
use crate::row::{quote_identifier, select_expression};
use crate::source::{SourceError, query_error};

/// One SELECT of a load.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// Table index.
    pub(super) table: usize,
    /// The statement.
    pub(super) sql: String,
    /// Its parameters.
    pub(super) parameters: Vec<Value>,
}

/// Pieces of one table, and the server's estimate of its rows.
///
/// A table whose key starts with an integer is cut into ranges of that column; the first and
/// the last range are open, so that the ranges together are the whole table whatever values
/// come up meanwhile. Any other table is one piece.
///
/// # Errors
/// When the server cannot be asked.
pub(super) fn pieces(
    conn: &mut Conn,
    table: usize,
    layout: &TableLayout,
    chunk_rows: u64,
) -> Result<(Vec<Piece>, u64), SourceError> {
    let estimated = estimated_rows(conn, layout)?;
    let wanted = (estimated / chunk_rows.max(1)).min(MAX_PIECES);
    let bounds = match integer_key(layout) {
        Some(column) if wanted > 1 => bounds(conn, layout, column)?.map(|ends| (column, ends)),
        _ => None,
    };
    let Some((column, (least, greatest))) = bounds else {
        return Ok((vec![whole(table, layout)], estimated));
    };
    let cuts = cuts(least, greatest, wanted);
    Ok((ranges(table, layout, column, &cuts), estimated))
}

/// More pieces than this are not made of a table.
const MAX_PIECES: u64 = 10_000;

fn estimated_rows(conn: &mut Conn, layout: &TableLayout) -> Result<u64, SourceError> {
    let rows: Option<Option<u64>> = conn
        .exec_first(
            "SELECT CAST(TABLE_ROWS AS UNSIGNED) FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            (layout.database, layout.table),
        )
        .map_err(|error| query_error(error, "estimating a table's rows"))?;
    Ok(rows.flatten().unwrap_or(0))
}

/// The first key column, when it is of an integer type.
fn integer_key(layout: &TableLayout) -> Option<&'static str> {
    let column = layout.columns.get(*layout.key.first()?)?;
    matches!(
        column.kind,
        ColumnType::TinyInt { .. }
            | ColumnType::SmallInt { .. }
            | ColumnType::MediumInt { .. }
            | ColumnType::Int { .. }
            | ColumnType::BigInt { .. }
    )
    .then_some(column.name)
}

fn bounds(
    conn: &mut Conn,
    layout: &TableLayout,
    column: &str,
) -> Result<Option<(i128, i128)>, SourceError> {
    let column = quote_identifier(column);
    let ends: Option<(Value, Value)> = conn
        .exec_first(
            format!("SELECT MIN({column}), MAX({column}) FROM {}", name(layout)),
            (),
        )
        .map_err(|error| query_error(error, "reading the ends of a table's key"))?;
    Ok(ends.and_then(|(least, greatest)| Some((integer(&least)?, integer(&greatest)?))))
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::UInt(number) => Some(i128::from(*number)),
        _ => None,
    }
}

/// Values that cut the range into about `wanted` pieces of the same width, in order.
fn cuts(least: i128, greatest: i128, wanted: u64) -> Vec<i128> {
    let width = greatest - least;
    let mut cuts: Vec<i128> = (1..i128::from(wanted))
        .map(|piece| least + width * piece / i128::from(wanted))
        .collect();
    cuts.dedup();
    cuts
}

fn ranges(table: usize, layout: &TableLayout, column: &str, cuts: &[i128]) -> Vec<Piece> {
    let column = quote_identifier(column);
    let starts = std::iter::once(None).chain(cuts.iter().copied().map(Some));
    let ends = cuts.iter().copied().map(Some).chain(std::iter::once(None));
    starts
        .zip(ends)
        .map(|(start, end)| {
            let mut conditions = Vec::new();
            let mut parameters = Vec::new();
            for (bound, operator) in [(start, ">="), (end, "<")] {
                if let Some(bound) = bound {
                    conditions.push(format!("{column} {operator} ?"));
                    parameters.push(parameter(bound));
                }
            }
            let mut sql = select(layout);
            if !conditions.is_empty() {
                sql.push_str(" WHERE ");
                sql.push_str(&conditions.join(" AND "));
            }
            Piece {
                table,
                sql,
                parameters,
            }
        })
        .collect()
}

fn parameter(number: i128) -> Value {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(signed), _) => Value::Int(signed),
        (_, Ok(unsigned)) => Value::UInt(unsigned),
        _ => Value::NULL,
    }
}

fn whole(table: usize, layout: &TableLayout) -> Piece {
    Piece {
        table,
        sql: select(layout),
        parameters: Vec::new(),
    }
}

/// The SELECT of all mirrored columns of a table, each by its
/// [`select_expression`](crate::row::select_expression); conditions may follow.
pub(crate) fn select(layout: &TableLayout) -> String {
    let columns: Vec<String> = layout.columns.iter().map(select_expression).collect();
    format!("SELECT {} FROM {}", columns.join(", "), name(layout))
}

fn name(layout: &TableLayout) -> String {
    format!(
        "{}.{}",
        quote_identifier(layout.database),
        quote_identifier(layout.table)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    static LAYOUT: TableLayout = TableLayout {
        database: "d",
        table: "t`x",
        columns: &[],
        key: &[],
        physical_columns: 0,
        old_fractions: &[],
        foreign_keys: &[],
        ignored_foreign_keys: &[],
    };

    #[test]
    fn ranges_cover_everything_once_and_their_ends_are_open() {
        let pieces = ranges(3, &LAYOUT, "k", &[10, 20]);
        let ends: Vec<_> = pieces
            .iter()
            .map(|piece| {
                let (_, condition) = piece.sql.split_once(" WHERE ").unwrap();
                (condition, piece.parameters.clone())
            })
            .collect();
        assert_eq!(
            ends,
            [
                ("`k` < ?", vec![Value::Int(10)]),
                ("`k` >= ? AND `k` < ?", vec![Value::Int(10), Value::Int(20)]),
                ("`k` >= ?", vec![Value::Int(20)]),
            ]
        );
        assert!(pieces[0].sql.contains("`d`.`t``x`"));
    }

    #[test]
    fn cuts_are_within_the_range_and_in_order_up_to_the_widest() {
        let (least, greatest) = (i128::from(i64::MIN), i128::from(u64::MAX));
        let cuts = cuts(least, greatest, 100);
        assert_eq!(cuts.len(), 99);
        assert!(cuts.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(cuts[0] > least && cuts[98] < greatest);
        assert_eq!(super::cuts(5, 5, 10), [5]);
        assert_eq!(parameter(greatest), Value::UInt(u64::MAX));
    }
}
