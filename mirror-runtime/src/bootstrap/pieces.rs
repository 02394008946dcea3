//! How the SELECTs of a table are cut into pieces.

use mysql::prelude::Queryable;
use mysql::{Conn, Row, Value};

use crate::layout::{ColumnType, TableLayout};
use crate::row::{quote_identifier, select_expression};
use crate::source::{SourceError, query_error};

/// One SELECT of a load: of a whole table, or of a range of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Table index.
    pub(super) table: usize,
    range: Option<KeyRange>,
}

/// A range of the integer column that a table's key starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KeyRange {
    column: &'static str,
    /// The first value; of the first range nothing, so that it is open.
    from: Option<i128>,
    /// The first value behind it; of the last range nothing.
    until: Option<i128>,
    /// The least and the greatest value that the table had.
    ends: (i128, i128),
}

impl KeyRange {
    /// Cuts it into about `parts` ranges of the same width, in order, that together are this
    /// one; `None` when it is too narrow.
    fn cut(&self, parts: u64) -> Option<Vec<Self>> {
        let least = self.from.unwrap_or(self.ends.0);
        let greatest = self.until.map_or(self.ends.1, |until| until - 1);
        let cuts = cuts(least, greatest, parts);
        if cuts.is_empty() {
            return None;
        }
        let starts = std::iter::once(self.from).chain(cuts.iter().copied().map(Some));
        let ends = cuts.iter().copied().map(Some);
        let ends = ends.chain(std::iter::once(self.until));
        let part = |(from, until)| Self {
            from,
            until,
            ..self.clone()
        };
        Some(starts.zip(ends).map(part).collect())
    }
}

impl Piece {
    /// The statement; it has no parameters.
    pub(super) fn sql(&self, layout: &TableLayout) -> String {
        let mut sql = select(layout);
        let Some(range) = &self.range else {
            return sql;
        };
        let column = quote_identifier(range.column);
        let bounds = [(range.from, ">="), (range.until, "<")];
        let conditions: Vec<String> = bounds
            .into_iter()
            .filter_map(|(bound, operator)| Some(format!("{column} {operator} {}", bound?)))
            .collect();
        if !conditions.is_empty() {
            sql.push_str(" WHERE ");
            sql.push_str(&conditions.join(" AND "));
        }
        sql
    }

    /// How many rows the server thinks that it has; `None` for a whole table, and where the
    /// server does not tell.
    ///
    /// # Errors
    /// When the connection fails.
    pub(super) fn estimated_rows(
        &self,
        conn: &mut Conn,
        layout: &TableLayout,
    ) -> Result<Option<u64>, SourceError> {
        if self.range.is_none() {
            return Ok(None);
        }
        // MySQL's default format is another from 9.x on.
        let sql = format!("EXPLAIN FORMAT=TRADITIONAL {}", self.sql(layout));
        let row: Option<Row> = match conn.query_first(sql) {
            // Said by the SELECT too, if it matters.
            Err(mysql::Error::MySqlError(error)) => {
                tracing::debug!(%error, "no estimate of a range's rows");
                None
            }
            row => row.map_err(|error| query_error(error, "estimating a range's rows"))?,
        };
        let rows = row.and_then(|row| row.get_opt::<u64, _>("rows"));
        Ok(rows.and_then(Result::ok))
    }

    /// Cuts it into about so many, in order, that together are this one; `None` when it is too
    /// narrow for that.
    pub(super) fn cut(&self, parts: u64) -> Option<Vec<Self>> {
        let ranges = self.range.as_ref()?.cut(parts)?;
        let piece = |range| Self {
            table: self.table,
            range: Some(range),
        };
        Some(ranges.into_iter().map(piece).collect())
    }
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
    let mut whole = Piece { table, range: None };
    let wanted = (estimated / chunk_rows.max(1)).min(MAX_PIECES);
    if let Some(column) = integer_key(layout)
        && wanted > 1
    {
        whole.range = bounds(conn, layout, column)?.map(|ends| KeyRange {
            column,
            from: None,
            until: None,
            ends,
        });
    }
    Ok((whole.cut(wanted).unwrap_or_else(|| vec![whole]), estimated))
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

/// Values that cut the range into about `wanted` pieces of the same width, in order: each the
/// first of a piece, and none the first of all.
fn cuts(least: i128, greatest: i128, wanted: u64) -> Vec<i128> {
    let width = greatest.saturating_sub(least).saturating_add(1);
    let mut cuts: Vec<i128> = (1..i128::from(wanted))
        .map(|piece| least + width * piece / i128::from(wanted))
        .filter(|&cut| cut > least)
        .collect();
    cuts.dedup();
    cuts
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
pub(super) mod tests {
    use super::*;

    /// The whole of a table whose key has these ends.
    pub(in crate::bootstrap) fn piece(ends: (i128, i128)) -> Piece {
        let range = KeyRange {
            column: "k",
            from: None,
            until: None,
            ends,
        };
        Piece {
            table: 3,
            range: Some(range),
        }
    }

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

    fn conditions(pieces: &[Piece]) -> Vec<String> {
        let sql = pieces.iter().map(|piece| piece.sql(&LAYOUT));
        sql.map(|sql| sql.split_once(" WHERE ").unwrap().1.to_owned())
            .collect()
    }

    #[test]
    fn ranges_cover_everything_once_and_their_ends_are_open() {
        let pieces = piece((1, 30)).cut(3).unwrap();
        let expected = ["`k` < 11", "`k` >= 11 AND `k` < 21", "`k` >= 21"];
        assert_eq!(conditions(&pieces), expected);
        assert!(pieces[0].sql(&LAYOUT).contains("`d`.`t``x`"));
        assert!(pieces.iter().all(|piece| piece.table == 3));
    }

    #[test]
    fn a_range_that_is_cut_again_still_covers_the_same() {
        let pieces = piece((1, 30)).cut(3).unwrap();
        let parts = |at: usize| conditions(&pieces[at].cut(2).unwrap());
        assert_eq!(parts(0), ["`k` < 6", "`k` >= 6 AND `k` < 11"]);
        let middle = ["`k` >= 11 AND `k` < 16", "`k` >= 16 AND `k` < 21"];
        assert_eq!(parts(1), middle);
        assert_eq!(parts(2), ["`k` >= 21 AND `k` < 26", "`k` >= 26"]);
        let narrow = piece((1, 30)).cut(30).unwrap();
        assert_eq!(conditions(&narrow[1..2]), ["`k` >= 2 AND `k` < 3"]);
        assert_eq!(narrow[1].cut(16), None);
    }

    #[test]
    fn cuts_are_within_the_range_and_in_order_up_to_the_widest() {
        let (least, greatest) = (i128::from(i64::MIN), i128::from(u64::MAX));
        let cuts = cuts(least, greatest, 100);
        assert_eq!(cuts.len(), 99);
        assert!(cuts.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(cuts[0] > least && cuts[98] < greatest);
        assert_eq!(super::cuts(5, 5, 10), []);
        assert_eq!(super::cuts(5, 6, 10), [6]);
        assert_eq!(super::cuts(5, 50, 1), []);
        // Rows that went, or came, between two looks.
        assert_eq!(super::cuts(5, 2, 10), []);
    }
}
