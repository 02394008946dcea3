//! The Rust types that column values are held in, and how they are made from both paths.
//!
//! A value that a SELECT gave and the value decoded from the binlog are equal when the server's
//! values are equal: same scale, same precision, same text.

mod bool;
mod bytes;
mod compressed;
mod date;
mod decimal;
mod float;
mod fraction;
mod geometry;
mod hires;
mod identifiers;
mod integer;
mod json;
mod json_edit;
mod labels;
mod row_text;
mod select;
mod serde_impls;
mod stored;
mod temporal;
mod text;
mod time;
mod timestamp;
mod vector;

pub use bigdecimal::BigDecimal;
pub use rust_decimal::Decimal;
pub use uuid::Uuid;

pub use date::{Date, DateTime};
pub use float::{TotalF32, TotalF64};
pub use geometry::Geometry;
pub use json::Json;
pub use labels::{enum_index, enum_index_from_select, set_bits, set_bits_from_select};
pub use row_text::Text;
pub use time::Time;
pub use timestamp::Timestamp;
pub use vector::Vector;

pub(crate) use decimal::{packed_length, write_decimal};
pub(crate) use identifiers::inet_text;
pub(crate) use temporal::{date_time_from_packed, time_from_packed};

/// Text that is no value of a temporal type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}")]
pub struct ParseTemporalError {
    pub(crate) expected: &'static str,
}
