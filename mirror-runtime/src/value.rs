//! A view of one column value, for printing and comparing; never used on the hot path.

use std::borrow::Cow;
use std::net::IpAddr;

use crate::types::{Date, DateTime, Json, Time, Timestamp, Uuid};

/// One column value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// SQL NULL.
    Null,
    /// A signed integer type.
    Int(i64),
    /// An unsigned integer type.
    UInt(u64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// DECIMAL as text, with all digits of the declared scale.
    Decimal(String),
    /// DATE.
    Date(Date),
    /// DATETIME.
    DateTime(DateTime),
    /// TIMESTAMP.
    Timestamp(Timestamp),
    /// TIME.
    Time(Time),
    /// YEAR.
    Year(u16),
    /// Text of any type.
    Text(Cow<'a, str>),
    /// Bytes of any type.
    Bytes(Cow<'a, [u8]>),
    /// ENUM by index; the labels are in the column's layout.
    Enum(u16),
    /// SET by bits; the labels are in the column's layout.
    Set(u64),
    /// BIT.
    Bit(u64),
    /// MySQL JSON.
    Json(Cow<'a, Json>),
    /// VECTOR.
    Vector(Cow<'a, [f32]>),
    /// UUID.
    Uuid(Uuid),
    /// INET4 or INET6.
    Ip(IpAddr),
}

impl Value<'_> {
    /// Whether both are the same to the last bit: unlike `==`, the zeros of both signs are two
    /// values, and a NaN is the same as itself.
    #[must_use]
    pub fn is_exactly(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits(),
            (Value::Double(one), Value::Double(other)) => one.to_bits() == other.to_bits(),
            (Value::Vector(one), Value::Vector(other)) => {
                let bits = |number: &f32| number.to_bits();
                one.iter().map(bits).eq(other.iter().map(bits))
            }
            _ => self == other,
        }
    }

    /// The same value without a borrow.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Int(number) => Value::Int(number),
            Value::UInt(number) => Value::UInt(number),
            Value::Float(number) => Value::Float(number),
            Value::Double(number) => Value::Double(number),
            Value::Decimal(digits) => Value::Decimal(digits),
            Value::Date(date) => Value::Date(date),
            Value::DateTime(value) => Value::DateTime(value),
            Value::Timestamp(value) => Value::Timestamp(value),
            Value::Time(time) => Value::Time(time),
            Value::Year(year) => Value::Year(year),
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::Bytes(bytes) => Value::Bytes(Cow::Owned(bytes.into_owned())),
            Value::Enum(index) => Value::Enum(index),
            Value::Set(bits) => Value::Set(bits),
            Value::Bit(bits) => Value::Bit(bits),
            Value::Json(json) => Value::Json(Cow::Owned(json.into_owned())),
            Value::Vector(entries) => Value::Vector(Cow::Owned(entries.into_owned())),
            Value::Uuid(uuid) => Value::Uuid(uuid),
            Value::Ip(address) => Value::Ip(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_same_is_bit_by_bit() {
        assert!(!Value::Float(0.0).is_exactly(&Value::Float(-0.0)));
        assert!(!Value::Double(0.0).is_exactly(&Value::Double(-0.0)));
        assert!(Value::Double(f64::NAN).is_exactly(&Value::Double(f64::NAN)));
        let vector = |entries: &'static [f32]| Value::Vector(entries.into());
        assert!(!vector(&[1.0, 0.0]).is_exactly(&vector(&[1.0, -0.0])));
        assert!(!vector(&[1.0]).is_exactly(&vector(&[1.0, 1.0])));
        assert!(vector(&[1.0, -0.0]).is_exactly(&vector(&[1.0, -0.0])));
        assert!(!Value::Int(0).is_exactly(&Value::Null));
        assert!(!Value::Text("a".into()).is_exactly(&Value::Text("A".into())));
    }
}
