//! The model through the templates: a sorted map from path to finished source.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use crate::format::{self, SyntaxError};
use crate::model::{Model, Table};
use crate::tokens::{self, ModelError};

/// Lines shown before and after the line of an error.
const SNIPPET_LINES: usize = 3;

/// Longest line shown in a snippet, in characters.
const SNIPPET_LINE_CHARS: usize = 160;

/// Keeps `cargo fmt` from touching what prettyplease laid out.
const RUSTFMT_TOML: &str = "# Generated code is laid out by `cargo xtask regenerate`.\n\
                            disable_all_formatting = true\n";

/// Why a model could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A template that is broken, or that asks for something it is not given.
    #[error(
        "template {template}, line {line}{}: {message}\n{snippet}\
         repair the template and run `cargo xtask regenerate`",
        for_table(.table)
    )]
    Template {
        /// Path of the template below the project root.
        template: String,
        /// The table that was rendered, as `database.table`; `None` for the files of all tables.
        table: Option<String>,
        /// Line of the template, from 1; 0 where it is not known.
        line: usize,
        /// What is wrong.
        message: String,
        /// The template around that line.
        snippet: String,
    },
    /// A template that gives text that is not Rust.
    #[error(
        "template {template}{} gives text that is not Rust, at line {line}, column {column} \
         of that text: {message}\n{snippet}\
         repair the template and run `cargo xtask regenerate`",
        for_table(.table)
    )]
    NotRust {
        /// Path of the template below the project root.
        template: String,
        /// The table that was rendered, as `database.table`; `None` for the files of all tables.
        table: Option<String>,
        /// Line of the rendered text, from 1.
        line: usize,
        /// Column of the rendered text, from 1.
        column: usize,
        /// What the parser says.
        message: String,
        /// The rendered text around that line.
        snippet: String,
    },
    /// A model that breaks a rule of the generated code.
    #[error(transparent)]
    Model(#[from] ModelError),
}

fn for_table(table: &Option<String>) -> String {
    table
        .as_ref()
        .map_or_else(String::new, |table| format!(", for table {table}"))
}

/// The template texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Templates<'a> {
    pub(crate) lib: &'a str,
    pub(crate) tables: &'a str,
    pub(crate) table: &'a str,
}

impl Templates<'static> {
    /// The templates of this project.
    pub(crate) const fn built_in() -> Self {
        Self {
            lib: include_str!("../../templates/lib.rs.j2"),
            tables: include_str!("../../templates/tables.rs.j2"),
            table: include_str!("../../templates/table.rs.j2"),
        }
    }
}

const LIB: &str = "templates/lib.rs.j2";
const TABLES: &str = "templates/tables.rs.j2";
const TABLE: &str = "templates/table.rs.j2";

/// Renders the files of the generated crate: paths relative to it (`src/lib.rs`,
/// `src/tables.rs`, `src/<module>.rs` per table, `rustfmt.toml`) and their texts.
///
/// The same model and fingerprint give the same bytes. `fingerprint` is what
/// `Schema::fingerprint` of the generated crate returns.
///
/// # Errors
/// When the model breaks a rule of the generated code, or a template is broken or gives text
/// that is not Rust.
pub fn render(model: &Model, fingerprint: &str) -> Result<BTreeMap<String, String>, RenderError> {
    render_with(Templates::built_in(), model, fingerprint)
}

/// [`render`] with other templates.
pub(crate) fn render_with(
    templates: Templates<'_>,
    model: &Model,
    fingerprint: &str,
) -> Result<BTreeMap<String, String>, RenderError> {
    let environment = environment(templates)?;
    let mut files = BTreeMap::new();
    files.insert("rustfmt.toml".to_owned(), RUSTFMT_TOML.to_owned());
    let shared = Value::from(Serde(tokens::crate_tokens(model, fingerprint)?));
    files.insert(
        "src/lib.rs".to_owned(),
        file(&environment, LIB, None, &shared)?,
    );
    files.insert(
        "src/tables.rs".to_owned(),
        file(&environment, TABLES, None, &shared)?,
    );
    for table in &model.tables {
        let own = Value::from(Serde(tokens::table_tokens(table)?));
        files.insert(
            module_path(table),
            file(&environment, TABLE, Some(table), &own)?,
        );
    }
    Ok(files)
}

/// `src/<module>.rs`; the file of a raw identifier has no `r#`.
fn module_path(table: &Table) -> String {
    format!("src/{}.rs", table.module_name.trim_start_matches("r#"))
}

fn environment(templates: Templates<'_>) -> Result<Environment<'_>, RenderError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    for (name, text) in [
        (LIB, templates.lib),
        (TABLES, templates.tables),
        (TABLE, templates.table),
    ] {
        environment
            .add_template(name, text)
            .map_err(|error| template_error(name, text, None, &error))?;
    }
    Ok(environment)
}

fn file(
    environment: &Environment<'_>,
    name: &str,
    table: Option<&Table>,
    context: &Value,
) -> Result<String, RenderError> {
    let failed = |source: &str, error| template_error(name, source, table, &error);
    let template = environment
        .get_template(name)
        .map_err(|error| failed("", error))?;
    let text = template
        .render(context)
        .map_err(|error| failed(template.source(), error))?;
    format::format(&text).map_err(|error| {
        let SyntaxError {
            line,
            column,
            message,
        } = error;
        RenderError::NotRust {
            template: name.to_owned(),
            table: table.map(tokens::full_name),
            line,
            column,
            message,
            snippet: snippet(&text, line),
        }
    })
}

fn template_error(
    name: &str,
    source: &str,
    table: Option<&Table>,
    error: &minijinja::Error,
) -> RenderError {
    let line = error.line().unwrap_or_default();
    RenderError::Template {
        template: name.to_owned(),
        table: table.map(tokens::full_name),
        line,
        message: match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        },
        snippet: snippet(source, line),
    }
}

/// The lines around a line of a text, numbered, the line itself marked.
fn snippet(text: &str, line: usize) -> String {
    let first = line.saturating_sub(SNIPPET_LINES).max(1);
    let last = line.saturating_add(SNIPPET_LINES);
    let mut out = String::new();
    for (number, content) in (1..).zip(text.lines()).skip(first - 1) {
        if number > last {
            break;
        }
        let mark = if number == line { '>' } else { ' ' };
        let shown: String = content.chars().take(SNIPPET_LINE_CHARS).collect();
        out.push_str(format!("{mark} {number:>4} | {shown}").trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests;
