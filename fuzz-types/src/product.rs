//! Which server it is, and what it can do.

use crate::error::Error;

/// A server program and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// MariaDB; otherwise MySQL.
    pub mariadb: bool,
    /// Major and minor number.
    pub version: (u16, u16),
}

impl Product {
    /// From what `SELECT VERSION()` gives, e.g. `9.7.4` or `10.11.6-MariaDB`.
    ///
    /// # Errors
    /// When there are no two numbers at its start.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut numbers = text.split('.').map(|part| part.parse::<u16>());
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Ok(Self {
                mariadb: text.contains("MariaDB"),
                version: (major, minor),
            }),
            _ => Err(Error::Usage(format!(
                "the server's version is {text:?}; expected two numbers such as 10.11 at its start"
            ))),
        }
    }

    /// MySQL of at least this version.
    #[must_use]
    pub fn mysql(self, major: u16, minor: u16) -> bool {
        !self.mariadb && self.version >= (major, minor)
    }

    /// MariaDB of at least this version.
    #[must_use]
    pub fn mariadb(self, major: u16, minor: u16) -> bool {
        self.mariadb && self.version >= (major, minor)
    }

    /// `mysql` or `mariadb`.
    #[must_use]
    pub fn family(self) -> &'static str {
        if self.mariadb { "mariadb" } else { "mysql" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_told_from_the_version() {
        let mysql = Product::parse("5.6.51-log").unwrap();
        assert!(mysql.mysql(5, 6) && !mysql.mysql(5, 7) && !mysql.mariadb(5, 5));
        let mariadb = Product::parse("10.11.6-MariaDB-0+deb12u1").unwrap();
        assert!(mariadb.mariadb(10, 11) && !mariadb.mysql(5, 6));
        assert!(Product::parse("unknown").is_err());
    }
}
