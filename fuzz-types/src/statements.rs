//! Random statements on the tables of one schema.

use crate::case::{SESSIONS, Step};
use crate::expected::Features;
use crate::product::Product;
use crate::random::Random;
use crate::schema::{Schema, Source, Table};
use crate::sql;

/// Writes statements.
pub struct Writer<'s> {
    schema: &'s Schema,
    product: Product,
    random: Random,
    features: Features,
    steps: Vec<Step>,
    session: usize,
    files: usize,
    rows: u64,
}

impl<'s> Writer<'s> {
    /// A writer of statements on that schema.
    #[must_use]
    pub fn new(schema: &'s Schema, product: Product, random: Random, features: Features) -> Self {
        Self {
            schema,
            product,
            random,
            features,
            steps: Vec::new(),
            session: 0,
            files: 0,
            rows: 0,
        }
    }

    /// Statements that put some rows into each table.
    pub fn first_rows(&mut self) -> Vec<Step> {
        self.reset_sessions();
        for table in &self.schema.tables {
            for _ in 0..1 + self.random.index(4) {
                self.insert(table);
            }
        }
        std::mem::take(&mut self.steps)
    }

    /// Statements that change about so many rows.
    pub fn changes(&mut self, rows: u64) -> Vec<Step> {
        self.reset_sessions();
        self.rows = 0;
        while self.rows < rows {
            self.session = self.random.index(SESSIONS);
            if self.random.one_in(8) {
                self.settings();
            }
            if self.schema.transactional && self.random.one_in(4) {
                self.transaction();
            } else {
                self.statement();
            }
        }
        std::mem::take(&mut self.steps)
    }

    fn run(&mut self, sql: impl Into<String>) {
        let sql = sql.into();
        self.steps.push(Step {
            session: self.session,
            sql,
        });
    }

    /// Settings as they are for every case.
    fn reset_sessions(&mut self) {
        for session in 0..SESSIONS {
            self.session = session;
            self.run(format!("USE {}", sql::name(&self.schema.database)));
            self.run("SET SESSION sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00', binlog_row_image = 'FULL'");
        }
        self.session = 0;
    }

    /// Other settings of the session, from here on.
    fn settings(&mut self) {
        match self.random.below(6) {
            0 | 1 => {
                let image = self.random.pick(&["FULL", "MINIMAL", "NOBLOB"]);
                self.run(format!("SET SESSION binlog_row_image = '{image}'"));
            }
            2 => {
                let mode = self.random.pick(&[
                    "",
                    "ALLOW_INVALID_DATES",
                    "STRICT_ALL_TABLES",
                    "ANSI_QUOTES",
                ]);
                self.run(format!("SET SESSION sql_mode = '{mode}'"));
            }
            3 => {
                let zone = self.random.pick(&["+00:00", "-09:30", "+13:00", "SYSTEM"]);
                self.run(format!("SET SESSION time_zone = '{zone}'"));
            }
            4 if self.product.mysql(5, 6) => {
                let on = self.random.pick(&["ON", "OFF"]);
                self.run(format!("SET SESSION binlog_rows_query_log_events = {on}"));
            }
            5 if self.features.compression && self.product.mysql(8, 0) => {
                let on = self.random.pick(&["ON", "OFF"]);
                self.run(format!("SET SESSION binlog_transaction_compression = {on}"));
            }
            5 if self.features.partial_json && self.product.mysql(8, 0) => {
                let on = self.random.pick(&["PARTIAL_JSON", ""]);
                self.run(format!("SET SESSION binlog_row_value_options = '{on}'"));
            }
            _ => {
                let level = self.random.pick(&["READ COMMITTED", "REPEATABLE READ"]);
                self.run(format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}"));
            }
        }
    }

