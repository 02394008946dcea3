//! What the generated code knows about its tables: names, types and keys as they were when
//! the code was generated.
//!
//! The runtime compares this with the server at connect and with every TABLE_MAP event
//! (see [`crate::image`]); it is also what values are printed by.

use crate::charset::Charset;

/// One mirrored table as it was compiled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableLayout {
    /// Database (schema) name as the server has it.
    pub database: &'static str,
    /// Table name as the server has it.
    pub table: &'static str,
    /// The mirrored columns in table order; a *field index* anywhere in the runtime counts these.
    pub columns: &'static [ColumnLayout],
    /// Field indexes of the key that identifies a row, in key order; never empty.
    pub key: &'static [usize],
    /// How many columns the table had on the server, mirrored or not (generated and invisible
    /// ones included, since row images carry them).
    pub physical_columns: usize,
    /// Columns that are not mirrored and are of MariaDB's old temporal format with a fraction:
    /// position in the table and digits of the fraction. The binlog does not tell their width.
    pub old_fractions: &'static [(usize, u8)],
    /// Foreign keys of this table that change its rows when rows of their parent change.
    pub foreign_keys: &'static [ForeignKeyLayout],
    /// Names of such constraints whose effects are not followed, because `schema.json` says so.
    pub ignored_foreign_keys: &'static [&'static str],
}

impl TableLayout {
    /// `database.table`, for messages.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.database, self.table)
    }
}

/// A foreign key that changes rows of its table, the child, when rows of the parent change
/// (MySQL manual, "FOREIGN KEY Constraints").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignKeyLayout {
    /// Name of the constraint.
    pub name: &'static str,
    /// Database and name of the parent, which is mirrored too.
    pub parent: (&'static str, &'static str),
    /// Field indexes of the child's columns, in key order.
    pub fields: &'static [usize],
    /// Field indexes of the parent's columns, in the same order.
    pub parent_fields: &'static [usize],
    /// What happens to child rows when their parent row is deleted.
    pub on_delete: ForeignKeyAction,
    /// What happens to child rows when the columns of their parent row change.
    pub on_update: ForeignKeyAction,
    /// Whether rows belong together just when their values are the same, and all effects on a
    /// row are known here. Otherwise only the server knows which rows change, and how.
    pub by_value: bool,
}

/// What a foreign key does to child rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForeignKeyAction {
    /// Nothing: RESTRICT or NO ACTION.
    Restrict,
    /// CASCADE: they are deleted, or get the parent's new values.
    Cascade,
    /// SET NULL.
    SetNull,
}

/// One mirrored column as it was compiled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnLayout {
    /// Column name as the server has it.
    pub name: &'static str,
    /// Position in the table, from 0, counting every column of the table.
    pub ordinal: usize,
    /// Whether the column may hold NULL.
    pub nullable: bool,
    /// The SQL type as SHOW CREATE TABLE printed it, for messages and for the comparison with
    /// `information_schema.COLUMNS.COLUMN_TYPE`.
    pub sql_type: &'static str,
    /// Character set of text, ENUM and SET columns.
    pub charset: Option<Charset>,
    /// Of a generated column, the positions in the table of the columns that it depends on.
    pub generated_from: Option<&'static [usize]>,
    /// The type that decoding and printing go by.
    pub kind: ColumnType,
}

/// Column types that can be mirrored.
///
/// Everything that decoding, printing and the comparison with a TABLE_MAP need, and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// TINYINT, 1 byte.
    TinyInt {
        /// Declared UNSIGNED.
        unsigned: bool,
    },
    /// SMALLINT, 2 bytes.
    SmallInt {
        /// Declared UNSIGNED.
        unsigned: bool,
    },
    /// MEDIUMINT, 3 bytes.
    MediumInt {
        /// Declared UNSIGNED.
        unsigned: bool,
    },
    /// INT, 4 bytes.
    Int {
        /// Declared UNSIGNED.
        unsigned: bool,
    },
    /// BIGINT, 8 bytes.
    BigInt {
        /// Declared UNSIGNED.
        unsigned: bool,
    },
    /// FLOAT, 4 bytes.
    Float,
    /// DOUBLE, 8 bytes.
    Double,
    /// DECIMAL(precision, scale).
    Decimal {
        /// Digits in all, 1 to 65.
        precision: u8,
        /// Digits after the point, 0 to 30 (38 on MariaDB).
        scale: u8,
    },
    /// DATE.
    Date,
    /// DATETIME(fsp).
    DateTime {
        /// Digits of the fraction of a second, 0 to 6.
        fsp: u8,
    },
    /// TIMESTAMP(fsp), an instant; always UTC here.
    Timestamp {
        /// Digits of the fraction of a second, 0 to 6.
        fsp: u8,
    },
    /// TIME(fsp), a signed duration up to 838:59:59.
    Time {
        /// Digits of the fraction of a second, 0 to 6.
        fsp: u8,
    },
    /// YEAR: 0, or 1901 to 2155.
    Year,
    /// CHAR(n).
    Char {
        /// Longest value in bytes: characters times the charset's widest character.
        max_bytes: u32,
    },
    /// VARCHAR(n).
    VarChar {
        /// Longest value in bytes: characters times the charset's widest character.
        max_bytes: u32,
    },
    /// TINYTEXT, TEXT, MEDIUMTEXT, LONGTEXT (MariaDB's JSON too).
    Text {
        /// Bytes of the length prefix, 1 to 4.
        length_bytes: u8,
    },
    /// BINARY(n): values are always n bytes, padded with zeros.
    Binary {
        /// n, 0 to 255.
        bytes: u32,
    },
    /// VARBINARY(n).
    VarBinary {
        /// n.
        max_bytes: u32,
    },
    /// TINYBLOB, BLOB, MEDIUMBLOB, LONGBLOB.
    Blob {
        /// Bytes of the length prefix, 1 to 4.
        length_bytes: u8,
    },
    /// ENUM; index 1 is the first label, index 0 is the server's error value.
    Enum {
        /// Labels in order.
        labels: &'static [&'static str],
    },
    /// SET; bit 0 is the first label.
    Set {
        /// Labels in order, at most 64.
        labels: &'static [&'static str],
    },
    /// BIT(n).
    Bit {
        /// n, 1 to 64.
        bits: u8,
    },
    /// MySQL's binary JSON.
    Json,
    /// GEOMETRY and its subtypes: SRID and WKB.
    Geometry,
    /// VECTOR(n): single-precision floats.
    Vector {
        /// n, 1 to 16383.
        dimension: u32,
    },
    /// MariaDB's UUID, 16 bytes.
    Uuid,
    /// MariaDB's INET4, 4 bytes.
    Inet4,
    /// MariaDB's INET6, 16 bytes.
    Inet6,
}
