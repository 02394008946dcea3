//! JSON, VECTOR, UUID, INET4 and INET6; nullable and generated columns.

use std::net::{Ipv4Addr, Ipv6Addr};

use integration::cases::{Case, Servers};
use integration::edge::text_literal;
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use test_cases::TNullable;

pub(crate) const TESTS: &[Test] = tests![
    json_is_shown_as_the_server_shows_it,
    json_of_mariadb_stays_text,
    vectors_keep_every_bit,
    uuids_are_printed_as_the_server_prints_them,
    addresses_of_both_kinds_are_addresses,
    null_is_none_in_columns_of_every_type,
    generated_columns_have_the_servers_values,
];

/// Documents as MySQL prints them.
const DOCUMENTS: [&str; 14] = [
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "0",
    "-1",
    "18446744073709551615",
    "-9223372036854775808",
    "1.0",
    "-0.00000025",
    "{\"a\": [1, 2.5, null, \"it's\"], \"b\": {\"x\": {}}}",
    "[\"\\u0000\\u001f\\n\\t\\\\ 日本 🦀\", [[[[[]]]]]]",
    "[32767, 32768, -32768, -32769, 2147483647, 2147483648, 65535, 65536]",
];

fn json_is_shown_as_the_server_shows_it(servers: &Servers, flavor: Flavor) {
    let large = format!(
        "[\"{}\", {}]",
        "ü".repeat(40_000),
        "1, ".repeat(9_000) + "2"
    );
    let texts = DOCUMENTS.iter().map(|text| (*text).to_owned());
    let edges: Vec<(String, String)> = texts
        .chain([large])
        .map(|text| (text_literal(&text), text))
        .collect();
    for site in servers.all(flavor) {
        let Some(case) = Case::on(site, &["t_json"]) else {
            return;
        };
        case.on_edges("j", &edges, |snapshot, id| {
            Some(snapshot.t_json().get(id)?.j.to_string())
        });
    }
}

fn json_of_mariadb_stays_text(servers: &Servers, flavor: Flavor) {
    let spaced = ["{ }", "{\"a\":1,   \"a\":2}", "[1.0,  1e2]"];
    let texts = DOCUMENTS.iter().chain(&spaced);
    let edges: Vec<(String, String)> = texts
        .map(|text| (text_literal(text), (*text).to_owned()))
        .collect();
    for site in servers.all(flavor) {
        let Some(case) = Case::on_mariadb(site, &["t_json_texts"]) else {
            return;
        };
        case.on_edges("j", &edges, |snapshot, id| {
            Some(snapshot.t_json_texts().get(id)?.j.to_string())
        });
    }
}

fn vectors_keep_every_bit(servers: &Servers, flavor: Flavor) {
    // MariaDB takes no vector whose square is no FLOAT.
    let most = if flavor == Flavor::Mysql {
        f32::MAX
    } else {
        1e19
    };
    let rows: [(f32, [f32; 3]); 4] = [
        (0.0, [0.0, -0.0, 1.0]),
        (most, [-most, f32::MIN_POSITIVE, f32::from_bits(1)]),
        (-1.5, [0.1, -17.8, 32.0]),
        (16_777_216.0, [1e-7, 1e18, -1e-45]),
    ];
    // Text would lose bits; the bytes are little endian (MySQL manual: "The VECTOR Type").
    let literal = |entries: &[f32]| {
        let bytes: Vec<u8> = entries
            .iter()
            .flat_map(|entry| entry.to_le_bytes())
            .collect();
        integration::edge::bytes_literal(&bytes)
    };
    let edges = rows.map(|(one, three)| {
        let literals = format!("{}, {}", literal(&[one]), literal(&three));
        (literals, (one.to_bits(), three.map(f32::to_bits).to_vec()))
    });
    for site in servers.all(flavor) {
        let Some(case) = Case::on(site, &["t_vectors"]) else {
            return;
        };
        case.on_edges("v1, v3", &edges, |snapshot, id| {
            let row = snapshot.t_vectors().get(id)?;
            let three = row.v3.as_slice().iter().map(|entry| entry.to_bits());
            Some((row.v1.as_slice()[0].to_bits(), three.collect()))
        });
    }
}

fn uuids_are_printed_as_the_server_prints_them(servers: &Servers, flavor: Flavor) {
    let texts = [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "123e4567-e89b-12d3-a456-426655440000",
        "01890a5d-ac96-774b-bcce-b302099a8057",
        "00112233-4455-6677-8899-aabbccddeeff",
    ];
    let edges = texts.map(|text| {
        let expected = (text.to_owned(), None);
        (format!("'{text}', NULL"), expected)
    });
    let both = texts.map(|text| {
        let expected = (text.to_owned(), Some(text.to_owned()));
        (format!("'{text}', '{text}'"), expected)
    });
    for site in servers.all(flavor) {
        let Some(case) = Case::on_mariadb(site, &["t_uuids"]) else {
            return;
        };
        case.on_edges(
            "u, u_null",
            &[edges.clone(), both.clone()].concat(),
            |snapshot, id| {
                let row = snapshot.t_uuids().get(id)?;
                Some((row.u.to_string(), row.u_null.map(|uuid| uuid.to_string())))
            },
        );
    }
}

