//! The two kinds of server.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// Kind of server: MySQL or MariaDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flavor {
    /// Oracle's MySQL (5.6 or later).
    Mysql,
    /// MariaDB (10.5 or later).
    Mariadb,
}

impl Flavor {
    /// Both flavours, for tests that run on each.
    pub const ALL: [Flavor; 2] = [Flavor::Mysql, Flavor::Mariadb];

    /// Short name: `mysql` or `mariadb`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Flavor::Mysql => "mysql",
            Flavor::Mariadb => "mariadb",
        }
    }

    /// Name of the server program: `mysqld` or `mariadbd`.
    #[must_use]
    pub fn binary(self) -> &'static str {
        match self {
            Flavor::Mysql => "mysqld",
            Flavor::Mariadb => "mariadbd",
        }
    }

    /// Name of the command-line client: `mysql` or `mariadb`.
    pub(crate) fn client(self) -> &'static str {
        self.name()
    }

    /// Environment variable that names a server program to use instead of any other: its path,
    /// or the [series](crate::Release::series) of a release that the lab unpacks, as `5.6`.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Flavor::Mysql => "MYSQL_MIRROR_LAB_MYSQLD",
            Flavor::Mariadb => "MYSQL_MIRROR_LAB_MARIADBD",
        }
    }

    /// Names that an installed server program of this flavour may have.
    ///
    /// MariaDB's was called `mysqld` too before 10.5; the version tells them apart.
    pub(crate) fn installed_names(self) -> &'static [&'static str] {
        match self {
            Flavor::Mysql => &["mysqld"],
            Flavor::Mariadb => &["mariadbd", "mysqld"],
        }
    }

    /// Packages for the error message.
    pub(crate) fn packages(self) -> &'static str {
        match self {
            Flavor::Mysql => "mysql-server-core, in Debian only in sid; mysql-server-core-8.0",
            Flavor::Mariadb => "mariadb-server-core",
        }
    }

    /// True if this is what `--version` of a server of this flavour says.
    pub(crate) fn is_version(self, output: &str) -> bool {
        output.contains(" Ver ") && output.contains("MariaDB") == (self == Flavor::Mariadb)
    }
}

impl fmt::Display for Flavor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Flavor {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Flavor::ALL
            .into_iter()
            .find(|flavor| flavor.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| Error::UnknownFlavor(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_of_one_flavor_is_not_the_others() {
        let mysql = "/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))";
        let mariadb = "mysqld  Ver 10.11.18-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64";
        assert!(Flavor::Mysql.is_version(mysql) && !Flavor::Mysql.is_version(mariadb));
        assert!(Flavor::Mariadb.is_version(mariadb) && !Flavor::Mariadb.is_version(mysql));
        assert!(!Flavor::Mysql.is_version("cannot execute"));
    }

    #[test]
    fn unknown_flavor_names_the_known_ones() {
        let message = "oracle".parse::<Flavor>().unwrap_err().to_string();
        assert!(
            message.contains("oracle") && message.contains("mariadb"),
            "{message}"
        );
        assert_eq!("MariaDB".parse::<Flavor>().unwrap(), Flavor::Mariadb);
    }
}
