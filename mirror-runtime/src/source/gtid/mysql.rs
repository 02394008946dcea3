//! GTID sets of MySQL: `uuid[:tag]:intervals`, as real interval sets.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use mysql_common::packets::{GnoInterval, Sid, Tag};

use super::{GtidError, Uuid};

/// Largest transaction number (MySQL source `GNO_END` - 1).
pub(super) const MAX_NUMBER: u64 = i64::MAX as u64 - 1;
/// Longest tag, in bytes.
const MAX_TAG: usize = 32;

/// Where a transaction came from: server UUID and, since MySQL 8.3, a tag.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tsid {
    /// UUID of the server (or the group).
    pub uuid: Uuid,
    /// The tag in lower case, 1 to 32 characters.
    pub tag: Option<Box<str>>,
}

impl Tsid {
    /// A source with a tag (empty for none).
    ///
    /// # Errors
    /// When the tag is longer than 32 characters or has others than letters, digits and
    /// underscores, or starts with a digit.
    pub fn new(uuid: Uuid, tag: &str) -> Result<Self, GtidError> {
        if tag.is_empty() {
            return Ok(Self { uuid, tag: None });
        }
        let mut bytes = tag.bytes();
        let first_valid = bytes
            .next()
            .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        let valid = first_valid
            && tag.len() <= MAX_TAG
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !valid {
            return Err(GtidError::new(tag, "not a GTID tag"));
        }
        Ok(Self {
            uuid,
            tag: Some(tag.to_ascii_lowercase().into_boxed_str()),
        })
    }
}

impl fmt::Display for Tsid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.uuid)?;
        match &self.tag {
            Some(tag) => write!(f, ":{tag}"),
            None => Ok(()),
        }
    }
}

/// The id of one transaction: `uuid:number` or `uuid:tag:number`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MySqlGtid {
    /// Where it came from.
    pub tsid: Tsid,
    /// Its number there, from 1.
    pub number: u64,
}

impl fmt::Display for MySqlGtid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.tsid, self.number)
    }
}

/// An inclusive range of transaction numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    first: u64,
    last: u64,
}

/// A set of transactions; prints in the server's canonical form, without line breaks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MySqlGtidSet {
    /// Sorted intervals with a gap between each two; never an empty list.
    sources: BTreeMap<Tsid, Vec<Interval>>,
}

impl MySqlGtidSet {
    /// Whether the set has no transaction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Takes one transaction in.
    pub fn add(&mut self, gtid: &MySqlGtid) {
        let interval = Interval {
            first: gtid.number,
            last: gtid.number,
        };
        if let Some(intervals) = self.sources.get_mut(&gtid.tsid) {
            insert(intervals, interval);
        } else {
            self.sources.insert(gtid.tsid.clone(), vec![interval]);
        }
    }

    /// Takes the transactions numbered `first` to `last` of one source in; an empty range
    /// changes nothing.
    pub fn add_range(&mut self, tsid: Tsid, first: u64, last: u64) {
        if first <= last {
            insert(
                self.sources.entry(tsid).or_default(),
                Interval { first, last },
            );
        }
    }

    /// Takes every transaction of `other` in.
    pub fn union(&mut self, other: &Self) {
        for (tsid, intervals) in &other.sources {
            for interval in intervals {
                self.add_range(tsid.clone(), interval.first, interval.last);
            }
        }
    }

    /// Whether the set has this transaction.
    #[must_use]
    pub fn contains(&self, gtid: &MySqlGtid) -> bool {
        self.covers(
            &gtid.tsid,
            Interval {
                first: gtid.number,
                last: gtid.number,
            },
        )
    }

    /// Whether the set has every transaction of `other`.
    #[must_use]
    pub fn contains_set(&self, other: &Self) -> bool {
        other
            .sources
            .iter()
            .all(|(tsid, intervals)| intervals.iter().all(|&range| self.covers(tsid, range)))
    }

    fn covers(&self, tsid: &Tsid, range: Interval) -> bool {
        let Some(intervals) = self.sources.get(tsid) else {
            return false;
        };
        let at = intervals.partition_point(|interval| interval.last < range.first);
        intervals
            .get(at)
            .is_some_and(|interval| interval.first <= range.first && range.last <= interval.last)
    }

