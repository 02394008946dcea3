//! Integers, FLOAT, DOUBLE, DECIMAL, BIT.

use super::{ColumnType, Entry, everywhere};
use crate::product::Product;
use crate::random::Random;

pub(super) fn entries() -> Vec<Entry> {
    let entry = |name, weight, make| Entry {
        name,
        weight,
        on: everywhere,
        make,
    };
    vec![
        entry("tinyint", 4, |random, _| integer(random, "tinyint", 8)),
        entry("smallint", 4, |random, _| integer(random, "smallint", 16)),
        entry("mediumint", 4, |random, _| integer(random, "mediumint", 24)),
        entry("int", 6, |random, _| integer(random, "int", 32)),
        entry("bigint", 6, |random, _| integer(random, "bigint", 64)),
        entry("bool", 2, bool),
        entry("float", 4, float),
        entry("double", 4, double),
        entry("decimal", 10, decimal),
        entry("bit", 6, bit),
    ]
}

pub(super) fn range(bits: u32, unsigned: bool) -> (i128, i128) {
    if unsigned {
        (0, (1 << bits) - 1)
    } else {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    }
}

fn integer(random: &mut Random, name: &str, bits: u32) -> ColumnType {
    let unsigned = random.one_in(2);
    let (least, greatest) = range(bits, unsigned);
    let width = if random.one_in(8) {
        format!("({})", random.between(1, 20))
    } else {
        String::new()
    };
    let attributes = match (unsigned, random.one_in(4)) {
        (true, true) => " unsigned zerofill",
        (true, false) => " unsigned",
        (false, _) => "",
    };
    let inner = [
        0, 1, -1, 127, 128, -128, 255, 256, 32_767, 32_768, 65_535, 8_388_608, 16_777_215,
    ];
    let inner = inner.into_iter().filter(|n| (least..=greatest).contains(n));
    let edges = [least, greatest, least + 1, greatest - 1]
        .into_iter()
        .chain(inner);
    ColumnType::new(format!("{name}{width}{attributes}"), move |random| {
        let number = if random.one_in(2) {
            i128::from(random.below(100))
        } else {
            least + i128::from(random.next_u64()) % (greatest - least + 1)
        };
        number.to_string()
    })
    .edges(edges)
    .key(8)
    .default([greatest, 0, least, 7])
    .change(|random, column| match random.below(3) {
        0 => format!("{column} + 1"),
        1 => format!("{column} - 1"),
        _ => format!("{column} DIV 2"),
    })
    .derive("bigint", "{} DIV 2")
    .derive("varchar(30)", "CONCAT({}, 'x')")
}

fn bool(_: &mut Random, _: Product) -> ColumnType {
    ColumnType::new("bool", |random| random.below(2).to_string())
        .edges(["TRUE", "FALSE"])
        .key(1)
        .default(["TRUE", "FALSE"])
        .change(|_, column| format!("NOT {column}"))
}

const FLOATS: [&str; 16] = [
    "0",
    "-0e0",
    "1",
    "-1.5",
    "0.1",
    "-0.1",
    "16777217",
    "3.402823466e38",
    "-3.402823466e38",
    "1.17549435e-38",
    "1.4e-45",
    "-1.4e-45",
    "0.333333343",
    "123456.789",
    "999999",
    "1e15",
];
const DOUBLES: [&str; 15] = [
    "0",
    "-0e0",
    "1",
    "-1.5",
    "0.1",
    "0.30000000000000004",
    "9007199254740993",
    "1.7976931348623157e308",
    "-1.7976931348623157e308",
    "2.2250738585072014e-308",
    "4.9406564584124654e-324",
    "3.141592653589793",
    "1e22",
    "1e16",
    "123456789012345680",
];

