//! The validated model of what is to be generated: no SQL text left to parse, no server, and
//! every name already chosen.

use crate::ddl::Action;

/// All tables of one generated crate, in the order of schema.json.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The tables.
    pub tables: Vec<Table>,
}

/// One mirrored table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Database name as the server has it.
    pub database: String,
    /// Table name as the server has it.
    pub name: String,
    /// Name of the row struct, e.g. `Campaign`.
    pub type_name: String,
    /// Name of the module, of the field in `Tables` and of the method on `Snapshot`, e.g. `campaign`.
    pub module_name: String,
    /// The table's comment; empty when there is none.
    pub comment: String,
    /// The mirrored columns, in table order.
    pub columns: Vec<Column>,
    /// Columns of the table on the server, mirrored or not.
    pub physical_columns: usize,
    /// Position and digits of the fraction of the columns that are not mirrored and are of
    /// MariaDB's old temporal format, whose width the binlog does not tell.
    pub old_fractions: Vec<(usize, u8)>,
    /// The key that identifies a row: indexes into `columns`, in key order.
    pub key: Vec<usize>,
    /// SQL name of that key: `PRIMARY`, or a unique key's name.
    pub key_name: String,
    /// Secondary indexes, unique and other.
    pub indexes: Vec<Index>,
    /// Foreign keys that change rows of this table when rows of their parent change.
    pub foreign_keys: Vec<ForeignKey>,
    /// Names of such constraints whose effects are not followed, because schema.json says so.
    pub ignored_foreign_keys: Vec<String>,
    /// Extra derives of the row struct, as paths, e.g. `serde::Serialize`.
    pub derives: Vec<String>,
}

/// A foreign key of a mirrored table to a mirrored parent, with an action that changes rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    /// Name of the constraint.
    pub name: String,
    /// Database and name of the parent table.
    pub parent: (String, String),
    /// Indexes into the table's `columns`.
    pub columns: Vec<usize>,
    /// Indexes into the parent's `columns`, in the same order.
    pub parent_columns: Vec<usize>,
    /// ON DELETE.
    pub on_delete: Action,
    /// ON UPDATE.
    pub on_update: Action,
    /// Whether rows belong together just when their values are the same, and the effects on a
    /// row are known. Otherwise (text, under a collation; generated columns that depend on the
    /// foreign key's) only the server knows.
    pub by_value: bool,
}

/// One mirrored column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Column name as the server has it.
    pub name: String,
    /// Field name in the row struct (an identifier, raw where it is a keyword: `r#type`).
    pub rust_name: String,
    /// Position in the table, from 0, counting every column.
    pub ordinal: usize,
    /// Whether it may hold NULL.
    pub nullable: bool,
    /// Type as SHOW CREATE TABLE printed it, e.g. `int(10) unsigned`.
    pub sql_type: String,
    /// Character set of text, ENUM and SET columns.
    pub charset: Option<String>,
    /// The type.
    pub ty: ColumnType,
    /// What a value is held as.
    pub held: Held,
    /// Name of the generated type of an ENUM or SET column, e.g. `CampaignStatus`; otherwise empty.
    pub type_name: String,
    /// The column's comment; empty when there is none.
    pub comment: String,
    /// Of a VIRTUAL or STORED generated column, the positions of the columns that it depends on.
    pub generated_from: Option<Vec<usize>>,
    /// INVISIBLE column.
    pub invisible: bool,
}

/// What a column's values are held as, where schema.json has a choice (`as`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// The type's own Rust type.
    Natural,
    /// TINYINT as `bool`.
    Bool,
    /// Text as its bytes.
    Bytes,
    /// A type of the user, by its path: made of the type's own Rust type with `TryFrom`, and turned
    /// back into it with `From`.
    User(String),
}

/// One secondary index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// SQL name of the key, or the column list where schema.json gives one.
    pub name: String,
    /// Name of the look-up method, e.g. `by_advertiser`; the range method adds `_range`,
    /// those by the first columns `_prefix`.
    pub method: String,
    /// Indexes into the table's `columns`, in key order.
    pub columns: Vec<usize>,
    /// Whether at most one row has a given (not NULL) value.
    pub unique: bool,
}

/// Column types that can be generated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the SQL types")]
pub enum ColumnType {
    TinyInt {
        unsigned: bool,
    },
    SmallInt {
        unsigned: bool,
    },
    MediumInt {
        unsigned: bool,
    },
    Int {
        unsigned: bool,
    },
    BigInt {
        unsigned: bool,
    },
    Float,
    Double,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Date,
    DateTime {
        fsp: u8,
    },
    Timestamp {
        fsp: u8,
    },
    Time {
        fsp: u8,
    },
    Year,
    /// `max_bytes`: characters times the widest character of the charset.
    Char {
        max_bytes: u32,
    },
    /// `max_bytes`: characters times the widest character of the charset.
    VarChar {
        max_bytes: u32,
    },
    /// `length_bytes`: 1 TINYTEXT, 2 TEXT, 3 MEDIUMTEXT, 4 LONGTEXT.
    Text {
        length_bytes: u8,
    },
    Binary {
        bytes: u32,
    },
    VarBinary {
        max_bytes: u32,
    },
    /// `length_bytes`: 1 TINYBLOB, 2 BLOB, 3 MEDIUMBLOB, 4 LONGBLOB.
    Blob {
        length_bytes: u8,
    },
    /// A label and the name of its variant, in order.
    Enum {
        members: Vec<Member>,
    },
    /// A label and the name of its constant, in order; at most 64.
    Set {
        members: Vec<Member>,
    },
    Bit {
        bits: u8,
    },
    /// MySQL's binary JSON (MariaDB's JSON is `Text`).
    Json,
    /// GEOMETRY and its subtypes.
    Geometry,
    /// `dimension`: most entries (MySQL), all entries (MariaDB).
    Vector {
        dimension: u32,
    },
    Uuid,
    Inet4,
    Inet6,
}

/// A member of an ENUM or SET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Label, exactly.
    pub label: String,
    /// Variant name (ENUM, `UpperCamel`) or constant name (SET, `SCREAMING_SNAKE`).
    pub rust_name: String,
}
