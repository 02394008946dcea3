//! The compiled-in layout of a table as a constant expression.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{ModelError, ident};
use crate::ddl::{Action, charset};
use crate::model::{Column, ColumnType, ForeignKey, Table};

/// `TableLayout { ... }` for the table.
pub(super) fn table_layout(table: &Table) -> Result<TokenStream, ModelError> {
    let Table {
        database,
        name,
        physical_columns,
        ..
    } = table;
    let columns = table
        .columns
        .iter()
        .map(|column| column_layout(table, column))
        .collect::<Result<Vec<_>, _>>()?;
    let key = table
        .key
        .iter()
        .map(|&index| Literal::usize_unsuffixed(index));
    let physical_columns = Literal::usize_unsuffixed(*physical_columns);
    let old_fractions = table.old_fractions.iter().map(|(ordinal, digits)| {
        let ordinal = Literal::usize_unsuffixed(*ordinal);
        let digits = Literal::u8_unsuffixed(*digits);
        quote!((#ordinal, #digits))
    });
    let foreign_keys = table.foreign_keys.iter().map(foreign_key);
    let ignored_foreign_keys = &table.ignored_foreign_keys;
    Ok(quote! {
        TableLayout {
            database: #database,
            table: #name,
            columns: &[#(#columns),*],
            key: &[#(#key),*],
            physical_columns: #physical_columns,
            old_fractions: &[#(#old_fractions),*],
            foreign_keys: &[#(#foreign_keys),*],
            ignored_foreign_keys: &[#(#ignored_foreign_keys),*],
        }
    })
}

fn foreign_key(key: &ForeignKey) -> TokenStream {
    let ForeignKey { name, by_value, .. } = key;
    let (database, table) = &key.parent;
    let numbers = |indexes: &[usize]| {
        let indexes = indexes.iter().map(|&at| Literal::usize_unsuffixed(at));
        quote!(&[#(#indexes),*])
    };
    let fields = numbers(&key.columns);
    let parent_fields = numbers(&key.parent_columns);
    let action = |action: Action| {
        let variant = format_ident!(
            "{}",
            match action {
                Action::Cascade => "Cascade",
                Action::SetNull => "SetNull",
                Action::Restrict | Action::SetDefault => "Restrict",
            }
        );
        quote!(mirror_runtime::layout::ForeignKeyAction::#variant)
    };
    let on_delete = action(key.on_delete);
    let on_update = action(key.on_update);
    quote! {
        mirror_runtime::layout::ForeignKeyLayout {
            name: #name,
            parent: (#database, #table),
            fields: #fields,
            parent_fields: #parent_fields,
            on_delete: #on_delete,
            on_update: #on_update,
            by_value: #by_value,
        }
    }
}

fn column_layout(table: &Table, column: &Column) -> Result<TokenStream, ModelError> {
    let Column {
        name,
        nullable,
        sql_type,
        ..
    } = column;
    let ordinal = Literal::usize_unsuffixed(column.ordinal);
    let charset = match column.charset.as_deref().and_then(charset::variant) {
        Some(variant) => {
            let variant = format_ident!("{}", variant);
            quote!(Some(Charset::#variant))
        }
        None => quote!(None),
    };
    let generated_from = match &column.generated_from {
        Some(sources) => {
            let sources = sources.iter().map(|at| Literal::usize_unsuffixed(*at));
            quote!(Some(&[#(#sources),*]))
        }
        None => quote!(None),
    };
    let kind = kind(table, column)?;
    Ok(quote! {
        ColumnLayout {
            name: #name,
            ordinal: #ordinal,
            nullable: #nullable,
            sql_type: #sql_type,
            charset: #charset,
            generated_from: #generated_from,
            kind: ColumnType::#kind,
        }
    })
}

fn kind(table: &Table, column: &Column) -> Result<TokenStream, ModelError> {
    Ok(match &column.ty {
        ColumnType::TinyInt { unsigned } => quote!(TinyInt { unsigned: #unsigned }),
        ColumnType::SmallInt { unsigned } => quote!(SmallInt { unsigned: #unsigned }),
        ColumnType::MediumInt { unsigned } => quote!(MediumInt { unsigned: #unsigned }),
        ColumnType::Int { unsigned } => quote!(Int { unsigned: #unsigned }),
        ColumnType::BigInt { unsigned } => quote!(BigInt { unsigned: #unsigned }),
        ColumnType::Float => quote!(Float),
        ColumnType::Double => quote!(Double),
        ColumnType::Decimal { precision, scale } => {
            let precision = Literal::u8_unsuffixed(*precision);
            let scale = Literal::u8_unsuffixed(*scale);
            quote!(Decimal { precision: #precision, scale: #scale })
        }
        ColumnType::Date => quote!(Date),
        ColumnType::DateTime { fsp } => sized("DateTime", "fsp", *fsp),
        ColumnType::Timestamp { fsp } => sized("Timestamp", "fsp", *fsp),
        ColumnType::Time { fsp } => sized("Time", "fsp", *fsp),
        ColumnType::Year => quote!(Year),
        ColumnType::Char { max_bytes } => sized("Char", "max_bytes", *max_bytes),
        ColumnType::VarChar { max_bytes } => sized("VarChar", "max_bytes", *max_bytes),
        ColumnType::Text { length_bytes } => sized("Text", "length_bytes", *length_bytes),
        ColumnType::Binary { bytes } => sized("Binary", "bytes", *bytes),
        ColumnType::VarBinary { max_bytes } => sized("VarBinary", "max_bytes", *max_bytes),
        ColumnType::Blob { length_bytes } => sized("Blob", "length_bytes", *length_bytes),
        ColumnType::Enum { .. } => {
            let name = ident(table, &column.type_name)?;
            quote!(Enum { labels: #name::all_labels() })
        }
        ColumnType::Set { .. } => {
            let name = ident(table, &column.type_name)?;
            quote!(Set { labels: #name::all_labels() })
        }
        ColumnType::Bit { bits } => sized("Bit", "bits", *bits),
        ColumnType::Json => quote!(Json),
        ColumnType::Geometry => quote!(Geometry),
        ColumnType::Vector { dimension } => sized("Vector", "dimension", *dimension),
        ColumnType::Uuid => quote!(Uuid),
        ColumnType::Inet4 => quote!(Inet4),
        ColumnType::Inet6 => quote!(Inet6),
    })
}

/// `Variant { field: size }`.
fn sized(variant: &str, field: &str, size: impl Into<u32>) -> TokenStream {
    let variant = format_ident!("{}", variant);
    let field = format_ident!("{}", field);
    let size = Literal::u32_unsuffixed(size.into());
    quote!(#variant { #field: #size })
}
