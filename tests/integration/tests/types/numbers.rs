//! Integers, floats, decimals, bits.

use std::str::FromStr;

use integration::cases::{Case, Servers};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use mirror_runtime::{BigDecimal, Decimal};

pub(crate) const TESTS: &[Test] = tests![
    integers_of_all_widths_reach_both_ends,
    floats_keep_every_bit,
    decimal_of_28_digits_is_exact_on_both_paths,
    decimal_of_65_digits_is_exact_on_both_paths,
    bits_up_to_64_are_unsigned_numbers,
];

fn integers_of_all_widths_reach_both_ends(servers: &Servers, flavor: Flavor) {
    type Row = (i8, u8, i16, u16, i32, u32, i32, u32, i64, u64);
    let rows: [Row; 5] = [
        (
            i8::MIN,
            0,
            i16::MIN,
            0,
            -8_388_608,
            0,
            i32::MIN,
            0,
            i64::MIN,
            0,
        ),
        (
            i8::MAX,
            u8::MAX,
            i16::MAX,
            u16::MAX,
            8_388_607,
            16_777_215,
            i32::MAX,
            u32::MAX,
            i64::MAX,
            u64::MAX,
        ),
        (-1, 128, -1, 32_768, -1, 8_388_608, -1, 1 << 31, -1, 1 << 63),
        (
            0,
            1,
            256,
            255,
            65_536,
            65_535,
            16_777_216,
            256,
            1 << 53,
            (1 << 53) + 1,
        ),
        (
            1,
            127,
            -129,
            256,
            -32_769,
            256,
            -8_388_609,
            1,
            -(1 << 31) - 1,
            1 << 32,
        ),
    ];
    let edges = rows.map(|row| {
        let (a, b, c, d, e, f, g, h, i, j) = row;
        (
            format!("{a}, {b}, {c}, {d}, {e}, {f}, {g}, {h}, {i}, {j}"),
            row,
        )
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_integers"]).expect("every server has integers");
        case.on_edges(
            "i8, u8, i16, u16, i24, u24, i32, u32, i64, u64",
            &edges,
            |snapshot, id| {
                let row = snapshot.t_integers().get(id)?;
                Some((
                    row.i8, row.u8, row.i16, row.u16, row.i24, row.u24, row.i32, row.u32, row.i64,
                    row.u64,
                ))
            },
        );
    }
}

fn floats_keep_every_bit(servers: &Servers, flavor: Flavor) {
    // MariaDB stores no negative zero.
    let zero = if flavor == Flavor::Mysql { -0.0 } else { 0.0 };
    let rows: [(&str, f32, &str, f64); 8] = [
        ("0", 0.0, "0", 0.0),
        ("-0e0", zero as f32, "-0e0", zero),
        (
            "3.402823466e38",
            f32::MAX,
            "1.7976931348623157e308",
            f64::MAX,
        ),
        (
            "-3.402823466e38",
            f32::MIN,
            "-1.7976931348623157e308",
            f64::MIN,
        ),
        (
            "1.17549435e-38",
            f32::MIN_POSITIVE,
            "2.2250738585072014e-308",
            f64::MIN_POSITIVE,
        ),
        (
            "1.4e-45",
            f32::from_bits(1),
            "4.9406564584124654e-324",
            f64::from_bits(1),
        ),
        (
            "16777217",
            16_777_216.0,
            "9007199254740993",
            9_007_199_254_740_992.0,
        ),
        ("0.1", 0.1, "0.30000000000000004", 0.1 + 0.2),
    ];
    let edges = rows
        .map(|(f, single, d, double)| (format!("{f}, {d}"), (single.to_bits(), double.to_bits())));
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_floats"]).expect("every server has floats");
        case.on_edges("f, d", &edges, |snapshot, id| {
            let row = snapshot.t_floats().get(id)?;
            Some((row.f.to_bits(), row.d.to_bits()))
        });
    }
}

/// Literals and what they are with the declared scales.
fn decimals(rows: &[[(&str, &str); 4]]) -> Vec<(String, [String; 4])> {
    let edge = |row: &[(&str, &str); 4]| {
        let literals = row.map(|(literal, _)| literal).join(", ");
        (literals, row.map(|(_, expected)| expected.to_owned()))
    };
    rows.iter().map(edge).collect()
}

