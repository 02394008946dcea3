//! Statements that change mirrored tables which they do not name: through a view, a trigger, a
//! stored function, or foreign keys.
//!
//! Such a statement is in the log as a text only where a session writes in STATEMENT or MIXED
//! format. The definitions of a server are read before each load; those that come later are met in
//! the log. Names in them are followed up to mirrored tables ([`graph`]), and a statement that
//! names anything on the way counts as touching these.

mod change;
pub(crate) mod graph;
mod stretch;
mod words;

use std::collections::HashSet;

use change::{Change, change};
use graph::{Graph, Hit, Kind};
use stretch::Stretch;

use super::lexer::{Token, tokens};
use super::{HARMLESS, executed, is_ambiguous, is_analyze_table, kind, written_tables};
use crate::layout::TableLayout;
use crate::source::{BinlogPosition, Definitions};

/// Tables that are warned about at most.
const MAX_WARNED: usize = 1000;

/// Definitions that are taken from the log at most, until they are read anew: those that were
/// dropped meanwhile are not forgotten.
const MAX_LEARNED: usize = 100_000;

/// What is known of the ways from statements to mirrored tables.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    tables: usize,
    graph: Graph,
    /// How many objects were known at the start.
    known_at_start: usize,
    stretch: Option<Stretch>,
    /// The account does not see all definitions.
    is_blind: bool,
    /// What was warned about, each once.
    warned: HashSet<String>,
}

/// Mirrored tables that a statement reaches, and how.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Table indexes, in order, each once.
    pub(crate) tables: Vec<usize>,
    /// For messages: the statement's leading words and the object that it goes through.
    pub(crate) kind: String,
}

