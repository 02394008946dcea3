//! The text of SHOW CREATE TABLE as data: canonical DDL of MySQL 5.6 to 9.7 and MariaDB 10.11
//! to 11.8 (MySQL manual: "CREATE TABLE Statement"; MariaDB: "CREATE TABLE").
//!
//! What is not understood is an error with its table, column and position; nothing is guessed.

pub mod charset;
mod column;
mod cursor;
mod lexer;
mod normal;
mod options;
mod parser;
pub mod version;

pub use cursor::DdlError;
pub use normal::normalize;
pub use parser::parse;
pub use version::{Family, ServerVersion};

/// A table as its DDL says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateTable {
    /// Name as the server has it.
    pub name: String,
    /// All columns in table order.
    pub columns: Vec<ColumnDef>,
    /// Primary, unique and other keys in DDL order.
    pub keys: Vec<KeyDef>,
    /// Foreign keys of this table as a child.
    pub foreign_keys: Vec<ForeignKey>,
    /// Table options.
    pub options: TableOptions,
}

impl CreateTable {
    /// The column of that name in any case, with its position.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<(usize, &ColumnDef)> {
        let wanted = name.to_lowercase();
        self.columns
            .iter()
            .enumerate()
            .find(|(_, column)| column.name.to_lowercase() == wanted)
    }

    /// The key of that name in any case.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&KeyDef> {
        let wanted = name.to_lowercase();
        self.keys
            .iter()
            .find(|key| key.name.to_lowercase() == wanted)
    }
}

/// Options behind the closing parenthesis, as far as they matter here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// ENGINE.
    pub engine: Option<String>,
    /// Character set of columns that do not name one, canonical.
    pub charset: Option<String>,
    /// Collation of columns that do not name one.
    pub collation: Option<String>,
    /// COMMENT; empty when there is none.
    pub comment: String,
    /// Whether the table is partitioned.
    pub partitioned: bool,
    /// MariaDB: WITH SYSTEM VERSIONING.
    pub system_versioned: bool,
    /// MariaDB: the table is a sequence.
    pub sequence: bool,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDef {
    /// Name as the server has it.
    pub name: String,
    /// The type as printed, e.g. `int(10) unsigned`.
    pub sql_type: String,
    /// The type.
    pub data_type: DataType,
    /// Character set: the column's own, its collation's, or the table's; canonical. Nothing
    /// for types without text.
    pub charset: Option<String>,
    /// The column's own COLLATE.
    pub collation: Option<String>,
    /// Whether it may hold NULL.
    pub nullable: bool,
    /// DEFAULT.
    pub default: Option<DefaultValue>,
    /// ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: bool,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// GENERATED ALWAYS AS (...).
    pub generated: Option<Generated>,
    /// All names in that expression, those of functions too.
    pub generated_names: Vec<String>,
    /// MariaDB: a temporal type in the format of before 10.1.
    pub old_format: bool,
    /// INVISIBLE.
    pub invisible: bool,
    /// COMPRESSED (MariaDB), or COLUMN_FORMAT COMPRESSED (Percona, invisible in row events).
    pub compressed: bool,
    /// COMMENT; empty when there is none.
    pub comment: String,
}

/// A type's name and arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataType {
    /// Lower-case name, e.g. `varchar`.
    pub name: String,
    /// What stands in parentheses behind it.
    pub args: TypeArgs,
    /// UNSIGNED (ZEROFILL implies it).
    pub unsigned: bool,
    /// ZEROFILL.
    pub zerofill: bool,
}

impl DataType {
    /// Whether values are text with a character set: CHAR, VARCHAR, TEXT, ENUM, SET.
    #[must_use]
    pub fn has_charset(&self) -> bool {
        matches!(
            self.name.as_str(),
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set"
        )
    }
}

/// Arguments of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeArgs {
    /// No parentheses.
    None,
    /// Lengths, precisions, widths.
    Numbers(Vec<u32>),
    /// Labels of ENUM and SET, exactly.
    Labels(Vec<String>),
}

/// A column's DEFAULT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefaultValue {
    /// NULL.
    Null,
    /// A string, its escapes resolved (MySQL prints numbers so, too).
    Text(String),
    /// A number with its sign, as written.
    Number(String),
    /// A bit or hexadecimal literal, as written.
    Bits(String),
    /// CURRENT_TIMESTAMP in any spelling.
    Now,
    /// Any other expression, as written.
    Expression(String),
}

/// How a generated column is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generated {
    /// Computed when read.
    Virtual,
    /// Kept in the row.
    Stored,
    /// MariaDB: start or end of a row version.
    RowTime,
}

/// One key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDef {
    /// Name; `PRIMARY` for the primary key.
    pub name: String,
    /// Kind.
    pub kind: KeyKind,
    /// Parts in key order.
    pub parts: Vec<KeyPart>,
}

/// Kinds of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the SQL keywords")]
pub enum KeyKind {
    Primary,
    Unique,
    Plain,
    FullText,
    Spatial,
    Vector,
}

/// One part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPart {
    /// A whole column.
    Column(String),
    /// The first characters or bytes of a column.
    Prefix(String),
    /// An expression.
    Expression,
    /// MariaDB: an application-time period WITHOUT OVERLAPS.
    Period(String),
}

/// One foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    /// Name of the constraint; empty when it has none.
    pub name: String,
    /// Columns of this table.
    pub columns: Vec<String>,
    /// Database of the parent table, when it is another one.
    pub parent_database: Option<String>,
    /// The parent table.
    pub parent_table: String,
    /// The parent's columns.
    pub parent_columns: Vec<String>,
    /// ON DELETE.
    pub on_delete: Action,
    /// ON UPDATE.
    pub on_update: Action,
}

impl ForeignKey {
    /// The parent table, with its database when it is another one.
    #[must_use]
    pub fn parent(&self) -> String {
        match &self.parent_database {
            Some(database) => format!("{database}.{}", self.parent_table),
            None => self.parent_table.clone(),
        }
    }

    /// Whether rows of this table change when rows of the parent do.
    #[must_use]
    pub fn cascades(&self) -> bool {
        self.on_delete != Action::Restrict || self.on_update != Action::Restrict
    }

    /// The actions that change rows, e.g. `ON DELETE CASCADE`; empty when there is none.
    #[must_use]
    pub fn actions(&self) -> String {
        [("DELETE", self.on_delete), ("UPDATE", self.on_update)]
            .into_iter()
            .filter(|(_, action)| *action != Action::Restrict)
            .map(|(event, action)| format!("ON {event} {}", action.keywords()))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// What a foreign key does to child rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// RESTRICT or NO ACTION, the default: nothing.
    Restrict,
    /// CASCADE.
    Cascade,
    /// SET NULL.
    SetNull,
    /// SET DEFAULT.
    SetDefault,
}

impl Action {
    /// The SQL keywords.
    #[must_use]
    pub const fn keywords(self) -> &'static str {
        match self {
            Self::Restrict => "RESTRICT",
            Self::Cascade => "CASCADE",
            Self::SetNull => "SET NULL",
            Self::SetDefault => "SET DEFAULT",
        }
    }
}
