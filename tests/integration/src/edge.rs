//! Values at the edges of every type, as SQL literals.

mod samples;

use mirror_runtime::{Charset, ColumnLayout, ColumnType, TableLayout};

use crate::Random;
use samples::{DATES, DATETIMES, DOCUMENTS, DOUBLES, FLOATS, TIMES, TIMESTAMPS};

/// Values for the columns of a table.
#[derive(Debug)]
pub struct Literals {
    columns: &'static [ColumnLayout],
    edges: Vec<Vec<String>>,
}

impl Literals {
    /// Values for this table.
    #[must_use]
    pub fn new(layout: &TableLayout) -> Self {
        Self {
            columns: layout.columns,
            edges: layout.columns.iter().map(edges).collect(),
        }
    }

    /// A value for the column with this field index: one of its edges by turns, else a random
    /// one; NULL now and then where the column may hold it.
    pub fn value(&self, field: usize, turn: usize, random: &mut Random) -> String {
        let (column, edges) = (&self.columns[field], &self.edges[field]);
        if column.nullable && random.one_in(5) {
            return "NULL".into();
        }
        match edges.get(turn % (2 * edges.len()).max(1)) {
            Some(edge) => edge.clone(),
            None => any(column, random),
        }
    }
}

/// The edges of a column's type.
fn edges(column: &ColumnLayout) -> Vec<String> {
    let integer = |bits: u32, unsigned: bool| {
        let (least, greatest) = integer_range(bits, unsigned);
        let inner = [
            0, 1, -1, 127, 128, 255, 256, 32_767, 65_535, 8_388_608, 16_777_215,
        ];
        let mut all = vec![least, greatest, least + 1, greatest - 1];
        all.extend(inner.into_iter().filter(|n| (least..=greatest).contains(n)));
        texts(all)
    };
    match column.kind {
        ColumnType::TinyInt { unsigned } => integer(8, unsigned),
        ColumnType::SmallInt { unsigned } => integer(16, unsigned),
        ColumnType::MediumInt { unsigned } => integer(24, unsigned),
        ColumnType::Int { unsigned } => integer(32, unsigned),
        ColumnType::BigInt { unsigned } => integer(64, unsigned),
        ColumnType::Float => FLOATS.iter().map(ToString::to_string).collect(),
        ColumnType::Double => DOUBLES.iter().map(ToString::to_string).collect(),
        ColumnType::Decimal { precision, scale } => decimals(precision, scale),
        ColumnType::Date => quoted(&DATES),
        ColumnType::Year => texts([0, 1901, 1970, 1999, 2000, 2069, 2155]),
        ColumnType::DateTime { fsp } => with_fraction(&DATETIMES, fsp),
        ColumnType::Timestamp { fsp } => with_fraction(&TIMESTAMPS, fsp),
        ColumnType::Time { fsp } => with_fraction(&TIMES, fsp),
        ColumnType::Char { max_bytes } | ColumnType::VarChar { max_bytes } => {
            texts_up_to(column, max_bytes as usize)
        }
        ColumnType::Text { length_bytes } => texts_up_to(column, blob_limit(length_bytes)),
        ColumnType::Binary { bytes } => bytes_up_to(bytes as usize),
        ColumnType::VarBinary { max_bytes } => bytes_up_to(max_bytes as usize),
        ColumnType::Blob { length_bytes } => bytes_up_to(blob_limit(length_bytes)),
        ColumnType::Enum { labels } => {
            let last = labels.len();
            texts([
                0,
                1,
                last.min(2),
                last / 2,
                last.min(255),
                last.min(256),
                last,
            ])
        }
        ColumnType::Set { labels } => bit_edges(labels.len() as u32),
        ColumnType::Bit { bits } => bit_edges(u32::from(bits)),
        ColumnType::Json => DOCUMENTS.iter().map(|text| text_literal(text)).collect(),
        other => panic!("there are no edge values of {other:?}"),
    }
}

