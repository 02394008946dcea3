//! Random tables.

use crate::names;
use crate::product::Product;
use crate::random::Random;
use crate::sql;
use crate::types::{self, ColumnType, Entry, KeyUse};

/// Bytes that the columns of a key take together, at most (InnoDB's limit is 767 in the oldest
/// row formats).
const KEY_BYTES: usize = 740;

/// Where a column's values come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// From statements.
    Statement,
    /// AUTO_INCREMENT, or from statements.
    Counter,
    /// GENERATED ALWAYS AS, with these words.
    Generated(String),
}

/// One column.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type; of a generated column the type that it is computed from.
    pub ty: ColumnType,
    /// Whether it may hold NULL.
    pub nullable: bool,
    /// Expression behind DEFAULT.
    pub default: Option<String>,
    /// Where its values come from.
    pub source: Source,
    /// INVISIBLE.
    pub invisible: bool,
}

impl Column {
    /// A column of that type without anything special.
    #[must_use]
    pub fn plain(name: String, ty: ColumnType, nullable: bool) -> Self {
        Self {
            name,
            ty,
            nullable,
            default: None,
            source: Source::Statement,
            invisible: false,
        }
    }

    /// Whether statements may give a value.
    #[must_use]
    pub fn is_written(&self) -> bool {
        !matches!(self.source, Source::Generated(_))
    }

    fn definition(&self, product: Product) -> String {
        let mut text = sql::name(&self.name);
        text.push(' ');
        match &self.source {
            Source::Generated(words) => {
                text.push_str(words);
                if self.invisible {
                    text.push_str(" INVISIBLE");
                }
                return text;
            }
            Source::Statement | Source::Counter => text.push_str(&self.ty.sql),
        }
        text.push_str(if self.nullable { " NULL" } else { " NOT NULL" });
        // MariaDB takes INVISIBLE behind NULL only, MySQL anywhere.
        if self.invisible && product.mariadb {
            text.push_str(" INVISIBLE");
        }
        if let Some(default) = &self.default {
            text.push_str(&format!(" DEFAULT {default}"));
        }
        if self.source == Source::Counter {
            text.push_str(" AUTO_INCREMENT");
        }
        if self.invisible && !product.mariadb {
            text.push_str(" INVISIBLE");
        }
        text
    }
}

/// One table.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, without those that the server hides.
    pub columns: Vec<Column>,
    /// Columns of its primary key, or of the unique key in its place; empty for a table whose
    /// primary key the server makes.
    pub key: Vec<usize>,
    /// Its keys as SQL.
    keys: Vec<String>,
    /// What stands behind the closing parenthesis.
    options: String,
}

impl Table {
    /// The CREATE TABLE statement, and what has to be set in the session for it.
    #[must_use]
    pub fn create(&self, database: &str, product: Product) -> Vec<String> {
        let columns = self.columns.iter().map(|column| column.definition(product));
        let parts: Vec<String> = columns.chain(self.keys.iter().cloned()).collect();
        let create = format!(
            "CREATE TABLE {} ({}){}",
            self.full_name(database),
            parts.join(", "),
            self.options
        );
        if !self.key.is_empty() {
            return vec![create];
        }
        vec![
            "SET SESSION sql_generate_invisible_primary_key = ON".to_owned(),
            create,
            "SET SESSION sql_generate_invisible_primary_key = OFF".to_owned(),
        ]
    }

    /// The quoted name with its database.
    #[must_use]
    pub fn full_name(&self, database: &str) -> String {
        format!("{}.{}", sql::name(database), sql::name(&self.name))
    }

    /// Positions of the columns that statements may give values for.
    #[must_use]
    pub fn written(&self) -> Vec<usize> {
        let all = self.columns.iter().enumerate();
        all.filter(|(_, column)| column.is_written())
            .map(|(at, _)| at)
            .collect()
    }
}

/// Tables of one database.
#[derive(Debug)]
pub struct Schema {
    /// Name of the database.
    pub database: String,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Whether all of them take part in transactions.
    pub transactional: bool,
}

