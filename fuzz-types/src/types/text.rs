//! CHAR, VARCHAR and the TEXT family in every character set.

use super::charsets::{self, Charset};
use super::{ColumnType, Entry, everywhere};
use crate::product::Product;
use crate::random::Random;
use crate::sql;

pub(super) fn entries() -> Vec<Entry> {
    let entry = |name, weight, make| Entry {
        name,
        weight,
        on: everywhere,
        make,
    };
    vec![
        entry("char", 8, |random, product| {
            let charset = usual(random, product);
            fixed(random, charset)
        }),
        entry("varchar", 12, |random, product| {
            let charset = usual(random, product);
            varying(random, charset)
        }),
        entry("text", 8, |random, product| {
            let charset = usual(random, product);
            long(random, charset)
        }),
        entry("text in another charset", 12, |random, product| {
            let charset = unusual(random, product);
            match random.below(3) {
                0 => fixed(random, charset),
                1 => varying(random, charset),
                _ => long(random, charset),
            }
        }),
    ]
}

/// A character set with the words that choose it and a collation.
pub(super) struct Collated {
    charset: Charset,
    pub(super) sql: String,
}

pub(super) fn usual(random: &mut Random, product: Product) -> Collated {
    let name = random.pick(&["utf8mb4", "utf8mb4", "utf8mb4", "utf8", "ascii"]);
    let mut endings = vec!["general_ci", "bin"];
    if name != "ascii" {
        endings.extend(["unicode_ci", "unicode_520_ci", "swedish_ci", "turkish_ci"]);
    }
    if name == "utf8mb4" && product.mysql(8, 0) {
        endings.extend(["0900_ai_ci", "0900_as_cs", "0900_bin", "ja_0900_as_cs_ks"]);
    }
    if product.mariadb(10, 2) {
        endings.extend(["general_nopad_ci", "nopad_bin"]);
    }
    if name == "utf8mb4" && product.mariadb(10, 11) {
        endings.push("uca1400_ai_ci");
    }
    let ending = random.pick(&endings);
    Collated {
        charset: charsets::usual(name),
        sql: format!("CHARACTER SET {name} COLLATE {name}_{ending}"),
    }
}

fn unusual(random: &mut Random, product: Product) -> Collated {
    let mut all = charsets::charsets(product);
    let at = random.index(all.len());
    let charset = all.swap_remove(at);
    let mut sql = format!("CHARACTER SET {}", charset.name);
    if random.one_in(3) {
        sql.push_str(&format!(" COLLATE {}_bin", charset.name));
    }
    Collated { charset, sql }
}

fn fixed(random: &mut Random, charset: Collated) -> ColumnType {
    let length = match random.below(3) {
        0 => random.pick(&[0, 1, 63, 64, 85, 127, 128, 255]),
        _ => random.index(20),
    };
    column(random, charset, format!("char({length})"), length, true)
}

fn varying(random: &mut Random, charset: Collated) -> ColumnType {
    let length = match random.below(4) {
        0 => random.pick(&[0, 1, 63, 64, 85, 127, 128, 255, 256, 300, 1000]),
        _ => random.index(40),
    };
    column(random, charset, format!("varchar({length})"), length, true)
}

fn long(random: &mut Random, charset: Collated) -> ColumnType {
    let (name, bytes) = *[
        ("tinytext", 255),
        ("text", 65_535),
        ("mediumtext", 70_000),
        ("longtext", 70_000),
    ]
    .get(random.index(4))
    .unwrap_or(&("text", 65_535));
    let length = bytes / charset.charset.widest;
    column(random, charset, name.to_owned(), length, false)
}

fn column(
    _: &mut Random,
    charset: Collated,
    name: String,
    length: usize,
    short: bool,
) -> ColumnType {
    let Collated { charset, sql } = charset;
    let sample: Vec<char> = charset.sample.chars().collect();
    let edges = edges(&sample, length);
    let key_bytes = length * charset.widest;
    // Binary strings are stored as they are.
    let raw = charset.any_bytes && charset.name != "ascii";
    let ty = ColumnType::new(format!("{name} {sql}"), move |random| {
        if raw && random.one_in(12) {
            let bytes: Vec<u8> = (0..random.index(length.min(40) + 1))
                .map(|_| 0x80 | random.next_u64() as u8)
                .collect();
            return sql::bytes(&bytes);
        }
        any(random, &sample, length)
    })
    .edges(edges)
    .change(|random, column| match random.below(3) {
        0 => format!("CONCAT({column}, 'x')"),
        1 => format!("UPPER({column})"),
        _ => format!("LEFT({column}, 3)"),
    })
    .derive("int", "LENGTH({})");
    match (short, length) {
        (true, 1..) if key_bytes <= 700 => ty.key(key_bytes).default(["''", "'a'"]),
        (true, 0) => ty.default(["''"]),
        _ => ty.prefix_key(),
    }
}

fn edges(sample: &[char], length: usize) -> Vec<String> {
    let some = length.min(400);
    let wide = sample.first().copied().unwrap_or('a');
    let all: String = sample.iter().take(some).collect();
    let mut texts = vec![
        String::new(),
        "a".into(),
        "A".into(),
        "a ".into(),
        "  b".into(),
        "it's".into(),
        "\"\\%_".into(),
        "null".into(),
        "0".into(),
        "a\tb\nc\0d".into(),
        wide.to_string(),
        format!("{wide} "),
        all,
        wide.to_string().repeat(some),
        "z".repeat(some),
    ];
    texts.retain(|text| text.chars().count() <= length);
    texts.iter().map(|text| sql::text(text)).collect()
}

fn any(random: &mut Random, sample: &[char], length: usize) -> String {
    let most = match random.below(40) {
        0 => length.min(20_000),
        1..=4 => length.min(300),
        _ => length.min(12),
    };
    let count = random.index(most + 1);
    let text: String = (0..count)
        .map(|_| match random.below(3) {
            0 => random.pick(sample),
            1 => random.pick(&['a', 'B', ' ', '\'', '\\', '"', '/', '.', '\u{7f}', '\t']),
            _ => char::from(b'a' + random.below(26) as u8),
        })
        .collect();
    if random.one_in(4) {
        format!("_utf8mb4 {}", sql::bytes(text.as_bytes()))
    } else {
        sql::text(&text)
    }
}
