//! schema.lock.json: the DDL that the generated code was made from, so that rendering again
//! and checking need no server.
//!
//! Nothing volatile is recorded: no AUTO_INCREMENT counters, partitions, patch levels or times.
//! The same tables give the same bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ddl::{self, Family, ServerVersion};
use crate::near::near_matches;
use crate::schema_file::TableName;

/// Name of the file below the generated crate.
pub const LOCK_FILE: &str = "schema.lock.json";

/// The format that is written, and the only one that is read.
const FORMAT: u32 = 1;

const NOTE: &str = "Written by `cargo xtask regenerate`. Do not edit.";

/// Recorded definitions of tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// The server that printed the DDL.
    pub server: ServerVersion,
    /// Database of tables of schema.json that name none, where it came from the URL.
    pub default_database: Option<String>,
    /// The tables, sorted by database and name.
    tables: Vec<LockedTable>,
}

/// One recorded table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedTable {
    /// Database and table as the server spells them.
    pub name: TableName,
    /// Text of SHOW CREATE TABLE, normalized by [`ddl::normalize`].
    pub ddl: String,
}

impl Lock {
    /// A lock without tables.
    #[must_use]
    pub const fn new(server: ServerVersion, default_database: Option<String>) -> Self {
        Self {
            server,
            default_database,
            tables: Vec::new(),
        }
    }

    /// Records what SHOW CREATE TABLE printed, in place of what was recorded for that table.
    pub fn insert(&mut self, database: &str, table: &str, show_create_table: &str) {
        let name = TableName {
            database: database.to_owned(),
            table: table.to_owned(),
        };
        let ddl = ddl::normalize(show_create_table, self.server);
        match self.tables.binary_search_by(|other| other.name.cmp(&name)) {
            Ok(at) => {
                if let Some(known) = self.tables.get_mut(at) {
                    known.ddl = ddl;
                }
            }
            Err(at) => self.tables.insert(at, LockedTable { name, ddl }),
        }
    }

    /// The tables, sorted by database and name.
    #[must_use]
    pub fn tables(&self) -> &[LockedTable] {
        &self.tables
    }

    /// The table of that name; where no spelling fits exactly, the only one that fits in
    /// another case (lower_case_table_names).
    #[must_use]
    pub fn find(&self, name: &TableName) -> Option<&LockedTable> {
        let exact = self.tables.iter().find(|table| table.name == *name);
        exact.or_else(|| {
            let wanted = name.to_string().to_lowercase();
            let mut folded = self
                .tables
                .iter()
                .filter(|table| table.name.to_string().to_lowercase() == wanted);
            folded.next().filter(|_| folded.next().is_none())
        })
    }

    /// Recorded names close to a name that is not recorded: tables of that database, else
    /// tables of that name in another one.
    pub(crate) fn near(&self, name: &TableName) -> Vec<String> {
        let names = || self.tables.iter().map(|table| &table.name);
        let same_database = names().filter(|other| other.database == name.database);
        let near = near_matches(&name.table, same_database.map(|other| other.table.as_str()));
        let mut near: Vec<String> = near
            .into_iter()
            .map(|table| format!("{}.{table}", name.database))
            .collect();
        if near.is_empty() {
            let elsewhere = names().filter(|other| other.table == name.table);
            near = elsewhere.map(ToString::to_string).collect();
        }
        near
    }

    /// Only the tables that are asked for.
    #[must_use]
    pub fn restricted_to(&self, names: &[TableName]) -> Self {
        let mut lock = Self::new(self.server, self.default_database.clone());
        for name in names {
            if let Some(table) = self.find(name)
                && !lock.tables.iter().any(|other| other.name == table.name)
            {
                lock.tables.push(table.clone());
            }
        }
        lock.tables
            .sort_by(|left, right| left.name.cmp(&right.name));
        lock
    }

