//! CREATE TABLE by recursive descent: the statement, its keys and its constraints.

use super::column::column;
use super::cursor::{Cursor, DdlError, lex_error};
use super::lexer::{TokenKind, tokenize};
use super::options::table_options;
use super::version::ServerVersion;
use super::{
    Action, ColumnDef, CreateTable, ForeignKey, KeyDef, KeyKind, KeyPart, TableOptions, charset,
};

/// Reads the text of SHOW CREATE TABLE as a server of this version means it.
///
/// Versioned comments count when that server would execute them (`/*M! ... */` on MariaDB
/// only); double quotes hold names (ANSI_QUOTES).
///
/// # Errors
/// [`DdlError`] with table, column and position: the text is not a CREATE TABLE, is cut off,
/// or holds something that this parser does not know.
pub fn parse(text: &str, version: ServerVersion) -> Result<CreateTable, DdlError> {
    let tokens = tokenize(text, version).map_err(|error| lex_error(text, &error))?;
    let mut cursor = Cursor::new(text, tokens);
    create_table(&mut cursor)?;
    let mut body = Body {
        cursor,
        version,
        columns: Vec::new(),
        keys: Vec::new(),
        foreign_keys: Vec::new(),
    };
    body.items()?;
    let options = table_options(&mut body.cursor)?;
    body.finish(options)
}

/// Reads up to the opening parenthesis and notes the table's name.
fn create_table(cursor: &mut Cursor<'_>) -> Result<(), DdlError> {
    cursor.expect_word("CREATE")?;
    cursor.eat_words(&["OR", "REPLACE"]);
    cursor.eat_words(&["TEMPORARY"]);
    if !cursor.eat_words(&["TABLE"]) {
        return Err(cursor.error("TABLE expected (views and sequences are no tables)"));
    }
    cursor.eat_words(&["IF", "NOT", "EXISTS"]);
    let (_, name) = cursor.qualified_name()?;
    cursor.table = Some(name);
    cursor.expect_symbol('(')
}

struct Body<'t> {
    cursor: Cursor<'t>,
    version: ServerVersion,
    columns: Vec<ColumnDef>,
    keys: Vec<KeyDef>,
    foreign_keys: Vec<ForeignKey>,
}

