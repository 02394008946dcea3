//! What stands behind the closing parenthesis of CREATE TABLE: options in any order, then
//! partitions.

use super::cursor::{Cursor, DdlError};
use super::lexer::TokenKind;
use super::{TableOptions, charset};

/// Reads all options to the end of the statement.
pub(super) fn table_options(cursor: &mut Cursor<'_>) -> Result<TableOptions, DdlError> {
    let mut options = TableOptions::default();
    while !cursor.at_end() {
        if cursor.eat_symbol(',') {
            continue;
        }
        if cursor.eat_symbol(';') {
            if cursor.at_end() {
                break;
            }
            return Err(cursor.error("the end of the statement expected"));
        }
        if cursor.is_word(0, "PARTITION") {
            partitions(cursor)?;
            options.partitioned = true;
        } else {
            option(cursor, &mut options)?;
        }
    }
    if options.charset.is_none() {
        let collation = options.collation.as_deref();
        options.charset = collation.and_then(charset::of_collation);
    }
    Ok(options)
}

fn option(cursor: &mut Cursor<'_>, options: &mut TableOptions) -> Result<(), DdlError> {
    let Some(mut keyword) = cursor.keyword() else {
        return engine_option(cursor);
    };
    if matches!(
        keyword.as_str(),
        "AS" | "SELECT" | "LIKE" | "IGNORE" | "REPLACE"
    ) {
        return Err(cursor.error("a table option expected"));
    }
    if keyword == "WITH" {
        if cursor.eat_words(&["WITH", "SYSTEM", "VERSIONING"]) {
            options.system_versioned = true;
            return Ok(());
        }
        return Err(cursor.error("WITH SYSTEM VERSIONING expected"));
    }
    if cursor.eat_words(&["START", "TRANSACTION"]) {
        return Ok(());
    }
    cursor.bump();
    if keyword == "DEFAULT" {
        keyword = cursor.keyword().unwrap_or_default();
        cursor.bump();
    }
    match keyword.as_str() {
        "CHARACTER" => {
            cursor.expect_word("SET")?;
            keyword = "CHARSET".to_owned();
        }
        "DATA" | "INDEX" => cursor.expect_word("DIRECTORY")?,
        _ => {}
    }
    cursor.eat_symbol('=');
    match keyword.as_str() {
        "CHARSET" => options.charset = Some(charset::canonical(&cursor.name()?)),
        "COLLATE" => options.collation = Some(cursor.name()?),
        "ENGINE" | "TYPE" => options.engine = Some(cursor.name()?),
        "COMMENT" => options.comment = cursor.text()?,
        "SEQUENCE" => options.sequence = cursor.number()? == 1,
        _ => value(cursor)?,
    }
    Ok(())
}

/// MariaDB: `` `PAGE_COMPRESSED`='1' ``.
fn engine_option(cursor: &mut Cursor<'_>) -> Result<(), DdlError> {
    if !matches!(cursor.peek(), Some(TokenKind::Quoted(_))) {
        return Err(cursor.error("a table option expected"));
    }
    cursor.bump();
    cursor.expect_symbol('=')?;
    value(cursor)
}

/// The value of an option that has no meaning here.
fn value(cursor: &mut Cursor<'_>) -> Result<(), DdlError> {
    match cursor.peek() {
        Some(TokenKind::Symbol('(')) => cursor.skip_parentheses(),
        Some(TokenKind::Symbol(_)) | None => {
            Err(cursor.error("the value of a table option expected"))
        }
        Some(_) => {
            cursor.bump();
            Ok(())
        }
    }
}

/// PARTITION BY ... to the end of the statement; only its parentheses are checked.
fn partitions(cursor: &mut Cursor<'_>) -> Result<(), DdlError> {
    cursor.bump();
    cursor.expect_word("BY")?;
    while !cursor.at_end() && !cursor.is_symbol(0, ';') {
        if cursor.is_symbol(0, '(') {
            cursor.skip_parentheses()?;
        } else if cursor.is_symbol(0, ')') {
            return Err(cursor.error("`)` without its `(`"));
        } else {
            cursor.bump();
        }
    }
    Ok(())
}