/// Makes random schemas for one server.
pub struct Maker {
    product: Product,
    entries: Vec<Entry>,
}

impl Maker {
    /// A maker for that server.
    #[must_use]
    pub fn new(product: Product) -> Self {
        Self {
            product,
            entries: types::entries(product),
        }
    }

    /// A random schema; `number` makes its database's name.
    #[must_use]
    pub fn schema(&self, random: &mut Random, number: usize) -> Schema {
        let engines: &[&str] = if self.product.mariadb {
            &["MyISAM", "Aria", "MEMORY"]
        } else {
            &["MyISAM", "MEMORY"]
        };
        let other_engine = random.one_in(15).then(|| random.pick(engines));
        let tables = 1 + random.index(3);
        Schema {
            database: names::database(random, number),
            tables: (0..tables)
                .map(|at| self.table(random, at, other_engine))
                .collect(),
            transactional: other_engine.is_none(),
        }
    }

    /// A random table; an InnoDB one unless another engine is given.
    #[must_use]
    pub fn table(&self, random: &mut Random, number: usize, engine: Option<&str>) -> Table {
        let mut columns = Vec::new();
        let mut key = Vec::new();
        let mut keys = Vec::new();
        self.key_columns(random, engine, &mut columns);
        let key_columns = columns.len();
        let count = if random.one_in(60) {
            251 + random.index(20)
        } else {
            1 + random.index(12)
        };
        for at in 0..count {
            let column = self.column(random, key_columns + at, count > 200);
            columns.push(column);
        }
        if self.product.mysql(5, 7) || self.product.mariadb(10, 3) {
            self.generated_columns(random, &mut columns);
        }
        let mut order: Vec<usize> = (0..columns.len()).collect();
        if random.one_in(2) {
            random.shuffle(&mut order);
        }
        for old in 0..key_columns {
            key.extend(order.iter().position(|&at| at == old));
        }
        let mut slots: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
        let columns: Vec<Column> = order
            .iter()
            .filter_map(|&at| slots.get_mut(at).and_then(Option::take))
            .collect();
        keys.extend(key_definition(random, &columns, &key));
        self.more_keys(random, &columns, &mut keys);
        let mut options = format!(" ENGINE={}", engine.unwrap_or("InnoDB"));
        options.push_str(random.pick(&["", " DEFAULT CHARSET=utf8mb4", " DEFAULT CHARSET=latin1"]));
        if engine.is_none() {
            options.push_str(random.pick(&["", " ROW_FORMAT=DYNAMIC", " ROW_FORMAT=COMPACT"]));
        }
        if random.one_in(6) {
            options.push_str(" COMMENT='it''s \\\\ */ \"odd\" {{ }}'");
        }
        Table {
            name: names::odd(random, number),
            columns,
            key,
            keys,
            options,
        }
    }

    /// The columns of the key: none when the server is to make one.
    fn key_columns(&self, random: &mut Random, engine: Option<&str>, columns: &mut Vec<Column>) {
        if engine.is_none() && self.product.mysql(8, 0) && random.one_in(20) {
            return;
        }
        if random.one_in(3) {
            let sql = random.pick(&[
                "int",
                "bigint unsigned",
                "mediumint unsigned",
                "smallint",
                "bigint",
            ]);
            let mut ty = ColumnType::counter(sql);
            ty.entry = "counter";
            let mut column = Column::plain(names::odd(random, 0), ty, false);
            column.source = Source::Counter;
            columns.push(column);
            return;
        }
        let wanted = 1 + random.index(3);
        let mut bytes = 0;
        for _ in 0..200 {
            let Some(ty) = types::draw(&self.entries, random, self.product) else {
                return;
            };
            // MEMORY's hash keys hold 0 and -0 apart, which are equal everywhere else.
            let apart = engine == Some("MEMORY") && ["float", "double"].contains(&ty.entry);
            if let KeyUse::Whole(more) = ty.key
                && !apart
                && bytes + more <= KEY_BYTES
            {
                bytes += more;
                columns.push(Column::plain(names::odd(random, columns.len()), ty, false));
            }
            if columns.len() >= wanted {
                return;
            }
        }
    }

