//! The mirror's side of a round: a driver, and what is found when its tables are compared.

use std::path::Path;

use crate::compare::{Mirrored, compare};
use crate::driver::Driver;
use crate::dump;
use crate::error::Error;
use crate::expected::is_expected_reload;
use crate::finding::{Finding, Way};
use crate::folder::Folder;
use crate::ground::Ground;

/// Mirrors of the tables of a round.
pub struct Mirrors<'m> {
    driver: Driver,
    folder: &'m Folder,
    tables: Vec<Mirrored>,
    /// Tables that made a mirror stop.
    left_out: Vec<String>,
    reloads: u64,
    /// Row changes that were applied.
    pub changes: u64,
    /// Rows that were compared.
    pub rows: u64,
    /// Times that tables were loaded again for an expected reason.
    pub expected_reloads: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

impl<'m> Mirrors<'m> {
    /// Starts the driver of that folder on a server; no mirror runs yet.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        program: &Path,
        url: &str,
        folder: &'m Folder,
        tables: Vec<Mirrored>,
    ) -> Result<Self, Error> {
        Ok(Self {
            driver: Driver::start(program, url)?,
            folder,
            tables,
            left_out: Vec::new(),
            reloads: 0,
            changes: 0,
            rows: 0,
            expected_reloads: 0,
            findings: Vec::new(),
        })
    }

    /// Starts the mirror that follows; tables that make it stop are left out.
    ///
    /// # Errors
    /// When it stops without naming a table.
    pub fn follow(&mut self) -> Result<(), Error> {
        self.reloads = 0;
        self.until_it_works("follow")
    }

    /// Ends the mirror that follows, and forgets what was left out.
    ///
    /// # Errors
    /// When the driver ended.
    pub fn end(&mut self) -> Result<(), Error> {
        self.left_out.clear();
        self.must("end").map(drop)
    }

    /// Waits until the mirror has everything, and compares it and what its subscription adds up
    /// to with the server. One that stopped is started again without the table it names.
    ///
    /// # Errors
    /// When the server cannot be asked, or the mirror stops without naming a table.
    pub fn catch_up(&mut self, ground: &mut Ground) -> Result<(), Error> {
        let mark = ground.mark()?;
        match self.driver.ask(&format!("wait {mark}")) {
            Ok(changes) => {
                self.changes += changes.parse::<u64>().unwrap_or(0);
                self.look_for_reloads(ground);
                self.compare(
                    ground,
                    &[(Way::Binlog, "dump"), (Way::Subscription, "replay")],
                )
            }
            Err(message) => {
                self.leave_out(message)?;
                self.follow()
            }
        }
    }

    /// Compares what a new mirror loads.
    ///
    /// # Errors
    /// When the server cannot be asked, or the mirror stops without naming a table.
    pub fn load_afresh(&mut self, ground: &mut Ground) -> Result<(), Error> {
        self.until_it_works("fresh")?;
        self.compare(ground, &[(Way::Select, "dump-fresh")])
    }

    fn must(&mut self, command: &str) -> Result<String, Error> {
        self.driver.ask(command).map_err(|detail| Error::Program {
            program: "driver".to_owned(),
            detail,
        })
    }

    /// Gives a command again without the tables that the error names, until it is done.
    fn until_it_works(&mut self, command: &str) -> Result<(), Error> {
        while let Err(message) = self.driver.ask(command) {
            self.leave_out(message)?;
        }
        Ok(())
    }

    /// Leaves out the tables that made a mirror stop.
    fn leave_out(&mut self, message: String) -> Result<(), Error> {
        let names = self.tables.iter().map(Mirrored::full_name);
        let blamed: Vec<String> = names
            .filter(|name| !self.left_out.contains(name) && message.contains(name.as_str()))
            .collect();
        self.findings.push(Finding::Stopped {
            message: message.clone(),
        });
        if blamed.is_empty() {
            return Err(Error::Program {
                program: "mirror".to_owned(),
                detail: format!("it stopped without naming a table: {message}"),
            });
        }
        for name in blamed {
            self.must(&format!("leave-out {name}"))?;
            self.left_out.push(name);
        }
        Ok(())
    }

    fn look_for_reloads(&mut self, ground: &Ground) {
        let Ok(status) = self.driver.ask("status") else {
            return;
        };
        let (count, reasons) = status.split_once(' ').unwrap_or((&status, ""));
        let count = count.parse().unwrap_or(0);
        let new = count - self.reloads.min(count);
        self.reloads = count;
        let unexpected: Vec<&str> = reasons
            .split('\t')
            .filter(|reason| !reason.is_empty() && !is_expected_reload(reason, ground.product))
            .collect();
        self.expected_reloads += new.saturating_sub(unexpected.len() as u64);
        let findings = unexpected.into_iter().map(|reason| Finding::Reloaded {
            reason: reason.to_owned(),
        });
        self.findings.extend(findings);
    }

    fn compare(&mut self, ground: &mut Ground, ways: &[(Way, &str)]) -> Result<(), Error> {
        let mut dumps = Vec::new();
        for (way, command) in ways {
            let file = self.folder.path().join(format!("{command}.jsonl"));
            self.must(&format!("{command} {}", file.display()))?;
            dumps.push((*way, dump::read(&file)?));
        }
        let tables = self.tables.iter();
        let tables: Vec<&Mirrored> = tables
            .filter(|table| !self.left_out.contains(&table.full_name()))
            .collect();
        let findings = compare(&mut ground.conn, &tables, &dumps, &mut self.rows)?;
        self.findings.extend(findings);
        Ok(())
    }
}
