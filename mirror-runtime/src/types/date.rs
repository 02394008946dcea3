//! DATE and DATETIME: calendar values without a time zone.

use std::fmt;
use std::str::FromStr;

use super::ParseTemporalError;
use super::fraction::{digits_needed, parse_clock, parse_number, write_fraction};

/// A DATE: year 0 to 9999, month 0 to 12, day 0 to 31.
///
/// The zero date (`0000-00-00`) and partial dates (`2031-00-15`) are values of their own, as on
/// the server; so are days that the month does not have, which `ALLOW_INVALID_DATES` lets in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The zero date, `0000-00-00`.
    pub const ZERO: Self = Self {
        year: 0,
        month: 0,
        day: 0,
    };

    /// The date with these parts, or `None` when one of them is out of the server's range.
    #[must_use]
    pub const fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        if year <= 9999 && month <= 12 && day <= 31 {
            Some(Self { year, month, day })
        } else {
            None
        }
    }

    /// Year, 0 to 9999.
    #[must_use]
    pub const fn year(self) -> u16 {
        self.year
    }

    /// Month, 1 to 12, or 0 in a zero or partial date.
    #[must_use]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// Day of the month, 1 to 31, or 0 in a zero or partial date.
    #[must_use]
    pub const fn day(self) -> u8 {
        self.day
    }

    /// Whether this is the zero date.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.year == 0 && self.month == 0 && self.day == 0
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Date {
    type Err = ParseTemporalError;

    /// Reads `YYYY-MM-DD`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_date(text).ok_or(ParseTemporalError {
            expected: "YYYY-MM-DD",
        })
    }
}

fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let year = parse_number(parts.next()?, 4, 4)?;
    let month = parse_number(parts.next()?, 2, 2)?;
    let day = parse_number(parts.next()?, 2, 2)?;
    if parts.next().is_some() {
        return None;
    }
    Date::new(
        u16::try_from(year).ok()?,
        u8::try_from(month).ok()?,
        u8::try_from(day).ok()?,
    )
}

/// A DATETIME: a [`Date`] and a time of day to the microsecond, in no time zone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DateTime {
    date: Date,
    hour: u8,
    minute: u8,
    second: u8,
    micros: u32,
}

impl DateTime {
    /// The zero value, `0000-00-00 00:00:00`.
    pub const ZERO: Self = Self {
        date: Date::ZERO,
        hour: 0,
        minute: 0,
        second: 0,
        micros: 0,
    };

    /// The value with these parts, or `None` when one of them is out of range (hour 0 to 23,
    /// minute and second 0 to 59, microseconds 0 to 999999).
    #[must_use]
    pub const fn new(date: Date, hour: u8, minute: u8, second: u8, micros: u32) -> Option<Self> {
        if hour <= 23 && minute <= 59 && second <= 59 && micros <= 999_999 {
            Some(Self {
                date,
                hour,
                minute,
                second,
                micros,
            })
        } else {
            None
        }
    }

    /// The calendar part.
    #[must_use]
    pub const fn date(self) -> Date {
        self.date
    }

    /// Hour, 0 to 23.
    #[must_use]
    pub const fn hour(self) -> u8 {
        self.hour
    }

    /// Minute, 0 to 59.
    #[must_use]
    pub const fn minute(self) -> u8 {
        self.minute
    }

    /// Second, 0 to 59.
    #[must_use]
    pub const fn second(self) -> u8 {
        self.second
    }

    /// Fraction of the second in microseconds, 0 to 999999.
    #[must_use]
    pub const fn micros(self) -> u32 {
        self.micros
    }

    /// Whether every part is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.date.is_zero()
            && self.hour == 0
            && self.minute == 0
            && self.second == 0
            && self.micros == 0
    }

    /// The value as text with exactly `fsp` (0 to 6) digits of the fraction, as the server
    /// prints a DATETIME(fsp); further digits are cut off.
    #[must_use]
    pub fn with_fsp(self, fsp: u8) -> impl fmt::Display {
        DateTimeText { value: self, fsp }
    }
}

struct DateTimeText {
    value: DateTime,
    fsp: u8,
}

impl fmt::Display for DateTimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DateTime {
            date,
            hour,
            minute,
            second,
            micros,
        } = self.value;
        write!(f, "{date} {hour:02}:{minute:02}:{second:02}")?;
        write_fraction(f, micros, self.fsp)
    }
}

impl fmt::Display for DateTime {
    /// Prints `YYYY-MM-DD HH:MM:SS`, with six digits of a fraction that is not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.with_fsp(digits_needed(self.micros)), f)
    }
}

impl fmt::Debug for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for DateTime {
    type Err = ParseTemporalError;

    /// Reads `YYYY-MM-DD HH:MM:SS[.ffffff]`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_date_time(text).ok_or(ParseTemporalError {
            expected: "YYYY-MM-DD HH:MM:SS[.ffffff]",
        })
    }
}

fn parse_date_time(text: &str) -> Option<DateTime> {
    let (date, clock) = text.split_once(' ')?;
    let (hour, minute, second, micros) = parse_clock(clock)?;
    DateTime::new(
        parse_date(date)?,
        u8::try_from(hour).ok()?,
        u8::try_from(minute).ok()?,
        u8::try_from(second).ok()?,
        micros,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_partial_dates_are_values_of_their_own() {
        let zero: Date = "0000-00-00".parse().unwrap();
        let partial: Date = "2031-00-15".parse().unwrap();
        assert!(zero.is_zero());
        assert!(!partial.is_zero());
        assert_eq!(partial.to_string(), "2031-00-15");
        assert_eq!(
            (partial.year(), partial.month(), partial.day()),
            (2031, 0, 15)
        );
        assert!(zero < partial);
    }

    #[test]
    fn dates_outside_of_the_calendar_of_the_server_are_refused() {
        assert_eq!(Date::new(10_000, 1, 1), None);
        assert_eq!(Date::new(2031, 13, 1), None);
        assert_eq!(Date::new(2031, 1, 32), None);
        for text in [
            "2031-1-15",
            "2031-01-15 ",
            "+031-01-15",
            "2031-01-15-01",
            "",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    #[test]
    fn date_time_prints_exactly_the_digits_of_its_precision() {
        let value: DateTime = "2031-05-00 10:00:07.01".parse().unwrap();
        assert_eq!(value.micros(), 10_000);
        assert_eq!(value.with_fsp(0).to_string(), "2031-05-00 10:00:07");
        assert_eq!(value.with_fsp(3).to_string(), "2031-05-00 10:00:07.010");
        assert_eq!(value.with_fsp(6).to_string(), "2031-05-00 10:00:07.010000");
        assert_eq!(value.to_string(), "2031-05-00 10:00:07.010000");
        assert_eq!(DateTime::ZERO.to_string(), "0000-00-00 00:00:00");
    }

    #[test]
    fn date_times_order_by_time() {
        let early: DateTime = "2031-05-01 10:00:07.999999".parse().unwrap();
        let late: DateTime = "2031-05-01 10:00:08".parse().unwrap();
        assert!(early < late);
        assert!("2031-05-01 24:00:00".parse::<DateTime>().is_err());
        assert!("2031-05-01 10:60:00".parse::<DateTime>().is_err());
    }
}
