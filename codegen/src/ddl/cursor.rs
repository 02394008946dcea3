//! A place in the tokens of one statement, and errors that say where they are.

use std::fmt;

use super::lexer::{LexError, Token, TokenKind};

/// Why a DDL text is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DdlError {
    /// Table, as far as it is known.
    pub table: Option<String>,
    /// Column or key in hand, as far as it is known.
    pub item: Option<String>,
    /// Line of the text, from 1.
    pub line: usize,
    /// Character in that line, from 1.
    pub column: usize,
    /// What was expected or is wrong.
    pub what: String,
    /// The text at that place, cut short.
    pub found: String,
}

impl fmt::Display for DdlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            write!(f, "table `{table}`, ")?;
        }
        if let Some(item) = &self.item {
            write!(f, "{item}, ")?;
        }
        write!(
            f,
            "line {}, character {}: {}",
            self.line, self.column, self.what
        )?;
        if self.found.is_empty() {
            f.write_str("; the text ends here")
        } else {
            write!(f, "; found: {}", self.found)
        }
    }
}

impl std::error::Error for DdlError {}

/// Longest piece of DDL text quoted in an error, in characters.
const LONGEST_QUOTE: usize = 40;

/// Tokens, the place reached, and what is being read there.
pub(super) struct Cursor<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    pub(super) table: Option<String>,
    pub(super) item: Option<String>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, tokens: Vec<Token<'t>>) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            table: None,
            item: None,
        }
    }

    pub(super) fn peek(&self) -> Option<&TokenKind<'t>> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&TokenKind<'t>> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    pub(super) fn bump(&mut self) {
        if self.at < self.tokens.len() {
            self.at += 1;
        }
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Index of the next token, for [`Cursor::text_since`].
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    /// The text from the token at `mark` to the last one read, as written.
    pub(super) fn text_since(&self, mark: usize) -> &'t str {
        let start = self.tokens.get(mark).map_or(0, |token| token.start);
        let last = self
            .at
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last));
        let end = last.map_or(start, |token| token.end);
        self.text.get(start..end).unwrap_or("")
    }

    /// All names among the tokens from `mark` to the last one read, quoted or not.
    pub(super) fn names_since(&self, mark: usize) -> Vec<String> {
        let read = self.tokens.get(mark..self.at).unwrap_or_default();
        read.iter()
            .filter_map(|token| match &token.kind {
                TokenKind::Word(word) => Some((*word).to_owned()),
                TokenKind::Quoted(name) => Some(name.clone()),
                _ => None,
            })
            .collect()
    }

    /// What stands between the last token and the next: comments, without the space around.
    pub(super) fn comment_ahead(&self) -> &'t str {
        let last = self
            .at
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last));
        let start = last.map_or(0, |token| token.end);
        let next = self.tokens.get(self.at);
        let end = next.map_or(self.text.len(), |token| token.start);
        self.text.get(start..end).unwrap_or("").trim()
    }

    /// The next word in upper case, when it is one.
    pub(super) fn keyword(&self) -> Option<String> {
        self.keyword_at(0)
    }

    pub(super) fn keyword_at(&self, ahead: usize) -> Option<String> {
        match self.peek_at(ahead) {
            Some(TokenKind::Word(word)) => Some(word.to_ascii_uppercase()),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.peek_at(ahead), Some(TokenKind::Word(found)) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_symbol(&self, ahead: usize, symbol: char) -> bool {
        matches!(self.peek_at(ahead), Some(TokenKind::Symbol(found)) if *found == symbol)
    }

    /// Reads these words when all of them stand here.
    pub(super) fn eat_words(&mut self, words: &[&str]) -> bool {
        let here = words
            .iter()
            .enumerate()
            .all(|(ahead, word)| self.is_word(ahead, word));
        if here {
            self.at += words.len();
        }
        here
    }

    pub(super) fn eat_symbol(&mut self, symbol: char) -> bool {
        let here = self.is_symbol(0, symbol);
        if here {
            self.at += 1;
        }
        here
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), DdlError> {
        if self.eat_words(&[word]) {
            Ok(())
        } else {
            Err(self.error(format!("{word} expected")))
        }
    }

    pub(super) fn expect_symbol(&mut self, symbol: char) -> Result<(), DdlError> {
        if self.eat_symbol(symbol) {
            Ok(())
        } else {
            Err(self.error(format!("`{symbol}` expected")))
        }
    }

    /// A name, quoted or not.
    pub(super) fn name(&mut self) -> Result<String, DdlError> {
        let name = match self.peek() {
            Some(TokenKind::Quoted(name)) => name.clone(),
            Some(TokenKind::Word(name)) => (*name).to_owned(),
            _ => return Err(self.error("a name expected")),
        };
        self.bump();
        Ok(name)
    }

    /// A name with an optional database in front: (database, name).
    pub(super) fn qualified_name(&mut self) -> Result<(Option<String>, String), DdlError> {
        let first = self.name()?;
        if self.eat_symbol('.') {
            Ok((Some(first), self.name()?))
        } else {
            Ok((None, first))
        }
    }

    /// A string literal.
    pub(super) fn text(&mut self) -> Result<String, DdlError> {
        match self.peek() {
            Some(TokenKind::Text(text)) => {
                let text = text.clone();
                self.bump();
                Ok(text)
            }
            _ => Err(self.error("a string expected")),
        }
    }

    /// A whole number below 2^32.
    pub(super) fn number(&mut self) -> Result<u32, DdlError> {
        if let Some(TokenKind::Number(number)) = self.peek()
            && let Ok(value) = number.parse()
        {
            self.bump();
            return Ok(value);
        }
        Err(self.error("a whole number expected"))
    }

    /// At `(`: reads up to its `)`, whatever stands between.
    pub(super) fn skip_parentheses(&mut self) -> Result<(), DdlError> {
        let start = self.at;
        self.expect_symbol('(')?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.peek() {
                Some(TokenKind::Symbol('(')) => depth += 1,
                Some(TokenKind::Symbol(')')) => depth -= 1,
                Some(_) => {}
                None => {
                    self.at = start;
                    return Err(self.error("`(` without its `)`"));
                }
            }
            self.bump();
        }
        Ok(())
    }

    /// Names in parentheses, separated by commas.
    pub(super) fn name_list(&mut self) -> Result<Vec<String>, DdlError> {
        self.expect_symbol('(')?;
        let mut names = vec![self.name()?];
        while self.eat_symbol(',') {
            names.push(self.name()?);
        }
        self.expect_symbol(')')?;
        Ok(names)
    }

    /// An error at the next token.
    pub(super) fn error(&self, what: impl Into<String>) -> DdlError {
        let offset = self
            .tokens
            .get(self.at)
            .map_or(self.text.len(), |token| token.start);
        self.error_at(offset, what.into())
    }

    pub(super) fn error_at(&self, offset: usize, what: String) -> DdlError {
        let mut error = error_at(self.text, offset, what);
        error.table.clone_from(&self.table);
        error.item.clone_from(&self.item);
        error
    }
}

/// An error at a byte of the text.
fn error_at(text: &str, offset: usize, what: String) -> DdlError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let rest = text.get(offset..).unwrap_or("");
    let line = rest.lines().next().unwrap_or("");
    let mut found: String = line.chars().take(LONGEST_QUOTE).collect();
    if found.len() < line.len() {
        found.push_str("...");
    }
    DdlError {
        table: None,
        item: None,
        line: before.matches('\n').count() + 1,
        column: before.get(line_start..).unwrap_or("").chars().count() + 1,
        what,
        found,
    }
}

/// The error of a text that is not even made of tokens.
pub(super) fn lex_error(text: &str, error: &LexError) -> DdlError {
    error_at(text, error.offset, error.what.to_owned())
}
