//! CHAR, VARCHAR and the TEXT family as text.

use std::borrow::Cow;

use ascii::AsAsciiStr;

use super::Text;
use super::compressed::{decompress, is_compressed};
use super::select::{not_null, select_bytes};
use crate::charset::Charset;
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::ColumnLayout;
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// The character set of a column; utf8mb4 when the layout names none.
#[inline]
fn charset(column: &ColumnLayout) -> Charset {
    column.charset.unwrap_or(Charset::Utf8mb4)
}

/// The bytes that the server holds: those of a COMPRESSED column are decompressed.
#[inline]
fn stored<'a>(raw: &'a [u8], column: &ImageColumn) -> Result<Cow<'a, [u8]>, ValueError> {
    if is_compressed(column.type_code) {
        return decompress(raw, column).map(Cow::Owned);
    }
    Ok(Cow::Borrowed(raw))
}

/// Whether images have the text as it is held here, byte for byte.
#[inline]
fn is_plain_utf8(column: &ImageColumn) -> bool {
    matches!(charset(column.layout), Charset::Utf8mb4 | Charset::Utf8mb3)
        && !is_compressed(column.type_code)
}

/// Text that is ASCII, as most is: short text is checked several times faster for that than for
/// UTF-8.
#[inline(never)]
fn ascii<T: for<'t> From<&'t str>>(raw: &[u8]) -> Option<T> {
    match raw.as_ascii_str() {
        Ok(text) => Some(T::from(text.as_str())),
        Err(_) => None,
    }
}

/// Text in any character set, or the error of one that is not valid.
#[inline(never)]
fn decode<T: for<'t> From<&'t str>>(raw: &[u8], column: &ImageColumn) -> Result<T, ValueError> {
    let raw = stored(raw, column)?;
    let text = charset(column.layout).decode(&raw)?;
    Ok(T::from(&text))
}

#[inline(always)]
fn from_image<T: Default + for<'t> From<&'t str>>(
    raw: Option<&[u8]>,
    column: &ImageColumn,
) -> Result<T, ValueError> {
    let raw = not_null(raw)?;
    if raw.is_empty() {
        // No bytes are no characters in every character set, and in COMPRESSED columns.
        return Ok(T::default());
    }
    if is_plain_utf8(column)
        && let Some(text) = ascii(raw)
    {
        return Ok(text);
    }
    decode(raw, column)
}

/// The bytes are in the column's character set, as they are stored.
fn from_select<T: From<String>>(
    value: SelectValue,
    column: &ColumnLayout,
) -> Result<T, ValueError> {
    let bytes = select_bytes(value, "text")?;
    if charset(column) != Charset::Utf8mb4 {
        let text = charset(column).decode(&bytes)?;
        return Ok(T::from(text.into_owned()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(T::from(text)),
        Err(error) => Err(ValueError::Text {
            charset: "utf8mb4",
            at: error.utf8_error().valid_up_to(),
        }),
    }
}

#[inline]
fn equals_image(held: &str, raw: Option<&[u8]>, column: &ImageColumn) -> Result<bool, ValueError> {
    let raw = not_null(raw)?;
    if raw == held.as_bytes() && is_plain_utf8(column) {
        return Ok(true);
    }
    let raw = stored(raw, column)?;
    Ok(charset(column.layout).decode(&raw)? == held)
}

impl ColumnValue for Text {
    #[inline(always)]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        from_image(raw, column)
    }

    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
        from_select(value, column)
    }

    #[inline]
    fn equals_image(&self, raw: Option<&[u8]>, column: &ImageColumn) -> Result<bool, ValueError> {
        equals_image(self, raw, column)
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        Self::heap_bytes(self)
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Text(Cow::Borrowed(self))
    }
}

/// What types of the user are made from.
impl ColumnValue for Box<str> {
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        from_image(raw, column)
    }

    fn from_select(value: SelectValue, column: &ColumnLayout) -> Result<Self, ValueError> {
        from_select(value, column)
    }

    fn equals_image(&self, raw: Option<&[u8]>, column: &ImageColumn) -> Result<bool, ValueError> {
        equals_image(self, raw, column)
    }

    fn heap_bytes(&self) -> usize {
        self.len()
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Text(Cow::Borrowed(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{image_column, text_column};
    use crate::layout::ColumnType;

    fn both(raw: &[u8], charset: Charset) -> Result<Text, ValueError> {
        let layout = text_column(ColumnType::VarChar { max_bytes: 80 }, charset);
        let image = image_column(layout, 15, 80);
        let decoded = Text::from_image(Some(raw), &image);
        let selected = Text::from_select(SelectValue::Bytes(raw.to_vec()), layout);
        assert_eq!(decoded, selected);
        if let Ok(text) = &decoded {
            assert_eq!(text.equals_image(Some(raw), &image), Ok(true));
            assert_ne!(text.equals_image(Some(b"other."), &image), Ok(true));
        }
        decoded
    }

    #[test]
    fn text_keeps_every_character() {
        for text in ["", "naïve€", "a\u{0}b", "😀", " y ", "\u{feff}x"] {
            assert_eq!(both(text.as_bytes(), Charset::Utf8mb4), Ok(text.into()));
        }
    }

    #[test]
    fn bytes_are_read_in_the_columns_charset_on_both_paths() {
        assert_eq!(both(b"na\xefve\x80", Charset::Latin1), Ok("naïve€".into()));
        assert_eq!(both(b"\xd6\xd0", Charset::Gbk), Ok("中".into()));
        assert_eq!(both(b"\0a\xd8\x3d\xde\0", Charset::Utf16), Ok("a😀".into()));
    }

    #[test]
    fn bytes_outside_of_the_charset_are_refused_with_their_place() {
        for (raw, charset, at) in [
            (&b"ab\xff"[..], Charset::Utf8mb4, 2),
            ("aé".as_bytes(), Charset::Ascii, 1),
        ] {
            let expected = ValueError::Text {
                charset: charset.name(),
                at,
            };
            assert_eq!(both(raw, charset), Err(expected));
        }
        assert_eq!(both(b"ab", Charset::Ascii), Ok("ab".into()));
    }
}
