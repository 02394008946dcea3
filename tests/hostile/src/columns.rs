//! One column of every type, as row images of one server or the other carry it.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use mirror_runtime::Charset;
use mirror_runtime::image::type_code as t;
use mirror_runtime::layout::{ColumnLayout, ColumnType as T};

/// A column and what a TABLE_MAP says of it.
#[derive(Debug, Clone, Copy)]
pub struct TypedColumn {
    /// As it is compiled in.
    pub layout: ColumnLayout,
    /// See [`mirror_runtime::image::WireColumn::type_code`].
    pub type_code: u8,
    /// See [`mirror_runtime::image::WireColumn::meta`].
    pub meta: u16,
}

const LABELS: &[&str] = &["a", "b,c", "", "it's"];
const MANY_LABELS: &[&str] = &[""; 300];
const SET_LABELS: &[&str] = &["m"; 64];

const fn column(kind: T, sql_type: &'static str, type_code: u8, meta: u16) -> TypedColumn {
    TypedColumn {
        layout: ColumnLayout {
            name: "c",
            ordinal: 0,
            nullable: true,
            sql_type,
            charset: None,
            generated_from: None,
            kind,
        },
        type_code,
        meta,
    }
}

const fn text(
    kind: T,
    charset: Charset,
    sql_type: &'static str,
    type_code: u8,
    meta: u16,
) -> TypedColumn {
    let mut text = column(kind, sql_type, type_code, meta);
    text.layout.charset = Some(charset);
    text
}

