//! DECIMAL: packed groups of nine digits in a row image, digits as text from a SELECT.
//!
//! Format: MySQL source, `decimal2bin()`: the digits before and after the point are each cut
//! into groups of nine from the point outwards, a group takes four bytes and a shorter
//! outermost one as few as hold it, all big endian; the highest bit is inverted, and a negative
//! number has every bit inverted.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::{BigInt, BigUint, Sign};
use rust_decimal::Decimal;

use super::select::{not_null, select_bytes};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::{ColumnLayout, ColumnType};
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

const GROUP_DIGITS: u32 = 9;
/// Bytes of a group by its digits.
const GROUP_BYTES: [u8; 10] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];
/// The most digits that [`Decimal`] holds for every value of them.
const MAX_DIGITS_OF_DECIMAL: u8 = 28;

const NOT_DIGITS: ValueError = ValueError::Invalid("DECIMAL text that is not digits");

/// Bytes of a packed DECIMAL(precision, scale); 0 when the scale is above the precision.
#[must_use]
pub(crate) const fn packed_length(precision: u8, scale: u8) -> usize {
    match precision.checked_sub(scale) {
        Some(integer) => packed_side(integer as u32) + packed_side(scale as u32),
        None => 0,
    }
}

/// Bytes of the digits on one side of the point.
const fn packed_side(digits: u32) -> usize {
    let rest = GROUP_BYTES[(digits % GROUP_DIGITS) as usize];
    (digits / GROUP_DIGITS) as usize * 4 + rest as usize
}

/// Reads the groups of a packed DECIMAL from left to right; gives whether it is negative.
///
/// `group` gets a group's value and its digits, and whether it stands after the point.
fn for_each_group(
    raw: &[u8],
    precision: u8,
    scale: u8,
    mut group: impl FnMut(u32, u32, bool),
) -> Result<bool, ValueError> {
    let expected = packed_length(precision, scale);
    if raw.len() != expected || expected == 0 {
        return Err(ValueError::Length {
            expected,
            found: raw.len(),
        });
    }
    let negative = raw.first().is_some_and(|first| first & 0x80 == 0);
    let inverted = if negative { 0xff } else { 0 };
    let integer = u32::from(precision - scale);
    let scale = u32::from(scale);
    let mut bytes = raw.iter().map(|byte| byte ^ inverted);
    // The first byte's highest bit stands for the sign, not for a digit.
    let mut mask = 0x80;
    let mut read = |digits: u32, after_point: bool| -> Result<(), ValueError> {
        let width = GROUP_BYTES.get(digits as usize).copied().unwrap_or(0);
        let mut value = 0;
        for byte in bytes.by_ref().take(usize::from(width)) {
            value = value << 8 | u32::from(byte ^ mask);
            mask = 0;
        }
        if value >= 10u32.pow(digits) {
            return Err(ValueError::Invalid("a DECIMAL group above its digits"));
        }
        group(value, digits, after_point);
        Ok(())
    };
    if integer % GROUP_DIGITS != 0 {
        read(integer % GROUP_DIGITS, false)?;
    }
    for _ in 0..integer / GROUP_DIGITS {
        read(GROUP_DIGITS, false)?;
    }
    for _ in 0..scale / GROUP_DIGITS {
        read(GROUP_DIGITS, true)?;
    }
    if scale % GROUP_DIGITS != 0 {
        read(scale % GROUP_DIGITS, true)?;
    }
    Ok(negative)
}

/// Writes a packed DECIMAL as the server prints it: all digits of the scale, no leading zeros,
/// no sign on zero.
pub(crate) fn write_decimal(
    out: &mut Vec<u8>,
    raw: &[u8],
    precision: u8,
    scale: u8,
) -> Result<(), ValueError> {
    let mut digits = Vec::with_capacity(usize::from(precision) + 1);
    let negative = for_each_group(raw, precision, scale, |value, count, _| {
        push_digits(&mut digits, value, count);
    })?;
    let point = digits.len() - usize::from(scale).min(digits.len());
    let (integer, fraction) = digits.split_at(point);
    if negative && digits.iter().any(|digit| *digit != b'0') {
        out.push(b'-');
    }
    match integer.iter().position(|digit| *digit != b'0') {
        Some(first) => out.extend_from_slice(integer.get(first..).unwrap_or_default()),
        None => out.push(b'0'),
    }
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
    Ok(())
}

fn push_digits(out: &mut Vec<u8>, value: u32, count: u32) {
    for place in (0..count).rev() {
        out.push(b'0' + (value / 10u32.pow(place) % 10) as u8);
    }
}

/// DECIMAL text split into sign and digits, with the fraction filled up to `scale` digits.
struct DecimalText {
    negative: bool,
    digits: Vec<u8>,
}

