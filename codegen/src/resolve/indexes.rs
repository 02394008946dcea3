//! Secondary indexes: the keys that mirrored columns can serve, or those that schema.json names.

use super::keys::{Chooser, is_long, is_unique, whole_columns};
use super::table::unknown_column;
use crate::ddl::{KeyDef, KeyKind};
use crate::error::Report;
use crate::model::Index;
use crate::names::{self, Taken};
use crate::near::did_you_mean;
use crate::schema_file::{IndexChoice, Place};
use crate::tokens::prefix_names;

impl Chooser<'_> {
    /// The indexes; what cannot be had goes to the report.
    pub(super) fn indexes(&self, row_key: Option<&str>, report: &mut Report) -> Vec<Index> {
        let mut methods = Taken::default();
        let mut indexes = Vec::new();
        let mut push = |name: String, source: &str, columns: Vec<usize>, unique: bool| {
            let with_others = |name: &str| {
                let others = prefix_names(&format!("{name}_prefix"), columns.len());
                [vec![name.to_owned(), format!("{name}_range")], others].concat()
            };
            let method = methods.claim_all(&names::method(source), "_", with_others);
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
                    if let Some((key, columns)) =
                        self.requested_index(&request.place, name, row_key, report)
                    {
                        push(key.name.clone(), &key.name, columns, is_unique(key));
                    }
                }
                IndexChoice::Columns(names) => {
                    if let Some((columns, unique)) =
                        self.column_index(&request.place, names, report)
                    {
                        let spelled: Vec<&str> = columns
                            .iter()
                            .filter_map(|&field| self.name(field))
                            .collect();
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
                        .problem(format!(
                            "table {}: key `{}` cannot serve as an index",
                            self.found.name, key.name
                        ))
                        .expected("a key of whole mirrored columns")
                        .found(why)
                        .remedy("leave it out, or mirror its columns"),
                );
                None
            }
        }
    }

    /// An index that schema.json gives by its columns: fields, and whether they are unique.
    fn column_index(
        &self,
        place: &Place,
        names: &[String],
        report: &mut Report,
    ) -> Option<(Vec<usize>, bool)> {
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
                Some(field) if self.is_unordered(field) => {
                    let problem = place.problem(format!(
                        "column {}.{} has no order",
                        self.found.name, def.name
                    ));
                    report.push(
                        problem
                            .found(def.sql_type.clone())
                            .remedy("leave this index out"),
                    );
                }
                Some(field) => fields.push(field),
                None if self.is_requested(name) => {}
                None => {
                    let problem = place.problem(format!(
                        "column {}.{} is not mirrored",
                        self.found.name, def.name
                    ));
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
        if matches!(
            key.kind,
            KeyKind::FullText | KeyKind::Spatial | KeyKind::Vector
        ) {
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
                Some(field) if self.is_ambiguous(field) => {
                    return Err(format!(
                        "column {} is text of which different bytes may be the same",
                        def.name
                    ));
                }
                Some(field) => fields.push(field),
                None => return Err(format!("column {} is not mirrored", def.name)),
            }
        }
        Ok(fields)
    }
}
