//! TIME: a signed duration.

use std::fmt;
use std::str::FromStr;

use super::ParseTemporalError;
use super::fraction::{digits_needed, parse_clock, write_fraction};

const MICROS_PER_SECOND: u64 = 1_000_000;
const MAX_HOURS: u64 = 838;
const LIMIT_MICROS: u64 = ((MAX_HOURS + 1) * 3600) * MICROS_PER_SECOND;

/// A TIME: a signed duration in microseconds, up to 838:59:59.999999 either way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time {
    micros: i64,
}

impl Time {
    /// No time at all.
    pub const ZERO: Self = Self { micros: 0 };

    /// The duration of so many microseconds, or `None` beyond 838:59:59.999999.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Option<Self> {
        if micros.unsigned_abs() < LIMIT_MICROS {
            Some(Self { micros })
        } else {
            None
        }
    }

    /// The duration with these parts, or `None` when one is out of range (hours 0 to 838,
    /// minutes and seconds 0 to 59, microseconds 0 to 999999).
    #[must_use]
    pub fn new(
        negative: bool,
        hours: u32,
        minutes: u32,
        seconds: u32,
        micros: u32,
    ) -> Option<Self> {
        // Hours that are far too many would overflow below.
        if hours > 838 || minutes > 59 || seconds > 59 || micros > 999_999 {
            return None;
        }
        let whole = i64::from(hours) * 3600 + i64::from(minutes) * 60 + i64::from(seconds);
        let magnitude = whole * 1_000_000 + i64::from(micros);
        Self::from_micros(if negative { -magnitude } else { magnitude })
    }

    /// The whole duration in microseconds.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.micros
    }

    /// Whether the duration is below zero; a property of the whole value.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.micros < 0
    }

    /// Hours of the magnitude, 0 to 838.
    #[must_use]
    pub const fn hours(self) -> u32 {
        (self.micros.unsigned_abs() / MICROS_PER_SECOND / 3600) as u32
    }

    /// Minutes of the magnitude, 0 to 59.
    #[must_use]
    pub const fn minutes(self) -> u32 {
        (self.micros.unsigned_abs() / MICROS_PER_SECOND / 60 % 60) as u32
    }

    /// Seconds of the magnitude, 0 to 59.
    #[must_use]
    pub const fn seconds(self) -> u32 {
        (self.micros.unsigned_abs() / MICROS_PER_SECOND % 60) as u32
    }

    /// Fraction of a second of the magnitude in microseconds, 0 to 999999.
    #[must_use]
    pub const fn subsec_micros(self) -> u32 {
        (self.micros.unsigned_abs() % MICROS_PER_SECOND) as u32
    }

    /// The value as text with exactly `fsp` (0 to 6) digits of the fraction, as the server
    /// prints a TIME(fsp); further digits are cut off.
    #[must_use]
    pub fn with_fsp(self, fsp: u8) -> impl fmt::Display {
        TimeText { value: self, fsp }
    }
}

struct TimeText {
    value: Time,
    fsp: u8,
}

impl fmt::Display for TimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        let sign = if value.is_negative() { "-" } else { "" };
        write!(
            f,
            "{sign}{:02}:{:02}:{:02}",
            value.hours(),
            value.minutes(),
            value.seconds()
        )?;
        write_fraction(f, value.subsec_micros(), self.fsp)
    }
}

impl fmt::Display for Time {
    /// Prints `[-]HH:MM:SS`, with six digits of a fraction that is not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.with_fsp(digits_needed(self.subsec_micros())), f)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Time {
    type Err = ParseTemporalError;

    /// Reads `[-]HH:MM:SS[.ffffff]`, hours of two or three digits.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (negative, clock) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        parse_clock(clock)
            .and_then(|(hours, minutes, seconds, micros)| {
                Self::new(negative, hours, minutes, seconds, micros)
            })
            .ok_or(ParseTemporalError {
                expected: "[-]HH:MM:SS[.ffffff] up to 838:59:59.999999",
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_beyond_the_range_are_refused_however_many() {
        for hours in [839, 2_562_047_789, u32::MAX] {
            assert_eq!(Time::new(false, hours, 0, 0, 0), None);
        }
    }

    #[test]
    fn sign_shows_when_only_the_fraction_is_not_zero() {
        let value = Time::from_micros(-1).unwrap();
        assert_eq!(value.to_string(), "-00:00:00.000001");
        assert_eq!(value.with_fsp(6).to_string(), "-00:00:00.000001");
        assert!(value.is_negative());
        assert_eq!("-00:00:00.000001".parse(), Ok(value));
    }

    #[test]
    fn range_is_that_of_the_server() {
        let longest: Time = "838:59:59.999999".parse().unwrap();
        assert_eq!(longest.hours(), 838);
        assert_eq!(Time::from_micros(longest.as_micros() + 1), None);
        assert_eq!(Time::from_micros(i64::MIN), None);
        assert!("839:00:00".parse::<Time>().is_err());
        assert!("-838:59:60".parse::<Time>().is_err());
        let shortest: Time = "-838:59:59.000000".parse().unwrap();
        assert!(shortest < Time::ZERO);
        assert_eq!(shortest.with_fsp(2).to_string(), "-838:59:59.00");
    }
}
