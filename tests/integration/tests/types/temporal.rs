//! DATE, DATETIME, TIMESTAMP, TIME, YEAR.

use integration::cases::{Case, Servers};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use mirror_runtime::{Date, DateTime, Time, Timestamp};

pub(crate) const TESTS: &[Test] = tests![
    dates_zero_and_partial_and_of_all_years,
    datetimes_of_each_precision_keep_their_digits,
    timestamps_of_each_precision_are_instants,
    times_of_each_precision_keep_sign_and_digits,
    years_are_numbers_with_zero,
    old_formats_of_mariadb_give_the_same_values,
];

fn dates_zero_and_partial_and_of_all_years(servers: &Servers, flavor: Flavor) {
    let days = [
        (0, 0, 0),
        (2024, 0, 0),
        (2024, 5, 0),
        (2024, 0, 7),
        (0, 1, 1),
        (1000, 1, 1),
        (1969, 12, 31),
        (2024, 2, 29),
        (2023, 2, 31),
        (9999, 12, 31),
    ];
    let edges = days.map(|(year, month, day)| {
        let literal = format!("'{year:04}-{month:02}-{day:02}'");
        (literal, Date::new(year, month, day).expect("a date"))
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_dates"]).expect("every server has DATE");
        case.on_edges("d", &edges, |snapshot, id| {
            Some(snapshot.t_dates().get(id)?.d)
        });
    }
}

/// A text with six digits of a fraction, cut to so many.
fn cut(text: &str, digits: usize) -> String {
    let point = text.find('.').expect("a fraction");
    match digits {
        0 => text[..point].to_owned(),
        _ => text[..=point + digits].to_owned(),
    }
}

/// Literals of all precisions of each text, and what they are.
fn cuts<T: std::str::FromStr, const N: usize>(
    texts: &[&str],
    digits: [usize; N],
) -> Vec<(String, [T; N])> {
    let edge = |text: &&str| {
        let cut = digits.map(|digits| cut(text, digits));
        let literals = cut.each_ref().map(|text| format!("'{text}'")).join(", ");
        let parse = |text: String| match text.parse() {
            Ok(value) => value,
            Err(_) => panic!("{text} is no value"),
        };
        (literals, cut.map(parse))
    };
    texts.iter().map(edge).collect()
}

const DATETIMES: [&str; 7] = [
    "0000-00-00 00:00:00.000000",
    "2024-00-00 01:02:03.000004",
    "2023-02-31 23:59:59.999999",
    "1000-01-01 00:00:00.100000",
    "1970-01-01 00:00:00.010203",
    "2024-02-29 12:34:56.789012",
    "9999-12-31 23:59:59.999999",
];

fn datetimes_of_each_precision_keep_their_digits(servers: &Servers, flavor: Flavor) {
    let edges = cuts::<DateTime, 7>(&DATETIMES, [0, 1, 2, 3, 4, 5, 6]);
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_datetimes"]).expect("every server has DATETIME");
        case.on_edges("d0, d1, d2, d3, d4, d5, d6", &edges, |snapshot, id| {
            let row = snapshot.t_datetimes().get(id)?;
            Some([row.d0, row.d1, row.d2, row.d3, row.d4, row.d5, row.d6])
        });
    }
}

/// Texts in UTC, and the instants in microseconds; none for the zero timestamp.
const TIMESTAMPS: [(&str, Option<i64>); 6] = [
    ("0000-00-00 00:00:00.000000", None),
    ("1970-01-01 00:00:01.000000", Some(1_000_000)),
    ("2001-09-09 01:46:40.999999", Some(1_000_000_000_999_999)),
    ("2024-03-31 01:30:00.123456", Some(1_711_848_600_123_456)),
    ("2024-10-27 00:30:00.100000", Some(1_729_989_000_100_000)),
    ("2038-01-19 03:14:07.999999", Some(2_147_483_647_999_999)),
];

/// The instants with the digits that columns of these precisions keep.
fn instants<const N: usize>(micros: Option<i64>, digits: [u32; N]) -> [Option<i64>; N] {
    digits.map(|digits| {
        let unit = 10_i64.pow(6 - digits);
        micros.map(|micros| micros / unit * unit)
    })
}

