//! Splits an SQL script into its statements.

/// The statements of a script, without their `;` and without those that are comments only.
///
/// A `;` in a string, a quoted name or a comment does not end a statement. Bodies with
/// `BEGIN ... END` hold `;` of their own: run such a statement alone. Strings are read as with
/// the default `sql_mode` (backslash escapes); see "String Literals" and "Comments" in the MySQL
/// manual's chapter "Language Structure".
///
/// ```
/// let script = "SET @a = ';'; -- a comment; no statement\nSELECT 1";
/// assert_eq!(lab::split_statements(script), ["SET @a = ';'", "-- a comment; no statement\nSELECT 1"]);
/// ```
#[must_use]
pub fn split_statements(script: &str) -> Vec<&str> {
    let mut scanner = Scanner {
        text: script.as_bytes(),
        at: 0,
    };
    let mut statements = Vec::new();
    let mut begin = 0;
    let mut has_code = false;
    while let Some(piece) = scanner.next_piece() {
        match piece {
            Piece::Code => has_code = true,
            Piece::Blank => {}
            Piece::End => {
                push(&mut statements, script.get(begin..scanner.at - 1), has_code);
                begin = scanner.at;
                has_code = false;
            }
        }
    }
    push(&mut statements, script.get(begin..), has_code);
    statements
}

fn push<'a>(statements: &mut Vec<&'a str>, text: Option<&'a str>, has_code: bool) {
    if let Some(text) = text.filter(|_| has_code) {
        statements.push(text.trim());
    }
}

/// What the scanner went over.
enum Piece {
    /// Part of a statement.
    Code,
    /// White space or a comment.
    Blank,
    /// The `;` after a statement.
    End,
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// Goes over the next piece; at least one byte, `None` at the end.
    fn next_piece(&mut self) -> Option<Piece> {
        let byte = self.peek(0)?;
        match byte {
            b';' => {
                self.at += 1;
                return Some(Piece::End);
            }
            b'\'' | b'"' | b'`' => self.skip_quoted(byte),
            b'#' => return Some(self.skip_line()),
            b'-' if self.is_dash_comment() => return Some(self.skip_line()),
            b'/' if self.peek(1) == Some(b'*') => return Some(self.skip_block()),
            _ if byte.is_ascii_whitespace() => {
                self.at += 1;
                return Some(Piece::Blank);
            }
            _ => self.at += 1,
        }
        Some(Piece::Code)
    }

    /// `--` begins a comment only before white space, a control character or the end.
    fn is_dash_comment(&self) -> bool {
        let after = self.peek(2);
        self.peek(1) == Some(b'-')
            && after.is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control())
    }

    /// A doubled quote ends one string and begins the next, which splits as it should.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == quote {
                return;
            }
            if byte == b'\\' && quote != b'`' && self.peek(0).is_some() {
                self.at += 1;
            }
        }
    }

    fn skip_line(&mut self) -> Piece {
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == b'\n' {
                break;
            }
        }
        Piece::Blank
    }

    /// `/*! ... */` and MariaDB's `/*M! ... */` are code to the server.
    fn skip_block(&mut self) -> Piece {
        let code = self.peek(2) == Some(b'!')
            || (self.peek(2) == Some(b'M') && self.peek(3) == Some(b'!'));
        self.at += 2;
        while let Some(byte) = self.peek(0) {
            if byte == b'*' && self.peek(1) == Some(b'/') {
                self.at += 2;
                break;
            }
            self.at += 1;
        }
        if code { Piece::Code } else { Piece::Blank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_in_quotes_do_not_split() {
        let script = r#"INSERT INTO `a;b` VALUES ('x;y', "z;", 'it''s; ok', 'b\';c'); SELECT 2"#;
        let statements = split_statements(script);
        assert_eq!(statements.len(), 2, "{statements:?}");
        assert_eq!(statements[1], "SELECT 2");
    }

    #[test]
    fn backslash_in_a_quoted_name_is_no_escape() {
        assert_eq!(split_statements("SELECT 1 AS `a\\`; SELECT 2").len(), 2);
    }

    #[test]
    fn semicolons_in_comments_do_not_split() {
        let script = "SELECT 1 # one; two\n + 2 -- three;\n /* four; */; SELECT 5";
        assert_eq!(split_statements(script).len(), 2);
    }

    #[test]
    fn double_minus_without_space_is_arithmetic() {
        assert_eq!(
            split_statements("SELECT 5--1; SELECT 2"),
            ["SELECT 5--1", "SELECT 2"]
        );
    }

    #[test]
    fn empty_statements_and_comments_alone_are_dropped() {
        let nothing = " ;; -- only a comment\n; # one more\n /* block */ ; \n";
        assert!(split_statements(nothing).is_empty());
        assert!(split_statements("").is_empty());
    }

    #[test]
    fn executable_comments_are_statements() {
        let script = "/*!40101 SET NAMES utf8mb4 */; /*M!100100 SET @a = 1 */;";
        assert_eq!(split_statements(script).len(), 2);
    }

    #[test]
    fn unclosed_quotes_and_comments_end_with_the_script() {
        for script in [
            "SELECT 'a;b",
            "SELECT 1 /* a;b",
            "SELECT 'a\\",
            "SELECT `a;",
            "-",
            "/",
        ] {
            assert_eq!(split_statements(script), [script], "{script}");
        }
    }

    #[test]
    fn letters_beyond_ascii_stay_whole() {
        assert_eq!(
            split_statements("SELECT 'ä;ö'; SELECT '雪'"),
            ["SELECT 'ä;ö'", "SELECT '雪'"]
        );
    }
}
