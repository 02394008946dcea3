//! Every token that differs from table to table and from column to column, made with `quote`.
//!
//! The templates place these texts; they never see SQL text themselves. Names arrive in a
//! template as identifiers that were parsed, SQL text as literals and `#[doc = "..."]`
//! attributes, so nothing that a schema holds can open or close anything in the Rust code.

mod check;
mod docs;
mod keys;
mod labels;
mod layout;
mod lookups;
mod types;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde::Serialize;
use syn::Ident;

pub use check::{ModelError, RESERVED_MODULE_NAMES, RESERVED_TYPE_NAMES};
pub(crate) use docs::code_span;
pub(crate) use lookups::prefix_names;

use crate::model::{Column, Held, Model, Table};
use docs::Docs;
use keys::{IndexTokens, KeyTokens};
use labels::{EnumTokens, SetTokens};

/// What the templates of the crate root and of `Tables` are rendered with.
#[derive(Debug, Serialize)]
pub(crate) struct CrateTokens {
    fingerprint: String,
    docs: String,
    tables: Vec<TableEntry>,
}

/// One table as the crate root and `Tables` know it.
#[derive(Debug, Serialize)]
struct TableEntry {
    index: usize,
    module: String,
    type_name: String,
    view: String,
    exports: Vec<String>,
    sql_name_docs: String,
    field_docs: String,
    snapshot_docs: String,
    change_docs: String,
}

/// What the template of one table's module is rendered with.
#[derive(Debug, Serialize)]
pub(crate) struct TableTokens {
    type_name: String,
    view: String,
    indexes_type: String,
    module_docs: String,
    docs: String,
    derives: String,
    layout: String,
    columns: Vec<ColumnTokens>,
    key: KeyTokens,
    indexes: Vec<IndexTokens>,
    view_docs: String,
    enums: Vec<EnumTokens>,
    sets: Vec<SetTokens>,
    /// Whether every column of the table is mirrored.
    is_whole: bool,
    /// Whether a column has a character set.
    charsets: bool,
    /// Whether a foreign key may change rows.
    foreign_keys: bool,
}

/// One column of a row struct.
#[derive(Debug, Serialize)]
struct ColumnTokens {
    index: usize,
    field: String,
    ty: String,
    docs: String,
    /// Expressions of the field's value from `image`, from `values`, whether `image` has it, its
    /// value from `self` and straight from `image`, and of putting what `image` has into it.
    get: String,
    select: String,
    /// Statement that adds the value's bytes to `out`, and expression that takes them from `bytes`.
    store: String,
    restore: String,
    matches: String,
    value: String,
    image_value: String,
    merge: String,
    /// Whether its values own memory that is counted.
    is_on_heap: bool,
    /// Whether it is of the key that identifies a row.
    is_key: bool,
    /// Whether a foreign key may change it.
    is_foreign_key: bool,
    /// Whether it is of fixed width and decoded in a few instructions.
    is_number: bool,
}

/// The tokens of the crate root and of `Tables`.
///
/// # Errors
/// When the model's names cannot stand in one crate.
pub(crate) fn crate_tokens(model: &Model, fingerprint: &str) -> Result<CrateTokens, ModelError> {
    check::check_crate(model)?;
    let tables = model
        .tables
        .iter()
        .enumerate()
        .map(|(index, table)| table_entry(index, table))
        .collect::<Result<Vec<_>, _>>()?;
    let count = match model.tables.len() {
        1 => "1 table".to_owned(),
        count => format!("{count} tables"),
    };
    Ok(CrateTokens {
        fingerprint: Literal::string(fingerprint).to_string(),
        docs: Docs::inner(&format!(
            "Typed in-memory mirror of {count} of a MySQL server."
        )),
        tables,
    })
}

