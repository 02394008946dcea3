//! What is generated, feature by feature, against the files in `tests/goldens`.
//!
//! `UPDATE_GOLDENS=1 cargo test -p mysql-mirror-codegen --test goldens` rewrites them.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "support/compile.rs"]
mod compile;
#[path = "support/models.rs"]
mod models;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codegen::model::{Column, Model};
use codegen::render::render;

/// Stands for the fingerprint, which is not what the goldens are about.
const FINGERPRINT: &str = "0123456789abcdef";

fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens")
}

fn rendered(model: &Model) -> BTreeMap<String, String> {
    render(model, FINGERPRINT).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn generated_files_are_the_goldens() {
    let update = std::env::var_os("UPDATE_GOLDENS").is_some();
    let mut report = String::new();
    for (name, model) in models::all() {
        let folder = goldens().join(name);
        let expected = rendered(&model);
        if update {
            write(&folder, &expected);
            continue;
        }
        report.push_str(&compare(name, &read(&folder), &expected));
    }
    assert!(
        report.is_empty(),
        "{report}If this is what was meant: UPDATE_GOLDENS=1 cargo test -p mysql-mirror-codegen \
         --test goldens"
    );
}

fn compare(
    name: &str,
    golden: &BTreeMap<String, String>,
    rendered: &BTreeMap<String, String>,
) -> String {
    let mut paths: Vec<&String> = golden.keys().chain(rendered.keys()).collect();
    paths.sort();
    paths.dedup();
    let text = |files: &BTreeMap<String, String>, path: &String| {
        files.get(path).cloned().unwrap_or_default()
    };
    let mut report = String::new();
    for path in paths {
        let (old, new) = (text(golden, path), text(rendered, path));
        if old != new {
            let diff = similar::TextDiff::from_lines(&old, &new);
            let mut diff = diff.unified_diff();
            let diff = diff.header(&format!("goldens/{name}/{path}"), "rendered");
            report.push_str(&format!("{diff}\n"));
        }
    }
    report
}

#[test]
fn difference_is_reported_as_a_unified_diff() {
    let files = |text: &str| BTreeMap::from([("src/lib.rs".to_owned(), text.to_owned())]);
    let report = compare("keys", &files("a\nb\n"), &files("a\nc\n"));
    assert!(
        report.starts_with("--- goldens/keys/src/lib.rs\n+++ rendered\n"),
        "{report}"
    );
    assert!(report.contains("\n-b\n+c\n"), "{report}");
    assert_eq!(compare("keys", &files("a\n"), &files("a\n")), "");
}

fn write(folder: &Path, files: &BTreeMap<String, String>) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn read(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn every_golden_folder_belongs_to_a_model() {
    let names: Vec<&str> = models::all().iter().map(|(name, _)| *name).collect();
    for entry in fs::read_dir(goldens()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            names.contains(&name.as_str()),
            "goldens/{name} is rendered from no model"
        );
    }
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    for (name, model) in models::all() {
        assert_eq!(rendered(&model), rendered(&model), "{name}");
    }
}

#[test]
fn generated_files_are_headed_by_the_command_that_makes_them() {
    for (name, model) in models::all() {
        for (path, text) in rendered(&model) {
            let first = text.lines().next().unwrap_or_default();
            assert!(
                first.contains("`cargo xtask regenerate`"),
                "{name}/{path}: {first}"
            );
        }
    }
}

/// The items of a file do not depend on what its comments and labels say.
#[test]
fn hostile_text_adds_no_items() {
    let (_, hostile) = models::all()
        .into_iter()
        .find(|(name, _)| *name == "hostile_text")
        .unwrap();
    for (path, text) in rendered(&hostile) {
        if path.ends_with(".rs") {
            let file = syn::parse_file(&text).unwrap();
            assert_eq!(functions_named_evil(&file), 0, "{path}");
        }
    }
}

fn functions_named_evil(file: &syn::File) -> usize {
    let top = file
        .items
        .iter()
        .filter(|item| matches!(item, syn::Item::Fn(function) if function.sig.ident == "evil"));
    let within = file.items.iter().filter_map(|item| match item {
        syn::Item::Impl(block) => Some(&block.items),
        _ => None,
    });
    let methods = within
        .flatten()
        .filter(|item| matches!(item, syn::ImplItem::Fn(function) if function.sig.ident == "evil"));
    top.count() + methods.count()
}

#[test]
fn goldens_compile_without_warnings() {
    compile::cargo(&goldens(), &["check"]);
}

#[test]
fn documentation_of_goldens_builds_without_warnings() {
    compile::cargo(&goldens(), &["doc", "--no-deps"]);
}

#[test]
fn the_generator_knows_the_charsets_of_the_runtime() {
    use codegen::ddl::charset;
    for known in mirror_runtime::Charset::ALL {
        let name = known.name();
        assert_eq!(charset::variant(name), Some(format!("{known:?}").as_str()));
        assert_eq!(
            charset::max_char_bytes(name),
            known.max_char_bytes(),
            "{name}"
        );
        assert_eq!(charset::is_ambiguous(name), known.is_ambiguous(), "{name}");
    }
}

/// The size of a large schema, for the time of rendering: 100 tables of 50 columns.
#[test]
fn a_hundred_tables_render() {
    let tables = (0..100).map(|n| {
        let column = |c: usize| Column {
            ordinal: c,
            ..models::typed_column(c)
        };
        let mut table = models::table(&format!("Table{n}"), &format!("table_{n}"), vec![]);
        table.columns = (0..50).map(column).collect();
        table
    });
    let files = rendered(&Model {
        tables: tables.collect(),
    });
    assert_eq!(files.len(), 103);
}
