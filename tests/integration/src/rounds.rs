//! How often the tests that repeat themselves do so.

/// Environment variable that multiplies all counts; 1 without it.
const VARIABLE: &str = "MIRROR_TEST_ROUNDS";

/// The count for this run: `base` times `MIRROR_TEST_ROUNDS`, at least 1; printed with the
/// test's output, so that a short run cannot be taken for a long one.
///
/// # Panics
/// When the variable is not a number.
#[must_use]
pub fn rounds(what: &str, base: u32) -> u32 {
    let factor = std::env::var(VARIABLE).map_or(1.0, |text| {
        text.parse::<f64>()
            .unwrap_or_else(|_| panic!("{VARIABLE} is a number, found {text:?}"))
    });
    let count = (f64::from(base) * factor).round().max(1.0) as u32;
    println!("{what}: {count} ({base} times {VARIABLE}={factor})");
    count
}
