//! What the server itself says that its tables hold.
//!
//! Every value is asked for by an expression whose text is exact, and no code of the mirror is
//! on its way here. Which expression a column needs is taken from information_schema.

use std::collections::BTreeMap;

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::error::Error;
use crate::sql;

/// How values of a column are asked for and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Integers, YEAR, BIT: digits.
    Integer,
    /// TINYINT that is mirrored as `bool`.
    Bool,
    /// FLOAT: a number of single precision.
    Float,
    /// DOUBLE.
    Double,
    /// DECIMAL: as the server prints it, without the zeros that ZEROFILL puts before it.
    Decimal,
    /// Dates, times, addresses: as the server prints it.
    Printed,
    /// Text: in hexadecimal, as utf8mb4.
    Text,
    /// Bytes, in hexadecimal.
    Bytes,
    /// ENUM: `0` for the error value, else `label` and the label in hexadecimal.
    Enum,
    /// SET: how many labels, and those that are not empty, with commas between, in hexadecimal.
    /// (MariaDB prints no comma behind an empty label at the start.)
    Set,
    /// MySQL's JSON: the document as the server prints it, in hexadecimal.
    Json,
    /// VECTOR: little-endian single-precision numbers, in hexadecimal.
    Vector,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// How it is compared.
    pub kind: Kind,
    /// Its type as the server prints it.
    pub sql_type: String,
}

/// One table: all its columns, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its database.
    pub database: String,
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// Values of one row by column name; `None` for NULL.
pub type Row = BTreeMap<String, Option<String>>;

fn kind_of(data_type: &str) -> Option<Kind> {
    Some(match data_type {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" | "bit" => Kind::Integer,
        "float" => Kind::Float,
        "double" => Kind::Double,
        "decimal" => Kind::Decimal,
        "date" | "datetime" | "timestamp" | "time" | "uuid" | "inet4" | "inet6" => Kind::Printed,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => Kind::Text,
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" | "geometry"
        | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
        | "multipolygon" | "geomcollection" | "geometrycollection" => Kind::Bytes,
        "enum" => Kind::Enum,
        "set" => Kind::Set,
        "json" => Kind::Json,
        "vector" => Kind::Vector,
        _ => return None,
    })
}

/// The tables of a database.
///
/// # Errors
/// When the server cannot be asked, or has a type that is unknown here.
pub fn tables(conn: &mut Conn, database: &str) -> Result<Vec<Table>, Error> {
    let rows: Vec<(String, String, Vec<u8>, String)> = conn
        .exec(
            "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, ORDINAL_POSITION",
            (database,),
        )
        .map_err(Error::sql("reading information_schema.COLUMNS"))?;
    let mut tables: Vec<Table> = Vec::new();
    for (table, name, data_type, sql_type) in rows {
        let data_type = String::from_utf8_lossy(&data_type).to_lowercase();
        let kind = kind_of(&data_type).ok_or_else(|| {
            Error::Usage(format!(
                "column {database}.{table}.{name}: the oracle does not know type {data_type}"
            ))
        })?;
        let column = Column {
            name,
            kind,
            sql_type,
        };
        match tables.last_mut() {
            Some(last) if last.name == table => last.columns.push(column),
            _ => tables.push(Table {
                database: database.to_owned(),
                name: table,
                columns: vec![column],
            }),
        }
    }
    Ok(tables)
}

/// All rows of a table, of these columns.
///
/// # Errors
/// When the server cannot be asked.
pub fn rows(conn: &mut Conn, table: &Table, columns: &[&Column]) -> Result<Vec<Row>, Error> {
    let expressions: Vec<String> = columns.iter().map(|column| expression(column)).collect();
    let name = format!("{}.{}", sql::name(&table.database), sql::name(&table.name));
    let query = format!("SELECT {} FROM {name}", expressions.join(", "));
    let rows: Vec<mysql::Row> = conn
        .query(query)
        .map_err(Error::sql(format!("reading {name}")))?;
    let text = |(value, column): (mysql::Value, &&Column)| {
        let text = match value {
            mysql::Value::NULL => None,
            mysql::Value::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            other => Some(other.as_sql(true)),
        };
        (column.name.clone(), text.map(|text| finish(column, text)))
    };
    Ok(rows
        .into_iter()
        .map(|row| row.unwrap().into_iter().zip(columns).map(text).collect())
        .collect())
}