    /// Reads the text of a lock file.
    ///
    /// # Errors
    /// [`LockError`] that says what is wrong, and to make the file again.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let format: Format = serde_json::from_str(text).map_err(|error| LockError::json(&error))?;
        if format.format != FORMAT {
            return Err(LockError(format!(
                "it has format {}, expected {FORMAT}: it was written by another version of the generator",
                format.format
            )));
        }
        let file: LockFile = serde_json::from_str(text).map_err(|error| LockError::json(&error))?;
        let server = parse_server(&file.server)?;
        let mut lock = Self::new(server, file.default_database);
        for table in file.tables {
            let name = TableName {
                database: table.database,
                table: table.table,
            };
            if lock.tables.iter().any(|other| other.name == name) {
                return Err(LockError(format!("table {name} stands twice")));
            }
            lock.insert(&name.database, &name.table, &table.ddl.join("\n"));
        }
        Ok(lock)
    }

    /// The text of the lock file, with a newline at its end.
    #[must_use]
    pub fn to_text(&self) -> String {
        let file = LockFile {
            note: NOTE.to_owned(),
            format: FORMAT,
            server: Server {
                family: self.server.family,
                version: format!("{}.{}", self.server.major, self.server.minor),
            },
            default_database: self.default_database.clone(),
            tables: self.tables.iter().map(FileTable::of).collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn parse_server(server: &Server) -> Result<ServerVersion, LockError> {
    let numbers = server.version.split_once('.');
    let numbers =
        numbers.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let Some((major, minor)) = numbers else {
        return Err(LockError(format!(
            "the server's version is {:?}, expected two numbers such as \"9.7\"",
            server.version
        )));
    };
    Ok(ServerVersion {
        family: server.family,
        major,
        minor,
    })
}

/// Why a lock file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockError(String);

impl LockError {
    fn json(error: &serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{LOCK_FILE}: {}\n    to do: restore the file, or run `cargo xtask regenerate` with a server",
            self.0
        )
    }
}

impl std::error::Error for LockError {}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockFile {
    note: String,
    format: u32,
    server: Server,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default_database: Option<String>,
    tables: Vec<FileTable>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    family: Family,
    version: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTable {
    database: String,
    table: String,
    /// The lines of the text, for readable diffs.
    ddl: Vec<String>,
}

impl FileTable {
    fn of(table: &LockedTable) -> Self {
        Self {
            database: table.name.database.clone(),
            table: table.name.table.clone(),
            ddl: table.ddl.split('\n').map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DDL: &str = "CREATE TABLE `b` (\n  `id` int NOT NULL COMMENT 'ä\\n'\n) AUTO_INCREMENT=5";

    fn lock() -> Lock {
        let mut lock = Lock::new(ServerVersion::mariadb(10, 11), Some("ads".to_owned()));
        lock.insert("ads", "b", DDL);
        lock.insert("ads", "a", "CREATE TABLE `a` (`x` int)");
        lock
    }

    #[test]
    fn text_and_lock_are_one_to_one() {
        let lock = lock();
        let text = lock.to_text();
        assert_eq!(Lock::parse(&text).unwrap(), lock);
        assert_eq!(Lock::parse(&text).unwrap().to_text(), text);
        assert!(!text.contains("AUTO_INCREMENT"));
    }

    #[test]
    fn tables_are_sorted_and_replaced() {
        let mut lock = lock();
        lock.insert("ads", "a", "CREATE TABLE `a` (`y` int)");
        let names: Vec<&str> = lock
            .tables()
            .iter()
            .map(|table| table.name.table.as_str())
            .collect();
        assert_eq!(names, ["a", "b"]);
        assert!(lock.tables()[0].ddl.contains("`y`"));
    }

    #[test]
    fn another_case_is_found_only_when_it_is_the_only_one() {
        let mut lock = lock();
        let name = |table: &str| TableName {
            database: "ADS".to_owned(),
            table: table.to_owned(),
        };
        assert_eq!(lock.find(&name("A")).unwrap().name.table, "a");
        lock.insert("ads", "A", "CREATE TABLE `A` (`x` int)");
        assert!(lock.find(&name("A")).is_none());
    }

    #[test]
    fn broken_files_say_what_is_wrong() {
        let text = lock().to_text();
        for (broken, expected) in [
            (
                text.replace("\"format\": 1", "\"format\": 2"),
                "format 2, expected 1",
            ),
            (text.replace("10.11", "ten"), "\"ten\""),
            (text.replace("\"ddl\"", "\"dll\""), "unknown field `dll`"),
            (
                text.replace("\"table\": \"b\"", "\"table\": \"a\""),
                "ads.a stands twice",
            ),
            (
                text.replace("mariadb", "oracle"),
                "unknown variant `oracle`",
            ),
            ("{".to_owned(), "EOF"),
        ] {
            let error = Lock::parse(&broken).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(error.contains("cargo xtask regenerate"));
        }
    }
}
