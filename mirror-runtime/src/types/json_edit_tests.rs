use super::*;

/// Binary JSON of small values.
fn binary(value: &str) -> Vec<u8> {
    match value {
        "null" => vec![4, 0],
        "[]" => vec![2, 0, 0, 4, 0],
        "{}" => vec![0, 0, 0, 4, 0],
        number if number.parse::<i16>().is_ok() => {
            let number: i16 = number.parse().unwrap();
            [&[5][..], &number.to_le_bytes()].concat()
        }
        text => [&[12, text.len() as u8][..], text.as_bytes()].concat(),
    }
}

fn diff(operation: u8, path: &str, value: Option<&str>) -> Vec<u8> {
    let mut bytes = vec![operation, path.len() as u8];
    bytes.extend(path.as_bytes());
    if let Some(value) = value {
        let value = binary(value);
        bytes.push(value.len() as u8);
        bytes.extend(value);
    }
    bytes
}

fn replace(path: &str, value: &str) -> Vec<u8> {
    diff(0, path, Some(value))
}

fn insert(path: &str, value: &str) -> Vec<u8> {
    diff(1, path, Some(value))
}

fn remove(path: &str) -> Vec<u8> {
    diff(2, path, None)
}

fn exact(text: &str, diffs: &[Vec<u8>]) -> Result<String, ValueError> {
    apply(text, &diffs.concat(), false)
}

fn replayed(text: &str, diffs: &[Vec<u8>]) -> Result<String, ValueError> {
    apply(text, &diffs.concat(), true)
}

const SAMPLE: &str = r#"{"a": 1, "bb": [1, 2, 3, "x, ]}\" y"], "b c": {"x": null}, "q\"q": 1.50}"#;

