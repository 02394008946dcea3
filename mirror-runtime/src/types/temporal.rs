//! DATE, DATETIME, TIMESTAMP and TIME in row images, old formats and new, and from a SELECT.
//!
//! Formats: MySQL source, `my_datetime_packed_from_binary()`, `my_timestamp_from_binary()` and
//! `my_time_packed_from_binary()` for types 17, 18 and 19; MySQL manual, "Date and Time Data
//! Type Representation", for the older types 7, 10, 11 and 12.

#![allow(
    clippy::unnecessary_lazy_evaluations,
    reason = "an error that is made but not given has to be dropped, which costs more than the value"
)]

use super::select::{kind_error, not_null, refuse_null};
use super::{Date, DateTime, Time, Timestamp, hires};
use crate::error::ValueError;
use crate::image::{ImageColumn, type_code};
use crate::layout::{ColumnLayout, ColumnType};
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

const BAD_DATE: ValueError = ValueError::Invalid("a date outside of the server's range");
pub(super) const BAD_DATE_TIME: ValueError =
    ValueError::Invalid("a DATETIME outside of the server's range");
pub(super) const BAD_TIMESTAMP: ValueError =
    ValueError::Invalid("a TIMESTAMP outside of the server's range");
pub(super) const BAD_TIME: ValueError = ValueError::Invalid("a TIME outside of the server's range");

/// The bytes as one big-endian number and the number of bytes of its fraction, when there are
/// as many as a value of `whole` bytes with the column's fraction takes.
#[inline]
fn big_endian(raw: &[u8], whole: usize, fsp: u16) -> Result<(u64, usize), ValueError> {
    let fraction = usize::from(fsp.min(6)).div_ceil(2);
    if raw.len() != whole + fraction {
        return Err(ValueError::Length {
            expected: whole + fraction,
            found: raw.len(),
        });
    }
    let number = raw
        .iter()
        .fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    Ok((number, fraction))
}

/// Microseconds of one step of a fraction of so many bytes.
const MICROS_PER_STEP: [u32; 4] = [0, 10_000, 100, 1];

#[inline]
fn little_endian(raw: &[u8], width: usize) -> Result<u64, ValueError> {
    let mut bytes = [0; 8];
    match bytes.get_mut(..raw.len()) {
        Some(low) if raw.len() == width => low.copy_from_slice(raw),
        _ => {
            return Err(ValueError::Length {
                expected: width,
                found: raw.len(),
            });
        }
    }
    Ok(u64::from_le_bytes(bytes))
}

/// Splits a number of a new format into its whole part and microseconds.
#[inline]
fn split_fraction(number: u64, fraction_bytes: usize) -> (u64, u32) {
    let bits = 8 * fraction_bytes;
    let steps = number & ((1 << bits) - 1);
    let unit = MICROS_PER_STEP.get(fraction_bytes).copied().unwrap_or(0);
    // At most 2^24 - 1 steps of 1, 2^16 - 1 of 100, 2^8 - 1 of 10,000: fits 32 bits.
    (number >> bits, steps as u32 * unit)
}

/// Digits of the fraction of a column of an old format, which MariaDB's may have.
fn old_fraction(column: &ColumnLayout) -> u8 {
    match column.kind {
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } | ColumnType::Time { fsp } => {
            fsp
        }
        _ => 0,
    }
}

pub(super) fn date(year: u64, month: u64, day: u64) -> Result<Date, ValueError> {
    match (u16::try_from(year), u8::try_from(month), u8::try_from(day)) {
        (Ok(year), Ok(month), Ok(day)) => Date::new(year, month, day).ok_or_else(|| BAD_DATE),
        _ => Err(BAD_DATE),
    }
}

impl ColumnValue for Date {
    #[inline]
    fn from_image(raw: Option<&[u8]>, _column: &ImageColumn) -> Result<Self, ValueError> {
        let packed = little_endian(not_null(raw)?, 3)?;
        date(packed >> 9, packed >> 5 & 15, packed & 31)
    }

    #[inline]
    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        match refuse_null(value)? {
            SelectValue::Date(year, month, day, 0, 0, 0, 0) => {
                Self::new(year, month, day).ok_or_else(|| BAD_DATE)
            }
            SelectValue::Date(..) => Err(BAD_DATE),
            other => Err(kind_error("date", &other)),
        }
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Date(*self)
    }
}

/// A DATETIME from the server's packed form without the fraction: year * 13 + month, day,
/// hour, minute and second in 17, 5, 5, 6 and 6 bits.
#[inline]
fn date_time_from_bits(whole: u64, micros: u32) -> Result<DateTime, ValueError> {
    let year_month = whole >> 22;
    let date = date(year_month / 13, year_month % 13, whole >> 17 & 31)?;
    let (hour, minute, second) = (whole >> 12 & 31, whole >> 6 & 63, whole & 63);
    DateTime::new(date, hour as u8, minute as u8, second as u8, micros).ok_or_else(|| BAD_DATE_TIME)
}

/// A DATETIME from a packed 64-bit value, as binary JSON holds it.
pub(crate) fn date_time_from_packed(packed: i64) -> Result<DateTime, ValueError> {
    let packed = packed.unsigned_abs();
    date_time_from_bits(packed >> 24, (packed & 0xff_ffff) as u32)
}

