//! The key that identifies a row.

use super::Found;
use super::table::unknown_column;
use super::types::GEOMETRY_TYPES;
use crate::ddl::{KeyDef, KeyKind, KeyPart, charset};
use crate::error::Report;
use crate::model::{Column, ColumnType, Held, Index};
use crate::schema_file::{KeyRequest, Place};

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
    pub(super) fn choose(
        found: &Found<'_>,
        columns: &[Option<Column>],
        report: &mut Report,
    ) -> Self {
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

/// A table and its mirrored columns, for choosing keys.
pub(super) struct Chooser<'f> {
    pub(super) found: &'f Found<'f>,
    pub(super) columns: &'f [Option<Column>],
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

    fn requested_key(
        &self,
        request: &KeyRequest,
        report: &mut Report,
    ) -> Option<(String, Vec<usize>)> {
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
        for key in unique
            .clone()
            .filter(|key| self.ordinals(key) == Some(wanted.clone()))
        {
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
        let reason = reason.unwrap_or_else(|| {
            format!(
                "{} is no unique key of the table",
                request.columns.join(", ")
            )
        });
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
                return Err(Unusable::Never(format!(
                    "column {} is a {}",
                    def.name, def.sql_type
                )));
            }
            match self.field(ordinal) {
                Some(field) if self.is_ambiguous(field) => {
                    return Err(Unusable::Never(format!(
                        "column {} is text in {}, where different bytes are the same text (mirror it with \"as\": \"bytes\")",
                        def.name,
                        def.charset.as_deref().unwrap_or("its character set"),
                    )));
                }
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

    pub(super) fn place(&self) -> &Place {
        &self.found.request.place
    }

    /// Index among the mirrored columns of the column at a position of the table.
    pub(super) fn field(&self, ordinal: usize) -> Option<usize> {
        let here = |column: &Option<Column>| {
            column
                .as_ref()
                .is_some_and(|column| column.ordinal == ordinal)
        };
        self.columns.iter().position(here)
    }

    pub(super) fn name(&self, field: usize) -> Option<&str> {
        self.columns
            .get(field)?
            .as_ref()
            .map(|column| column.name.as_str())
    }

    /// Whether the values of a mirrored column have no order to look them up by.
    pub(super) fn is_unordered(&self, field: usize) -> bool {
        let column = self.columns.get(field).and_then(Option::as_ref);
        column.is_some_and(|column| {
            matches!(
                column.ty,
                ColumnType::Json | ColumnType::Geometry | ColumnType::Vector { .. }
            )
        })
    }

    /// Whether a mirrored column is text that may be the same where its bytes differ.
    pub(super) fn is_ambiguous(&self, field: usize) -> bool {
        use ColumnType as T;
        let column = self.columns.get(field).and_then(Option::as_ref);
        column.is_some_and(|column| {
            matches!(
                column.ty,
                T::Char { .. } | T::VarChar { .. } | T::Text { .. }
            ) && column.held != Held::Bytes
                && column.charset.as_deref().is_some_and(charset::is_ambiguous)
        })
    }

    /// Whether schema.json asks for the column of that name.
    pub(super) fn is_requested(&self, name: &str) -> bool {
        let wanted = name.to_lowercase();
        match &self.found.request.columns {
            None => true,
            Some(columns) => columns
                .iter()
                .any(|column| column.column.to_lowercase() == wanted),
        }
    }

    /// Sorted positions of a key's columns; nothing unless all parts are whole columns.
    pub(super) fn ordinals(&self, key: &KeyDef) -> Option<Vec<usize>> {
        let mut ordinals = Vec::new();
        for name in whole_columns(key).ok()? {
            ordinals.push(self.found.create.column(name)?.0);
        }
        ordinals.sort_unstable();
        Some(ordinals)
    }
}

pub(super) fn is_unique(key: &KeyDef) -> bool {
    matches!(key.kind, KeyKind::Primary | KeyKind::Unique)
        && !key
            .parts
            .iter()
            .any(|part| matches!(part, KeyPart::Period(_)))
}

/// Types of which the server keys only a prefix or a hash.
pub(super) fn is_long(type_name: &str) -> bool {
    type_name.ends_with("text")
        || type_name.ends_with("blob")
        || matches!(type_name, "json" | "vector")
        || GEOMETRY_TYPES.contains(&type_name)
}

/// The names of a key's columns, or why it is not a key of whole columns.
pub(super) fn whole_columns(key: &KeyDef) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    for part in &key.parts {
        match part {
            KeyPart::Column(name) => names.push(name.as_str()),
            KeyPart::Prefix(name) => return Err(format!("it covers only a prefix of {name}")),
            KeyPart::Expression => return Err("it covers an expression".to_owned()),
            KeyPart::Period(name) => {
                return Err(format!("it covers the period {name} WITHOUT OVERLAPS"));
            }
        }
    }
    Ok(names)
}

fn column_list(key: &KeyDef) -> Option<String> {
    whole_columns(key).ok().map(|names| names.join(", "))
}
