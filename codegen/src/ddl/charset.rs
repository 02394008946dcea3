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