/// What MySQL 9.7.4 made of the same changes.
#[test]
fn each_operation_changes_its_place_and_nothing_else() {
    for (diffs, expected) in [
        (
            vec![replace("$.a", "2")],
            r#"{"a": 2, "bb": [1, 2, 3, "x, ]}\" y"], "b c": {"x": null}, "q\"q": 1.50}"#,
        ),
        (
            vec![remove("$.\"b c\".x")],
            r#"{"a": 1, "bb": [1, 2, 3, "x, ]}\" y"], "b c": {}, "q\"q": 1.50}"#,
        ),
        (
            vec![insert("$.bb[10]", "app")],
            r#"{"a": 1, "bb": [1, 2, 3, "x, ]}\" y", "app"], "b c": {"x": null}, "q\"q": 1.50}"#,
        ),
        (
            vec![
                replace("$.bb[last]", "LAST"),
                replace(r#"$."q\"q""#, "3"),
                insert("$.zz", "1"),
            ],
            r#"{"a": 1, "bb": [1, 2, 3, "LAST"], "zz": 1, "b c": {"x": null}, "q\"q": 3}"#,
        ),
        (
            vec![
                remove("$.bb[0]"),
                remove("$.bb[last]"),
                remove("$.bb[0]"),
                remove("$.bb[0]"),
            ],
            r#"{"a": 1, "bb": [], "b c": {"x": null}, "q\"q": 1.50}"#,
        ),
        (
            vec![remove("$.a"), remove(r#"$."q\"q""#)],
            r#"{"bb": [1, 2, 3, "x, ]}\" y"], "b c": {"x": null}}"#,
        ),
        (
            vec![
                insert("$.\"b c\".y", "[]"),
                insert("$.\"b c\".y[0]", "{}"),
                insert("$.\"b c\".y[last-5]", "0"),
            ],
            r#"{"a": 1, "bb": [1, 2, 3, "x, ]}\" y"], "b c": {"x": null, "y": [0, {}]}, "q\"q": 1.50}"#,
        ),
    ] {
        assert_eq!(exact(SAMPLE, &diffs).unwrap(), expected);
    }
    assert_eq!(exact(SAMPLE, &[]).unwrap(), SAMPLE);
}

#[test]
fn members_stand_in_the_order_of_their_length_and_bytes() {
    let paths = [
        "$.b",
        "$.é",
        "$.aa",
        "$.\"\"",
        "$.\"\\n\"",
        "$.ab",
        "$.a",
        "$.zzz",
        "$.\"Z\\\"\"",
    ];
    let diffs: Vec<Vec<u8>> = paths.iter().map(|path| insert(path, "1")).collect();
    // `\n` is one byte, `é` and `Z"` are two.
    let expected =
        r#"{"": 1, "\n": 1, "a": 1, "b": 1, "Z\"": 1, "aa": 1, "ab": 1, "é": 1, "zzz": 1}"#;
    assert_eq!(exact("{}", &diffs).unwrap(), expected);
    let back: Vec<Vec<u8>> = diffs.into_iter().rev().collect();
    assert_eq!(exact("{}", &back).unwrap(), expected);
}

#[test]
fn cells_are_counted_from_both_ends() {
    let text = "[0, [], {}, \"3\"]";
    for (change, expected) in [
        (replace("$[3]", "9"), "[0, [], {}, 9]"),
        (replace("$[last-3]", "9"), "[9, [], {}, \"3\"]"),
        (insert("$[0]", "9"), "[9, 0, [], {}, \"3\"]"),
        (insert("$[3]", "9"), "[0, [], {}, 9, \"3\"]"),
        (insert("$[4]", "9"), "[0, [], {}, \"3\", 9]"),
        (insert("$[last]", "9"), "[0, [], {}, 9, \"3\"]"),
        (insert("$[last-9]", "9"), "[9, 0, [], {}, \"3\"]"),
        (insert("$[1][7]", "9"), "[0, [9], {}, \"3\"]"),
        (remove("$[2]"), "[0, [], \"3\"]"),
        (remove("$[last]"), "[0, [], {}]"),
    ] {
        assert_eq!(exact(text, &[change]).unwrap(), expected);
    }
}

#[test]
fn a_place_that_the_document_does_not_have_is_a_misfit() {
    for change in [
        replace("$", "1"),
        replace("$.b", "1"),
        replace("$.bb[4]", "1"),
        replace("$.bb[last-4]", "1"),
        replace("$.a.x", "1"),
        replace("$.a[0]", "1"),
        replace("$[0]", "1"),
        replace("$.bb.x", "1"),
        insert("$.a", "1"),
        insert("$.x.y", "1"),
        insert("$[0]", "1"),
        insert("$.bb.x", "1"),
        remove("$.x"),
        remove("$.bb[4]"),
        remove("$.\"b c\".y"),
    ] {
        assert_eq!(exact(SAMPLE, &[change]), Err(ValueError::JsonMisfit));
    }
    assert_eq!(
        exact("null", &[insert("$.a", "1")]),
        Err(ValueError::JsonMisfit)
    );
}

/// Each prefix of some changes made, then all of them replayed, gives what they give once.
#[test]
fn changes_of_members_can_be_replayed_from_anywhere() {
    let histories: [&[Vec<u8>]; 4] = [
        &[
            replace("$.a", "{}"),
            insert("$.a.x", "1"),
            replace("$.a.x", "[]"),
            remove("$.a.x"),
            replace("$.a", "7"),
            remove("$.a"),
            insert("$.a", "8"),
        ],
        &[
            insert("$.n", "{}"),
            insert("$.n.m", "{}"),
            insert("$.n.m.o", "1"),
            replace("$.n.m.o", "2"),
            remove("$.n.m"),
            insert("$.n.m", "3"),
            remove("$.n"),
        ],
        &[
            replace("$.bb[0]", "{}"),
            insert("$.bb[0].k", "1"),
            replace("$.bb[1]", "2"),
            remove("$.bb[0].k"),
            replace("$.bb[last]", "5"),
            replace("$.bb[0]", "6"),
        ],
        &[
            replace("$.bb[3]", "1"),
            replace("$.bb", "{}"),
            insert("$.bb.x", "1"),
            remove("$.\"b c\".x"),
            insert("$.\"b c\".x", "2"),
            replace("$.bb", "[]"),
        ],
    ];
    for history in histories {
        let end = exact(SAMPLE, history).unwrap();
        for made in 0..=history.len() {
            let loaded = exact(SAMPLE, &history[..made]).unwrap();
            assert_eq!(replayed(&loaded, history).unwrap(), end, "{made} were made");
        }
    }
}

#[test]
fn moving_elements_of_an_array_is_not_replayed() {
    for change in [
        insert("$.bb[0]", "1"),
        insert("$.bb[9]", "1"),
        remove("$.bb[0]"),
        remove("$.bb[9]"),
    ] {
        assert_eq!(replayed(SAMPLE, &[change]), Err(ValueError::JsonReplay));
    }
    // The array is not there any more: a later change took it away, and will again.
    let gone = remove("$.x[0]");
    assert_eq!(replayed(SAMPLE, &[gone]).unwrap(), SAMPLE);
}

#[test]
fn texts_and_differences_that_are_none_are_errors() {
    for text in [
        "",
        "{",
        "[",
        "[1",
        "{\"a\"",
        "{\"a\": 1",
        "{\"a\":1}",
        "{\"b\": 1,\"a\": 2}",
        "[1 2]",
        "{a: 1}",
        "{]",
    ] {
        for change in [
            replace("$.a", "1"),
            remove("$[0]"),
            insert("$.a.b", "1"),
            insert("$[last]", "1"),
        ] {
            // Nothing else than an error, or that there is no such place.
            if let Ok(changed) = exact(text, &[change]) {
                panic!("{text} became {changed}");
            }
        }
    }
    let whole = [replace("$.a", "2"), insert("$.zz", "text")].concat();
    let first = replace("$.a", "2").len();
    for length in 1..whole.len() {
        let result = apply(SAMPLE, &whole[..length], false);
        assert_eq!(result.is_ok(), length == first, "{length} bytes");
    }
    for at in 0..whole.len() {
        for byte in 0..=255 {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            let _ = apply(SAMPLE, &damaged, byte % 2 == 0);
        }
    }
}
