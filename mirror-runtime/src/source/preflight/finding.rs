//! What a check found.

use std::fmt;

use crate::row::quote_identifier;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// As it should be.
    Ok,
    /// Works, but costs something.
    Warning,
    /// Does not work.
    Error,
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// A server setting or the server's version.
    Setting,
    /// A right of the account.
    Right,
    /// A table or column.
    Table,
    /// The id under which we register as a replica.
    ServerId,
}

/// The outcome of one check; prints as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub kind: FindingKind,
    /// Name of the setting, right or table.
    pub name: String,
    /// What the server says.
    pub found: String,
    /// What is needed.
    pub needed: String,
    /// What to do when it is not so, and why.
    pub remedy: String,
    /// The statements that do it, where statements can; without semicolons.
    pub sql: Vec<String>,
    /// The lines for the section `[mysqld]` of the server's configuration that make it last.
    pub config: Vec<String>,
    /// How bad it is.
    pub severity: Severity,
}

impl Finding {
    /// A check that passed; the other methods say what to do when it did not.
    pub(crate) fn new(kind: FindingKind, name: &str, found: &str, needed: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            found: found.to_owned(),
            needed: needed.to_owned(),
            remedy: String::new(),
            sql: Vec::new(),
            config: Vec::new(),
            severity: Severity::Ok,
        }
    }

    /// As [`new`](Self::new), of a server setting.
    pub(crate) fn setting(name: &str, found: &str, needed: &str) -> Self {
        Self::new(FindingKind::Setting, name, found, needed)
    }

    /// The same with what to do.
    pub(crate) fn remedy(mut self, remedy: &str) -> Self {
        remedy.clone_into(&mut self.remedy);
        self
    }

    /// The same with one statement more.
    pub(crate) fn sql(mut self, statement: impl Into<String>) -> Self {
        self.sql.push(statement.into());
        self
    }

    /// The same with one line of configuration more.
    pub(crate) fn config(mut self, line: impl Into<String>) -> Self {
        self.config.push(line.into());
        self
    }

    /// The same, this bad.
    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same, this bad unless `holds`.
    pub(crate) fn unless(self, holds: bool, severity: Severity) -> Self {
        self.severity(if holds { Severity::Ok } else { severity })
    }

    /// Whether it is as it should be.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.severity == Severity::Ok
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: found {}, needed {}",
            self.name, self.found, self.needed
        )?;
        if self.ok() {
            return Ok(());
        }
        write!(f, "; {}", self.remedy)?;
        let separator = if self.remedy.is_empty() { "" } else { ": " };
        match (self.sql.as_slice(), self.config.as_slice()) {
            ([], []) => Ok(()),
            ([], lines) => write!(f, "{separator}{}", lines.join(", ")),
            (statements, _) => write!(f, "{separator}{}", statements.join("; ")),
        }
    }
}

/// Every check and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PreflightReport {
    /// In the order in which they were made.
    pub findings: Vec<Finding>,
}

impl PreflightReport {
    /// Whether no check failed.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity < Severity::Error)
    }

    /// The checks that passed at a cost.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.severity == Severity::Warning)
    }
}

/// A table that will be SELECTed from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableRequirement {
    /// Database name.
    pub database: String,
    /// Table name.
    pub table: String,
    /// The columns; empty checks the table only.
    pub columns: Vec<String>,
}

impl TableRequirement {
    /// `database.table`, for messages.
    pub(crate) fn full_name(&self) -> String {
        format!("{}.{}", self.database, self.table)
    }

    /// `database.table`, quoted for SQL.
    pub(crate) fn place(&self) -> String {
        let database = quote_identifier(&self.database);
        format!("{database}.{}", quote_identifier(&self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::error::{SourceError, SourceErrorKind};
    use super::*;

    fn finding(kind: FindingKind, name: &str, severity: Severity) -> Finding {
        Finding {
            kind,
            name: name.to_owned(),
            found: "STATEMENT".to_owned(),
            needed: "ROW".to_owned(),
            remedy: String::new(),
            sql: vec!["SET GLOBAL it".to_owned()],
            config: vec!["it = ROW".to_owned()],
            severity,
        }
    }

    #[test]
    fn all_failures_are_listed_and_the_most_fundamental_gives_the_kind() {
        let error = SourceError::Preflight(vec![
            finding(FindingKind::ServerId, "our server_id", Severity::Error),
            finding(FindingKind::Right, "right X", Severity::Error),
            finding(FindingKind::Setting, "binlog_format", Severity::Error),
        ]);
        assert_eq!(error.kind(), SourceErrorKind::Setting);
        let text = error.to_string();
        assert!(text.contains("3 problems"), "{text}");
        for name in ["our server_id", "right X", "binlog_format"] {
            assert!(
                text.contains(&format!(
                    "\n- {name}: found STATEMENT, needed ROW; SET GLOBAL it"
                )),
                "{text}"
            );
        }
        let rights = SourceError::Preflight(vec![
            finding(FindingKind::Table, "t", Severity::Error),
            finding(FindingKind::Right, "right X", Severity::Error),
        ]);
        assert_eq!(rights.kind(), SourceErrorKind::MissingRight);
        let table = SourceError::Preflight(vec![finding(FindingKind::Table, "t", Severity::Error)]);
        assert_eq!(table.kind(), SourceErrorKind::Unknown);
    }

    #[test]
    fn a_warning_does_not_fail_the_report() {
        let mut report = PreflightReport {
            findings: vec![finding(FindingKind::Setting, "a", Severity::Warning)],
        };
        assert!(report.ok());
        assert_eq!(report.warnings().count(), 1);
        report
            .findings
            .push(finding(FindingKind::Setting, "b", Severity::Error));
        assert!(!report.ok());
    }
}
