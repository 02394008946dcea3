//! Tokens of DDL text, with versioned comments opened or skipped as the server would.
//!
//! MySQL manual: "Comments", "String Literals", "Schema Object Names"; MariaDB: "Comment
//! Syntax". Everything is linear in the length of the text and never recurses.

use super::version::{Family, ServerVersion};

/// One token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    /// Byte offset of its first byte.
    pub(crate) start: usize,
    /// Byte offset behind its last byte.
    pub(crate) end: usize,
}

/// Kinds of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind<'t> {
    /// Keyword or unquoted name.
    Word(&'t str),
    /// Name in backticks or (ANSI_QUOTES) double quotes, unquoted.
    Quoted(String),
    /// String literal, with its escapes resolved.
    Text(String),
    /// Unsigned decimal number, as written.
    Number(&'t str),
    /// Bit or hexadecimal literal, as written: `b'101'`, `x'ff'`, `0xff`.
    Bits(&'t str),
    /// Any other character.
    Symbol(char),
}

/// Why the text is not made of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LexError {
    pub(crate) offset: usize,
    pub(crate) what: &'static str,
}

/// Splits `text` into tokens as `version` reads it.
pub(crate) fn tokenize(text: &str, version: ServerVersion) -> Result<Vec<Token<'_>>, LexError> {
    let mut lexer = Lexer {
        text,
        at: 0,
        version,
        open_comments: Vec::new(),
    };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    version: ServerVersion,
    /// Offsets of the versioned comments whose content is being read.
    open_comments: Vec<usize>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn next(&mut self) -> Result<Option<Token<'t>>, LexError> {
        self.skip_space_and_comments()?;
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return match self.open_comments.last() {
                Some(&offset) => Err(LexError {
                    offset,
                    what: "comment without its end `*/`",
                }),
                None => Ok(None),
            };
        };
        let kind = match first {
            '`' | '"' => TokenKind::Quoted(self.quoted_name(first)?),
            '\'' => TokenKind::Text(self.text_literal()?),
            c if c.is_ascii_digit() => self.number(),
            c if is_word_char(c) => self.word()?,
            c => {
                self.at += c.len_utf8();
                TokenKind::Symbol(c)
            }
        };
        Ok(Some(Token {
            kind,
            start,
            end: self.at,
        }))
    }

    fn skip_space_and_comments(&mut self) -> Result<(), LexError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("/*") {
                self.open_or_skip_comment()?;
            } else if trimmed.starts_with("*/") && !self.open_comments.is_empty() {
                self.open_comments.pop();
                self.at += 2;
            } else {
                return Ok(());
            }
        }
    }

    /// At `/*`: steps behind the opening of a comment that counts, or behind the whole of one
    /// that does not.
    fn open_or_skip_comment(&mut self) -> Result<(), LexError> {
        let rest = self.rest();
        let (head, for_us) = if rest.starts_with("/*!") {
            (3, true)
        } else if rest.starts_with("/*M!") {
            (4, self.version.family == Family::MariaDb)
        } else {
            (2, false)
        };
        if !for_us {
            return self.skip_comment();
        }
        let mariadb_only = head == 4;
        let body = rest.get(head..).unwrap_or("");
        let digits = body.bytes().take(6).take_while(u8::is_ascii_digit).count();
        let number: Option<u32> = match digits {
            5 | 6 => body.get(..digits).and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        let counts = match number {
            Some(number) if mariadb_only => number <= self.version.comment_number(),
            Some(number) => self.version.executes(number),
            None => true,
        };
        if !counts {
            return self.skip_comment();
        }
        self.open_comments.push(self.at);
        self.at += head + if number.is_some() { digits } else { 0 };
        Ok(())
    }

    /// At `/*`: steps behind its `*/`, counting comments inside it.
    fn skip_comment(&mut self) -> Result<(), LexError> {
        let start = self.at;
        let bytes = self.rest().as_bytes();
        let mut depth = 0_usize;
        let mut i = 0;
        while let Some(pair) = bytes.get(i..i + 2) {
            match pair {
                b"/*" => depth += 1,
                b"*/" => depth -= 1,
                _ => {
                    i += 1;
                    continue;
                }
            }
            i += 2;
            if depth == 0 {
                self.at += i;
                return Ok(());
            }
        }
        Err(LexError {
            offset: start,
            what: "comment without its end `*/`",
        })
    }

    /// A name in backticks or double quotes; a doubled quote stands for one.
    ///
    /// Without ANSI_QUOTES, double quotes hold strings (MySQL 5.7 prints generated columns as
    /// they were typed), so a backslash keeps a quote or backslash behind it from counting.
    fn quoted_name(&mut self, quote: char) -> Result<String, LexError> {
        let start = self.at;
        let mut name = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((i, c)) = chars.next() {
            if c == quote {
                if chars.peek().is_some_and(|&(_, next)| next == quote) {
                    chars.next();
                } else {
                    self.at = start + i + 1;
                    return Ok(name);
                }
            } else if c == '\\' && quote == '"' {
                name.push(c);
                match chars.next_if(|&(_, next)| next == '"' || next == '\\') {
                    Some((_, next)) => name.push(next),
                    None => continue,
                }
                continue;
            }
            name.push(c);
        }
        Err(LexError {
            offset: start,
            what: "quoted name without its closing quote",
        })
    }

    /// A string in single quotes, its escapes resolved (MySQL manual: "String Literals").
    fn text_literal(&mut self) -> Result<String, LexError> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((i, c)) = chars.next() {
            match c {
                '\'' => match chars.next_if(|&(_, next)| next == '\'') {
                    Some(_) => text.push('\''),
                    None => {
                        self.at = start + i + 1;
                        return Ok(text);
                    }
                },
                '\\' => match chars.next() {
                    Some((_, escaped)) => push_escaped(&mut text, escaped),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(LexError {
            offset: start,
            what: "string without its closing quote",
        })
    }

    fn number(&mut self) -> TokenKind<'t> {
        let rest = self.rest();
        if let Some(hex) = rest.strip_prefix("0x") {
            let digits = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
            if digits > 0 {
                self.at += 2 + digits;
                return TokenKind::Bits(rest.get(..2 + digits).unwrap_or(""));
            }
        }
        let bytes = rest.as_bytes();
        let digits_from = |from: usize| {
            let tail = bytes.get(from..).unwrap_or(&[]);
            tail.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut length = digits_from(0);
        if bytes.get(length) == Some(&b'.') {
            length += 1 + digits_from(length + 1);
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits_from(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        self.at += length;
        TokenKind::Number(rest.get(..length).unwrap_or(""))
    }

    fn word(&mut self) -> Result<TokenKind<'t>, LexError> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("");
        self.at += length;
        let literal = matches!(word, "b" | "B" | "x" | "X");
        if literal && self.rest().starts_with('\'') {
            self.text_literal()?;
            let literal = self.text.get(start..self.at).unwrap_or("");
            return Ok(TokenKind::Bits(literal));
        }
        Ok(TokenKind::Word(word))
    }
}

/// Characters of an unquoted name.
fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || (!c.is_ascii() && !c.is_whitespace())
}

fn push_escaped(text: &mut String, escaped: char) {
    match escaped {
        '0' => text.push('\0'),
        'b' => text.push('\u{8}'),
        'n' => text.push('\n'),
        'r' => text.push('\r'),
        't' => text.push('\t'),
        'Z' => text.push('\u{1a}'),
        '%' | '_' => {
            text.push('\\');
            text.push(escaped);
        }
        other => text.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: ServerVersion = ServerVersion::mysql(9, 7);
    const MARIADB: ServerVersion = ServerVersion::mariadb(10, 11);

    fn words(text: &str, version: ServerVersion) -> String {
        let tokens = tokenize(text, version).unwrap();
        let words: Vec<String> = tokens
            .into_iter()
            .map(|token| match token.kind {
                TokenKind::Word(word) => word.to_owned(),
                TokenKind::Quoted(name) => format!("<{name}>"),
                TokenKind::Text(text) => format!("'{text}'"),
                TokenKind::Number(number) => format!("#{number}"),
                TokenKind::Bits(bits) => format!("!{bits}"),
                TokenKind::Symbol(symbol) => symbol.to_string(),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn versioned_comments_count_by_family_and_number() {
        let text = "a /*!50606 b */ /*!999999 c */ /*M!100301 d */ /*! e */ /* f */ g";
        assert_eq!(words(text, MYSQL), "a b e g");
        assert_eq!(words(text, MARIADB), "a b d e g");
        assert_eq!(words("/*!80023 x */ y", MARIADB), "y");
        assert_eq!(words("/*!080023 x */ y", MYSQL), "x y");
        assert_eq!(words("/*M!100301COMPRESSED*/", MARIADB), "COMPRESSED");
    }

    #[test]
    fn comments_nest() {
        assert_eq!(words("/*!50100 a /* b */ c */ d", MYSQL), "a c d");
        assert_eq!(words("/*!999999 a /* b */ c */ d", MYSQL), "d");
        assert_eq!(words("/*!50100 a /*!50100 b */ c */ d", MYSQL), "a b c d");
    }

    #[test]
    fn a_comment_end_inside_quotes_ends_nothing() {
        assert_eq!(words("/*!50100 'a*/' `b*/` */ c", MYSQL), "'a*/' <b*/> c");
    }

    #[test]
    fn names_and_strings_are_unquoted() {
        assert_eq!(words("`a``b` \"c\"\"d\"", MYSQL), "<a`b> <c\"d>");
        assert_eq!(
            words(r"'it''s' 'back\\slash' '\n\0\'' '\%'", MYSQL),
            "'it's' 'back\\slash' '\n\0'' '\\%'"
        );
        assert_eq!(words(r#""it\"s (" x"#, MYSQL), r#"<it\"s (> x"#);
    }

    #[test]
    fn numbers_and_bits() {
        assert_eq!(
            words("1.50 2e10 3e b'101' 0xFF 0x x'4142' .5", MYSQL),
            "#1.50 #2e10 #3 e !b'101' !0xFF #0 x !x'4142' . #5"
        );
    }

    #[test]
    fn what_is_open_at_the_end_is_an_error_at_its_start() {
        for (text, offset) in [("a 'b", 2), ("a `b", 2), ("a /* b", 2), ("a /*!50100 b", 2)] {
            assert_eq!(tokenize(text, MYSQL).unwrap_err().offset, offset, "{text}");
        }
        assert!(tokenize("'\\", MYSQL).is_err());
    }
}