impl Body<'_> {
    /// Columns, keys and constraints up to the closing parenthesis.
    fn items(&mut self) -> Result<(), DdlError> {
        loop {
            self.item()?;
            if self.cursor.eat_symbol(')') {
                return Ok(());
            }
            self.cursor.expect_symbol(',')?;
        }
    }

    fn item(&mut self) -> Result<(), DdlError> {
        let keyword = self.cursor.keyword().unwrap_or_default();
        let key_follows = self.cursor.is_word(1, "KEY") || self.cursor.is_word(1, "INDEX");
        match keyword.as_str() {
            "PRIMARY" => self.key(KeyKind::Primary),
            "UNIQUE" => self.key(KeyKind::Unique),
            "KEY" | "INDEX" => self.key(KeyKind::Plain),
            "FULLTEXT" => self.key(KeyKind::FullText),
            "SPATIAL" => self.key(KeyKind::Spatial),
            "VECTOR" if key_follows => self.key(KeyKind::Vector),
            "CONSTRAINT" => self.constraint(),
            "FOREIGN" => self.foreign_key(String::new()),
            "CHECK" => self.check(),
            "PERIOD" if self.cursor.eat_words(&["PERIOD", "FOR"]) => {
                self.cursor.name()?;
                self.cursor.name_list()?;
                Ok(())
            }
            _ => {
                let name = self.cursor.name()?;
                let column = column(&mut self.cursor, name, self.version, &mut self.keys)?;
                self.columns.push(column);
                Ok(())
            }
        }
    }

    fn key(&mut self, kind: KeyKind) -> Result<(), DdlError> {
        let plain = kind == KeyKind::Plain;
        if !plain {
            self.cursor.bump();
        }
        if !(self.cursor.eat_words(&["KEY"]) || self.cursor.eat_words(&["INDEX"]))
            && kind == KeyKind::Primary
        {
            return Err(self.cursor.error("KEY expected"));
        }
        let mut name = String::new();
        if kind == KeyKind::Primary {
            name = "PRIMARY".to_owned();
        } else if !self.cursor.is_symbol(0, '(') && !self.cursor.is_word(0, "USING") {
            name = self.cursor.name()?;
        }
        self.cursor.item = Some(format!("key `{name}`"));
        if self.cursor.eat_words(&["USING"]) {
            self.cursor.name()?;
        }
        let parts = self.key_parts()?;
        while self.key_option()? {}
        self.cursor.item = None;
        self.keys.push(KeyDef { name, kind, parts });
        Ok(())
    }

    fn key_parts(&mut self) -> Result<Vec<KeyPart>, DdlError> {
        self.cursor.expect_symbol('(')?;
        let mut parts = Vec::new();
        loop {
            parts.push(self.key_part()?);
            if self.cursor.eat_symbol(')') {
                return Ok(parts);
            }
            self.cursor.expect_symbol(',')?;
        }
    }

    fn key_part(&mut self) -> Result<KeyPart, DdlError> {
        let part = if self.cursor.is_symbol(0, '(') {
            self.cursor.skip_parentheses()?;
            KeyPart::Expression
        } else {
            let name = self.cursor.name()?;
            if self.cursor.eat_words(&["WITHOUT", "OVERLAPS"]) {
                KeyPart::Period(name)
            } else if self.cursor.eat_symbol('(') {
                self.cursor.number()?;
                self.cursor.expect_symbol(')')?;
                KeyPart::Prefix(name)
            } else {
                KeyPart::Column(name)
            }
        };
        if !self.cursor.eat_words(&["ASC"]) {
            self.cursor.eat_words(&["DESC"]);
        }
        Ok(part)
    }

    /// Reads one option of a key; false when none stands here.
    fn key_option(&mut self) -> Result<bool, DdlError> {
        if matches!(self.cursor.peek(), Some(TokenKind::Quoted(_))) && self.cursor.is_symbol(1, '=')
        {
            self.cursor.bump();
            self.cursor.bump();
            self.cursor.bump();
            return Ok(true);
        }
        let Some(keyword) = self.cursor.keyword() else {
            return Ok(false);
        };
        match keyword.as_str() {
            "INVISIBLE" | "VISIBLE" | "IGNORED" => self.cursor.bump(),
            "NOT" => {
                self.cursor.bump();
                self.cursor.expect_word("IGNORED")?;
            }
            "USING" => {
                self.cursor.bump();
                self.cursor.name()?;
            }
            "WITH" => {
                self.cursor.bump();
                self.cursor.expect_word("PARSER")?;
                self.cursor.name()?;
            }
            "COMMENT" | "ENGINE_ATTRIBUTE" | "SECONDARY_ENGINE_ATTRIBUTE" => {
                self.cursor.bump();
                self.cursor.eat_symbol('=');
                self.cursor.text()?;
            }
            "KEY_BLOCK_SIZE" => {
                self.cursor.bump();
                self.cursor.eat_symbol('=');
                self.cursor.number()?;
            }
            "CLUSTERING" => {
                self.cursor.bump();
                self.cursor.expect_symbol('=')?;
                self.cursor.name()?;
            }
            _ => return Err(self.cursor.error("a known key option, `,` or `)` expected")),
        }
        Ok(true)
    }

    fn constraint(&mut self) -> Result<(), DdlError> {
        self.cursor.bump();
        let mut name = String::new();
        let unnamed = ["FOREIGN", "CHECK", "UNIQUE", "PRIMARY"]
            .iter()
            .any(|word| self.cursor.is_word(0, word));
        if !unnamed {
            name = self.cursor.name()?;
        }
        self.cursor.item = Some(format!("constraint `{name}`"));
        match self.cursor.keyword().unwrap_or_default().as_str() {
            "FOREIGN" => self.foreign_key(name),
            "CHECK" => self.check(),
            "PRIMARY" => self.key(KeyKind::Primary),
            "UNIQUE" => self.key(KeyKind::Unique),
            _ => Err(self
                .cursor
                .error("FOREIGN KEY, CHECK, PRIMARY KEY or UNIQUE expected")),
        }
    }

    fn check(&mut self) -> Result<(), DdlError> {
        self.cursor.bump();
        self.cursor.skip_parentheses()?;
        if !self.cursor.eat_words(&["NOT", "ENFORCED"]) {
            self.cursor.eat_words(&["ENFORCED"]);
        }
        self.cursor.item = None;
        Ok(())
    }

    fn foreign_key(&mut self, name: String) -> Result<(), DdlError> {
        self.cursor.bump();
        self.cursor.expect_word("KEY")?;
        if !self.cursor.is_symbol(0, '(') {
            self.cursor.name()?;
        }
        let columns = self.cursor.name_list()?;
        self.cursor.expect_word("REFERENCES")?;
        let (database, table) = self.cursor.qualified_name()?;
        let parent_columns = self.cursor.name_list()?;
        let mut key = ForeignKey {
            name,
            columns,
            parent_database: database,
            parent_table: table,
            parent_columns,
            on_delete: Action::Restrict,
            on_update: Action::Restrict,
        };
        loop {
            if self.cursor.eat_words(&["MATCH"]) {
                self.cursor.name()?;
            } else if self.cursor.eat_words(&["ON", "DELETE"]) {
                key.on_delete = self.action()?;
            } else if self.cursor.eat_words(&["ON", "UPDATE"]) {
                key.on_update = self.action()?;
            } else {
                break;
            }
        }
        self.cursor.item = None;
        self.foreign_keys.push(key);
        Ok(())
    }

    fn action(&mut self) -> Result<Action, DdlError> {
        for (words, action) in [
            (&["CASCADE"][..], Action::Cascade),
            (&["SET", "NULL"], Action::SetNull),
            (&["SET", "DEFAULT"], Action::SetDefault),
            (&["RESTRICT"], Action::Restrict),
            (&["NO", "ACTION"], Action::Restrict),
        ] {
            if self.cursor.eat_words(words) {
                return Ok(action);
            }
        }
        Err(self
            .cursor
            .error("CASCADE, SET NULL, RESTRICT or NO ACTION expected"))
    }

    /// Fills in what columns take from keys and from the table, and checks the names.
    fn finish(mut self, options: TableOptions) -> Result<CreateTable, DdlError> {
        for column in &mut self.columns {
            settle_charset(column, &options);
        }
        let mut table = CreateTable {
            name: self.cursor.table.clone().unwrap_or_default(),
            columns: self.columns,
            keys: self.keys,
            foreign_keys: self.foreign_keys,
            options,
        };
        check_names(&table).map_err(|what| self.cursor.error_at(0, what))?;
        require_primary_not_null(&mut table);
        Ok(table)
    }
}

