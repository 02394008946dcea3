//! What xtask asks a server: which tables there are, and their SHOW CREATE TABLE text.

mod error;

pub use error::ServerError;

use mysql::prelude::Queryable;
use mysql::{Conn, Row};

use crate::url::{ServerUrl, SslMode};
use error::Place;

/// Session settings that make the text of SHOW CREATE TABLE the same whatever the server's
/// defaults are. Variables that a server does not know are passed over.
const SESSION: [&str; 6] = [
    "SET SESSION sql_mode = ''",
    "SET SESSION sql_quote_show_create = 1",
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION lock_wait_timeout = 30",
    "SET SESSION show_create_table_verbosity = 0",
    "SET SESSION show_gipk_in_create_table_and_information_schema = 1",
];

/// "Unknown system variable" (MySQL server error reference).
const ER_UNKNOWN_SYSTEM_VARIABLE: u16 = 1193;

/// A connection for reading definitions.
pub struct Server {
    conn: Conn,
    url: ServerUrl,
    folds_names: bool,
}

/// The definition of one table, with the names as the server spells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Database name.
    pub database: String,
    /// Table name.
    pub table: String,
    /// Text of SHOW CREATE TABLE.
    pub text: String,
}

impl Server {
    /// Connects and prepares the session.
    ///
    /// # Errors
    /// [`ServerError`]: not reachable, access denied, TLS.
    pub fn connect(url: &ServerUrl) -> Result<Self, ServerError> {
        let place = Place::of(url);
        let mut conn = match url.ssl_mode() {
            SslMode::Preferred => match Conn::new(url.connection(SslMode::Required)) {
                Err(mysql::Error::DriverError(mysql::DriverError::TlsNotSupported)) => {
                    Conn::new(url.connection(SslMode::Disabled))
                }
                other => other,
            },
            mode => Conn::new(url.connection(mode)),
        }
        .map_err(|error| place.connecting(&error))?;
        for statement in SESSION {
            match conn.query_drop(statement) {
                Err(mysql::Error::MySqlError(error))
                    if error.code == ER_UNKNOWN_SYSTEM_VARIABLE => {}
                other => other.map_err(|error| place.asking("the session settings", &error))?,
            }
        }
        let folding: Option<u8> = conn
            .query_first("SELECT @@lower_case_table_names")
            .map_err(|error| place.asking("lower_case_table_names", &error))?;
        Ok(Self {
            conn,
            url: url.clone(),
            folds_names: folding.unwrap_or(0) != 0,
        })
    }

    /// Runs the statements of a script, in this session.
    ///
    /// # Errors
    /// [`ServerError`] with the script's name and the statement's number.
    pub(crate) fn run_script(
        &mut self,
        name: &str,
        statements: &[&str],
    ) -> Result<(), ServerError> {
        let place = Place::of(&self.url);
        for (index, statement) in statements.iter().enumerate() {
            self.conn
                .query_drop(statement)
                .map_err(|error| place.running(name, index + 1, &error))?;
        }
        Ok(())
    }

    /// Name and version, e.g. `10.11.6-MariaDB`.
    ///
    /// # Errors
    /// [`ServerError`] when the connection fails.
    pub fn version(&mut self) -> Result<String, ServerError> {
        let place = Place::of(&self.url);
        self.conn
            .query_first("SELECT VERSION()")
            .map(Option::unwrap_or_default)
            .map_err(|error| place.asking("the version", &error))
    }

    /// Names of the databases that the account can see, sorted.
    ///
    /// # Errors
    /// [`ServerError`] when the connection fails.
    pub fn databases(&mut self) -> Result<Vec<String>, ServerError> {
        let place = Place::of(&self.url);
        self.conn
            .query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA ORDER BY 1")
            .map_err(|error| place.asking("the list of databases", &error))
    }

    /// Names of the base tables of a database that the account can see, sorted.
    ///
    /// # Errors
    /// [`ServerError`]: unknown database, with near matches.
    pub fn tables(&mut self, database: &str) -> Result<Vec<String>, ServerError> {
        let database = self.spelling(database)?;
        self.names(
            "SELECT TABLE_NAME FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY 1",
            &database,
        )
    }

    /// The definition of a table.
    ///
    /// # Errors
    /// [`ServerError`]: unknown database or table with near matches, a view, a missing right.
    pub fn definition(&mut self, database: &str, table: &str) -> Result<Definition, ServerError> {
        let place = Place::of(&self.url);
        let database = self
            .spelling(database)
            .map_err(|error| error.wanting(table))?;
        let statement = format!("SHOW CREATE TABLE {}.{}", quoted(&database), quoted(table));
        let row: Row = match self.conn.query_first(&statement) {
            Ok(Some(row)) => row,
            Ok(None) => return Err(place.answer("SHOW CREATE TABLE gave no row")),
            Err(mysql::Error::MySqlError(error)) if error::is_unknown_table(error.code) => {
                let known = self.tables(&database)?;
                return Err(ServerError::unknown_table(&place, &database, table, &known));
            }
            Err(error) => return Err(place.showing(&database, table, &error)),
        };
        let is_table = row
            .columns_ref()
            .first()
            .is_some_and(|column| column.name_str().eq_ignore_ascii_case("table"));
        if !is_table {
            return Err(ServerError::NotATable {
                address: place.address,
                table: format!("{database}.{table}"),
            });
        }
        match (text_of(&row, 0), text_of(&row, 1)) {
            (Some(table), Some(text)) => Ok(Definition {
                database,
                table,
                text,
            }),
            _ => Err(place.answer("SHOW CREATE TABLE gave no text")),
        }
    }

    /// The database's name as the server spells it.
    fn spelling(&mut self, database: &str) -> Result<String, ServerError> {
        let known = self.databases()?;
        let folds = self.folds_names;
        let same = |name: &&String| {
            *name == database || (folds && name.to_lowercase() == database.to_lowercase())
        };
        match known.iter().find(same) {
            Some(name) => Ok(name.clone()),
            None => Err(ServerError::unknown_database(
                &Place::of(&self.url),
                database,
                &known,
            )),
        }
    }

    fn names(&mut self, query: &str, database: &str) -> Result<Vec<String>, ServerError> {
        let place = Place::of(&self.url);
        self.conn
            .exec(query, (database,))
            .map_err(|error| place.asking("the list of tables", &error))
    }
}

/// A name between backticks.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A column of a row as text; nothing when it is NULL or not UTF-8.
fn text_of(row: &Row, index: usize) -> Option<String> {
    match row.as_ref(index)? {
        mysql::Value::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backtick_in_a_name_is_doubled() {
        assert_eq!(quoted("a`b"), "`a``b`");
    }
}
