//! Text as SQL.

use std::fmt::Write as _;

/// A name between backticks.
#[must_use]
pub fn name(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text as a string literal; no line break stands in it as such (MySQL manual: "String
/// Literals").
#[must_use]
pub fn text(text: &str) -> String {
    let mut literal = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => literal.push_str("''"),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\0' => literal.push_str("\\0"),
            '\u{1a}' => literal.push_str("\\Z"),
            c => literal.push(c),
        }
    }
    literal.push('\'');
    literal
}

/// Bytes in hexadecimal, upper case.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into memory does not fail.
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// Bytes as a literal.
#[must_use]
pub fn bytes(bytes: &[u8]) -> String {
    format!("x'{}'", hex(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_cannot_end_a_literal() {
        assert_eq!(text("it's \\ \n;"), "'it''s \\\\ \\n;'");
        assert_eq!(name("a`b"), "`a``b`");
        assert_eq!(bytes(&[0, 255]), "x'00FF'");
    }
}
