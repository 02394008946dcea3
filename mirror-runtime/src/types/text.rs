//! CHAR, VARCHAR and the TEXT family as text.

use super::select::select_bytes;
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::ColumnLayout;
use crate::row::{ColumnValue, SelectValue};
use crate::value::Value;

/// Checks bytes of a column's character set; what passes is UTF-8.
///
/// Character sets whose bytes are not UTF-8 have no decoder here and are refused, never guessed.
#[inline]
fn check_text<'a>(raw: &'a [u8], charset: Option<&'static str>) -> Result<&'a str, ValueError> {
    let charset = match charset {
        None | Some("utf8mb4") => "utf8mb4",
        Some("ascii") => return check_ascii(raw),
        Some(other @ ("utf8mb3" | "utf8")) => other,
        Some(_) => {
            return Err(ValueError::Invalid(
                "text in a character set that has no decoder",
            ));
        }
    };
    std::str::from_utf8(raw).map_err(|error| ValueError::Text {
        charset,
        at: error.valid_up_to(),
    })
}

fn check_ascii(raw: &[u8]) -> Result<&str, ValueError> {
    let bad_byte = |at| ValueError::Text {
        charset: "ascii",
        at,
    };
    match raw.iter().position(|byte| !byte.is_ascii()) {
        Some(at) => Err(bad_byte(at)),
        None => std::str::from_utf8(raw).map_err(|error| bad_byte(error.valid_up_to())),
    }
}

impl ColumnValue for Box<str> {
    #[inline]
    fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
        let raw = raw.ok_or(ValueError::UnexpectedNull)?;
        check_text(raw, column.layout.charset).map(Self::from)
    }

    /// The session's character set must be utf8mb4, whatever the column's is.
    fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
        match String::from_utf8(select_bytes(value, "text")?) {
            Ok(text) => Ok(text.into_boxed_str()),
            Err(error) => Err(ValueError::Text {
                charset: "utf8mb4",
                at: error.utf8_error().valid_up_to(),
            }),
        }
    }

    fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
        Value::Text(self)
    }

    fn blank() -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{image_column, text_column};
    use crate::layout::ColumnType;

    fn decode(raw: &[u8], charset: &'static str) -> Result<Box<str>, ValueError> {
        let layout = text_column(ColumnType::VarChar { max_bytes: 80 }, charset);
        Box::<str>::from_image(Some(raw), &image_column(layout, 15, 80))
    }

    #[test]
    fn text_keeps_every_character() {
        for text in ["", "naïve€", "a\u{0}b", "😀", " y ", "\u{feff}x"] {
            assert_eq!(decode(text.as_bytes(), "utf8mb4"), Ok(text.into()));
        }
    }

    #[test]
    fn bytes_outside_of_the_charset_are_refused_with_their_place() {
        assert_eq!(
            decode(b"ab\xff", "utf8mb4"),
            Err(ValueError::Text {
                charset: "utf8mb4",
                at: 2
            })
        );
        assert_eq!(
            decode("aé".as_bytes(), "ascii"),
            Err(ValueError::Text {
                charset: "ascii",
                at: 1
            })
        );
        assert_eq!(decode(b"ab", "ascii"), Ok("ab".into()));
    }

    #[test]
    fn charset_without_decoder_is_refused_even_for_ascii_bytes() {
        assert!(matches!(
            decode(b"ab", "latin1"),
            Err(ValueError::Invalid(_))
        ));
    }
}
