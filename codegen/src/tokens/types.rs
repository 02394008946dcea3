//! Column types as Rust types, and how a value of each stands in a key.

use proc_macro2::TokenStream;
use quote::quote;

use super::check::type_path;
use super::{ModelError, ident};
use crate::model::{Column, ColumnType, Held, Table};

/// Most digits that `rust_decimal` holds exactly.
const DECIMAL_DIGITS: u8 = 28;

/// How values of a type are passed, held in keys and cloned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Passed by value and ordered.
    Copy,
    /// Passed by value, ordered only in its `Total` wrapper.
    Float,
    /// `Text`, passed as `&str`.
    Text,
    /// `Box<[u8]>`, passed as `&[u8]`.
    Bytes,
    /// Passed by reference and cloned.
    Clone,
    /// Has no order: cannot be part of a key.
    Unordered,
}

/// The shape of a column's values.
pub(super) fn shape(column: &Column) -> Shape {
    match column.held {
        Held::Bool => return Shape::Copy,
        Held::Bytes => return Shape::Bytes,
        Held::User(_) => return Shape::Clone,
        Held::Natural => {}
    }
    match &column.ty {
        ColumnType::Float | ColumnType::Double => Shape::Float,
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            Shape::Text
        }
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            Shape::Bytes
        }
        ColumnType::Decimal { precision, .. } if *precision > DECIMAL_DIGITS => Shape::Clone,
        ColumnType::Json | ColumnType::Geometry | ColumnType::Vector { .. } => Shape::Unordered,
        _ => Shape::Copy,
    }
}

/// Whether values own memory beside themselves, of an amount that is known.
pub(super) fn is_on_heap(column: &Column) -> bool {
    let is_user = matches!(column.held, Held::User(_));
    let is_big = matches!(&column.ty, ColumnType::Decimal { .. }) && shape(column) == Shape::Clone;
    let owns = matches!(shape(column), Shape::Text | Shape::Bytes | Shape::Unordered);
    !is_user && (owns || is_big)
}

/// The type of a column's values that are not NULL.
pub(super) fn value_type(table: &Table, column: &Column) -> Result<TokenStream, ModelError> {
    match &column.held {
        Held::User(path) => {
            let path = type_path(table, path)?;
            Ok(quote!(#path))
        }
        _ => column_type(table, column),
    }
}

/// The type that values are decoded to: that of the column, from which a type of the user is
/// made.
pub(super) fn column_type(table: &Table, column: &Column) -> Result<TokenStream, ModelError> {
    match column.held {
        Held::Bool => return Ok(quote!(bool)),
        Held::Bytes => return Ok(quote!(Box<[u8]>)),
        Held::Natural | Held::User(_) => {}
    }
    Ok(match &column.ty {
        ColumnType::TinyInt { unsigned } => integer(*unsigned, quote!(i8), quote!(u8)),
        ColumnType::SmallInt { unsigned } => integer(*unsigned, quote!(i16), quote!(u16)),
        ColumnType::MediumInt { unsigned } | ColumnType::Int { unsigned } => {
            integer(*unsigned, quote!(i32), quote!(u32))
        }
        ColumnType::BigInt { unsigned } => integer(*unsigned, quote!(i64), quote!(u64)),
        ColumnType::Float => quote!(f32),
        ColumnType::Double => quote!(f64),
        ColumnType::Decimal { precision, .. } if *precision > DECIMAL_DIGITS => {
            quote!(mirror_runtime::BigDecimal)
        }
        ColumnType::Decimal { .. } => quote!(mirror_runtime::Decimal),
        ColumnType::Date => quote!(mirror_runtime::Date),
        ColumnType::DateTime { .. } => quote!(mirror_runtime::DateTime),
        ColumnType::Timestamp { .. } => quote!(mirror_runtime::Timestamp),
        ColumnType::Time { .. } => quote!(mirror_runtime::Time),
        ColumnType::Year => quote!(u16),
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => {
            match column.held {
                Held::User(_) => quote!(Box<str>),
                _ => quote!(mirror_runtime::Text),
            }
        }
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            quote!(Box<[u8]>)
        }
        ColumnType::Enum { .. } | ColumnType::Set { .. } => {
            let name = ident(table, &column.type_name)?;
            quote!(#name)
        }
        ColumnType::Bit { .. } => quote!(u64),
        ColumnType::Json => quote!(mirror_runtime::Json),
        ColumnType::Geometry => quote!(mirror_runtime::Geometry),
        ColumnType::Vector { .. } => quote!(mirror_runtime::Vector),
        ColumnType::Uuid => quote!(mirror_runtime::Uuid),
        ColumnType::Inet4 => quote!(std::net::Ipv4Addr),
        ColumnType::Inet6 => quote!(std::net::Ipv6Addr),
    })
}

fn integer(unsigned: bool, signed_type: TokenStream, unsigned_type: TokenStream) -> TokenStream {
    if unsigned { unsigned_type } else { signed_type }
}

/// The type of a column's field in the row struct.
pub(super) fn field_type(table: &Table, column: &Column) -> Result<TokenStream, ModelError> {
    Ok(optional(column.nullable, value_type(table, column)?))
}

/// `Option<ty>` where `nullable`.
pub(super) fn optional(nullable: bool, ty: TokenStream) -> TokenStream {
    if nullable { quote!(Option<#ty>) } else { ty }
}

/// The wrapper that orders a FLOAT or DOUBLE.
pub(super) fn total_type(ty: &ColumnType) -> TokenStream {
    match ty {
        ColumnType::Float => quote!(mirror_runtime::TotalF32),
        _ => quote!(mirror_runtime::TotalF64),
    }
}
