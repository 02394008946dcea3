//! Character sets as far as a layout depends on them (MySQL manual: "Supported Character Sets
//! and Collations").

/// Lower-case name of a character set, with `utf8` spelled `utf8mb3`, which it means on every
/// version whose DDL is read here.
#[must_use]
pub fn canonical(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    if name == "utf8" {
        "utf8mb3".to_owned()
    } else {
        name
    }
}

/// Character set of a collation, e.g. `utf8mb4` of `utf8mb4_0900_ai_ci`; nothing for MariaDB's
/// short names such as `uca1400_ai_ci`, which go with any Unicode character set.
#[must_use]
pub fn of_collation(collation: &str) -> Option<String> {
    let collation = collation.to_ascii_lowercase();
    let prefix = collation.split('_').next().unwrap_or("");
    match prefix {
        "" | "default" | "uca1400" => None,
        prefix => Some(canonical(prefix)),
    }
}

/// The character sets of text that the runtime decodes, and its names of them, sorted.
const DECODED: &[(&str, &str)] = &[
    ("armscii8", "Armscii8"),
    ("ascii", "Ascii"),
    ("big5", "Big5"),
    ("cp1250", "Cp1250"),
    ("cp1251", "Cp1251"),
    ("cp1256", "Cp1256"),
    ("cp1257", "Cp1257"),
    ("cp850", "Cp850"),
    ("cp852", "Cp852"),
    ("cp866", "Cp866"),
    ("cp932", "Cp932"),
    ("dec8", "Dec8"),
    ("eucjpms", "Eucjpms"),
    ("euckr", "Euckr"),
    ("gb18030", "Gb18030"),
    ("gb2312", "Gb2312"),
    ("gbk", "Gbk"),
    ("geostd8", "Geostd8"),
    ("greek", "Greek"),
    ("hebrew", "Hebrew"),
    ("hp8", "Hp8"),
    ("keybcs2", "Keybcs2"),
    ("koi8r", "Koi8r"),
    ("koi8u", "Koi8u"),
    ("latin1", "Latin1"),
    ("latin2", "Latin2"),
    ("latin5", "Latin5"),
    ("latin7", "Latin7"),
    ("macce", "Macce"),
    ("macroman", "Macroman"),
    ("sjis", "Sjis"),
    ("swe7", "Swe7"),
    ("tis620", "Tis620"),
    ("ucs2", "Ucs2"),
    ("ujis", "Ujis"),
    ("utf16", "Utf16"),
    ("utf16le", "Utf16le"),
    ("utf32", "Utf32"),
    ("utf8mb3", "Utf8mb3"),
    ("utf8mb4", "Utf8mb4"),
];

/// Name of the variant of the runtime's `Charset`; nothing for a set without a decoder.
#[must_use]
pub fn variant(charset: &str) -> Option<&'static str> {
    let found = DECODED.binary_search_by_key(&charset, |(name, _)| name);
    found
        .ok()
        .and_then(|at| DECODED.get(at))
        .map(|(_, variant)| *variant)
}

/// Whether text in this character set is decoded.
#[must_use]
pub fn is_decoded(charset: &str) -> bool {
    variant(charset).is_some()
}

/// Whether two different byte sequences may stand for the same text, which then does not tell
/// rows apart.
#[must_use]
pub fn is_ambiguous(charset: &str) -> bool {
    matches!(charset, "armscii8" | "cp932" | "eucjpms" | "sjis" | "ujis")
}

/// Bytes of the widest character, 1 to 4.
#[must_use]
pub fn max_char_bytes(charset: &str) -> u32 {
    match charset {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => 4,
        "utf8mb3" | "ujis" | "eucjpms" => 3,
        "ucs2" | "big5" | "gbk" | "gb2312" | "sjis" | "cp932" | "euckr" => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoded_sets_are_sorted() {
        assert!(DECODED.is_sorted());
        assert_eq!(variant("utf8mb4"), Some("Utf8mb4"));
        assert_eq!(variant("filename"), None);
    }

    #[test]
    fn collations_name_their_charset() {
        assert_eq!(of_collation("utf8_bin").as_deref(), Some("utf8mb3"));
        assert_eq!(
            of_collation("utf8mb4_uca1400_ai_ci").as_deref(),
            Some("utf8mb4")
        );
        assert_eq!(of_collation("binary").as_deref(), Some("binary"));
        assert_eq!(of_collation("uca1400_ai_ci"), None);
    }
}
