//! The SELECTs of a verification: pages in key order, and rows by their keys.

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::bootstrap::select;
use crate::charset::Charset;
use crate::jsonl::write_value;
use crate::layout::{ColumnLayout, ColumnType, TableLayout};
use crate::row::{Row, SelectValue, quote_identifier};
use crate::source::{SourceError, query_error};
use crate::value::Value;

/// The SELECTs of one table.
pub(super) struct TableSelect {
    base: String,
    key: Vec<KeyColumn>,
    /// The index whose order pages go by; `None` when the table is read as a whole.
    index: Option<String>,
    /// Whether pages may come in the order of the mirror's keys.
    in_order: bool,
}

/// A key column, and what stands for a value of it.
struct KeyColumn {
    name: String,
    placeholder: String,
}

impl TableSelect {
    /// Finds out how a table is read.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub(super) fn new(conn: &mut Conn, layout: &TableLayout) -> Result<Self, SourceError> {
        let columns = || {
            let key = layout.key.iter();
            key.filter_map(|&field| layout.columns.get(field))
        };
        let index = match columns().all(is_ordered_by_parameter) {
            true => index(conn, layout, &columns().collect::<Vec<_>>())?,
            false => None,
        };
        Ok(Self {
            base: select(layout),
            key: columns()
                .map(|column| KeyColumn {
                    name: quote_identifier(column.name),
                    placeholder: placeholder(column),
                })
                .collect(),
            index,
            in_order: is_in_order(conn, layout, columns())?,
        })
    }

    /// Whether rows may come in the order of the mirror's keys.
    pub(super) fn is_in_order(&self) -> bool {
        self.in_order && self.is_paged()
    }

    /// Rows have come in another order than that of the mirror's keys.
    pub(super) fn ignore_order(&mut self) {
        self.in_order = false;
    }

    /// Whether the table is read page by page.
    pub(super) fn is_paged(&self) -> bool {
        self.index.is_some()
    }

    /// Reads the table as a whole from now on.
    pub(super) fn read_as_a_whole(&mut self) {
        self.index = None;
    }

    /// A page of `rows` rows from the row with the key `from`, or from the start.
    pub(super) fn page(
        &self,
        from: Option<&[SelectValue]>,
        rows: u64,
    ) -> (String, Vec<SelectValue>) {
        let Some(index) = &self.index else {
            return (self.base.clone(), Vec::new());
        };
        let mut sql = format!("{} FORCE INDEX ({})", self.base, quote_identifier(index));
        let mut parameters = Vec::new();
        if let Some(from) = from {
            sql.push_str(" WHERE ");
            sql.push_str(&self.condition_from(from, &mut parameters));
        }
        let order: Vec<&str> = self.key.iter().map(|column| column.name.as_str()).collect();
        sql.push_str(&format!(" ORDER BY {} LIMIT {rows}", order.join(", ")));
        (sql, parameters)
    }

    /// `a > ? OR (a = ? AND b >= ?)`: the key `from` and those after it.
    fn condition_from(&self, from: &[SelectValue], parameters: &mut Vec<SelectValue>) -> String {
        let mut parts = Vec::new();
        for (at, column) in self.key.iter().enumerate() {
            let is_last = at + 1 == self.key.len();
            let mut part: Vec<String> = self.key.iter().take(at).map(equals).collect();
            let operator = if is_last { ">=" } else { ">" };
            part.push(format!("{} {operator} {}", column.name, column.placeholder));
            parameters.extend(from.iter().take(at + 1).cloned());
            parts.push(format!("({})", part.join(" AND ")));
        }
        parts.join(" OR ")
    }

    /// Rows by their keys.
    pub(super) fn by_keys(&self, keys: &[Vec<SelectValue>]) -> (String, Vec<SelectValue>) {
        let condition = match self.key.as_slice() {
            [column] => {
                let values = vec![column.placeholder.as_str(); keys.len()];
                format!("{} IN ({})", column.name, values.join(", "))
            }
            columns => {
                let each: Vec<String> = columns.iter().map(equals).collect();
                vec![format!("({})", each.join(" AND ")); keys.len()].join(" OR ")
            }
        };
        let sql = format!("{} WHERE {condition}", self.base);
        (sql, keys.iter().flatten().cloned().collect())
    }
}

fn equals(column: &KeyColumn) -> String {
    format!("{} = {}", column.name, column.placeholder)
}

