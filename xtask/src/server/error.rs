//! Errors of talking to a server: each with its place and remedy, none with a password.

use mysql::{DriverError, Error};

use crate::url::ServerUrl;

/// Server error numbers (MySQL manual, "Server Error Message Reference"; MariaDB shares them).
mod code {
    pub(super) const DB_ACCESS_DENIED: u16 = 1044;
    pub(super) const ACCESS_DENIED: u16 = 1045;
    pub(super) const TABLE_ACCESS_DENIED: u16 = 1142;
    pub(super) const COLUMN_ACCESS_DENIED: u16 = 1143;
    pub(super) const NO_SUCH_TABLE: u16 = 1146;
    pub(super) const SPECIFIC_ACCESS_DENIED: u16 = 1227;
    pub(super) const HOST_NOT_PRIVILEGED: u16 = 1130;
    pub(super) const ACCESS_DENIED_NO_PASSWORD: u16 = 1698;
    pub(super) const MUST_CHANGE_PASSWORD: u16 = 1862;
    pub(super) const ACCOUNT_LOCKED: u16 = 3118;
    pub(super) const ACCOUNT_LOCKED_MARIADB: u16 = 4151;
}

/// Whether an error number says that there is no such table.
pub(super) fn is_unknown_table(number: u16) -> bool {
    number == code::NO_SUCH_TABLE
}

/// Why a server could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// No connection.
    #[error(
        "server {address}: cannot connect: {reason}\n  remedy: check that the server is running and that host and port of the URL are right"
    )]
    Unreachable {
        /// `host:port`.
        address: String,
        /// What the network said.
        reason: String,
    },
    /// The server does not let this user in.
    #[error(
        "server {address}: access denied for user '{user}' (error {code})\n  remedy: check user and password of the URL (reserved characters percent-encoded), and that the account exists for this host"
    )]
    AccessDenied {
        /// `host:port`.
        address: String,
        /// User name.
        user: String,
        /// Error number of the server.
        code: u16,
    },
    /// TLS failed.
    #[error(
        "server {address}: no TLS connection: {reason}\n  remedy: check ssl-mode and ssl-ca of the URL; ssl-mode=DISABLED connects without TLS"
    )]
    Tls {
        /// `host:port`.
        address: String,
        /// What went wrong.
        reason: String,
    },
    /// There is no such database, or the account cannot see it.
    #[error(
        "server {address}: unknown database `{database}`{}{near}\n  remedy: correct the name, create it, or GRANT SELECT ON `{database}`.* TO '{user}' when it exists",
        wanted(.tables)
    )]
    UnknownDatabase {
        /// `host:port`.
        address: String,
        /// User name.
        user: String,
        /// Name that was asked for.
        database: String,
        /// Its tables that were asked for.
        tables: Vec<String>,
        /// Near matches, as the end of the sentence; may be empty.
        near: String,
    },
    /// There is no such table.
    #[error(
        "server {address}: unknown table {table}{near}\n  remedy: correct the name in schema.json, or create the table"
    )]
    UnknownTable {
        /// `host:port`.
        address: String,
        /// `database.table` that was asked for.
        table: String,
        /// Near matches, as the end of the sentence; may be empty.
        near: String,
    },
    /// It is a view.
    #[error(
        "server {address}: {table} is a view; expected a base table, for only those are in the binlog\n  remedy: list the tables that the view reads"
    )]
    NotATable {
        /// `host:port`.
        address: String,
        /// `database.table`.
        table: String,
    },
    /// The account may not read the definition.
    #[error(
        "server {address}: user '{user}' may not read the definition of {table} (error {code})\n  needed: the right SELECT\n  remedy: GRANT SELECT ON {table} TO '{user}'"
    )]
    MissingRight {
        /// `host:port`.
        address: String,
        /// User name.
        user: String,
        /// `database.table`.
        table: String,
        /// Error number of the server.
        code: u16,
    },
    /// Anything else.
    #[error("server {address}: {doing}: {reason}")]
    Other {
        /// `host:port`.
        address: String,
        /// What was being done.
        doing: String,
        /// What the server or the connection said.
        reason: String,
    },
}

/// Which server, and as whom.
pub(super) struct Place {
    pub(super) address: String,
    user: String,
}

