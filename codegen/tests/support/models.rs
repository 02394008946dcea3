//! Models of the goldens, one per feature, built by hand.

use codegen::model::{Column, ColumnType, Held, Index, Member, Model, Table};

/// Every golden: the name of its folder and the model it is rendered from.
pub(crate) fn all() -> Vec<(&'static str, Model)> {
    vec![
        ("column_types", one(column_types())),
        ("charsets", one(charsets())),
        ("choices", one(choices())),
        (
            "composite_keys",
            model(vec![composite_key(), long_key(), float_key()]),
        ),
        ("derives", one(derives())),
        ("enum_labels", one(enum_labels())),
        ("hostile_text", one(hostile_text())),
        ("keys", one(keys())),
        ("keyword_names", model(vec![keyword_names(), self_named()])),
        ("nullable_unique_index", one(nullable_unique_index())),
        ("serde", one(serde())),
        ("set_labels", one(set_labels())),
        (
            "several_databases",
            model(vec![plain("ads", "Click"), plain("stats", "StatsClick")]),
        ),
        ("text_keys", model(vec![text_key(), bytes_key()])),
    ]
}

fn model(tables: Vec<Table>) -> Model {
    Model { tables }
}

fn one(table: Table) -> Model {
    model(vec![table])
}

/// A table `ads.<module>` whose first column is its primary key.
pub(crate) fn table(type_name: &str, module: &str, columns: Vec<Column>) -> Table {
    let columns: Vec<Column> = columns
        .into_iter()
        .enumerate()
        .map(|(ordinal, column)| Column { ordinal, ..column })
        .collect();
    Table {
        database: "ads".to_owned(),
        name: module.trim_start_matches("r#").to_owned(),
        type_name: type_name.to_owned(),
        module_name: module.to_owned(),
        comment: String::new(),
        physical_columns: columns.len(),
        old_fractions: Vec::new(),
        columns,
        key: vec![0],
        key_name: "PRIMARY".to_owned(),
        indexes: Vec::new(),
        foreign_keys: Vec::new(),
        ignored_foreign_keys: Vec::new(),
        derives: Vec::new(),
    }
}

/// A NOT NULL column without a comment.
pub(crate) fn column(name: &str, sql_type: &str, ty: ColumnType) -> Column {
    let text = matches!(
        ty,
        ColumnType::Char { .. }
            | ColumnType::VarChar { .. }
            | ColumnType::Text { .. }
            | ColumnType::Enum { .. }
            | ColumnType::Set { .. }
    );
    Column {
        name: name.to_owned(),
        rust_name: name.to_owned(),
        ordinal: 0,
        nullable: false,
        sql_type: sql_type.to_owned(),
        charset: text.then(|| "utf8mb4".to_owned()),
        ty,
        held: Held::Natural,
        type_name: String::new(),
        comment: String::new(),
        generated_from: None,
        invisible: false,
    }
}

fn nullable(column: Column) -> Column {
    Column {
        nullable: true,
        ..column
    }
}

fn commented(column: Column, comment: &str) -> Column {
    Column {
        comment: comment.to_owned(),
        ..column
    }
}

fn int(name: &str) -> Column {
    column(name, "int(10) unsigned", ColumnType::Int { unsigned: true })
}

fn varchar(name: &str) -> Column {
    column(name, "varchar(40)", ColumnType::VarChar { max_bytes: 160 })
}

fn index(name: &str, method: &str, columns: &[usize], unique: bool) -> Index {
    Index {
        name: name.to_owned(),
        method: method.to_owned(),
        columns: columns.to_vec(),
        unique,
    }
}

fn members(members: &[(&str, &str)]) -> Vec<Member> {
    members
        .iter()
        .map(|(label, rust_name)| Member {
            label: (*label).to_owned(),
            rust_name: (*rust_name).to_owned(),
        })
        .collect()
}

fn labelled(name: &str, type_name: &str, sql_type: &str, ty: ColumnType) -> Column {
    Column {
        type_name: type_name.to_owned(),
        ..column(name, sql_type, ty)
    }
}

