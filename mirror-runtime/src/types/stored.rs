//! The byte form of every type that a column is held in; see [`crate::stored`].

use std::net::{Ipv4Addr, Ipv6Addr};

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::{Date, DateTime, Geometry, Json, Text, Time, Timestamp, Vector};
use crate::error::ValueError;
use crate::stored::{Stored, StoredBytes, store_counted, store_length};

macro_rules! stored_number {
    ($($number:ty)*) => {$(
        impl Stored for $number {
            #[inline]
            fn store(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
                Ok(Self::from_le_bytes(bytes.array()?))
            }
        }
    )*};
}

// The bytes of a float are its bits: a NaN and the zeros of both signs come back as they were.
stored_number!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

impl Stored for bool {
    fn store(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        match bytes.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(ValueError::Invalid("a bool that is neither 0 nor 1")),
        }
    }
}

/// Text with its length in front.
#[inline]
fn text<'a>(bytes: &mut StoredBytes<'a>) -> Result<&'a str, ValueError> {
    std::str::from_utf8(bytes.counted()?).map_err(|error| ValueError::Text {
        charset: "utf8mb4",
        at: error.valid_up_to(),
    })
}

impl Stored for Text {
    #[inline]
    fn store(&self, out: &mut Vec<u8>) {
        store_counted(out, self.as_bytes());
    }

    #[inline]
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        text(bytes).map(Self::from)
    }
}

/// What types of the user are made from.
impl Stored for Box<str> {
    fn store(&self, out: &mut Vec<u8>) {
        store_counted(out, self.as_bytes());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        text(bytes).map(Self::from)
    }
}

impl Stored for Box<[u8]> {
    #[inline]
    fn store(&self, out: &mut Vec<u8>) {
        store_counted(out, self);
    }

    #[inline]
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        bytes.counted().map(Self::from)
    }
}

impl Stored for Json {
    fn store(&self, out: &mut Vec<u8>) {
        store_counted(out, self.as_str().as_bytes());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        text(bytes).map(Self::from_text)
    }
}

impl Stored for Geometry {
    fn store(&self, out: &mut Vec<u8>) {
        store_counted(out, self.as_bytes());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        Self::from_bytes(bytes.counted()?).ok_or(ValueError::Invalid("a geometry without its SRID"))
    }
}

impl Stored for Vector {
    fn store(&self, out: &mut Vec<u8>) {
        store_length(out, self.as_slice().len());
        for entry in self.as_slice() {
            entry.store(out);
        }
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        let entries = bytes.length()?;
        let taken = bytes.take(entries.saturating_mul(size_of::<f32>()))?;
        let (floats, _) = taken.as_chunks();
        let floats: Vec<f32> = floats.iter().map(|raw| f32::from_le_bytes(*raw)).collect();
        Ok(Self::new(floats))
    }
}

impl Stored for Date {
    #[inline]
    fn store(&self, out: &mut Vec<u8>) {
        let [low, high] = self.year().to_le_bytes();
        out.extend_from_slice(&[low, high, self.month(), self.day()]);
    }

    #[inline]
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        let [low, high, month, day] = bytes.array()?;
        Self::new(u16::from_le_bytes([low, high]), month, day)
            .ok_or(ValueError::Invalid("a date outside of the server's range"))
    }
}

impl Stored for DateTime {
    #[inline]
    fn store(&self, out: &mut Vec<u8>) {
        self.date().store(out);
        out.extend_from_slice(&[self.hour(), self.minute(), self.second()]);
        out.extend_from_slice(&self.micros().to_le_bytes());
    }

    #[inline]
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        let date = Date::restore(bytes)?;
        let [hour, minute, second] = bytes.array()?;
        Self::new(date, hour, minute, second, u32::restore(bytes)?).ok_or(ValueError::Invalid(
            "a DATETIME outside of the server's range",
        ))
    }
}

impl Stored for Timestamp {
    /// Seconds and microseconds, as on the wire: 0 and 0 are the zero timestamp.
    #[inline]
    fn store(&self, out: &mut Vec<u8>) {
        let seconds = self.as_seconds().unwrap_or(0);
        // Both parts of the type are within 32 bits.
        (seconds as u32).store(out);
        self.subsec_micros().store(out);
    }

    #[inline]
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        let seconds = u32::restore(bytes)?;
        Self::from_wire(seconds, u32::restore(bytes)?).ok_or(ValueError::Invalid(
            "a TIMESTAMP outside of the server's range",
        ))
    }
}

impl Stored for Time {
    #[inline]
    fn store(&self, out: &mut Vec<u8>) {
        self.as_micros().store(out);
    }

    #[inline]
    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        Self::from_micros(i64::restore(bytes)?)
            .ok_or(ValueError::Invalid("a TIME outside of the server's range"))
    }
}

impl Stored for Decimal {
    /// The scale, then all digits as one number.
    fn store(&self, out: &mut Vec<u8>) {
        // A scale is at most 28.
        out.push(self.scale() as u8);
        out.extend_from_slice(&self.mantissa().to_le_bytes());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        let [scale] = bytes.array()?;
        let digits = i128::from_le_bytes(bytes.array()?);
        Self::try_from_i128_with_scale(digits, u32::from(scale))
            .map_err(|_| ValueError::Invalid("a DECIMAL of more digits than the Rust type holds"))
    }
}

