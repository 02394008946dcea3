//! One table: what must not be mirrored, its columns, then its key and indexes.

use std::collections::BTreeSet;

use super::Found;
use super::keys::Keys;
use super::naming::TableNames;
use super::types::{column_type, held};
use crate::ddl::{ColumnDef, CreateTable, Family, TypeArgs};
use crate::error::{Problem, Report};
use crate::model::{Column, ColumnType, Table};
use crate::names::{self, Taken};
use crate::near::did_you_mean;
use crate::schema_file::{ColumnRequest, Place};

/// A requested column: its request (when schema.json lists columns), position and definition.
struct Chosen<'s> {
    request: Option<&'s ColumnRequest>,
    ordinal: usize,
    def: &'s ColumnDef,
}

/// Builds one table of the model; nothing when problems were found.
pub(super) fn build(
    found: &Found<'_>,
    names: TableNames,
    family: Family,
    types: &mut Taken,
    report: &mut Report,
) -> Option<Table> {
    let before = report.problems.len();
    let has_rows = refuse_table(found, report);
    if !has_rows {
        return None;
    }
    let chosen = choose(found, report);
    let columns = columns(found, &chosen, &names, family, types, report);
    let keys = Keys::choose(found, &columns, report);
    if report.problems.len() > before {
        return None;
    }
    let (key_name, key) = keys.row_key?;
    Some(Table {
        database: found.name.database.clone(),
        name: found.create.name.clone(),
        type_name: names.type_name,
        module_name: names.module_name,
        comment: found.create.options.comment.clone(),
        columns: columns.into_iter().flatten().collect(),
        physical_columns: found.create.columns.len(),
        old_fractions: old_fractions(found, &chosen),
        key,
        key_name,
        indexes: keys.indexes,
        // Once all tables are known; see `foreign_keys`.
        foreign_keys: Vec::new(),
        ignored_foreign_keys: Vec::new(),
        derives: found.request.derives.clone(),
    })
}

/// Refuses tables whose rows the binlog does not tell; false when nothing else of the table
/// is worth a look.
fn refuse_table(found: &Found<'_>, report: &mut Report) -> bool {
    let place = &found.request.place;
    let options = &found.create.options;
    if options.system_versioned {
        report.push(
            place
                .problem(format!(
                    "table {} has SYSTEM VERSIONING: its history rows are no live rows",
                    found.name
                ))
                .remedy("leave the table out"),
        );
    }
    if options.sequence {
        let problem = place.problem(format!("{} is a sequence, not a table of rows", found.name));
        report.push(problem.remedy("leave it out"));
    }
    !(options.system_versioned || options.sequence)
}

/// The requested columns in table order.
fn choose<'s>(found: &'s Found<'_>, report: &mut Report) -> Vec<Chosen<'s>> {
    let all = found.create.columns.iter().enumerate();
    let Some(requests) = &found.request.columns else {
        let chosen = |(ordinal, def)| Chosen {
            request: None,
            ordinal,
            def,
        };
        return all.map(chosen).collect();
    };
    let mut chosen = Vec::new();
    for request in requests {
        match found.create.column(&request.column) {
            Some((ordinal, def)) => chosen.push(Chosen {
                request: Some(request),
                ordinal,
                def,
            }),
            None => report.push(unknown_column(found, &request.place, &request.column)),
        }
    }
    chosen.sort_by_key(|column| column.ordinal);
    chosen
}

/// The problem of a name that is no column of the table.
pub(super) fn unknown_column(found: &Found<'_>, place: &Place, name: &str) -> Problem {
    let columns = found
        .create
        .columns
        .iter()
        .map(|column| column.name.as_str());
    let problem = place.problem(format!("table {} has no column `{name}`", found.name));
    let remedy = did_you_mean(name, columns.clone()).unwrap_or_else(|| {
        let all: Vec<&str> = columns.collect();
        format!("its columns are: {}", all.join(", "))
    });
    problem.remedy(remedy)
}