impl Place {
    pub(super) fn of(url: &ServerUrl) -> Self {
        Self {
            address: url.address(),
            user: url.user().to_owned(),
        }
    }

    /// An error of connecting and logging in.
    pub(super) fn connecting(&self, error: &Error) -> ServerError {
        let address = self.address.clone();
        match error {
            Error::MySqlError(error) if is_login(error.code) => ServerError::AccessDenied {
                address,
                user: self.user.clone(),
                code: error.code,
            },
            Error::TlsError(error) => ServerError::Tls {
                address,
                reason: error.to_string(),
            },
            Error::DriverError(DriverError::TlsNotSupported) => ServerError::Tls {
                address,
                reason: "the server does not offer it".to_owned(),
            },
            Error::DriverError(DriverError::CouldNotConnect(Some((_, reason, _)))) => {
                ServerError::Unreachable {
                    address,
                    reason: reason.clone(),
                }
            }
            Error::DriverError(
                DriverError::ConnectTimeout | DriverError::CouldNotConnect(None),
            ) => ServerError::Unreachable {
                address,
                reason: "no answer".to_owned(),
            },
            Error::IoError(error) => ServerError::Unreachable {
                address,
                reason: error.to_string(),
            },
            other => self.asking("the handshake", other),
        }
    }

    /// An error of a query.
    pub(super) fn asking(&self, what: &str, error: &Error) -> ServerError {
        ServerError::Other {
            address: self.address.clone(),
            doing: format!("asking for {what}"),
            reason: reason(error),
        }
    }

    /// An error of SHOW CREATE TABLE.
    pub(super) fn showing(&self, database: &str, table: &str, error: &Error) -> ServerError {
        let table = format!("`{database}`.`{table}`");
        match error {
            Error::MySqlError(error) if is_right(error.code) => ServerError::MissingRight {
                address: self.address.clone(),
                user: self.user.clone(),
                table,
                code: error.code,
            },
            other => self.asking(&format!("SHOW CREATE TABLE {table}"), other),
        }
    }

    /// An error of a script's statement, numbered from 1.
    pub(super) fn running(&self, script: &str, statement: usize, error: &Error) -> ServerError {
        ServerError::Other {
            address: self.address.clone(),
            doing: format!("running statement {statement} of {script}"),
            reason: reason(error),
        }
    }

    /// An answer that is not understood.
    pub(super) fn answer(&self, what: &str) -> ServerError {
        ServerError::Other {
            address: self.address.clone(),
            doing: "reading the answer".to_owned(),
            reason: what.to_owned(),
        }
    }
}

impl ServerError {
    /// Whether other tables of the server can still be asked for.
    pub(crate) fn is_about_one_table(&self) -> bool {
        self.is_missing() || matches!(self, Self::NotATable { .. } | Self::MissingRight { .. })
    }

    /// Whether the server has no such table.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::UnknownDatabase { .. } | Self::UnknownTable { .. }
        )
    }

    pub(super) fn unknown_database(place: &Place, database: &str, known: &[String]) -> Self {
        Self::UnknownDatabase {
            address: place.address.clone(),
            user: place.user.clone(),
            database: database.to_owned(),
            tables: Vec::new(),
            near: near(database, known),
        }
    }

    /// Which table of an unknown database was asked for.
    pub(super) fn wanting(mut self, table: &str) -> Self {
        if let Self::UnknownDatabase { tables, .. } = &mut self {
            tables.push(table.to_owned());
        }
        self
    }

    /// Adds an error to others; a database that is unknown is told once, with all its tables.
    pub(crate) fn add_to(self, errors: &mut Vec<Self>) {
        if let Self::UnknownDatabase {
            database, tables, ..
        } = &self
        {
            for error in errors.iter_mut() {
                if let Self::UnknownDatabase {
                    database: same,
                    tables: all,
                    ..
                } = error
                    && same == database
                {
                    all.extend(tables.iter().cloned());
                    return;
                }
            }
        }
        errors.push(self);
    }

    pub(super) fn unknown_table(
        place: &Place,
        database: &str,
        table: &str,
        known: &[String],
    ) -> Self {
        Self::UnknownTable {
            address: place.address.clone(),
            table: format!("`{database}`.`{table}`"),
            near: near(table, known),
        }
    }
}