    fn column(&self, random: &mut Random, number: usize, narrow: bool) -> Column {
        let mut ty = types::draw(&self.entries, random, self.product);
        while narrow
            && ty
                .as_ref()
                .is_some_and(|ty| !matches!(ty.key, KeyUse::Whole(..17)))
        {
            ty = types::draw(&self.entries, random, self.product);
        }
        let ty = ty.unwrap_or_else(|| ColumnType::counter("int"));
        let nullable = random.one_in(2);
        let mut column = Column::plain(names::odd(random, number), ty, nullable);
        if random.one_in(3) && !column.ty.defaults.is_empty() {
            column.default = Some(random.pick(&column.ty.defaults));
        }
        let invisible = self.product.mysql(8, 0) || self.product.mariadb(10, 3);
        if invisible && random.one_in(15) {
            column.invisible = true;
            // MariaDB wants a default for an invisible column that is NOT NULL.
            column.nullable |= column.default.is_none();
        }
        column
    }

    /// Adds columns that are computed from others.
    fn generated_columns(&self, random: &mut Random, columns: &mut Vec<Column>) {
        if columns.is_empty() || !random.one_in(3) {
            return;
        }
        for _ in 0..=random.index(3) {
            let at = random.index(columns.len());
            let Some(base) = columns
                .get(at)
                .filter(|base| base.source == Source::Statement)
            else {
                continue;
            };
            let (sql, expression) = random.pick(&base.ty.derived);
            let expression = expression.replace("{}", &sql::name(&base.name));
            let kind = random.pick(&["VIRTUAL", "STORED"]);
            let words = format!("{sql} GENERATED ALWAYS AS ({expression}) {kind}");
            let name = names::odd(random, columns.len());
            let mut column = Column::plain(name, ColumnType::counter(sql), true);
            column.source = Source::Generated(words);
            column.invisible = random.one_in(10);
            columns.push(column);
        }
    }

    /// Keys besides the one that identifies rows.
    fn more_keys(&self, random: &mut Random, columns: &[Column], keys: &mut Vec<String>) {
        for number in 0..random.index(3) {
            let at = random.index(columns.len());
            let Some(column) = columns.get(at).filter(|column| column.is_written()) else {
                continue;
            };
            let name = sql::name(&format!("k {number}"));
            let part = sql::name(&column.name);
            let text = column.ty.sql.contains("char(") || column.ty.sql.contains("text");
            match column.ty.key {
                KeyUse::Whole(bytes) if bytes < 700 => {
                    if text && self.product.mysql(8, 0) && random.one_in(3) {
                        keys.push(format!("KEY {name} ((LOWER({part})))"));
                    } else {
                        let unique = if random.one_in(4) { "UNIQUE " } else { "" };
                        keys.push(format!("{unique}KEY {name} ({part})"));
                    }
                }
                KeyUse::Prefix => keys.push(format!("KEY {name} ({part}(10))")),
                _ if column.ty.entry == "json" && self.product.mysql(8, 0) => {
                    let array = format!("CAST({part}->'$.zip' AS UNSIGNED ARRAY)");
                    keys.push(format!("KEY {name} (({array}))"));
                }
                _ => {}
            }
        }
    }
}

/// The key that identifies rows: a primary key, or a unique key instead.
fn key_definition(random: &mut Random, columns: &[Column], key: &[usize]) -> Option<String> {
    let names: Vec<String> = key
        .iter()
        .filter_map(|&at| columns.get(at))
        .map(|column| sql::name(&column.name))
        .collect();
    if names.is_empty() {
        return None;
    }
    Some(if random.one_in(5) {
        format!("UNIQUE KEY {} ({})", sql::name("the key"), names.join(", "))
    } else {
        format!("PRIMARY KEY ({})", names.join(", "))
    })
}
