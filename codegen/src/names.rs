//! SQL names and labels as Rust identifiers: any text gives a valid one, the same text always
//! the same one, and whoever comes first in table order keeps the plain form.
//!
//! Identifiers follow the Rust reference ("Identifiers", "Keywords"). Characters outside ASCII
//! stay where they are letters that Rust keeps as they are; any other is spelled by its code
//! point, e.g. `u1f600`.

use std::collections::BTreeSet;

/// Keywords of Rust 2024, strict and reserved (Rust reference: "Keywords").
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "Self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Keywords that cannot be raw identifiers.
const NEVER_RAW: &[&str] = &["crate", "self", "Self", "super"];

/// Names of ASCII characters, for texts that hold nothing else.
const PUNCTUATION: &[(char, &str)] = &[
    (' ', "space"),
    ('!', "bang"),
    ('"', "quote"),
    ('#', "hash"),
    ('$', "dollar"),
    ('%', "percent"),
    ('&', "and"),
    ('\'', "apostrophe"),
    ('(', "open"),
    (')', "close"),
    ('*', "star"),
    ('+', "plus"),
    (',', "comma"),
    ('-', "minus"),
    ('.', "dot"),
    ('/', "slash"),
    (':', "colon"),
    (';', "semicolon"),
    ('<', "less"),
    ('=', "equal"),
    ('>', "greater"),
    ('?', "question"),
    ('@', "at"),
    ('[', "open"),
    ('\\', "backslash"),
    (']', "close"),
    ('^', "caret"),
    ('_', "underscore"),
    ('`', "backtick"),
    ('{', "open"),
    ('|', "bar"),
    ('}', "close"),
    ('~', "tilde"),
];

/// Most characters of a text that go into its name.
const LONGEST: usize = 80;

/// `snake_case`: a valid identifier without `r#`, perhaps a keyword.
#[must_use]
pub fn snake(text: &str) -> String {
    let words: Vec<String> = words(text).iter().map(|word| word.to_lowercase()).collect();
    letter_first(words.join("_"), 'n')
}

/// `SCREAMING_SNAKE_CASE`: a valid identifier.
#[must_use]
pub fn screaming(text: &str) -> String {
    let words: Vec<String> = words(text).iter().map(|word| word.to_uppercase()).collect();
    letter_first(words.join("_"), 'N')
}

/// `UpperCamelCase`: a valid identifier, `Self_` for `self`.
#[must_use]
pub fn upper_camel(text: &str) -> String {
    let mut name = String::new();
    for word in words(text) {
        let digits_meet =
            name.ends_with(|c: char| c.is_numeric()) && word.starts_with(|c: char| c.is_numeric());
        if digits_meet {
            name.push('_');
        }
        let mut chars = word.chars();
        name.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        name.push_str(&chars.as_str().to_lowercase());
    }
    let name = letter_first(name, 'N');
    if name == "Self" {
        "Self_".to_owned()
    } else {
        name
    }
}

/// A name for a struct field: snake case, raw where it is a keyword.
#[must_use]
pub fn field(text: &str) -> String {
    raw(snake(text))
}

/// A name for a module and its file: snake case, ASCII only, never a keyword.
#[must_use]
pub fn module(text: &str) -> String {
    let mut name = String::new();
    for c in snake(text).chars() {
        if c.is_ascii() {
            name.push(c);
        } else {
            name.push_str(&code_point(c));
        }
    }
    if is_keyword(&name) {
        name.push_str("_table");
    }
    name
}

/// A name for a look-up method: `by_` and the snake case of the text, with one `by_` only.
#[must_use]
pub fn method(text: &str) -> String {
    let name = snake(text);
    if name.starts_with("by_") {
        name
    } else {
        format!("by_{name}")
    }
}

/// Whether the name is a keyword and no identifier by itself.
#[must_use]
pub fn is_keyword(name: &str) -> bool {
    name == "_" || KEYWORDS.contains(&name)
}

/// The name with `r#` where it is a keyword, or `_` behind it where even that is not allowed.
#[must_use]
pub fn raw(name: String) -> String {
    if NEVER_RAW.contains(&name.as_str()) || name == "_" {
        format!("{name}_")
    } else if is_keyword(&name) {
        format!("r#{name}")
    } else {
        name
    }
}

/// Names that are given already; whoever comes later gets a number.
#[derive(Debug, Default)]
pub struct Taken {
    names: BTreeSet<String>,
}

