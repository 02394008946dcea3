//! What a statement in a QUERY event means for the mirrored tables.
//!
//! Rows come as row events; statements only frame transactions, or change tables in ways
//! that row events do not carry. The text is never parsed to guess a layout: a statement is
//! sorted by its leading keywords and by the table names that occur in it. One that cannot
//! be sorted and names a mirrored table counts as changing it.

mod executed;
mod foreign_keys;
mod lexer;
mod reach;
mod target;

use std::ops::Range;

use executed::{executed, is_analyze_table};
pub(crate) use foreign_keys::{ServerForeignKey, foreign_keys};
use lexer::{Token, tokens, tokens_without_mariadb};
pub(crate) use reach::graph::Kind;
pub(crate) use reach::{Reach, Reached};
pub(crate) use target::{Target, Writes, written_tables};

use crate::layout::TableLayout;

/// What a statement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// BEGIN or START TRANSACTION.
    Begin,
    /// COMMIT: the end of a transaction on a non-transactional engine.
    Commit,
    /// ROLLBACK of the whole transaction.
    Rollback,
    /// ROLLBACK TO a savepoint: only logged where rows of a non-transactional engine stay.
    RollbackTo,
    /// SAVEPOINT or RELEASE SAVEPOINT.
    Savepoint,
    /// XA START or XA BEGIN; the group ends with an XA_PREPARE event.
    XaStart,
    /// XA END, before the XA_PREPARE event.
    XaEnd,
    /// XA COMMIT of a transaction prepared before.
    XaCommit,
    /// XA ROLLBACK of a transaction prepared before.
    XaRollback,
    /// Changes no row of a mirrored table.
    Harmless,
    /// TRUNCATE TABLE of this mirrored table.
    Truncate {
        /// Table index.
        table: usize,
    },
    /// Changes the definition of mirrored tables, or rows of them that no row event carries.
    Touches {
        /// Table indexes, in order, each once.
        tables: Vec<usize>,
        /// The statement's leading words, for messages; never values.
        kind: String,
    },
}

/// Statements that change no table's rows or definition, by their first keyword.
const HARMLESS: &[&str] = &[
    "BINLOG",
    "CHECK",
    "CHECKSUM",
    "CLONE",
    "DESC",
    "DESCRIBE",
    "DO",
    "EXPLAIN",
    "FLUSH",
    "GRANT",
    "HELP",
    "INSTALL",
    "KILL",
    "LOCK",
    "OPTIMIZE",
    "PURGE",
    "RESET",
    "REVOKE",
    "SET",
    "SHOW",
    "SHUTDOWN",
    "UNINSTALL",
    "UNLOCK",
    "USE",
];

/// Objects whose CREATE, ALTER and DROP change no table.
const OTHER_OBJECTS: &[&str] = &[
    "EVENT",
    "FUNCTION",
    "INDEX",
    "LIBRARY",
    "LOGFILE",
    "PACKAGE",
    "PROCEDURE",
    "RESOURCE",
    "ROLE",
    "SEQUENCE",
    "SERVER",
    "SPATIAL",
    "TABLESPACE",
    "TRIGGER",
    "UNDO",
    "USER",
    "VIEW",
];

/// Sorts a statement.
///
/// `tables` are the mirrored tables, `database` the statement's default database.
#[must_use]
pub fn classify(statement: &[u8], database: &str, tables: &[&TableLayout]) -> Statement {
    if let Some(simple) = frame(statement) {
        return simple;
    }
    let sql = String::from_utf8_lossy(statement);
    let tokens = tokens(&sql);
    let sorted = sort(statement, &sql, &tokens, database, tables);
    let Some(other) = tokens_without_mariadb(&sql) else {
        return sorted;
    };
    // Whether the server executed what is in the comment is not known: what both readings agree
    // on, or everything that the text may mean.
    let other = sort(statement, &sql, &other, database, tables);
    if sorted == other {
        return sorted;
    }
    match anywhere(&sql, &tokens, tables) {
        Statement::Harmless if sorted == Statement::Harmless => other,
        Statement::Harmless => sorted,
        touches => touches,
    }
}

