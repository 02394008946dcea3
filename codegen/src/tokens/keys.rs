//! Keys: the types they are held in, how they are made of a row, and how they are looked up.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde::Serialize;

use super::docs::{self, Docs, code_span};
use super::lookups::{BoundsTokens, PrefixTokens, bounds, prefixes};
use super::types::{Shape, column_type, is_on_heap, optional, shape, total_type, value_type};
use super::{ModelError, check, ident, place};
use crate::model::{Column, Held, Index, Table};

/// Most parts of a tuple that is ordered and printable; the rest of a longer key nests.
const TUPLE_PARTS: usize = 12;

/// The tokens of the key that identifies a row.
#[derive(Debug, Serialize)]
pub(crate) struct KeyTokens {
    ty: String,
    of_self: String,
    /// Bytes on the heap of the key of `self`, when it may have any.
    heap: Option<String>,
    /// The key borrowed: its type, as it is made of `self` and of `key`.
    ref_ty: String,
    ref_of_self: String,
    ref_of_key: String,
    decode: String,
    /// The same of columns that are called `column_` and their index, and the last of them.
    decode_straight: String,
    last: usize,
    params: String,
    lookup: String,
    bounds: BoundsTokens,
    prefixes: Vec<PrefixTokens>,
    get_docs: String,
}

/// The tokens of one secondary index.
#[derive(Debug, Serialize)]
pub(crate) struct IndexTokens {
    method: String,
    range_method: String,
    ty: String,
    of_row: String,
    /// Bytes on the heap of the values of `row`, when they may have any.
    heap: Option<String>,
    /// Whether `row` has the values of `key`, and whether `one` and `other` have the same.
    is_of: String,
    is_same: String,
    unique: bool,
    params: String,
    lookup: String,
    bounds: BoundsTokens,
    prefixes: Vec<PrefixTokens>,
    field_docs: String,
    docs: String,
    range_docs: String,
}

/// The key that identifies a row of the table.
pub(super) fn key_tokens(table: &Table) -> Result<KeyTokens, ModelError> {
    let parts = Part::all(table, &table.key)?;
    Ok(KeyTokens {
        ty: tuple_of(&parts, Part::key_type).to_string(),
        of_self: tuple_of(&parts, |part| part.of_row(&quote!(self))).to_string(),
        heap: heap(&parts, &quote!(self)),
        ref_ty: tuple_of(&parts, Part::ref_type).to_string(),
        ref_of_self: tuple_of(&parts, Part::ref_of_self).to_string(),
        ref_of_key: ref_of_key(&parts),
        decode: decode(&parts, Part::decode),
        decode_straight: decode(&parts, Part::decode_straight),
        last: table.key.iter().copied().max().unwrap_or(0),
        params: params(&parts, false),
        lookup: tuple_of(&parts, Part::ref_of_param).to_string(),
        bounds: bounds(&parts),
        prefixes: prefixes(table, "prefix", &parts, &docs::key_phrase(table)),
        get_docs: Docs::new()
            .line(format!(
                "The row with this value of {}, if there is one.",
                docs::key_phrase(table)
            ))
            .render(),
    })
}

/// One secondary index of the table.
pub(super) fn index_tokens(table: &Table, index: &Index) -> Result<IndexTokens, ModelError> {
    let parts = Part::all(table, &index.columns)?;
    let method = ident(table, &index.method)?;
    let range_method = format_ident!("{}_range", method);
    let columns = docs::column_list(table, &index.columns);
    let kind = if index.unique {
        "unique index"
    } else {
        "index"
    };
    let name = format!("{kind} {} ({columns})", code_span(&index.name));
    Ok(IndexTokens {
        ty: tuple_of(&parts, Part::key_type).to_string(),
        of_row: tuple_of(&parts, |part| part.of_row(&quote!(row))).to_string(),
        heap: heap(&parts, &quote!(row)),
        is_of: is_of(&parts),
        is_same: is_same(&parts),
        unique: index.unique,
        params: params(&parts, index.unique),
        lookup: lookup(&parts, index.unique),
        bounds: bounds(&parts),
        prefixes: prefixes(
            table,
            &format!("{method}_prefix"),
            &parts,
            &format!("the {name}"),
        ),
        field_docs: Docs::new().line(format!("The {name}.")).render(),
        docs: index_docs(&parts, index, &name),
        range_docs: Docs::new()
            .line(format!(
                "The rows whose key is within the bounds, in the order of the {name}, then of \
                 the row's key."
            ))
            .render(),
        method: method.to_string(),
        range_method: range_method.to_string(),
    })
}