/// A random value of the column's type.
fn any(column: &ColumnLayout, random: &mut Random) -> String {
    let mut integer = |bits, unsigned| {
        let (least, greatest) = integer_range(bits, unsigned);
        let number = least + i128::from(random.next_u64()) % (greatest - least + 1);
        number.to_string()
    };
    match column.kind {
        ColumnType::TinyInt { unsigned } => integer(8, unsigned),
        ColumnType::SmallInt { unsigned } => integer(16, unsigned),
        ColumnType::MediumInt { unsigned } => integer(24, unsigned),
        ColumnType::Int { unsigned } => integer(32, unsigned),
        ColumnType::BigInt { unsigned } => integer(64, unsigned),
        ColumnType::Float => loop {
            let number = f32::from_bits(random.next_u64() as u32);
            if number.is_finite() {
                return format!("{:e}", f64::from(number));
            }
        },
        ColumnType::Double => loop {
            let number = f64::from_bits(random.next_u64());
            if number.is_finite() {
                return format!("{number:e}");
            }
        },
        ColumnType::Decimal { precision, scale } => {
            let digits: String = (0..precision)
                .map(|_| char::from(b'0' + random.below(10) as u8))
                .collect();
            let (whole, fraction) = digits.split_at(usize::from(precision - scale));
            let sign = if random.one_in(2) { "-" } else { "" };
            format!("{sign}0{whole}.{fraction}")
        }
        ColumnType::Date => format!("'{}'", any_date(random)),
        ColumnType::Year => random.between(1901, 2155).to_string(),
        ColumnType::DateTime { fsp } => {
            format!("'{} {}'", any_date(random), any_time(random, 23, fsp))
        }
        ColumnType::Timestamp { fsp } => {
            // The year and the days that are in every TIMESTAMP's range.
            let (year, day) = (random.between(1971, 2037), random.between(1, 28));
            format!("'{year}-02-{day:02} {}'", any_time(random, 23, fsp))
        }
        ColumnType::Time { fsp } => {
            let sign = if random.one_in(2) { "-" } else { "" };
            format!("'{sign}{}'", any_time(random, 837, fsp))
        }
        ColumnType::Char { max_bytes } | ColumnType::VarChar { max_bytes } => {
            any_text(column, random, max_bytes as usize)
        }
        ColumnType::Text { length_bytes } => any_text(column, random, blob_limit(length_bytes)),
        ColumnType::Binary { bytes: limit } | ColumnType::VarBinary { max_bytes: limit } => {
            any_bytes(random, limit as usize)
        }
        ColumnType::Blob { length_bytes } => any_bytes(random, blob_limit(length_bytes)),
        ColumnType::Enum { labels } => random.below(labels.len() as u64 + 1).to_string(),
        ColumnType::Set { labels } => (random.next_u64() & mask(labels.len() as u32)).to_string(),
        ColumnType::Bit { bits } => (random.next_u64() & mask(u32::from(bits))).to_string(),
        ColumnType::Geometry
        | ColumnType::Vector { .. }
        | ColumnType::Uuid
        | ColumnType::Inet4
        | ColumnType::Inet6 => panic!("there are no random values of {:?}", column.kind),
        ColumnType::Json => {
            let (number, double) = (random.next_u64(), random.between(-1 << 50, 1 << 50) as f64);
            text_literal(&format!(
                "{{\"n\": {number}, \"d\": {:e}, \"t\": [{}, \"{}\"]}}",
                double / 1024.0,
                random.between(-70_000, 70_000),
                "ü".repeat(random.below(300) as usize)
            ))
        }
    }
}

fn integer_range(bits: u32, unsigned: bool) -> (i128, i128) {
    if unsigned {
        (0, (1 << bits) - 1)
    } else {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    }
}

fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(|item| item.to_string()).collect()
}

fn quoted(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| format!("'{item}'")).collect()
}

/// The texts, which have six digits of a fraction, cut to the column's precision.
fn with_fraction(items: &[&str], fsp: u8) -> Vec<String> {
    let cut = if fsp == 0 { 7 } else { 6 - usize::from(fsp) };
    let cut = |item: &&str| format!("'{}'", &item[..item.len() - cut]);
    items.iter().map(cut).collect()
}

