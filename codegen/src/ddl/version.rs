//! Server families and versions, as far as reading DDL text depends on them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The two server families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// MySQL and Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
        })
    }
}

/// Family, major and minor version of a server. The patch level is left out on purpose: no
/// printed DDL differs by it, and a recorded one would change with every upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ServerVersion {
    /// The family.
    pub family: Family,
    /// First number, e.g. 10 of 10.11.
    pub major: u16,
    /// Second number, e.g. 11 of 10.11.
    pub minor: u16,
}

impl ServerVersion {
    /// A version of MySQL.
    #[must_use]
    pub const fn mysql(major: u16, minor: u16) -> Self {
        Self {
            family: Family::MySql,
            major,
            minor,
        }
    }

    /// A version of MariaDB.
    #[must_use]
    pub const fn mariadb(major: u16, minor: u16) -> Self {
        Self {
            family: Family::MariaDb,
            major,
            minor,
        }
    }

    /// Reads what `SELECT VERSION()` answers, e.g. `8.0.36-28` or `10.11.6-MariaDB-log`;
    /// nothing when it does not start with two numbers.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mariadb = text.to_ascii_lowercase().contains("mariadb");
        // MariaDB's handshake puts 5.5.5- in front for the sake of old replicas.
        let text = text
            .strip_prefix("5.5.5-")
            .filter(|_| mariadb)
            .unwrap_or(text);
        let mut numbers = text.split(|c: char| !c.is_ascii_digit());
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        let family = if mariadb {
            Family::MariaDb
        } else {
            Family::MySql
        };
        Some(Self {
            family,
            major,
            minor,
        })
    }

    /// The newest release of this series as versioned comments count: 80036 for 8.0.36; the
    /// patch level is taken as 99.
    #[must_use]
    pub fn comment_number(self) -> u32 {
        u32::from(self.major) * 10_000 + u32::from(self.minor) * 100 + 99
    }

    /// Whether this server executes the content of `/*!number ... */`.
    ///
    /// Both servers skip what is above their own version; MariaDB also skips 50700 to 99999,
    /// which are MySQL's own features.
    #[must_use]
    pub fn executes(self, number: u32) -> bool {
        let foreign = self.family == Family::MariaDb && (50_700..=99_999).contains(&number);
        !foreign && number <= self.comment_number()
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{}", self.family, self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_strings_of_both_families_are_read() {
        let cases = [
            ("9.7.4-2", ServerVersion::mysql(9, 7)),
            ("5.6.24-log", ServerVersion::mysql(5, 6)),
            ("8.0.36-28", ServerVersion::mysql(8, 0)),
            (
                "10.11.19-MariaDB-0+deb12u1-log",
                ServerVersion::mariadb(10, 11),
            ),
            ("5.5.5-10.6.1-MariaDB", ServerVersion::mariadb(10, 6)),
        ];
        for (text, version) in cases {
            assert_eq!(ServerVersion::parse(text), Some(version), "{text}");
        }
        assert_eq!(ServerVersion::parse("next"), None);
        assert_eq!(ServerVersion::parse("8"), None);
        assert_eq!(ServerVersion::parse("99999999.1"), None);
    }

    #[test]
    fn comments_above_the_version_and_mysqls_on_mariadb_are_skipped() {
        let mysql = ServerVersion::mysql(8, 0);
        assert!(mysql.executes(80_023) && mysql.executes(50_100) && !mysql.executes(80_100));
        let mariadb = ServerVersion::mariadb(10, 11);
        assert!(mariadb.executes(50_606) && mariadb.executes(101_100));
        assert!(!mariadb.executes(80_016) && !mariadb.executes(110_000));
    }
}