/// What stands for a value of the column in a condition. A DECIMAL would be compared with text
/// as a double. A key of text in a character set in which different bytes are the same text is
/// held as bytes, and given as such, in hexadecimal digits: bytes that are no text of the session's
/// character set do not all arrive.
fn placeholder(column: &ColumnLayout) -> String {
    match column.kind {
        ColumnType::Decimal { precision, scale } => {
            format!("CAST(? AS DECIMAL({precision},{scale}))")
        }
        ColumnType::Uuid => "CAST(? AS UUID)".to_owned(),
        ColumnType::Inet4 => "CAST(? AS INET4)".to_owned(),
        ColumnType::Inet6 => "CAST(? AS INET6)".to_owned(),
        _ => match text_charset(column) {
            Some(charset) if charset.is_ambiguous() => {
                format!("CONVERT(UNHEX(?) USING {})", charset.name())
            }
            _ => "?".to_owned(),
        },
    }
}

/// The character set of a column of text.
fn text_charset(column: &ColumnLayout) -> Option<Charset> {
    match column.kind {
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            column.charset
        }
        _ => None,
    }
}

/// Whether the server compares a value of ours with the column as it orders the column. ENUM and
/// SET are left out, whose comparison with a number is another than that of their index, and
/// text of other character sets, which may not come back as the same bytes.
fn is_ordered_by_parameter(column: &ColumnLayout) -> bool {
    use ColumnType as T;
    match column.kind {
        T::Char { .. } | T::VarChar { .. } | T::Text { .. } => matches!(
            column.charset,
            None | Some(Charset::Utf8mb4 | Charset::Utf8mb3 | Charset::Ascii | Charset::Latin1)
        ),
        T::TinyInt { .. }
        | T::SmallInt { .. }
        | T::MediumInt { .. }
        | T::Int { .. }
        | T::BigInt { .. }
        | T::Decimal { .. }
        | T::Date
        | T::DateTime { .. }
        | T::Timestamp { .. }
        | T::Time { .. }
        | T::Year
        | T::Binary { .. }
        | T::VarBinary { .. }
        | T::Bit { .. }
        | T::Uuid => true,
        T::Float
        | T::Double
        | T::Blob { .. }
        | T::Enum { .. }
        | T::Set { .. }
        | T::Json
        | T::Geometry
        | T::Vector { .. }
        | T::Inet4
        | T::Inet6 => false,
    }
}

/// Whether the server orders the key as the mirror does. Only a first guess: rows that come in
/// another order are noticed.
fn is_in_order<'c>(
    conn: &mut Conn,
    layout: &TableLayout,
    mut columns: impl Iterator<Item = &'c ColumnLayout>,
) -> Result<bool, SourceError> {
    use ColumnType as T;
    let collations: Vec<(String, Option<String>)> = conn
        .exec(
            "SELECT COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            (layout.database, layout.table),
        )
        .map_err(|error| query_error(error, "reading the collations of a table"))?;
    let is_binary = |column: &ColumnLayout| {
        let of_column = collations
            .iter()
            .find(|(name, _)| name.to_lowercase() == column.name.to_lowercase());
        let collation = of_column.and_then(|(_, collation)| collation.as_deref());
        // These order by code point, as the mirror does; latin1_bin by its own bytes.
        collation.is_some_and(|name| name.ends_with("_bin") && !name.starts_with("latin1"))
    };
    Ok(columns.all(|column| match column.kind {
        T::Char { .. } | T::VarChar { .. } | T::Text { .. } => is_binary(column),
        T::Uuid => false,
        _ => true,
    }))
}

/// The unique index over exactly these columns, whole.
fn index(
    conn: &mut Conn,
    layout: &TableLayout,
    columns: &[&ColumnLayout],
) -> Result<Option<String>, SourceError> {
    let parts: Vec<(String, Option<String>, Option<u64>)> = conn
        .exec(
            "SELECT INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0 \
             ORDER BY INDEX_NAME = 'PRIMARY' DESC, INDEX_NAME, SEQ_IN_INDEX",
            (layout.database, layout.table),
        )
        .map_err(|error| query_error(error, "reading the indexes of a table"))?;
    let mut names: Vec<&String> = parts.iter().map(|(name, ..)| name).collect();
    names.dedup();
    let covers = |name: &&&String| {
        let of_index = parts.iter().filter(|(of, ..)| of == **name);
        let found: Vec<Option<String>> = of_index
            .map(|(_, column, part)| column.clone().filter(|_| part.is_none()))
            .map(|column| column.map(|name| name.to_lowercase()))
            .collect();
        let wanted = columns
            .iter()
            .map(|column| Some(column.name.to_lowercase()));
        found.into_iter().eq(wanted)
    };
    Ok(names.iter().find(covers).map(|name| (*name).clone()))
}