fn float(random: &mut Random, _: Product) -> ColumnType {
    let sql = random.pick(&[
        "float",
        "float",
        "float unsigned",
        "float(7,3)",
        "float(12)",
        "float zerofill",
    ]);
    ColumnType::new(sql, |random| {
        let number = f32::from_bits(random.next_u64() as u32);
        if number.is_finite() {
            format!("{:e}", f64::from(number))
        } else {
            format!("{}.25", random.between(-1000, 1000))
        }
    })
    .edges(FLOATS)
    .key(4)
    .default(["1.5", "0.1"])
    .change(|_, column| format!("{column} / 3"))
}

fn double(random: &mut Random, _: Product) -> ColumnType {
    let sql = random.pick(&[
        "double",
        "double",
        "double unsigned",
        "double(20,5)",
        "real",
        "float(40)",
    ]);
    ColumnType::new(sql, |random| {
        let number = f64::from_bits(random.next_u64());
        if number.is_finite() {
            format!("{number:e}")
        } else {
            format!("{}.125", random.between(-1000, 1000))
        }
    })
    .edges(DOUBLES)
    .key(8)
    .default(["1.5", "0.1"])
    .change(|_, column| format!("{column} / 3"))
}

fn decimal(random: &mut Random, product: Product) -> ColumnType {
    let most_scale = if product.mariadb { 38 } else { 30 };
    let precision = match random.below(4) {
        0 => random.between(1, 9),
        1 => random.between(10, 28),
        2 => random.between(29, 64),
        _ => 65,
    };
    let scale = match random.below(3) {
        0 => 0,
        1 => precision.min(most_scale),
        _ => random.between(0, precision.min(most_scale)),
    };
    let attribute = random.pick(&["", "", "", "", " unsigned", " zerofill"]);
    let (whole, scale) = (
        usize::try_from(precision - scale).unwrap_or(0),
        usize::try_from(scale).unwrap_or(0),
    );
    let greatest = format!("0{}.{}", "9".repeat(whole), "9".repeat(scale));
    let least = format!("0.{}1", "0".repeat(scale.saturating_sub(1)));
    let ten = format!("1{}.0", "0".repeat(whole.saturating_sub(1)));
    let pattern: String = "1234567890".chars().cycle().take(whole + scale).collect();
    let (first, second) = pattern.split_at(whole);
    let mut edges = vec![
        "0".to_owned(),
        "-0.0".to_owned(),
        greatest.clone(),
        format!("-{greatest}"),
    ];
    edges.extend([format!("0{first}.{second}"), format!("-0{first}.{second}")]);
    if scale > 0 {
        edges.extend([
            least.clone(),
            format!("-{least}"),
            format!("-0.{}5", "0".repeat(scale)),
        ]);
    }
    if whole > 0 {
        edges.extend([ten.clone(), format!("-{ten}")]);
    }
    ColumnType::new(
        format!("decimal({precision},{scale}){attribute}"),
        move |random| {
            let digits: String = (0..whole + scale)
                .map(|_| char::from(b'0' + random.below(10) as u8))
                .collect();
            let (whole, fraction) = digits.split_at(whole);
            // Groups of nine digits that are all zero are a case of their own.
            let whole = if random.one_in(3) { "" } else { whole };
            let sign = if random.one_in(2) { "-" } else { "" };
            format!("{sign}0{whole}.{fraction}")
        },
    )
    .edges(edges)
    .key(32)
    .default(["0", "'0'"])
    .change(|_, column| format!("-{column}"))
}

fn bit(random: &mut Random, _: Product) -> ColumnType {
    let bits = match random.below(4) {
        0 => 1,
        1 => 64,
        _ => random.between(2, 63),
    };
    let all = u64::MAX >> (64 - bits);
    let edges = [
        0,
        1,
        all,
        all ^ 1,
        1 << (bits - 1),
        0xaaaa_aaaa_aaaa_aaaa & all,
        0x0102_0304_0506_0708 & all,
    ];
    ColumnType::new(format!("bit({bits})"), move |random| {
        format!("b'{:b}'", random.next_u64() & all)
    })
    .edges(edges)
    .key(8)
    .default(["b'1'", "b'0'"])
    .derive("bigint unsigned", "{} + 0")
}