fn keys() -> Table {
    let mut table = table(
        "Campaign",
        "campaign",
        vec![
            commented(int("id"), "Number of the campaign"),
            int("advertiser_id"),
            varchar("name"),
            commented(
                column(
                    "budget",
                    "decimal(12,2)",
                    ColumnType::Decimal {
                        precision: 12,
                        scale: 2,
                    },
                ),
                "What may be spent, in EUR",
            ),
            nullable(varchar("note")),
        ],
    );
    table.comment = "What an advertiser runs".to_owned();
    table.physical_columns = 12;
    table.indexes = vec![
        index("idx_advertiser", "by_advertiser_id", &[1], false),
        index("uk_name", "by_name", &[1, 2], true),
        index("idx_note", "by_note", &[4, 0], false),
    ];
    table
}

fn text_key() -> Table {
    let mut table = table(
        "Flag",
        "flag",
        vec![varchar("name"), varchar("owner"), nullable(varchar("team"))],
    );
    table.indexes = vec![
        index("owner", "by_owner", &[1], false),
        index("team", "by_team", &[2], false),
    ];
    table
}

fn bytes_key() -> Table {
    let mut table = table(
        "Session",
        "session",
        vec![
            column("token", "binary(16)", ColumnType::Binary { bytes: 16 }),
            column(
                "hash",
                "varbinary(32)",
                ColumnType::VarBinary { max_bytes: 32 },
            ),
            nullable(column(
                "parent",
                "varbinary(32)",
                ColumnType::VarBinary { max_bytes: 32 },
            )),
        ],
    );
    table.key_name = "uk_token".to_owned();
    table.indexes = vec![
        index("hash", "by_hash", &[1], true),
        index("parent", "by_parent", &[2], false),
    ];
    table
}

fn composite_key() -> Table {
    let mut table = table(
        "Targeting",
        "targeting",
        vec![
            varchar("value"),
            int("campaign_id"),
            column(
                "kind",
                "tinyint(4)",
                ColumnType::TinyInt { unsigned: false },
            ),
        ],
    );
    table.key = vec![1, 2, 0];
    table.indexes = vec![index("idx_kind", "by_kind", &[2, 0], false)];
    table
}

/// A key of 16 columns, the most that MySQL has; tuples are ordered up to 12.
fn long_key() -> Table {
    let mut table = table(
        "Cube",
        "cube",
        (0..16).map(|n| int(&format!("dimension_{n}"))).collect(),
    );
    table.key = (0..16).collect();
    table
}

fn float_key() -> Table {
    let digits = ColumnType::Decimal {
        precision: 65,
        scale: 30,
    };
    let mut table = table(
        "Sample",
        "sample",
        vec![
            column("at", "double", ColumnType::Double),
            nullable(column("value", "float", ColumnType::Float)),
            column("exact", "decimal(65,30)", digits.clone()),
            nullable(column("limit", "decimal(65,30)", digits)),
        ],
    );
    table.indexes = vec![
        index("value", "by_value", &[1], false),
        index("uk_value", "by_value_at", &[1, 0], true),
        index("exact", "by_exact", &[2], true),
        index("limit", "by_limit", &[3], false),
        index("exact_limit", "by_exact_limit", &[2, 3], false),
    ];
    table
}

fn nullable_unique_index() -> Table {
    let mut table = table(
        "User",
        "user",
        vec![
            int("id"),
            nullable(varchar("email")),
            nullable(int("badge")),
            nullable(column("day", "date", ColumnType::Date)),
        ],
    );
    table.indexes = vec![
        index("email", "by_email", &[1], true),
        index("badge_day", "by_badge_day", &[2, 3], true),
        index("day", "by_day", &[3], false),
    ];
    table
}

