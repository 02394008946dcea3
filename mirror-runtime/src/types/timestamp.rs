//! TIMESTAMP: an instant.

use std::fmt;
use std::str::FromStr;

use super::fraction::{digits_needed, write_fraction};
use super::{Date, DateTime, ParseTemporalError};

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// A TIMESTAMP: microseconds since 1970-01-01 00:00:00 UTC, up to 2106-02-07 06:28:15.999999.
///
/// The zero timestamp (`0000-00-00 00:00:00`) is a value of its own that sorts before all
/// others. It is stored by the servers as the epoch itself, which is therefore no value of the
/// type: the first instant is after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp {
    /// 0 is the zero timestamp.
    micros: i64,
}

impl Timestamp {
    /// The zero timestamp, `0000-00-00 00:00:00`.
    pub const ZERO: Self = Self { micros: 0 };

    /// The instant of so many seconds and microseconds (0 to 999999) since the epoch, `None`
    /// when the microseconds are out of range; 0 and 0 give the zero timestamp, as on the wire.
    #[must_use]
    pub const fn from_wire(seconds: u32, micros: u32) -> Option<Self> {
        if micros <= 999_999 {
            Some(Self {
                micros: seconds as i64 * MICROS_PER_SECOND + micros as i64,
            })
        } else {
            None
        }
    }

    /// The instant that this date and time of day in UTC is, the zero timestamp for the zero
    /// value; `None` outside of the type's range and for partial dates.
    #[must_use]
    pub fn from_utc(civil: DateTime) -> Option<Self> {
        if civil.is_zero() {
            return Some(Self::ZERO);
        }
        let date = civil.date();
        if date.month() == 0 || date.day() == 0 {
            return None;
        }
        let of_day = i64::from(civil.hour()) * 3600
            + i64::from(civil.minute()) * 60
            + i64::from(civil.second());
        let seconds = days_from_civil(date) * SECONDS_PER_DAY + of_day;
        let seconds = u32::try_from(seconds).ok()?;
        if seconds == 0 && civil.micros() == 0 {
            return None;
        }
        Self::from_wire(seconds, civil.micros())
    }

    /// Whether this is the zero timestamp.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.micros == 0
    }

    /// Microseconds since 1970-01-01 00:00:00 UTC, `None` for the zero timestamp.
    #[must_use]
    pub const fn as_micros(self) -> Option<i64> {
        if self.is_zero() {
            None
        } else {
            Some(self.micros)
        }
    }

    /// Whole seconds since 1970-01-01 00:00:00 UTC, `None` for the zero timestamp.
    #[must_use]
    pub const fn as_seconds(self) -> Option<i64> {
        if self.is_zero() {
            None
        } else {
            Some(self.micros / MICROS_PER_SECOND)
        }
    }

    /// Fraction of the second in microseconds, 0 to 999999.
    #[must_use]
    pub const fn subsec_micros(self) -> u32 {
        (self.micros % MICROS_PER_SECOND) as u32
    }

    /// Date and time of day in UTC; the zero value for the zero timestamp.
    #[must_use]
    pub fn to_utc(self) -> DateTime {
        if self.is_zero() {
            return DateTime::ZERO;
        }
        let seconds = self.micros / MICROS_PER_SECOND;
        let of_day = seconds % SECONDS_PER_DAY;
        let date = civil_from_days(seconds / SECONDS_PER_DAY);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        DateTime::new(
            date,
            hour as u8,
            minute as u8,
            second as u8,
            self.subsec_micros(),
        )
        .unwrap_or(DateTime::ZERO)
    }

    /// The value in UTC as text with exactly `fsp` (0 to 6) digits of the fraction, as the
    /// server prints a TIMESTAMP(fsp) in a session at +00:00; further digits are cut off.
    #[must_use]
    pub fn with_fsp(self, fsp: u8) -> impl fmt::Display {
        self.to_utc().with_fsp(fsp)
    }
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
///
/// Counts years from March, so that the leap day is the last of a year, in eras of 400 years.
fn days_from_civil(date: Date) -> i64 {
    let (month, day) = (i64::from(date.month()), i64::from(date.day()));
    let year = i64::from(date.year()) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`], for days from 0 on.
fn civil_from_days(days: i64) -> Date {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    Date::new(year as u16, month as u8, day as u8).unwrap_or(Date::ZERO)
}

impl fmt::Display for Timestamp {
    /// Prints `YYYY-MM-DD HH:MM:SS` in UTC, with six digits of a fraction that is not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = self.to_utc();
        fmt::Display::fmt(&civil.with_fsp(0), f)?;
        write_fraction(f, civil.micros(), digits_needed(civil.micros()))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = ParseTemporalError;

    /// Reads `YYYY-MM-DD HH:MM:SS[.ffffff]` in UTC.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<DateTime>()
            .ok()
            .and_then(Self::from_utc)
            .ok_or(ParseTemporalError {
                expected: "YYYY-MM-DD HH:MM:SS[.ffffff] from 1970 to 2106, in UTC",
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_timestamp_is_neither_the_epoch_nor_an_instant() {
        let zero: Timestamp = "0000-00-00 00:00:00".parse().unwrap();
        assert_eq!(zero, Timestamp::ZERO);
        assert_eq!(zero.as_micros(), None);
        assert_eq!(zero.with_fsp(6).to_string(), "0000-00-00 00:00:00.000000");
        assert!("1970-01-01 00:00:00".parse::<Timestamp>().is_err());
        assert!(zero < "1970-01-01 00:00:01".parse().unwrap());
    }

    #[test]
    fn instants_convert_to_utc_and_back() {
        for (seconds, text) in [
            (1, "1970-01-01 00:00:01"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (951_868_800, "2000-03-01 00:00:00"),
            (1_925_038_800, "2031-01-01 13:00:00"),
            (2_147_483_647, "2038-01-19 03:14:07"),
            (2_147_483_648, "2038-01-19 03:14:08"),
            (u32::MAX, "2106-02-07 06:28:15"),
        ] {
            let value = Timestamp::from_wire(seconds, 0).unwrap();
            assert_eq!(value.to_string(), text);
            assert_eq!(text.parse(), Ok(value));
            assert_eq!(value.as_seconds(), Some(i64::from(seconds)));
        }
        assert!("2106-02-07 06:28:16".parse::<Timestamp>().is_err());
        assert!("1969-12-31 23:59:59".parse::<Timestamp>().is_err());
        assert!("2031-00-01 00:00:00".parse::<Timestamp>().is_err());
    }

    #[test]
    fn every_day_of_the_range_converts_and_back() {
        let mut before = civil_from_days(0);
        assert_eq!(before.to_string(), "1970-01-01");
        for day in 1..49_711 {
            let date = civil_from_days(day);
            assert!(date > before, "{date} after {before}");
            assert_eq!(days_from_civil(date), day);
            before = date;
        }
        assert_eq!(before.to_string(), "2106-02-07");
    }
}
