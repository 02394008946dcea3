//! `cargo xtask init`: a schema.json from a live database.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use codegen::error::Report;
use codegen::lock::Lock;
use codegen::schema_file::SchemaFile;

use crate::error::{Error, Outcome};
use crate::pipeline::{self, Paths};
use crate::project;
use crate::server::{Server, ServerError};
use crate::url::{self, ServerUrl};

/// Options of [`init`].
#[derive(Debug, Clone, Default, clap::Args)]
pub struct InitOptions {
    /// Server, as mysql://user:password@host:port/db; DATABASE_URL holds the default
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Database to take the tables from; default: the URL's
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
    /// Tables to take; default: all that can be mirrored
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub tables: Vec<String>,
    /// File to write; default: schema.json of the workspace
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite the file if it is there
    #[arg(long)]
    pub force: bool,
}

/// Writes a schema.json with the tables of a database. Tables that cannot be mirrored are left
/// out and named with the reason, unless they were asked for by name.
///
/// # Errors
/// [`Error`] when the file is there (without `force`), the server cannot be asked, or a table
/// that was asked for does not exist or cannot be mirrored.
pub fn init(options: &InitOptions) -> Result<Outcome, Error> {
    let out = project::path_or(options.out.as_deref(), "schema.json");
    if out.exists() && !options.force {
        return Err(Error::Usage(format!(
            "{} is there already\n  remedy: --out for another file, or --force to overwrite it",
            project::shown(&out)
        )));
    }
    let url = url::given_or_environment(options.url.as_deref())?;
    let url = ServerUrl::parse(&url)?;
    let mut server = Server::connect(&url)?;
    let Some(database) = options.database.as_deref().or(url.database()) else {
        return Err(Error::Usage(format!(
            "no database is given\n  expected: --database NAME, or a URL that ends in /NAME\n  found on the server: {}",
            server.databases()?.join(", ")
        )));
    };
    let tables = choose(options, &mut server, database)?;
    if tables.is_empty() {
        return Err(Error::Usage(format!(
            "database `{database}` has no table that can be mirrored"
        )));
    }
    let text = schema_text(database, &tables);
    fs::write(&out, text).map_err(|source| Error::file(&out, "cannot write", source))?;
    println!("wrote {}: {} tables", project::shown(&out), tables.len());
    let command = Paths::new(options.out.as_deref(), None).regenerate_command("");
    let folder = options.out.as_ref().map_or("", |_| " --out FOLDER");
    println!("next: leave out what you do not need, then run `{command}{folder}`");
    Ok(Outcome::Holds)
}

