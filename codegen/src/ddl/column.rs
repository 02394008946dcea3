//! One column definition: type, then attributes in any order.

use super::cursor::{Cursor, DdlError};
use super::lexer::TokenKind;
use super::version::{Family, ServerVersion};
use super::{
    ColumnDef, DataType, DefaultValue, Generated, KeyDef, KeyKind, KeyPart, TypeArgs, charset,
};

/// How MariaDB marks a temporal column of the format of before 10.1.
const OLD_FORMAT: &str = "/* mariadb-5.3 */";

/// Reads a column definition behind its name; a key given with the column goes to `keys`.
pub(super) fn column(
    cursor: &mut Cursor<'_>,
    name: String,
    version: ServerVersion,
    keys: &mut Vec<KeyDef>,
) -> Result<ColumnDef, DdlError> {
    cursor.item = Some(format!("column `{name}`"));
    let (sql_type, data_type) = data_type(cursor)?;
    let old_format = version.family == Family::MariaDb && cursor.comment_ahead() == OLD_FORMAT;
    let mut reader = ColumnReader {
        cursor,
        version,
        keys,
        column: ColumnDef {
            name,
            sql_type,
            data_type,
            charset: None,
            collation: None,
            nullable: true,
            default: None,
            on_update_now: false,
            auto_increment: false,
            generated: None,
            generated_names: Vec::new(),
            old_format,
            invisible: false,
            compressed: false,
            comment: String::new(),
        },
    };
    while reader.attribute()? {}
    let column = reader.column;
    if !(cursor.is_symbol(0, ',') || cursor.is_symbol(0, ')')) {
        return Err(cursor.error("a known column attribute, `,` or `)` expected"));
    }
    cursor.item = None;
    Ok(column)
}

/// Reads a type: (as printed, as data).
fn data_type(cursor: &mut Cursor<'_>) -> Result<(String, DataType), DdlError> {
    let mark = cursor.mark();
    if cursor.is_symbol(1, '.') {
        // MariaDB in another mode prints `mariadb_schema.date`.
        cursor.name()?;
        cursor.bump();
    }
    let Some(name) = cursor.keyword() else {
        return Err(cursor.error("a data type expected"));
    };
    let name = name.to_ascii_lowercase();
    cursor.bump();
    let args = type_args(cursor)?;
    let mut data_type = DataType {
        name,
        args,
        unsigned: false,
        zerofill: false,
    };
    loop {
        if cursor.eat_words(&["UNSIGNED"]) {
            data_type.unsigned = true;
        } else if cursor.eat_words(&["ZEROFILL"]) {
            data_type.unsigned = true;
            data_type.zerofill = true;
        } else if !cursor.eat_words(&["SIGNED"]) {
            break;
        }
    }
    Ok((cursor.text_since(mark).to_owned(), data_type))
}

fn type_args(cursor: &mut Cursor<'_>) -> Result<TypeArgs, DdlError> {
    if !cursor.eat_symbol('(') {
        return Ok(TypeArgs::None);
    }
    let labels = matches!(cursor.peek(), Some(TokenKind::Text(_)));
    let args = if labels {
        let mut labels = vec![cursor.text()?];
        while cursor.eat_symbol(',') {
            labels.push(cursor.text()?);
        }
        TypeArgs::Labels(labels)
    } else {
        let mut numbers = vec![cursor.number()?];
        while cursor.eat_symbol(',') {
            numbers.push(cursor.number()?);
        }
        TypeArgs::Numbers(numbers)
    };
    cursor.expect_symbol(')')?;
    Ok(args)
}

struct ColumnReader<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    version: ServerVersion,
    keys: &'c mut Vec<KeyDef>,
    column: ColumnDef,
}

impl ColumnReader<'_, '_> {
    /// Reads one attribute; false when none stands here.
    fn attribute(&mut self) -> Result<bool, DdlError> {
        let Some(keyword) = self.cursor.keyword() else {
            return self.engine_attribute();
        };
        if self.cursor.is_symbol(1, '=') && self.version.family == Family::MariaDb {
            return self.engine_attribute();
        }
        match keyword.as_str() {
            "NOT" | "NULL" | "AUTO_INCREMENT" | "DEFAULT" | "ON" | "COMMENT" => {
                self.common(&keyword)?
            }
            "CHARACTER" | "CHARSET" | "COLLATE" => self.charset(&keyword)?,
            "GENERATED" | "AS" | "VIRTUAL" | "STORED" | "PERSISTENT" => self.generated(&keyword)?,
            "PRIMARY" | "UNIQUE" | "KEY" => self.key(&keyword)?,
            "CHECK" | "CONSTRAINT" | "ENFORCED" => self.check(&keyword)?,
            _ => return self.rare(&keyword),
        }
        Ok(true)
    }