/// The text of an expression in the form that is compared.
fn finish(column: &Column, text: String) -> String {
    match (column.kind, text.split_once(' ')) {
        (Kind::Enum, Some(("0", _))) => "0".to_owned(),
        (Kind::Enum, Some((_, label))) => format!("label {label}"),
        (Kind::Set, Some((bits, labels))) => {
            let count = bits.parse::<u64>().map_or(0, u64::count_ones);
            // 2C is a comma, which no label holds; no other byte of utf8mb4 is one.
            let pairs = (0..labels.len() / 2).filter_map(|at| labels.get(2 * at..2 * at + 2));
            let spaced: String = pairs
                .map(|pair| if pair == "2C" { " " } else { pair })
                .collect();
            let whole: Vec<&str> = spaced.split_whitespace().collect();
            format!("{count} labels {}", whole.join("2C"))
        }
        (Kind::Decimal, _) if column.sql_type.contains("zerofill") => {
            let (sign, digits) = match text.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", text.as_str()),
            };
            let digits = digits.trim_start_matches('0');
            let zero = if digits.starts_with('.') || digits.is_empty() {
                "0"
            } else {
                ""
            };
            format!("{sign}{zero}{digits}")
        }
        _ => text,
    }
}

/// Whether two texts are the same value: the same text, and for floats the same bits.
#[must_use]
pub fn is_equal(kind: Kind, one: &str, other: &str) -> bool {
    match kind {
        Kind::Float => {
            let bits = |text: &str| text.parse::<f64>().map(|number| (number as f32).to_bits());
            bits(one).is_ok_and(|one| bits(other) == Ok(one))
        }
        Kind::Double => {
            let bits = |text: &str| text.parse::<f64>().map(f64::to_bits);
            bits(one).is_ok_and(|one| bits(other) == Ok(one))
        }
        _ => one == other,
    }
}

/// The expression whose text is the column's exact value.
fn expression(column: &Column) -> String {
    let name = sql::name(&column.name);
    match column.kind {
        Kind::Integer | Kind::Bool => format!("CAST({name} + 0 AS CHAR)"),
        // The product is a DOUBLE, which the server prints with all digits that it needs; not
        // so within CONCAT.
        Kind::Float | Kind::Double => format!("{name} * 1e0"),
        Kind::Printed | Kind::Decimal => format!("CAST({name} AS CHAR)"),
        Kind::Text => format!("HEX(CONVERT({name} USING utf8mb4))"),
        Kind::Bytes | Kind::Vector => format!("HEX({name})"),
        Kind::Enum | Kind::Set => {
            let label = format!("HEX(CONVERT(CAST({name} AS CHAR) USING utf8mb4))");
            format!("CONCAT(CAST({name} AS UNSIGNED), ' ', {label})")
        }
        Kind::Json => format!("HEX(CONVERT(CAST({name} AS CHAR) USING utf8mb4))"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: Kind, sql_type: &str) -> Column {
        Column {
            name: "c".to_owned(),
            kind,
            sql_type: sql_type.to_owned(),
        }
    }

    #[test]
    fn floats_are_equal_by_their_bits_alone() {
        assert!(is_equal(Kind::Float, "0.1", "0.10000000149011612"));
        assert!(!is_equal(Kind::Float, "0.1", "0.10000001"));
        assert!(!is_equal(Kind::Double, "0.1", "0.10000000149011612"));
        assert!(!is_equal(Kind::Double, "0.0", "-0"));
        assert!(is_equal(Kind::Double, "1e22", "10000000000000000000000"));
        assert!(!is_equal(Kind::Double, "x", "x"));
        assert!(!is_equal(Kind::Printed, "0.10", "0.1"));
    }

    #[test]
    fn zerofill_is_no_part_of_a_decimals_value() {
        let zerofill = column(Kind::Decimal, "decimal(5,2) unsigned zerofill");
        assert_eq!(finish(&zerofill, "000.50".to_owned()), "0.50");
        assert_eq!(finish(&zerofill, "012.50".to_owned()), "12.50");
        assert_eq!(finish(&zerofill, "000".to_owned()), "0");
        let plain = column(Kind::Decimal, "decimal(5,2)");
        assert_eq!(finish(&plain, "012".to_owned()), "012");
    }

    #[test]
    fn labels_of_a_set_are_counted_by_its_bits() {
        let column = column(Kind::Set, "set('','a','b')");
        assert_eq!(finish(&column, "6 612C62".to_owned()), "2 labels 612C62");
        // As MariaDB and as MySQL print it.
        assert_eq!(finish(&column, "7 612C62".to_owned()), "3 labels 612C62");
        assert_eq!(finish(&column, "7 2C612C62".to_owned()), "3 labels 612C62");
        assert_eq!(finish(&column, "1 ".to_owned()), "1 labels ");
        assert_eq!(finish(&column, "0 ".to_owned()), "0 labels ");
    }

    #[test]
    fn the_error_value_of_an_enum_is_not_the_empty_label() {
        let column = column(Kind::Enum, "enum('')");
        assert_eq!(finish(&column, "0 ".to_owned()), "0");
        assert_eq!(finish(&column, "1 ".to_owned()), "label ");
    }
}