/// The tables to write: those asked for, which must all be fine, or all that are.
fn choose(
    options: &InitOptions,
    server: &mut Server,
    database: &str,
) -> Result<Vec<String>, Error> {
    let all = options.tables.is_empty();
    let candidates = if all {
        server.tables(database)?
    } else {
        options.tables.clone()
    };
    let version = pipeline::version(server)?;
    let mut lock = Lock::new(version, None);
    let mut found = Vec::new();
    let mut bad: Vec<ServerError> = Vec::new();
    for table in candidates {
        let definition = match server.definition(database, &table) {
            Ok(definition) => definition,
            Err(error) if error.is_about_one_table() => {
                bad.push(error);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        lock.insert(&definition.database, &definition.table, &definition.text);
        found.push(definition.table);
    }
    let (good, refused) = mirrorable(database, found, &lock);
    if !all && !bad.is_empty() {
        return Err(Error::Tables(bad));
    }
    if !all && !refused.is_empty() {
        return Err(Error::Refused(refused.join("\n")));
    }
    for reason in bad.iter().map(ToString::to_string).chain(refused) {
        eprintln!("left out: {reason}");
    }
    Ok(good)
}

/// The tables that the generator takes, in their order, and what it says of the others. A table
/// with a foreign key may need its parent beside it.
fn mirrorable(database: &str, tables: Vec<String>, lock: &Lock) -> (Vec<String>, Vec<String>) {
    let mut good: Vec<String> = Vec::new();
    let mut rest = tables.clone();
    loop {
        let before = good.len();
        let mut refused = Vec::new();
        for table in std::mem::take(&mut rest) {
            let with_it = [good.as_slice(), std::slice::from_ref(&table)].concat();
            match generated(database, &with_it, lock) {
                Ok(()) => good.push(table),
                Err(reason) => {
                    refused.push(reason);
                    rest.push(table);
                }
            }
        }
        // Tables that refer to each other.
        if !rest.is_empty() && good.len() == before {
            let all = [good.as_slice(), rest.as_slice()].concat();
            if generated(database, &all, lock).is_ok() {
                refused.clear();
                good = all;
            }
        }
        if refused.is_empty() || good.len() == before {
            let position = |table: &String| tables.iter().position(|other| other == table);
            good.sort_by_key(position);
            return (good, refused);
        }
    }
}

/// Whether the generator takes these tables as they are; else why not. Places in schema.json are
/// left out, for there is none yet.
fn generated(database: &str, tables: &[String], lock: &Lock) -> Result<(), String> {
    let reasons = |report: Report| {
        let problems = report.problems.into_iter();
        let reasons: Vec<String> = problems
            .map(|mut problem| {
                problem.line = None;
                if problem.place.starts_with("tables[") {
                    problem.place.clear();
                }
                problem.to_string()
            })
            .collect();
        reasons.join("\n")
    };
    let text = schema_text(database, tables);
    let schema = SchemaFile::parse(&format!("database {database}"), &text).map_err(reasons)?;
    codegen::generate(&schema, lock)
        .map_err(reasons)
        .map(|_| ())
}

fn schema_text(database: &str, tables: &[String]) -> String {
    let mut text = format!("{{\n  \"database\": {},\n  \"tables\": [\n", json(database));
    for (index, table) in tables.iter().enumerate() {
        let comma = if index + 1 < tables.len() { "," } else { "" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {{ \"table\": {} }}{comma}", json(table));
    }
    text.push_str("  ]\n}\n");
    text
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_taken_with_the_parents_of_their_foreign_keys() {
        let mut lock = Lock::new(codegen::ddl::ServerVersion::mysql(9, 7), None);
        let mut insert = |table: &str, parent: &str| {
            let key = match parent {
                "" => String::new(),
                parent => format!(
                    ", CONSTRAINT `{table}_k` FOREIGN KEY (`p`) REFERENCES `{parent}` (`id`) \
                     ON DELETE CASCADE"
                ),
            };
            let text = format!(
                "CREATE TABLE `{table}` (`id` int NOT NULL, `p` int, PRIMARY KEY (`id`){key}) \
                 ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
            );
            lock.insert("d", table, &text);
        };
        for (table, parent) in [
            ("item", "orders"),
            ("orders", "customer"),
            ("customer", ""),
            ("left", "right"),
            ("right", "left"),
            ("orphan", "elsewhere"),
        ] {
            insert(table, parent);
        }
        let names = ["item", "orders", "customer", "left", "right", "orphan"];
        let (good, refused) = mirrorable("d", names.map(str::to_owned).to_vec(), &lock);
        assert_eq!(good, &names[..3]);
        assert_eq!(refused.len(), 3, "{refused:?}");
        for reason in &refused {
            assert!(
                reason.starts_with("table d.") && !reason.contains("line"),
                "no place in a file that is not there: {reason}"
            );
        }
        let (good, refused) = mirrorable(
            "d",
            names[..5].iter().map(|&name| name.to_owned()).collect(),
            &lock,
        );
        assert_eq!(
            (good.as_slice(), refused.len()),
            (&names.map(str::to_owned)[..5], 0)
        );
    }

    #[test]
    fn the_text_is_read_back_as_it_was_meant() {
        let tables = ["campaign".to_owned(), "odd \"name\"\\".to_owned()];
        let schema = SchemaFile::parse("x", &schema_text("ads", &tables)).unwrap();
        assert_eq!(schema.database.as_deref(), Some("ads"));
        let read: Vec<&str> = schema.tables.iter().map(|t| t.table.as_str()).collect();
        assert_eq!(read, tables);
    }
}
