//! A case: the statements that make a database's tables and change them; as text in a file.

use std::fmt::Write as _;

use crate::sql;

/// Sessions that the statements of a case use.
pub const SESSIONS: usize = 3;

/// One statement and the session that runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Number of the session, below [`SESSIONS`].
    pub session: usize,
    /// The statement; `@DIR@` stands for the folder of the server's files.
    pub sql: String,
}

/// A column that is mirrored as another type than its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// What `as` in schema.json says: `bool` or `bytes`.
    pub kind: String,
}

/// The statements of one database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Case {
    /// Its name in reports.
    pub name: String,
    /// Where it came from, for people.
    pub origin: String,
    /// The server families that it runs on; all when empty.
    pub families: Vec<String>,
    /// The database.
    pub database: String,
    /// Columns that are not mirrored: table and column.
    pub left_out: Vec<(String, String)>,
    /// Columns that are mirrored as something else.
    pub held: Vec<Held>,
    /// Statements that make the tables.
    pub setup: Vec<String>,
    /// Statements before the mirror starts.
    pub before: Vec<Step>,
    /// Statements while the mirror follows; it is compared after each part.
    pub parts: Vec<Vec<Step>>,
}

impl Case {
    /// Whether it is for a server of this family.
    #[must_use]
    pub fn is_for(&self, family: &str) -> bool {
        self.families.is_empty() || self.families.iter().any(|own| own == family)
    }

    /// The case as a file: SQL with directives in comments.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, value) in [
            ("case", &self.name),
            ("origin", &self.origin),
            ("servers", &self.families.join(" ")),
            ("database", &self.database),
        ] {
            if !value.is_empty() {
                // Writing into memory does not fail.
                let _ = writeln!(text, "-- {name}: {value}");
            }
        }
        for (table, column) in &self.left_out {
            let _ = writeln!(
                text,
                "-- leave out: {}.{}",
                sql::name(table),
                sql::name(column)
            );
        }
        for held in &self.held {
            let (table, column) = (sql::name(&held.table), sql::name(&held.column));
            let _ = writeln!(text, "-- as {}: {table}.{column}", held.kind);
        }
        let setup = self.setup.iter().map(|sql| Step {
            session: 0,
            sql: sql.clone(),
        });
        write_part(&mut text, "setup", &setup.collect::<Vec<_>>());
        write_part(&mut text, "before", &self.before);
        for part in &self.parts {
            write_part(&mut text, "changes", part);
        }
        text
    }

    /// Reads a file that [`to_text`](Self::to_text) or a person wrote.
    ///
    /// # Errors
    /// A sentence about the line that is not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut case = Self::default();
        let mut part = "";
        let mut session = 0;
        let mut statement = String::new();
        for (number, line) in text.lines().enumerate() {
            let bad = |what: &str| format!("line {}: {what}", number + 1);
            let directive = line
                .strip_prefix("-- ")
                .and_then(|line| line.split_once(": "));
            if let Some((name, value)) = directive.filter(|_| statement.is_empty()) {
                match name {
                    "case" => case.name = value.to_owned(),
                    "origin" => case.origin = value.to_owned(),
                    "database" => case.database = value.to_owned(),
                    "servers" => {
                        case.families = value.split_whitespace().map(str::to_owned).collect()
                    }
                    "session" => {
                        session = value
                            .trim()
                            .parse()
                            .map_err(|_| bad("a session is a number"))?
                    }
                    "leave out" => {
                        let names =
                            two_names(value).ok_or_else(|| bad("expected `table`.`column`"))?;
                        case.left_out.push(names);
                    }
                    "as bool" | "as bytes" => {
                        let (table, column) =
                            two_names(value).ok_or_else(|| bad("expected `table`.`column`"))?;
                        case.held.push(Held {
                            table,
                            column,
                            kind: name.trim_start_matches("as ").to_owned(),
                        });
                    }
                    "part" => {
                        session = 0;
                        part = value;
                        if part == "changes" {
                            case.parts.push(Vec::new());
                        }
                    }
                    // Any other comment is for people.
                    _ => {}
                }
                continue;
            }
            if statement.is_empty() && (line.trim().is_empty() || line.starts_with("--")) {
                continue;
            }
            if !statement.is_empty() {
                statement.push('\n');
            }
            statement.push_str(line);
            let Some(sql) = statement.strip_suffix(';') else {
                continue;
            };
            let step = Step {
                session,
                sql: sql.to_owned(),
            };
            match (part, case.parts.last_mut()) {
                ("setup", _) => case.setup.push(step.sql),
                ("before", _) => case.before.push(step),
                ("changes", Some(steps)) => steps.push(step),
                _ => {
                    return Err(bad(
                        "a statement outside the parts setup, before and changes",
                    ));
                }
            }
            statement.clear();
        }
        if !statement.is_empty() {
            return Err("the last statement has no `;` at its end".to_owned());
        }
        if case.database.is_empty() || case.setup.is_empty() {
            return Err("`-- database: ` or `-- part: setup` is missing".to_owned());
        }
        Ok(case)
    }
}

/// Table and column of "`table`.`column`".
fn two_names(text: &str) -> Option<(String, String)> {
    let inner = text.strip_prefix('`')?.strip_suffix('`')?;
    // A backtick within a name is doubled, so this stands between the names only, unless a
    // name ends or starts with one: then the last place that leaves both sides even is right.
    let even = |part: &str| part.replace("``", "").find('`').is_none();
    let mut cuts = inner.match_indices("`.`").map(|(at, _)| at);
    let at = cuts
        .find(|&at| inner.get(..at).is_some_and(even) && inner.get(at + 3..).is_some_and(even))?;
    let name = |part: &str| part.replace("``", "`");
    Some((name(inner.get(..at)?), name(inner.get(at + 3..)?)))
}

fn write_part(text: &mut String, name: &str, steps: &[Step]) {
    let mut session = 0;
    let _ = writeln!(text, "\n-- part: {name}");
    for step in steps {
        if step.session != session {
            session = step.session;
            let _ = writeln!(text, "-- session: {session}");
        }
        let _ = writeln!(text, "{};", step.sql);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_the_same_after_writing_and_reading() {
        let step = |session, sql: &str| Step {
            session,
            sql: sql.to_owned(),
        };
        let case = Case {
            name: "one".to_owned(),
            origin: "seed 1 schema 2".to_owned(),
            families: vec!["mysql".to_owned()],
            database: "fuzz1_it's; -- x".to_owned(),
            left_out: vec![("a`b".to_owned(), "c.d".to_owned())],
            held: vec![Held {
                table: "t".to_owned(),
                column: "`c`".to_owned(),
                kind: "bytes".to_owned(),
            }],
            setup: vec!["CREATE DATABASE x".to_owned()],
            before: vec![step(0, "INSERT INTO t VALUES ('a;\\nb')")],
            parts: vec![
                vec![step(1, "UPDATE t SET a = 1"), step(0, "DELETE FROM t")],
                vec![step(2, "X\nY")],
            ],
        };
        assert_eq!(Case::parse(&case.to_text()), Ok(case));
    }

    #[test]
    fn a_case_without_tables_or_with_an_open_statement_is_refused() {
        assert!(Case::parse("-- database: x\n").is_err());
        let open = "-- database: x\n-- part: setup\nCREATE DATABASE x;\n-- part: changes\nINSERT";
        assert!(Case::parse(open).is_err());
        assert!(Case::parse("SELECT 1;").is_err());
    }
}
