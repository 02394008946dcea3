//! Tokens of an SQL statement from a QUERY event.
//!
//! Comments vanish, but the content of `/*! ... */`, `/*!NNNNN ... */` and `/*M! ... */`
//! counts, since a server executed it (MySQL manual, "Comments"). That of `/*M!` is a comment to
//! MySQL, and to a MariaDB that is older than its number: [`tokens_without_mariadb`].

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// An unquoted word, number or variable.
    Word(&'a str),
    /// A quoted identifier, unescaped.
    Quoted(String),
    /// A string literal; its text is kept only where double quotes may mean an identifier.
    Text(Option<String>),
    /// Any other character.
    Punct(char),
}

impl Token<'_> {
    /// Whether this is the unquoted keyword, in any case.
    pub(crate) fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// The token as an identifier.
    pub(crate) fn identifier(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            Token::Quoted(name) => Some(name),
            Token::Text(name) => name.as_deref(),
            Token::Punct(_) => None,
        }
    }
}

/// Splits a statement into tokens; never fails, an unfinished token ends with the text.
pub(crate) fn tokens(sql: &str) -> Vec<Token<'_>> {
    split(sql, true)
}

/// As [`tokens`], by a server that takes `/*M! ... */` for a comment; nothing where that is the
/// same.
pub(crate) fn tokens_without_mariadb(sql: &str) -> Option<Vec<Token<'_>>> {
    sql.contains("/*M!").then(|| split(sql, false))
}

fn split(sql: &str, mariadb: bool) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            c if c.is_whitespace() => rest.trim_start(),
            '#' => skip_line(rest),
            '-' if is_dash_comment(rest) => skip_line(rest),
            '/' if rest.starts_with("/*") => comment(rest, mariadb),
            '*' if rest.starts_with("*/") => rest.get(2..).unwrap_or(""),
            '`' => {
                let (name, after) = quoted(rest, '`', false);
                out.push(Token::Quoted(name));
                after
            }
            '"' => {
                let (text, after) = quoted(rest, '"', true);
                out.push(Token::Text(Some(text)));
                after
            }
            '\'' => {
                let (_, after) = quoted(rest, '\'', true);
                out.push(Token::Text(None));
                after
            }
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                out.push(Token::Word(word));
                after
            }
            c => {
                out.push(Token::Punct(c));
                rest.get(c.len_utf8()..).unwrap_or("")
            }
        };
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@') || (c as u32) >= 0x80
}

/// `-- ` starts a comment only before white space, a control character or the end.
fn is_dash_comment(rest: &str) -> bool {
    rest.strip_prefix("--").is_some_and(|after| {
        after
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || c.is_control())
    })
}

fn skip_line(rest: &str) -> &str {
    rest.find('\n')
        .and_then(|end| rest.get(end + 1..))
        .unwrap_or("")
}

/// Behind a comment, or inside it when its content counts.
fn comment(rest: &str, mariadb: bool) -> &str {
    let inside = rest.get(2..).unwrap_or("");
    let of_mariadb = inside.strip_prefix("M!").filter(|_| mariadb);
    if let Some(content) = of_mariadb.or_else(|| inside.strip_prefix('!')) {
        return content.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    inside
        .find("*/")
        .and_then(|end| inside.get(end + 2..))
        .unwrap_or("")
}

/// The text between quotes (doubled quotes and, in strings, backslashes undone), and the rest.
fn quoted(rest: &str, quote: char, backslashes: bool) -> (String, &str) {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            if chars.peek().is_some_and(|&(_, next)| next == quote) {
                chars.next();
                text.push(quote);
                continue;
            }
            return (text, rest.get(at + c.len_utf8()..).unwrap_or(""));
        }
        if c == '\\' && backslashes {
            if let Some((_, escaped)) = chars.next() {
                text.push(escaped);
            }
            continue;
        }
        text.push(c);
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_every_kind_are_skipped_and_executable_ones_are_not() {
        let words: Vec<_> =
            tokens("/* a */ drop -- b\n # c\n /*!50000 table */ /*M!100100 x*/ --y")
                .into_iter()
                .filter_map(|token| token.identifier().map(str::to_owned))
                .collect();
        assert_eq!(words, ["drop", "table", "x", "y"]);
    }

    #[test]
    fn the_content_of_mariadbs_comments_counts_or_not() {
        let sql = "TRUNCATE /*M!100000 other. */ t /*! x */";
        let words = |tokens: Vec<Token<'_>>| {
            let words = tokens.iter().filter_map(Token::identifier);
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(words(tokens(sql)), ["TRUNCATE", "other", "t", "x"]);
        let without = tokens_without_mariadb(sql).unwrap();
        assert_eq!(words(without), ["TRUNCATE", "t", "x"]);
        assert_eq!(tokens_without_mariadb("TRUNCATE /*!50000 t */"), None);
    }

    #[test]
    fn quotes_hide_their_content_and_names_are_unescaped() {
        assert_eq!(
            tokens("`a``b` 'it''s \\' /*' \"q\""),
            [
                Token::Quoted("a`b".into()),
                Token::Text(None),
                Token::Text(Some("q".into()))
            ]
        );
    }

    #[test]
    fn unfinished_tokens_end_with_the_text() {
        for sql in ["'abc", "`abc", "\"a", "/* abc", "/*!", "'\\", "-", "--"] {
            tokens(sql);
        }
    }
}
