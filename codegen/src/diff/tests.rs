use super::*;

const MYSQL: ServerVersion = ServerVersion::mysql(9, 7);

fn lock(tables: &[(&str, &str)]) -> Lock {
    let mut lock = Lock::new(MYSQL, None);
    for (table, body) in tables {
        let ddl =
            format!("CREATE TABLE `{table}` (\n{body}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4");
        lock.insert("ads", table, &ddl);
    }
    lock
}

fn schema(tables: &str) -> SchemaFile {
    let text = format!("{{\"database\": \"ads\", \"tables\": [{tables}]}}");
    SchemaFile::parse("schema.json", &text).unwrap()
}

/// The changes of table `t` with all its columns.
fn changes(old: &str, new: &str) -> Vec<String> {
    changes_of("{\"table\": \"t\"}", old, new)
}

fn changes_of(request: &str, old: &str, new: &str) -> Vec<String> {
    let diff = diff(&schema(request), &lock(&[("t", old)]), &lock(&[("t", new)]));
    diff.changes.iter().map(ToString::to_string).collect()
}

#[test]
fn equal_locks_have_no_difference() {
    assert!(changes("`a` int NOT NULL", "`a` int NOT NULL").is_empty());
}

#[test]
fn a_wider_type_names_old_and_new() {
    assert_eq!(
        changes("`a` int NOT NULL", "`a` bigint unsigned NOT NULL"),
        ["ads.t.a: type int -> bigint unsigned (breaks decoding and the API)"]
    );
    assert_eq!(
        changes("`a` varchar(10)", "`a` varchar(20)"),
        ["ads.t.a: type varchar(10) -> varchar(20) (breaks decoding, not the API)"]
    );
    assert_eq!(
        changes("`a` int(10)", "`a` int"),
        ["ads.t.a: type int(10) -> int (breaks nothing)"]
    );
}

#[test]
fn columns_that_come_go_and_move_are_told() {
    assert_eq!(
        changes("`a` int, `b` int, `c` int", "`c` int, `a` int, `d` text"),
        [
            "ads.t: columns moved: `c` now stands where `a` stood (place 1 of those kept) (breaks nothing)",
            "ads.t.b: column removed, was int (breaks decoding and the API)",
            "ads.t.d: column added, text (breaks the API, not decoding)",
        ]
    );
    assert_eq!(
        changes_of(
            "{\"table\": \"t\", \"columns\": [\"a\"]}",
            "`a` int, `b` int",
            "`a` int, `d` text"
        ),
        [
            "ads.t.b: column removed, was int (not mirrored) (breaks nothing)",
            "ads.t.d: column added, text (not mirrored) (breaks nothing)",
        ]
    );
}

#[test]
fn nullability_breaks_decoding_in_one_direction_only() {
    assert_eq!(
        changes("`a` int NOT NULL", "`a` int"),
        ["ads.t.a: NOT NULL -> NULL (breaks decoding and the API)"]
    );
    assert_eq!(
        changes("`a` int", "`a` int NOT NULL"),
        ["ads.t.a: NULL -> NOT NULL (breaks the API, not decoding)"]
    );
}

#[test]
fn character_sets_break_decoding_of_text_but_not_of_labels() {
    assert_eq!(
        changes("`a` text", "`a` text CHARACTER SET ascii"),
        ["ads.t.a: character set utf8mb4 -> ascii (breaks decoding, not the API)"]
    );
    assert_eq!(
        changes("`e` enum('a')", "`e` enum('a') CHARACTER SET ascii"),
        ["ads.t.e: character set utf8mb4 -> ascii (breaks nothing)"]
    );
}

#[test]
fn labels_are_told_one_by_one() {
    assert_eq!(
        changes("`e` enum('a','b')", "`e` enum('b','a')"),
        [
            "ads.t.e: type enum('a','b') -> enum('b','a'); labels in another order (breaks decoding, not the API)"
        ]
    );
    assert_eq!(
        changes("`e` enum('a','b')", "`e` enum('a','c''d')"),
        [
            "ads.t.e: type enum('a','b') -> enum('a','c''d'); labels added: 'c\\'d'; labels removed: 'b' (breaks decoding and the API)"
        ]
    );
}

#[test]
fn keys_and_foreign_keys_are_told() {
    assert_eq!(
        changes(
            "`a` int NOT NULL, `b` int, PRIMARY KEY (`a`), KEY `k` (`b`)",
            "`a` int NOT NULL, `b` int, UNIQUE KEY `k` (`b`,`a`), CONSTRAINT `f` FOREIGN KEY (`b`) REFERENCES `p` (`a`)"
        ),
        [
            "ads.t: key `PRIMARY` removed, was (a) (breaks decoding and the API)",
            "ads.t: key `k` (b) -> UNIQUE (b, a) (breaks the API, not decoding)",
            "ads.t: foreign key `f` added, (b) -> p (a) ON DELETE RESTRICT ON UPDATE RESTRICT (breaks nothing)",
        ]
    );
}

#[test]
fn tables_that_come_and_go_are_told() {
    let old = lock(&[("gone", "`a` int"), ("left", "`a` int")]);
    let new = lock(&[("come", "`a` int"), ("left", "`a` int")]);
    let diff = diff(
        &schema("{\"table\": \"come\"}, {\"table\": \"gone\"}"),
        &old,
        &new,
    );
    assert_eq!(
        diff.to_string(),
        "ads.come: table added (breaks nothing)\n\
         ads.gone: table gone from the server (breaks decoding and the API)\n\
         ads.left: table no longer in schema.json (breaks the API, not decoding)"
    );
    assert_eq!(diff.breaks(), Breaks::BOTH);
}

#[test]
fn a_text_that_differs_is_never_silently_equal() {
    assert_eq!(
        changes("`a` int", "`a` int CHECK (`a` > 0)"),
        [
            "ads.t: details of the table changed (checks, options of keys or of the table) (breaks nothing)"
        ]
    );
}

#[test]
fn unreadable_text_is_a_change() {
    let diff = diff(
        &schema("{\"table\": \"t\"}"),
        &lock(&[("t", "`a` int")]),
        &lock(&[("t", "`a` int ???")]),
    );
    assert_eq!(diff.changes.len(), 1);
    assert_eq!(diff.breaks(), Breaks::BOTH);
}
