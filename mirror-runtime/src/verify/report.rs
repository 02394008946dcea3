//! What a verification found.

use std::fmt;
use std::time::Duration;

use crate::source::BinlogPosition;

/// What a verification found; prints as lines for people, without any value but keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyReport {
    /// The tables that were compared.
    pub tables: Vec<TableReport>,
    /// The position of the server at which the rows were compared; with more than one, the last.
    pub position: BinlogPosition,
    /// Snapshots of the server that were needed, 1 or more: with one, all rows were compared
    /// at one position.
    pub snapshots: u32,
    /// How long it took.
    pub took: Duration,
}

/// What was found in one table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableReport {
    /// `database.table`.
    pub table: String,
    /// Rows of the server that were compared.
    pub rows: u64,
    /// Rows that differ.
    pub differences: u64,
    /// The first of them, as many as were asked for.
    pub first: Vec<Difference>,
    /// Rows that could not be compared, since they changed all the time.
    pub not_compared: u64,
    /// Keys of the first of them.
    pub first_not_compared: Vec<String>,
    /// Rows that were read again, since they were changed when they were read first, or differed.
    pub read_again: u64,
}

/// A row that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The key, as `id=5` or `region="de", code=7`.
    pub key: String,
    /// How it differs.
    pub kind: DifferenceKind,
}

/// How a row differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Both sides have it, with other values in these columns.
    Columns(Vec<&'static str>),
    /// The server does not have it.
    OnlyInMirror,
    /// The mirror does not have it.
    OnlyOnServer,
}

impl VerifyReport {
    /// Whether every row was compared and agrees.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.differences() == 0 && self.not_compared() == 0
    }

    /// Rows compared, of all tables.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Rows that differ, of all tables.
    #[must_use]
    pub fn differences(&self) -> u64 {
        self.tables.iter().map(|table| table.differences).sum()
    }

    /// Rows that could not be compared, of all tables.
    #[must_use]
    pub fn not_compared(&self) -> u64 {
        self.tables.iter().map(|table| table.not_compared).sum()
    }
}

impl fmt::Display for VerifyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            write!(f, "{table}")?;
        }
        let (rows, tables) = (self.rows(), self.tables.len());
        write!(
            f,
            "compared {rows} rows of {tables} tables in {:.1} s at {}",
            self.took.as_secs_f64(),
            self.position
        )?;
        if self.snapshots > 1 {
            write!(f, " (the last of {} positions)", self.snapshots)?;
        }
        match (self.differences(), self.not_compared()) {
            (0, 0) => write!(f, ": equal"),
            (0, open) => write!(f, ": {}, the others are equal", TooFast(open)),
            (differ, 0) => write!(f, ": {}", Differ(differ)),
            (differ, open) => write!(f, ": {}, and {}", Differ(differ), TooFast(open)),
        }
    }
}

/// So many rows differ.
struct Differ(u64);

impl fmt::Display for Differ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 row differs"),
            count => write!(f, "{count} rows differ"),
        }
    }
}

/// So many rows changed too fast.
struct TooFast(u64);

impl fmt::Display for TooFast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = if self.0 == 1 { "row" } else { "rows" };
        write!(f, "{} {rows} changed too fast to be compared", self.0)
    }
}

impl fmt::Display for TableReport {
    /// A line for each named key; nothing when all is well.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        if self.differences > 0 {
            writeln!(f, "table {table}: {}:", Differ(self.differences))?;
            for difference in &self.first {
                writeln!(f, "  {difference}")?;
            }
            more(f, self.differences, self.first.len())?;
        }
        if self.not_compared > 0 {
            writeln!(f, "table {table}: {}:", TooFast(self.not_compared))?;
            for key in &self.first_not_compared {
                writeln!(f, "  {key}")?;
            }
            more(f, self.not_compared, self.first_not_compared.len())?;
        }
        Ok(())
    }
}

fn more(f: &mut fmt::Formatter<'_>, all: u64, named: usize) -> fmt::Result {
    match all.saturating_sub(named as u64) {
        0 => Ok(()),
        more => writeln!(f, "  and {more} more"),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            DifferenceKind::Columns(columns) => {
                write!(f, "{}: differs in {}", self.key, columns.join(", "))
            }
            DifferenceKind::OnlyInMirror => write!(f, "{}: only in the mirror", self.key),
            DifferenceKind::OnlyOnServer => write!(f, "{}: only on the server", self.key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_tables_keys_and_columns_and_counts_the_rest() {
        let difference = |key: &str, kind| Difference {
            key: key.into(),
            kind,
        };
        let mut report = VerifyReport {
            tables: vec![
                TableReport {
                    table: "d.t".into(),
                    rows: 9,
                    differences: 4,
                    first: vec![
                        difference("id=1", DifferenceKind::Columns(vec!["a", "b"])),
                        difference("id=2", DifferenceKind::OnlyInMirror),
                        difference("id=3", DifferenceKind::OnlyOnServer),
                    ],
                    ..TableReport::default()
                },
                TableReport {
                    table: "d.u".into(),
                    rows: 2,
                    not_compared: 1,
                    first_not_compared: vec!["id=7".into()],
                    ..TableReport::default()
                },
            ],
            position: "binlog.000001:4".parse().unwrap(),
            snapshots: 2,
            took: Duration::ZERO,
        };
        assert!(!report.is_equal());
        assert_eq!(
            report.to_string(),
            "table d.t: 4 rows differ:\n  id=1: differs in a, b\n  id=2: only in the mirror\n  \
             id=3: only on the server\n  and 1 more\n\
             table d.u: 1 row changed too fast to be compared:\n  id=7\n\
             compared 11 rows of 2 tables in 0.0 s at binlog.000001:4 (the last of 2 positions): \
             4 rows differ, and 1 row changed too fast to be compared"
        );
        report.tables.remove(0);
        assert!(
            !report.is_equal(),
            "a row that was not compared is not equal"
        );
        report.tables.clear();
        report.snapshots = 1;
        assert!(report.is_equal());
        assert_eq!(
            report.to_string(),
            "compared 0 rows of 0 tables in 0.0 s at binlog.000001:4: equal"
        );
    }
}