fn enum_labels() -> Table {
    let odd = members(&[
        ("a,b", "AB"),
        ("it's", "ItS"),
        ("(x)", "X"),
        ("back\\slash", "BackSlash"),
        ("`tick`", "Tick"),
        ("per%cent", "PerCent"),
        ("3D", "_3D"),
        ("", "Empty"),
        ("größe", "Größe"),
        ("New York", "NewYork"),
        ("NewYork", "NewYork2"),
    ]);
    let taken = members(&[("invalid", "Invalid"), ("ALL", "ALL")]);
    let mut table = table(
        "Banner",
        "banner",
        vec![
            labelled(
                "status",
                "BannerStatus",
                "enum('a,b','it''s','(x)','back\\\\slash','`tick`','per%cent','3D','','größe',\
                 'New York','NewYork')",
                ColumnType::Enum { members: odd },
            ),
            nullable(labelled(
                "state",
                "BannerState",
                "enum('invalid','ALL')",
                ColumnType::Enum { members: taken },
            )),
        ],
    );
    table.indexes = vec![index("state", "by_state", &[1], false)];
    table
}

fn set_labels() -> Table {
    let labels: Vec<String> = (0..64).map(|n| format!("flag {n}")).collect();
    let full = labels
        .iter()
        .map(|label| Member {
            label: label.clone(),
            rust_name: label.to_uppercase().replace(' ', "_"),
        })
        .collect();
    let sql_type = format!("set('{}')", labels.join("','"));
    let few = members(&[("read", "READ"), ("it's", "IT_S"), ("größe", "GRÖSSE")]);
    let mut table = table(
        "Grant",
        "grant",
        vec![
            int("id"),
            labelled(
                "flags",
                "GrantFlags",
                &sql_type,
                ColumnType::Set { members: full },
            ),
            nullable(labelled(
                "rights",
                "GrantRights",
                "set('read','it''s','größe')",
                ColumnType::Set { members: few },
            )),
        ],
    );
    table.indexes = vec![index("flags", "by_flags", &[1], false)];
    table
}

fn keyword_names() -> Table {
    let raw = |name: &str| Column {
        rust_name: format!("r#{name}"),
        ..int(name)
    };
    let mut table = table(
        "Type",
        "r#type",
        vec![
            raw("type"),
            raw("match"),
            raw("fn"),
            raw("async"),
            raw("gen"),
            int("union"),
        ],
    );
    table.indexes = vec![
        index("match", "by_match", &[1], false),
        index("fn", "r#fn", &[2, 3], true),
    ];
    table
}

/// Names that the generated code uses itself, where they do not meet.
fn self_named() -> Table {
    let own = |name: &str, rust_name: &str| Column {
        rust_name: rust_name.to_owned(),
        ..varchar(name)
    };
    let mut table = table(
        "SelfRow",
        "self_",
        vec![
            own("self", "self_"),
            int("table"),
            int("image"),
            varchar("row"),
            int("column"),
        ],
    );
    table.key = vec![0, 1, 2, 3, 4];
    table.indexes = vec![
        index("table", "by_table", &[1, 3], false),
        index("row", "by_row", &[3], true),
    ];
    table
}

fn plain(database: &str, type_name: &str) -> Table {
    let module = if database == "ads" {
        "click"
    } else {
        "stats_click"
    };
    let mut table = table(type_name, module, vec![int("id"), int("banner_id")]);
    table.database = database.to_owned();
    table.name = "click".to_owned();
    table.indexes = vec![index("banner_id", "by_banner_id", &[1], false)];
    table
}

fn derives() -> Table {
    let label = members(&[("on", "On"), ("off", "Off")]);
    let mut table = table(
        "Switch",
        "switch",
        vec![
            int("id"),
            nullable(varchar("name")),
            labelled(
                "state",
                "SwitchState",
                "enum('on','off')",
                ColumnType::Enum {
                    members: label.clone(),
                },
            ),
            labelled(
                "modes",
                "SwitchModes",
                "set('on','off')",
                ColumnType::Set { members: label },
            ),
        ],
    );
    table.derives = ["Eq", "::core::hash::Hash", "std::default::Default", "Clone"]
        .map(str::to_owned)
        .to_vec();
    table
}

