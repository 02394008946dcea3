//! What a run finds wrong.

use std::fmt;

/// Longest value that is printed whole, in characters.
const SHOWN: usize = 160;

/// How the rows came into what is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// A mirror that followed the binlog.
    Binlog,
    /// What the changes of a subscription add up to.
    Subscription,
    /// A mirror that was just loaded.
    Select,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A value is not the server's.
    Value {
        /// How it came.
        way: Way,
        /// Full name of the table.
        table: String,
        /// The row's key, as the server has it.
        key: String,
        /// The column, and its type.
        column: String,
        /// The server's value.
        expected: String,
        /// The mirror's value.
        found: String,
    },
    /// A row that only one side has.
    Row {
        /// How it came, or did not.
        way: Way,
        /// Full name of the table.
        table: String,
        /// The row's key.
        key: String,
        /// `is missing` or `is not on the server`.
        what: &'static str,
    },
    /// A mirror stopped, could not be loaded, or did not get on.
    Stopped {
        /// What it said.
        message: String,
    },
    /// Tables were loaded again though rows say all.
    Reloaded {
        /// Why, as the mirror says.
        reason: String,
    },
    /// A table or column is refused that can be mirrored.
    Refused {
        /// Full name of the table.
        table: String,
        /// The problem.
        message: String,
    },
    /// Generated code does not compile.
    Compile {
        /// Full name of the table; empty when it is not known.
        table: String,
        /// What the compiler said.
        message: String,
    },
}

impl Finding {
    /// What stays the same when the case is run again with other rows.
    #[must_use]
    pub fn shape(&self) -> String {
        match self {
            Self::Value {
                way, table, column, ..
            } => format!("{way} {table} {column}"),
            Self::Row {
                way, table, what, ..
            } => format!("{way} {table} {what}"),
            Self::Stopped { message } => without_digits(message),
            Self::Reloaded { reason } => without_digits(reason),
            Self::Refused { table, .. } => format!("refused {table}"),
            Self::Compile { table, .. } => format!("compile {table}"),
        }
    }

    /// Whether it is about a table of that database.
    #[must_use]
    pub fn is_of(&self, database: &str) -> bool {
        let of = |table: &str| {
            table
                .strip_prefix(database)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        match self {
            Self::Value { table, .. } | Self::Row { table, .. } => of(table),
            Self::Refused { table, .. } | Self::Compile { table, .. } => of(table),
            Self::Stopped { message } | Self::Reloaded { reason: message } => {
                message.contains(&format!("{database}."))
            }
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binlog => "by binlog",
            Self::Subscription => "by subscription",
            Self::Select => "by SELECT",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value {
                way,
                table,
                key,
                column,
                expected,
                found,
            } => write!(
                f,
                "{way}: table {table}, key {}, column {}:\n    server: {}\n    mirror: {}",
                shortened(key),
                shortened(column),
                shortened(expected),
                shortened(found)
            ),
            Self::Row {
                way,
                table,
                key,
                what,
            } => {
                write!(
                    f,
                    "{way}: table {table}, key {}: the row {what}",
                    shortened(key)
                )
            }
            Self::Stopped { message } => write!(f, "the mirror stopped: {message}"),
            Self::Reloaded { reason } => write!(f, "the tables were loaded again: {reason}"),
            Self::Refused { table, message } => write!(f, "table {table} is refused: {message}"),
            Self::Compile { table, message } => {
                write!(
                    f,
                    "generated code of table {table} does not compile:\n{message}"
                )
            }
        }
    }
}

/// Positions and numbers of rows are others each time.
fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start}... ({count} characters)")
}
