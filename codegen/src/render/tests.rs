use super::*;
use crate::model::{Column, ColumnType, Held};

fn column(name: &str, ty: ColumnType) -> Column {
    Column {
        name: name.to_owned(),
        rust_name: name.to_owned(),
        ordinal: 0,
        nullable: false,
        sql_type: "some type".to_owned(),
        charset: None,
        ty,
        held: Held::Natural,
        type_name: String::new(),
        comment: String::new(),
        generated_from: None,
        invisible: false,
    }
}

fn model() -> Model {
    let table = Table {
        database: "ads".to_owned(),
        name: "campaign".to_owned(),
        type_name: "Campaign".to_owned(),
        module_name: "campaign".to_owned(),
        comment: String::new(),
        columns: vec![column("id", ColumnType::Date)],
        physical_columns: 1,
        old_fractions: Vec::new(),
        key: vec![0],
        key_name: "PRIMARY".to_owned(),
        indexes: Vec::new(),
        foreign_keys: Vec::new(),
        ignored_foreign_keys: Vec::new(),
        derives: Vec::new(),
    };
    Model {
        tables: vec![table],
    }
}

fn changed(change: impl FnOnce(&mut Table)) -> String {
    let mut model = model();
    if let Some(table) = model.tables.first_mut() {
        change(table);
    }
    render(&model, "f")
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

fn with_table_template(table: &str) -> Result<BTreeMap<String, String>, RenderError> {
    render_with(
        Templates {
            table,
            ..Templates::built_in()
        },
        &model(),
        "f",
    )
}

#[test]
fn text_that_is_not_rust_names_template_table_and_line() {
    let text = "struct A;\nstruct {{ type_name }} {\n    id u32,\n}\n";
    let error = with_table_template(text).err();
    let Some(RenderError::NotRust {
        template,
        table,
        line,
        snippet,
        ..
    }) = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(template, "templates/table.rs.j2");
    assert_eq!(table.as_deref(), Some("ads.campaign"));
    assert_eq!(*line, 3);
    assert!(snippet.contains(">    3 |     id u32,"), "{snippet}");
    assert!(snippet.contains("     2 | struct Campaign {"), "{snippet}");
}

#[test]
fn variable_that_is_not_given_is_an_error_of_its_line() {
    let error = with_table_template("//! x\n\nstruct {{ type_nam }};\n").err();
    let Some(RenderError::Template {
        template,
        table,
        line,
        snippet,
        ..
    }) = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(template, "templates/table.rs.j2");
    assert_eq!(table.as_deref(), Some("ads.campaign"));
    assert_eq!(*line, 3);
    assert!(
        snippet.contains(">    3 | struct {{ type_nam }};"),
        "{snippet}"
    );
}

#[test]
fn undefined_condition_and_undefined_loop_are_errors() {
    assert!(with_table_template("{% if nothing %}{% endif %}").is_err());
    assert!(with_table_template("{% for x in nothing %}{% endfor %}").is_err());
    assert!(with_table_template("{% for c in columns %}{{ c.nothing }}{% endfor %}").is_err());
}

#[test]
fn template_that_does_not_parse_is_an_error_of_its_line() {
    let error = with_table_template("//! x\n{% for column in %}\n").err();
    let Some(RenderError::Template {
        line: 2, template, ..
    }) = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(template, "templates/table.rs.j2");
}

#[test]
fn message_says_what_to_do() {
    let error = with_table_template("struct A")
        .err()
        .map(|error| error.to_string());
    let message = error.unwrap_or_default();
    assert!(
        message.starts_with("template templates/table.rs.j2, for table ads.campaign"),
        "{message}"
    );
    assert!(
        message.ends_with("repair the template and run `cargo xtask regenerate`"),
        "{message}"
    );
}

#[test]
fn derive_that_is_no_path_is_refused() {
    for derive in [
        "a b",
        "Eq)] pub struct Evil; #[derive(Eq",
        "",
        "A<B>",
        "1",
        "Eq, Ord",
    ] {
        let message = changed(|table| table.derives = vec![derive.to_owned()]);
        assert!(message.contains("the derive"), "{derive}: {message}");
        assert!(message.contains("ads.campaign"), "{derive}: {message}");
    }
}

#[test]
fn name_that_is_no_identifier_is_refused() {
    let message = changed(|table| table.type_name = "A { } struct B".to_owned());
    assert!(message.contains("is not a Rust identifier"), "{message}");
    let message = changed(|table| {
        if let Some(column) = table.columns.first_mut() {
            column.rust_name = "self".to_owned();
        }
    });
    assert!(
        message.contains("\"self\" is not a Rust identifier"),
        "{message}"
    );
}

#[test]
fn reserved_and_doubled_names_are_refused() {
    let message = changed(|table| table.module_name = "tables".to_owned());
    assert!(
        message.contains("the module name tables is reserved"),
        "{message}"
    );
    let message = changed(|table| table.type_name = "Option".to_owned());
    assert!(
        message.contains("the type name Option is reserved"),
        "{message}"
    );
    let mut twice = model();
    twice.tables.extend(model().tables);
    let message = render(&twice, "f")
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(
        message.contains("taken already, by ads.campaign"),
        "{message}"
    );
}

#[test]
fn key_without_columns_or_order_is_refused() {
    let message = changed(|table| table.key.clear());
    assert!(message.contains("it has no key"), "{message}");
    let message = changed(|table| table.key = vec![7]);
    assert!(
        message.contains("a key names column 7, but 1 are mirrored"),
        "{message}"
    );
    let message = changed(|table| table.columns = vec![column("doc", ColumnType::Json)]);
    assert!(
        message.contains("the column doc, which has no order"),
        "{message}"
    );
    let message = changed(|table| {
        if let Some(column) = table.columns.first_mut() {
            column.nullable = true;
        }
    });
    assert!(message.contains("may be NULL"), "{message}");
}

#[test]
fn fingerprint_is_a_literal() {
    let files = render(&model(), "a\" } fn evil() { \"").unwrap_or_default();
    let tables = files.get("src/tables.rs").cloned().unwrap_or_default();
    assert!(tables.contains(r#""a\" } fn evil() { \"""#), "{tables}");
}
