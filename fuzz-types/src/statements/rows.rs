//! Random statements that write rows: inserts, updates, deletes, and what mixes them.

use super::Writer;
use crate::schema::{Source, Table};
use crate::sql;

impl Writer<'_> {
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

    pub(super) fn insert(&mut self, table: &Table) {
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

    pub(super) fn update(&mut self, table: &Table) {
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
    pub(super) fn move_keys(&mut self, table: &Table) {
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
    pub(super) fn update_two(&mut self) {
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
    pub(super) fn insert_select(&mut self, table: &Table) {
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
    pub(super) fn load_data(&mut self, table: &Table) {
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

    pub(super) fn delete(&mut self, table: &Table) {
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
