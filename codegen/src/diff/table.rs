//! Changes of one table: columns that come, go and move, keys, foreign keys, comment.

use super::columns::{column_changes, is_mirrored};
use super::{Breaks, Change};
use crate::ddl::{CreateTable, Family, KeyDef, KeyKind, KeyPart};
use crate::schema_file::{TableName, TableRequest};

/// Collects the changes of one table.
pub(super) struct Changes<'c> {
    table: &'c TableName,
    found: Vec<Change>,
}

impl Changes<'_> {
    pub(super) fn push(&mut self, column: Option<&str>, what: impl Into<String>, breaks: Breaks) {
        self.found.push(Change {
            table: self.table.clone(),
            column: column.map(str::to_owned),
            what: what.into(),
            breaks,
        });
    }
}

/// All changes from `old` to `new`.
pub(super) fn changes(
    request: &TableRequest,
    name: &TableName,
    old: &CreateTable,
    new: &CreateTable,
    family: Family,
) -> Vec<Change> {
    let mut changes = Changes {
        table: name,
        found: Vec::new(),
    };
    gone_and_moved(request, old, new, &mut changes);
    for before in &old.columns {
        if let Some((_, after)) = new.column(&before.name) {
            let mirrored = is_mirrored(request, &before.name);
            column_changes(before, after, mirrored, family, &mut changes);
        }
    }
    added(request, old, new, &mut changes);
    keys(request, old, new, &mut changes);
    foreign_keys(old, new, &mut changes);
    options(old, new, &mut changes);
    changes.found
}

fn gone_and_moved(
    request: &TableRequest,
    old: &CreateTable,
    new: &CreateTable,
    changes: &mut Changes<'_>,
) {
    let kept: Vec<&str> = old
        .columns
        .iter()
        .filter(|column| new.column(&column.name).is_some())
        .map(|column| column.name.as_str())
        .collect();
    let now = new
        .columns
        .iter()
        .filter(|column| old.column(&column.name).is_some());
    for ((before, after), place) in kept.iter().zip(now).zip(1..) {
        if before.to_lowercase() != after.name.to_lowercase() {
            let what = format!(
                "columns moved: `{}` now stands where `{before}` stood (place {place} of those kept)",
                after.name
            );
            changes.push(None, what, Breaks::NOTHING);
            break;
        }
    }
    for column in &old.columns {
        if new.column(&column.name).is_none() {
            let (note, breaks) = if is_mirrored(request, &column.name) {
                ("", Breaks::BOTH)
            } else {
                (" (not mirrored)", Breaks::NOTHING)
            };
            changes.push(
                Some(&column.name),
                format!("column removed, was {}{note}", column.sql_type),
                breaks,
            );
        }
    }
}

fn added(request: &TableRequest, old: &CreateTable, new: &CreateTable, changes: &mut Changes<'_>) {
    for column in &new.columns {
        if old.column(&column.name).is_some() {
            continue;
        }
        // A new field changes struct literals and exhaustive patterns.
        let (note, breaks) = if is_mirrored(request, &column.name) {
            ("", Breaks::API)
        } else {
            (" (not mirrored)", Breaks::NOTHING)
        };
        changes.push(
            Some(&column.name),
            format!("column added, {}{note}", column.sql_type),
            breaks,
        );
    }
}

fn keys(request: &TableRequest, old: &CreateTable, new: &CreateTable, changes: &mut Changes<'_>) {
    for before in &old.keys {
        match new.key(&before.name) {
            Some(after) if after == before => {}
            Some(after) => {
                let what = format!(
                    "key `{}` {} -> {}",
                    before.name,
                    described(before),
                    described(after)
                );
                changes.push(None, what, key_breaks(request, before));
            }
            None => {
                let what = format!("key `{}` removed, was {}", before.name, described(before));
                changes.push(None, what, key_breaks(request, before));
            }
        }
    }
    for after in &new.keys {
        if old.key(&after.name).is_none() {
            let breaks = match after.kind {
                // Rows are told apart by another key from now on.
                KeyKind::Primary => Breaks::BOTH,
                _ => Breaks::NOTHING,
            };
            changes.push(
                None,
                format!("key `{}` added, {}", after.name, described(after)),
                breaks,
            );
        }
    }
}

/// What the loss or change of a key breaks: the primary key tells rows apart, another may.
fn key_breaks(request: &TableRequest, key: &KeyDef) -> Breaks {
    let served = key.parts.iter().all(|part| match part {
        KeyPart::Column(name) => is_mirrored(request, name),
        KeyPart::Prefix(_) | KeyPart::Expression | KeyPart::Period(_) => false,
    });
    match key.kind {
        KeyKind::Primary => Breaks::BOTH,
        KeyKind::Unique | KeyKind::Plain if served => Breaks::API,
        _ => Breaks::NOTHING,
    }
}

fn described(key: &KeyDef) -> String {
    let kind = match key.kind {
        KeyKind::Primary | KeyKind::Plain => "",
        KeyKind::Unique => "UNIQUE ",
        KeyKind::FullText => "FULLTEXT ",
        KeyKind::Spatial => "SPATIAL ",
        KeyKind::Vector => "VECTOR ",
    };
    let part = |part: &KeyPart| match part {
        KeyPart::Column(name) => name.clone(),
        KeyPart::Prefix(name) => format!("prefix of {name}"),
        KeyPart::Expression => "an expression".to_owned(),
        KeyPart::Period(name) => format!("{name} WITHOUT OVERLAPS"),
    };
    let parts: Vec<String> = key.parts.iter().map(part).collect();
    format!("{kind}({})", parts.join(", "))
}

fn foreign_keys(old: &CreateTable, new: &CreateTable, changes: &mut Changes<'_>) {
    let describe = |key: &crate::ddl::ForeignKey| {
        format!(
            "({}) -> {} ({}) ON DELETE {} ON UPDATE {}",
            key.columns.join(", "),
            key.parent(),
            key.parent_columns.join(", "),
            key.on_delete.keywords(),
            key.on_update.keywords()
        )
    };
    for before in &old.foreign_keys {
        match new.foreign_keys.iter().find(|key| key.name == before.name) {
            Some(after) if after == before => {}
            Some(after) => {
                let what = format!(
                    "foreign key `{}` {}, was {}",
                    before.name,
                    describe(after),
                    describe(before)
                );
                changes.push(None, what, Breaks::NOTHING);
            }
            None => changes.push(
                None,
                format!("foreign key `{}` removed", before.name),
                Breaks::NOTHING,
            ),
        }
    }
    for after in &new.foreign_keys {
        if !old.foreign_keys.iter().any(|key| key.name == after.name) {
            let what = format!("foreign key `{}` added, {}", after.name, describe(after));
            changes.push(None, what, Breaks::NOTHING);
        }
    }
}

fn options(old: &CreateTable, new: &CreateTable, changes: &mut Changes<'_>) {
    let (before, after) = (&old.options, &new.options);
    if before.comment != after.comment {
        changes.push(None, "comment of the table changed", Breaks::NOTHING);
    }
    if before.engine != after.engine {
        let name = |engine: &Option<String>| engine.clone().unwrap_or_else(|| "none".to_owned());
        let what = format!("engine {} -> {}", name(&before.engine), name(&after.engine));
        changes.push(None, what, Breaks::NOTHING);
    }
    if before.system_versioned != after.system_versioned {
        let what = if after.system_versioned {
            "SYSTEM VERSIONING added"
        } else {
            "SYSTEM VERSIONING removed"
        };
        changes.push(None, what, Breaks::BOTH);
    }
}
