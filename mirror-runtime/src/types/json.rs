//! JSON documents as the MySQL server prints them.

use std::borrow::Cow;
use std::fmt;

use super::json_edit::apply;
use super::select::{not_null, select_bytes};
use crate::error::ValueError;
use crate::image::{ImageColumn, write_json_text};
use crate::layout::ColumnLayout;
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// A MySQL JSON document, as the text that the server prints for it: `{"a": 1, "b": [1.5]}`,
/// keys in stored order, numbers with all their digits.
///
/// Two documents are equal when their texts are, byte for byte; so a value that was SELECTed
/// and one decoded from the binlog are equal when the server's values are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Json(Box<str>);

impl Json {
    /// A document from its text; the text is taken as it is.
    #[must_use]
    pub fn from_text(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The document's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The document as a tree.
    ///
    /// Numbers may lose digits: whole numbers beyond 64 bits and decimals become doubles. The
    /// text keeps them.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn parse(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl Default for Json {
    /// The JSON literal `null`.
    fn default() -> Self {
        Self("null".into())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ColumnValue for Json {
    fn from_image(raw: Option<&[u8]>, _column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = not_null(raw)?;
        let mut text = Vec::with_capacity(raw.len() + raw.len() / 4);
        write_json_text(&mut text, raw)?;
        utf8(text)
    }

    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        utf8(select_bytes(value, "text of a JSON document")?)
    }

    fn apply_difference(&mut self, diffs: &[u8], replayed: bool) -> Result<(), ValueError> {
        // The server logs columns that an UPDATE left as they were as differences too: none.
        if !diffs.is_empty() {
            self.0 = apply(&self.0, diffs, replayed)?.into_boxed_str();
        }
        Ok(())
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        self.0.len()
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Json(Cow::Borrowed(self))
    }
}

fn utf8(text: Vec<u8>) -> Result<Json, ValueError> {
    match String::from_utf8(text) {
        Ok(text) => Ok(Json(text.into_boxed_str())),
        Err(error) => Err(ValueError::Text {
            charset: "utf8mb4",
            at: error.utf8_error().valid_up_to(),
        }),
    }
}
