use super::*;
use crate::ddl::ServerVersion;
use crate::model::{ColumnType, Table};

const MYSQL: ServerVersion = ServerVersion::mysql(9, 7);

/// The model of tables of database `ads`, given as (name, body), and requests.
fn resolved(tables: &[(&str, &str)], requests: &str) -> Result<Model, Report> {
    let mut lock = Lock::new(MYSQL, Some("ads".to_owned()));
    for (name, body) in tables {
        let (database, table) = name.split_once('.').unwrap_or(("ads", name));
        let ddl = format!(
            "CREATE TABLE `{}` (\n{body}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
            table.replace('`', "``")
        );
        lock.insert(database, table, &ddl);
    }
    let schema = SchemaFile::parse("schema.json", &format!("[{requests}]"))?;
    resolve(&schema, &lock)
}

fn model(tables: &[(&str, &str)], requests: &str) -> Model {
    resolved(tables, requests).unwrap_or_else(|report| panic!("{report}"))
}

fn table(body: &str, request: &str) -> Table {
    model(&[("t", body)], request).tables.remove(0)
}

fn indexes(table: &Table) -> Vec<(&str, &[usize], bool)> {
    table
        .indexes
        .iter()
        .map(|index| {
            (
                index.method.as_str(),
                index.columns.as_slice(),
                index.unique,
            )
        })
        .collect()
}

fn type_of(sql: &str) -> ColumnType {
    let table = table(
        &format!("`id` int NOT NULL, `c` {sql}, PRIMARY KEY (`id`)"),
        r#"{"table": "t"}"#,
    );
    table.columns[1].ty.clone()
}

#[test]
fn lengths_are_in_bytes_of_the_widest_character() {
    assert_eq!(
        type_of("varchar(10)"),
        ColumnType::VarChar { max_bytes: 40 }
    );
    assert_eq!(
        type_of("varchar(10) CHARACTER SET utf8"),
        ColumnType::VarChar { max_bytes: 30 }
    );
    assert_eq!(
        type_of("char(10) CHARACTER SET ascii"),
        ColumnType::Char { max_bytes: 10 }
    );
    assert_eq!(
        type_of("char(10) COLLATE utf8mb3_bin"),
        ColumnType::Char { max_bytes: 30 }
    );
    assert_eq!(
        type_of("char(4) CHARACTER SET binary"),
        ColumnType::Binary { bytes: 4 }
    );
    assert_eq!(type_of("binary"), ColumnType::Binary { bytes: 1 });
    assert_eq!(type_of("mediumtext"), ColumnType::Text { length_bytes: 3 });
    assert_eq!(type_of("longblob"), ColumnType::Blob { length_bytes: 4 });
}

#[test]
fn defaults_of_types_are_filled_in() {
    assert_eq!(
        type_of("decimal"),
        ColumnType::Decimal {
            precision: 10,
            scale: 0
        }
    );
    assert_eq!(type_of("bit"), ColumnType::Bit { bits: 1 });
    assert_eq!(type_of("datetime"), ColumnType::DateTime { fsp: 0 });
    assert_eq!(type_of("year(4)"), ColumnType::Year);
    assert_eq!(
        type_of("int(5) zerofill"),
        ColumnType::Int { unsigned: true }
    );
    assert_eq!(type_of("float(7,3)"), ColumnType::Float);
}

#[test]
fn listed_columns_stand_in_table_order_with_their_ordinals() {
    let table = table(
        "`a` int, `ID` int NOT NULL, `b` geometry, `c` int COMMENT 'x', PRIMARY KEY (`ID`)",
        r#"{"table": "t", "columns": ["C", {"column": "id", "rust_name": "type"}]}"#,
    );
    let columns: Vec<(&str, &str, usize)> = table
        .columns
        .iter()
        .map(|column| {
            (
                column.name.as_str(),
                column.rust_name.as_str(),
                column.ordinal,
            )
        })
        .collect();
    assert_eq!(columns, [("ID", "r#type", 1), ("c", "c", 3)]);
    assert_eq!((table.physical_columns, table.key), (4, vec![0]));
}