fn addresses_of_both_kinds_are_addresses(servers: &Servers, flavor: Flavor) {
    let rows = [
        ("0.0.0.0", "::"),
        ("255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("192.0.2.1", "2001:db8::ff00:42:8329"),
        ("10.0.0.0", "::ffff:192.0.2.1"),
        ("1.2.3.0", "fe80::"),
    ];
    type Row = (Ipv4Addr, Option<Ipv4Addr>, Ipv6Addr, Option<Ipv6Addr>);
    let edges: Vec<(String, Row)> = rows
        .iter()
        .enumerate()
        .map(|(turn, (four, six))| {
            let parsed: (Ipv4Addr, Ipv6Addr) =
                (four.parse().expect("IPv4"), six.parse().expect("IPv6"));
            if turn % 2 == 0 {
                let literals = format!("'{four}', NULL, '{six}', NULL");
                (literals, (parsed.0, None, parsed.1, None))
            } else {
                let literals = format!("'{four}', '{four}', '{six}', '{six}'");
                (
                    literals,
                    (parsed.0, Some(parsed.0), parsed.1, Some(parsed.1)),
                )
            }
        })
        .collect();
    for site in servers.all(flavor) {
        let Some(case) = Case::on_mariadb(site, &["t_addresses"]) else {
            return;
        };
        case.on_edges("four, four_null, six, six_null", &edges, |snapshot, id| {
            let row = snapshot.t_addresses().get(id)?;
            Some((row.four, row.four_null, row.six, row.six_null))
        });
    }
}

/// Which columns are there, by bit, and the key.
fn present(row: &TNullable) -> u32 {
    let all = [
        row.i.is_some(),
        row.f.is_some(),
        row.de.is_some(),
        row.bi.is_some(),
        row.da.is_some(),
        row.dt.is_some(),
        row.ts.is_some(),
        row.ti.is_some(),
        row.y.is_some(),
        row.v.is_some(),
        row.b.is_some(),
        row.bl.is_some(),
        row.e.is_some(),
        row.s.is_some(),
        row.bt.is_some(),
        row.g.is_some(),
    ];
    (0..)
        .zip(all)
        .map(|(bit, there)| u32::from(there) << bit)
        .sum()
}

fn null_is_none_in_columns_of_every_type(servers: &Servers, flavor: Flavor) {
    const COLUMNS: &str = "i, f, de, bi, da, dt, ts, ti, y, v, b, bl, e, s, bt, g";
    // Values that are nothing, too: none of them is NULL.
    let values = [
        "0",
        "0",
        "0",
        "0",
        "'0000-00-00'",
        "'0000-00-00 00:00:00'",
        "'0000-00-00 00:00:00'",
        "0",
        "0",
        "''",
        "''",
        "''",
        "0",
        "''",
        "0",
        "ST_GeomFromText('POINT(0 0)')",
    ];
    let some = [0, 0xffff, 0x5555, 0xaaaa, 0x00ff, 0xff00, 1, 0x8000, 0x0180];
    let edges = some.map(|bits: u32| {
        let literal = |bit: usize| {
            if bits >> bit & 1 == 1 {
                values[bit]
            } else {
                "NULL"
            }
        };
        let literals: Vec<&str> = (0..values.len()).map(literal).collect();
        (literals.join(", "), bits)
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_nullable"]).expect("every server has these types");
        case.on_edges(COLUMNS, &edges, |snapshot, id| {
            snapshot.t_nullable().get(id).map(present)
        });
    }
}

fn generated_columns_have_the_servers_values(servers: &Servers, flavor: Flavor) {
    let edges = [0, 1, -1, i32::MIN, i32::MAX].map(|a| {
        let values = (
            a,
            Some(2 * i64::from(a)),
            Some(format!("n{a}")),
            7 - (a >> 20),
        );
        (format!("{a}, {}", values.3), values)
    });
    for site in servers.all(flavor) {
        let Some(case) = Case::on(site, &["t_generated"]) else {
            return;
        };
        // MariaDB leaves generated columns out of some images.
        let case = case.with_reloads(!site.is_mysql());
        case.on_edges("a, z", &edges, |snapshot, id| {
            let row = snapshot.t_generated().get(id)?;
            Some((row.a, row.v, row.s.as_deref().map(str::to_owned), row.z))
        });
    }
}