impl Stored for BigDecimal {
    fn store(&self, out: &mut Vec<u8>) {
        let (digits, scale) = self.as_bigint_and_exponent();
        scale.store(out);
        store_counted(out, &digits.to_signed_bytes_le());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        /// Digits after the point that a DECIMAL has at most are 38; 30 on MySQL.
        const MAX_SCALE: i64 = 38;
        let scale = i64::restore(bytes)?;
        if !(0..=MAX_SCALE).contains(&scale) {
            return Err(ValueError::Invalid("a DECIMAL with a scale that none has"));
        }
        let digits = BigInt::from_signed_bytes_le(bytes.counted()?);
        Ok(Self::new(digits, scale))
    }
}

impl Stored for Uuid {
    fn store(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        bytes.array().map(Self::from_bytes)
    }
}

impl Stored for Ipv4Addr {
    fn store(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.octets());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        bytes.array::<4>().map(Self::from)
    }
}

impl Stored for Ipv6Addr {
    fn store(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.octets());
    }

    fn restore(bytes: &mut StoredBytes<'_>) -> Result<Self, ValueError> {
        bytes.array::<16>().map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back<T: Stored>(value: &T) -> T {
        let mut bytes = Vec::new();
        value.store(&mut bytes);
        for cut in 0..bytes.len() {
            let cut = bytes.get(..cut).unwrap();
            assert!(T::restore(&mut StoredBytes::new(cut)).is_err());
        }
        let mut stored = StoredBytes::new(&bytes);
        let value = T::restore(&mut stored).unwrap();
        assert!(stored.is_empty());
        value
    }

    fn same<T: Stored + PartialEq + std::fmt::Debug>(values: impl IntoIterator<Item = T>) {
        for value in values {
            assert_eq!(back(&value), value);
            assert!(back(&Some(value)).is_some());
        }
        assert_eq!(back(&None::<T>), None);
    }

    #[test]
    fn every_value_of_every_type_comes_back() {
        same([i8::MIN, -1, 0, i8::MAX]);
        same([i64::MIN, -1, 0, i64::MAX]);
        same([0, 1, u64::MAX]);
        same([false, true]);
        for length in [0, 1, 8, 9, 254, 255, 256, 70_000] {
            same([Text::from("x".repeat(length))]);
            same([vec![7u8; length].into_boxed_slice()]);
        }
        same([Json::from_text("{\"a\": 1.50}")]);
        same(
            ["", "\0\0\0\0", "\0\0\0\0abc"]
                .map(|raw| Geometry::from_bytes(raw.as_bytes()).unwrap()),
        );
        same([Vector::new([]), Vector::new([f32::NAN, -0.0, 1.5])]);
        same(
            ["0000-00-00", "2031-00-15", "9999-12-31", "2031-02-31"]
                .map(|text| text.parse::<Date>().unwrap()),
        );
        same([
            DateTime::ZERO,
            "9999-12-31 23:59:59.999999".parse().unwrap(),
        ]);
        same(
            [(0, 0), (0, 1), (u32::MAX, 999_999)].map(|(s, m)| Timestamp::from_wire(s, m).unwrap()),
        );
        same(
            ["-838:59:59.999999", "00:00:00", "838:59:59.999999"]
                .map(|text| text.parse::<Time>().unwrap()),
        );
        same([Uuid::from_u128(u128::MAX / 3)]);
        same([Ipv4Addr::new(1, 2, 3, 4)]);
        same([Ipv6Addr::LOCALHOST]);
    }

    #[test]
    fn floats_come_back_bit_by_bit() {
        for number in [
            0.0,
            -0.0,
            f64::NAN,
            -f64::NAN,
            f64::INFINITY,
            5e-324,
            f64::MAX,
        ] {
            assert_eq!(back(&number).to_bits(), number.to_bits());
        }
        let odd = f32::from_bits(0x7fc0_1234);
        assert_eq!(back(&odd).to_bits(), odd.to_bits());
    }

    #[test]
    fn decimals_keep_their_scale() {
        for text in [
            "0.00",
            "-1.50",
            "9999999999999999999999999999",
            "-0.0000000000000000000000000001",
        ] {
            let number: Decimal = text.parse().unwrap();
            assert_eq!(back(&number).to_string(), text);
            let number: BigDecimal = text.parse().unwrap();
            assert_eq!(
                back(&number).as_bigint_and_exponent(),
                number.as_bigint_and_exponent()
            );
        }
        let digits = "9".repeat(65);
        let big: BigDecimal = format!("-{digits}").parse().unwrap();
        assert_eq!(back(&big), big);
    }

    #[test]
    fn bytes_that_are_no_value_are_refused() {
        let refused = |bytes: &[u8], what: fn(&mut StoredBytes<'_>) -> bool| {
            assert!(what(&mut StoredBytes::new(bytes)), "{bytes:?}");
        };
        refused(&[2], |bytes| bool::restore(bytes).is_err());
        refused(&[2, 0], |bytes| Option::<u8>::restore(bytes).is_err());
        refused(&[1, 0xff], |bytes| Text::restore(bytes).is_err());
        refused(&[0xff; 9], |bytes| Text::restore(bytes).is_err());
        refused(&[0xff; 9], |bytes| Vector::restore(bytes).is_err());
        refused(&[3, 0, 0, 0], |bytes| Geometry::restore(bytes).is_err());
        refused(&[0, 0, 13, 1], |bytes| Date::restore(bytes).is_err());
        refused(&[0xff; 8], |bytes| Timestamp::restore(bytes).is_err());
        refused(&[0x7f; 8], |bytes| Time::restore(bytes).is_err());
        refused(&[0xff; 17], |bytes| Decimal::restore(bytes).is_err());
    }
}