fn table_entry(index: usize, table: &Table) -> Result<TableEntry, ModelError> {
    let span = code_span(&full_name(table));
    let mut exports = vec![
        ident(table, &table.type_name)?.to_string(),
        view_name(table)?.to_string(),
    ];
    for column in &table.columns {
        if !column.type_name.is_empty() {
            exports.push(ident(table, &column.type_name)?.to_string());
        }
    }
    exports.sort();
    let type_name = ident(table, &table.type_name)?.to_string();
    Ok(TableEntry {
        index,
        module: ident(table, &table.module_name)?.to_string(),
        view: view_name(table)?.to_string(),
        exports,
        sql_name_docs: Docs::inner(&format!("- {span}: rows are [`{type_name}`]")),
        field_docs: Docs::new().line(format!("{span}.")).render(),
        snapshot_docs: Docs::new()
            .line(format!("The rows of {span} at this version."))
            .render(),
        change_docs: Docs::new()
            .line(format!("A row of {span}, or all of them."))
            .render(),
        type_name,
    })
}

/// The tokens of one table's module.
///
/// # Errors
/// When the table breaks a rule that the generated code relies on.
pub(crate) fn table_tokens(table: &Table) -> Result<TableTokens, ModelError> {
    check::check_table(table)?;
    let type_name = ident(table, &table.type_name)?;
    let columns = (0..table.columns.len())
        .map(|index| column_tokens(table, index))
        .collect::<Result<Vec<_>, _>>()?;
    let indexes = table
        .indexes
        .iter()
        .map(|index| keys::index_tokens(table, index))
        .collect::<Result<Vec<_>, _>>()?;
    let (enums, sets) = labels::label_types(table)?;
    Ok(TableTokens {
        type_name: type_name.to_string(),
        view: view_name(table)?.to_string(),
        indexes_type: ident(table, &format!("{}Indexes", table.type_name))?.to_string(),
        module_docs: Docs::inner(&format!(
            "{}: rows, look-ups and decoding.",
            code_span(&full_name(table))
        )),
        docs: docs::row_docs(table),
        derives: derives(table, &["Debug", "Clone", "PartialEq"])?,
        layout: layout::table_layout(table)?.to_string(),
        columns,
        key: keys::key_tokens(table)?,
        indexes,
        view_docs: Docs::new()
            .line(format!(
                "The rows of {} at one version.",
                code_span(&full_name(table))
            ))
            .render(),
        enums,
        sets,
        is_whole: table.columns.len() == table.physical_columns,
        foreign_keys: !table.foreign_keys.is_empty(),
        charsets: table.columns.iter().any(|column| column.charset.is_some()),
    })
}

