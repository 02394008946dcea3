//! What is known not to be done yet: what the generator may refuse, and what statements leave
//! out. An entry goes when the mirror can do it; everything else is a finding.

use crate::product::Product;

/// What statements may do.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    /// Inserts that leave columns out, and inserts under MINIMAL row images.
    pub defaults: bool,
    /// Compressed transactions and events.
    pub compression: bool,
    /// JSON differences.
    pub partial_json: bool,
    /// New binlog files in the middle.
    pub rotation: bool,
}

/// What the mirror can follow now.
pub const FEATURES: Features = Features {
    defaults: true,
    compression: true,
    partial_json: true,
    rotation: true,
};

/// Reasons for which the generator may refuse a column: a part of the sentence, and the types
/// (starts of the SQL type) that it may be said of.
const REFUSED_COLUMNS: &[(&str, &[&str])] = &[];

/// Reasons for which a table may have no key: parts of what was found.
const REFUSED_KEYS: &[&str] = &["where different bytes are the same text"];

/// Reasons for which tables may be loaded again, and whether on MariaDB only.
const RELOADS: &[(&str, bool)] = &[
    (
        "a row image without a generated column whose value it decides",
        false,
    ),
    // Rows that a trigger or a procedure changes while sessions log partial images.
    ("an update without all columns that may be a REPLACE", true),
    // Of an empty MySQL table, a TIMESTAMP or text outside of utf8mb3.
    (
        "the row image of an insert without a column whose default is not known",
        false,
    ),
    // A mirror that begins while sessions log partial images.
    (
        "a replayed update that changes the key of a row and lacks columns",
        false,
    ),
];

/// Whether the generator may refuse a column with this sentence and SQL type.
#[must_use]
pub fn is_expected_refusal(sentence: &str, sql_type: &str) -> bool {
    let says = |(part, types): &(&str, &[&str])| {
        sentence.contains(part) && types.iter().any(|ty| sql_type.starts_with(ty))
    };
    REFUSED_COLUMNS.iter().any(says)
}

/// Whether the generator may find no key in a table, with what it says that it found.
#[must_use]
pub fn is_expected_without_key(found: &str) -> bool {
    REFUSED_KEYS.iter().any(|part| found.contains(part))
}

/// Whether tables may be loaded again for this reason.
#[must_use]
pub fn is_expected_reload(reason: &str, product: Product) -> bool {
    let says =
        |(part, mariadb): &(&str, bool)| reason.contains(part) && (product.mariadb || !mariadb);
    RELOADS.iter().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_reasons_are_expected() {
        let mariadb = Product::parse("10.11.6-MariaDB").unwrap();
        let mysql = Product::parse("9.7.4").unwrap();
        let replace = "d.t at b:4: an update without all columns that may be a REPLACE, which";
        assert!(is_expected_reload(replace, mariadb));
        assert!(!is_expected_reload(replace, mysql));
        let differs = "a before image that differs from the row that the mirror holds";
        assert!(!is_expected_reload(differs, mariadb));
        assert!(!is_expected_refusal("column d.t.c: out of range", "int"));
        assert!(!is_expected_without_key(
            "key `PRIMARY`: column a may be NULL"
        ));
        assert!(is_expected_without_key(
            "key `PRIMARY`: column a is text in sjis, where different bytes are the same text"
        ));
    }
}
