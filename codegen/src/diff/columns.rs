//! Changes of one column that is there before and after.

use super::Breaks;
use super::table::Changes;
use crate::ddl::{ColumnDef, Family, TypeArgs};
use crate::model::ColumnType;
use crate::resolve::column_type;
use crate::schema_file::TableRequest;

/// Whether schema.json asks for the column.
pub(super) fn is_mirrored(request: &TableRequest, column: &str) -> bool {
    let wanted = column.to_lowercase();
    match &request.columns {
        None => true,
        Some(columns) => columns
            .iter()
            .any(|column| column.column.to_lowercase() == wanted),
    }
}

/// Adds what is different in `new`.
pub(super) fn column_changes(
    old: &ColumnDef,
    new: &ColumnDef,
    mirrored: bool,
    family: Family,
    changes: &mut Changes<'_>,
) {
    let name = Some(new.name.as_str());
    let mut push = |what: String, breaks: Breaks| {
        if mirrored {
            changes.push(name, what, breaks);
        } else {
            changes.push(name, format!("{what} (not mirrored)"), Breaks::NOTHING);
        }
    };
    if old.name != new.name {
        push(
            format!("name `{}` -> `{}`", old.name, new.name),
            Breaks::DECODING,
        );
    }
    if old.sql_type != new.sql_type {
        type_change(old, new, family, &mut push);
    }
    if let (Some(before), Some(after)) = (&old.charset, &new.charset)
        && before != after
    {
        // Labels are recorded as text whatever the character set.
        let labels = matches!(new.data_type.args, TypeArgs::Labels(_));
        let breaks = if labels {
            Breaks::NOTHING
        } else {
            Breaks::DECODING
        };
        push(format!("character set {before} -> {after}"), breaks);
    }
    if old.collation != new.collation {
        push("collation changed".to_owned(), Breaks::NOTHING);
    }
    if old.nullable != new.nullable {
        if new.nullable {
            push("NOT NULL -> NULL".to_owned(), Breaks::BOTH);
        } else {
            push("NULL -> NOT NULL".to_owned(), Breaks::API);
        }
    }
    if old.compressed != new.compressed {
        push("COMPRESSED changed".to_owned(), Breaks::DECODING);
    }
    if old.generated.is_some() != new.generated.is_some() {
        push("generated changed".to_owned(), Breaks::NOTHING);
    }
    if old.default != new.default {
        push("default changed".to_owned(), Breaks::NOTHING);
    }
    if old.invisible != new.invisible {
        let what = if new.invisible {
            "VISIBLE -> INVISIBLE"
        } else {
            "INVISIBLE -> VISIBLE"
        };
        push(what.to_owned(), Breaks::NOTHING);
    }
    if old.comment != new.comment {
        push("comment changed".to_owned(), Breaks::NOTHING);
    }
}

fn type_change(
    old: &ColumnDef,
    new: &ColumnDef,
    family: Family,
    push: &mut impl FnMut(String, Breaks),
) {
    let what = format!("type {} -> {}", old.sql_type, new.sql_type);
    let (Ok(before), Ok(after)) = (column_type(old, family), column_type(new, family)) else {
        push(what, Breaks::BOTH);
        return;
    };
    if let (Some(before), Some(after)) = (labels(old, new), labels(new, old)) {
        label_changes(what, before, after, push);
        return;
    }
    let breaks = Breaks {
        decoding: before != after,
        api: rust_type(&before) != rust_type(&after),
    };
    push(what, breaks);
}

/// The column's labels, when both columns are ENUMs or both SETs.
fn labels<'c>(column: &'c ColumnDef, other: &ColumnDef) -> Option<&'c [String]> {
    match &column.data_type.args {
        TypeArgs::Labels(labels) if column.data_type.name == other.data_type.name => Some(labels),
        _ => None,
    }
}

fn label_changes(
    what: String,
    before: &[String],
    after: &[String],
    push: &mut impl FnMut(String, Breaks),
) {
    let missing = |from: &[String], of: &[String]| -> Vec<String> {
        let absent = of.iter().filter(|label| !from.contains(label));
        absent
            .map(|label| format!("'{}'", label.escape_debug()))
            .collect()
    };
    let removed = missing(after, before);
    let added = missing(before, after);
    let mut notes = Vec::new();
    if !added.is_empty() {
        notes.push(format!("labels added: {}", added.join(", ")));
    }
    if !removed.is_empty() {
        notes.push(format!("labels removed: {}", removed.join(", ")));
    }
    let kept = |of: &[String], from: &[String]| -> Vec<String> {
        of.iter()
            .filter(|label| from.contains(label))
            .cloned()
            .collect()
    };
    let appended = after.starts_with(before);
    if kept(before, after) != kept(after, before) {
        notes.push("labels in another order".to_owned());
    } else if !appended && removed.is_empty() {
        notes.push("labels in between".to_owned());
    }
    // The compiled layout holds all labels, so any change of them stops a running mirror.
    let breaks = Breaks {
        decoding: true,
        api: !(added.is_empty() && removed.is_empty()),
    };
    push(format!("{what}; {}", notes.join("; ")), breaks);
}

/// What users of the generated code see of a type.
fn rust_type(ty: &ColumnType) -> &'static str {
    match ty {
        ColumnType::TinyInt { unsigned: false } => "i8",
        ColumnType::TinyInt { unsigned: true } => "u8",
        ColumnType::SmallInt { unsigned: false } => "i16",
        ColumnType::SmallInt { unsigned: true } => "u16",
        ColumnType::MediumInt { unsigned: false } | ColumnType::Int { unsigned: false } => "i32",
        ColumnType::MediumInt { unsigned: true } | ColumnType::Int { unsigned: true } => "u32",
        ColumnType::BigInt { unsigned: false } => "i64",
        ColumnType::BigInt { unsigned: true } | ColumnType::Bit { .. } => "u64",
        ColumnType::Float => "f32",
        ColumnType::Double => "f64",
        ColumnType::Decimal {
            precision: ..=28, ..
        } => "Decimal",
        ColumnType::Decimal { .. } => "BigDecimal",
        ColumnType::Date => "Date",
        ColumnType::DateTime { .. } => "DateTime",
        ColumnType::Timestamp { .. } => "Timestamp",
        ColumnType::Time { .. } => "Time",
        ColumnType::Year => "u16 (YEAR)",
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Text { .. } => "text",
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            "bytes"
        }
        ColumnType::Enum { .. } => "enum",
        ColumnType::Set { .. } => "set",
        ColumnType::Json => "Json",
        ColumnType::Geometry => "Geometry",
        ColumnType::Vector { .. } => "Vector",
        ColumnType::Uuid => "Uuid",
        ColumnType::Inet4 => "Ipv4Addr",
        ColumnType::Inet6 => "Ipv6Addr",
    }
}
