//! Global transaction ids: real interval sets on MySQL, one number per domain on MariaDB.

mod event;
mod mariadb;
mod mysql;
mod serialized;
mod uuid;

use std::fmt;
use std::str::FromStr;

pub use event::{GtidEvent, mariadb_gtid_flags};
pub use mariadb::{MariaDbGtid, MariaDbGtidList};
pub use mysql::{MySqlGtid, MySqlGtidSet, Tsid};
pub use uuid::Uuid;

use super::server_info::Family;

/// A text that is no GTID, or no GTID set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("GTID text '{text}': {reason}")]
pub struct GtidError {
    /// The part of the text that is wrong.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl GtidError {
    fn new(text: &str, reason: &'static str) -> Self {
        const SHOWN: usize = 80;
        Self {
            text: text.chars().take(SHOWN).collect(),
            reason,
        }
    }
}

/// The id of one transaction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Gtid {
    /// `uuid:number` or `uuid:tag:number`.
    MySql(MySqlGtid),
    /// `domain-server-sequence`.
    MariaDb(MariaDbGtid),
}

impl Gtid {
    /// The server family that this kind of id belongs to.
    #[must_use]
    pub fn family(&self) -> Family {
        match self {
            Self::MySql(_) => Family::MySql,
            Self::MariaDb(_) => Family::MariaDb,
        }
    }
}

impl fmt::Display for Gtid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MySql(gtid) => gtid.fmt(f),
            Self::MariaDb(gtid) => gtid.fmt(f),
        }
    }
}

/// The transactions that have been seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GtidSet {
    /// Every id, as intervals.
    MySql(MySqlGtidSet),
    /// The last id of each domain.
    MariaDb(MariaDbGtidList),
}

impl GtidSet {
    /// The empty set of a server family.
    #[must_use]
    pub fn empty(family: Family) -> Self {
        match family {
            Family::MySql => Self::MySql(MySqlGtidSet::default()),
            Family::MariaDb => Self::MariaDb(MariaDbGtidList::default()),
        }
    }

    /// Reads a set as the servers of `family` print it; empty text is the empty set.
    ///
    /// # Errors
    /// When the text is not a set of that family.
    pub fn parse(text: &str, family: Family) -> Result<Self, GtidError> {
        match family {
            Family::MySql => text.parse().map(Self::MySql),
            Family::MariaDb => text.parse().map(Self::MariaDb),
        }
    }

    /// The server family that this kind of set belongs to.
    #[must_use]
    pub fn family(&self) -> Family {
        match self {
            Self::MySql(_) => Family::MySql,
            Self::MariaDb(_) => Family::MariaDb,
        }
    }

    /// Whether nothing has been seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::MySql(set) => set.is_empty(),
            Self::MariaDb(list) => list.is_empty(),
        }
    }

    /// Takes one transaction in; a GTID of the other family changes nothing and gives `false`.
    pub fn add(&mut self, gtid: &Gtid) -> bool {
        match (self, gtid) {
            (Self::MySql(set), Gtid::MySql(gtid)) => set.add(gtid),
            (Self::MariaDb(list), Gtid::MariaDb(gtid)) => list.update(*gtid),
            _ => return false,
        }
        true
    }

    /// Whether a transaction has been seen; never, for a GTID of the other family.
    #[must_use]
    pub fn contains(&self, gtid: &Gtid) -> bool {
        match (self, gtid) {
            (Self::MySql(set), Gtid::MySql(gtid)) => set.contains(gtid),
            (Self::MariaDb(list), Gtid::MariaDb(gtid)) => list.contains(*gtid),
            _ => false,
        }
    }

    /// Whether all of `other` has been seen; sets of two families never contain each other.
    #[must_use]
    pub fn contains_set(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::MySql(set), Self::MySql(other)) => set.contains_set(other),
            (Self::MariaDb(list), Self::MariaDb(other)) => list.contains_list(other),
            _ => false,
        }
    }
}

impl fmt::Display for GtidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MySql(set) => set.fmt(f),
            Self::MariaDb(list) => list.fmt(f),
        }
    }
}

/// Reads a set of either family: MySQL's have colons, MariaDB's do not.
impl FromStr for GtidSet {
    type Err = GtidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(GtidError::new(
                text,
                "an empty text does not say which server it is for",
            ));
        }
        let family = if text.contains(':') {
            Family::MySql
        } else {
            Family::MariaDb
        };
        Self::parse(text, family)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_seen_from_the_text() {
        let set: GtidSet = "3E11FA47-71CA-11E1-9E33-C80AA9429562:1-5".parse().unwrap();
        assert_eq!(set.family(), Family::MySql);
        let list: GtidSet = "0-1-5,1-2-7".parse().unwrap();
        assert_eq!(list.family(), Family::MariaDb);
        assert!("".parse::<GtidSet>().is_err());
        assert!("0-1".parse::<GtidSet>().is_err());
        assert!(GtidSet::parse(" \n", Family::MySql).unwrap().is_empty());
    }

    #[test]
    fn sets_of_two_families_never_mix() {
        let mut set = GtidSet::empty(Family::MySql);
        let gtid = Gtid::MariaDb("0-1-5".parse().unwrap());
        assert!(!set.add(&gtid));
        assert!(set.is_empty());
        assert!(!set.contains(&gtid));
        assert!(!set.contains_set(&GtidSet::empty(Family::MariaDb)));
        assert!(set.contains_set(&GtidSet::empty(Family::MySql)));
    }
}
