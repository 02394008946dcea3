//! schema.json and recorded DDL to the [`Model`]: what is asked for meets what the server has.
//!
//! Every problem of every table is in one report; a model comes out only when there is none.

mod foreign_keys;
mod indexes;
mod keys;
mod naming;
mod table;
mod types;

pub use types::{Refusal, column_type};

use crate::ddl::{self, CreateTable};
use crate::error::Report;
use crate::lock::{LOCK_FILE, Lock};
use crate::model::Model;
use crate::schema_file::{SchemaFile, TableName, TableRequest};

/// A requested table that was found, and its DDL.
struct Found<'s> {
    request: &'s TableRequest,
    name: TableName,
    create: CreateTable,
}

/// Builds the model of the tables that schema.json asks for.
///
/// Tables that name no database take the lock's default database.
///
/// # Errors
/// A [`Report`] of all problems: unknown tables, columns and keys with near matches, types and
/// tables that cannot be mirrored, tables without a usable key, names that collide.
pub fn resolve(schema: &SchemaFile, lock: &Lock) -> Result<Model, Report> {
    let schema = schema
        .clone()
        .with_default_database(lock.default_database.as_deref());
    let mut report = match schema.table_names() {
        Ok(_) => Report::new(&schema.name),
        Err(report) => report,
    };
    let mut found = Vec::new();
    for request in &schema.tables {
        let Some(name) = schema.table_name(request) else {
            continue;
        };
        found.extend(find(request, &name, lock, &mut report));
    }
    let mut names = naming::type_and_module_names(&found, &mut report);
    let mut tables = Vec::new();
    for (table, own) in found.iter().zip(&mut names.tables) {
        let own = std::mem::take(own);
        let built = table::build(
            table,
            own,
            lock.server.family,
            &mut names.types,
            &mut report,
        );
        tables.extend(built);
    }
    foreign_keys::resolve(&found, &mut tables, &mut report);
    report.problems.sort_by_key(|problem| problem.line);
    report.into_result(Model { tables })
}

/// Finds and reads the recorded DDL of a requested table; what hinders it goes to the report.
fn find<'s>(
    request: &'s TableRequest,
    name: &TableName,
    lock: &Lock,
    report: &mut Report,
) -> Option<Found<'s>> {
    let place = &request.place;
    let Some(locked) = lock.find(name) else {
        let mut remedy =
            "correct the name, or run `cargo xtask regenerate` with a server".to_owned();
        let near = lock.near(name);
        if !near.is_empty() {
            remedy = format!("did you mean {}? Else {remedy}", near.join(" or "));
        }
        let problem = place.problem(format!("table {name} is not in {LOCK_FILE}"));
        report.push(problem.remedy(remedy));
        return None;
    };
    if is_view(&locked.ddl) {
        let what = format!("{name} is a view: no rows of its own are in the binlog");
        let problem = place.problem(what);
        report.push(problem.remedy("mirror the tables that the view is made of"));
        return None;
    }
    match ddl::parse(&locked.ddl, lock.server) {
        Ok(create) => Some(Found {
            request,
            name: locked.name.clone(),
            create,
        }),
        Err(error) => {
            let what = format!("the SHOW CREATE TABLE text of {name} is not understood");
            let remedy = "leave the table out, and report this with the text";
            let problem = place.problem(what).found(error.to_string());
            report.push(problem.remedy(remedy));
            None
        }
    }
}

/// Whether the text is a SHOW CREATE VIEW, which SHOW CREATE TABLE prints for a view.
fn is_view(ddl: &str) -> bool {
    let mut words = ddl
        .split_whitespace()
        .take_while(|word| !word.eq_ignore_ascii_case("AS"));
    let create = words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("CREATE"));
    let head: Vec<&str> = words.take(8).collect();
    let is = |word: &str| head.iter().any(|head| head.eq_ignore_ascii_case(word));
    create && is("VIEW") && !is("TABLE")
}

#[cfg(test)]
mod tests;