fn decimal_of_28_digits_is_exact_on_both_paths(servers: &Servers, flavor: Flavor) {
    let nines = "999999999999999999.9999999999";
    let all = "0.9999999999999999999999999999";
    let least = "0.0000000000000000000000000001";
    let zero = "0.0000000000000000000000000000";
    let minus = |text: &str| format!("-{text}");
    let (minus_nines, minus_all, minus_least) = (minus(nines), minus(all), minus(least));
    let edges = decimals(&[
        [
            (nines, nines),
            (all, all),
            ("9", "9"),
            ("99999999.99", "99999999.99"),
        ],
        [
            (&minus_nines, &minus_nines),
            (&minus_all, &minus_all),
            ("-9", "-9"),
            ("-99999999.99", "-99999999.99"),
        ],
        [
            ("0", "0.0000000000"),
            ("0", zero),
            ("0", "0"),
            ("0", "0.00"),
        ],
        [
            ("-1e-10", "-0.0000000001"),
            (&minus_least, &minus_least),
            ("1", "1"),
            ("-0.01", "-0.01"),
        ],
        [
            (
                "123456789012345678.0123456789",
                "123456789012345678.0123456789",
            ),
            ("0.1", "0.1000000000000000000000000000"),
            ("-1", "-1"),
            ("-0.5", "-0.50"),
        ],
    ]);
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_decimals"]).expect("every server has DECIMAL");
        case.on_edges("a, b, c, d", &edges, |snapshot, id| {
            let row = snapshot.t_decimals().get(id)?;
            Some([row.a, row.b, row.c, row.d].map(|value: Decimal| value.to_string()))
        });
    }
    assert_eq!(
        Decimal::from_str(nines).expect("a number").to_string(),
        nines
    );
}

fn decimal_of_65_digits_is_exact_on_both_paths(servers: &Servers, flavor: Flavor) {
    let nines = |count: usize| "9".repeat(count);
    let zeros = |count: usize| "0".repeat(count);
    let whole = nines(65);
    let mixed = format!("{}.{}", nines(35), nines(30));
    let fraction = format!("0.{}", nines(30));
    let least = format!("0.{}1", zeros(29));
    let zero = format!("0.{}", zeros(30));
    let one = format!("1.{}", zeros(30));
    let minus = |text: &str| format!("-{text}");
    let twenty_nine = nines(29);
    let edges = decimals(&[
        [
            (&twenty_nine, &twenty_nine),
            (&whole, &whole),
            (&mixed, &mixed),
            (&fraction, &fraction),
        ],
        [
            (&minus(&twenty_nine), &minus(&twenty_nine)),
            (&minus(&whole), &minus(&whole)),
            (&minus(&mixed), &minus(&mixed)),
            (&minus(&fraction), &minus(&fraction)),
        ],
        [("0", "0"), ("0", "0"), ("0", &zero), ("0", &zero)],
        [
            ("-1", "-1"),
            ("1", "1"),
            (&least, &least),
            (&minus(&least), &minus(&least)),
        ],
        [
            (
                "79228162514264337593543950335",
                "79228162514264337593543950335",
            ),
            (
                "-340282366920938463463374607431768211456",
                "-340282366920938463463374607431768211456",
            ),
            ("1", &one),
            (&least, &least),
        ],
    ]);
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_big_decimals"]).expect("every server has DECIMAL");
        case.on_edges("a, b, c, d", &edges, |snapshot, id| {
            let row = snapshot.t_big_decimals().get(id)?;
            let values = [&row.a, &row.b, &row.c, &row.d];
            Some(values.map(|value: &BigDecimal| value.to_plain_string()))
        });
    }
}

fn bits_up_to_64_are_unsigned_numbers(servers: &Servers, flavor: Flavor) {
    let rows: [(u64, u64, u64, u64, u64); 4] = [
        (0, 0, 0, 0, 0),
        (1, 0xff, 0x1ff, 0x1_ffff_ffff, u64::MAX),
        (0, 0x80, 0x100, 0x1_0000_0000, 1 << 63),
        (1, 1, 0x0ff, 0x0102_0304, 0x0102_0304_0506_0708),
    ];
    let edges = rows.map(|row| {
        let (a, b, c, d, e) = row;
        (format!("{a}, {b}, {c}, {d}, {e}"), row)
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_bits"]).expect("every server has BIT");
        case.on_edges("b1, b8, b9, b33, b64", &edges, |snapshot, id| {
            let row = snapshot.t_bits().get(id)?;
            Some((row.b1, row.b8, row.b9, row.b33, row.b64))
        });
    }
}
