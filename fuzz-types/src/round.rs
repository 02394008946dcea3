//! One round: a server, some databases, one generated crate over all of them, mirrors of it
//! before and after the changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::case::Case;
use crate::compare::{Mirrored, compare};
use crate::driver::Driver;
use crate::dump;
use crate::error::Error;
use crate::expected::FEATURES;
use crate::finding::{Finding, Way};
use crate::folder::{Built, Folder};
use crate::generate::{Chosen, Generator};
use crate::oracle;
use crate::product::Product;
use crate::random::Random;
use crate::sessions::Sessions;

/// Database and table that show how far the mirror is.
const MARKER: (&str, &str) = ("fuzz_marker", "marker");
/// Crates that are generated again without the tables that do not compile, at most.
const BUILDS: usize = 4;

/// Numbers of a round or of a run.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Databases.
    pub schemas: u64,
    /// Tables that were mirrored.
    pub tables: u64,
    /// Columns that were mirrored.
    pub columns: u64,
    /// Statements that ran.
    pub statements: u64,
    /// Statements that the server refused, by error number.
    pub refused_statements: BTreeMap<u16, u64>,
    /// Row changes that the mirror applied.
    pub changes: u64,
    /// Rows that were compared.
    pub rows: u64,
    /// Columns that the generator refused as expected.
    pub refused_columns: u64,
    /// Tables that the generator refused as expected.
    pub refused_tables: u64,
}

impl Counts {
    /// Adds the numbers of another.
    pub fn add(&mut self, other: &Self) {
        self.schemas += other.schemas;
        self.tables += other.tables;
        self.columns += other.columns;
        self.statements += other.statements;
        for (code, count) in &other.refused_statements {
            *self.refused_statements.entry(*code).or_default() += count;
        }
        self.changes += other.changes;
        self.rows += other.rows;
        self.refused_columns += other.refused_columns;
        self.refused_tables += other.refused_tables;
    }
}

/// What came of a round.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Numbers.
    pub counts: Counts,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// The server of a round and what belongs to it.
pub struct Round<'r> {
    url: &'r str,
    product: Product,
    folder: &'r Folder,
    /// Start of the names of the server's files.
    files: String,
    sessions: Sessions,
    conn: Conn,
    random: Random,
    outcome: Outcome,
    marks: u64,
    generator: Option<Generator>,
    note: &'r dyn Fn(&str),
}

impl<'r> Round<'r> {
    /// A round on that server. `files` is a folder that the server may write to, `note` shows
    /// what is being done.
    ///
    /// # Errors
    /// When the server cannot be prepared.
    pub fn new(
        url: &'r str,
        product: Product,
        folder: &'r Folder,
        files: &Path,
        seed: u64,
        note: &'r dyn Fn(&str),
    ) -> Result<Self, Error> {
        let mut conn = crate::sessions::connect(url)?;
        let mut run = |sql: &str| conn.query_drop(sql).map_err(Error::sql(sql));
        for sql in [
            "SET GLOBAL local_infile = ON".to_owned(),
            "SET GLOBAL max_allowed_packet = 67108864".to_owned(),
            format!("DROP DATABASE IF EXISTS {}", MARKER.0),
            format!("CREATE DATABASE {}", MARKER.0),
            format!(
                "CREATE TABLE {}.{} (id TINYINT PRIMARY KEY, n BIGINT NOT NULL)",
                MARKER.0, MARKER.1
            ),
            format!("INSERT INTO {}.{} VALUES (1, 0)", MARKER.0, MARKER.1),
        ] {
            run(&sql)?;
        }
        Ok(Self {
            url,
            product,
            folder,
            files: format!("{}/{seed}_", files.display()),
            sessions: Sessions::open(url)?,
            conn,
            random: Random::part(seed, u64::MAX),
            outcome: Outcome::default(),
            marks: 0,
            generator: None,
            note,
        })
    }

    /// The sessions, for making cases.
    pub fn sessions(&mut self) -> &mut Sessions {
        &mut self.sessions
    }

    /// Runs the cases, whose tables are there, and compares.
    ///
    /// # Errors
    /// When it cannot be carried out; what is wrong with the mirror is in the outcome.
    pub fn run(mut self, cases: &[Case]) -> Result<Outcome, Error> {
        (self.note)("first rows");
        for (at, case) in cases.iter().enumerate() {
            let files = self.files_of(at);
            self.sessions.run(&case.before, &files)?;
        }
        (self.note)("generating");
        let mut chosen = self.choose(cases)?;
        if let Some(program) = self.build(&mut chosen)? {
            self.outcome.counts.schemas = cases.len() as u64;
            self.outcome.counts.tables = chosen.tables.len() as u64 - 1;
            self.outcome.counts.columns = chosen
                .tables
                .iter()
                .map(|table| table.columns.len() as u64)
                .sum();
            let mut driver = Driver::start(&program, self.url)?;
            let mut left_out = Vec::new();
            self.follow(&mut driver, &chosen.tables, &mut left_out)?;
            self.changes(cases, &mut driver, &chosen.tables, &mut left_out)?;
            self.load_afresh(&mut driver, &chosen.tables, &mut left_out)?;
        }
        self.outcome.counts.statements = self.sessions.statements;
        self.outcome.counts.refused_statements = std::mem::take(&mut self.sessions.refused);
        Ok(self.outcome)
    }

