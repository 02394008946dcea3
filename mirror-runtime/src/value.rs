//! A borrowed view of one column value, for printing and comparing; never used on the hot path.

use crate::types::{Date, DateTime, Json, Time, Timestamp};

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
    Text(&'a str),
    /// Bytes of any type.
    Bytes(&'a [u8]),
    /// ENUM by index; the labels are in the column's layout.
    Enum(u16),
    /// SET by bits; the labels are in the column's layout.
    Set(u64),
    /// BIT.
    Bit(u64),
    /// MySQL JSON.
    Json(&'a Json),
}
