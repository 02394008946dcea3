//! The key that identifies a row, and the secondary indexes.

use super::Found;
use super::table::unknown_column;
use crate::ddl::{KeyDef, KeyKind, KeyPart};
use crate::error::Report;
use crate::model::{Column, ColumnType, Index};
use crate::names::{self, Taken};
use crate::near::did_you_mean;
use crate::schema_file::{IndexChoice, KeyRequest, Place};

/// Row key and indexes of one table, as far as they could be chosen.
pub(super) struct Keys {
    /// SQL name, and indexes into the mirrored columns.
    pub(super) row_key: Option<(String, Vec<usize>)>,
    pub(super) indexes: Vec<Index>,
}

impl Keys {
    /// Chooses them; what cannot be had goes to the report.
    ///
    /// `columns` are the mirrored columns; a missing one was refused for its type already.
    pub(super) fn choose(found: &Found<'_>, columns: &[Option<Column>], report: &mut Report) -> Self {
        let chooser = Chooser { found, columns };
        let row_key = match &found.request.key {
            Some(key) => chooser.requested_key(key, report),
            None => chooser.default_key(report),
        };
        let key_name = row_key.as_ref().map(|(name, _)| name.as_str());
        let indexes = chooser.indexes(key_name, report);
        Self { row_key, indexes }
    }
}

struct Chooser<'f> {
    found: &'f Found<'f>,
    columns: &'f [Option<Column>],
}

/// Why a key does not identify rows.
enum Unusable {
    /// By its definition.
    Never(String),
    /// These of its columns are not mirrored.
    NotMirrored(Vec<String>),
    /// One of its columns was refused already.
    Reported,
}

