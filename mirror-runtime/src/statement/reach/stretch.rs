//! What is not known of the stretch of the binlog that a load is replayed over: definitions that
//! were dropped in it, before the load could read them.

use std::collections::HashSet;

use super::super::lexer::Token;
use super::super::qualifier;
use super::change::{Change, Name};
use crate::source::BinlogPosition;

/// Names that are kept at most; with more, every name counts as kept.
const MAX_NAMES: usize = 10_000;

/// The statements and definitions met in the stretch so far.
#[derive(Debug)]
pub(super) struct Stretch {
    /// Definitions were read when the binlog ended there.
    until: BinlogPosition,
    /// Names in statements that were passed over, in lower case.
    passed: HashSet<String>,
    too_many: bool,
    /// Tables and other objects that were made in the stretch: what they were is known.
    born: HashSet<(String, String)>,
}

impl Stretch {
    pub(super) fn new(until: BinlogPosition) -> Self {
        Self {
            until,
            passed: HashSet::new(),
            too_many: false,
            born: HashSet::new(),
        }
    }

    /// Whether an event that ends there is in the stretch.
    pub(super) fn has(&self, end: &BinlogPosition) -> bool {
        *end <= self.until
    }

    /// A statement was passed over.
    pub(super) fn pass(&mut self, tokens: &[Token<'_>], default: &str) {
        for at in 0..tokens.len() {
            let Some(name) = tokens.get(at).and_then(Token::identifier) else {
                continue;
            };
            let name = name.to_lowercase();
            let database = qualifier(tokens, at).unwrap_or(default).to_lowercase();
            let place = (database, name);
            if !self.born.contains(&place) {
                self.passed.insert(place.1);
            }
        }
        if self.passed.len() > MAX_NAMES {
            self.too_many = true;
            self.passed.clear();
        }
    }

    /// Whether a change takes a definition away that a statement passed over before may have gone
    /// through.
    pub(super) fn hides(
        &mut self,
        change: &Change<'_>,
        tokens: &[Token<'_>],
        default: &str,
    ) -> bool {
        let place = |name: &Name<'_>| {
            let database = name.database.unwrap_or(default);
            (database.to_lowercase(), name.name.to_lowercase())
        };
        let has_passed = self.too_many || !self.passed.is_empty();
        match change {
            Change::Made {
                created, replaces, ..
            } => {
                let known = self.bear(place(created), tokens);
                *replaces && !known && has_passed
            }
            Change::Dropped(name) => {
                let known = name.is_some_and(|name| self.born.remove(&place(&name)));
                !known && has_passed
            }
            Change::Table { name, replaces } => {
                let known = self.bear(place(name), tokens);
                *replaces && !known && self.is_passed(tokens)
            }
            Change::Moved(_) => {
                let named = names(tokens);
                self.born.retain(|(_, name)| !named.contains(name));
                self.is_passed(tokens)
            }
            Change::Unknown => false,
        }
    }

    /// Something is made; whether it was made in the stretch already.
    fn bear(&mut self, place: (String, String), tokens: &[Token<'_>]) -> bool {
        let head = tokens.get(..tokens.len().min(30)).unwrap_or(tokens);
        // It may have been there before, as it is still.
        let is_optional = head
            .windows(3)
            .any(|w| w[0].is("IF") && w[1].is("NOT") && w[2].is("EXISTS"));
        match is_optional {
            true => self.born.contains(&place),
            false => !self.born.insert(place),
        }
    }

    /// Whether a statement that was passed over names one of these.
    fn is_passed(&self, tokens: &[Token<'_>]) -> bool {
        self.too_many || names(tokens).iter().any(|name| self.passed.contains(name))
    }
}

/// The names in a statement about tables, in lower case, but for the words that are in all of
/// these.
fn names(tokens: &[Token<'_>]) -> HashSet<String> {
    const WORDS: [&str; 5] = ["table", "tables", "if", "exists", "to"];
    let names = tokens.iter().skip(1).filter_map(Token::identifier);
    names
        .map(str::to_lowercase)
        .filter(|name| !WORDS.contains(&name.as_str()))
        .collect()
}
