//! How far work on rows is, and how long the rest of it will take.

use std::fmt;
use std::time::Duration;

/// How far a load or a comparison of rows is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Rows that are done.
    pub rows: u64,
    /// All rows, as far as they can be told: of a load the server's estimate, which may be off
    /// by half.
    pub estimated_rows: u64,
    /// Time since the first row was asked for.
    pub elapsed: Duration,
}

impl Progress {
    /// Rows a second since the start; `None` before there are any.
    #[must_use]
    pub fn rows_per_second(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (self.rows > 0 && seconds > 0.0).then(|| self.rows as f64 / seconds)
    }

    /// Time that the rest takes at that rate; `None` before there is a rate, and when there are
    /// more rows than were estimated.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let rows = self.estimated_rows.checked_sub(self.rows)?;
        let seconds = rows as f64 / self.rows_per_second()?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// `1200000 of about 3000000 rows, 400000 rows/s, about 4 s left`.
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of about ", self.rows)?;
        write!(f, "{} rows", self.estimated_rows.max(self.rows))?;
        if let Some(rate) = self.rows_per_second() {
            write!(f, ", {rate:.0} rows/s")?;
        }
        match self.left().map(|left| left.as_secs_f64().ceil() as u64) {
            Some(left @ 0..=119) => write!(f, ", about {left} s left"),
            Some(left @ 120..=7199) => write!(f, ", about {} min left", left.div_ceil(60)),
            Some(left) => write!(f, ", about {} h left", left.div_ceil(3600)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(rows: u64, estimated_rows: u64, seconds: u64) -> Progress {
        Progress {
            rows,
            estimated_rows,
            elapsed: Duration::from_secs(seconds),
        }
    }

    #[test]
    fn the_rest_takes_as_long_as_its_share_of_the_rows() {
        let third = progress(1_000, 3_000, 10);
        assert_eq!(third.rows_per_second(), Some(100.0));
        assert_eq!(third.left(), Some(Duration::from_secs(20)));
        let text = "1000 of about 3000 rows, 100 rows/s, about 20 s left";
        assert_eq!(third.to_string(), text);
        let slow = progress(1_000, 3_000_000, 10);
        assert!(slow.to_string().ends_with("about 9 h left"), "{slow}");
    }

    #[test]
    fn without_rows_or_with_more_than_were_estimated_there_is_no_time_left_to_tell() {
        assert_eq!(progress(0, 3_000, 10).left(), None);
        assert_eq!(progress(0, 3_000, 10).to_string(), "0 of about 3000 rows");
        assert_eq!(progress(0, 0, 0).left(), None);
        let more = progress(4_000, 3_000, 10);
        assert_eq!(more.left(), None);
        assert_eq!(more.to_string(), "4000 of about 4000 rows, 400 rows/s");
    }
}
