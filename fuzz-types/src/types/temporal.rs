//! Dates and times.

use super::{ColumnType, Entry, everywhere, quoted};
use crate::product::Product;
use crate::random::Random;

pub(super) fn entries() -> Vec<Entry> {
    let entry = |name, weight, make| Entry {
        name,
        weight,
        on: everywhere,
        make,
    };
    vec![
        entry("date", 5, date),
        entry("datetime", 7, datetime),
        entry("timestamp", 7, timestamp),
        entry("time", 7, time),
        entry("year", 3, year),
    ]
}

const DATES: [&str; 11] = [
    "0000-00-00",
    "2024-00-00",
    "2024-05-00",
    "2024-00-07",
    "0000-05-01",
    "0001-01-01",
    "1000-01-01",
    "1969-12-31",
    "2024-02-29",
    "2023-02-31",
    "9999-12-31",
];
const DATETIMES: [&str; 9] = [
    "0000-00-00 00:00:00.000000",
    "2024-00-00 01:02:03.000004",
    "2023-02-31 23:59:59.999999",
    "0000-00-00 00:00:01.000000",
    "0001-01-01 00:00:00.000001",
    "1000-01-01 00:00:00.100000",
    "1970-01-01 00:00:00.010000",
    "2024-02-29 12:34:56.789012",
    "9999-12-31 23:59:59.999999",
];
const TIMESTAMPS: [&str; 8] = [
    "0000-00-00 00:00:00.000000",
    "1970-01-01 00:00:01.000000",
    "1970-01-01 00:00:01.000001",
    "2001-09-09 01:46:40.500000",
    "2024-03-31 01:30:00.999999",
    "2024-10-27 02:30:00.100000",
    "2038-01-19 03:14:07.000000",
    "2038-01-19 03:14:07.999999",
];
const TIMES: [&str; 13] = [
    "00:00:00.000000",
    "-00:00:00.000000",
    "00:00:00.000001",
    "-00:00:00.100000",
    "-00:00:00.000001",
    "-00:00:01.500000",
    "00:00:59.999999",
    "-00:59:59.990000",
    "23:59:59.999999",
    "-12:34:56.789012",
    "838:59:58.999999",
    "838:59:59.000000",
    "-838:59:59.000000",
];

fn fsp(random: &mut Random) -> usize {
    if random.one_in(3) { 0 } else { random.index(7) }
}

fn with_fsp(name: &str, fsp: usize) -> String {
    if fsp == 0 {
        name.to_owned()
    } else {
        format!("{name}({fsp})")
    }
}

/// The texts, which have six digits of a fraction, cut to the column's precision so that the
/// server does not round them.
fn cut(items: &[&str], fsp: usize) -> Vec<String> {
    let cut = if fsp == 0 { 7 } else { 6 - fsp };
    quoted(
        items
            .iter()
            .map(|item| item.get(..item.len() - cut).unwrap_or(item)),
    )
}

fn any_date(random: &mut Random) -> String {
    let (year, month, day) = (
        random.between(0, 9999),
        random.between(1, 12),
        random.between(1, 28),
    );
    format!("{year:04}-{month:02}-{day:02}")
}

fn any_time(random: &mut Random, hours: i64, fsp: usize) -> String {
    let (hour, minute, second) = (
        random.between(0, hours),
        random.between(0, 59),
        random.between(0, 59),
    );
    let micros = format!("{:06}", random.below(1_000_000));
    let fraction = match micros.get(..fsp) {
        Some(digits) if fsp > 0 => format!(".{digits}"),
        _ => String::new(),
    };
    format!("{hour:02}:{minute:02}:{second:02}{fraction}")
}

fn date(_: &mut Random, _: Product) -> ColumnType {
    ColumnType::new("date", |random| format!("'{}'", any_date(random)))
        .edges(quoted(DATES))
        .key(4)
        .default(["'2031-02-03'", "'1000-01-01'"])
        .change(|_, column| format!("{column} + INTERVAL 1 DAY"))
}

fn datetime(random: &mut Random, _: Product) -> ColumnType {
    let fsp = fsp(random);
    let now = with_fsp("CURRENT_TIMESTAMP", fsp);
    ColumnType::new(with_fsp("datetime", fsp), move |random| {
        format!("'{} {}'", any_date(random), any_time(random, 23, fsp))
    })
    .edges(cut(&DATETIMES, fsp))
    .key(8)
    .default([
        "'2031-02-03 04:05:06'".to_owned(),
        now.clone(),
        format!("{now} ON UPDATE {now}"),
    ])
    .change(|_, column| format!("{column} + INTERVAL 1 SECOND"))
}

fn timestamp(random: &mut Random, _: Product) -> ColumnType {
    let fsp = fsp(random);
    let now = with_fsp("CURRENT_TIMESTAMP", fsp);
    ColumnType::new(with_fsp("timestamp", fsp), move |random| {
        // Years and days that are in every TIMESTAMP's range.
        let (year, month, day) = (
            random.between(1971, 2037),
            random.between(1, 12),
            random.between(1, 28),
        );
        format!("'{year}-{month:02}-{day:02} {}'", any_time(random, 23, fsp))
    })
    .edges(cut(&TIMESTAMPS, fsp))
    .key(8)
    .default([
        "'2031-02-03 04:05:06'".to_owned(),
        now.clone(),
        format!("{now} ON UPDATE {now}"),
    ])
    .change(|_, column| format!("{column} + INTERVAL 1 HOUR"))
}

fn time(random: &mut Random, _: Product) -> ColumnType {
    let fsp = fsp(random);
    ColumnType::new(with_fsp("time", fsp), move |random| {
        let sign = if random.one_in(2) { "-" } else { "" };
        format!("'{sign}{}'", any_time(random, 837, fsp))
    })
    .edges(cut(&TIMES, fsp))
    .key(6)
    .default(["'-01:02:03'", "'00:00:00'"])
    .change(|_, column| format!("SUBTIME('00:00:00.5', {column})"))
}

fn year(_: &mut Random, _: Product) -> ColumnType {
    ColumnType::new("year", |random| random.between(1901, 2155).to_string())
        .edges([0, 1901, 1970, 1999, 2000, 2069, 2155])
        .edges(["'0000'", "'0'", "'2000'"])
        .key(1)
        .default(["1901", "'2155'", "0"])
        .change(|_, column| format!("{column} + 1"))
}
