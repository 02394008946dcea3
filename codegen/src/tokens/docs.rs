//! Documentation of the generated code: SQL text made safe for Markdown, rustdoc and rustc.

use proc_macro2::Literal;

use super::full_name;
use crate::model::{Column, ColumnType, Table};

/// Longest ENUM or SET type, in characters, that a column's documentation spells out.
const SPELLED_TYPE_CHARS: usize = 100;

/// Lines of documentation that become `#[doc = "..."]` attributes.
#[derive(Debug, Default)]
pub(super) struct Docs {
    lines: Vec<String>,
}

impl Docs {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a line of Markdown; SQL text in it must have gone through [`code_span`].
    pub(super) fn line(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    /// Adds a paragraph.
    pub(super) fn paragraph(self, line: impl Into<String>) -> Self {
        self.line("").line(line)
    }

    /// Adds a comment of the schema as a paragraph of its own, if there is one.
    pub(super) fn comment(self, comment: &str) -> Self {
        match comment_text(comment) {
            None => self,
            Some(text) => self.paragraph(text),
        }
    }

    /// The attributes as Rust text.
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str("#[doc = ");
            text.push_str(&doc_literal(line));
            text.push_str("]\n");
        }
        text
    }

    /// One line as an inner attribute (of a module or of the crate).
    pub(super) fn inner(line: &str) -> String {
        format!("#![doc = {}]", doc_literal(line))
    }
}

fn doc_literal(line: &str) -> String {
    if line.is_empty() {
        return "\"\"".to_owned();
    }
    Literal::string(&format!(" {line}")).to_string()
}

/// SQL text as a Markdown code span on one line, whatever the text holds.
///
/// Nothing inside a code span is read as a link, as HTML or as emphasis; the fence is longer
/// than any run of backquotes in the text. Characters that would break the line or turn its
/// direction are spelled out.
pub(crate) fn code_span(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_shown(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_default());
        }
    }
    if shown.trim().is_empty() {
        // A code span of nothing, or of blanks alone, does not exist in Markdown.
        return format!("(text of {} blanks)", shown.chars().count());
    }
    let fence = "`".repeat(longest_run(&shown, '`') + 1);
    let padded = shown.starts_with(['`', ' ']) || shown.ends_with(['`', ' ']);
    let pad = if padded { " " } else { "" };
    format!("{fence}{pad}{shown}{pad}{fence}")
}

/// A comment as Markdown: as it is where it is harmless prose, else as a code span.
fn comment_text(comment: &str) -> Option<String> {
    let line = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return None;
    }
    Some(if is_harmless_prose(&line) {
        line
    } else {
        format!("Comment: {}", code_span(&line))
    })
}

/// Whether Markdown, rustdoc and rustc all read the text as nothing but words.
fn is_harmless_prose(line: &str) -> bool {
    line.starts_with(char::is_alphabetic)
        && !line.contains("://")
        && line
            .chars()
            .all(|c| (c.is_alphanumeric() && is_shown(c)) || " .,;:()'\"/%-+=?!".contains(c))
}

/// Whether a character can stand in a line comment as it is.
fn is_shown(c: char) -> bool {
    let invisible = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !invisible
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The documentation of a row struct.
pub(super) fn row_docs(table: &Table) -> String {
    Docs::new()
        .line(format!("One row of {}.", code_span(&full_name(table))))
        .comment(&table.comment)
        .paragraph(format!("A row is identified by {}.", key_phrase(table)))
        .render()
}

/// `the primary key (a, b)`, each name as a code span.
pub(super) fn key_phrase(table: &Table) -> String {
    let columns = column_list(table, &table.key);
    if table.key_name == "PRIMARY" {
        format!("the primary key ({columns})")
    } else {
        format!("the unique key {} ({columns})", code_span(&table.key_name))
    }
}

/// The SQL names of some columns, each as a code span.
pub(super) fn column_list(table: &Table, columns: &[usize]) -> String {
    let names: Vec<String> = columns
        .iter()
        .filter_map(|&index| table.columns.get(index))
        .map(|column| code_span(&column.name))
        .collect();
    names.join(", ")
}

/// The documentation of one field of a row struct: SQL name and type, role, comment.
pub(super) fn column_docs(table: &Table, index: usize, column: &Column) -> String {
    let null = if column.nullable { "NULL" } else { "NOT NULL" };
    let mut line = format!("{}: {} {null}", code_span(&column.name), sql_type(column));
    if let Some(part) = table.key.iter().position(|&key| key == index) {
        line.push_str(&key_role(table, part));
    }
    if column.generated_from.is_some() {
        line.push_str("; generated by the server");
    }
    if column.invisible {
        line.push_str("; invisible to `SELECT *`");
    }
    line.push('.');
    Docs::new().line(line).comment(&column.comment).render()
}

fn key_role(table: &Table, part: usize) -> String {
    let key = if table.key_name == "PRIMARY" {
        "the primary key".to_owned()
    } else {
        format!("the identifying unique key {}", code_span(&table.key_name))
    };
    match table.key.len() {
        1 => format!("; {key}"),
        parts => format!("; part {} of {parts} of {key}", part + 1),
    }
}

fn sql_type(column: &Column) -> String {
    let (word, count) = match &column.ty {
        ColumnType::Enum { members } => ("ENUM", members.len()),
        ColumnType::Set { members } => ("SET", members.len()),
        _ => return code_span(&column.sql_type),
    };
    if column.sql_type.chars().count() <= SPELLED_TYPE_CHARS {
        return code_span(&column.sql_type);
    }
    format!("{word} of {count} labels")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_span_fence_is_longer_than_any_run_of_backquotes_inside() {
        assert_eq!(code_span("id"), "`id`");
        assert_eq!(code_span("a`b"), "``a`b``");
        assert_eq!(code_span("`tick`"), "`` `tick` ``");
        assert_eq!(code_span("``"), "``` `` ```");
    }

    #[test]
    fn code_span_keeps_text_on_one_line_and_its_direction() {
        assert_eq!(code_span("a\r\nb"), "`a\\r\\nb`");
        assert_eq!(code_span("a\u{202e}b"), "`a\\u{202e}b`");
        assert_eq!(code_span(""), "(text of 0 blanks)");
        assert_eq!(code_span("  "), "(text of 2 blanks)");
    }

    #[test]
    fn prose_stays_prose_and_anything_else_becomes_a_code_span() {
        let text = |comment| comment_text(comment).unwrap_or_default();
        assert_eq!(text("Money left today (EUR)"), "Money left today (EUR)");
        assert_eq!(text("Größe in  cm\n"), "Größe in cm");
        assert_eq!(text("see [Foo]"), "Comment: `see [Foo]`");
        assert_eq!(text("http://example.com"), "Comment: `http://example.com`");
        assert_eq!(text("1. first"), "Comment: `1. first`");
        assert_eq!(text("# title"), "Comment: `# title`");
        assert_eq!(text("<b>x"), "Comment: `<b>x`");
        assert_eq!(comment_text(" \n\t"), None);
    }
}