fn index_docs(parts: &[Part<'_>], index: &Index, name: &str) -> String {
    let nullable = parts.iter().any(|part| part.column.nullable);
    if !index.unique {
        return Docs::new()
            .line(format!(
                "The rows with this value of the {name}, in the order of their keys."
            ))
            .render();
    }
    let docs = Docs::new().line(format!(
        "The row with this value of the {name}, if there is one."
    ));
    if nullable {
        docs.paragraph("Rows that hold NULL in one of these columns are not found this way.")
            .render()
    } else {
        docs.render()
    }
}

/// One column of a key.
pub(super) struct Part<'a> {
    field: syn::Ident,
    /// Field index.
    pub(super) index: usize,
    column: &'a Column,
    ty: TokenStream,
    /// The type that values are decoded to, before they become one of the user's.
    decoded: TokenStream,
    shape: Shape,
}

impl<'a> Part<'a> {
    fn all(table: &'a Table, columns: &[usize]) -> Result<Vec<Self>, ModelError> {
        columns
            .iter()
            .map(|&index| {
                let column = check::column(table, index)?;
                Ok(Self {
                    field: ident(table, &column.rust_name)?,
                    index,
                    column,
                    ty: value_type(table, column)?,
                    decoded: column_type(table, column)?,
                    shape: shape(column),
                })
            })
            .collect()
    }

    /// The type in the key.
    pub(super) fn key_type(&self) -> TokenStream {
        let ty = match self.shape {
            Shape::Float => total_type(&self.column.ty),
            _ => self.ty.clone(),
        };
        optional(self.column.nullable, ty)
    }

