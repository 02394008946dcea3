//! What a statement does to the definitions of views, triggers and routines, and to the names of
//! tables.
//!
//! Grammar: MySQL manual and MariaDB knowledge base, "CREATE VIEW", "CREATE TRIGGER", "CREATE
//! FUNCTION", "CREATE PROCEDURE", "CREATE PACKAGE BODY", "RENAME TABLE", "ALTER TABLE".

use super::super::lexer::Token;
use super::graph::Kind;

/// A name as a statement spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name<'t> {
    pub(super) database: Option<&'t str>,
    pub(super) name: &'t str,
}

/// What a statement does to definitions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change<'t> {
    /// It makes an object.
    Made {
        kind: Kind,
        /// The object; the table of a trigger.
        name: Name<'t>,
        /// What is created: the same, or the trigger.
        created: Name<'t>,
        /// The token that its definition begins with.
        body: usize,
        /// Whether an object of that name may go by this.
        replaces: bool,
    },
    /// It drops a view, a trigger or a routine, or a database.
    Dropped(Option<Name<'t>>),
    /// It makes a table.
    Table { name: Name<'t>, replaces: bool },
    /// Tables that it names are gone, or have other names: new ones, and the tokens that name
    /// the old ones.
    Moved(Vec<(Name<'t>, &'t [Token<'t>])>),
    /// It is about a view, a trigger or a routine, and is not understood.
    Unknown,
}

/// Reads a statement; `None` for one that does nothing to definitions.
pub(super) fn change<'t>(tokens: &'t [Token<'t>]) -> Option<Change<'t>> {
    let verb = |keyword: &str| tokens.first().is_some_and(|token| token.is(keyword));
    if verb("RENAME") {
        let of_tables = ["TABLE", "TABLES"].iter().any(|word| second(tokens, word));
        return of_tables.then(|| Change::Moved(renamed(tokens)));
    }
    if !(verb("CREATE") || verb("ALTER") || verb("DROP")) {
        return None;
    }
    let (at, object) = object(tokens)?;
    let replaces = verb("ALTER") || second(tokens, "OR");
    match object {
        Object::Table if verb("DROP") => Some(Change::Moved(Vec::new())),
        Object::Table if verb("CREATE") => Some(match name(tokens, at) {
            Some((name, _)) => Change::Table { name, replaces },
            None => Change::Unknown,
        }),
        Object::Table => {
            let pairs = altered(tokens, at);
            (!pairs.is_empty()).then_some(Change::Moved(pairs))
        }
        Object::Database => verb("DROP").then_some(Change::Dropped(None)),
        Object::Stored(_) if verb("DROP") => {
            Some(Change::Dropped(name(tokens, at).map(|(name, _)| name)))
        }
        // ALTER FUNCTION and PROCEDURE change other things than the body.
        Object::Stored(kind) if verb("ALTER") && kind != Kind::View => None,
        Object::Stored(kind) => Some(made(tokens, at, kind, replaces).unwrap_or(Change::Unknown)),
    }
}

fn second(tokens: &[Token<'_>], keyword: &str) -> bool {
    tokens.get(1).is_some_and(|token| token.is(keyword))
}

enum Object {
    Table,
    Database,
    Stored(Kind),
}

/// The kind of object behind CREATE, ALTER or DROP and its options, and the place behind it;
/// `None` for those that have nothing to do with tables' rows.
fn object(tokens: &[Token<'_>]) -> Option<(usize, Object)> {
    for (at, token) in tokens.iter().enumerate().skip(1).take(24) {
        let object = match () {
            () if token.is("TABLE") || token.is("TABLES") => Object::Table,
            () if token.is("DATABASE") || token.is("SCHEMA") => Object::Database,
            () if token.is("VIEW") => Object::Stored(Kind::View),
            () if token.is("TRIGGER") => Object::Stored(Kind::TriggerTable),
            () if token.is("FUNCTION") => Object::Stored(Kind::Function),
            () if token.is("PROCEDURE") => Object::Stored(Kind::Procedure),
            () if token.is("PACKAGE") => Object::Stored(Kind::Package),
            () if super::super::OTHER_OBJECTS
                .iter()
                .any(|other| token.is(other)) =>
            {
                return None;
            }
            () => continue,
        };
        return Some((at + 1, object));
    }
    None
}

fn made<'t>(tokens: &'t [Token<'t>], at: usize, kind: Kind, replaces: bool) -> Option<Change<'t>> {
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    let at = if kind == Kind::Package && is(at, "BODY") {
        at + 1
    } else {
        at
    };
    let (created, mut body) = name(tokens, at)?;
    let mut own = created;
    if kind == Kind::TriggerTable {
        let on = (body..tokens.len()).find(|&at| is(at, "ON"))?;
        (own, body) = name(tokens, on + 1)?;
        // A trigger is in the database of its table.
        own.database = own.database.or(created.database);
    }
    Some(Change::Made {
        kind,
        name: own,
        created,
        body,
        replaces,
    })
}

/// A name behind IF EXISTS or IF NOT EXISTS, and the place behind it.
fn name<'t>(tokens: &'t [Token<'t>], mut at: usize) -> Option<(Name<'t>, usize)> {
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    if is(at, "IF") && (is(at + 1, "EXISTS") || is(at + 1, "NOT")) {
        at += if is(at + 1, "NOT") { 3 } else { 2 };
    }
    let is_dot = |at: usize| tokens.get(at) == Some(&Token::Punct('.'));
    let mut database = None;
    if is_dot(at) {
        at += 1;
    } else if is_dot(at + 1) {
        database = tokens.get(at)?.identifier();
        at += 2;
    }
    let name = tokens.get(at)?.identifier()?;
    Some((Name { database, name }, at + 1))
}

/// Pairs of RENAME TABLE: what stands behind each TO, and what stands before it.
fn renamed<'t>(tokens: &'t [Token<'t>]) -> Vec<(Name<'t>, &'t [Token<'t>])> {
    let mut pairs = Vec::new();
    let mut from = 1;
    for (at, token) in tokens.iter().enumerate() {
        if token.is("TO")
            && let Some((new, behind)) = name(tokens, at + 1)
            && let Some(old) = tokens.get(from..at)
        {
            pairs.push((new, old));
            from = behind;
        }
    }
    pairs
}

/// The new name in an ALTER TABLE, if it has one.
fn altered<'t>(tokens: &'t [Token<'t>], at: usize) -> Vec<(Name<'t>, &'t [Token<'t>])> {
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    let Some(old) = name(tokens, at).and_then(|(_, behind)| tokens.get(at..behind)) else {
        return Vec::new();
    };
    let renames = (at..tokens.len()).filter(|&at| is(at, "RENAME"));
    let others = ["COLUMN", "INDEX", "KEY", "CONSTRAINT"];
    renames
        .filter(|&at| !others.iter().any(|other| is(at + 1, other)))
        .filter_map(|at| {
            let equals = tokens.get(at + 1) == Some(&Token::Punct('='));
            let skipped = is(at + 1, "TO") || is(at + 1, "AS") || equals;
            let (new, _) = name(tokens, at + 1 + usize::from(skipped))?;
            Some((new, old))
        })
        .collect()
}
