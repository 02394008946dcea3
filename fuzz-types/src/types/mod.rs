//! The list of column types: how each is written, its edge values and random values, and which
//! servers have it.
//!
//! A new type is one [`Entry`] in the list of its file.

mod bytes;
mod charsets;
mod json;
mod labels;
mod numbers;
mod special;
mod temporal;
mod text;

use std::fmt;

use crate::product::Product;
use crate::random::Random;

/// Draws a value as an SQL expression.
pub type Draw = Box<dyn Fn(&mut Random) -> String + Send + Sync>;
/// Writes an expression of the new value from the quoted name of the column.
pub type Change = fn(&mut Random, &str) -> String;

/// One kind of type in the list.
pub struct Entry {
    /// Name in reports.
    pub name: &'static str,
    /// How often it is taken, relative to the others.
    pub weight: u64,
    /// Whether a server has it.
    pub on: fn(Product) -> bool,
    /// A column type of that kind, with random lengths and attributes.
    pub make: fn(&mut Random, Product) -> ColumnType,
}

/// How a column of a type can be in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Not at all.
    Never,
    /// A prefix of it only.
    Prefix,
    /// As a whole, taking at most so many bytes.
    Whole(usize),
}

/// The type of one column.
pub struct ColumnType {
    /// Name of its [`Entry`].
    pub entry: &'static str,
    /// As written in CREATE TABLE, with character set and collation.
    pub sql: String,
    /// Values at the edges, as SQL expressions.
    pub edges: Vec<String>,
    /// Any other value.
    pub any: Draw,
    /// Use in keys.
    pub key: KeyUse,
    /// Literals that DEFAULT takes.
    pub defaults: Vec<String>,
    /// A new value made of the old one.
    pub change: Option<Change>,
    /// Type and expression of a generated column over this one, `{}` for the quoted name.
    pub derived: Vec<(&'static str, &'static str)>,
}

impl ColumnType {
    /// A type without edges, for no key, without a default.
    fn new(
        sql: impl Into<String>,
        any: impl Fn(&mut Random) -> String + Send + Sync + 'static,
    ) -> Self {
        Self {
            entry: "",
            sql: sql.into(),
            edges: Vec::new(),
            any: Box::new(any),
            key: KeyUse::Never,
            defaults: Vec::new(),
            change: None,
            derived: vec![("tinyint", "{} IS NULL")],
        }
    }

    /// An integer that counts rows, or a stand-in for a type whose values are not given.
    #[must_use]
    pub fn counter(sql: &str) -> Self {
        Self::new(sql, |random| match random.below(3) {
            0 => "NULL".to_owned(),
            _ => random.below(120).to_string(),
        })
        .key(8)
    }

    fn edges(mut self, edges: impl IntoIterator<Item = impl ToString>) -> Self {
        self.edges
            .extend(edges.into_iter().map(|edge| edge.to_string()));
        self
    }

    fn key(mut self, bytes: usize) -> Self {
        self.key = KeyUse::Whole(bytes);
        self
    }

    fn prefix_key(mut self) -> Self {
        self.key = KeyUse::Prefix;
        self
    }

    fn default(mut self, literals: impl IntoIterator<Item = impl ToString>) -> Self {
        self.defaults
            .extend(literals.into_iter().map(|literal| literal.to_string()));
        self
    }

    fn change(mut self, change: Change) -> Self {
        self.change = Some(change);
        self
    }

    fn derive(mut self, sql: &'static str, expression: &'static str) -> Self {
        self.derived.push((sql, expression));
        self
    }

    /// A value: an edge or any other.
    #[must_use]
    pub fn value(&self, random: &mut Random) -> String {
        if self.edges.is_empty() || random.one_in(2) {
            (self.any)(random)
        } else {
            random.pick(&self.edges)
        }
    }
}

impl fmt::Debug for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.entry, self.sql)
    }
}

/// All entries that a server has.
#[must_use]
pub fn entries(product: Product) -> Vec<Entry> {
    let all = [
        numbers::entries(),
        temporal::entries(),
        text::entries(),
        bytes::entries(),
        labels::entries(),
        json::entries(),
        special::entries(),
    ];
    let all = all.into_iter().flatten();
    all.filter(|entry| (entry.on)(product)).collect()
}

/// Takes a type from the list.
#[must_use]
pub fn draw(entries: &[Entry], random: &mut Random, product: Product) -> Option<ColumnType> {
    let mut at = random.below(entries.iter().map(|entry| entry.weight).sum());
    let entry = entries.iter().find(|entry| {
        let here = at < entry.weight;
        at = at.saturating_sub(entry.weight);
        here
    })?;
    let mut ty = (entry.make)(random, product);
    ty.entry = entry.name;
    Some(ty)
}

fn everywhere(_: Product) -> bool {
    true
}

fn quoted<'a>(items: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    items.into_iter().map(|item| format!("'{item}'")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_gives_types_and_values_on_its_servers() {
        for version in ["5.6.51", "9.7.4", "10.11.6-MariaDB", "11.8.2-MariaDB"] {
            let product = Product::parse(version).unwrap();
            for entry in entries(product) {
                for seed in 0..50 {
                    let mut random = Random::new(seed);
                    let ty = (entry.make)(&mut random, product);
                    assert!(!ty.sql.is_empty(), "{}", entry.name);
                    for _ in 0..10 {
                        let value = ty.value(&mut random);
                        assert!(!value.is_empty() && !value.contains('\n'), "{}", entry.name);
                    }
                }
            }
        }
    }

    #[test]
    fn types_that_a_server_has_not_are_not_drawn() {
        let names = |version| -> Vec<&'static str> {
            let entries = entries(Product::parse(version).unwrap());
            entries.iter().map(|entry| entry.name).collect()
        };
        assert!(names("9.7.4").contains(&"json"));
        assert!(!names("5.6.51").contains(&"json"));
        assert!(!names("9.7.4").contains(&"uuid"));
        assert!(names("10.11.6-MariaDB").contains(&"uuid"));
        assert!(!names("10.11.6-MariaDB").contains(&"vector"));
    }
}