impl Taken {
    /// With these names given from the start.
    pub fn with<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            names: names.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Takes a name; false when it was given already.
    pub fn take(&mut self, name: &str) -> bool {
        self.names.insert(name.to_owned())
    }

    /// Whether the name is given already.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Takes `wanted`, or the first of `wanted2`, `wanted3`, ... (with `separator` between)
    /// that is free.
    pub fn claim(&mut self, wanted: &str, separator: &str) -> String {
        self.claim_all(wanted, separator, |name| vec![name.to_owned()])
    }

    /// Like [`Taken::claim`], for a name that brings others with it: all of them must be free.
    pub fn claim_all(
        &mut self,
        wanted: &str,
        separator: &str,
        with: impl Fn(&str) -> Vec<String>,
    ) -> String {
        let plain = wanted.strip_prefix("r#").unwrap_or(wanted);
        let mut name = wanted.to_owned();
        let mut number = 1_u64;
        loop {
            let all = with(&name);
            if all.iter().all(|name| !self.holds(name)) {
                self.names.extend(all);
                return name;
            }
            number += 1;
            name = format!("{plain}{separator}{number}");
        }
    }
}

/// Names of ENUM variants, in the order of the labels.
#[must_use]
pub fn variants(labels: &[String]) -> Vec<String> {
    let mut taken = Taken::default();
    let claim = |label: &String| taken.claim(&upper_camel(label), "");
    labels.iter().map(claim).collect()
}

/// Names of SET constants, in the order of the labels.
#[must_use]
pub fn constants(labels: &[String]) -> Vec<String> {
    let mut taken = Taken::default();
    let claim = |label: &String| taken.claim(&screaming(label), "_");
    labels.iter().map(claim).collect()
}

/// The words of a text: cut at everything that is no letter or digit, and where a capital
/// follows a small letter. Never empty.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let chars: Vec<char> = text.chars().take(LONGEST).collect();
    let push = |words: &mut Vec<String>, c: char| {
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    };
    for (i, &c) in chars.iter().enumerate() {
        if is_letter(c) {
            let before = i.checked_sub(1).and_then(|i| chars.get(i));
            let after = chars.get(i + 1);
            let hump = before.is_some_and(|before| before.is_lowercase())
                || (before.is_some_and(|before| before.is_uppercase())
                    && after.is_some_and(|after| after.is_lowercase()));
            if c.is_uppercase() && hump {
                words.push(String::new());
            }
            push(&mut words, c);
        } else {
            words.push(String::new());
            if !c.is_ascii() && !c.is_whitespace() {
                words.push(code_point(c));
                words.push(String::new());
            }
        }
    }
    words.retain(|word| !word.is_empty());
    if words.is_empty() {
        words = chars.iter().map(|&c| spelled(c)).collect();
    }
    if words.is_empty() {
        words.push("empty".to_owned());
    }
    words
}

/// Whether a character may stand in an identifier as it is, in all three cases.
///
/// Outside ASCII: letters of scripts whose characters Rust does not normalize to others, and
/// whose upper and lower case are one character each (`ß` is `SS` in constants).
fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let range = matches!(u32::from(c),
        0xC0..=0x17E | 0x391..=0x3CE | 0x410..=0x44F | 0x401 | 0x451 | 0x404..=0x407 | 0x454..=0x457
        | 0x490 | 0x491 | 0x5D0..=0x5EA | 0x621..=0x64A | 0x3041..=0x3096 | 0x30A1..=0x30FA
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3);
    let plain_case = c.to_uppercase().count() == 1
        && c.to_lowercase().count() == 1
        && (!c.is_lowercase() || c.to_uppercase().next() != Some(c));
    let ligature = matches!(u32::from(c), 0x132 | 0x133 | 0x13F | 0x140);
    c.is_alphabetic() && range && !ligature && (plain_case || c == 'ß')
}

fn code_point(c: char) -> String {
    format!("u{:04x}", u32::from(c))
}

fn spelled(c: char) -> String {
    let name = PUNCTUATION.iter().find(|(known, _)| *known == c);
    name.map_or_else(|| code_point(c), |(_, name)| (*name).to_owned())
}

/// The name with a letter in front when it starts with a digit.
fn letter_first(name: String, letter: char) -> String {
    if name.starts_with(|c: char| c.is_numeric()) {
        format!("{letter}{name}")
    } else {
        name
    }
}

#[cfg(test)]
mod tests;
