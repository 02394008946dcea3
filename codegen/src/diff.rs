//! What changed between two recorded schemas, in words, and whether it breaks anything.
//!
//! Only what schema.json asks for counts as mirrored; other columns are told, but break
//! nothing.

mod columns;
mod table;

use std::fmt;

use crate::ddl::{self, ServerVersion};
use crate::lock::Lock;
use crate::schema_file::{SchemaFile, TableName, TableRequest};

/// All changes between two locks, in the order of schema.json.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaDiff {
    /// The changes.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The table.
    pub table: TableName,
    /// The column, when the change is one column's.
    pub column: Option<String>,
    /// What changed, e.g. `type int -> bigint`.
    pub what: String,
    /// What it breaks.
    pub breaks: Breaks,
}

/// What a change breaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaks {
    /// A program generated before the change cannot follow the table after it.
    pub decoding: bool,
    /// A program written against the code generated before may not compile with the new code.
    pub api: bool,
}

impl Breaks {
    /// Neither.
    pub const NOTHING: Self = Self {
        decoding: false,
        api: false,
    };
    /// Decoding only.
    pub const DECODING: Self = Self {
        decoding: true,
        api: false,
    };
    /// The API only.
    pub const API: Self = Self {
        decoding: false,
        api: true,
    };
    /// Both.
    pub const BOTH: Self = Self {
        decoding: true,
        api: true,
    };
}

impl fmt::Display for Breaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.decoding, self.api) {
            (false, false) => "breaks nothing",
            (true, false) => "breaks decoding, not the API",
            (false, true) => "breaks the API, not decoding",
            (true, true) => "breaks decoding and the API",
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table)?;
        if let Some(column) = &self.column {
            write!(f, ".{column}")?;
        }
        write!(f, ": {} ({})", self.what, self.breaks)
    }
}

impl SchemaDiff {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// All that the changes break together.
    #[must_use]
    pub fn breaks(&self) -> Breaks {
        let any = |breaks: fn(&Change) -> bool| self.changes.iter().any(breaks);
        Breaks {
            decoding: any(|change| change.breaks.decoding),
            api: any(|change| change.breaks.api),
        }
    }
}

impl fmt::Display for SchemaDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, change) in self.changes.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{change}")?;
        }
        Ok(())
    }
}

/// What is different in `new` for the tables that schema.json asks for, and which tables of
/// `old` are not asked for any more.
///
/// A table whose text cannot be read is told as changed text; [`crate::resolve::resolve`] says
/// what is wrong with it.
#[must_use]
pub fn diff(schema: &SchemaFile, old: &Lock, new: &Lock) -> SchemaDiff {
    let schema = schema
        .clone()
        .with_default_database(new.default_database.as_deref());
    let mut changes = Vec::new();
    let mut asked = Vec::new();
    for request in &schema.tables {
        let Some(name) = schema.table_name(request) else {
            continue;
        };
        let before = old.find(&name);
        let after = new.find(&name);
        let name = after.or(before).map_or(name, |table| table.name.clone());
        match (before, after) {
            (Some(before), Some(after)) => {
                let texts = (before.ddl.as_str(), after.ddl.as_str());
                changes.extend(changed_table(
                    request,
                    &name,
                    texts,
                    (old.server, new.server),
                ));
            }
            (None, Some(_)) => changes.push(whole(&name, "table added", Breaks::NOTHING)),
            (Some(_), None) => {
                changes.push(whole(&name, "table gone from the server", Breaks::BOTH))
            }
            (None, None) => {}
        }
        asked.push(name);
    }
    for table in old.tables() {
        let known = asked
            .iter()
            .any(|name| old.find(name).is_some_and(|found| found.name == table.name));
        if !known {
            changes.push(whole(
                &table.name,
                "table no longer in schema.json",
                Breaks::API,
            ));
        }
    }
    SchemaDiff { changes }
}

fn changed_table(
    request: &TableRequest,
    name: &TableName,
    (before, after): (&str, &str),
    (old, new): (ServerVersion, ServerVersion),
) -> Vec<Change> {
    if before == after {
        return Vec::new();
    }
    let (Ok(before), Ok(after)) = (ddl::parse(before, old), ddl::parse(after, new)) else {
        return vec![whole(
            name,
            "text of SHOW CREATE TABLE changed",
            Breaks::BOTH,
        )];
    };
    let changes = table::changes(request, name, &before, &after, new.family);
    if changes.is_empty() {
        let what = "details of the table changed (checks, options of keys or of the table)";
        return vec![whole(name, what, Breaks::NOTHING)];
    }
    changes
}

fn whole(table: &TableName, what: &str, breaks: Breaks) -> Change {
    Change {
        table: table.clone(),
        column: None,
        what: what.to_owned(),
        breaks,
    }
}

#[cfg(test)]
mod tests;