    fn common(&mut self, keyword: &str) -> Result<(), DdlError> {
        match keyword {
            "NOT" if self.cursor.eat_words(&["NOT", "NULL"]) => self.column.nullable = false,
            "NOT" if self.cursor.eat_words(&["NOT", "ENFORCED"]) => {}
            "NOT" if self.cursor.eat_words(&["NOT", "SECONDARY"]) => {}
            "NOT" => {
                self.cursor.bump();
                return Err(self.cursor.error("NULL expected behind NOT"));
            }
            "NULL" => {
                self.cursor.bump();
                self.column.nullable = true;
            }
            "AUTO_INCREMENT" => {
                self.cursor.bump();
                self.column.auto_increment = true;
            }
            "COMMENT" => {
                self.cursor.bump();
                self.column.comment = self.cursor.text()?;
            }
            "ON" => {
                self.cursor.bump();
                self.cursor.expect_word("UPDATE")?;
                self.now()?;
                self.column.on_update_now = true;
            }
            _ => {
                self.cursor.bump();
                self.column.default = Some(self.default_value()?);
            }
        }
        Ok(())
    }

    fn charset(&mut self, keyword: &str) -> Result<(), DdlError> {
        self.cursor.bump();
        if keyword == "COLLATE" {
            self.column.collation = Some(self.cursor.name()?);
            return Ok(());
        }
        if keyword == "CHARACTER" {
            self.cursor.expect_word("SET")?;
        }
        self.column.charset = Some(charset::canonical(&self.cursor.name()?));
        Ok(())
    }

    fn generated(&mut self, keyword: &str) -> Result<(), DdlError> {
        match keyword {
            "VIRTUAL" => self.column.generated = Some(Generated::Virtual),
            "STORED" | "PERSISTENT" => self.column.generated = Some(Generated::Stored),
            _ => {
                if keyword == "GENERATED" {
                    self.cursor.bump();
                    self.cursor.expect_word("ALWAYS")?;
                }
                self.cursor.expect_word("AS")?;
                if self.cursor.eat_words(&["ROW"]) {
                    if !(self.cursor.eat_words(&["START"]) || self.cursor.eat_words(&["END"])) {
                        return Err(self.cursor.error("START or END expected"));
                    }
                    self.column.generated = Some(Generated::RowTime);
                    self.column.nullable = false;
                    return Ok(());
                }
                self.column.generated = Some(Generated::Virtual);
                let start = self.cursor.mark();
                self.cursor.skip_parentheses()?;
                self.column.generated_names = self.cursor.names_since(start);
                return Ok(());
            }
        }
        self.cursor.bump();
        Ok(())
    }

    fn key(&mut self, keyword: &str) -> Result<(), DdlError> {
        self.cursor.bump();
        let column = self.column.name.clone();
        let (name, kind) = match keyword {
            "UNIQUE" => {
                self.cursor.eat_words(&["KEY"]);
                (column.clone(), KeyKind::Unique)
            }
            "PRIMARY" => {
                self.cursor.expect_word("KEY")?;
                ("PRIMARY".to_owned(), KeyKind::Primary)
            }
            _ => ("PRIMARY".to_owned(), KeyKind::Primary),
        };
        self.keys.push(KeyDef {
            name,
            kind,
            parts: vec![KeyPart::Column(column)],
        });
        Ok(())
    }

    fn check(&mut self, keyword: &str) -> Result<(), DdlError> {
        self.cursor.bump();
        match keyword {
            "CONSTRAINT" => {
                if !self.cursor.is_word(0, "CHECK") {
                    self.cursor.name()?;
                }
                self.cursor.expect_word("CHECK")?;
                self.cursor.skip_parentheses()
            }
            "CHECK" => self.cursor.skip_parentheses(),
            _ => Ok(()),
        }
    }