/// Sorts a statement by its tokens.
fn sort(
    statement: &[u8],
    sql: &str,
    tokens: &[Token<'_>],
    database: &str,
    tables: &[&TableLayout],
) -> Statement {
    let word = |at: usize| tokens.get(at);
    let is = |at: usize, keyword: &str| word(at).is_some_and(|token| token.is(keyword));
    if is(0, "SAVEPOINT") || is(0, "RELEASE") {
        return Statement::Savepoint;
    }
    if is(0, "BEGIN") || (is(0, "START") && is(1, "TRANSACTION")) {
        return Statement::Begin;
    }
    if is(0, "COMMIT") {
        return Statement::Commit;
    }
    if is(0, "ROLLBACK") {
        let to = is(1, "TO") || is(2, "TO");
        return if to {
            Statement::RollbackTo
        } else {
            Statement::Rollback
        };
    }
    if is(0, "XA") {
        return xa(tokens);
    }
    let executed = executed(tokens);
    let is_harmless = |keyword: &&str| executed.first().is_some_and(|token| token.is(keyword));
    if is_analyze_table(executed) || HARMLESS.iter().any(is_harmless) {
        return Statement::Harmless;
    }
    match definition_or_data(executed, database, tables) {
        Statement::Harmless if is_ambiguous(statement) => anywhere(sql, executed, tables),
        sorted => sorted,
    }
}

/// Whether the tokens may be others than the server's: backslashes mean something else in
/// some SQL modes, control characters start comments, and other character sets have bytes
/// that look like quotes.
fn is_ambiguous(statement: &[u8]) -> bool {
    statement
        .iter()
        .any(|&byte| byte == b'\\' || byte == 0x7f || (byte < 0x20 && !b"\t\n\r".contains(&byte)))
        || std::str::from_utf8(statement).is_err()
}

/// For a statement that cannot be split with certainty: every mirrored table counts as
/// touched whose name stands anywhere in it, also within text and comments.
fn anywhere(sql: &str, tokens: &[Token<'_>], tables: &[&TableLayout]) -> Statement {
    let sql = sql.to_lowercase();
    let readable = !sql.contains(char::REPLACEMENT_CHARACTER);
    let may_mean = |layout: &TableLayout| {
        let name = layout.table.to_lowercase();
        sql.contains(&name)
            || sql.contains(&name.replace('`', "``"))
            || !(readable || name.is_ascii())
    };
    let touched: Vec<usize> = (0..tables.len())
        .filter(|&table| tables.get(table).is_some_and(|layout| may_mean(layout)))
        .collect();
    if touched.is_empty() {
        return Statement::Harmless;
    }
    Statement::Touches {
        tables: touched,
        kind: kind(tokens),
    }
}

/// The statements that frame most transactions, without splitting them into tokens.
fn frame(statement: &[u8]) -> Option<Statement> {
    match statement {
        b"BEGIN" => Some(Statement::Begin),
        b"COMMIT" => Some(Statement::Commit),
        b"ROLLBACK" => Some(Statement::Rollback),
        _ => None,
    }
}

fn xa(tokens: &[Token<'_>]) -> Statement {
    match tokens.get(1) {
        Some(word) if word.is("START") || word.is("BEGIN") => Statement::XaStart,
        Some(word) if word.is("COMMIT") => Statement::XaCommit,
        Some(word) if word.is("ROLLBACK") => Statement::XaRollback,
        _ => Statement::XaEnd,
    }
}

fn definition_or_data(tokens: &[Token<'_>], database: &str, tables: &[&TableLayout]) -> Statement {
    let verb = |keyword: &str| tokens.first().is_some_and(|token| token.is(keyword));
    let definition = verb("CREATE") || verb("ALTER") || verb("DROP");
    let object = if definition { object(tokens) } else { None };
    match object {
        Some(Object::Other) => return Statement::Harmless,
        Some(Object::Database) if !verb("DROP") => return Statement::Harmless,
        Some(Object::Database) => return drop_database(tokens, tables),
        _ => {}
    }
    let head = tokens.get(..tokens.len().min(10)).unwrap_or(tokens);
    if verb("CREATE")
        && head
            .windows(3)
            .any(|w| w[0].is("IF") && w[1].is("NOT") && w[2].is("EXISTS"))
    {
        // Nothing happens when the table is there, and a mirror that holds it saw it go before.
        return Statement::Harmless;
    }
    // Other names in these are those of referenced, copied or read tables.
    let only_target = verb("CREATE") || (verb("ALTER") && !names_others(tokens));
    let touched = if definition && only_target {
        touched_by(tokens, target(tokens), database, tables)
    } else {
        touched_by(tokens, 0..tokens.len(), database, tables)
    };
    if verb("TRUNCATE")
        && touched.len() == 1
        && let Some(table) = exact_truncate(tokens, database, tables)
    {
        return Statement::Truncate { table };
    }
    if touched.is_empty() {
        return Statement::Harmless;
    }
    Statement::Touches {
        tables: touched,
        kind: kind(tokens),
    }
}

enum Object {
    Table,
    Database,
    Other,
}

/// The kind of object behind CREATE, ALTER or DROP and its options (OR REPLACE, DEFINER=...).
fn object(tokens: &[Token<'_>]) -> Option<Object> {
    for token in tokens.iter().skip(1).take(24) {
        if token.is("TEMPORARY") {
            return Some(Object::Other);
        }
        if token.is("TABLE") || token.is("TABLES") {
            return Some(Object::Table);
        }
        if token.is("DATABASE") || token.is("SCHEMA") {
            return Some(Object::Database);
        }
        if OTHER_OBJECTS.iter().any(|keyword| token.is(keyword)) {
            return Some(Object::Other);
        }
    }
    None
}

fn drop_database(tokens: &[Token<'_>], tables: &[&TableLayout]) -> Statement {
    let named = |database: &str| {
        tokens
            .iter()
            .skip(2)
            .filter_map(Token::identifier)
            .any(|name| same_name(name, database))
    };
    let touched: Vec<usize> = (0..tables.len())
        .filter(|&table| {
            tables
                .get(table)
                .is_some_and(|layout| named(layout.database))
        })
        .collect();
    if touched.is_empty() {
        return Statement::Harmless;
    }
    Statement::Touches {
        tables: touched,
        kind: "DROP DATABASE".into(),
    }
}

/// Mirrored tables whose name occurs, within this range of tokens, as an identifier that may
/// mean them.
fn touched_by(
    tokens: &[Token<'_>],
    range: Range<usize>,
    database: &str,
    tables: &[&TableLayout],
) -> Vec<usize> {
    let may_mean = |layout: &TableLayout| {
        range.clone().any(|at| {
            let name = tokens.get(at).and_then(Token::identifier);
            name.is_some_and(|name| same_name(name, layout.table))
                && match qualifier(tokens, at) {
                    Some(database) => same_name(database, layout.database),
                    // A table of another database with an alias of that name is taken for it
                    // only when the default database is the mirrored one.
                    None => database.is_empty() || same_name(database, layout.database),
                }
        })
    };
    (0..tables.len())
        .filter(|&table| tables.get(table).is_some_and(|layout| may_mean(layout)))
        .collect()
}

/// Where the name stands of the table that CREATE TABLE or ALTER TABLE is about; all tokens
/// when that cannot be told.
fn target(tokens: &[Token<'_>]) -> Range<usize> {
    let all = 0..tokens.len();
    let Some(keyword) = tokens.iter().position(|token| token.is("TABLE")) else {
        return all;
    };
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    let mut at = keyword + 1;
    if is(at, "IF") {
        at += if is(at + 1, "NOT") { 3 } else { 2 };
    }
    if tokens.get(at) == Some(&Token::Punct('.')) {
        at += 1;
    } else if tokens.get(at + 1) == Some(&Token::Punct('.')) {
        at += 2;
    }
    if at < tokens.len() { at..at + 1 } else { all }
}

/// The identifier before a dot before this token.
fn qualifier<'t>(tokens: &'t [Token<'_>], at: usize) -> Option<&'t str> {
    let dot = at.checked_sub(1)?;
    if tokens.get(dot) != Some(&Token::Punct('.')) {
        return None;
    }
    match tokens.get(dot.checked_sub(1)?)? {
        // MariaDB takes `.name` for `name`: the word before is then the statement's own.
        Token::Word(word)
            if STATEMENT_WORDS
                .iter()
                .any(|own| word.eq_ignore_ascii_case(own)) =>
        {
            None
        }
        token => token.identifier(),
    }
}

/// Words of statements that stand right before the name of a table.
const STATEMENT_WORDS: &[&str] = &[
    "TABLE",
    "TABLES",
    "INTO",
    "FROM",
    "UPDATE",
    "JOIN",
    "EXISTS",
    "TO",
    "IGNORE",
    "LIKE",
    "WITH",
    "LOW_PRIORITY",
    "DELETE",
    "INSERT",
    "REPLACE",
    "ON",
    "USING",
    "TRUNCATE",
    "NOWAIT",
    "WAIT",
];

/// The table of a TRUNCATE whose spelling is exactly the mirrored one's.
fn exact_truncate(tokens: &[Token<'_>], database: &str, tables: &[&TableLayout]) -> Option<usize> {
    let at = if tokens.get(1)?.is("TABLE") { 2 } else { 1 };
    let qualified = tokens.get(at + 1) == Some(&Token::Punct('.'));
    let (database, table) = if qualified {
        (
            tokens.get(at)?.identifier()?,
            tokens.get(at + 2)?.identifier()?,
        )
    } else {
        (database, tokens.get(at)?.identifier()?)
    };
    tables
        .iter()
        .position(|layout| layout.database == database && layout.table == table)
}

/// Whether an ALTER TABLE may be about another table than the one that it names first.
fn names_others(tokens: &[Token<'_>]) -> bool {
    tokens
        .iter()
        .any(|token| token.is("RENAME") || token.is("EXCHANGE"))
}

/// Bytes of the longest word that is shown; keywords are shorter.
const MAX_SHOWN_WORD: usize = 24;

/// The leading words, for messages, as far as they can be keywords.
fn kind(tokens: &[Token<'_>]) -> String {
    let words: Vec<String> = tokens
        .iter()
        .take(2)
        .map_while(|token| match token {
            Token::Word(word) if word.len() <= MAX_SHOWN_WORD && word.is_ascii() => {
                Some(word.to_ascii_uppercase())
            }
            _ => None,
        })
        .collect();
    if words.is_empty() {
        return "a statement".to_owned();
    }
    let second_is_object = words.get(1).is_some_and(|word| word == "TABLE");
    words
        .into_iter()
        .take(if second_is_object { 2 } else { 1 })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Names are compared without case: with lower_case_table_names=0 that may take another
/// table for a mirrored one, which costs a reload, never a row.
fn same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || a.to_lowercase() == b.to_lowercase()
}

#[cfg(test)]
mod tests;