/// Every type in a row that serde knows.
fn serde() -> Table {
    let mut table = column_types();
    let label = members(&[("on", "On"), ("off", "Off")]);
    let labelled = labelled(
        "state",
        "EverythingState",
        "enum('on','off')",
        ColumnType::Enum { members: label },
    );
    table.columns.push(Column {
        ordinal: table.columns.len(),
        ..labelled
    });
    table.derives = ["serde::Serialize", "serde::Deserialize"]
        .map(str::to_owned)
        .to_vec();
    table
}

/// Texts that would break out of comments, literals, Markdown or HTML if they were pasted.
pub(crate) const HOSTILE: &[&str] = &[
    "\"]; pub fn evil() {} //",
    "*/ pub fn evil() {} /*",
    "\\\"; pub fn evil() {} //",
    "line one\nline two\r\n\nline three",
    "```\nfn main() { std::process::exit(1) }\n```",
    "    indented like code",
    "[Missing](crate::Missing) [`Gone`] ![x](y) [a]: b",
    "<script>alert(1)</script> <b> &amp; &lt",
    "`unbalanced ``` backquotes ``",
    "http://example.com/?a=b&c and # title",
    "{{ table }} {% for x in y %} {# z #}",
    "\u{202e}reversed\u{2066} \u{7}bell \0nul \u{feff}mark",
    "'\"'\"' $(reboot) %s {} {0} r#\"raw\"#",
    "- item\n- item\n===\n---\n> quote\n1. one\n|a|b|\n|-|-|",
];

fn hostile_text() -> Table {
    let mut columns = vec![int("id")];
    for (n, text) in HOSTILE.iter().enumerate() {
        columns.push(Column {
            name: (*text).to_owned(),
            sql_type: format!("int /* {text} */"),
            charset: Some((*text).to_owned()),
            comment: (*text).to_owned(),
            ..int(&format!("column_{n}"))
        });
    }
    let label = |name: &dyn Fn(usize) -> String| {
        let named = |(n, text): (usize, &&str)| Member {
            label: (**text).to_owned(),
            rust_name: name(n),
        };
        HOSTILE.iter().enumerate().map(named).collect()
    };
    let odd = HOSTILE.concat();
    columns.push(labelled(
        "kind",
        "HostileKind",
        &odd,
        ColumnType::Enum {
            members: label(&|n| format!("Label{n}")),
        },
    ));
    columns.push(labelled(
        "flags",
        "HostileFlags",
        "set(' ')",
        ColumnType::Set {
            members: label(&|n| format!("LABEL_{n}")),
        },
    ));
    let mut table = table("Hostile", "hostile", columns);
    table.database = "\"]; } pub fn evil() {} //".to_owned();
    table.name = "*/ `name` \\ \n [`x`] <b>".to_owned();
    table.comment = HOSTILE.join("\n");
    table.key_name = "`\"]; <key>".to_owned();
    table.indexes = (1..HOSTILE.len())
        .map(|n| {
            let name = HOSTILE.get(n).copied().unwrap_or_default();
            index(name, &format!("by_column_{n}"), &[n], n % 2 == 0)
        })
        .collect();
    table
}

/// A text column in every character set that the runtime decodes.
fn charsets() -> Table {
    let mut columns = vec![int("id")];
    for charset in mirror_runtime::Charset::ALL {
        let name = charset.name();
        columns.push(Column {
            charset: Some(name.to_owned()),
            ..column(
                &format!("c_{name}"),
                "varchar(10)",
                ColumnType::VarChar {
                    max_bytes: 10 * charset.max_char_bytes(),
                },
            )
        });
    }
    let mut table = table("Texts", "texts", columns);
    table.old_fractions = vec![(50, 3)];
    table
}

