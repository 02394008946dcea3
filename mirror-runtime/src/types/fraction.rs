//! Fractions of a second as text: printing with a fixed number of digits, and reading.

use std::fmt;

/// Writes `.` and the first `digits` (0 to 6) digits of a fraction; nothing for 0.
pub(super) fn write_fraction(f: &mut fmt::Formatter<'_>, micros: u32, digits: u8) -> fmt::Result {
    if digits == 0 {
        return Ok(());
    }
    let digits = digits.min(6);
    let shown = micros / 10u32.pow(6 - u32::from(digits));
    write!(f, ".{shown:0width$}", width = usize::from(digits))
}

/// Digits that show a fraction without loss in the short form: none or six.
pub(super) fn digits_needed(micros: u32) -> u8 {
    if micros == 0 { 0 } else { 6 }
}

/// Reads an unsigned decimal number of `min` to `max` digits that is all of `text`.
pub(super) fn parse_number(text: &str, min: usize, max: usize) -> Option<u32> {
    let right_length = text.len() >= min && text.len() <= max;
    let all_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if right_length && all_digits {
        text.parse().ok()
    } else {
        None
    }
}

/// Splits `HH:MM:SS[.ffffff]` into its numbers: hours, minutes, seconds, microseconds.
pub(super) fn parse_clock(text: &str) -> Option<(u32, u32, u32, u32)> {
    let (clock, micros) = match text.split_once('.') {
        None => (text, 0),
        Some((clock, fraction)) => {
            let digits = parse_number(fraction, 1, 6)?;
            let missing = 6 - u32::try_from(fraction.len()).ok()?;
            (clock, digits * 10u32.pow(missing))
        }
    };
    let mut parts = clock.split(':');
    let hours = parse_number(parts.next()?, 2, 3)?;
    let minutes = parse_number(parts.next()?, 2, 2)?;
    let seconds = parse_number(parts.next()?, 2, 2)?;
    parts
        .next()
        .is_none()
        .then_some((hours, minutes, seconds, micros))
}