    /// The set as a dump request takes it: one block per UUID and tag.
    ///
    /// # Errors
    /// Never for a set made by this type; the driver checks tags once more.
    pub fn to_sids(&self) -> Result<Vec<Sid<'static>>, GtidError> {
        self.sources
            .iter()
            .map(|(tsid, intervals)| {
                let intervals = intervals
                    .iter()
                    .map(|interval| GnoInterval::new(interval.first, interval.last + 1))
                    .collect();
                let sid = Sid::new(tsid.uuid.0).with_intervals(intervals);
                match &tsid.tag {
                    None => Ok(sid),
                    Some(tag) => Tag::new(tag.to_string())
                        .map(|tag| sid.with_tag(tag))
                        .map_err(|_| GtidError::new(tag, "not a GTID tag")),
                }
            })
            .collect()
    }
}

/// Inserts a range, joining what touches it.
fn insert(intervals: &mut Vec<Interval>, new: Interval) {
    // The first interval that touches the new one or lies behind it.
    let from = intervals.partition_point(|i| i.last.saturating_add(1) < new.first);
    let to = intervals.partition_point(|i| i.first <= new.last.saturating_add(1));
    let joined = intervals
        .get(from..to)
        .unwrap_or_default()
        .iter()
        .fold(new, |joined, i| Interval {
            first: joined.first.min(i.first),
            last: joined.last.max(i.last),
        });
    if to == from + 1 {
        // The common case: the next number of a source.
        if let Some(interval) = intervals.get_mut(from) {
            *interval = joined;
        }
    } else {
        intervals.splice(from..to.max(from), [joined]);
    }
}

impl fmt::Display for MySqlGtidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before: Option<Uuid> = None;
        for (tsid, intervals) in &self.sources {
            if before == Some(tsid.uuid) {
                // Tags of one UUID follow each other behind it.
                if let Some(tag) = &tsid.tag {
                    write!(f, ":{tag}")?;
                }
            } else {
                let comma = if before.is_some() { "," } else { "" };
                write!(f, "{comma}{tsid}")?;
            }
            before = Some(tsid.uuid);
            for interval in intervals {
                if interval.first == interval.last {
                    write!(f, ":{}", interval.first)?;
                } else {
                    write!(f, ":{}-{}", interval.first, interval.last)?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for MySqlGtidSet {
    type Err = GtidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut set = Self::default();
        let parts = text.split(',').map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            set.add_part(part)?;
        }
        Ok(set)
    }
}

impl MySqlGtidSet {
    /// Adds `uuid:1-5:7:tag:1-3`.
    fn add_part(&mut self, part: &str) -> Result<(), GtidError> {
        let mut fields = part.split(':').map(str::trim);
        let uuid: Uuid = fields.next().unwrap_or_default().parse()?;
        let mut tsid = Tsid { uuid, tag: None };
        let mut has_interval = false;
        for field in fields {
            if field.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
                let interval = parse_interval(field)?;
                self.add_range(tsid.clone(), interval.first, interval.last);
                has_interval = true;
            } else if field.is_empty() {
                return Err(GtidError::new(part, "there is nothing between two colons"));
            } else {
                tsid = Tsid::new(uuid, field)?;
                has_interval = false;
            }
        }
        if has_interval {
            Ok(())
        } else {
            Err(GtidError::new(part, "there is no transaction number"))
        }
    }
}

fn parse_interval(text: &str) -> Result<Interval, GtidError> {
    let number = |digits: &str| {
        let digits = digits.trim();
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse::<u64>().ok())
            .flatten()
            .filter(|number| (1..=MAX_NUMBER).contains(number))
            .ok_or_else(|| GtidError::new(text, "not a transaction number or range of them"))
    };
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    if first > last {
        return Err(GtidError::new(text, "the range ends before it starts"));
    }
    Ok(Interval { first, last })
}

#[cfg(test)]
#[path = "mysql_tests.rs"]
mod tests;