impl Chooser<'_> {
    fn default_key(&self, report: &mut Report) -> Option<(String, Vec<usize>)> {
        let unique = self.found.create.keys.iter().filter(|key| is_unique(key));
        let mut reasons = Vec::new();
        for key in unique {
            match self.usable(key) {
                Ok(columns) => return Some((key.name.clone(), columns)),
                Err(Unusable::Reported) => return None,
                Err(Unusable::Never(why)) => reasons.push(format!("key `{}`: {why}", key.name)),
                Err(Unusable::NotMirrored(names)) => {
                    let names = names.join(", ");
                    // The primary key is what row images always carry.
                    if key.kind == KeyKind::Primary {
                        report.push(
                            self.place()
                                .problem(format!("table {}: its primary key is not mirrored as a whole", self.found.name))
                                .found(format!("not among `columns`: {names}"))
                                .remedy(format!("add {names} to `columns`, or name the columns of a unique key with `key`")),
                        );
                        return None;
                    }
                    reasons.push(format!("key `{}`: {names} not among `columns`", key.name));
                }
            }
        }
        if reasons.is_empty() {
            reasons.push("no unique key at all".to_owned());
        }
        report.push(
            self.place()
                .problem(format!("table {} has no usable key to tell its rows apart", self.found.name))
                .expected("a PRIMARY KEY, or a UNIQUE key on whole NOT NULL columns, all of them mirrored")
                .found(reasons.join("; "))
                .remedy("add such a key to the table, or mirror the columns of one and name them with `key`"),
        );
        None
    }

    fn requested_key(&self, request: &KeyRequest, report: &mut Report) -> Option<(String, Vec<usize>)> {
        let create = &self.found.create;
        let mut wanted = Vec::new();
        let mut known = true;
        for name in &request.columns {
            match create.column(name) {
                Some((ordinal, _)) => wanted.push(ordinal),
                None => {
                    known = false;
                    report.push(unknown_column(self.found, &request.place, name));
                }
            }
        }
        if !known {
            return None;
        }
        wanted.sort_unstable();
        let unique = create.keys.iter().filter(|key| is_unique(key));
        let mut reason = None;
        for key in unique.clone().filter(|key| self.ordinals(key) == Some(wanted.clone())) {
            match self.usable(key) {
                Ok(columns) => return Some((key.name.clone(), columns)),
                Err(Unusable::Reported) => return None,
                Err(Unusable::Never(why)) => reason = Some(why),
                Err(Unusable::NotMirrored(names)) => {
                    reason = Some(format!("not among `columns`: {}", names.join(", ")));
                }
            }
        }
        let choices: Vec<String> = unique.filter_map(column_list).collect();
        let reason = reason.unwrap_or_else(|| format!("{} is no unique key of the table", request.columns.join(", ")));
        let mut problem = request
            .place
            .problem(format!("table {}: these columns do not tell its rows apart", self.found.name))
            .expected("the columns of its PRIMARY KEY, or of a UNIQUE key on whole NOT NULL columns, all of them mirrored")
            .found(reason);
        if !choices.is_empty() {
            problem = problem.remedy(format!("unique keys of the table: {}", choices.join("; ")));
        }
        report.push(problem);
        None
    }

    /// The mirrored columns of a key that identifies rows.
    fn usable(&self, key: &KeyDef) -> Result<Vec<usize>, Unusable> {
        let names = whole_columns(key).map_err(Unusable::Never)?;
        let mut fields = Vec::new();
        let mut absent = Vec::new();
        let mut reported = false;
        for name in names {
            let Some((ordinal, def)) = self.found.create.column(name) else {
                return Err(Unusable::Never(format!("unknown column {name}")));
            };
            if def.nullable {
                return Err(Unusable::Never(format!("column {} may be NULL", def.name)));
            }
            if is_long(&def.data_type.name) {
                return Err(Unusable::Never(format!("column {} is a {}", def.name, def.sql_type)));
            }
            match self.field(ordinal) {
                Some(field) => fields.push(field),
                None if self.is_requested(name) => reported = true,
                None => absent.push(def.name.clone()),
            }
        }
        if !absent.is_empty() {
            Err(Unusable::NotMirrored(absent))
        } else if reported {
            Err(Unusable::Reported)
        } else {
            Ok(fields)
        }
    }

    fn indexes(&self, row_key: Option<&str>, report: &mut Report) -> Vec<Index> {
        let mut methods = Taken::default();
        let mut indexes = Vec::new();
        let mut push = |name: String, source: &str, columns: Vec<usize>, unique: bool| {
            let with_range = |name: &str| vec![name.to_owned(), format!("{name}_range")];
            let method = methods.claim_all(&names::method(source), "_", with_range);
            indexes.push(Index {
                name,
                method,
                columns,
                unique,
            });
        };
        let Some(requests) = &self.found.request.indexes else {
            for key in &self.found.create.keys {
                if Some(key.name.as_str()) != row_key
                    && let Ok(columns) = self.serving(key)
                {
                    push(key.name.clone(), &key.name, columns, is_unique(key));
                }
            }
            return indexes;
        };
        for request in requests {
            match &request.index {
                IndexChoice::Key(name) => {
                    if let Some((key, columns)) = self.requested_index(&request.place, name, row_key, report) {
                        push(key.name.clone(), &key.name, columns, is_unique(key));
                    }
                }
                IndexChoice::Columns(names) => {
                    if let Some((columns, unique)) = self.column_index(&request.place, names, report) {
                        let spelled: Vec<&str> = columns.iter().filter_map(|&field| self.name(field)).collect();
                        push(spelled.join(", "), &spelled.join("_and_"), columns, unique);
                    }
                }
            }
        }
        indexes
    }

    fn requested_index(
        &self,
        place: &Place,
        name: &str,
        row_key: Option<&str>,
        report: &mut Report,
    ) -> Option<(&KeyDef, Vec<usize>)> {
        let Some(key) = self.found.create.key(name) else {
            let keys = self.found.create.keys.iter().map(|key| key.name.as_str());
            let remedy = did_you_mean(name, keys.clone()).unwrap_or_else(|| {
                let all: Vec<&str> = keys.collect();
                format!("its keys are: {}", all.join(", "))
            });
            let problem = place.problem(format!("table {} has no key `{name}`", self.found.name));
            report.push(problem.remedy(remedy));
            return None;
        };
        if Some(key.name.as_str()) == row_key {
            let problem = place.problem(format!("key `{}` identifies the rows already", key.name));
            report.push(problem.remedy("leave it out: `get` and `range` serve it"));
            return None;
        }
        match self.serving(key) {
            Ok(columns) => Some((key, columns)),
            Err(why) => {
                report.push(
                    place
                        .problem(format!("table {}: key `{}` cannot serve as an index", self.found.name, key.name))
                        .expected("a key of whole mirrored columns")
                        .found(why)
                        .remedy("leave it out, or mirror its columns"),
                );
                None
            }
        }
    }

    /// An index that schema.json gives by its columns: fields, and whether they are unique.
    fn column_index(&self, place: &Place, names: &[String], report: &mut Report) -> Option<(Vec<usize>, bool)> {
        let mut fields = Vec::new();
        let mut ordinals = Vec::new();
        let before = report.problems.len();
        for name in names {
            let Some((ordinal, def)) = self.found.create.column(name) else {
                report.push(unknown_column(self.found, place, name));
                continue;
            };
            ordinals.push(ordinal);
            match self.field(ordinal) {
                Some(field) if self.is_json(field) => {
                    let problem = place.problem(format!("column {}.{} has no order", self.found.name, def.name));
                    report.push(problem.found(def.sql_type.clone()).remedy("leave this index out"));
                }
                Some(field) => fields.push(field),
                None if self.is_requested(name) => {}
                None => {
                    let problem = place.problem(format!("column {}.{} is not mirrored", self.found.name, def.name));
                    report.push(problem.remedy("add it to `columns`, or leave this index out"));
                }
            }
        }
        if report.problems.len() > before || fields.len() != names.len() {
            return None;
        }
        ordinals.sort_unstable();
        let mut keys = self.found.create.keys.iter().filter(|key| is_unique(key));
        let unique = keys.any(|key| self.ordinals(key) == Some(ordinals.clone()));
        Some((fields, unique))
    }

    /// The mirrored columns of a key that an index can be made from.
    fn serving(&self, key: &KeyDef) -> Result<Vec<usize>, String> {
        if matches!(key.kind, KeyKind::FullText | KeyKind::Spatial | KeyKind::Vector) {
            return Err("it is a FULLTEXT, SPATIAL or VECTOR key".to_owned());
        }
        let mut fields = Vec::new();
        for name in whole_columns(key)? {
            let Some((ordinal, def)) = self.found.create.column(name) else {
                return Err(format!("unknown column {name}"));
            };
            if is_long(&def.data_type.name) {
                return Err(format!("column {} is a {}", def.name, def.sql_type));
            }
            match self.field(ordinal) {
                Some(field) => fields.push(field),
                None => return Err(format!("column {} is not mirrored", def.name)),
            }
        }
        Ok(fields)
    }

    fn place(&self) -> &Place {
        &self.found.request.place
    }

    /// Index among the mirrored columns of the column at a position of the table.
    fn field(&self, ordinal: usize) -> Option<usize> {
        let here = |column: &Option<Column>| column.as_ref().is_some_and(|column| column.ordinal == ordinal);
        self.columns.iter().position(here)
    }

    fn name(&self, field: usize) -> Option<&str> {
        self.columns.get(field)?.as_ref().map(|column| column.name.as_str())
    }

    fn is_json(&self, field: usize) -> bool {
        let column = self.columns.get(field).and_then(Option::as_ref);
        column.is_some_and(|column| column.ty == ColumnType::Json)
    }

    /// Whether schema.json asks for the column of that name.
    fn is_requested(&self, name: &str) -> bool {
        let wanted = name.to_lowercase();
        match &self.found.request.columns {
            None => true,
            Some(columns) => columns.iter().any(|column| column.column.to_lowercase() == wanted),
        }
    }

    /// Sorted positions of a key's columns; nothing unless all parts are whole columns.
    fn ordinals(&self, key: &KeyDef) -> Option<Vec<usize>> {
        let mut ordinals = Vec::new();
        for name in whole_columns(key).ok()? {
            ordinals.push(self.found.create.column(name)?.0);
        }
        ordinals.sort_unstable();
        Some(ordinals)
    }
}

fn is_unique(key: &KeyDef) -> bool {
    matches!(key.kind, KeyKind::Primary | KeyKind::Unique)
        && !key.parts.iter().any(|part| matches!(part, KeyPart::Period(_)))
}

/// Types of which the server keys only a prefix or a hash.
fn is_long(type_name: &str) -> bool {
    type_name.ends_with("text") || type_name.ends_with("blob") || type_name == "json"
}

/// The names of a key's columns, or why it is not a key of whole columns.
fn whole_columns(key: &KeyDef) -> Result<Vec<&str>, String> {
    let name = |part| match part {
        &KeyPart::Column(ref name) => Ok(name.as_str()),
        KeyPart::Prefix(name) => Err(format!("it covers only a prefix of {name}")),
        KeyPart::Expression => Err("it covers an expression".to_owned()),
        KeyPart::Period(name) => Err(format!("it covers the period {name} WITHOUT OVERLAPS")),
    };
    key.parts.iter().map(name).collect()
}

fn column_list(key: &KeyDef) -> Option<String> {
    whole_columns(key).ok().map(|names| names.join(", "))
}
