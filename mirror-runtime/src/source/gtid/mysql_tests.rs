//! Tests of MySQL GTID sets against a plain set of numbers.

use std::collections::BTreeSet;

use super::*;

const UUID: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const OTHER: &str = "4e11fa47-71ca-11e1-9e33-c80aa9429562";

fn set(text: &str) -> MySqlGtidSet {
    text.parse().unwrap()
}

fn gtid(tag: &str, number: u64) -> MySqlGtid {
    MySqlGtid {
        tsid: Tsid::new(UUID.parse().unwrap(), tag).unwrap(),
        number,
    }
}

#[test]
fn text_becomes_canonical() {
    for (text, canonical) in [
        (String::new(), String::new()),
        (format!("{UUID}:1-5"), format!("{UUID}:1-5")),
        (format!("{UUID}:5:1-4:9"), format!("{UUID}:1-5:9")),
        (
            format!(" {OTHER}:1 ,\n{}:1-3 :2-7", UUID.to_uppercase()),
            format!("{UUID}:1-7,{OTHER}:1"),
        ),
        (
            format!("{UUID}:1-5:Tag_1:1:3:other:2-2"),
            format!("{UUID}:1-5:other:2:tag_1:1:3"),
        ),
        (format!("{UUID}:t:1,{UUID}:4"), format!("{UUID}:4:t:1")),
        (format!("{UUID}:t:1"), format!("{UUID}:t:1")),
    ] {
        assert_eq!(set(&text).to_string(), canonical, "{text}");
        assert_eq!(set(&canonical), set(&text), "{text}");
    }
}

#[test]
fn texts_that_are_no_sets_are_refused() {
    for text in [
        UUID.to_owned(),
        format!("{UUID}:"),
        format!("{UUID}:0"),
        format!("{UUID}:5-3"),
        format!("{UUID}:1-"),
        format!("{UUID}:1--2"),
        format!("{UUID}:1-2-3"),
        format!("{UUID}:tag"),
        format!("{UUID}:1:tag"),
        format!("{UUID}::1"),
        format!("{UUID}:t-g:1"),
        format!("{UUID}:{}:1", "t".repeat(33)),
        format!("{UUID}:9223372036854775807"),
        format!("{UUID}:99999999999999999999"),
        "0-1-5".to_owned(),
        "uuid:1".to_owned(),
    ] {
        assert!(text.parse::<MySqlGtidSet>().is_err(), "{text}");
    }
}

/// A small generator, the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn algebra_agrees_with_plain_sets() {
    let mut numbers = Numbers(42);
    for _ in 0..200 {
        let mut real = MySqlGtidSet::default();
        let mut plain = BTreeSet::new();
        for _ in 0..numbers.below(30) {
            if numbers.below(3) == 0 {
                let (first, length) = (numbers.below(60) + 1, numbers.below(8));
                real.add_range(gtid("", 1).tsid, first, first + length);
                plain.extend(first..=first + length);
            } else {
                let number = numbers.below(60) + 1;
                real.add(&gtid("", number));
                plain.insert(number);
            }
        }
        for number in 1..80 {
            assert_eq!(real.contains(&gtid("", number)), plain.contains(&number));
            assert!(!real.contains(&gtid("t", number)));
        }
        assert_eq!(set(&real.to_string()), real);
        assert_canonical(&real);

        let mut part = MySqlGtidSet::default();
        for &number in plain.iter().filter(|number| *number % 3 != 0) {
            part.add(&gtid("", number));
        }
        assert!(real.contains_set(&part));
        let complete = plain.iter().all(|number| number % 3 != 0);
        assert_eq!(part.contains_set(&real), complete);
        part.union(&real);
        assert_eq!(part, real);
    }
}

fn assert_canonical(set: &MySqlGtidSet) {
    for intervals in set.sources.values() {
        assert!(!intervals.is_empty());
        for pair in intervals.windows(2) {
            assert!(pair[0].last + 1 < pair[1].first, "{intervals:?}");
        }
    }
}

#[test]
fn sets_of_other_sources_are_not_contained() {
    let both = set(&format!("{UUID}:1-5:t:1-2"));
    assert!(both.contains_set(&set(&format!("{UUID}:2-3:t:2"))));
    assert!(!both.contains_set(&set(&format!("{UUID}:2-3:t:3"))));
    assert!(!both.contains_set(&set(&format!("{UUID}:5-6"))));
    assert!(!both.contains_set(&set(&format!("{OTHER}:1"))));
    assert!(both.contains_set(&MySqlGtidSet::default()));
    assert!(!MySqlGtidSet::default().contains_set(&both));
}

#[test]
fn dump_request_has_one_block_per_tag_with_open_ends() {
    let sids = set(&format!("{UUID}:1-5:7:t:3")).to_sids().unwrap();
    let shape: Vec<_> = sids
        .iter()
        .map(|sid| {
            let intervals: Vec<_> = sid
                .intervals()
                .iter()
                .map(|interval| (interval.start(), interval.end()))
                .collect();
            (sid.tag().map(|tag| tag.to_string()), intervals)
        })
        .collect();
    assert_eq!(
        shape,
        [
            (None, vec![(1, 6), (7, 8)]),
            (Some("t".to_owned()), vec![(3, 4)]),
        ]
    );
}
