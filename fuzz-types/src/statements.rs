//! Random statements on the tables of one schema: which come, in what sessions and transactions.

mod rows;

use crate::case::{SESSIONS, Step};
use crate::expected::Features;
use crate::product::Product;
use crate::random::Random;
use crate::schema::{Schema, Table};
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
}
