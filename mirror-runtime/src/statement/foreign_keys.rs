//! The foreign keys in the text of SHOW CREATE TABLE.
//!
//! Form (both servers): CONSTRAINT `name` FOREIGN KEY (`columns`) REFERENCES `table` (`columns`)
//! ON DELETE action ON UPDATE action, where RESTRICT is left out.

use super::lexer::{Token, tokens};
use crate::layout::ForeignKeyAction;

/// A foreign key as the server prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerForeignKey {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// The parent's database, when it is another one.
    pub(crate) database: Option<String>,
    pub(crate) table: String,
    pub(crate) parent_columns: Vec<String>,
    pub(crate) on_delete: ForeignKeyAction,
    pub(crate) on_update: ForeignKeyAction,
}

/// The foreign keys of a table.
pub(crate) fn foreign_keys(create_table: &str) -> Vec<ServerForeignKey> {
    let tokens = tokens(create_table);
    (0..tokens.len())
        .filter(|&at| is(&tokens, at, "FOREIGN") && is(&tokens, at + 1, "KEY"))
        .filter_map(|at| read(&tokens, at))
        .collect()
}

fn is(tokens: &[Token<'_>], at: usize, word: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.is(word))
}

fn read(tokens: &[Token<'_>], at: usize) -> Option<ServerForeignKey> {
    let name_before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let name = name_before.and_then(Token::identifier).unwrap_or_default();
    let (columns, mut next) = names(tokens, at + 2)?;
    if !is(tokens, next, "REFERENCES") {
        return None;
    }
    next += 1;
    let mut table = tokens.get(next)?.identifier()?.to_owned();
    let mut database = None;
    if tokens.get(next + 1) == Some(&Token::Punct('.')) {
        database = Some(std::mem::replace(
            &mut table,
            tokens.get(next + 2)?.identifier()?.to_owned(),
        ));
        next += 2;
    }
    let (parent_columns, mut next) = names(tokens, next + 1)?;
    let mut key = ServerForeignKey {
        name: name.to_owned(),
        columns,
        database,
        table,
        parent_columns,
        on_delete: ForeignKeyAction::Restrict,
        on_update: ForeignKeyAction::Restrict,
    };
    while is(tokens, next, "ON") {
        let action = match () {
            () if is(tokens, next + 2, "CASCADE") => ForeignKeyAction::Cascade,
            () if is(tokens, next + 2, "SET") && is(tokens, next + 3, "NULL") => {
                ForeignKeyAction::SetNull
            }
            () => ForeignKeyAction::Restrict,
        };
        match () {
            () if is(tokens, next + 1, "DELETE") => key.on_delete = action,
            () if is(tokens, next + 1, "UPDATE") => key.on_update = action,
            () => break,
        }
        // CASCADE and RESTRICT are one word, SET NULL, SET DEFAULT and NO ACTION are two.
        next += 3;
        if !is(tokens, next, "ON") {
            next += 1;
        }
    }
    Some(key)
}

/// The names in parentheses at a place, and the place behind.
fn names(tokens: &[Token<'_>], open: usize) -> Option<(Vec<String>, usize)> {
    if tokens.get(open) != Some(&Token::Punct('(')) {
        return None;
    }
    let mut names = Vec::new();
    let mut at = open + 1;
    loop {
        names.push(tokens.get(at)?.identifier()?.to_owned());
        match tokens.get(at + 1)? {
            Token::Punct(',') => at += 2,
            Token::Punct(')') => return Some((names, at + 2)),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_keys_are_found_with_their_actions() {
        let sql = "CREATE TABLE `kid` (\n  `id` int NOT NULL COMMENT 'FOREIGN KEY (`x`) REFERENCES `y` (`z`)',\n  \
                   KEY `k` (`pid`),\n  \
                   CONSTRAINT `a` FOREIGN KEY (`pid`) REFERENCES `par` (`id`) ON DELETE CASCADE ON UPDATE SET NULL,\n  \
                   CONSTRAINT `b` FOREIGN KEY (`p`, `q`) REFERENCES `d`.`par` (`i`, `j`) ON DELETE SET NULL,\n  \
                   CONSTRAINT `c` FOREIGN KEY (`p`) REFERENCES `par` (`id`) ON DELETE NO ACTION ON UPDATE CASCADE,\n  \
                   CONSTRAINT `d` FOREIGN KEY (`p`) REFERENCES `par` (`id`)\n) ENGINE=InnoDB";
        let found = foreign_keys(sql);
        let names: Vec<&str> = found.iter().map(|key| &*key.name).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        use ForeignKeyAction::{Cascade, Restrict, SetNull};
        let actions: Vec<_> = found
            .iter()
            .map(|key| (key.on_delete, key.on_update))
            .collect();
        assert_eq!(
            actions,
            [
                (Cascade, SetNull),
                (SetNull, Restrict),
                (Restrict, Cascade),
                (Restrict, Restrict)
            ]
        );
        assert_eq!(found[1].database.as_deref(), Some("d"));
        assert_eq!(
            (found[1].columns.len(), &*found[1].parent_columns[1]),
            (2, "j")
        );
    }
}
