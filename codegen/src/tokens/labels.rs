//! ENUM and SET columns as types of their own.

use std::collections::BTreeSet;

use proc_macro2::Literal;
use quote::quote;
use serde::Serialize;

use super::docs::{Docs, code_span};
use super::{ModelError, derives, full_name, ident, wants_default};
use crate::model::{Column, ColumnType, Member, Table};

/// The tokens of an ENUM type.
#[derive(Debug, Serialize)]
pub(crate) struct EnumTokens {
    name: String,
    docs: String,
    derives: String,
    /// The smallest integer that has every index.
    repr: &'static str,
    default: bool,
    invalid: String,
    all: String,
    members: Vec<MemberTokens>,
    labels: String,
}

/// The tokens of a SET type.
#[derive(Debug, Serialize)]
pub(crate) struct SetTokens {
    name: String,
    docs: String,
    derives: String,
    /// The smallest integer that has every bit, and what makes a `u64` of it and it of one.
    repr: &'static str,
    widen: &'static str,
    narrow: &'static str,
    /// Bits that have a label.
    mask: String,
    full: bool,
    members: Vec<MemberTokens>,
    labels: String,
}

/// One label.
#[derive(Debug, Serialize)]
struct MemberTokens {
    name: String,
    docs: String,
    /// ENUM: index from 1; SET: bit from 0.
    number: usize,
}

/// The types of all ENUM and of all SET columns of the table.
pub(super) fn label_types(table: &Table) -> Result<(Vec<EnumTokens>, Vec<SetTokens>), ModelError> {
    let (mut enums, mut sets) = (Vec::new(), Vec::new());
    for column in &table.columns {
        match &column.ty {
            ColumnType::Enum { members } => enums.push(enum_tokens(table, column, members)?),
            ColumnType::Set { members } => sets.push(set_tokens(table, column, members)?),
            _ => {}
        }
    }
    Ok((enums, sets))
}

fn enum_tokens(
    table: &Table,
    column: &Column,
    members: &[Member],
) -> Result<EnumTokens, ModelError> {
    const DERIVES: [&str; 8] = [
        "Debug",
        "Clone",
        "Copy",
        "PartialEq",
        "Eq",
        "PartialOrd",
        "Ord",
        "Hash",
    ];
    let taken: BTreeSet<&str> = members.iter().map(|m| m.rust_name.as_str()).collect();
    Ok(EnumTokens {
        name: ident(table, &column.type_name)?.to_string(),
        docs: type_docs(table, column, "ENUM"),
        derives: derives(table, &DERIVES)?,
        repr: if members.len() < 256 { "u8" } else { "u16" },
        default: wants_default(table),
        invalid: free_name("Invalid", &taken),
        all: free_name("ALL", &taken),
        members: member_tokens(table, members, 1)?,
        labels: labels(members),
    })
}

fn set_tokens(table: &Table, column: &Column, members: &[Member]) -> Result<SetTokens, ModelError> {
    const DERIVES: [&str; 9] = [
        "Debug",
        "Clone",
        "Copy",
        "PartialEq",
        "Eq",
        "PartialOrd",
        "Ord",
        "Hash",
        "Default",
    ];
    let bits = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let (repr, widen, narrow) = match bits {
        0..=8 => ("u8", " as u64", " as u8"),
        9..=16 => ("u16", " as u64", " as u16"),
        17..=32 => ("u32", " as u64", " as u32"),
        _ => ("u64", "", ""),
    };
    let mask = match 1_u64.checked_shl(bits) {
        Some(bit) => bit - 1,
        None => u64::MAX,
    };
    Ok(SetTokens {
        name: ident(table, &column.type_name)?.to_string(),
        docs: type_docs(table, column, "SET"),
        derives: derives(table, &DERIVES)?,
        repr,
        widen,
        narrow,
        mask: format!("{mask:#x}"),
        full: mask == u64::MAX,
        members: member_tokens(table, members, 0)?,
        labels: labels(members),
    })
}

fn type_docs(table: &Table, column: &Column, word: &str) -> String {
    let order = match word {
        "ENUM" => "Values compare by their index, as the server sorts them.",
        _ => "Values compare by their bits, as the server sorts them.",
    };
    Docs::new()
        .line(format!(
            "The {word} column {} of {}.",
            code_span(&column.name),
            code_span(&full_name(table))
        ))
        .paragraph(order)
        .render()
}

fn member_tokens(
    table: &Table,
    members: &[Member],
    first: usize,
) -> Result<Vec<MemberTokens>, ModelError> {
    members
        .iter()
        .zip(first..)
        .map(|(member, number)| {
            Ok(MemberTokens {
                name: ident(table, &member.rust_name)?.to_string(),
                docs: Docs::new().line(label_line(&member.label)).render(),
                number,
            })
        })
        .collect()
}

fn label_line(label: &str) -> String {
    if label.is_empty() {
        "The empty label.".to_owned()
    } else {
        format!("Label {}.", code_span(label))
    }
}

fn labels(members: &[Member]) -> String {
    let labels = members.iter().map(|member| Literal::string(&member.label));
    quote!(#(#labels),*).to_string()
}

/// The wanted name, or that name with the first number that makes it free.
fn free_name(wanted: &str, taken: &BTreeSet<&str>) -> String {
    let numbered = (0..=taken.len()).map(|n| format!("{wanted}{n}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name.as_str()))
        .unwrap_or_else(|| wanted.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_index_zero_gives_way_to_labels() {
        let taken = BTreeSet::from(["Invalid", "Invalid0", "Other"]);
        assert_eq!(free_name("Invalid", &taken), "Invalid1");
        assert_eq!(free_name("Invalid", &BTreeSet::new()), "Invalid");
    }
}