fn is_login(number: u16) -> bool {
    [
        code::ACCESS_DENIED,
        code::ACCESS_DENIED_NO_PASSWORD,
        code::HOST_NOT_PRIVILEGED,
        code::MUST_CHANGE_PASSWORD,
        code::ACCOUNT_LOCKED,
        code::ACCOUNT_LOCKED_MARIADB,
    ]
    .contains(&number)
}

fn is_right(number: u16) -> bool {
    [
        code::DB_ACCESS_DENIED,
        code::TABLE_ACCESS_DENIED,
        code::COLUMN_ACCESS_DENIED,
        code::SPECIFIC_ACCESS_DENIED,
    ]
    .contains(&number)
}

/// What an error says, without values of rows.
fn reason(error: &Error) -> String {
    match error {
        Error::FromValueError(_) | Error::FromRowError(_) => {
            "the answer has another type than expected".to_owned()
        }
        Error::UrlError(_) => "the URL cannot be used".to_owned(),
        other => other.to_string(),
    }
}

/// `, whose tables a, b are wanted`, or nothing.
fn wanted(tables: &[String]) -> String {
    match tables {
        [] => String::new(),
        [table] => format!(", whose table {table} is wanted"),
        tables => format!(", whose tables {} are wanted", tables.join(", ")),
    }
}

/// `; did you mean x?`, or nothing.
fn near(name: &str, known: &[String]) -> String {
    let lower = name.to_lowercase();
    let mut matches: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|candidate| candidate.to_lowercase() == lower)
        .collect();
    let candidates: Vec<&str> = known.iter().map(String::as_str).collect();
    for candidate in similar::get_close_matches(name, &candidates, 3, 0.6) {
        if !matches.contains(&candidate) {
            matches.push(candidate);
        }
    }
    if matches.is_empty() {
        return String::new();
    }
    let list: Vec<String> = matches.iter().map(|m| format!("`{m}`")).collect();
    format!("; did you mean {}?", list.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            address: "localhost:3306".to_owned(),
            user: "me".to_owned(),
        }
    }

    #[test]
    fn an_unknown_database_is_told_once_with_its_tables() {
        let mut errors = Vec::new();
        for (database, table) in [("ads", "banner"), ("shop", "item"), ("ads", "slot")] {
            let error = ServerError::unknown_database(&place(), database, &[]);
            error.wanting(table).add_to(&mut errors);
        }
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(
            texts[0].contains("`ads`, whose tables banner, slot are wanted"),
            "{texts:?}"
        );
        assert!(
            texts[1].contains("`shop`, whose table item is wanted"),
            "{texts:?}"
        );
    }

    #[test]
    fn near_matches_are_suggested_and_another_case_comes_first() {
        let known = ["campaigns", "Campaign", "zebra"].map(str::to_owned);
        assert_eq!(
            near("campaign", &known),
            "; did you mean `Campaign` or `campaigns`?"
        );
        assert_eq!(near("xyz", &known), "");
    }

    #[test]
    fn a_wrong_password_names_user_and_server() {
        let error = Error::MySqlError(mysql::error::MySqlError {
            state: "28000".to_owned(),
            message: "Access denied for user 'me'@'localhost' (using password: YES)".to_owned(),
            code: 1045,
        });
        let text = place().connecting(&error).to_string();
        assert!(
            text.contains("localhost:3306") && text.contains("'me'"),
            "{text}"
        );
        assert!(text.contains("remedy"), "{text}");
    }

    #[test]
    fn a_denied_table_names_the_right_and_the_grant() {
        let error = Error::MySqlError(mysql::error::MySqlError {
            state: "42000".to_owned(),
            message: "SHOW command denied".to_owned(),
            code: 1142,
        });
        let text = place().showing("ads", "banner", &error).to_string();
        assert!(
            text.contains("GRANT SELECT ON `ads`.`banner` TO 'me'"),
            "{text}"
        );
    }

    #[test]
    fn values_of_an_answer_do_not_get_into_messages() {
        let error = Error::FromValueError(mysql::Value::Bytes(b"s3cr3t".to_vec()));
        assert!(!place().asking("x", &error).to_string().contains("s3cr3t"));
    }
}
