//! GEOMETRY, VECTOR, and MariaDB's UUID, INET4, INET6 and COMPRESSED columns.

use super::{ColumnType, Entry, everywhere, quoted};
use crate::product::Product;
use crate::random::Random;
use crate::sql;

pub(super) fn entries() -> Vec<Entry> {
    let entry = |name, weight, on, make| Entry {
        name,
        weight,
        on,
        make,
    };
    vec![
        entry("geometry", 4, everywhere, geometry),
        entry(
            "vector",
            4,
            |product| product.mysql(9, 0) || product.mariadb(11, 7),
            vector,
        ),
        entry("uuid", 3, |product| product.mariadb(10, 7), uuid),
        entry("inet6", 3, |product| product.mariadb(10, 5), inet6),
        entry("inet4", 3, |product| product.mariadb(10, 10), inet4),
        entry(
            "compressed",
            4,
            |product| product.mariadb(10, 3),
            compressed,
        ),
    ]
}

fn geometry(random: &mut Random, product: Product) -> ColumnType {
    let kind = random.pick(&[
        "geometry",
        "geometry",
        "point",
        "linestring",
        "polygon",
        "geometrycollection",
    ]);
    let srid = product.mysql(8, 0) && random.one_in(3);
    let sql = if srid {
        format!("{kind} SRID 4326")
    } else {
        kind.to_owned()
    };
    let shapes: &'static [&'static str] = match kind {
        "point" => &["POINT(1 2)", "POINT(-1.5 0.25)", "POINT(0 0)"],
        "linestring" => &["LINESTRING(0 0,1 1,2 0.5)"],
        "polygon" => &["POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))"],
        "geometrycollection" => &["GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))"],
        _ => &[
            "POINT(3 4)",
            "MULTIPOINT(0 0,1 1)",
            "MULTILINESTRING((0 0,1 1),(2 2,3 3))",
            "MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0)))",
        ],
    };
    ColumnType::new(sql, move |random| {
        let shape = random.pick(shapes);
        let number = if srid { 4326 } else { 0 };
        format!("ST_GeomFromText('{shape}', {number})")
    })
}

fn vector(random: &mut Random, product: Product) -> ColumnType {
    let size = random.pick(&[1, 2, 3, 16, 100]);
    let from_text = if product.mariadb {
        "VEC_FromText"
    } else {
        "STRING_TO_VECTOR"
    };
    ColumnType::new(format!("vector({size})"), move |random| {
        let numbers: Vec<String> = (0..size)
            .map(|_| match random.below(3) {
                0 => random
                    .pick(&[
                        "0",
                        "-0.0",
                        "1.05",
                        "-17.8",
                        "3.402823466e38",
                        "1.17549435e-38",
                    ])
                    .to_owned(),
                _ => format!("{:e}", random.between(-(1 << 40), 1 << 40) as f64 / 65536.0),
            })
            .collect();
        format!("{from_text}('[{}]')", numbers.join(","))
    })
}

fn uuid(_: &mut Random, _: Product) -> ColumnType {
    ColumnType::new("uuid", |random| {
        let hex = format!("{:016x}{:016x}", random.next_u64(), random.next_u64());
        format!("'{hex}'")
    })
    .edges(quoted([
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "123e4567-e89b-12d3-a456-426655440000",
        "123e4567-e89b-72d3-9456-426655440000",
        "123E4567-e89b-42d3-c456-426655440001",
    ]))
    .key(16)
    .default(["'123e4567-e89b-12d3-a456-426655440000'"])
}

fn inet6(_: &mut Random, _: Product) -> ColumnType {
    ColumnType::new("inet6", |random| {
        format!(
            "'2001:db8::{:x}:{:x}'",
            random.below(65536),
            random.below(65536)
        )
    })
    .edges(quoted([
        "::",
        "::1",
        "::ffff:192.0.2.1",
        "::192.0.2.1",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db8::",
        "1::",
    ]))
    .key(16)
    .default(["'::1'"])
}

fn inet4(_: &mut Random, _: Product) -> ColumnType {
    ColumnType::new("inet4", |random| {
        let n = random.next_u64();
        format!(
            "'{}.{}.{}.{}'",
            n & 255,
            n >> 8 & 255,
            n >> 16 & 255,
            n >> 24 & 255
        )
    })
    .edges(quoted(["0.0.0.0", "255.255.255.255", "1.0.0.0", "0.0.0.1"]))
    .key(4)
    .default(["'127.0.0.1'"])
}

fn compressed(random: &mut Random, _: Product) -> ColumnType {
    let name = random.pick(&[
        "varchar(2000)",
        "varbinary(2000)",
        "text",
        "blob",
        "tinytext",
        "longblob",
        "mediumtext",
    ]);
    let limit = if name.starts_with("tiny") { 200 } else { 2000 };
    let text = name.starts_with("varchar") || name.ends_with("text");
    ColumnType::new(format!("{name} COMPRESSED"), move |random| {
        let unit = if text {
            random.pick(&["a", "é", "xyz", "日"]).as_bytes().to_vec()
        } else {
            vec![random.next_u64() as u8, 0]
        };
        let count = random.index(limit / unit.len().max(1) + 1);
        if text {
            sql::text(&String::from_utf8_lossy(&unit).repeat(count.min(limit / 3)))
        } else {
            sql::bytes(&unit.repeat(count))
        }
    })
    .edges(if text {
        vec!["''".to_owned(), "'a'".to_owned(), "'tiny'".to_owned()]
    } else {
        vec!["''".to_owned(), "x'00'".to_owned(), "x'0000'".to_owned()]
    })
}