    fn files_of(&self, at: usize) -> String {
        format!("{}{at}_", self.files)
    }

    /// Decides what can be mirrored.
    fn choose(&mut self, cases: &[Case]) -> Result<Chosen, Error> {
        let mut generator = Generator::connect(self.url)?;
        let mut chosen = Chosen::default();
        for table in oracle::tables(&mut self.conn, MARKER.0)? {
            generator.add(&table, &[], &mut chosen)?;
        }
        for case in cases {
            for table in oracle::tables(&mut self.conn, &case.database)? {
                generator.add(&table, &case.left_out, &mut chosen)?;
            }
        }
        self.outcome.findings.append(&mut chosen.findings);
        self.outcome.counts.refused_columns = chosen.refused_columns;
        self.outcome.counts.refused_tables = chosen.refused_tables;
        self.generator = Some(generator);
        Ok(chosen)
    }

    /// Builds the driver, without the tables whose code does not compile.
    fn build(&mut self, chosen: &mut Chosen) -> Result<Option<PathBuf>, Error> {
        for _ in 0..BUILDS {
            let Some(generator) = &self.generator else {
                return Ok(None);
            };
            let (files, modules) = match generator.files(&chosen.tables) {
                Ok(generated) => generated,
                Err(message) => {
                    let table = String::new();
                    self.outcome
                        .findings
                        .push(Finding::Refused { table, message });
                    return Ok(None);
                }
            };
            self.folder.write(&files)?;
            (self.note)("compiling");
            let message = match self.folder.build()? {
                Built::Program(program) => return Ok(Some(program)),
                Built::Refused(message) => message,
            };
            let blamed: Vec<&(String, String)> = modules
                .iter()
                .filter(|(file, _)| message.contains(&format!("{file}:")))
                .collect();
            let finding = |table: &str| Finding::Compile {
                table: table.to_owned(),
                message: message.chars().take(3000).collect(),
            };
            if blamed.is_empty() {
                self.outcome.findings.push(finding(""));
                return Ok(None);
            }
            for (_, table) in blamed {
                self.outcome.findings.push(finding(table));
                chosen
                    .tables
                    .retain(|mirrored| mirrored.full_name() != *table);
            }
        }
        Ok(None)
    }

    /// Starts the mirror that follows; tables that make it stop are left out.
    fn follow(
        &mut self,
        driver: &mut Driver,
        tables: &[Mirrored],
        left_out: &mut Vec<String>,
    ) -> Result<(), Error> {
        (self.note)("loading");
        self.until_it_works(driver, tables, left_out, "follow")
    }

    /// Gives a command again without the tables that the error names, until it is done.
    fn until_it_works(
        &mut self,
        driver: &mut Driver,
        tables: &[Mirrored],
        left_out: &mut Vec<String>,
        command: &str,
    ) -> Result<(), Error> {
        loop {
            let Err(message) = driver.ask(command) else {
                return Ok(());
            };
            self.outcome.findings.push(Finding::Stopped {
                message: message.clone(),
            });
            self.leave_out(driver, tables, left_out, &message)?;
        }
    }

    /// Leaves out the tables that a message names.
    fn leave_out(
        &self,
        driver: &mut Driver,
        tables: &[Mirrored],
        left_out: &mut Vec<String>,
        message: &str,
    ) -> Result<(), Error> {
        let names = tables.iter().map(Mirrored::full_name);
        let blamed: Vec<String> = names
            .filter(|name| !left_out.contains(name) && message.contains(name.as_str()))
            .collect();
        if blamed.is_empty() {
            return Err(Error::Program {
                program: "mirror".to_owned(),
                detail: format!("it stopped without naming a table: {message}"),
            });
        }
        for name in blamed {
            driver
                .ask(&format!("leave-out {name}"))
                .map_err(|detail| Error::Program {
                    program: "driver".to_owned(),
                    detail,
                })?;
            left_out.push(name);
        }
        Ok(())
    }