    fn rare(&mut self, keyword: &str) -> Result<bool, DdlError> {
        match keyword {
            "INVISIBLE" => self.column.invisible = true,
            "VISIBLE" => self.column.invisible = false,
            "COMPRESSED" => self.column.compressed = true,
            "WITH" | "WITHOUT" => {
                self.cursor.bump();
                if self.cursor.eat_words(&["SYSTEM", "VERSIONING"]) {
                    return Ok(true);
                }
                self.cursor.expect_word("COMPRESSION_DICTIONARY")?;
            }
            "COLUMN_FORMAT" => {
                self.cursor.bump();
                self.column.compressed |= self.cursor.is_word(0, "COMPRESSED");
            }
            "STORAGE" => self.cursor.bump(),
            "SRID" | "REF_SYSTEM_ID" => {
                self.cursor.bump();
                self.cursor.eat_symbol('=');
                self.cursor.number()?;
                return Ok(true);
            }
            "ENGINE_ATTRIBUTE" | "SECONDARY_ENGINE_ATTRIBUTE" => {
                self.cursor.bump();
                self.cursor.eat_symbol('=');
                self.cursor.text()?;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        if matches!(keyword, "COLUMN_FORMAT" | "STORAGE" | "WITH" | "WITHOUT") {
            self.cursor.name()?;
        } else {
            self.cursor.bump();
        }
        Ok(true)
    }

    /// MariaDB: `name=value`, an option of the storage engine.
    fn engine_attribute(&mut self) -> Result<bool, DdlError> {
        if self.version.family != Family::MariaDb || !self.cursor.is_symbol(1, '=') {
            return Ok(false);
        }
        let name = self.cursor.name()?;
        self.cursor.bump();
        if name.eq_ignore_ascii_case("COMPRESSED") {
            self.column.compressed = true;
        }
        self.cursor.bump();
        Ok(true)
    }

    /// CURRENT_TIMESTAMP in any of its spellings.
    fn now(&mut self) -> Result<(), DdlError> {
        let now = self.cursor.keyword().is_some_and(|word| is_now(&word));
        if !now {
            return Err(self.cursor.error("CURRENT_TIMESTAMP expected"));
        }
        self.cursor.bump();
        if self.cursor.is_symbol(0, '(') {
            self.cursor.skip_parentheses()?;
        }
        Ok(())
    }

    fn default_value(&mut self) -> Result<DefaultValue, DdlError> {
        let mark = self.cursor.mark();
        let simple = match self.cursor.peek() {
            Some(TokenKind::Word(word)) if word.eq_ignore_ascii_case("NULL") => DefaultValue::Null,
            Some(TokenKind::Text(text)) => DefaultValue::Text(text.clone()),
            Some(TokenKind::Bits(bits)) => DefaultValue::Bits((*bits).to_owned()),
            Some(TokenKind::Word(word)) if is_now(word) => DefaultValue::Now,
            Some(TokenKind::Number(number)) => DefaultValue::Number((*number).to_owned()),
            Some(TokenKind::Symbol(sign @ ('-' | '+'))) => match self.cursor.peek_at(1) {
                Some(TokenKind::Number(number)) => DefaultValue::Number(format!("{sign}{number}")),
                _ => DefaultValue::Expression(String::new()),
            },
            _ => DefaultValue::Expression(String::new()),
        };
        self.operand()?;
        let mut expression = matches!(simple, DefaultValue::Expression(_));
        while self.operator() {
            expression = true;
            self.operand()?;
        }
        if expression {
            let text = self.cursor.text_since(mark).to_owned();
            return Ok(DefaultValue::Expression(text));
        }
        Ok(simple)
    }

    /// One operand of an unparenthesized expression: literal, call, name, or parentheses.
    fn operand(&mut self) -> Result<(), DdlError> {
        while matches!(
            self.cursor.peek(),
            Some(TokenKind::Symbol('-' | '+' | '~' | '!'))
        ) {
            self.cursor.bump();
        }
        match self.cursor.peek() {
            Some(TokenKind::Symbol('(')) => self.cursor.skip_parentheses(),
            Some(TokenKind::Text(_) | TokenKind::Number(_) | TokenKind::Bits(_)) => {
                self.cursor.bump();
                Ok(())
            }
            Some(TokenKind::Word(_) | TokenKind::Quoted(_)) => {
                self.cursor.qualified_name()?;
                if self.cursor.is_symbol(0, '(') {
                    return self.cursor.skip_parentheses();
                }
                // `_utf8mb4'x'`, `DATE'2020-01-01'`
                if let Some(TokenKind::Text(_) | TokenKind::Bits(_)) = self.cursor.peek() {
                    self.cursor.bump();
                }
                Ok(())
            }
            _ => Err(self.cursor.error("a default value expected")),
        }
    }

    fn operator(&mut self) -> bool {
        let mut found = false;
        while let Some(TokenKind::Symbol(
            '+' | '-' | '*' | '/' | '%' | '|' | '&' | '^' | '<' | '>' | '=' | '!',
        )) = self.cursor.peek()
        {
            self.cursor.bump();
            found = true;
        }
        found
    }
}

fn is_now(word: &str) -> bool {
    ["CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP"]
        .iter()
        .any(|now| word.eq_ignore_ascii_case(now))
}