fn decimals(precision: u8, scale: u8) -> Vec<String> {
    let (whole, scale) = (usize::from(precision - scale), usize::from(scale));
    let pattern: String = "123456789".chars().cycle().take(whole + scale).collect();
    let (first, second) = pattern.split_at(whole);
    let least = format!("0.{}1", "0".repeat(scale.saturating_sub(1)));
    let greatest = format!("0{}.{}", "9".repeat(whole), "9".repeat(scale));
    let one_ten = format!("1{}.0", "0".repeat(whole.saturating_sub(1)));
    let mut all = vec!["0".to_owned(), greatest.clone(), format!("-{greatest}")];
    all.push(format!("0{first}.{second}"));
    all.push(format!("-0{first}.{second}"));
    if scale > 0 {
        all.extend([least.clone(), format!("-{least}")]);
    }
    if whole > 0 {
        all.extend([one_ten.clone(), format!("-{one_ten}")]);
    }
    all
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

fn bit_edges(bits: u32) -> Vec<String> {
    let all = mask(bits);
    texts([
        0,
        1,
        all,
        all ^ 1,
        1 << (bits - 1),
        0xaaaa_aaaa_aaaa_aaaa & all,
    ])
}

/// Longest value in bytes of a BLOB or TEXT, bounded to what a test may carry.
fn blob_limit(length_bytes: u8) -> usize {
    match length_bytes {
        1 => 255,
        2 => 65_535,
        _ => 70_000,
    }
}

fn is_ascii(column: &ColumnLayout) -> bool {
    column.charset == Some(Charset::Ascii)
}

/// Characters that surely fit.
fn characters(column: &ColumnLayout, max_bytes: usize) -> usize {
    if is_ascii(column) {
        max_bytes
    } else {
        max_bytes / 4
    }
}

fn texts_up_to(column: &ColumnLayout, max_bytes: usize) -> Vec<String> {
    let most = characters(column, max_bytes);
    let some = most.min(400);
    let (wide, narrow) = if is_ascii(column) {
        ("~", "a")
    } else {
        ("🦀", "é")
    };
    let mut all = vec![
        String::new(),
        "a".into(),
        "it's \"q\" \\ % _".into(),
        "two\nlines\ttab\r\u{1}\u{7f}".into(),
        "\0".into(),
        "trailing  ".into(),
        "  leading".into(),
        narrow.repeat(some),
        wide.repeat(some),
        "x".repeat(most.min(256)),
    ];
    if max_bytes > 60_000 {
        all.push(wide.repeat(most));
    }
    if !is_ascii(column) {
        all.extend(["Zoë 日本".into(), "e\u{301}\u{200d}\u{feff}".into()]);
    }
    all.iter()
        .filter(|text| text.chars().count() <= most)
        .map(|text| text_literal(text))
        .collect()
}

fn bytes_up_to(most: usize) -> Vec<String> {
    let mut all = vec![
        Vec::new(),
        vec![0],
        vec![0; most.min(300)],
        vec![0xff; most.min(300)],
        vec![0x20; most.min(16)],
        vec![1, 0, 0],
        vec![0, 0, 1],
        b"a\x00\x20".to_vec(),
        vec![0xf0, 0x28, 0x8c, 0x28],
    ];
    if most > 60_000 {
        all.push(vec![0xa5; most]);
    }
    all.retain(|bytes| bytes.len() <= most);
    all.iter().map(|bytes| bytes_literal(bytes)).collect()
}

fn any_text(column: &ColumnLayout, random: &mut Random, max_bytes: usize) -> String {
    let count = random.below(characters(column, max_bytes).min(300) as u64 + 1);
    let ascii = is_ascii(column);
    let text: String = (0..count)
        .map(|_| match (ascii, random.below(4)) {
            (false, 0) => char::from_u32(0x1f600 + random.below(64) as u32).unwrap_or('?'),
            (false, 1) => char::from_u32(0xc0 + random.below(0x300) as u32).unwrap_or('?'),
            _ => char::from(random.below(128) as u8),
        })
        .collect();
    text_literal(&text)
}

fn any_bytes(random: &mut Random, limit: usize) -> String {
    let count = random.below(limit.min(300) as u64 + 1) as usize;
    bytes_literal(&random.bytes(count))
}

fn any_date(random: &mut Random) -> String {
    format!(
        "{:04}-{:02}-{:02}",
        random.between(1, 9999),
        random.between(1, 12),
        random.between(1, 31)
    )
}

fn any_time(random: &mut Random, hours: i64, fsp: u8) -> String {
    let (hour, minute) = (random.between(0, hours), random.between(0, 59));
    let (second, micros) = (random.between(0, 59), random.between(0, 999_999));
    let text = format!("{hour:02}:{minute:02}:{second:02}.{micros:06}");
    let cut = if fsp == 0 { 7 } else { 6 - usize::from(fsp) };
    text[..text.len() - cut].to_owned()
}

/// Text as a literal that no quoting rule touches.
#[must_use]
pub fn text_literal(text: &str) -> String {
    if text.is_empty() {
        return "''".into();
    }
    format!("_utf8mb4 {}", bytes_literal(text.as_bytes()))
}

/// Bytes as a hexadecimal literal.
#[must_use]
pub fn bytes_literal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    if bytes.is_empty() {
        return "''".into();
    }
    let digits = bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    format!("x'{digits}'")
}