/// A value as a parameter that the server compares with the column exactly.
pub(crate) fn sql_parameter(value: &Value<'_>, column: &ColumnLayout) -> SelectValue {
    match value {
        Value::Null => SelectValue::NULL,
        Value::Int(number) => SelectValue::Int(*number),
        Value::UInt(number) | Value::Bit(number) | Value::Set(number) => SelectValue::UInt(*number),
        Value::Year(year) => SelectValue::UInt(u64::from(*year)),
        Value::Enum(index) => SelectValue::UInt(u64::from(*index)),
        Value::Float(number) => SelectValue::Float(*number),
        Value::Double(number) => SelectValue::Double(*number),
        Value::Text(text) => SelectValue::Bytes(text.as_bytes().to_vec()),
        Value::Bytes(bytes) => SelectValue::Bytes(match text_charset(column) {
            // Text that is held as bytes.
            Some(charset) if charset.is_ambiguous() => hex(bytes).into_bytes(),
            Some(charset) => match charset.decode(bytes) {
                Ok(text) => text.as_bytes().to_vec(),
                Err(_) => bytes.to_vec(),
            },
            None => bytes.to_vec(),
        }),
        Value::Decimal(digits) => SelectValue::Bytes(digits.clone().into_bytes()),
        Value::Json(json) => SelectValue::Bytes(json.as_str().as_bytes().to_vec()),
        Value::Date(_)
        | Value::DateTime(_)
        | Value::Timestamp(_)
        | Value::Time(_)
        | Value::Uuid(_)
        | Value::Ip(_)
        | Value::Vector(_) => {
            let mut text = Vec::new();
            write_value(&mut text, value, column);
            text.retain(|byte| *byte != b'"');
            SelectValue::Bytes(text)
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The key of a row in words: `region="de", code=7`; bytes in hexadecimal digits.
pub(crate) fn key_text<R: Row>(row: &R) -> String {
    key_text_of(R::layout(), |field| row.value(field))
}

/// As [`key_text`], of the values that `value` gives by field index.
pub(crate) fn key_text_of<'v>(layout: &TableLayout, value: impl Fn(usize) -> Value<'v>) -> String {
    let mut text = Vec::new();
    for &field in layout.key {
        let Some(column) = layout.columns.get(field) else {
            continue;
        };
        if !text.is_empty() {
            text.extend_from_slice(b", ");
        }
        text.extend_from_slice(column.name.as_bytes());
        text.push(b'=');
        match value(field) {
            Value::Bytes(bytes) => {
                text.extend_from_slice(b"0x");
                text.extend_from_slice(hex(&bytes).as_bytes());
            }
            value => write_value(&mut text, &value, column),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(names: &[&str], index: Option<&str>) -> TableSelect {
        TableSelect {
            base: "SELECT * FROM t".into(),
            key: names
                .iter()
                .map(|name| KeyColumn {
                    name: quote_identifier(name),
                    placeholder: "?".into(),
                })
                .collect(),
            index: index.map(str::to_owned),
            in_order: true,
        }
    }

    #[test]
    fn a_page_goes_on_with_the_row_that_the_page_before_ended_with() {
        let (one, two, three) = (
            SelectValue::Int(1),
            SelectValue::Int(2),
            SelectValue::Int(3),
        );
        let table = select(&["a", "b", "c"], Some("PRIMARY"));
        let (sql, parameters) = table.page(Some(&[one.clone(), two.clone(), three.clone()]), 10);
        assert_eq!(
            sql,
            "SELECT * FROM t FORCE INDEX (`PRIMARY`) WHERE (`a` > ?) OR (`a` = ? AND `b` > ?) \
             OR (`a` = ? AND `b` = ? AND `c` >= ?) ORDER BY `a`, `b`, `c` LIMIT 10"
        );
        let expected = [&one, &one, &two, &one, &two, &three].map(Clone::clone);
        assert_eq!(parameters, expected);
        assert_eq!(
            select(&["a"], Some("k`x")).page(None, 7).0,
            "SELECT * FROM t FORCE INDEX (`k``x`) ORDER BY `a` LIMIT 7"
        );
        assert_eq!(select(&["a"], None).page(None, 7).0, "SELECT * FROM t");
    }

    #[test]
    fn rows_are_asked_for_by_all_key_columns() {
        let keys = [vec![SelectValue::Int(1)], vec![SelectValue::Int(2)]];
        let (sql, parameters) = select(&["a"], None).by_keys(&keys);
        assert_eq!(sql, "SELECT * FROM t WHERE `a` IN (?, ?)");
        assert_eq!(parameters.len(), 2);
        let keys = vec![vec![SelectValue::Int(1), SelectValue::Int(2)]; 2];
        let (sql, parameters) = select(&["a", "b"], None).by_keys(&keys);
        assert_eq!(
            sql,
            "SELECT * FROM t WHERE (`a` = ? AND `b` = ?) OR (`a` = ? AND `b` = ?)"
        );
        assert_eq!(parameters.len(), 4);
    }
}