fn old_date_time(digits: u64) -> Result<DateTime, ValueError> {
    let (days, clock) = (digits / 1_000_000, digits % 1_000_000);
    let date = date(days / 10_000, days / 100 % 100, days % 100)?;
    let (hour, minute, second) = (clock / 10_000, clock / 100 % 100, clock % 100);
    DateTime::new(date, hour as u8, minute as u8, second as u8, 0).ok_or_else(|| BAD_DATE_TIME)
}

fn select_date_time(value: SelectValue, expected: &'static str) -> Result<DateTime, ValueError> {
    match refuse_null(value)? {
        SelectValue::Date(year, month, day, hour, minute, second, micros) => {
            let date = Date::new(year, month, day).ok_or_else(|| BAD_DATE)?;
            DateTime::new(date, hour, minute, second, micros).ok_or_else(|| BAD_DATE_TIME)
        }
        other => Err(kind_error(expected, &other)),
    }
}

impl ColumnValue for DateTime {
    #[inline]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        if column.type_code == type_code::DATETIME {
            return match old_fraction(column.layout) {
                0 => old_date_time(little_endian(raw, 8)?),
                digits => hires::date_time(raw, digits),
            };
        }
        let (number, fraction) = big_endian(raw, 5, column.meta)?;
        let (whole, micros) = split_fraction(number, fraction);
        match whole.checked_sub(1 << 39) {
            Some(whole) => date_time_from_bits(whole, micros),
            None => Err(BAD_DATE_TIME),
        }
    }

    #[inline]
    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        select_date_time(value, "date and time")
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::DateTime(*self)
    }
}

impl ColumnValue for Timestamp {
    #[inline]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        if let (type_code::TIMESTAMP2, 0, Ok(seconds)) =
            (column.type_code, column.meta, raw.try_into())
        {
            return Self::from_wire(u32::from_be_bytes(seconds), 0).ok_or_else(|| BAD_TIMESTAMP);
        }
        let (seconds, micros) = if column.type_code == type_code::TIMESTAMP {
            match old_fraction(column.layout) {
                0 => (little_endian(raw, 4)?, 0),
                digits => hires::timestamp(raw, digits)?,
            }
        } else {
            let (number, fraction) = big_endian(raw, 4, column.meta)?;
            split_fraction(number, fraction)
        };
        // Unsigned: MariaDB from 11.5 on goes on to 2106.
        Self::from_wire(seconds as u32, micros).ok_or_else(|| BAD_TIMESTAMP)
    }

    /// The session's time zone must be +00:00.
    #[inline]
    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        Self::from_utc(select_date_time(value, "date and time")?).ok_or_else(|| BAD_TIMESTAMP)
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Timestamp(*self)
    }
}

/// A TIME from the server's packed 64-bit form: hour, minute and second in 10, 6 and 6 bits,
/// then 24 bits of microseconds, and the sign on the whole.
#[inline]
pub(crate) fn time_from_packed(packed: i64) -> Result<Time, ValueError> {
    let magnitude = packed.unsigned_abs();
    let whole = magnitude >> 24;
    if whole >> 22 != 0 {
        return Err(BAD_TIME);
    }
    Time::new(
        packed < 0,
        (whole >> 12) as u32,
        (whole >> 6 & 63) as u32,
        (whole & 63) as u32,
        (magnitude & 0xff_ffff) as u32,
    )
    .ok_or_else(|| BAD_TIME)
}

/// TIME2: three bytes of whole and up to three of fraction are one number with an offset. A
/// negative value is the offset less the magnitude, so that the fraction borrows from the
/// whole part.
#[inline]
fn new_time(number: u64, fraction_bytes: usize) -> Result<Time, ValueError> {
    let bits = 8 * fraction_bytes as u32;
    let signed = number.cast_signed() - (0x80_0000_i64 << bits);
    let (whole, micros) = split_fraction(signed.unsigned_abs(), fraction_bytes);
    if micros > 999_999 {
        return Err(BAD_TIME);
    }
    let magnitude = (whole << 24 | u64::from(micros)).cast_signed();
    time_from_packed(if signed < 0 { -magnitude } else { magnitude })
}

/// TIME before MySQL 5.6.4: a signed three-byte number whose decimal digits are HHMMSS.
fn old_time(raw: &[u8]) -> Result<Time, ValueError> {
    let number = little_endian(raw, 3)? as u32;
    let signed = (number << 8).cast_signed() >> 8;
    let digits = signed.unsigned_abs();
    Time::new(
        signed < 0,
        digits / 10_000,
        digits / 100 % 100,
        digits % 100,
        0,
    )
    .ok_or_else(|| BAD_TIME)
}

impl ColumnValue for Time {
    #[inline]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        if column.type_code == type_code::TIME {
            return match old_fraction(column.layout) {
                0 => old_time(raw),
                digits => hires::time(raw, digits),
            };
        }
        let (number, fraction) = big_endian(raw, 3, column.meta)?;
        new_time(number, fraction)
    }

    #[inline]
    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        match refuse_null(value)? {
            SelectValue::Time(negative, days, hours, minutes, seconds, micros) => days
                .checked_mul(24)
                .and_then(|from_days| from_days.checked_add(u32::from(hours)))
                .and_then(|hours| {
                    Self::new(negative, hours, minutes.into(), seconds.into(), micros)
                })
                .ok_or_else(|| BAD_TIME),
            other => Err(kind_error("time", &other)),
        }
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Time(*self)
    }
}

#[cfg(test)]
#[path = "temporal_tests.rs"]
mod tests;
