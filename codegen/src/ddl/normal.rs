//! The DDL as it is recorded: without what the server changes by itself.

use super::lexer::{Token, TokenKind, tokenize};
use super::version::ServerVersion;

/// The text without `AUTO_INCREMENT=n` and without the PARTITION BY clause, both of which
/// change while the table's layout does not; a text that cannot be read stays as it is.
#[must_use]
pub fn normalize(text: &str, version: ServerVersion) -> String {
    let text = text.trim();
    let Ok(tokens) = tokenize(text, version) else {
        return text.to_owned();
    };
    let Some(options) = end_of_body(&tokens) else {
        return text.to_owned();
    };
    let mut normal = String::new();
    let mut kept = 0;
    let mut i = options;
    while let Some(token) = tokens.get(i) {
        let is = |ahead: usize, word: &str| matches!(tokens.get(i + ahead), Some(Token { kind: TokenKind::Word(found), .. }) if found.eq_ignore_ascii_case(word));
        if is(0, "PARTITION") && is(1, "BY") {
            normal.push_str(without_comment_head(
                text.get(kept..token.start).unwrap_or(""),
            ));
            return normal;
        }
        if is(0, "AUTO_INCREMENT")
            && let Some(Token {
                kind: TokenKind::Number(_),
                end,
                ..
            }) = tokens.get(i + 2)
        {
            normal.push_str(text.get(kept..token.start).unwrap_or("").trim_end());
            kept = *end;
            // What stood behind the counter does not become part of what stands before it.
            if text
                .get(kept..)
                .is_some_and(|rest| rest.starts_with(|next: char| !next.is_whitespace()))
            {
                normal.push(' ');
            }
            i += 2;
        }
        i += 1;
    }
    normal.push_str(text.get(kept..).unwrap_or(""));
    normal
}

/// Index of the token behind the table's closing parenthesis.
fn end_of_body(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Symbol('(') => depth += 1,
            TokenKind::Symbol(')') if depth <= 1 => return Some(i + 1),
            TokenKind::Symbol(')') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Cuts the opening of a versioned comment off the end, and the space before it.
fn without_comment_head(text: &str) -> &str {
    let text = text.trim_end();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit());
    match digits
        .strip_suffix("/*!")
        .or_else(|| digits.strip_suffix("/*M!"))
    {
        Some(before) => before.trim_end(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: ServerVersion = ServerVersion::mysql(9, 7);

    #[test]
    fn counters_go_and_text_that_looks_like_them_stays() {
        let ddl = "CREATE TABLE `t` (\n  `a` int NOT NULL AUTO_INCREMENT COMMENT 'AUTO_INCREMENT=3'\n) ENGINE=InnoDB AUTO_INCREMENT=12 COMMENT=' AUTO_INCREMENT=5'";
        let normal = normalize(ddl, MYSQL);
        assert_eq!(normal, ddl.replace(" AUTO_INCREMENT=12", ""));
        assert_eq!(normalize(&normal, MYSQL), normal);
    }

    #[test]
    fn a_counter_without_space_behind_it_leaves_its_neighbours_apart() {
        let ddl = "CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB AUTO_INCREMENT=12COMMENT='c'";
        let normal = normalize(ddl, MYSQL);
        assert_eq!(normal, ddl.replace("AUTO_INCREMENT=12", ""));
        assert_eq!(normalize(&normal, MYSQL), normal);
    }

    #[test]
    fn partitions_go_with_their_comment() {
        let table = "CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB";
        let mysql =
            format!("{table} AUTO_INCREMENT=7\n/*!50100 PARTITION BY HASH (`a`)\nPARTITIONS 2 */");
        assert_eq!(normalize(&mysql, MYSQL), table);
        let mariadb = format!("{table}\n PARTITION BY HASH (`a`)\nPARTITIONS 2");
        assert_eq!(normalize(&mariadb, ServerVersion::mariadb(10, 11)), table);
    }

    #[test]
    fn what_cannot_be_read_stays() {
        assert_eq!(normalize("CREATE 'x", MYSQL), "CREATE 'x");
        assert_eq!(normalize("CREATE TABLE", MYSQL), "CREATE TABLE");
    }
}