    /// Several statements with savepoints; committed or not.
    fn transaction(&mut self) {
        let own = self.session;
        self.run(
            self.random
                .clone()
                .pick(&["BEGIN", "START TRANSACTION", "SET autocommit = 0"]),
        );
        let manual = self
            .steps
            .last()
            .is_some_and(|step| step.sql.starts_with("SET"));
        let mut open = 0;
        for _ in 0..1 + self.random.index(6) {
            self.session = own;
            match self.random.below(8) {
                0 => {
                    self.run(format!("SAVEPOINT `sp {open}`"));
                    open += 1;
                }
                1 if open > 0 => {
                    let at = self.random.index(open);
                    self.run(format!("ROLLBACK TO SAVEPOINT `sp {at}`"));
                    open = at + 1;
                }
                2 if open > 0 => {
                    open -= 1;
                    self.run(format!("RELEASE SAVEPOINT `sp {open}`"));
                }
                _ => self.statement_within(),
            }
        }
        self.session = own;
        let end = self
            .random
            .pick(&["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]);
        self.run(end);
        if manual {
            self.run("SET autocommit = 1");
        }
    }

    fn table(&mut self) -> Option<&'s Table> {
        let schema = self.schema;
        schema.tables.get(self.random.index(schema.tables.len()))
    }

    /// A statement that ends no transaction.
    fn statement_within(&mut self) {
        let Some(table) = self.table() else {
            return;
        };
        match self.random.below(20) {
            0..=7 => self.insert(table),
            8..=13 => self.update(table),
            14 => self.move_keys(table),
            15 => self.update_two(),
            16..=17 => self.insert_select(table),
            _ => self.delete(table),
        }
    }

    fn statement(&mut self) {
        let Some(table) = self.table() else {
            return;
        };
        match self.random.below(120) {
            0 => {
                let name = table.full_name(&self.schema.database);
                self.run(format!("TRUNCATE TABLE {name}"));
            }
            1..=3 => self.load_data(table),
            4 if self.features.rotation => self.run("FLUSH BINARY LOGS"),
            _ => self.statement_within(),
        }
    }

    /// An SQL expression of a value for a column.
    fn value(&mut self, table: &Table, at: usize) -> String {
        let Some(column) = table.columns.get(at) else {
            return "NULL".to_owned();
        };
        if column.nullable && self.random.one_in(5) {
            return "NULL".to_owned();
        }
        if column.source == Source::Counter && !self.random.one_in(3) {
            return "NULL".to_owned();
        }
        column.ty.value(&mut self.random)
    }

    fn names(table: &Table, columns: &[usize]) -> String {
        let columns = columns.iter().filter_map(|&at| table.columns.get(at));
        let names: Vec<String> = columns.map(|column| sql::name(&column.name)).collect();
        names.join(", ")
    }

    /// The columns that an insert names.
    fn insert_columns(&mut self, table: &Table) -> Vec<usize> {
        let mut columns = table.written();
        if self.features.defaults && self.random.one_in(3) {
            let most = self.random.below(4) + 1;
            columns.retain(|_| !self.random.one_in(most));
        }
        columns
    }

    fn insert(&mut self, table: &Table) {
        let columns = self.insert_columns(table);
        let rows = 1 + self.random.index(6);
        let tuples: Vec<String> = (0..rows)
            .map(|_| {
                let values: Vec<String> = columns.iter().map(|&at| self.value(table, at)).collect();
                format!("({})", values.join(", "))
            })
            .collect();
        let (verb, ending) = match self.random.below(8) {
            0 => ("REPLACE", String::new()),
            1 => ("INSERT IGNORE", String::new()),
            2 | 3 => {
                let sets = self.assignments(table, 2);
                ("INSERT", format!(" ON DUPLICATE KEY UPDATE {sets}"))
            }
            _ => ("INSERT", String::new()),
        };
        let name = table.full_name(&self.schema.database);
        let ending = if ending.ends_with("UPDATE ") {
            String::new()
        } else {
            ending
        };
        self.run(format!(
            "{verb} INTO {name} ({}) VALUES {}{ending}",
            Self::names(table, &columns),
            tuples.join(", ")
        ));
        self.rows += rows as u64;
    }

    /// `a = ..., b = ...` for some columns.
    fn assignments(&mut self, table: &Table, most: usize) -> String {
        let mut columns = table.written();
        self.random.shuffle(&mut columns);
        columns.truncate(1 + self.random.index(most.min(columns.len().max(1))));
        let sets: Vec<String> = columns
            .iter()
            .map(|&at| self.assignment(table, at, ""))
            .collect();
        sets.join(", ")
    }

    fn assignment(&mut self, table: &Table, at: usize, alias: &str) -> String {
        let Some(column) = table.columns.get(at) else {
            return String::new();
        };
        let name = format!("{alias}{}", sql::name(&column.name));
        match column.ty.change {
            Some(change) if self.random.one_in(3) => {
                format!("{name} = {}", change(&mut self.random, &name))
            }
            _ if self.features.defaults && self.random.one_in(20) => format!("{name} = DEFAULT"),
            _ => format!("{name} = {}", self.value(table, at)),
        }
    }

    /// A condition that some of the rows fulfil, whatever their values are.
    fn some_rows(&mut self, table: &Table, alias: &str) -> String {
        let columns = if table.key.is_empty() {
            table.written()
        } else {
            table.key.clone()
        };
        let parts: Vec<String> = columns
            .iter()
            .take(4)
            .filter_map(|&at| table.columns.get(at))
            .map(|column| format!("{alias}{}", sql::name(&column.name)))
            .collect();
        let modulus = self.random.pick(&[2, 3, 5, 7, 11]);
        let rest = self.random.below(modulus);
        format!(
            "CRC32(CONCAT_WS('|', {}, 0)) % {modulus} = {rest}",
            parts.join(", ")
        )
    }

    fn update(&mut self, table: &Table) {
        let most = if self.random.one_in(4) {
            table.columns.len()
        } else {
            3
        };
        let sets = self.assignments(table, most);
        let condition = self.some_rows(table, "");
        let name = table.full_name(&self.schema.database);
        let verb = self.random.pick(&["UPDATE", "UPDATE", "UPDATE IGNORE"]);
        let limit = match self.random.below(3) {
            0 => String::new(),
            _ => format!(" LIMIT {}", 1 + self.random.below(6)),
        };
        self.run(format!("{verb} {name} SET {sets} WHERE {condition}{limit}"));
        self.rows += 3;
    }

    /// Gives rows other keys, also those that other rows had a moment before.
    fn move_keys(&mut self, table: &Table) {
        let Some(&at) = table.key.get(self.random.index(table.key.len())) else {
            return;
        };
        let Some(column) = table.columns.get(at) else {
            return;
        };
        let (key, name) = (
            sql::name(&column.name),
            table.full_name(&self.schema.database),
        );
        let integer = column.ty.sql.contains("int");
        if integer && self.random.one_in(2) {
            let order = self.random.pick(&[
                "+ 1 WHERE {} < 1000 ORDER BY {} DESC",
                "- 1 WHERE {} > 0 ORDER BY {}",
            ]);
            self.run(format!(
                "UPDATE {name} SET {key} = {key} {}",
                order.replace("{}", &key)
            ));
        } else {
            let value = self.value(table, at);
            let condition = self.some_rows(table, "");
            self.run(format!(
                "UPDATE IGNORE {name} SET {key} = {value} WHERE {condition} LIMIT 2"
            ));
        }
        self.rows += 3;
    }

    /// Updates or deletes rows of two tables in one statement.
    fn update_two(&mut self) {
        let (Some(one), Some(two)) = (self.table(), self.table()) else {
            return;
        };
        let database = &self.schema.database;
        let tables = format!(
            "{} AS x, {} AS y",
            one.full_name(database),
            two.full_name(database)
        );
        let conditions = [self.some_rows(one, "x."), self.some_rows(two, "y.")].join(" AND ");
        if self.random.one_in(5) {
            self.run(format!("DELETE x, y FROM {tables} WHERE {conditions}"));
        } else {
            let mut sets = Vec::new();
            for (table, alias) in [(one, "x."), (two, "y.")] {
                let columns = table.written();
                let at = self.random.pick(&columns);
                sets.push(self.assignment(table, at, alias));
            }
            self.run(format!(
                "UPDATE {tables} SET {} WHERE {conditions}",
                sets.join(", ")
            ));
        }
        self.rows += 6;
    }

    /// Copies rows under other keys.
    fn insert_select(&mut self, table: &Table) {
        let columns = table.written();
        let values: Vec<String> = columns
            .iter()
            .map(|&at| match table.columns.get(at) {
                Some(column) if !table.key.contains(&at) => sql::name(&column.name),
                _ => self.value(table, at),
            })
            .collect();
        let name = table.full_name(&self.schema.database);
        let condition = self.some_rows(table, "");
        let verb = self.random.pick(&["INSERT IGNORE", "REPLACE", "INSERT"]);
        self.run(format!(
            "{verb} INTO {name} ({}) SELECT {} FROM {name} WHERE {condition} LIMIT 3",
            Self::names(table, &columns),
            values.join(", ")
        ));
        self.rows += 2;
    }

    /// Writes rows to a file and reads them back.
    fn load_data(&mut self, table: &Table) {
        // What a file gives a column may be any number; as a `bool` it may be 0 and 1 only.
        if table.columns.iter().any(|column| column.ty.entry == "bool") {
            return self.delete(table);
        }
        let columns = Self::names(table, &table.written());
        let name = table.full_name(&self.schema.database);
        let condition = self.some_rows(table, "");
        let file = format!("@DIR@/fuzz_{}", self.files);
        self.files += 1;
        self.run(format!(
            "SELECT {columns} INTO OUTFILE '{file}' CHARACTER SET utf8mb4 FROM {name} WHERE {condition}"
        ));
        let local = self.random.pick(&["", "LOCAL "]);
        let mode = self.random.pick(&["REPLACE ", "IGNORE "]);
        self.run(format!(
            "LOAD DATA {local}INFILE '{file}' {mode}INTO TABLE {name} CHARACTER SET utf8mb4 ({columns})"
        ));
        self.rows += 5;
    }

    fn delete(&mut self, table: &Table) {
        let condition = self.some_rows(table, "");
        let name = table.full_name(&self.schema.database);
        let limit = if self.random.one_in(3) {
            ""
        } else {
            " LIMIT 4"
        };
        self.run(format!("DELETE FROM {name} WHERE {condition}{limit}"));
        self.rows += 3;
    }
}
