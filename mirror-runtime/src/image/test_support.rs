//! Columns and events for tests.

use super::ImageColumn;
use crate::layout::{ColumnLayout, ColumnType};

/// A NOT NULL column of a type.
pub(crate) fn column(kind: ColumnType) -> &'static ColumnLayout {
    build(kind, None)
}

/// A NOT NULL column of text in a character set.
pub(crate) fn text_column(kind: ColumnType, charset: &'static str) -> &'static ColumnLayout {
    build(kind, Some(charset))
}

fn build(kind: ColumnType, charset: Option<&'static str>) -> &'static ColumnLayout {
    Box::leak(Box::new(ColumnLayout {
        name: "c",
        ordinal: 0,
        nullable: false,
        sql_type: "a type",
        charset,
        kind,
    }))
}

/// A column as a table map has it.
pub(crate) fn image_column(layout: &'static ColumnLayout, type_code: u8, meta: u16) -> ImageColumn {
    ImageColumn {
        layout,
        type_code,
        meta,
    }
}