impl Reach {
    /// Nothing is known but what will be met in the log.
    pub(crate) fn new(layouts: &[&'static TableLayout]) -> Self {
        Self {
            tables: layouts.len(),
            graph: Graph::new(layouts),
            known_at_start: layouts.len(),
            ..Self::default()
        }
    }

    /// What a server's definitions tell, which were read when its binlog ended at `until`.
    pub(crate) fn of_server(
        layouts: &[&'static TableLayout],
        definitions: &Definitions,
        until: BinlogPosition,
    ) -> Self {
        let mut reach = Self::new(layouts);
        for stored in definitions.all() {
            let text = String::from_utf8_lossy(&stored.text);
            let (kind, database, name) = (stored.kind, &stored.database, &stored.name);
            if stored.is_sql && !is_ambiguous(&stored.text) {
                let tokens = tokens(&text);
                reach.graph.add(kind, database, name, &tokens, database);
            } else {
                reach.graph.add_uncertain(kind, database, name, &text);
            }
        }
        reach.known_at_start = reach.graph.len();
        reach.is_blind = !definitions.are_visible();
        reach.stretch = Some(Stretch::new(until));
        reach
    }

    /// The stretch of the load is over, or its positions mean nothing any more.
    pub(crate) fn leave_stretch(&mut self) {
        self.stretch = None;
    }

    /// Takes a statement that frames no transaction and ends at `end`: the mirrored tables that
    /// it changes without naming them. `is_told`: it changes some that it names, and is not passed
    /// over anyway.
    pub(crate) fn meet(
        &mut self,
        statement: &[u8],
        database: &str,
        end: &BinlogPosition,
        is_told: bool,
    ) -> Option<Reached> {
        let sql = String::from_utf8_lossy(statement);
        let tokens = tokens(&sql);
        let tokens = executed(&tokens);
        let is_uncertain = is_ambiguous(statement);
        self.stretch = self.stretch.take().filter(|stretch| stretch.has(end));
        if let Some(change) = change(tokens) {
            let hides = |stretch: &mut Stretch| stretch.hides(&change, tokens, database);
            let reason = match () {
                () if self.stretch.as_mut().is_some_and(hides) => {
                    Some("statements before a {}, which took their definitions away,")
                }
                () if change == Change::Unknown => {
                    Some("a {} that cannot be read, and may have an effect")
                }
                () if self.graph.len() - self.known_at_start >= MAX_LEARNED => {
                    Some("too many new definitions, the last a {},")
                }
                () => None,
            };
            let text = is_uncertain.then_some(&*sql);
            self.learn(&change, tokens, database, text);
            if let Some(reason) = reason {
                return Some(self.all(reason, tokens));
            }
        }
        if !executes(tokens) {
            return None;
        }
        if let Some(stretch) = &mut self.stretch {
            stretch.pass(tokens, database);
        }
        let hit = match is_uncertain {
            true => self.graph.hit_anywhere(&sql),
            false => self.graph.hit(tokens, database),
        };
        if hit.is_none() && self.is_blind && !is_told {
            self.warn(statement, tokens);
        }
        hit.map(|hit| reached(hit, tokens))
    }

    /// Every table, for a reason with the statement's keywords in place of `{}`.
    fn all(&self, kind: &str, tokens: &[Token<'_>]) -> Reached {
        Reached {
            tables: (0..self.tables).collect(),
            kind: kind.replace("{}", &leading(tokens).join(" ")),
        }
    }

    fn learn(
        &mut self,
        change: &Change<'_>,
        tokens: &[Token<'_>],
        default: &str,
        uncertain: Option<&str>,
    ) {
        match change {
            Change::Made {
                kind, name, body, ..
            } => {
                let own = name.database.unwrap_or(default);
                // Names in a view are those of the session, in routines those of their database.
                let within = if *kind == Kind::View { default } else { own };
                let definition = tokens.get(*body..).unwrap_or_default();
                match uncertain {
                    Some(text) => self.graph.add_uncertain(*kind, own, name.name, text),
                    None => self.graph.add(*kind, own, name.name, definition, within),
                }
            }
            Change::Moved(pairs) => {
                for (new, old) in pairs {
                    let own = new.database.unwrap_or(default);
                    self.graph.add(Kind::Renamed, own, new.name, old, default);
                }
            }
            Change::Dropped(_) | Change::Table { .. } | Change::Unknown => {}
        }
    }

    /// Says that a statement was passed over whose ways are hidden; of each table once.
    fn warn(&mut self, statement: &[u8], tokens: &[Token<'_>]) {
        let target = target(statement, tokens);
        if self.warned.len() < MAX_WARNED && self.warned.insert(target.clone()) {
            tracing::warn!(
                statement = kind(tokens),
                on = target,
                "a statement in STATEMENT format was passed over; whether it changes a mirrored \
                 table through a view, a trigger or a function is not visible to this account: \
                 `mirror doctor` names the rights"
            );
        }
    }
}

/// Whether a statement may change rows, or call what does.
fn executes(tokens: &[Token<'_>]) -> bool {
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    let any = |keywords: &[&str]| keywords.iter().any(|keyword| is(0, keyword));
    if is(0, "DO") {
        return true;
    }
    if is(0, "CREATE") {
        return is_create_select(tokens);
    }
    let definitions = ["ALTER", "DROP", "RENAME", "TRUNCATE", "REPAIR"];
    !(tokens.is_empty() || any(HARMLESS) || any(&definitions) || is_analyze_table(tokens))
}

/// CREATE TABLE with rows from a SELECT, or from a TABLE statement.
fn is_create_select(tokens: &[Token<'_>]) -> bool {
    let count = |keyword: &str| tokens.iter().filter(|token| token.is(keyword)).count();
    matches!(change(tokens), Some(Change::Table { .. }))
        && (count("SELECT") > 0 || count("TABLE") > 1)
}

fn reached(hit: Hit, tokens: &[Token<'_>]) -> Reached {
    let name = hit.name;
    let through = match hit.kind {
        Kind::View => format!("view {name}"),
        Kind::TriggerTable => format!("a trigger of {name}"),
        Kind::Parent => format!("foreign keys to {name}"),
        Kind::Function => format!("function {name}"),
        Kind::Package => format!("package {name}"),
        Kind::Renamed | Kind::Procedure | Kind::Mirrored(_) => {
            format!("{name}, as it was renamed,")
        }
    };
    let verb = match tokens.first().is_some_and(|token| token.is("CREATE")) {
        true => "SELECT of a CREATE TABLE".to_owned(),
        false => kind(tokens),
    };
    Reached {
        tables: hit.tables.into_iter().collect(),
        kind: format!("{verb} through {through}"),
    }
}

/// The keywords that a statement about definitions begins with.
fn leading(tokens: &[Token<'_>]) -> Vec<String> {
    let objects = [
        "CREATE",
        "ALTER",
        "DROP",
        "RENAME",
        "OR",
        "REPLACE",
        "TABLE",
        "TABLES",
        "VIEW",
        "TRIGGER",
        "FUNCTION",
        "PROCEDURE",
        "PACKAGE",
        "DATABASE",
        "SCHEMA",
    ];
    let words = tokens.iter().take(24);
    let keyword = |token: &Token<'_>| objects.iter().find(|object| token.is(object)).copied();
    let mut found: Vec<String> = words.filter_map(keyword).map(str::to_owned).collect();
    found.truncate(4);
    found
}

/// The table or function that a statement is about, for messages.
fn target(statement: &[u8], tokens: &[Token<'_>]) -> String {
    let full = |database: Option<&str>, name: &str| match database {
        Some(database) => format!("{database}.{name}"),
        None => name.to_owned(),
    };
    if let Some(targets) = written_tables(statement) {
        let names = targets.tables.iter();
        let names: Vec<String> = names
            .map(|target| full(target.database.as_deref(), &target.table))
            .collect();
        return names.join(", ");
    }
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    let at = match () {
        () if is(0, "DELETE") => tokens.iter().position(|token| token.is("FROM")),
        () if is(0, "SELECT") || is(0, "DO") => Some(0),
        () => None,
    };
    let name = |at: usize| match tokens.get(at)? {
        Token::Word(word) => Some(*word),
        Token::Quoted(name) => Some(name.as_str()),
        Token::Text(_) | Token::Punct(_) => None,
    };
    let named = at.and_then(|at| {
        let first = name(at + 1)?;
        match tokens.get(at + 2) == Some(&Token::Punct('.')) {
            true => Some(full(Some(first), name(at + 3)?)),
            false => Some(first.to_owned()),
        }
    });
    named.unwrap_or_else(|| "a table or function that cannot be told".to_owned())
}

#[cfg(test)]
mod tests;
