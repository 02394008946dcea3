//! Which tables a statement names as those that it writes to, and what it makes of rows that are
//! there already.
//!
//! Grammar: MariaDB knowledge base, "UPDATE", "INSERT", "REPLACE", "LOAD DATA INFILE".

use super::lexer::{Token, tokens};

/// What a statement makes of a row that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    /// It changes some of its columns.
    Changes,
    /// It puts another row in its place.
    Replacements,
}

/// A table as a statement names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) database: Option<String>,
    pub(crate) table: String,
}

/// What [`written_tables`] finds out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Targets {
    pub(crate) writes: Writes,
    /// Tables that the statement names as its own: no other code writes to them within it.
    pub(crate) tables: Vec<Target>,
}

/// Reads the beginning of an UPDATE, INSERT, REPLACE or LOAD DATA statement; `None` for every
/// other, and for one that cannot be told with certainty.
pub(crate) fn written_tables(text: &[u8]) -> Option<Targets> {
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(text.get(..error.valid_up_to())?).ok()?,
    };
    let tokens = tokens(text);
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    let past = |mut at: usize, words: &[&str]| {
        while words.iter().any(|word| is(at, word)) {
            at += 1;
        }
        at
    };
    let (writes, at) = match () {
        () if is(0, "UPDATE") => return update(&tokens, past(1, &["LOW_PRIORITY", "IGNORE"])),
        () if is(0, "INSERT") => {
            let words = ["LOW_PRIORITY", "HIGH_PRIORITY", "IGNORE", "INTO"];
            (Writes::Changes, past(1, &words))
        }
        () if is(0, "REPLACE") => (Writes::Replacements, past(1, &["LOW_PRIORITY", "INTO"])),
        () if is(0, "LOAD") && is(1, "DATA") => load_data(&tokens)?,
        () => return None,
    };
    // INSERT DELAYED and REPLACE DELAYED: another thread writes the rows of many statements.
    if is(at, "DELAYED") {
        return None;
    }
    let (table, _) = name(&tokens, at)?;
    Some(Targets {
        writes,
        tables: vec![table],
    })
}

/// Where the name stands of a LOAD DATA's table.
fn load_data(tokens: &[Token<'_>]) -> Option<(Writes, usize)> {
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    let file = tokens.iter().take(6).position(|token| token.is("INFILE"))? + 1;
    if !matches!(tokens.get(file)?, Token::Text(_)) {
        return None;
    }
    let (writes, into) = match () {
        () if is(file + 1, "REPLACE") => (Writes::Replacements, file + 2),
        () if is(file + 1, "IGNORE") => (Writes::Changes, file + 2),
        () => (Writes::Changes, file + 1),
    };
    (is(into, "INTO") && is(into + 1, "TABLE")).then_some((writes, into + 2))
}

/// The tables between UPDATE and SET, but for those in parentheses.
fn update(tokens: &[Token<'_>], first: usize) -> Option<Targets> {
    let mut tables = Vec::new();
    let mut depth = 0_usize;
    let mut expected = true;
    let mut at = first;
    loop {
        let token = tokens.get(at)?;
        match token {
            Token::Punct('(') => depth += 1,
            Token::Punct(')') => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            Token::Punct(',') => expected = true,
            // UPDATE ... FOR PORTION OF inserts rows too.
            token if token.is("PORTION") => return None,
            token if token.is("SET") => break,
            token if token.is("JOIN") || token.is("STRAIGHT_JOIN") => expected = true,
            _ if expected => {
                let (table, after) = name(tokens, at)?;
                tables.push(table);
                expected = false;
                at = after;
                continue;
            }
            _ => {}
        }
        if matches!(token, Token::Punct('(')) {
            expected = false;
        }
        at += 1;
    }
    Some(Targets {
        writes: Writes::Changes,
        tables,
    })
}

/// A name of a table, and the place behind it; `None` where the text may have been cut in it.
fn name(tokens: &[Token<'_>], at: usize) -> Option<(Target, usize)> {
    let identifier = |at: usize| match tokens.get(at)? {
        Token::Word(word) => Some((*word).to_owned()),
        Token::Quoted(name) => Some(name.clone()),
        _ => None,
    };
    let first = identifier(at)?;
    let (database, table, after) = if tokens.get(at + 1) == Some(&Token::Punct('.')) {
        (Some(first), identifier(at + 2)?, at + 3)
    } else {
        (None, first, at + 1)
    };
    tokens.get(after)?;
    Some((Target { database, table }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(sql: &str) -> Option<(Writes, Vec<String>)> {
        let targets = written_tables(sql.as_bytes())?;
        let full = |target: &Target| match &target.database {
            Some(database) => format!("{database}.{}", target.table),
            None => target.table.clone(),
        };
        Some((targets.writes, targets.tables.iter().map(full).collect()))
    }

    fn changes(tables: &[&str]) -> Option<(Writes, Vec<String>)> {
        Some((
            Writes::Changes,
            tables.iter().map(|&name| name.into()).collect(),
        ))
    }

    fn replaces(table: &str) -> Option<(Writes, Vec<String>)> {
        Some((Writes::Replacements, vec![table.into()]))
    }

    #[test]
    fn tables_of_an_update_are_those_before_set() {
        assert_eq!(named("UPDATE t SET a = 1"), changes(&["t"]));
        assert_eq!(
            named("/* c */ update low_priority ignore `a``b`.`t` as x set y = 1"),
            changes(&["a`b.t"])
        );
        assert_eq!(
            named("UPDATE a JOIN b.c x ON (a.i = x.i), d PARTITION (p, q) SET a.i = 1"),
            changes(&["a", "b.c", "d"])
        );
        assert_eq!(
            named("UPDATE (SELECT 1 FROM t SET) q JOIN u USING (i) SET u.a = 1"),
            changes(&["u"])
        );
        assert_eq!(
            named("UPDATE t FOR PORTION OF p FROM 1 TO 2 SET a = 1"),
            None
        );
    }

    #[test]
    fn tables_of_other_statements_stand_behind_their_words() {
        assert_eq!(
            named("INSERT IGNORE INTO t (a) VALUES (1)"),
            changes(&["t"])
        );
        assert_eq!(named("insert t values (1)"), changes(&["t"]));
        assert_eq!(
            named("REPLACE LOW_PRIORITY INTO `d`.t SET a = 1"),
            replaces("d.t")
        );
        assert_eq!(named("replace /*! into */ t select 1"), replaces("t"));
        assert_eq!(
            named("LOAD DATA LOCAL INFILE 'f' REPLACE INTO TABLE `t` FIELDS"),
            replaces("t")
        );
        assert_eq!(
            named("LOAD DATA INFILE 'f' INTO TABLE t (a)"),
            changes(&["t"])
        );
    }

    #[test]
    fn what_cannot_be_told_is_not_guessed() {
        for sql in [
            "",
            "CALL p()",
            "SELECT f()",
            "DELETE FROM t",
            "INSERT DELAYED INTO t VALUES (1)",
            "REPLACE DELAYED t VALUES (1)",
            "REPLACE INTO t",
            "REPLACE INTO `t",
            "UPDATE t",
            "UPDATE \"t\" SET a = 1",
            "WITH c AS (SELECT 1) UPDATE t SET a = 1",
            "SET STATEMENT a = 1 FOR UPDATE t SET a = 1",
            "LOAD DATA INFILE \"f\" t",
        ] {
            assert_eq!(named(sql), None, "{sql}");
        }
        assert_eq!(written_tables(b"UPDATE t\xff SET a = 1"), None);
    }
}
