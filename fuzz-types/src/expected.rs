//! What is known not to be done yet: what the generator may refuse, and what statements leave
//! out. An entry goes when the mirror can do it; everything else is a finding.

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
    defaults: false,
    compression: false,
    partial_json: false,
    rotation: true,
};

/// Reasons for which the generator may refuse a column: a part of the sentence, and the types
/// (starts of the SQL type) that it may be said of.
const REFUSALS: &[(&str, &[&str])] = &[
    (
        "this type cannot be mirrored yet",
        &[
            "geometry",
            "point",
            "linestring",
            "polygon",
            "geomcollection",
            "geometrycollection",
            "multi",
            "vector",
            "uuid",
            "inet4",
            "inet6",
        ],
    ),
    (
        "cannot be mirrored yet",
        &[
            "char",
            "varchar",
            "tinytext",
            "text",
            "mediumtext",
            "longtext",
        ],
    ),
    (
        "COMPRESSED columns cannot be mirrored yet",
        &[
            "varchar",
            "varbinary",
            "tiny",
            "text",
            "blob",
            "medium",
            "long",
        ],
    ),
];

/// Whether the generator may refuse a column with this sentence and SQL type.
#[must_use]
pub fn is_expected_refusal(sentence: &str, sql_type: &str) -> bool {
    REFUSALS.iter().any(|(part, types)| {
        sentence.contains(part) && types.iter().any(|ty| sql_type.starts_with(ty))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_refusals_are_expected() {
        let yet = "column d.t.c: this type cannot be mirrored yet";
        assert!(is_expected_refusal(yet, "geometry"));
        assert!(!is_expected_refusal(yet, "int"));
        assert!(!is_expected_refusal(
            "column d.t.c: out of range",
            "geometry"
        ));
    }
}
