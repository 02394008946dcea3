//! From JSON values to requests, collecting every problem on the way.

use std::collections::BTreeSet;

use super::json::{Node, Value};
use super::{
    ColumnRequest, IgnoredForeignKey, IndexChoice, IndexRequest, KeyRequest, Place, TableRequest,
};
use crate::error::{Problem, Report};
use crate::model::Held;
use crate::names;
use crate::near::did_you_mean;

const FILE_KEYS: &[&str] = &["$schema", "database", "tables"];
const TABLE_KEYS: &[&str] = &[
    "database",
    "table",
    "columns",
    "rust_name",
    "key",
    "indexes",
    "derives",
    "ignore_foreign_keys",
];
const COLUMN_KEYS: &[&str] = &["column", "rust_name", "as"];

/// Derives that every row struct has.
const OWN_DERIVES: &[&str] = &["Clone", "Debug", "PartialEq"];

pub(super) struct Reader {
    report: Report,
}

type Members<'t> = Vec<(String, Node<'t>)>;

impl Reader {
    pub(super) fn new(name: &str) -> Self {
        Self {
            report: Report::new(name),
        }
    }

    pub(super) fn into_report(self) -> Report {
        self.report
    }

    /// The whole file: default database and tables.
    pub(super) fn file(&mut self, text: &str) -> Option<(Option<String>, Vec<TableRequest>)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root = match Node::parse(text) {
            Ok(root) => root,
            Err(error) => {
                let place = format!("line {}, character {}", error.line(), error.column());
                let problem =
                    Problem::new(place, "this is not JSON").found(without_position(&error));
                self.report.push(problem.remedy("correct the syntax"));
                return None;
            }
        };
        match root.value() {
            Ok(Value::List(tables)) => Some((None, self.tables(tables))),
            Ok(Value::Object(members)) => {
                self.check_keys(&root, &members, FILE_KEYS, "the file");
                let database = member(&members, "database").and_then(|node| self.name(node));
                if let Some(schema) = member(&members, "$schema") {
                    self.text(schema);
                }
                let Some(tables) = member(&members, "tables") else {
                    let problem = place(&root).problem("`tables` is missing");
                    self.report
                        .push(problem.remedy("add \"tables\": [{\"table\": \"...\"}]"));
                    return None;
                };
                let tables = self.list(tables).unwrap_or_default();
                Some((database, self.tables(tables)))
            }
            other => {
                let kind = other.map_or("something else", |value| value.kind());
                let problem = place(&root)
                    .problem("the file has the wrong form")
                    .expected("an object with `tables`, or a list of tables");
                self.report.push(problem.found(kind));
                None
            }
        }
    }

    fn tables(&mut self, nodes: Vec<Node<'_>>) -> Vec<TableRequest> {
        if nodes.is_empty() && self.report.problems.is_empty() {
            let problem = Problem::new("tables", "there are no tables");
            self.report
                .push(problem.remedy("add one: {\"table\": \"...\"}"));
        }
        nodes.iter().filter_map(|node| self.table(node)).collect()
    }

    fn table(&mut self, node: &Node<'_>) -> Option<TableRequest> {
        let members = self.object(node, "an object such as {\"table\": \"campaign\"}")?;
        self.check_keys(node, &members, TABLE_KEYS, "a table");
        let mut request = TableRequest {
            place: place(node),
            database: member(&members, "database").and_then(|node| self.name(node)),
            ..TableRequest::default()
        };
        match member(&members, "table") {
            Some(table) => request.table = self.name(table).unwrap_or_default(),
            None => {
                let problem = place(node).problem("`table` is missing");
                self.report.push(problem.remedy("add \"table\": \"...\""));
            }
        }
        request.columns = member(&members, "columns").and_then(|node| self.columns(node));
        request.rust_name = member(&members, "rust_name").and_then(|node| self.type_name(node));
        request.key = member(&members, "key").and_then(|node| {
            let columns = self.name_list(node, "column")?;
            Some(KeyRequest {
                place: place(node),
                columns,
            })
        });
        request.indexes = member(&members, "indexes").and_then(|node| self.indexes(node));
        request.derives = member(&members, "derives")
            .map(|node| self.derives(node))
            .unwrap_or_default();
        request.ignored_foreign_keys = member(&members, "ignore_foreign_keys")
            .map(|node| self.ignored_foreign_keys(node))
            .unwrap_or_default();
        Some(request)
    }

    fn ignored_foreign_keys(&mut self, node: &Node<'_>) -> Vec<IgnoredForeignKey> {
        let nodes = self.list(node).unwrap_or_default();
        let mut ignored: Vec<IgnoredForeignKey> = Vec::new();
        for node in &nodes {
            let Some(name) = self.name(node) else {
                continue;
            };
            let place = place(node);
            if ignored.iter().any(|other| other.name == name) {
                let problem = place.problem(format!("constraint `{name}` stands twice"));
                self.report.push(problem.remedy("keep one of them"));
                continue;
            }
            ignored.push(IgnoredForeignKey { place, name });
        }
        ignored
    }

    fn columns(&mut self, node: &Node<'_>) -> Option<Vec<ColumnRequest>> {
        let nodes = self.list(node)?;
        if nodes.is_empty() {
            let problem = place(node).problem("`columns` is empty");
            self.report
                .push(problem.remedy("name columns, or leave `columns` out for all of them"));
        }
        let columns: Vec<ColumnRequest> =
            nodes.iter().filter_map(|node| self.column(node)).collect();
        let mut seen = BTreeSet::new();
        for column in &columns {
            if !column.column.is_empty() && !seen.insert(column.column.to_lowercase()) {
                let problem = column
                    .place
                    .problem(format!("column `{}` stands twice", column.column));
                self.report.push(problem.remedy("keep one of them"));
            }
        }
        Some(columns)
    }

    fn column(&mut self, node: &Node<'_>) -> Option<ColumnRequest> {
        let mut request = ColumnRequest {
            place: place(node),
            column: String::new(),
            rust_name: None,
            held: None,
        };
        match node.value() {
            Ok(Value::Text(_)) => request.column = self.name(node)?,
            Ok(Value::Object(members)) => {
                self.check_keys(node, &members, COLUMN_KEYS, "a column");
                match member(&members, "column") {
                    Some(column) => request.column = self.name(column)?,
                    None => {
                        let problem = place(node).problem("`column` is missing");
                        self.report.push(problem.remedy("add \"column\": \"...\""));
                        return None;
                    }
                }
                request.rust_name =
                    member(&members, "rust_name").and_then(|node| self.field_name(node));
                request.held = member(&members, "as").and_then(|node| self.held(node));
            }
            _ => {
                self.wrong_kind(node, "a column name, or an object such as {\"column\": \"type\", \"rust_name\": \"kind\"}");
                return None;
            }
        }
        Some(request)
    }

    /// `bool`, `bytes`, or the path of a type.
    fn held(&mut self, node: &Node<'_>) -> Option<Held> {
        let text = self.text(node)?;
        match text.as_str() {
            "bool" => return Some(Held::Bool),
            "bytes" => return Some(Held::Bytes),
            _ => {}
        }
        let path = syn::parse_str::<syn::Path>(&text).ok().filter(|path| {
            let plain = path.segments.iter().all(|part| part.arguments.is_none());
            plain && path.segments.len() > 1
        });
        if path.is_some() {
            return Some(Held::User(text));
        }
        let mut problem = place(node)
            .problem("this is nothing that a column can be read as")
            .expected("\"bool\", \"bytes\", or the path of a type such as \"my_crate::BannerId\"")
            .found(quoted(&text));
        if let Some(near) = did_you_mean(&text, ["bool", "bytes"]) {
            problem = problem.remedy(near);
        }
        self.report.push(problem);
        None
    }

    fn indexes(&mut self, node: &Node<'_>) -> Option<Vec<IndexRequest>> {
        let nodes = self.list(node)?;
        let mut indexes = Vec::new();
        for node in &nodes {
            let index = match node.value() {
                Ok(Value::Text(_)) => self.name(node).map(IndexChoice::Key),
                Ok(Value::List(_)) => self.name_list(node, "column").map(IndexChoice::Columns),
                _ => {
                    self.wrong_kind(node, "the name of a key, or a list of column names");
                    None
                }
            };
            if let Some(index) = index {
                if indexes
                    .iter()
                    .any(|other: &IndexRequest| other.index == index)
                {
                    let problem = place(node).problem("this index stands twice");
                    self.report.push(problem.remedy("keep one of them"));
                }
                let place = place(node);
                indexes.push(IndexRequest { place, index });
            }
        }
        Some(indexes)
    }

    fn derives(&mut self, node: &Node<'_>) -> Vec<String> {
        let mut derives = Vec::new();
        for node in self.list(node).unwrap_or_default() {
            let Some(path) = self.text(&node) else {
                continue;
            };
            let parsed = syn::parse_str::<syn::Path>(&path);
            let plain =
                parsed.is_ok_and(|path| path.segments.iter().all(|part| part.arguments.is_none()));
            if !plain {
                let problem = place(&node)
                    .problem("this is no path of a derive")
                    .expected("a path such as `serde::Serialize`");
                self.report.push(problem.found(quoted(&path)));
            } else if OWN_DERIVES.contains(&path.as_str()) || derives.contains(&path) {
                let problem = place(&node).problem(format!("`{path}` is derived already"));
                self.report.push(problem.remedy("leave it out"));
            } else {
                derives.push(path);
            }
        }
        derives
    }

    /// A list of names without duplicates, at least one.
    fn name_list(&mut self, node: &Node<'_>, what: &str) -> Option<Vec<String>> {
        let nodes = self.list(node)?;
        if nodes.is_empty() {
            let problem = place(node).problem("the list is empty");
            self.report
                .push(problem.expected(format!("at least one {what} name")));
            return None;
        }
        let mut seen = BTreeSet::new();
        let mut names = Vec::new();
        for node in &nodes {
            let name = self.name(node)?;
            if !seen.insert(name.to_lowercase()) {
                let problem = place(node).problem(format!("{what} `{name}` stands twice"));
                self.report.push(problem.remedy("keep one of them"));
            }
            names.push(name);
        }
        Some(names)
    }

    fn type_name(&mut self, node: &Node<'_>) -> Option<String> {
        let name = self.text(node)?;
        let camel = name.starts_with(char::is_uppercase) && !name.contains('_');
        if camel && name != "Self" && syn::parse_str::<syn::Ident>(&name).is_ok() {
            return Some(name);
        }
        let problem = place(node)
            .problem("this is no name for a struct")
            .expected("an identifier in UpperCamelCase");
        let problem = problem.found(quoted(&name));
        self.report
            .push(problem.remedy(format!("write `{}`", names::upper_camel(&name))));
        None
    }

    fn field_name(&mut self, node: &Node<'_>) -> Option<String> {
        let name = self.text(node)?;
        let plain = name.strip_prefix("r#").unwrap_or(&name);
        let snake = names::snake(plain) == plain
            && names::raw(plain.to_owned()).trim_start_matches("r#") == plain;
        if snake {
            return Some(names::raw(plain.to_owned()));
        }
        let problem = place(node)
            .problem("this is no name for a field")
            .expected("an identifier in snake_case");
        let problem = problem.found(quoted(&name));
        self.report
            .push(problem.remedy(format!("write `{}`", names::field(plain))));
        None
    }

    fn check_keys(&mut self, node: &Node<'_>, members: &Members<'_>, known: &[&str], of: &str) {
        let mut seen = BTreeSet::new();
        for (key, value) in members {
            if !known.contains(&key.as_str()) {
                let mut problem = place(value)
                    .problem(format!("unknown key `{key}`"))
                    .expected(format!("a key of {of}: {}", known.join(", ")));
                if let Some(near) = did_you_mean(key, known.iter().copied()) {
                    problem = problem.remedy(near);
                }
                self.report.push(problem);
            } else if !seen.insert(key) {
                let problem = place(node).problem(format!("key `{key}` stands twice"));
                self.report.push(problem.remedy("keep one of them"));
            }
        }
    }

    fn object<'t>(&mut self, node: &Node<'t>, expected: &str) -> Option<Members<'t>> {
        match node.value() {
            Ok(Value::Object(members)) => Some(members),
            _ => {
                self.wrong_kind(node, expected);
                None
            }
        }
    }

    fn list<'t>(&mut self, node: &Node<'t>) -> Option<Vec<Node<'t>>> {
        match node.value() {
            Ok(Value::List(items)) => Some(items),
            _ => {
                self.wrong_kind(node, "a list");
                None
            }
        }
    }

    fn text(&mut self, node: &Node<'_>) -> Option<String> {
        match node.value() {
            Ok(Value::Text(text)) => Some(text),
            _ => {
                self.wrong_kind(node, "a string");
                None
            }
        }
    }

    /// A string that names something on the server.
    fn name(&mut self, node: &Node<'_>) -> Option<String> {
        let name = self.text(node)?;
        if name.is_empty() {
            self.report.push(place(node).problem("the name is empty"));
            return None;
        }
        Some(name)
    }

    fn wrong_kind(&mut self, node: &Node<'_>, expected: &str) {
        let found = node.value().map_or("something else", |value| value.kind());
        let problem = place(node).problem("this is of the wrong kind");
        self.report.push(problem.expected(expected).found(found));
    }
}

fn place(node: &Node<'_>) -> Place {
    Place {
        path: if node.path.is_empty() {
            "the file".to_owned()
        } else {
            node.path.clone()
        },
        line: node.line,
    }
}

fn member<'m, 't>(members: &'m Members<'t>, key: &str) -> Option<&'m Node<'t>> {
    members
        .iter()
        .find(|(name, _)| name == key)
        .map(|(_, node)| node)
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text.get(..end).unwrap_or(&text).to_owned(),
        None => text,
    }
}
