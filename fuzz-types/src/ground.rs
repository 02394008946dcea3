//! The server's side of a round: sessions, the marker, settings, and the cases' tables.

use std::path::Path;

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::case::{Case, Step};
use crate::error::Error;
use crate::expected::FEATURES;
use crate::product::Product;
use crate::random::Random;
use crate::sessions::{Sessions, connect};
use crate::sql;

/// Database of the table that shows how far a mirror is.
pub const MARKER_DATABASE: &str = "fuzz_marker";

/// A server that is prepared for cases.
pub struct Ground {
    /// Its address.
    pub url: String,
    /// What it is.
    pub product: Product,
    /// The sessions that cases use.
    pub sessions: Sessions,
    /// A session for asking what tables hold.
    pub conn: Conn,
    /// Start of the names of the files that the server writes.
    files: String,
    marks: u64,
    renewals: u64,
}

impl Ground {
    /// Prepares a server; it writes files into the folder `files`, with names of their own for
    /// each `number`.
    ///
    /// # Errors
    /// When it cannot be prepared.
    pub fn prepare(url: &str, product: Product, files: &Path, number: u64) -> Result<Self, Error> {
        let mut ground = Self {
            url: url.to_owned(),
            product,
            sessions: Sessions::open(url)?,
            conn: connect(url)?,
            files: format!("{}/{number}_", files.display()),
            marks: 0,
            renewals: 0,
        };
        for sql in [
            "SET GLOBAL local_infile = ON".to_owned(),
            "SET GLOBAL max_allowed_packet = 67108864".to_owned(),
            format!("DROP DATABASE IF EXISTS {MARKER_DATABASE}"),
            format!("CREATE DATABASE {MARKER_DATABASE}"),
            format!(
                "CREATE TABLE {MARKER_DATABASE}.marker (id TINYINT PRIMARY KEY, n BIGINT NOT NULL)"
            ),
            format!("INSERT INTO {MARKER_DATABASE}.marker VALUES (1, 0)"),
        ] {
            ground.must(&sql)?;
        }
        Ok(ground)
    }

    /// Runs a statement of our own.
    fn must(&mut self, sql: &str) -> Result<(), Error> {
        self.conn.query_drop(sql).map_err(Error::sql(sql))
    }

    /// Opens the sessions anew, so that nothing that was set in them counts any more, and
    /// neither do the files that were written.
    ///
    /// # Errors
    /// When the server does not let us in.
    pub fn renew_sessions(&mut self) -> Result<(), Error> {
        self.sessions = Sessions::open(&self.url)?;
        self.renewals += 1;
        Ok(())
    }

    /// Makes a case's tables.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn set_up(&mut self, case: &Case) -> Result<(), Error> {
        for sql in &case.setup {
            self.sessions.statement(0, sql)?;
        }
        Ok(())
    }

    /// Drops a case's database, if it is there.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn clear(&mut self, case: &Case) -> Result<(), Error> {
        let name = sql::name(&case.database);
        self.must(&format!("DROP DATABASE IF EXISTS {name}"))
    }

    /// Runs steps of the case with this number, and ends what they left open.
    ///
    /// # Errors
    /// When a connection breaks.
    pub fn run(&mut self, number: usize, steps: &[Step]) -> Result<(), Error> {
        let files = format!("{}{}_{number}_", self.files, self.renewals);
        self.sessions.run(steps, &files)?;
        self.sessions.settle()
    }

    /// Commits a change that shows how far a mirror is; its number.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn mark(&mut self) -> Result<u64, Error> {
        self.marks += 1;
        let number = self.marks;
        self.must(&format!(
            "UPDATE {MARKER_DATABASE}.marker SET n = {number} WHERE id = 1"
        ))?;
        Ok(number)
    }

    /// Other settings of the binlog, from here on: as steps that a kept case can repeat.
    ///
    /// # Errors
    /// When the server refuses one.
    pub fn change_settings(&mut self, random: &mut Random) -> Result<Vec<Step>, Error> {
        let checksum = random.pick(&["CRC32", "CRC32", "NONE"]);
        let mut settings = vec![format!("SET GLOBAL binlog_checksum = {checksum}")];
        if self.product.mysql(8, 0) {
            let level = random.pick(&["FULL", "MINIMAL"]);
            settings.push(format!("SET GLOBAL binlog_row_metadata = {level}"));
        }
        if self.product.mariadb(10, 5) {
            let level = random.pick(&["FULL", "MINIMAL", "NO_LOG"]);
            settings.push(format!("SET GLOBAL binlog_row_metadata = {level}"));
        }
        if FEATURES.compression && self.product.mariadb(10, 2) {
            let on = random.pick(&["ON", "OFF"]);
            settings.push(format!("SET GLOBAL log_bin_compress = {on}"));
            settings.push("SET GLOBAL log_bin_compress_min_len = 10".to_owned());
        }
        for sql in &settings {
            self.must(sql)?;
        }
        Ok(settings
            .into_iter()
            .map(|sql| Step { session: 0, sql })
            .collect())
    }
}