/// Columns that are held as something else than their own type, in keys too.
fn choices() -> Table {
    let user = |column: Column, path: &str| Column {
        held: Held::User(path.to_owned()),
        ..column
    };
    let held = |held: Held, column: Column| Column { held, ..column };
    // Any type that is made of JSON and turned back into it does.
    let json = |name: &str| column(name, "json", ColumnType::Json);
    let tiny = |name: &str| column(name, "tinyint(1)", ColumnType::TinyInt { unsigned: false });
    let columns = vec![
        user(int("id"), "user_types::Id"),
        held(Held::Bool, tiny("flag")),
        nullable(held(Held::Bool, tiny("maybe"))),
        held(Held::Bytes, varchar("raw")),
        nullable(held(Held::Bytes, varchar("maybe_raw"))),
        user(varchar("name"), "user_types::Name"),
        nullable(user(varchar("nick"), "user_types::Name")),
        user(json("document"), "mirror_runtime::Json"),
        nullable(user(json("maybe_document"), "mirror_runtime::Json")),
    ];
    let mut table = table("Choice", "choice", columns);
    table.indexes = vec![
        index("by_flag", "by_flag", &[1, 2], false),
        index("by_raw", "by_raw", &[3, 4], false),
        index("by_name", "by_name", &[5], true),
        index("by_nick", "by_nick", &[6, 5], false),
    ];
    table
}

fn column_types() -> Table {
    let mut columns = vec![column(
        "id",
        "bigint(20)",
        ColumnType::BigInt { unsigned: false },
    )];
    for (n, (sql_type, ty)) in every_type().into_iter().enumerate() {
        columns.push(column(&format!("c{n}"), sql_type, ty.clone()));
        columns.push(nullable(column(&format!("n{n}"), sql_type, ty)));
    }
    let generated = Column {
        generated_from: Some(vec![0, 1]),
        invisible: true,
        ..int("computed")
    };
    columns.push(commented(nullable(generated), "Made by the server"));
    table("Everything", "everything", columns)
}

fn every_type() -> Vec<(&'static str, ColumnType)> {
    use ColumnType as T;
    vec![
        ("tinyint(4)", T::TinyInt { unsigned: false }),
        ("tinyint(3) unsigned", T::TinyInt { unsigned: true }),
        ("smallint(6)", T::SmallInt { unsigned: false }),
        ("smallint(5) unsigned", T::SmallInt { unsigned: true }),
        ("mediumint(9)", T::MediumInt { unsigned: false }),
        ("mediumint(8) unsigned", T::MediumInt { unsigned: true }),
        ("int(11)", T::Int { unsigned: false }),
        ("int(10) unsigned", T::Int { unsigned: true }),
        ("bigint(20)", T::BigInt { unsigned: false }),
        ("bigint(20) unsigned", T::BigInt { unsigned: true }),
        ("float", T::Float),
        ("double", T::Double),
        (
            "decimal(28,10)",
            T::Decimal {
                precision: 28,
                scale: 10,
            },
        ),
        (
            "decimal(29,0)",
            T::Decimal {
                precision: 29,
                scale: 0,
            },
        ),
        ("date", T::Date),
        ("datetime(6)", T::DateTime { fsp: 6 }),
        ("timestamp(3)", T::Timestamp { fsp: 3 }),
        ("time", T::Time { fsp: 0 }),
        ("year(4)", T::Year),
        ("char(10)", T::Char { max_bytes: 40 }),
        ("varchar(300)", T::VarChar { max_bytes: 1200 }),
        ("longtext", T::Text { length_bytes: 4 }),
        ("binary(16)", T::Binary { bytes: 16 }),
        ("varbinary(32)", T::VarBinary { max_bytes: 32 }),
        ("tinyblob", T::Blob { length_bytes: 1 }),
        ("bit(64)", T::Bit { bits: 64 }),
        ("json", T::Json),
        ("point", T::Geometry),
        ("vector(3)", T::Vector { dimension: 3 }),
        ("uuid", T::Uuid),
        ("inet4", T::Inet4),
        ("inet6", T::Inet6),
    ]
}

/// A column of the `n`th type, over and over.
pub(crate) fn typed_column(n: usize) -> Column {
    let types = every_type();
    let (sql_type, ty) = types
        .into_iter()
        .cycle()
        .nth(n)
        .unwrap_or(("date", ColumnType::Date));
    column(&format!("column_{n}"), sql_type, ty)
}