    /// Runs all parts of the changes and compares after each.
    fn changes(
        &mut self,
        cases: &[Case],
        driver: &mut Driver,
        tables: &[Mirrored],
        left_out: &mut Vec<String>,
    ) -> Result<(), Error> {
        let parts = cases.iter().map(|case| case.parts.len()).max().unwrap_or(0);
        let mut reloads = 0;
        for part in 0..parts {
            self.global_settings()?;
            for (at, case) in cases.iter().enumerate() {
                (self.note)(&format!("part {} of {parts}: {}", part + 1, case.name));
                if let Some(steps) = case.parts.get(part) {
                    let files = self.files_of(at);
                    self.sessions.run(steps, &files)?;
                    self.sessions.settle()?;
                }
            }
            (self.note)("comparing");
            let mark = self.mark()?;
            match driver.ask(&format!("wait {mark}")) {
                Ok(changes) => {
                    let ways = [(Way::Binlog, "dump"), (Way::Subscription, "replay")];
                    self.compare(driver, tables, left_out, &ways)?;
                    self.outcome.counts.changes = changes.parse().unwrap_or(0);
                    self.look_for_reloads(driver, &mut reloads);
                }
                Err(message) => {
                    self.outcome.findings.push(Finding::Stopped {
                        message: message.clone(),
                    });
                    self.leave_out(driver, tables, left_out, &message)?;
                    self.follow(driver, tables, left_out)?;
                    reloads = 0;
                }
            }
        }
        Ok(())
    }

    fn look_for_reloads(&mut self, driver: &mut Driver, known: &mut u64) {
        let Ok(status) = driver.ask("status") else {
            return;
        };
        let mut words = status.splitn(3, ' ');
        let reloads = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        if reloads > *known {
            *known = reloads;
            let reason = words.nth(1).unwrap_or_default().to_owned();
            self.outcome.findings.push(Finding::Reloaded { reason });
        }
    }

    /// Settings of the server that a part of the changes is logged with.
    fn global_settings(&mut self) -> Result<(), Error> {
        let checksum = self.random.pick(&["CRC32", "CRC32", "NONE"]);
        let mut settings = vec![format!("SET GLOBAL binlog_checksum = {checksum}")];
        if self.product.mysql(8, 0) {
            let level = self.random.pick(&["FULL", "MINIMAL"]);
            settings.push(format!("SET GLOBAL binlog_row_metadata = {level}"));
        }
        if self.product.mariadb(10, 5) {
            let level = self.random.pick(&["FULL", "MINIMAL", "NO_LOG"]);
            settings.push(format!("SET GLOBAL binlog_row_metadata = {level}"));
        }
        if FEATURES.compression && self.product.mariadb(10, 2) {
            let on = self.random.pick(&["ON", "OFF"]);
            settings.push(format!("SET GLOBAL log_bin_compress = {on}"));
            settings.push("SET GLOBAL log_bin_compress_min_len = 10".to_owned());
        }
        for sql in settings {
            self.conn
                .query_drop(&sql)
                .map_err(Error::sql(sql.clone()))?;
        }
        Ok(())
    }

    /// Commits a change that shows how far the mirror is.
    fn mark(&mut self) -> Result<u64, Error> {
        self.marks += 1;
        let sql = format!(
            "UPDATE {}.{} SET n = {} WHERE id = 1",
            MARKER.0, MARKER.1, self.marks
        );
        self.conn.query_drop(&sql).map_err(Error::sql("marking"))?;
        Ok(self.marks)
    }

    fn compare(
        &mut self,
        driver: &mut Driver,
        tables: &[Mirrored],
        left_out: &[String],
        ways: &[(Way, &str)],
    ) -> Result<(), Error> {
        let mut dumps = Vec::new();
        for (way, command) in ways {
            let file = self.folder.path().join(format!("{command}.jsonl"));
            match driver.ask(&format!("{command} {}", file.display())) {
                Ok(_) => dumps.push((*way, dump::read(&file)?)),
                Err(message) => self.outcome.findings.push(Finding::Stopped { message }),
            }
        }
        let tables: Vec<Mirrored> = tables
            .iter()
            .filter(|table| !left_out.contains(&table.full_name()))
            .cloned()
            .collect();
        let findings = compare(
            &mut self.conn,
            &tables,
            &dumps,
            &mut self.outcome.counts.rows,
        )?;
        self.outcome.findings.extend(findings);
        Ok(())
    }

    /// Compares what a new mirror loads.
    fn load_afresh(
        &mut self,
        driver: &mut Driver,
        tables: &[Mirrored],
        left_out: &mut Vec<String>,
    ) -> Result<(), Error> {
        (self.note)("loading afresh");
        let file = self.folder.path().join("fresh.jsonl");
        self.until_it_works(
            driver,
            tables,
            left_out,
            &format!("fresh {}", file.display()),
        )?;
        self.compare(driver, tables, left_out, &[(Way::Select, "fresh")])
    }
}