fn parse_text(text: &[u8], scale: u8) -> Result<DecimalText, ValueError> {
    let (negative, text) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let mut parts = text.splitn(2, |byte| *byte == b'.');
    let integer = parts.next().unwrap_or_default();
    let fraction = parts.next().unwrap_or_default();
    if fraction.len() > usize::from(scale) {
        return Err(ValueError::Invalid(
            "a DECIMAL with more digits after the point than the column's scale",
        ));
    }
    let mut digits = integer.to_vec();
    digits.extend_from_slice(fraction);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NOT_DIGITS);
    }
    digits.resize(integer.len() + usize::from(scale), b'0');
    Ok(DecimalText { negative, digits })
}

fn declared(column: &ColumnLayout) -> Result<(u8, u8), ValueError> {
    match column.kind {
        ColumnType::Decimal { precision, scale } => Ok((precision, scale)),
        _ => Err(ValueError::Invalid(
            "a DECIMAL for a column of another type",
        )),
    }
}

fn small_decimal(negative: bool, magnitude: u128, scale: u8) -> Result<Decimal, ValueError> {
    let magnitude = i128::try_from(magnitude).map_err(|_| TOO_MANY_DIGITS)?;
    let number = if negative { -magnitude } else { magnitude };
    Decimal::try_from_i128_with_scale(number, u32::from(scale)).map_err(|_| TOO_MANY_DIGITS)
}

const TOO_MANY_DIGITS: ValueError =
    ValueError::Invalid("a DECIMAL of more digits than the Rust type holds");

/// For precisions up to 28; always carries the declared scale.
impl ColumnValue for Decimal {
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        let (precision, scale) = declared(column.layout)?;
        if precision > MAX_DIGITS_OF_DECIMAL {
            return Err(TOO_MANY_DIGITS);
        }
        let mut magnitude = 0u128;
        let negative = for_each_group(raw, precision, scale, |value, digits, _| {
            magnitude = magnitude * 10u128.pow(digits) + u128::from(value);
        })?;
        small_decimal(negative, magnitude, scale)
    }

    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
        let (_, scale) = declared(column)?;
        let text = parse_text(&select_bytes(value, "digits of a DECIMAL")?, scale)?;
        let mut magnitude = 0u128;
        for digit in &text.digits {
            magnitude = magnitude
                .checked_mul(10)
                .and_then(|shifted| shifted.checked_add(u128::from(digit - b'0')))
                .ok_or(TOO_MANY_DIGITS)?;
        }
        small_decimal(text.negative, magnitude, scale)
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Decimal(self.to_string())
    }
}

fn big_decimal(negative: bool, magnitude: BigUint, scale: u8) -> BigDecimal {
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    BigDecimal::new(BigInt::from_biguint(sign, magnitude), i64::from(scale))
}

/// For every precision; always carries the declared scale.
impl ColumnValue for BigDecimal {
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        let (precision, scale) = declared(column.layout)?;
        let mut magnitude = BigUint::ZERO;
        let negative = for_each_group(raw, precision, scale, |value, digits, _| {
            magnitude = std::mem::take(&mut magnitude) * 10u32.pow(digits) + value;
        })?;
        Ok(big_decimal(negative, magnitude, scale))
    }

    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
        let (precision, scale) = declared(column)?;
        let text = parse_text(&select_bytes(value, "digits of a DECIMAL")?, scale)?;
        if text.digits.len() > usize::from(precision) + 1 {
            return Err(TOO_MANY_DIGITS);
        }
        let magnitude = BigUint::parse_bytes(&text.digits, 10).ok_or(NOT_DIGITS)?;
        Ok(big_decimal(text.negative, magnitude, scale))
    }

    /// About: 65 digits take 27 bytes.
    fn heap_bytes(&self) -> usize {
        32
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Decimal(plain_text(self))
    }
}

