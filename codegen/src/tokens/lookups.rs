//! Look-ups of more than one row: by bounds of keys, and by the first columns of a key.

use quote::{format_ident, quote};
use serde::Serialize;

use super::docs::{self, Docs};
use super::keys::{Part, nest, params, taken_apart, tuple_of};
use crate::model::Table;

/// The tokens of the bounds of a range of keys.
#[derive(Debug, Serialize)]
pub(crate) struct BoundsTokens {
    /// What the bounds are of: keys, or borrowed ones, with the lifetime `'a`.
    ty: String,
    /// The key that a borrowed one, called `key`, stands for; nothing where keys are the same
    /// borrowed.
    owned: Option<String>,
}

/// The tokens of one look-up by the first columns of a key.
#[derive(Debug, Serialize)]
pub(crate) struct PrefixTokens {
    method: String,
    params: String,
    /// Binds what is looked for.
    bind: String,
    /// How the `key` of a row compares with it.
    compare: String,
    docs: String,
}

/// Names of the methods that look up by the first columns of a key of so many columns.
pub(crate) fn prefix_names(name: &str, columns: usize) -> Vec<String> {
    let name = |length| match length {
        1 => name.to_owned(),
        _ => format!("{name}_{length}"),
    };
    (1..columns).map(name).collect()
}

/// Bounds of keys of these parts.
pub(super) fn bounds(parts: &[Part<'_>]) -> BoundsTokens {
    if !parts.iter().any(Part::is_borrowed) {
        return BoundsTokens {
            ty: tuple_of(parts, Part::key_type).to_string(),
            owned: None,
        };
    }
    let (take_apart, names) = taken_apart(parts);
    let owned = parts.iter().zip(&names);
    let owned = nest(owned.map(|(part, name)| part.owned_of_ref(name)).collect());
    BoundsTokens {
        ty: tuple_of(parts, Part::ref_type).to_string(),
        owned: Some(quote!(#take_apart #owned).to_string()),
    }
}

/// The look-ups by the first column of a key, the first two, and so on, but for all.
pub(super) fn prefixes(
    table: &Table,
    name: &str,
    parts: &[Part<'_>],
    key: &str,
) -> Vec<PrefixTokens> {
    let names = prefix_names(name, parts.len());
    let lengths = 1..parts.len();
    let each = names.into_iter().zip(lengths);
    each.map(|(method, length)| prefix(table, method, parts, length, key))
        .collect()
}

fn prefix(
    table: &Table,
    method: String,
    parts: &[Part<'_>],
    length: usize,
    key: &str,
) -> PrefixTokens {
    let sought = parts.get(..length).unwrap_or(parts);
    let wanted: Vec<_> = (0..length).map(|at| format_ident!("wanted{at}")).collect();
    let owned = tuple_of(sought, |part| part.owned(false));
    let names = nest(wanted.iter().map(|name| quote!(#name)).collect());
    let found = (0..parts.len()).map(|at| match at < length {
        true => {
            let name = format_ident!("part{at}");
            quote!(#name)
        }
        false => quote!(_),
    });
    let pattern = nest(found.collect());
    let mut compares = wanted.iter().enumerate().map(|(at, wanted)| {
        let name = format_ident!("part{at}");
        quote!(Ord::cmp(#name, &#wanted))
    });
    let first = compares.next();
    let columns: Vec<usize> = sought.iter().map(|part| part.index).collect();
    let columns = docs::column_list(table, &columns);
    PrefixTokens {
        method,
        params: params(sought, false),
        bind: quote!(let #names = #owned;).to_string(),
        compare: quote!(let #pattern = key; #first #(.then_with(|| #compares))*).to_string(),
        docs: Docs::new()
            .line(format!(
                "The rows with these values of {columns}, the first of {key}, in its order."
            ))
            .render(),
    }
}
