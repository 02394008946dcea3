//! MariaDB's old temporal formats with a fraction: columns made before 10.1, or with
//! `mysql56_temporal_format=OFF`. SHOW CREATE TABLE marks them with `/* mariadb-5.3 */`.
//!
//! Format: MariaDB source, `Field_datetime_hires`, `Field_time_hires` and
//! `Field_timestamp_hires`: one big-endian number whose unit is the last digit of the fraction.

use super::temporal::{BAD_DATE_TIME, BAD_TIME, BAD_TIMESTAMP, date};
use super::{DateTime, Time};
use crate::error::ValueError;

/// TIME is counted from -839 hours on.
const TIME_ZERO_SECONDS: u64 = 839 * 3600;

/// The bytes as a big-endian number.
fn number(raw: &[u8]) -> u64 {
    raw.iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Units of a second with so many digits, and microseconds of one unit.
fn units(digits: u8) -> (u64, u64) {
    let digits = u32::from(digits.min(6));
    (10_u64.pow(digits), 10_u64.pow(6 - digits))
}

/// A DATETIME: ((((year * 13 + month) * 32 + day) * 24 + hour) * 60 + minute) * 60 + second, then
/// the fraction.
pub(super) fn date_time(raw: &[u8], digits: u8) -> Result<DateTime, ValueError> {
    let (per_second, micros) = units(digits);
    let packed = number(raw);
    let (seconds, fraction) = (packed / per_second, packed % per_second);
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hours, minute) = (minutes / 60, minutes % 60);
    let (days, hour) = (hours / 24, hours % 24);
    let (months, day) = (days / 32, days % 32);
    let date = date(months / 13, months % 13, day)?;
    let fraction = (fraction * micros) as u32;
    DateTime::new(date, hour as u8, minute as u8, second as u8, fraction).ok_or(BAD_DATE_TIME)
}

/// A TIMESTAMP: seconds since 1970 and microseconds; the fraction has its own bytes.
pub(super) fn timestamp(raw: &[u8], digits: u8) -> Result<(u64, u32), ValueError> {
    let Some((seconds, fraction)) = raw.split_at_checked(4) else {
        return Err(BAD_TIMESTAMP);
    };
    let micros = number(fraction) * units(digits).1;
    match u32::try_from(micros) {
        Ok(micros @ 0..=999_999) => Ok((number(seconds), micros)),
        _ => Err(BAD_TIMESTAMP),
    }
}

/// A TIME.
pub(super) fn time(raw: &[u8], digits: u8) -> Result<Time, ValueError> {
    let (per_second, micros) = units(digits);
    let shifted = number(raw);
    let zero = TIME_ZERO_SECONDS * per_second;
    let units = shifted.abs_diff(zero);
    let (seconds, fraction) = (units / per_second, units % per_second);
    let hours = u32::try_from(seconds / 3600).map_err(|_| BAD_TIME)?;
    Time::new(
        shifted < zero,
        hours,
        (seconds / 60 % 60) as u32,
        (seconds % 60) as u32,
        (fraction * micros) as u32,
    )
    .ok_or(BAD_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    // As MariaDB 11.8 logged them with mysql56_temporal_format=OFF.

    #[test]
    fn datetimes_have_all_their_digits() {
        for (digits, raw, text) in [
            (1, &b"\0\xa9\xfa\x43\x2b\x7b"[..], "2031-02-03 04:05:06.7"),
            (3, b"\0\x42\x65\xc2\x3c\xfc\x65", "2031-02-03 04:05:06.789"),
            (
                6,
                b"\x01\x03\x5d\x7e\xbe\x39\xea\x94",
                "2031-02-03 04:05:06.789012",
            ),
        ] {
            let value = date_time(raw, digits).unwrap();
            assert_eq!(value.with_fsp(digits).to_string(), text);
        }
    }

    #[test]
    fn times_keep_sign_and_fraction() {
        for (digits, raw, text) in [
            (1, &b"\x01\xcc\x4e\xee"[..], "-01:02:03.4"),
            (2, b"\x11\xfb\x15\x47", "-01:02:03.45"),
            (3, b"\0\xb3\xce\xd4\xc0", "-01:02:03.456"),
            (6, b"\x05\x7e\x7b\xbc\xf7\xff", "838:59:59.999999"),
        ] {
            let value = time(raw, digits).unwrap();
            assert_eq!(value.with_fsp(digits).to_string(), text);
        }
    }

    #[test]
    fn timestamps_have_their_fraction_behind_the_seconds() {
        let seconds = 0x72e8_c6f2;
        assert_eq!(
            timestamp(b"\x72\xe8\xc6\xf2\x07", 1),
            Ok((seconds, 700_000))
        );
        assert_eq!(
            timestamp(b"\x72\xe8\xc6\xf2\x1e\xd2", 4),
            Ok((seconds, 789_000))
        );
        assert_eq!(
            timestamp(b"\x72\xe8\xc6\xf2\x0c\x0a\x14", 6),
            Ok((seconds, 789_012))
        );
        assert!(timestamp(b"\x72\xe8\xc6", 6).is_err());
        assert!(timestamp(b"\x72\xe8\xc6\xf2\x0f\x42\x40", 6).is_err());
    }
}
