//! `cargo xtask lab sql`: a client for those who have none.

use std::io::{self, ErrorKind, IsTerminal, Read, Write};

use mysql::prelude::Queryable;
use mysql::{Conn, Row, Value};

use super::lab::detached;
use crate::error::{Error, Outcome};

/// Options of `lab sql`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(override_usage = "cargo xtask lab sql [NAME] [SQL]")]
pub struct SqlOptions {
    /// Name of the server, which may be left out where one runs only; then the SQL, statements
    /// separated by `;`, which is read from standard input if left out. A single word is a name
    #[arg(value_name = "NAME] [SQL", num_args = 0..=2)]
    pub name_and_sql: Vec<String>,
}

impl SqlOptions {
    /// The server's name and the SQL, as far as they are given.
    fn parts(&self) -> (Option<&str>, Option<&str>) {
        match self.name_and_sql.as_slice() {
            [one]
                if one
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) =>
            {
                (Some(one), None)
            }
            [sql] => (None, Some(sql)),
            [name, sql, ..] => (Some(name), Some(sql)),
            [] => (None, None),
        }
    }
}

/// Runs SQL and prints the rows: a line of column names, then a line for each row. Stops at the
/// first statement that fails; what came before stays.
pub(super) fn sql(options: &SqlOptions) -> Result<Outcome, Error> {
    let (name, sql) = options.parts();
    let server = match name {
        Some(name) => detached(name)?,
        None => only_one()?,
    };
    let name = server.name.as_deref().unwrap_or_default();
    let url = server.url().filter(|_| server.pid.is_some());
    let url = url.ok_or_else(|| {
        Error::Usage(format!(
            "lab: server {name} does not run\n  \
             remedy: cargo xtask lab start {} --name {name}",
            server.flavor
        ))
    })?;
    let text = match sql {
        Some(text) => text.to_owned(),
        None => from_standard_input()?,
    };
    let mut conn = Conn::new(url.as_str())
        .map_err(|error| Error::Usage(format!("lab: server {name} at {url}: {error}")))?;
    let statements = lab::split_statements(&text);
    if statements.is_empty() {
        return Err(Error::Usage(
            "lab: there is no statement in the SQL".to_owned(),
        ));
    }
    let mut out = io::stdout().lock();
    for (index, statement) in statements.iter().enumerate() {
        match run(&mut conn, statement, &mut out) {
            Ok(()) => {}
            // As `head` does.
            Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => break,
            Err(Failure::Output(source)) => {
                let path = "standard output".as_ref();
                return Err(Error::file(path, "cannot write", source));
            }
            Err(Failure::Server(error)) => {
                let (number, all) = (index + 1, statements.len());
                return Err(Error::Usage(format!(
                    "lab: server {name}: statement {number} of {all}: {error}"
                )));
            }
        }
    }
    Ok(Outcome::Holds)
}

/// The server that runs, where there is no choice.
fn only_one() -> Result<lab::Status, Error> {
    let mut running = lab::status()?;
    running.retain(|status| status.name.is_some() && status.pid.is_some());
    match running.len() {
        1 => Ok(running.remove(0)),
        0 => Err(Error::Usage(
            "lab: no server of `lab start` runs\n  remedy: cargo xtask lab start mysql".to_owned(),
        )),
        _ => {
            let names: Vec<String> = running.into_iter().filter_map(|found| found.name).collect();
            Err(Error::Usage(format!(
                "lab: several servers run: {}\n  remedy: cargo xtask lab sql NAME \"SQL\"",
                names.join(", ")
            )))
        }
    }
}

fn from_standard_input() -> Result<String, Error> {
    let mut input = io::stdin();
    if input.is_terminal() {
        eprintln!("reading SQL from the terminal; Ctrl-D ends it");
    }
    let mut text = String::new();
    input
        .read_to_string(&mut text)
        .map_err(|source| Error::file("standard input".as_ref(), "cannot read", source))?;
    Ok(text)
}

enum Failure {
    Server(mysql::Error),
    Output(io::Error),
}

/// Runs one statement and prints all its results.
fn run(conn: &mut Conn, statement: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let mut results = conn.query_iter(statement).map_err(Failure::Server)?;
    while let Some(rows) = results.iter() {
        let columns = rows.columns();
        let names: Vec<String> = columns
            .as_ref()
            .iter()
            .map(|column| column.name_str().into_owned())
            .collect();
        if names.is_empty() {
            eprintln!("ok, {} rows changed", rows.affected_rows());
        } else {
            writeln!(out, "{}", names.join("\t")).map_err(Failure::Output)?;
        }
        for row in rows {
            let line = line(&row.map_err(Failure::Server)?);
            writeln!(out, "{line}").map_err(Failure::Output)?;
        }
    }
    out.flush().map_err(Failure::Output)
}

fn line(row: &Row) -> String {
    let columns = 0..row.len();
    let shown: Vec<String> = columns
        .map(|at| row.as_ref(at).map_or_else(String::new, shown))
        .collect();
    shown.join("\t")
}

/// A value as one field: NULL, text with `\t`, `\n`, `\\` for those characters, or bytes that are
/// no text as 0x...
fn shown(value: &Value) -> String {
    match value {
        Value::NULL => "NULL".to_owned(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text
                .replace('\\', "\\\\")
                .replace('\t', "\\t")
                .replace('\n', "\\n")
                .replace('\0', "\\0"),
            Err(_) => {
                let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                format!("0x{}", digits.concat())
            }
        },
        other => other.as_sql(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_word_is_the_servers_name() {
        let parts = |given: &[&str]| {
            let options = SqlOptions {
                name_and_sql: given.iter().map(|&part| part.to_owned()).collect(),
            };
            let (name, sql) = options.parts();
            (name.map(str::to_owned), sql.map(str::to_owned))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parts(&[]), (None, None));
        assert_eq!(parts(&["db-2"]), (some("db-2"), None));
        assert_eq!(parts(&["SELECT 1"]), (None, some("SELECT 1")));
        assert_eq!(parts(&["db-2", "COMMIT"]), (some("db-2"), some("COMMIT")));
    }

    #[test]
    fn a_value_stays_one_field_of_one_line() {
        let bytes = |bytes: &[u8]| shown(&Value::Bytes(bytes.to_vec()));
        assert_eq!(bytes("a\tb\nc\\ä".as_bytes()), "a\\tb\\nc\\\\ä");
        assert_eq!(bytes(&[0xff, 0x00]), "0xFF00");
        assert_eq!(shown(&Value::NULL), "NULL");
    }
}