    /// The key part of the row that is called `row`.
    fn of_row(&self, row: &TokenStream) -> TokenStream {
        let field = &self.field;
        match self.shape {
            Shape::Copy => quote!(#row.#field),
            Shape::Float => {
                let total = total_type(&self.column.ty);
                if self.column.nullable {
                    quote!(#row.#field.map(#total::from))
                } else {
                    quote!(#total::from(#row.#field))
                }
            }
            _ => quote!(#row.#field.clone()),
        }
    }

    /// Whether it stands in a borrowed key otherwise than in a key.
    pub(super) fn is_borrowed(&self) -> bool {
        !matches!(self.shape, Shape::Copy | Shape::Float)
    }

    /// The part of a key from the part of a borrowed one, which is called `part` and is borrowed.
    pub(super) fn owned_of_ref(&self, part: &TokenStream) -> TokenStream {
        match (self.shape, self.column.nullable) {
            (Shape::Copy | Shape::Float, _) => quote!(*#part),
            (Shape::Text, false) => quote!(mirror_runtime::Text::from(*#part)),
            (Shape::Text, true) => quote!(#part.map(mirror_runtime::Text::from)),
            (Shape::Bytes, false) => quote!(Box::<[u8]>::from(*#part)),
            (Shape::Bytes, true) => quote!(#part.map(Box::<[u8]>::from)),
            (_, false) => quote!((*#part).clone()),
            (_, true) => quote!(#part.cloned()),
        }
    }

    /// The type in the borrowed key.
    pub(super) fn ref_type(&self) -> TokenStream {
        let ty = &self.ty;
        let ty = match self.shape {
            Shape::Text => quote!(&'a str),
            Shape::Bytes => quote!(&'a [u8]),
            Shape::Clone | Shape::Unordered => quote!(&'a #ty),
            Shape::Float => total_type(&self.column.ty),
            Shape::Copy => ty.clone(),
        };
        optional(self.column.nullable, ty)
    }

    /// The part of the borrowed key of `self`.
    fn ref_of_self(&self) -> TokenStream {
        let field = &self.field;
        match (self.shape, self.column.nullable) {
            (Shape::Copy | Shape::Float, _) => self.of_row(&quote!(self)),
            (Shape::Text | Shape::Bytes, false) => quote!(&*self.#field),
            (Shape::Text | Shape::Bytes, true) => quote!(self.#field.as_deref()),
            (_, false) => quote!(&self.#field),
            (_, true) => quote!(self.#field.as_ref()),
        }
    }

    /// The part of a borrowed key from the part of a key, which is called `part` and is borrowed.
    fn ref_of_part(&self, part: &TokenStream) -> TokenStream {
        match (self.shape, self.column.nullable) {
            (Shape::Copy | Shape::Float, _) => quote!(*#part),
            (Shape::Text | Shape::Bytes, false) => quote!(&**#part),
            (Shape::Text | Shape::Bytes, true) => quote!(#part.as_deref()),
            (_, false) => quote!(#part),
            (_, true) => quote!(#part.as_ref()),
        }
    }

    /// The parameter of a look-up as a part of a borrowed key.
    fn ref_of_param(&self) -> TokenStream {
        match self.shape {
            Shape::Float => self.owned(false),
            _ => {
                let field = &self.field;
                quote!(#field)
            }
        }
    }

    /// Whether the row that is called `row` has the value of a part of a key.
    fn is_of(&self, part: &TokenStream) -> TokenStream {
        let field = &self.field;
        match self.shape {
            Shape::Float => {
                let value = self.of_row(&quote!(row));
                quote!(#value == *#part)
            }
            _ => quote!(row.#field == *#part),
        }
    }

    /// Whether the rows that are called `one` and `other` have the same value.
    fn is_same(&self) -> TokenStream {
        let field = &self.field;
        match self.shape {
            Shape::Float => {
                let (one, other) = (self.of_row(&quote!(one)), self.of_row(&quote!(other)));
                quote!(#one == #other)
            }
            _ => quote!(one.#field == other.#field),
        }
    }

    /// The key part from a row image, as a `Result`.
    fn decode(&self) -> TokenStream {
        let index = proc_macro2::Literal::usize_unsuffixed(self.index);
        let place = place(self.index);
        match self.shape {
            Shape::Float => {
                let (ty, total) = (&self.ty, total_type(&self.column.ty));
                quote!(image.get::<#ty>(#index, #place).map(#total::from))
            }
            _ if matches!(self.column.held, Held::User(_)) => {
                let decoded = &self.decoded;
                quote!(image.get_converted::<#decoded, _>(#index, #place))
            }
            _ => quote!(image.get(#index, #place)),
        }
    }

    /// As [`decode`](Self::decode), of a column that is called `column_` and its index.
    fn decode_straight(&self) -> TokenStream {
        let column = format_ident!("column_{}", self.index);
        let decode = self.decode();
        quote!({ let image = #column; #decode })
    }

    /// Whether the look-up takes an `Option`; that of a unique index takes a value that is
    /// not NULL, since a NULL equals nothing there.
    fn takes_option(&self, unique: bool) -> bool {
        self.column.nullable && !unique
    }

    /// The parameter of a look-up.
    pub(super) fn param(&self, unique: bool) -> TokenStream {
        let (field, ty) = (&self.field, &self.ty);
        let ty = match self.shape {
            Shape::Text => quote!(&str),
            Shape::Bytes => quote!(&[u8]),
            Shape::Clone => quote!(&#ty),
            _ => quote!(#ty),
        };
        let ty = optional(self.takes_option(unique), ty);
        quote!(#field: #ty)
    }

    /// The parameter of a look-up as a part of a key.
    pub(super) fn owned(&self, unique: bool) -> TokenStream {
        let field = &self.field;
        let convert = match self.shape {
            Shape::Text => Some(quote!(mirror_runtime::Text::from)),
            Shape::Bytes => Some(quote!(Box::<[u8]>::from)),
            Shape::Float => {
                let total = total_type(&self.column.ty);
                Some(quote!(#total::from))
            }
            _ => None,
        };
        if self.takes_option(unique) {
            return match (convert, self.shape) {
                (Some(convert), _) => quote!(#field.map(#convert)),
                (None, Shape::Clone) => quote!(#field.cloned()),
                (None, _) => quote!(#field),
            };
        }
        let value = match (convert, self.shape) {
            (Some(convert), _) => quote!(#convert(#field)),
            (None, Shape::Clone) => quote!(#field.clone()),
            (None, _) => quote!(#field),
        };
        if self.column.nullable {
            quote!(Some(#value))
        } else {
            value
        }
    }
}

/// The `Result` of decoding the key alone from a row image.
fn decode<'a>(parts: &[Part<'a>], of: impl Fn(&Part<'a>) -> TokenStream) -> String {
    if let [part] = parts {
        return of(part).to_string();
    }
    let key = tuple_of(parts, |part| {
        let part = of(part);
        quote!(#part?)
    });
    quote!(Ok(#key)).to_string()
}

/// The key that is called `key` taken apart, and the names of its parts.
pub(super) fn taken_apart(parts: &[Part<'_>]) -> (TokenStream, Vec<TokenStream>) {
    let names = (0..parts.len()).map(|at| format_ident!("part{at}"));
    let names: Vec<TokenStream> = names.map(|name| quote!(#name)).collect();
    let pattern = nest(names.clone());
    (quote!(let #pattern = key;), names)
}

/// The borrowed key of `key`.
fn ref_of_key(parts: &[Part<'_>]) -> String {
    let (take_apart, names) = taken_apart(parts);
    let of_parts = parts.iter().zip(&names);
    let key = nest(
        of_parts
            .map(|(part, name)| part.ref_of_part(name))
            .collect(),
    );
    quote!(#take_apart #key).to_string()
}

/// Whether `row` has the values of `key`.
fn is_of(parts: &[Part<'_>]) -> String {
    let (take_apart, names) = taken_apart(parts);
    let each = parts.iter().zip(&names);
    let each = each.map(|(part, name)| part.is_of(name));
    quote!(#take_apart #(#each)&&*).to_string()
}

/// The bytes that the parts have on the heap in a row; `None` when they never have.
fn heap(parts: &[Part<'_>], row: &TokenStream) -> Option<String> {
    let parts = parts.iter().filter(|part| is_on_heap(part.column));
    let each: Vec<_> = parts
        .map(|Part { field, .. }| quote!(#row.#field.heap_bytes()))
        .collect();
    (!each.is_empty()).then(|| quote!(#(#each)+*).to_string())
}

/// Whether `one` and `other` have the same values.
fn is_same(parts: &[Part<'_>]) -> String {
    let each = parts.iter().map(Part::is_same);
    quote!(#(#each)&&*).to_string()
}

pub(super) fn params(parts: &[Part<'_>], unique: bool) -> String {
    let params = parts.iter().map(|part| part.param(unique));
    quote!(#(#params),*).to_string()
}

/// The argument of `first` or `all`: a reference to the key.
fn lookup(parts: &[Part<'_>], unique: bool) -> String {
    if let [part] = parts {
        let borrowed = matches!(part.shape, Shape::Text | Shape::Bytes | Shape::Clone);
        if borrowed && !part.column.nullable {
            let field = &part.field;
            return quote!(#field).to_string();
        }
    }
    let key = tuple_of(parts, |part| part.owned(unique));
    quote!(&#key).to_string()
}

/// One part alone, several as a tuple, the rest of more than [`TUPLE_PARTS`] as a tuple within.
pub(super) fn tuple_of<'a>(
    parts: &[Part<'a>],
    of: impl Fn(&Part<'a>) -> TokenStream,
) -> TokenStream {
    nest(parts.iter().map(of).collect())
}

pub(super) fn nest(mut parts: Vec<TokenStream>) -> TokenStream {
    if let [part] = parts.as_slice() {
        return part.clone();
    }
    if parts.len() > TUPLE_PARTS {
        let rest = nest(parts.split_off(TUPLE_PARTS - 1));
        parts.push(rest);
    }
    quote!((#(#parts),*))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_more_than_twelve_parts_nest() {
        let parts = |n: usize| (0..n).map(|_| quote!(u8)).collect::<Vec<_>>();
        let depth = |tokens: TokenStream| tokens.to_string().matches('(').count();
        assert_eq!(depth(nest(parts(1))), 0);
        assert_eq!(depth(nest(parts(12))), 1);
        assert_eq!(depth(nest(parts(13))), 2);
        assert_eq!(depth(nest(parts(32))), 3);
    }
}
