//! Statements that change JSON documents in part (MySQL).

use crate::Random;
use crate::edge::text_literal;

/// What a writer may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moves {
    /// Anything.
    Any,
    /// No difference that moves elements of an array: members come and go, cells are replaced.
    None,
}

const KEYS: [&str; 11] = [
    "a", "b", "aa", "b c", "é", "q\"q", "", "x.y", "[0]", "k\\n", "🔑",
];

/// A document with objects, arrays, and text that is long enough for differences to be shorter.
#[must_use]
pub fn document(random: &mut Random) -> String {
    let filler = "f".repeat(random.below(300) as usize);
    if random.one_in(6) {
        return format!(
            "JSON_ARRAY({}, 1, JSON_ARRAY(), '{filler}')",
            value(random, 0)
        );
    }
    let mut members = vec![format!("'filler', '{filler}'")];
    for key in KEYS {
        if random.one_in(2) {
            members.push(format!("{}, {}", text_literal(key), value(random, 0)));
        }
    }
    format!("JSON_OBJECT({})", members.join(", "))
}

/// An expression for a JSON value of any kind.
fn value(random: &mut Random, depth: u32) -> String {
    let n = random.between(-70_000, 70_000);
    let choices = if depth < 3 { 14 } else { 11 };
    match random.below(choices) {
        0 => "CAST('null' AS JSON)".into(),
        1 => "CAST('true' AS JSON)".into(),
        2 => n.to_string(),
        3 => format!("{n} * 1e0 / 7e0"),
        4 => format!("CAST({n}.25 AS DECIMAL(20,4))"),
        5 => "18446744073709551615".into(),
        6 => "CAST('2031-02-03 04:05:06.5' AS DATETIME(6))".into(),
        7 => "CAST(x'00ff80' AS JSON)".into(),
        8 => text_literal("with \"quotes\", \\ back\nslashes, ]} and ü"),
        9 => format!("REPEAT('l', {})", random.below(400)),
        10 => "''".into(),
        11 => format!(
            "JSON_ARRAY({}, {})",
            value(random, depth + 1),
            value(random, depth + 1)
        ),
        12 => "JSON_ARRAY()".into(),
        _ => format!(
            "JSON_OBJECT({}, {}, 'a', {})",
            text_literal(random.pick::<&str>(&KEYS)),
            value(random, depth + 1),
            value(random, depth + 1)
        ),
    }
}

/// A path to something that may be there.
fn path(random: &mut Random, cells: bool) -> String {
    let mut path = String::from("$");
    for _ in 0..=random.below(3) {
        if cells && random.one_in(3) {
            let cell = random.pick(&["0", "1", "2", "9", "last", "last-1", "last-7"]);
            path.push_str(&format!("[{cell}]"));
            continue;
        }
        let key = random.pick::<&str>(&KEYS);
        if key.chars().all(char::is_alphabetic) && !key.is_empty() && random.one_in(2) {
            path.push_str(&format!(".{key}"));
        } else {
            let quoted = key.replace('\\', "\\\\").replace('"', "\\\"");
            path.push_str(&format!(".\"{quoted}\""));
        }
    }
    text_literal(&path)
}

fn pairs(random: &mut Random, cells: bool) -> String {
    let pairs: Vec<String> = (0..=random.below(3))
        .map(|_| format!("{}, {}", path(random, cells), value(random, 1)))
        .collect();
    pairs.join(", ")
}

/// An expression that changes a column in part, or as a whole now and then.
#[must_use]
pub fn change(random: &mut Random, column: &str, moves: Moves) -> String {
    let any = moves == Moves::Any;
    match random.below(12) {
        0..=3 => format!("JSON_SET({column}, {})", pairs(random, any)),
        // A cell that is not there is not added.
        4 | 5 => format!("JSON_REPLACE({column}, {})", pairs(random, true)),
        6 | 7 => format!("JSON_REMOVE({column}, {})", path(random, any)),
        8 => format!(
            "JSON_REPLACE(JSON_SET({column}, {}), {})",
            pairs(random, any),
            pairs(random, true)
        ),
        9 => format!("JSON_ARRAY_APPEND({column}, '$', {})", value(random, 1)),
        10 => format!("JSON_MERGE_PATCH({column}, {})", document(random)),
        _ => document(random),
    }
}
