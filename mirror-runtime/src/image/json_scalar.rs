//! Scalars of JSON text, printed as the MySQL server prints them (MySQL source, `my_gcvt()`,
//! `double_quote()`).

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Writes a JSON string: quotes, backslashes and control characters are escaped, all other
/// characters stand for themselves.
pub(crate) fn write_json_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut plain_from = 0;
    for (at, byte) in text.iter().enumerate() {
        if *byte >= b' ' && *byte != b'"' && *byte != b'\\' {
            continue;
        }
        out.extend_from_slice(text.get(plain_from..at).unwrap_or_default());
        plain_from = at + 1;
        write_escape(out, *byte);
    }
    out.extend_from_slice(text.get(plain_from..).unwrap_or_default());
    out.push(b'"');
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        8 => b'b',
        9 => b't',
        10 => b'n',
        12 => b'f',
        13 => b'r',
        control => {
            out.extend_from_slice(b"\\u00");
            for digit in [control >> 4, control & 15] {
                out.push(HEX.get(usize::from(digit)).copied().unwrap_or(b'0'));
            }
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// The smallest position of the decimal point, counted from before the first digit, for which
/// the server prints a double without an exponent.
const MIN_PLAIN_POINT: i32 = -14;
/// The largest such position for doubles that have no digits behind the point.
const MAX_PLAIN_POINT: i32 = 15;

/// Writes a finite double: the shortest digits that read back as the same number, with an
/// exponent only for large and small ones, and with `.0` when nothing else tells that it is no
/// integer.
pub(super) fn write_json_double(out: &mut Vec<u8>, number: f64) {
    if number.is_sign_negative() {
        out.push(b'-');
    }
    // Where two numbers of the shortest length are equally near, ryu takes the even one, as the
    // server does; the standard library does not.
    let mut buffer = ryu::Buffer::new();
    let (digits, point) = shortest_digits(buffer.format_finite(number.abs()));
    let has_fraction = i32::try_from(digits.len()).is_ok_and(|length| length > point);
    if point >= MIN_PLAIN_POINT && (point <= MAX_PLAIN_POINT || has_fraction) {
        write_plain(out, &digits, point);
    } else {
        write_scientific(out, &digits, point - 1);
    }
}

/// The digits of a number printed like `120.0`, `0.0012` or `1.2e-7`, without zeros at either
/// end (but one for zero), and the position of the decimal point before, in or behind them.
fn shortest_digits(text: &str) -> (Vec<u8>, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = [whole.as_bytes(), fraction.as_bytes()].concat();
    let leading = digits.iter().take_while(|digit| **digit == b'0').count();
    if leading == digits.len() {
        return (vec![b'0'], 1);
    }
    digits.drain(..leading);
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    // A number has at most 25 characters here, so nothing overflows.
    let point = whole.len() as i32 - leading as i32 + exponent.parse().unwrap_or(0);
    (digits, point)
}

fn write_plain(out: &mut Vec<u8>, digits: &[u8], point: i32) {
    match usize::try_from(point) {
        Ok(point @ 1..) if point < digits.len() => {
            let (whole, fraction) = digits.split_at(point);
            out.extend_from_slice(whole);
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
        Ok(point @ 1..) => {
            out.extend_from_slice(digits);
            out.resize(out.len() + point - digits.len(), b'0');
            out.extend_from_slice(b".0");
        }
        _ => {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + point.unsigned_abs() as usize, b'0');
            out.extend_from_slice(digits);
        }
    }
}

fn write_scientific(out: &mut Vec<u8>, digits: &[u8], exponent: i32) {
    let (first, rest) = digits.split_at(digits.len().min(1));
    out.extend_from_slice(first);
    if !rest.is_empty() {
        out.push(b'.');
        out.extend_from_slice(rest);
    }
    // Writing into memory does not fail.
    let _ = write!(out, "e{exponent}");
}

/// Writes bytes of a type that JSON has no form for: `"base64:typeN:..."`, in lines of 76
/// characters with an escaped line feed between them.
pub(super) fn write_json_opaque(out: &mut Vec<u8>, type_code: u8, bytes: &[u8]) {
    const BYTES_PER_LINE: usize = 57;
    // Writing into memory does not fail.
    let _ = write!(out, "\"base64:type{type_code}:");
    for (number, line) in bytes.chunks(BYTES_PER_LINE).enumerate() {
        if number > 0 {
            out.extend_from_slice(b"\\n");
        }
        out.extend_from_slice(STANDARD.encode(line).as_bytes());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(number: f64) -> String {
        let mut out = Vec::new();
        write_json_double(&mut out, number);
        String::from_utf8(out).unwrap()
    }

    /// Expected texts were printed by MySQL 9.7.4.
    #[test]
    fn doubles_print_as_the_server_prints_them() {
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (100.0, "100.0"),
            (999_999_999_999_999.0, "999999999999999.0"),
            (123_456_789_012_345.0, "123456789012345.0"),
            (1e15, "1e15"),
            (-1e15, "-1e15"),
            (1_234_567_890_123_456.0, "1.234567890123456e15"),
            (123_456_789_012_345_678.0, "1.2345678901234568e17"),
            (1e22, "1e22"),
            (1e-5, "0.00001"),
            (1e-15, "0.000000000000001"),
            (1.5e-14, "0.000000000000015"),
            (
                -1.234_567_890_123_456_7e-14,
                "-0.000000000000012345678901234567",
            ),
            (-1.5e-20, "-1.5e-20"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e308"),
            (9_007_199_254_740_992.0, "9.007199254740992e15"),
            (-3_968_634_440_741_367.5, "-3968634440741367.5"),
            (1_755_255_812_805_360.8, "1755255812805360.8"),
            // Two numbers of 16 digits are equally near.
            (941_818_312_029_790.0 + 0.25, "941818312029790.2"),
            (2f64.powi(-25), "0.000000029802322387695312"),
        ] {
            assert_eq!(double(number), text);
        }
    }

    #[test]
    fn strings_escape_what_the_server_escapes() {
        let mut out = Vec::new();
        write_json_string(
            &mut out,
            "\u{0}\u{1}\u{1f}\u{7f}\u{8}\u{c}\n\r\t\"\\/é😀\u{2028}".as_bytes(),
        );
        let expected = "\"\\u0000\\u0001\\u001f\u{7f}\\b\\f\\n\\r\\t\\\"\\\\/é😀\u{2028}\"";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn long_opaque_values_break_their_lines_as_the_server_does() {
        for (length, breaks) in [(0, 0), (57, 0), (58, 1), (114, 1), (115, 2)] {
            let mut out = Vec::new();
            write_json_opaque(&mut out, 15, &vec![0; length]);
            let text = String::from_utf8(out).unwrap();
            assert!(text.starts_with("\"base64:type15:"));
            assert_eq!(text.matches("\\n").count(), breaks, "{length} bytes");
            assert!(!text.ends_with("\\n\""));
        }
    }
}
