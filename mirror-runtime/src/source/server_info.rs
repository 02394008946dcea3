//! What the server says about itself.

use mysql::Conn;
use mysql::prelude::Queryable;

use super::error::{Context, SourceError, from_mysql};

/// The two families of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// MySQL and what derives from it (Percona Server, RDS, Aurora).
    MySql,
    /// MariaDB.
    MariaDb,
}

impl Family {
    /// Name for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
        }
    }
}

/// Family, version and identity of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// MySQL or MariaDB.
    pub family: Family,
    /// Major, minor, patch.
    pub version: (u16, u16, u16),
    /// `@@version` as it is.
    pub version_text: String,
    /// `@@version_comment`: the distribution.
    pub version_comment: String,
    /// `@@server_uuid`; MariaDB has none.
    pub server_uuid: Option<String>,
    /// `@@server_id`, 0 when it was never set.
    pub server_id: u32,
    /// `@@hostname` and `@@port`, with a colon between them.
    pub host: String,
    /// `@@lower_case_table_names`: 0 when names keep their case and differ by it.
    pub lower_case_table_names: u8,
}

impl ServerInfo {
    /// Asks the server.
    ///
    /// # Errors
    /// When a query fails or the version cannot be understood.
    pub fn read(conn: &mut Conn) -> Result<Self, SourceError> {
        let context = Context::query("reading the server's version");
        type Answer = (String, String, u32, u8, String);
        let answer: Option<Answer> = conn
            .query_first(
                "SELECT @@global.version, @@global.version_comment, @@global.server_id, \
                 @@global.lower_case_table_names, CONCAT(@@hostname, ':', @@port)",
            )
            .map_err(|error| from_mysql(error, &context))?;
        let (version_text, version_comment, server_id, lower_case_table_names, host) =
            answer.ok_or_else(|| unexpected("a row", "none"))?;
        let family = family(&version_text, &version_comment);
        let version = parse_version(&version_text)
            .ok_or_else(|| unexpected("a version like 8.4.2", &version_text))?;
        let server_uuid = if family == Family::MySql {
            conn.query_first("SELECT @@global.server_uuid")
                .map_err(|error| from_mysql(error, &context))?
        } else {
            None
        };
        Ok(Self {
            family,
            version,
            version_text,
            version_comment,
            server_uuid,
            server_id,
            host,
            lower_case_table_names,
        })
    }

    /// What tells this server from others: its UUID; of MariaDB its id, host and port.
    #[must_use]
    pub fn identity(&self) -> String {
        match &self.server_uuid {
            Some(uuid) => uuid.clone(),
            None => format!("{}@{}", self.server_id, self.host),
        }
    }

    /// Whether the server is MariaDB.
    #[must_use]
    pub fn is_mariadb(&self) -> bool {
        self.family == Family::MariaDb
    }

    /// Whether the server is MySQL of at least this version.
    #[must_use]
    pub fn mysql_at_least(&self, major: u16, minor: u16, patch: u16) -> bool {
        self.family == Family::MySql && self.version >= (major, minor, patch)
    }

    /// Whether the server is MariaDB of at least this version.
    #[must_use]
    pub fn mariadb_at_least(&self, major: u16, minor: u16, patch: u16) -> bool {
        self.family == Family::MariaDb && self.version >= (major, minor, patch)
    }
}

fn unexpected(expected: &str, found: &str) -> SourceError {
    SourceError::Answer {
        action: "reading the server's version".to_owned(),
        detail: format!("expected {expected}, found {found}"),
    }
}

fn family(version: &str, comment: &str) -> Family {
    let mariadb = |text: &str| text.to_ascii_lowercase().contains("mariadb");
    if mariadb(version) || mariadb(comment) {
        Family::MariaDb
    } else {
        Family::MySql
    }
}

/// The first three numbers of `10.11.19-MariaDB-log`; proxies put `5.5.5-` before MariaDB's.
fn parse_version(text: &str) -> Option<(u16, u16, u16)> {
    let text = match text.strip_prefix("5.5.5-") {
        Some(rest) if rest.to_ascii_lowercase().contains("mariadb") => rest,
        _ => text,
    };
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let mut numbers = text.get(..end)?.split('.').map(str::parse::<u16>);
    let major = numbers.next()?.ok()?;
    let minor = numbers.next()?.ok()?;
    let patch = match numbers.next() {
        Some(number) => number.ok()?,
        None => 0,
    };
    Some((major, minor, patch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_both_servers_are_understood() {
        for (text, version) in [
            ("9.7.4", Some((9, 7, 4))),
            ("8.0.36-28", Some((8, 0, 36))),
            ("5.6.51-log", Some((5, 6, 51))),
            ("10.11.19-MariaDB-0+deb12u1-log", Some((10, 11, 19))),
            ("5.5.5-10.6.4-MariaDB", Some((10, 6, 4))),
            ("5.5.5-log", Some((5, 5, 5))),
            ("11.8-MariaDB", Some((11, 8, 0))),
            ("unknown", None),
            ("8", None),
        ] {
            assert_eq!(parse_version(text), version, "{text}");
        }
    }

    #[test]
    fn mariadb_is_seen_in_version_or_comment() {
        assert_eq!(family("10.11.19-MariaDB", ""), Family::MariaDb);
        assert_eq!(family("10.11.19", "mariadb.org binary"), Family::MariaDb);
        assert_eq!(family("8.4.2", "MySQL Community Server"), Family::MySql);
    }
}
