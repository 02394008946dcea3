//! BINARY, VARBINARY and the BLOB family.

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
        entry("binary", 5, binary),
        entry("varbinary", 5, varbinary),
        entry("blob", 6, blob),
        entry("char of charset binary", 1, charset_binary),
    ]
}

fn binary(random: &mut Random, _: Product) -> ColumnType {
    let length = match random.below(3) {
        0 => random.pick(&[0, 1, 16, 20, 254, 255]),
        _ => random.index(30),
    };
    column(format!("binary({length})"), length, true)
}

fn varbinary(random: &mut Random, _: Product) -> ColumnType {
    let length = match random.below(4) {
        0 => random.pick(&[0, 1, 255, 256, 2000]),
        _ => random.index(40),
    };
    column(format!("varbinary({length})"), length, true)
}

fn blob(random: &mut Random, _: Product) -> ColumnType {
    let (name, length) = *[
        ("tinyblob", 255),
        ("blob", 65_535),
        ("mediumblob", 70_000),
        ("longblob", 70_000),
    ]
    .get(random.index(4))
    .unwrap_or(&("blob", 65_535));
    column(name.to_owned(), length, false)
}

fn charset_binary(random: &mut Random, _: Product) -> ColumnType {
    let length = 1 + random.index(20);
    let name = random.pick(&["char", "varchar"]);
    column(
        format!("{name}({length}) CHARACTER SET binary"),
        length,
        true,
    )
}

fn column(sql: String, length: usize, short: bool) -> ColumnType {
    let mut edges: Vec<Vec<u8>> = vec![
        vec![],
        vec![0],
        vec![0, 0],
        vec![1, 0],
        b"a ".to_vec(),
        b"a\0".to_vec(),
        vec![0xff, 0xfe, 0x80],
        (0..=255).collect(),
        vec![0xff; length.min(300)],
        vec![0; length.min(300)],
        vec![7; length.min(255)],
        vec![8; length.min(256)],
    ];
    edges.retain(|edge| edge.len() <= length);
    let ty = ColumnType::new(sql, move |random| {
        let most = match random.below(40) {
            0 => length.min(20_000),
            1..=4 => length.min(300),
            _ => length.min(16),
        };
        let count = random.index(most + 1);
        let bytes: Vec<u8> = (0..count)
            .map(|_| {
                if random.one_in(4) {
                    0
                } else {
                    random.next_u64() as u8
                }
            })
            .collect();
        sql::bytes(&bytes)
    })
    .edges(edges.iter().map(|edge| sql::bytes(edge)))
    .change(|random, column| match random.below(2) {
        0 => format!("CONCAT({column}, x'00')"),
        _ => format!("LEFT({column}, 2)"),
    })
    .derive("int", "LENGTH({})")
    .derive("varchar(100)", "LEFT(HEX({}), 100)");
    match (short, length) {
        (true, 1..=700) => ty.key(length).default(["''", "x'00'", "'a'"]),
        (true, _) => ty,
        (false, _) => ty.prefix_key(),
    }
}