fn settle_charset(column: &mut ColumnDef, options: &TableOptions) {
    if !column.data_type.has_charset() {
        column.charset = None;
        return;
    }
    if column.charset.is_none() {
        let own = column.collation.as_deref().and_then(charset::of_collation);
        column.charset = own.or_else(|| options.charset.clone());
    }
}

/// Refuses a text whose keys do not fit its columns: it was misread, or is no SHOW CREATE TABLE.
fn check_names(table: &CreateTable) -> Result<(), String> {
    if table.columns.is_empty() {
        return Err("the table has no columns".to_owned());
    }
    for (i, column) in table.columns.iter().enumerate() {
        if table.column(&column.name).map(|(found, _)| found) != Some(i) {
            return Err(format!("column `{}` stands twice", column.name));
        }
    }
    for key in &table.keys {
        for part in &key.parts {
            if let KeyPart::Column(name) | KeyPart::Prefix(name) = part
                && table.column(name).is_none()
            {
                return Err(format!(
                    "key `{}` names the unknown column `{name}`",
                    key.name
                ));
            }
        }
    }
    Ok(())
}

fn require_primary_not_null(table: &mut CreateTable) {
    let primary = table.keys.iter().find(|key| key.kind == KeyKind::Primary);
    let names: Vec<String> = primary
        .into_iter()
        .flat_map(|key| &key.parts)
        .filter_map(|part| match part {
            KeyPart::Column(name) | KeyPart::Prefix(name) => Some(name.to_lowercase()),
            KeyPart::Expression | KeyPart::Period(_) => None,
        })
        .collect();
    for column in &mut table.columns {
        if names.contains(&column.name.to_lowercase()) {
            column.nullable = false;
        }
    }
}
