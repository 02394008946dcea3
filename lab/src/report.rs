//! Progress lines of the long steps.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Receiver of progress lines: one call per line, no newline at its end.
#[derive(Clone)]
pub struct Reporter(Arc<dyn Fn(&str) + Send + Sync>);

impl Reporter {
    /// Reporter that hands each line to `line`.
    pub fn new(line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Reporter(Arc::new(line))
    }

    /// Reporter that drops all lines.
    #[must_use]
    pub fn silent() -> Self {
        Reporter::new(|_| {})
    }

    /// Reporter that prints each line to standard error.
    #[must_use]
    pub fn stderr() -> Self {
        Reporter::new(|line| eprintln!("{line}"))
    }

    /// Hands one line over.
    pub fn say(&self, line: &str) {
        (self.0)(line);
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reporter")
    }
}

/// A number of bytes for people: `512 B`, `14.3 MiB`.
#[must_use]
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    format!("{value:.1} {name}")
}

/// A time for people: `320 ms`, `4.1 s`, `2 min 5 s`.
#[must_use]
pub fn human_seconds(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds >= 60 {
        format!("{} min {} s", seconds / 60, seconds % 60)
    } else if seconds >= 1 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} ms", time.as_millis())
    }
}

/// The last lines of a text, with a note if there were more. Of those, a server's errors are
/// shown all the same: an old one says much after the error that ends it.
pub(crate) fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    let skipped = all.len().saturating_sub(lines);
    let rest = all.get(skipped..).unwrap_or_default().join("\n");
    if skipped == 0 {
        return rest;
    }
    let before = all.iter().take(skipped);
    let errors = before.filter(|line| line.contains("[ERROR]")).take(lines);
    let errors: String = errors.map(|line| format!("{line}\n")).collect();
    let cut = text.len().saturating_sub(rest.len() + errors.len());
    format!("[... {} before]\n{errors}{rest}", human_bytes(cut as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_the_fitting_unit() {
        assert_eq!(human_bytes(1023), "1023 B");
        assert_eq!(human_bytes(1024), "1.0 KiB");
        assert_eq!(human_bytes(59_828_700), "57.1 MiB");
        assert_eq!(human_bytes(u64::MAX), "16777216.0 TiB");
        assert_eq!(human_seconds(Duration::from_millis(999)), "999 ms");
        assert_eq!(human_seconds(Duration::from_millis(1500)), "1.5 s");
        assert_eq!(human_seconds(Duration::from_secs(125)), "2 min 5 s");
    }

    #[test]
    fn tail_says_that_there_was_more() {
        assert_eq!(tail("a\nb\n", 2), "a\nb");
        let cut = tail("a\nb\nc\n", 2);
        assert!(cut.starts_with("[... ") && cut.ends_with("\nb\nc"), "{cut}");
    }

    #[test]
    fn tail_shows_the_errors_before_it() {
        let cut = tail("a\n1 [ERROR] no\nb\nc\nd\n", 2);
        assert_eq!(cut, "[... 5 B before]\n1 [ERROR] no\nc\nd");
    }
}
