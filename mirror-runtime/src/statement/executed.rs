//! Statements around statements, which execute them or do not.

use super::lexer::Token;

/// What MariaDB's SET STATEMENT variables FOR statement executes; all of another statement.
pub(super) fn executed<'t, 's>(tokens: &'t [Token<'s>]) -> &'t [Token<'s>] {
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    if !(is(0, "SET") && is(1, "STATEMENT")) {
        return tokens;
    }
    let behind = tokens.iter().position(|token| token.is("FOR"));
    // Without FOR it is no such statement, and none that is known.
    tokens.get(behind.unwrap_or(0) + 1..).unwrap_or_default()
}

/// MariaDB's ANALYZE of a statement executes it; ANALYZE TABLE changes nothing.
pub(super) fn is_analyze_table(tokens: &[Token<'_>]) -> bool {
    let is = |at: usize, keyword: &str| tokens.get(at).is_some_and(|token| token.is(keyword));
    is(0, "ANALYZE")
        && ["TABLE", "TABLES", "LOCAL", "NO_WRITE_TO_BINLOG"]
            .iter()
            .any(|keyword| is(1, keyword))
}