/// All digits of the scale, never an exponent.
fn plain_text(number: &BigDecimal) -> String {
    let (digits, scale) = number.as_bigint_and_exponent();
    let scale = usize::try_from(scale).unwrap_or(0);
    let magnitude = digits.magnitude().to_string();
    let padded = format!("{magnitude:0>width$}", width = scale + 1);
    let (integer, fraction) = padded.split_at(padded.len() - scale);
    let sign = if digits.sign() == Sign::Minus {
        "-"
    } else {
        ""
    };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{integer}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};

    /// A packed value from hexadecimal digits.
    fn hex(digits: &str) -> Vec<u8> {
        (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect()
    }

    fn check(precision: u8, scale: u8, packed: &str, text: &str) {
        let layout = column(ColumnType::Decimal { precision, scale });
        let image = image_column(layout, 246, u16::from(precision) << 8 | u16::from(scale));
        let packed = hex(packed);
        let mut printed = Vec::new();
        write_decimal(&mut printed, &packed, precision, scale).unwrap();
        assert_eq!(String::from_utf8(printed).unwrap(), text);
        let select = || SelectValue::Bytes(text.as_bytes().to_vec());
        let big = BigDecimal::from_image(Some(&packed), &image).unwrap();
        assert_eq!(big.as_value(layout), Value::Decimal(text.to_owned()));
        let selected = BigDecimal::from_select(select(), layout).unwrap();
        assert_eq!(
            selected.as_bigint_and_exponent(),
            big.as_bigint_and_exponent()
        );
        if precision <= MAX_DIGITS_OF_DECIMAL {
            let small = Decimal::from_image(Some(&packed), &image).unwrap();
            assert_eq!(small.as_value(layout), Value::Decimal(text.to_owned()));
            let selected = Decimal::from_select(select(), layout).unwrap();
            assert_eq!(selected.serialize(), small.serialize());
        } else {
            assert!(Decimal::from_image(Some(&packed), &image).is_err());
        }
    }

    /// Case 01 of the field reports, and the widest values of both Rust types.
    #[test]
    fn decimals_keep_sign_and_every_digit() {
        check(11, 4, "7fffffacfc74", "-83.0907");
        check(11, 4, "7fffffffec77", "-0.5000");
        check(11, 4, "800000000000", "0.0000");
        check(5, 5, "7ffff8", "-0.00007");
        check(5, 5, "81869f", "0.99999");
        check(
            65,
            30,
            "7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe",
            "-0.000000000000000000000000000001",
        );
        check(
            65,
            30,
            "80bc614e35b7bf87350e34c02f075f790000000000000000000000000009",
            "12345678901234567890123456789012345.000000000000000000000000000009",
        );
        check(
            65,
            0,
            "1cc4653600c4653600c4653600c4653600c4653600c4653600c4653600",
            "-99999999999999999999999999999999999999999999999999999999999999999",
        );
        check(
            65,
            0,
            "e33b9ac9ff3b9ac9ff3b9ac9ff3b9ac9ff3b9ac9ff3b9ac9ff3b9ac9ff",
            "99999999999999999999999999999999999999999999999999999999999999999",
        );
        check(9, 9, "7ffffffe", "-0.000000001");
        check(18, 9, "7ffffffffffffffe", "-0.000000001");
        check(18, 9, "bb9ac9ff00000001", "999999999.000000001");
        check(1, 0, "76", "-9");
        check(
            28,
            0,
            "893b9ac9ff3b9ac9ff3b9ac9ff",
            "9999999999999999999999999999",
        );
        check(
            28,
            10,
            "44653600c4653600c4653600f6",
            "-999999999999999999.9999999999",
        );
    }

    #[test]
    fn zero_has_no_sign() {
        // All bits of a zero inverted, as no server writes it.
        check_zero("7fffffffffff", "0.0000");
        check_zero("800000000000", "0.0000");
    }

    fn check_zero(packed: &str, text: &str) {
        let layout = column(ColumnType::Decimal {
            precision: 11,
            scale: 4,
        });
        let image = image_column(layout, 246, 11 << 8 | 4);
        let small = Decimal::from_image(Some(&hex(packed)), &image).unwrap();
        assert!(small.is_sign_positive());
        assert_eq!(small.as_value(layout), Value::Decimal(text.to_owned()));
        let big = BigDecimal::from_image(Some(&hex(packed)), &image).unwrap();
        assert_eq!(big.as_value(layout), Value::Decimal(text.to_owned()));
        let mut printed = Vec::new();
        write_decimal(&mut printed, &hex(packed), 11, 4).unwrap();
        assert_eq!(printed, text.as_bytes());
        let selected = SelectValue::Bytes(b"-0.0".to_vec());
        let selected = Decimal::from_select(selected, layout).unwrap();
        assert_eq!(selected.serialize(), small.serialize());
    }

    #[test]
    fn damaged_decimals_are_refused() {
        let layout = column(ColumnType::Decimal {
            precision: 4,
            scale: 0,
        });
        let image = image_column(layout, 246, 4 << 8);
        for packed in ["", "80", "800000", "ffff"] {
            assert!(Decimal::from_image(Some(&hex(packed)), &image).is_err());
            assert!(BigDecimal::from_image(Some(&hex(packed)), &image).is_err());
        }
        for text in ["", "-", "1.5", "1e3", "1 ", "0x1", "."] {
            let select = || SelectValue::Bytes(text.as_bytes().to_vec());
            assert!(Decimal::from_select(select(), layout).is_err(), "{text}");
            assert!(BigDecimal::from_select(select(), layout).is_err(), "{text}");
        }
    }
}
