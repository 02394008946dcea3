//! Names of databases, tables and columns that are as odd as servers allow.

use crate::random::Random;

/// Words; a number behind them makes them different also where a collation takes two of them
/// for one.
const WORDS: [&str; 40] = [
    "id",
    "type",
    "self",
    "Select",
    "order by",
    "a b",
    "a`b",
    "über",
    "日本",
    "x.y",
    "it's",
    "\"q\"",
    "%s",
    "{}",
    "a\\b",
    "-- c",
    "/*x*/",
    "#h",
    "1st",
    "fn",
    "value",
    "row",
    "new",
    "CamelCase",
    "snake_case",
    "__x",
    "get",
    "iter",
    "table",
    "r#type",
    "key",
    "Ω",
    "naïve",
    "crate",
    "Option",
    "$d",
    "a-b",
    "e1",
    "true",
    "{{x}}",
];

/// A name that no other name with another number equals.
pub(crate) fn odd(random: &mut Random, number: usize) -> String {
    let word = random.pick(&WORDS);
    match random.below(12) {
        0 => {
            let rest = 64 - word.chars().count() - number.to_string().len();
            format!("{word}{}{number}", "n".repeat(rest))
        }
        1..=3 => format!("{word} {number}"),
        4 => format!("{number}{word}_"),
        _ => format!("{word}{number}"),
    }
}

/// A name for a database; `fuzz` and the number stand first, so that it can be found again.
pub(crate) fn database(random: &mut Random, number: usize) -> String {
    if random.one_in(2) {
        format!("fuzz{number}")
    } else {
        format!("fuzz{number}_{}", random.pick(&WORDS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_servers_limit_of_64_characters() {
        let mut random = Random::new(3);
        for number in 0..2000 {
            assert!(odd(&mut random, number).chars().count() <= 64);
            assert!(database(&mut random, number).chars().count() <= 64);
        }
    }
}