#[test]
fn the_first_unique_key_on_not_null_columns_serves_without_a_primary_key() {
    let body = "`a` int, `b` int NOT NULL, `c` varchar(9) NOT NULL, `d` int NOT NULL, \
                UNIQUE KEY `n` (`a`), UNIQUE KEY `p` (`c`(3)), UNIQUE KEY `x` (`d`,`b`), UNIQUE KEY `y` (`b`)";
    let chosen = table(body, r#"{"table": "t"}"#);
    assert_eq!(
        (chosen.key_name.as_str(), chosen.key.as_slice()),
        ("x", &[3, 1][..])
    );
    assert_eq!(
        indexes(&chosen),
        [("by_n", &[0][..], true), ("by_y", &[1], true)]
    );
    let named = table(body, r#"{"table": "t", "key": ["B"]}"#);
    assert_eq!(named.key_name, "y");
    assert_eq!(indexes(&named)[1], ("by_x", &[3, 1][..], true));
    let in_another_order = table(body, r#"{"table": "t", "key": ["b", "d"]}"#);
    assert_eq!(in_another_order.key, [3, 1]);
}

#[test]
fn default_indexes_are_the_keys_that_whole_mirrored_columns_serve() {
    let table = table(
        "`id` int NOT NULL, `a` int, `b` text, `c` int, PRIMARY KEY (`id`), KEY `a` (`a`), \
         KEY `by_id_a` (`id`,`a`), KEY `pre` (`b`(5)), KEY `no` (`c`), KEY `fx` ((`a` + 1)), FULLTEXT KEY `ft` (`b`)",
        r#"{"table": "t", "columns": ["id", "a", "b"]}"#,
    );
    assert_eq!(
        indexes(&table),
        [("by_a", &[1][..], false), ("by_id_a", &[0, 1], false)]
    );
}

#[test]
fn requested_indexes_by_columns_know_when_they_are_unique() {
    let table = table(
        "`id` int NOT NULL, `a` int, `b` int, PRIMARY KEY (`id`), UNIQUE KEY `u` (`a`,`b`)",
        r#"{"table": "t", "indexes": [["b", "A"], ["a"], "U"]}"#,
    );
    let expected: [(&str, &[usize], bool); 3] = [
        ("by_b_and_a", &[2, 1], true),
        ("by_a", &[1], false),
        ("by_u", &[1, 2], true),
    ];
    assert_eq!(indexes(&table), expected);
    assert_eq!(table.indexes[0].name, "b, a");
}

#[test]
fn no_method_takes_the_range_method_of_another() {
    let table = table(
        "`id` int NOT NULL, `a` int, PRIMARY KEY (`id`), KEY `a` (`a`), KEY `a_range` (`a`), KEY `by_a` (`a`)",
        r#"{"table": "t"}"#,
    );
    let methods: Vec<&str> = table
        .indexes
        .iter()
        .map(|index| index.method.as_str())
        .collect();
    assert_eq!(methods, ["by_a", "by_a_range_2", "by_a_2"]);
    let table = self::table(
        "`id` int NOT NULL, `a` int, `b` int, PRIMARY KEY (`id`), KEY `a` (`a`, `b`), KEY `a_prefix` (`b`)",
        r#"{"table": "t"}"#,
    );
    assert_eq!(table.indexes[1].method, "by_a_prefix_2");
}

#[test]
fn names_of_tables_never_collide() {
    const BODY: &str = "`id` int NOT NULL, `view` enum('a'), `self` set('b'), PRIMARY KEY (`id`)";
    let tables = [
        ("campaign", BODY),
        ("campaign_view", BODY),
        ("tables", BODY),
        ("type", BODY),
        ("größe", BODY),
        ("other.banner", BODY),
        ("banner", BODY),
        ("Option", BODY),
        ("std", BODY),
        ("new", BODY),
    ];
    let requests: Vec<String> = tables
        .iter()
        .map(|(name, _)| {
            let (database, table) = name.split_once('.').unwrap_or(("ads", name));
            format!(r#"{{"database": "{database}", "table": "{table}"}}"#)
        })
        .collect();
    let model = model(&tables, &requests.join(","));
    let names: Vec<(&str, &str)> = model
        .tables
        .iter()
        .map(|table| (table.type_name.as_str(), table.module_name.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("Campaign", "campaign"),
            ("CampaignViewRow", "campaign_view"),
            ("TablesRow", "tables_table"),
            ("Type", "type_table"),
            ("Größe", "gru00f6u00dfe"),
            ("OtherBanner", "other_banner"),
            ("AdsBanner", "ads_banner"),
            ("OptionRow", "option"),
            ("Std", "std_table"),
            ("New", "new_table"),
        ]
    );
    // `CampaignView` is the view of `Campaign` already.
    assert_eq!(model.tables[0].columns[1].type_name, "CampaignView2");
    assert_eq!(model.tables[0].columns[2].rust_name, "self_");
    let files = crate::render::render(&model, "0").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(files.len(), tables.len() + 3);
}

#[test]
fn a_table_in_another_case_keeps_the_servers_spelling() {
    let model = model(
        &[("MixCase", "`Id` int NOT NULL, PRIMARY KEY (`Id`)")],
        r#"{"table": "mixcase"}"#,
    );
    assert_eq!(model.tables[0].name, "MixCase");
}

#[test]
fn json_is_binary_on_mysql_only() {
    assert_eq!(type_of("json"), ColumnType::Json);
    let mut lock = Lock::new(ServerVersion::mariadb(10, 11), Some("ads".to_owned()));
    lock.insert(
        "ads",
        "t",
        "CREATE TABLE `t` (`id` int(11) NOT NULL, `j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin \
         DEFAULT NULL CHECK (json_valid(`j`)), PRIMARY KEY (`id`))",
    );
    let schema = SchemaFile::parse("schema.json", r#"[{"table": "t"}]"#).unwrap();
    let model = resolve(&schema, &lock).unwrap();
    assert_eq!(
        model.tables[0].columns[1].ty,
        ColumnType::Text { length_bytes: 4 }
    );
}

const PARENT: &str = "`id` int NOT NULL, `v` varchar(9), PRIMARY KEY (`id`), UNIQUE KEY `v` (`v`)";

fn child(action: &str) -> String {
    format!(
        "`id` int NOT NULL, `p` int, PRIMARY KEY (`id`), \
         CONSTRAINT `fk` FOREIGN KEY (`p`) REFERENCES `par` (`id`) {action}"
    )
}

#[test]
fn cascades_need_their_parent_and_restrict_does_not() {
    for action in [
        "ON DELETE CASCADE",
        "ON DELETE SET NULL",
        "ON UPDATE CASCADE",
        "ON UPDATE SET NULL",
    ] {
        let tables = [("kid", &*child(action)), ("par", PARENT)];
        let report = resolved(&tables, r#"{"table": "kid"}"#)
            .unwrap_err()
            .to_string();
        for part in [
            "ads.kid",
            "`fk`",
            action,
            "mirror ads.par too",
            "ignore_foreign_keys",
        ] {
            assert!(report.contains(part), "{report}");
        }
        let model = model(&tables, r#"{"table": "kid"}, {"table": "par"}"#);
        let key = &model.tables[0].foreign_keys[0];
        assert_eq!(key.parent, ("ads".to_owned(), "par".to_owned()));
        assert_eq!((&*key.columns, &*key.parent_columns), (&[1][..], &[0][..]));
        assert!(key.by_value);
    }
    for action in ["", "ON DELETE RESTRICT ON UPDATE NO ACTION"] {
        let tables = [("kid", &*child(action))];
        let model = model(&tables, r#"{"table": "kid"}"#);
        assert_eq!(model.tables[0].foreign_keys, []);
    }
}

#[test]
fn cascades_need_the_columns_of_both_tables() {
    let tables = [("kid", &*child("ON DELETE CASCADE")), ("par", PARENT)];
    let report = resolved(
        &tables,
        r#"{"table": "kid", "columns": ["id"]}, {"table": "par"}"#,
    );
    let report = report.unwrap_err().to_string();
    assert!(
        report.contains("column `p` of ads.kid is not mirrored"),
        "{report}"
    );
}

#[test]
fn an_ignored_foreign_key_is_named_and_exists() {
    let tables = [("kid", &*child("ON DELETE CASCADE"))];
    let of = |name: &str| format!(r#"{{"table": "kid", "ignore_foreign_keys": ["{name}"]}}"#);
    let found = model(&tables, &of("fk"));
    assert_eq!(found.tables[0].foreign_keys, []);
    assert_eq!(found.tables[0].ignored_foreign_keys, ["fk"]);
    let report = resolved(&tables, &of("fq")).unwrap_err().to_string();
    assert!(report.contains("those that do are `fk`"), "{report}");
}

#[test]
fn text_and_generated_columns_are_not_compared_by_value() {
    let text = "`id` int NOT NULL, `p` varchar(9), PRIMARY KEY (`id`), \
                CONSTRAINT `fk` FOREIGN KEY (`p`) REFERENCES `par` (`v`) ON DELETE CASCADE";
    let generated = "`id` int NOT NULL, `p` int, \
                     `g` int GENERATED ALWAYS AS (`p` + 1) STORED, PRIMARY KEY (`id`), \
                     CONSTRAINT `fk` FOREIGN KEY (`p`) REFERENCES `par` (`id`) ON DELETE CASCADE";
    for kid in [text, generated] {
        let tables = [("kid", kid), ("par", PARENT)];
        let model = model(&tables, r#"{"table": "kid"}, {"table": "par"}"#);
        assert!(!model.tables[0].foreign_keys[0].by_value, "{kid}");
    }
}
