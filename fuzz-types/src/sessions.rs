//! The sessions that run the statements of cases.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::time::Duration;

use mysql::prelude::Queryable;
use mysql::{Conn, LocalInfileHandler, Opts, OptsBuilder};

use crate::case::{SESSIONS, Step};
use crate::error::Error;

/// By error number: how many statements, and the server's message of the first.
pub type Refused = BTreeMap<u16, (u64, String)>;

/// Sessions of one round.
pub struct Sessions {
    conns: Vec<Conn>,
    /// Statements that ran.
    pub statements: u64,
    /// Statements that the server refused.
    pub refused: Refused,
}

impl Sessions {
    /// Opens them.
    ///
    /// # Errors
    /// When the server does not let us in.
    pub fn open(url: &str) -> Result<Self, Error> {
        let conns: Result<Vec<Conn>, Error> = (0..SESSIONS).map(|_| connect(url)).collect();
        Ok(Self {
            conns: conns?,
            statements: 0,
            refused: BTreeMap::new(),
        })
    }

    /// Runs statements one after the other; those that the server refuses are counted. `files`
    /// stands for `@DIR@/` in them.
    ///
    /// # Errors
    /// When a connection breaks.
    pub fn run(&mut self, steps: &[Step], files: &str) -> Result<(), Error> {
        for step in steps {
            self.statement(step.session, &step.sql.replace("@DIR@/", files))?;
        }
        Ok(())
    }

    /// Runs one statement; whether the server took it.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn statement(&mut self, session: usize, sql: &str) -> Result<bool, Error> {
        let count = self.conns.len().max(1);
        let Some(conn) = self.conns.get_mut(session % count) else {
            return Err(Error::Usage("there is no session".to_owned()));
        };
        self.statements += 1;
        match conn.query_drop(sql) {
            Ok(()) => Ok(true),
            Err(mysql::Error::MySqlError(error)) => {
                let known = self.refused.entry(error.code).or_insert((0, error.message));
                known.0 += 1;
                Ok(false)
            }
            Err(error) => {
                let start: String = sql.chars().take(300).collect();
                Err(Error::sql(format!("running {start}"))(error))
            }
        }
    }

    /// Waits for nothing: ends transactions that a refused statement left open.
    ///
    /// # Errors
    /// When a connection breaks.
    pub fn settle(&mut self) -> Result<(), Error> {
        for session in 0..self.conns.len() {
            self.statement(session, "COMMIT")?;
            self.statement(session, "SET autocommit = 1")?;
        }
        Ok(())
    }
}

/// A session of the round: utf8mb4, UTC, no SQL mode; LOAD DATA LOCAL reads files of this
/// machine.
///
/// # Errors
/// When the server does not let us in.
pub fn connect(url: &str) -> Result<Conn, Error> {
    let opts = Opts::from_url(url).map_err(|error| Error::Usage(format!("--url: {error}")))?;
    let limit = Some(Duration::from_secs(120));
    let builder = OptsBuilder::from_opts(opts)
        .prefer_socket(false)
        .read_timeout(limit)
        .tcp_connect_timeout(limit)
        .max_allowed_packet(Some(64 << 20))
        .local_infile_handler(Some(LocalInfileHandler::new(|name, stream| {
            let name = String::from_utf8_lossy(name).into_owned();
            let mut bytes = Vec::new();
            // The server may have refused to write the file: then there is nothing to load.
            if let Ok(mut file) = File::open(name) {
                file.read_to_end(&mut bytes)?;
            }
            stream.write_all(&bytes)
        })))
        .init(vec![
            "SET NAMES utf8mb4",
            "SET time_zone = '+00:00', sql_mode = ''",
            // A case that is made smaller may leave out the end of a transaction.
            "SET innodb_lock_wait_timeout = 1, lock_wait_timeout = 2",
        ]);
    Conn::new(builder).map_err(Error::sql("connecting"))
}