/// The columns; an input of `column_values` names one by its index.
#[rustfmt::skip]
pub const COLUMNS: [TypedColumn; 62] = [
    column(T::TinyInt { unsigned: false }, "tinyint", t::TINY, 0),
    column(T::TinyInt { unsigned: true }, "tinyint unsigned", t::TINY, 0),
    column(T::SmallInt { unsigned: false }, "smallint", t::SHORT, 0),
    column(T::SmallInt { unsigned: true }, "smallint unsigned", t::SHORT, 0),
    column(T::MediumInt { unsigned: false }, "mediumint", t::INT24, 0),
    column(T::MediumInt { unsigned: true }, "mediumint unsigned", t::INT24, 0),
    column(T::Int { unsigned: false }, "int", t::LONG, 0),
    column(T::Int { unsigned: true }, "int unsigned", t::LONG, 0),
    column(T::BigInt { unsigned: false }, "bigint", t::LONGLONG, 0),
    column(T::BigInt { unsigned: true }, "bigint unsigned", t::LONGLONG, 0),
    column(T::Float, "float", t::FLOAT, 4),
    column(T::Double, "double", t::DOUBLE, 8),
    column(T::Decimal { precision: 10, scale: 2 }, "decimal(10,2)", t::NEWDECIMAL, 0x0a02),
    column(T::Decimal { precision: 28, scale: 28 }, "decimal(28,28)", t::NEWDECIMAL, 0x1c1c),
    column(T::Decimal { precision: 65, scale: 30 }, "decimal(65,30)", t::NEWDECIMAL, 0x411e),
    column(T::Date, "date", t::DATE, 0),
    column(T::Date, "date", t::NEWDATE, 0),
    column(T::DateTime { fsp: 0 }, "datetime", t::DATETIME2, 0),
    column(T::DateTime { fsp: 3 }, "datetime(3)", t::DATETIME2, 3),
    column(T::DateTime { fsp: 6 }, "datetime(6)", t::DATETIME2, 6),
    column(T::DateTime { fsp: 0 }, "datetime", t::DATETIME, 0),
    column(T::DateTime { fsp: 4 }, "datetime(4)", t::DATETIME, 0),
    column(T::Timestamp { fsp: 0 }, "timestamp null", t::TIMESTAMP2, 0),
    column(T::Timestamp { fsp: 5 }, "timestamp(5) null", t::TIMESTAMP2, 5),
    column(T::Timestamp { fsp: 6 }, "timestamp(6) null", t::TIMESTAMP2, 6),
    column(T::Timestamp { fsp: 0 }, "timestamp null", t::TIMESTAMP, 0),
    column(T::Timestamp { fsp: 6 }, "timestamp(6) null", t::TIMESTAMP, 0),
    column(T::Time { fsp: 0 }, "time", t::TIME2, 0),
    column(T::Time { fsp: 1 }, "time(1)", t::TIME2, 1),
    column(T::Time { fsp: 6 }, "time(6)", t::TIME2, 6),
    column(T::Time { fsp: 0 }, "time", t::TIME, 0),
    column(T::Time { fsp: 2 }, "time(2)", t::TIME, 0),
    column(T::Year, "year", t::YEAR, 0),
    text(T::Char { max_bytes: 40 }, Charset::Utf8mb4, "char(10) charset utf8mb4", t::STRING, 40),
    text(T::Char { max_bytes: 10 }, Charset::Latin1, "char(10) charset latin1", t::STRING, 10),
    text(T::VarChar { max_bytes: 200 }, Charset::Utf8mb4, "varchar(50) charset utf8mb4", t::VARCHAR, 200),
    text(T::VarChar { max_bytes: 50 }, Charset::Ascii, "varchar(50) charset ascii", t::VARCHAR, 50),
    text(T::VarChar { max_bytes: 150 }, Charset::Utf8mb3, "varchar(50) charset utf8mb3", t::VARCHAR, 150),
    text(T::VarChar { max_bytes: 100 }, Charset::Gbk, "varchar(50) charset gbk", t::VARCHAR, 100),
    text(T::VarChar { max_bytes: 200 }, Charset::Utf16, "varchar(50) charset utf16", t::VARCHAR, 200),
    text(T::VarChar { max_bytes: 200 }, Charset::Gb18030, "varchar(50) charset gb18030", t::VARCHAR, 200),
    text(T::Text { length_bytes: 2 }, Charset::Utf8mb4, "text charset utf8mb4", t::BLOB, 2),
    text(T::Text { length_bytes: 4 }, Charset::Sjis, "longtext charset sjis", t::BLOB, 4),
    text(T::VarChar { max_bytes: 200 }, Charset::Utf8mb4, "varchar(50) charset utf8mb4 compressed", t::VARCHAR_COMPRESSED, 201),
    text(T::Text { length_bytes: 2 }, Charset::Utf8mb4, "text charset utf8mb4 compressed", t::BLOB_COMPRESSED, 2),
    column(T::Binary { bytes: 12 }, "binary(12)", t::STRING, 12),
    column(T::VarBinary { max_bytes: 300 }, "varbinary(300)", t::VARCHAR, 300),
    column(T::Blob { length_bytes: 3 }, "mediumblob", t::BLOB, 3),
    column(T::VarBinary { max_bytes: 300 }, "varbinary(300) compressed", t::VARCHAR_COMPRESSED, 301),
    column(T::Blob { length_bytes: 4 }, "longblob compressed", t::BLOB_COMPRESSED, 4),
    text(T::Enum { labels: LABELS }, Charset::Utf8mb4, "enum('a','b,c','','it''s')", t::ENUM, 1),
    text(T::Enum { labels: MANY_LABELS }, Charset::Utf8mb4, "", t::ENUM, 2),
    text(T::Set { labels: LABELS }, Charset::Utf8mb4, "", t::SET, 1),
    text(T::Set { labels: SET_LABELS }, Charset::Utf8mb4, "", t::SET, 8),
    column(T::Bit { bits: 1 }, "bit(1)", t::BIT, 1),
    column(T::Bit { bits: 64 }, "bit(64)", t::BIT, 0x0800),
    column(T::Json, "json", t::JSON, 4),
    column(T::Geometry, "geometry", t::GEOMETRY, 4),
    column(T::Vector { dimension: 4 }, "vector(4)", t::VECTOR, 4),
    column(T::Uuid, "uuid", t::STRING, 16),
    column(T::Inet4, "inet4", t::STRING, 4),
    column(T::Inet6, "inet6", t::STRING, 16),
];

/// A layout that lives on; the same one for the same type and character set.
pub(crate) fn leaked(layout: ColumnLayout) -> &'static ColumnLayout {
    static KNOWN: LazyLock<Mutex<HashMap<String, &'static ColumnLayout>>> =
        LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .entry(format!("{:?} {:?}", layout.kind, layout.charset))
        .or_insert_with(|| Box::leak(Box::new(layout)))
}