fn timestamps_of_each_precision_are_instants(servers: &Servers, flavor: Flavor) {
    let edges = TIMESTAMPS.map(|(text, micros)| {
        let literals = [0, 1, 3, 6].map(|digits| format!("'{}'", cut(text, digits)));
        (literals.join(", "), instants(micros, [0, 1, 3, 6]))
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_timestamps"]).expect("every server has TIMESTAMP");
        case.on_edges("t0, t1, t3, t6", &edges, |snapshot, id| {
            let row = snapshot.t_timestamps().get(id)?;
            Some([row.t0, row.t1, row.t3, row.t6].map(Timestamp::as_micros))
        });
    }
}

/// Times with their microseconds.
const TIMES: [(&str, i64); 8] = [
    ("00:00:00.000000", 0),
    ("00:00:00.000001", 1),
    ("-00:00:00.100000", -100_000),
    ("-00:00:01.500000", -1_500_000),
    ("-00:59:59.990001", -3_599_990_001),
    ("23:59:59.999999", 86_399_999_999),
    ("838:59:59.000000", 3_020_399_000_000),
    ("-838:59:59.000000", -3_020_399_000_000),
];

/// The time with the digits that a column of this precision keeps.
fn kept(micros: i64, digits: u32) -> i64 {
    let unit = 10_i64.pow(6 - digits);
    micros / unit * unit
}

fn times_of_each_precision_keep_sign_and_digits(servers: &Servers, flavor: Flavor) {
    let edges = TIMES.map(|(text, micros)| {
        let all = [0, 1, 2, 3, 4, 5, 6];
        let literals = all.map(|digits| format!("'{}'", cut(text, digits)));
        (
            literals.join(", "),
            all.map(|digits| kept(micros, digits as u32)),
        )
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_times"]).expect("every server has TIME");
        case.on_edges("t0, t1, t2, t3, t4, t5, t6", &edges, |snapshot, id| {
            let row = snapshot.t_times().get(id)?;
            let all = [row.t0, row.t1, row.t2, row.t3, row.t4, row.t5, row.t6];
            Some(all.map(Time::as_micros))
        });
    }
}

fn years_are_numbers_with_zero(servers: &Servers, flavor: Flavor) {
    let edges = [0, 1901, 1970, 1999, 2000, 2069, 2155].map(|year: u16| (year.to_string(), year));
    // The number 0 is the year 0000; the text '0' would be 2000.
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_years"]).expect("every server has YEAR");
        case.on_edges("y", &edges, |snapshot, id| {
            Some(snapshot.t_years().get(id)?.y)
        });
    }
}

fn old_formats_of_mariadb_give_the_same_values(servers: &Servers, flavor: Flavor) {
    type Row = ([DateTime; 3], [Option<i64>; 2], [i64; 3]);
    let datetimes = cuts::<DateTime, 3>(&DATETIMES, [0, 2, 6]);
    let edges: Vec<(String, Row)> = (0..8)
        .map(|turn: usize| {
            let (literals, days) = &datetimes[turn % datetimes.len()];
            let (text, micros) = TIMESTAMPS[turn % TIMESTAMPS.len()];
            let stamps = [0, 3].map(|digits| format!("'{}'", cut(text, digits)));
            let (time, length) = TIMES[turn];
            let times = [0, 1, 6].map(|digits| format!("'{}'", cut(time, digits)));
            let literals = format!("{literals}, {}, {}", stamps.join(", "), times.join(", "));
            let lengths = [0, 1, 6].map(|digits| kept(length, digits));
            (literals, (*days, instants(micros, [0, 3]), lengths))
        })
        .collect();
    for site in servers.all(flavor) {
        let Some(case) = Case::on_mariadb(site, &["t_old_times"]) else {
            return;
        };
        case.on_edges("d0, d2, d6, s0, s3, t0, t1, t6", &edges, |snapshot, id| {
            let row = snapshot.t_old_times().get(id)?;
            Some((
                [row.d0, row.d2, row.d6],
                [row.s0, row.s3].map(Timestamp::as_micros),
                [row.t0, row.t1, row.t6].map(Time::as_micros),
            ))
        });
    }
}
