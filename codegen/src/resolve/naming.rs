//! Names that all tables share: row structs, their companions, modules.

use std::collections::BTreeMap;

use super::Found;
use crate::error::Report;
use crate::names::{self, Taken};
use crate::tokens::{RESERVED_MODULE_NAMES, RESERVED_TYPE_NAMES};

/// Names that a method of a snapshot, a module beside others or a file cannot have, beside
/// those that the templates reserve.
const MORE_MODULE_NAMES: &[&str] = &[
    "alloc", "bin", "build", "change", "clone", "default", "from", "get", "inner", "into",
    "is_empty", "iter", "len", "mod", "new", "range", "serde", "test", "tests",
];

/// The row struct and the module of one table.
#[derive(Debug, Clone, Default)]
pub(super) struct TableNames {
    pub(super) type_name: String,
    pub(super) module_name: String,
}

/// The names of all tables, and the type names taken so far.
pub(super) struct Names {
    pub(super) tables: Vec<TableNames>,
    pub(super) types: Taken,
}

/// Names every table's struct and module: `rust_name` where schema.json gives one, else the
/// table's name, with its database where two databases have a table of that name.
pub(super) fn type_and_module_names(found: &[Found<'_>], report: &mut Report) -> Names {
    let mut types = Taken::with(RESERVED_TYPE_NAMES.iter().copied());
    let reserved = RESERVED_MODULE_NAMES.iter().chain(MORE_MODULE_NAMES);
    let mut modules = Taken::with(reserved.copied());
    take_given_names(found, &mut types, report);
    let mut same_name: BTreeMap<String, usize> = BTreeMap::new();
    for table in found {
        *same_name
            .entry(table.name.table.to_lowercase())
            .or_default() += 1;
    }
    let mut tables = Vec::new();
    for table in found {
        let shared = same_name
            .get(&table.name.table.to_lowercase())
            .is_some_and(|&count| count > 1);
        let source = match &table.request.rust_name {
            Some(name) => name.clone(),
            None if shared => format!("{}_{}", table.name.database, table.name.table),
            None => table.name.table.clone(),
        };
        let type_name = match &table.request.rust_name {
            Some(name) => name.clone(),
            None => claim_type(&mut types, &names::upper_camel(&source)),
        };
        let module = names::module(&source);
        let module_name = if modules.holds(&module) {
            modules.claim(&format!("{module}_table"), "_")
        } else {
            modules.claim(&module, "_")
        };
        tables.push(TableNames {
            type_name,
            module_name,
        });
    }
    Names { tables, types }
}

/// The struct and what is named after it.
fn companions(name: &str) -> Vec<String> {
    vec![
        name.to_owned(),
        format!("{name}View"),
        format!("{name}Indexes"),
    ]
}

fn claim_type(types: &mut Taken, wanted: &str) -> String {
    if companions(wanted).iter().any(|name| types.holds(name)) {
        types.claim_all(&format!("{wanted}Row"), "", companions)
    } else {
        types.claim_all(wanted, "", companions)
    }
}

fn take_given_names(found: &[Found<'_>], types: &mut Taken, report: &mut Report) {
    for table in found {
        let Some(name) = &table.request.rust_name else {
            continue;
        };
        for name in companions(name) {
            if !types.take(&name) {
                report.push(
                    table
                        .request
                        .place
                        .problem(format!("the type name {name} is taken already"))
                        .remedy(format!("give {} another `rust_name`", table.name)),
                );
                break;
            }
        }
    }
}