/// The columns of the model, in table order; nothing for one that is refused.
fn columns(
    found: &Found<'_>,
    chosen: &[Chosen<'_>],
    names: &TableNames,
    family: Family,
    types: &mut Taken,
    report: &mut Report,
) -> Vec<Option<Column>> {
    let fields = field_names(found, chosen, report);
    let mut columns = Vec::new();
    for (column, rust_name) in chosen.iter().zip(fields) {
        let asked = column.request.and_then(|request| request.held.as_ref());
        let typed =
            column_type(column.def, family).and_then(|ty| held(&ty, asked).map(|held| (ty, held)));
        let (ty, held) = match typed {
            Ok(typed) => typed,
            Err(refusal) => {
                let place = column
                    .request
                    .map_or(&found.request.place, |request| &request.place);
                let leave_out = "leave the column out with `columns`";
                let remedy = match refusal.remedy.as_str() {
                    "" => leave_out.to_owned(),
                    remedy => format!("{leave_out}, or {remedy}"),
                };
                report.push(
                    place
                        .problem(format!(
                            "column {}.{}: {}",
                            found.name, column.def.name, refusal.why
                        ))
                        .found(column.def.sql_type.clone())
                        .remedy(remedy),
                );
                columns.push(None);
                continue;
            }
        };
        let labelled = matches!(ty, ColumnType::Enum { .. } | ColumnType::Set { .. });
        let type_name = if labelled {
            let field = rust_name.strip_prefix("r#").unwrap_or(&rust_name);
            types.claim(
                &format!("{}{}", names.type_name, names::upper_camel(field)),
                "",
            )
        } else {
            String::new()
        };
        columns.push(Some(Column {
            name: column.def.name.clone(),
            rust_name,
            ordinal: column.ordinal,
            nullable: column.def.nullable,
            sql_type: column.def.sql_type.clone(),
            charset: column.def.charset.clone(),
            ty,
            held,
            type_name,
            comment: column.def.comment.clone(),
            generated_from: generated_from(&found.create, column.def),
            invisible: column.def.invisible,
        }));
    }
    columns
}

/// Columns that are stepped over, and whose width only their DDL tells.
fn old_fractions(found: &Found<'_>, chosen: &[Chosen<'_>]) -> Vec<(usize, u8)> {
    let columns = found.create.columns.iter().enumerate();
    columns
        .filter(|(ordinal, column)| {
            column.old_format && !chosen.iter().any(|chosen| chosen.ordinal == *ordinal)
        })
        .filter_map(|(ordinal, column)| match column.data_type.args {
            TypeArgs::Numbers(ref numbers) => {
                let digits = numbers.first().copied().unwrap_or(0);
                u8::try_from(digits).ok().map(|digits| (ordinal, digits))
            }
            TypeArgs::None | TypeArgs::Labels(_) => None,
        })
        .collect()
}

/// Positions of the columns that a generated column depends on, also by way of others.
fn generated_from(create: &CreateTable, column: &ColumnDef) -> Option<Vec<usize>> {
    column.generated?;
    let mut sources = BTreeSet::new();
    let mut open: Vec<&ColumnDef> = vec![column];
    while let Some(column) = open.pop() {
        for name in &column.generated_names {
            if let Some((ordinal, source)) = create.column(name)
                && sources.insert(ordinal)
            {
                open.push(source);
            }
        }
    }
    Some(sources.into_iter().collect())
}

/// Field names: those that schema.json gives first, then the others in table order.
fn field_names(found: &Found<'_>, chosen: &[Chosen<'_>], report: &mut Report) -> Vec<String> {
    let mut taken = Taken::default();
    for request in chosen.iter().filter_map(|column| column.request) {
        if let Some(name) = &request.rust_name
            && !taken.take(name)
        {
            report.push(
                request
                    .place
                    .problem(format!(
                        "table {}: the field name `{name}` stands twice",
                        found.name
                    ))
                    .remedy("give one of the columns another `rust_name`"),
            );
        }
    }
    let name =
        |column: &Chosen<'_>| match column.request.and_then(|request| request.rust_name.clone()) {
            Some(name) => name,
            None => taken.claim(&names::field(&column.def.name), "_"),
        };
    chosen.iter().map(name).collect()
}