fn column_tokens(table: &Table, index: usize) -> Result<ColumnTokens, ModelError> {
    let column = check::column(table, index)?;
    let field = ident(table, &column.rust_name)?;
    let decoded = types::column_type(table, column)?;
    let at = Literal::usize_unsuffixed(index);
    let layout = quote!(&LAYOUT.columns[#at]);
    let place = place(index);
    let (store, restore) = byte_form(column, &field, &decoded, &layout);
    let (get, select, matches, value, merge) = if matches!(column.held, Held::User(_)) {
        let (get, next, merge, back) = if column.nullable {
            (
                quote!(get_converted_option),
                quote!(next_converted_option),
                quote!(merge_converted_option::<#decoded, _>),
                quote!(self.#field.clone().map(<#decoded>::from)),
            )
        } else {
            (
                quote!(get_converted),
                quote!(next_converted),
                quote!(merge_converted::<#decoded, _>),
                quote!(<#decoded>::from(self.#field.clone())),
            )
        };
        (
            quote!(image.#get::<#decoded, _>(#at, #place)?),
            quote!(mirror_runtime::row::#next::<#decoded, _>(values, #layout)?),
            quote!(image.matches(#at, #place, &#back)?),
            quote!(#back.as_value(column).into_owned()),
            merge,
        )
    } else {
        (
            quote!(image.get(#at, #place)?),
            quote!(mirror_runtime::row::next_select(values, #layout)?),
            quote!(image.matches(#at, #place, &self.#field)?),
            quote!(self.#field.as_value(column)),
            quote!(merge),
        )
    };
    let merge = quote!(image.#merge(#at, &mut self.#field)?);
    let decoded = types::optional(column.nullable, decoded);
    let image_value = quote!(image.get::<#decoded>(#at)?.as_value(column).into_owned());
    Ok(ColumnTokens {
        index,
        field: field.to_string(),
        ty: types::field_type(table, column)?.to_string(),
        docs: docs::column_docs(table, index, column),
        get: get.to_string(),
        select: select.to_string(),
        store: store.to_string(),
        restore: restore.to_string(),
        matches: matches.to_string(),
        value: value.to_string(),
        image_value: image_value.to_string(),
        merge: merge.to_string(),
        is_on_heap: types::is_on_heap(column),
        is_key: table.key.contains(&index),
        is_foreign_key: table
            .foreign_keys
            .iter()
            .any(|key| key.columns.contains(&index)),
        is_number: is_number(column),
    })
}

/// How a value is written to a checkpoint, and read from it: a type of the user as the column's
/// own type, `decoded`.
fn byte_form(
    column: &Column,
    field: &Ident,
    decoded: &TokenStream,
    layout: &TokenStream,
) -> (TokenStream, TokenStream) {
    let of_user = matches!(column.held, Held::User(_));
    match (of_user, column.nullable) {
        (false, _) => (quote!(self.#field.store(out)), quote!(bytes.next(#layout)?)),
        (true, false) => (
            quote!(<#decoded>::from(self.#field.clone()).store(out)),
            quote!(bytes.next_converted::<#decoded, _>(#layout)?),
        ),
        (true, true) => (
            quote!(self.#field.clone().map(<#decoded>::from).store(out)),
            quote!(bytes.next_converted_option::<#decoded, _>(#layout)?),
        ),
    }
}

/// Whether a column's values are numbers or something like them, held as such.
fn is_number(column: &Column) -> bool {
    use crate::model::ColumnType as T;
    let number = matches!(
        column.ty,
        T::TinyInt { .. }
            | T::SmallInt { .. }
            | T::MediumInt { .. }
            | T::Int { .. }
            | T::BigInt { .. }
            | T::Float
            | T::Double
            | T::Date
            | T::DateTime { .. }
            | T::Timestamp { .. }
            | T::Time { .. }
            | T::Year
            | T::Enum { .. }
            | T::Set { .. }
            | T::Bit { .. }
    );
    number && !column.nullable && !matches!(column.held, Held::User(_))
}

/// Where a column is in images that are as the generated code was compiled for.
fn place(index: usize) -> TokenStream {
    let at = Literal::usize_unsuffixed(index);
    quote!(const { PLACES[#at] })
}

/// The derives of a type: the built-in ones, then those of schema.json that are not among them.
fn derives(table: &Table, built_in: &[&str]) -> Result<String, ModelError> {
    let mut paths: Vec<TokenStream> = Vec::new();
    for name in built_in {
        let name = ident(table, name)?;
        paths.push(quote!(#name));
    }
    for text in &table.derives {
        let path = check::derive_path(table, text)?;
        let known = path
            .segments
            .last()
            .is_some_and(|last| built_in.iter().any(|name| last.ident == name));
        if !known {
            paths.push(quote!(#path));
        }
    }
    Ok(quote!(#(#paths),*).to_string())
}

/// Whether schema.json asks for `derive(Default)`.
fn wants_default(table: &Table) -> bool {
    table
        .derives
        .iter()
        .any(|path| path.rsplit("::").next().map(str::trim) == Some("Default"))
}

/// `database.table`, as SQL text.
pub(crate) fn full_name(table: &Table) -> String {
    format!("{}.{}", table.database, table.name)
}

/// The parsed identifier, so that a name that is none cannot reach the generated code.
fn ident(table: &Table, name: &str) -> Result<Ident, ModelError> {
    syn::parse_str(name).map_err(|_| ModelError {
        table: full_name(table),
        problem: format!("{name:?} is not a Rust identifier"),
        remedy: "give the table or column a `rust_name` in schema.json",
    })
}

fn view_name(table: &Table) -> Result<Ident, ModelError> {
    ident(table, &format!("{}View", table.type_name))
}
