//! DECIMAL and BIT.

use integration::cases::{Case, Servers};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use test_cases::{BitT, Snapshot};

pub(crate) const TESTS: &[Test] = tests![
    negative_decimals_keep_sign_and_digits,
    wide_bits_are_unsigned_numbers,
];

/// Sixty-five nines.
const NINES: &str = "99999999999999999999999999999999999999999999999999999999999999999";

fn negative_decimals_keep_sign_and_digits(servers: &Servers, flavor: Flavor) {
    let first = format!(
        "INSERT INTO dec_t VALUES
         (1,-83.0907,-0.00007,-0.000000000000000000000000000001,-{NINES},-0.000000001,-0.000000001,-9),
         (2,0,0,0,0,0,0,0)"
    );
    let second = format!(
        "INSERT INTO dec_t VALUES
         (3,-0.5,0.99999,12345678901234567890123456789012345.000000000000000000000000000009,{NINES},0.1,999999999.000000001,9),
         (4,NULL,NULL,NULL,NULL,NULL,NULL,NULL),
         (5,1,1e-5,1,1,1e-9,1,1)"
    );
    let negate = format!(
        "UPDATE dec_t SET a = 83.0907, b = -1e-5, c = -1, d = -{NINES}, e = -1e-9, f = -0.5, g = -1 WHERE id = 5"
    );
    for site in servers.all(flavor) {
        let case = Case::on(site, &["dec_t"]).expect("every server has DECIMAL");
        case.on_all_paths(&[&first], &[&second, &negate], check_decimals);
    }
}

fn check_decimals(snapshot: &Snapshot) {
    let zeros = |count: usize| "0".repeat(count);
    let rows: Vec<Vec<String>> = snapshot.dec_t().iter().map(decimals).collect();
    let expected = [
        vec![
            "-83.0907".to_owned(),
            "-0.00007".into(),
            format!("-0.{}1", zeros(29)),
            format!("-{NINES}"),
            "-0.000000001".into(),
            "-0.000000001".into(),
            "-9".into(),
        ],
        vec![
            "0.0000".into(),
            "0.00000".into(),
            format!("0.{}", zeros(30)),
            "0".into(),
            format!("0.{}", zeros(9)),
            format!("0.{}", zeros(9)),
            "0".into(),
        ],
        vec![
            "-0.5000".into(),
            "0.99999".into(),
            format!("12345678901234567890123456789012345.{}9", zeros(29)),
            NINES.into(),
            "0.100000000".into(),
            "999999999.000000001".into(),
            "9".into(),
        ],
        vec!["NULL".into(); 7],
        vec![
            "83.0907".into(),
            "-0.00001".into(),
            format!("-1.{}", zeros(30)),
            format!("-{NINES}"),
            "-0.000000001".into(),
            format!("-0.5{}", zeros(8)),
            "-1".into(),
        ],
    ];
    assert_eq!(rows, expected);
    let first = snapshot.dec_t().get(1).expect("row 1");
    let a: mirror_runtime::Decimal = "-83.0907".parse().expect("a number");
    let d: mirror_runtime::BigDecimal = format!("-{NINES}").parse().expect("a number");
    assert_eq!((first.a, first.d.as_ref()), (Some(a), Some(&d)));
}

/// The numbers of a row in plain digits.
fn decimals(row: &test_cases::DecT) -> Vec<String> {
    fn small(value: &Option<mirror_runtime::Decimal>) -> String {
        value.map_or("NULL".into(), |value| value.to_string())
    }
    fn large(value: &Option<mirror_runtime::BigDecimal>) -> String {
        let plain = |value: &mirror_runtime::BigDecimal| value.to_plain_string();
        value.as_ref().map_or("NULL".into(), plain)
    }
    vec![
        small(&row.a),
        small(&row.b),
        large(&row.c),
        large(&row.d),
        small(&row.e),
        small(&row.f),
        small(&row.g),
    ]
}

fn wide_bits_are_unsigned_numbers(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["bit_t"]).expect("every server has BIT");
        case.on_all_paths(
            &[
                "INSERT INTO bit_t VALUES (1,b'1',0x102,0x100000001,0x0102030405060708),
               (2,b'0',0x1FF,0x80000000,0xFFFFFFFFFFFFFFFF), (4,0,0,0,0)",
            ],
            &[
                "INSERT INTO bit_t VALUES (3,NULL,1,1,0x8000000000000000)",
                "UPDATE bit_t SET b9=0x1FE, b64=0x0F00000000000000 WHERE id=4",
            ],
            |snapshot| {
                let bits = |id, b1, b9, b33, b64| BitT {
                    id,
                    b1,
                    b9: Some(b9),
                    b33: Some(b33),
                    b64: Some(b64),
                };
                let expected = [
                    bits(1, Some(1), 258, 4_294_967_297, 72_623_859_790_382_856),
                    bits(2, Some(0), 511, 2_147_483_648, 18_446_744_073_709_551_615),
                    bits(3, None, 1, 1, 9_223_372_036_854_775_808),
                    bits(4, Some(0), 510, 0, 0x0F00_0000_0000_0000),
                ];
                assert!(
                    snapshot.bit_t().iter().eq(&expected),
                    "{:?}",
                    snapshot.bit_t().iter().collect::<Vec<_>>()
                );
            },
        );
    }
}
