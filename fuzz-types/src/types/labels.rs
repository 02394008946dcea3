//! ENUM and SET.

use super::text::{Collated, usual};
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
        entry("enum", 6, enumeration),
        entry("set", 6, set),
        entry("enum of many labels", 1, many),
    ]
}

/// Labels of any text that no collation takes for another of them.
const ODD: [&str; 24] = [
    "",
    "New York",
    "3D",
    "größe",
    "self",
    "back\\slash",
    "quo\"te",
    "it's",
    "日本",
    "type",
    "a,b",
    "null",
    "0",
    "true",
    "%",
    "`tick`",
    "x)",
    "x','y",
    "/*c*/",
    "--",
    "Invalid",
    "1",
    "{}",
    "№",
];

/// Random labels; a SET's have no comma.
fn labels(random: &mut Random, count: usize, comma: bool) -> Vec<String> {
    let mut odd: Vec<&str> = ODD
        .into_iter()
        .filter(|label| comma || !label.contains(','))
        .collect();
    random.shuffle(&mut odd);
    (0..count)
        .map(|at| match odd.get(at) {
            Some(label) if !random.one_in(3) => (*label).to_owned(),
            _ => format!("label_{at}"),
        })
        .collect()
}

fn list(labels: &[String]) -> String {
    let quoted: Vec<String> = labels.iter().map(|label| sql::text(label)).collect();
    quoted.join(",")
}

fn collated(random: &mut Random, product: Product) -> String {
    // Labels outside the charset would become question marks, and equal.
    loop {
        let Collated { sql, .. } = usual(random, product);
        if !sql.contains("ascii") {
            return sql;
        }
    }
}

fn enumeration(random: &mut Random, product: Product) -> ColumnType {
    let count = if random.one_in(3) {
        1
    } else {
        random.index(20) + 1
    };
    let labels = labels(random, count, true);
    let sql = format!("enum({}) {}", list(&labels), collated(random, product));
    column_of_enum(sql, labels)
}

fn many(random: &mut Random, _: Product) -> ColumnType {
    let count = random.pick(&[254, 255, 256, 257, 300]);
    let labels: Vec<String> = (0..count).map(|at| format!("l{at}")).collect();
    column_of_enum(format!("enum({})", list(&labels)), labels)
}

fn column_of_enum(sql: String, labels: Vec<String>) -> ColumnType {
    let last = labels.len();
    let first = labels
        .first()
        .map(|label| sql::text(label))
        .unwrap_or_default();
    ColumnType::new(sql, move |random| {
        if random.one_in(2) {
            sql::text(&random.pick(&labels))
        } else {
            random.below(last as u64 + 1).to_string()
        }
    })
    .edges([0, 1, last.min(2), last.min(255), last.min(256), last])
    .edges(["'no such label'"])
    .key(2)
    .default([first])
    .change(|_, column| format!("{column} + 1"))
    .derive("int", "{} + 0")
}

fn set(random: &mut Random, product: Product) -> ColumnType {
    let count = match random.below(4) {
        0 => 64,
        1 => random.pick(&[1, 8, 9, 16, 17, 24, 25, 32, 33, 63]),
        _ => random.index(12) + 1,
    };
    let labels = labels(random, count, false);
    let sql = format!("set({}) {}", list(&labels), collated(random, product));
    let all = u64::MAX >> (64 - count);
    let first = labels
        .first()
        .map(|label| sql::text(label))
        .unwrap_or_default();
    ColumnType::new(sql, move |random| (random.next_u64() & all).to_string())
        .edges([
            0,
            1,
            all,
            all ^ 1,
            1 << (count - 1),
            0xaaaa_aaaa_aaaa_aaaa & all,
        ])
        .key(8)
        .default([first])
        .change(|_, column| format!("{column} ^ 1"))
        .derive("bigint unsigned", "{} + 0")
}
