//! GTIDs of MariaDB: `domain-server-sequence`, of which the last of each domain counts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::GtidError;

/// The id of one transaction: `domain-server-sequence`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MariaDbGtid {
    /// Replication domain.
    pub domain: u32,
    /// Id of the server that committed it first.
    pub server_id: u32,
    /// Number in the domain, rising.
    pub sequence: u64,
}

impl fmt::Display for MariaDbGtid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.domain, self.server_id, self.sequence)
    }
}

impl FromStr for MariaDbGtid {
    type Err = GtidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || GtidError::new(text, "expected domain-server-sequence, three numbers");
        let fields: Vec<&str> = text.trim().split('-').collect();
        let digits = |field: &str| !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
        match fields.as_slice() {
            [domain, server, sequence] if fields.iter().all(|field| digits(field)) => Ok(Self {
                domain: domain.parse().map_err(|_| error())?,
                server_id: server.parse().map_err(|_| error())?,
                sequence: sequence.parse().map_err(|_| error())?,
            }),
            _ => Err(error()),
        }
    }
}

/// The last transaction of each domain; prints as `gtid_binlog_pos` does, sorted by domain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MariaDbGtidList {
    domains: BTreeMap<u32, MariaDbGtid>,
}

impl MariaDbGtidList {
    /// Whether no domain has a transaction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty()
    }

    /// Makes `gtid` the last of its domain, whatever the last was (the stream's order decides).
    pub fn update(&mut self, gtid: MariaDbGtid) {
        self.domains.insert(gtid.domain, gtid);
    }

    /// The last of a domain.
    #[must_use]
    pub fn last_of(&self, domain: u32) -> Option<MariaDbGtid> {
        self.domains.get(&domain).copied()
    }

    /// Whether the domain has come as far as `gtid`.
    #[must_use]
    pub fn contains(&self, gtid: MariaDbGtid) -> bool {
        self.last_of(gtid.domain)
            .is_some_and(|last| last.sequence >= gtid.sequence)
    }

    /// Whether every domain of `other` has come as far here.
    #[must_use]
    pub fn contains_list(&self, other: &Self) -> bool {
        other.domains.values().all(|&gtid| self.contains(gtid))
    }
}

impl fmt::Display for MariaDbGtidList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, gtid) in self.domains.values().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{gtid}")?;
        }
        Ok(())
    }
}

impl FromStr for MariaDbGtidList {
    type Err = GtidError;

    /// Of several GTIDs of one domain (as in `gtid_binlog_state`) the highest counts.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut list = Self::default();
        let parts = text.split(',').map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let gtid: MariaDbGtid = part.parse()?;
            if !list.contains(gtid) {
                list.update(gtid);
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> MariaDbGtidList {
        text.parse().unwrap()
    }

    #[test]
    fn text_goes_both_ways_sorted_by_domain() {
        assert_eq!(list(" 1-2-7,\n0-1-5 ").to_string(), "0-1-5,1-2-7");
        assert_eq!(list("").to_string(), "");
        assert_eq!(list("0-1-5,0-2-9,0-3-7").to_string(), "0-2-9");
    }

    #[test]
    fn texts_that_are_no_lists_are_refused() {
        for text in [
            "0-1",
            "0-1-2-3",
            "a-1-2",
            "0--2",
            "0-1-+2",
            "4294967296-1-1",
            "0-1-99999999999999999999",
            "3e11fa47-71ca-11e1-9e33-c80aa9429562:1",
        ] {
            assert!(text.parse::<MariaDbGtidList>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_domain_counts_for_itself() {
        let here = list("0-1-5,1-2-7");
        assert!(here.contains_list(&list("0-9-5")));
        assert!(here.contains_list(&list("0-1-4,1-2-7")));
        assert!(!here.contains_list(&list("0-1-6")));
        assert!(!here.contains_list(&list("2-1-1")));
        assert!(here.contains_list(&list("")));
        assert!(!list("").contains_list(&here));
    }

    #[test]
    fn the_stream_may_lower_a_sequence() {
        let mut here = list("0-1-5");
        here.update("0-2-3".parse().unwrap());
        assert_eq!(here.to_string(), "0-2-3");
        assert_eq!(here.last_of(0).map(|gtid| gtid.server_id), Some(2));
    }
}
