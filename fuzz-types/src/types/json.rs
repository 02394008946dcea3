//! JSON: MySQL's binary form, and MariaDB's text with a check.

use super::{ColumnType, Entry};
use crate::product::Product;
use crate::random::Random;
use crate::sql;

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry {
        name: "json",
        weight: 8,
        on: |product| product.mysql(5, 7) || product.mariadb(10, 2),
        make,
    }]
}

const DOCUMENTS: [&str; 20] = [
    "null",
    "true",
    "false",
    "{}",
    "[]",
    "\"\"",
    "0",
    "-1",
    "18446744073709551615",
    "-9223372036854775808",
    "18446744073709551616",
    "1.0",
    "-2.5e-7",
    "1e308",
    "4.9406564584124654e-324",
    "{\"b\": 1, \"a\": [1, 2.5, null, \"it's\"], \"key \\\"q\\\"\": {\"x\": {}}}",
    "[\"\\u0000\\u001f\\n\\t\\\\ 日本 🦀\", [[[[[]]]]]]",
    "[32767, 32768, -32768, -32769, 2147483647, 2147483648, 65535, 65536, 4294967295, 4294967296]",
    "{\"a\": 1, \"a\": 2, \"aa\": 3, \"b\": {\"\": null}}",
    "{\"$.a\": \"/\", \"é\": \"\\ud83d\\ude00\", \"Z\": [true, false]}",
];

/// Scalars that only SQL makes: the document holds them as opaque values.
const OPAQUE: [&str; 16] = [
    "CAST(CAST('-12345678901234567890.0123456789' AS DECIMAL(40,10)) AS JSON)",
    "JSON_ARRAY(CAST('0.10' AS DECIMAL(5,2)), CAST(7 AS DECIMAL(65,30)))",
    "JSON_ARRAY(CAST('2031-02-03' AS DATE), CAST('0000-00-00' AS DATE))",
    "JSON_OBJECT('t', CAST('-01:02:03.5' AS TIME(1)), 'u', CAST('838:59:59' AS TIME))",
    "JSON_OBJECT('d', CAST('2031-02-03 04:05:06.000007' AS DATETIME(6)))",
    "JSON_ARRAY(x'00FF41', _binary 'blob')",
    "JSON_ARRAY(b'101', b'1111111111111111')",
    "CAST(CAST(18446744073709551615 AS UNSIGNED) AS JSON)",
    "JSON_ARRAY(1e0, 0.1e0, -0e0, 1e100, 1e15, 123456789012345678e0, 1.5e-300)",
    "JSON_OBJECT('n', NULL, 't', TRUE, 'y', CAST(2031 AS YEAR))",
    "JSON_ARRAY(REPEAT('é', 200), REPEAT('x', 20000), 'end')",
    "JSON_OBJECT(REPEAT('k', 300), 1, 'other', REPEAT('z', 127), 'third', REPEAT('z', 128))",
    "JSON_ARRAY(REPEAT('x', 70000), JSON_OBJECT('a', 1), JSON_ARRAY(1, 65536, 1.5))",
    "JSON_OBJECT('big', REPEAT('y', 66000), 'a', JSON_ARRAY(), 'b', JSON_OBJECT())",
    "JSON_ARRAY(ST_GeomFromText('POINT(1 2)'))",
    "CAST(TIMESTAMP('2031-02-03 04:05:06') AS JSON)",
];

fn make(_: &mut Random, product: Product) -> ColumnType {
    let ty = ColumnType::new("json", move |random| {
        if !product.mariadb && random.one_in(3) {
            random.pick(&OPAQUE).to_owned()
        } else {
            let mut text = String::new();
            document(random, 0, &mut text);
            sql::text(&text)
        }
    })
    .edges(DOCUMENTS.map(sql::text))
    .derive("varchar(100)", "LEFT({}, 100)");
    if product.mariadb {
        return ty.change(|random, column| match random.below(3) {
            0 => format!("JSON_SET({column}, '$.a', {})", random.next_u64()),
            1 => format!("JSON_ARRAY({column}, 1)"),
            _ => format!("JSON_REMOVE({column}, '$.a', '$[0]')"),
        });
    }
    ty.change(change)
        .derive("varchar(100)", "JSON_UNQUOTE(JSON_EXTRACT({}, '$.a'))")
}

/// Changes that MySQL may log as a difference (MySQL manual: "Partial Updates of JSON Values").
fn change(random: &mut Random, column: &str) -> String {
    let value = match random.below(6) {
        0 => random.next_u64().to_string(),
        1 => "1.5".to_owned(),
        2 => "NULL".to_owned(),
        3 => "CAST('[1, {\"x\": 2}]' AS JSON)".to_owned(),
        4 => "'längerer Text'".to_owned(),
        _ => "'x'".to_owned(),
    };
    let path = random.pick(&[
        "$.a",
        "$[0]",
        "$.b",
        "$[1]",
        "$.n",
        "$.t[0]",
        "$.\"key \\\\\"q\\\\\"\"",
        "$",
    ]);
    match random.below(5) {
        0 => format!("JSON_SET({column}, '{path}', {value})"),
        1 => format!("JSON_REPLACE({column}, '{path}', {value})"),
        2 => format!(
            "JSON_REMOVE({column}, '{}')",
            if path == "$" { "$.a" } else { path }
        ),
        3 => format!("JSON_SET({column}, '{path}', {value}, '$.new', 1)"),
        _ => format!("JSON_ARRAY({column}, {value})"),
    }
}

fn document(random: &mut Random, depth: usize, out: &mut String) {
    let kinds = if depth > 3 { 6 } else { 8 };
    match random.below(kinds) {
        0 => out.push_str(random.pick(&["null", "true", "false"])),
        1 => out.push_str(&random.between(-70_000, 70_000).to_string()),
        2 => out.push_str(&(random.next_u64() as i64).to_string()),
        3 => {
            let number = random.between(-(1 << 50), 1 << 50) as f64 / 1024.0;
            out.push_str(&format!("{number:e}"));
        }
        4 | 5 => string(random, out),
        6 => list(random, depth, out),
        _ => object(random, depth, out),
    }
}

fn string(random: &mut Random, out: &mut String) {
    let most = if random.one_in(10) { 300 } else { 8 };
    out.push('"');
    for _ in 0..random.below(most) {
        out.push_str(random.pick(&[
            "a", "b", "é", "日", "🦀", " ", "/", "\\\\", "\\\"", "\\n", "'", "\\u0001",
        ]));
    }
    out.push('"');
}

fn list(random: &mut Random, depth: usize, out: &mut String) {
    out.push('[');
    for at in 0..random.below(5) {
        if at > 0 {
            out.push(',');
        }
        document(random, depth + 1, out);
    }
    out.push(']');
}

fn object(random: &mut Random, depth: usize, out: &mut String) {
    out.push('{');
    for at in 0..random.below(6) {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(random.pick(&[
            "\"a\"",
            "\"b\"",
            "\"n\"",
            "\"t\"",
            "\"aa\"",
            "\"é\"",
            "\"\"",
            "\"long key 1\"",
        ]));
        out.push_str(": ");
        document(random, depth + 1, out);
    }
    out.push('}');
}
