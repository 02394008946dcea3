use super::super::test_support::*;
use super::super::*;
use super::*;
use crate::error::ValueError;
use crate::layout::ColumnType;
use crate::types::Json;

/// `j (a JSON, id INT PRIMARY KEY, b JSON, c JSON, v VARCHAR(10))`
const TABLE: &[WireSample] = &[
    (245, &[4], true),
    (3, &[], false),
    (245, &[4], true),
    (245, &[4], true),
    (15, &[40, 0], true),
];
/// PARTIAL_UPDATE_ROWS events of MySQL 9.7.4. With full images, of one row:
/// `a = JSON_REMOVE(a, '$."b c".x'), b = JSON_SET(b, '$[last]', 'new')`.
const FULL: &str = "7700000000001100020005ffff08720000000004007100200001002100020023000300260003000502\
    0002290000650005010061626262206371227104003c000501000502000503000c10002b6c6f6e67206c6f6e67206c6f6e\
    67207465787420736f2074686174206469666673206172652073686f727401000c000b0001000400007801000000390000\
    000203003800050100050200000d0002002b0012000100130002000c15000c17006b6b6b017613736f6d65206c6f6e6720\
    7465787420686572650178010308\
    0b0000000209242e22622063222e78010000000f0000000007245b6c6173745d050c036e65770178";
/// With minimal images: `a = JSON_SET(a, '$."bb"[0]', 8)`.
const MINIMAL: &str =
    "7700000000001100020005020100010000000101000d0000000007242e62625b305d03050800";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Mirrors `id`, `a` and `c`.
fn plan() -> Plan {
    let map = TableMap::parse(&table_map_body(TABLE, &[])).unwrap();
    let columns = vec![
        named("a", 0, true, ColumnType::Json),
        named("id", 1, false, ColumnType::Int { unsigned: false }),
        named("c", 3, true, ColumnType::Json),
    ];
    Plan::new(layout(columns, 5), &map).unwrap()
}

fn json(text: &str) -> Option<Json> {
    Some(Json::from_text(text))
}

const AFTER: &str = r#"{"a": 2, "bb": [1, 2, 3, "long long long text so that diffs are short"], "b c": {}, "q\"q": 1}"#;

#[test]
fn differences_to_a_document_in_the_image_before_are_a_value() {
    let (plan, body) = (plan(), bytes(FULL));
    let event = RowsEvent::parse(39, &body).unwrap();
    assert!(event.partial && event.kind == RowsKind::Update);
    let mut reader = plan.reader(&event);
    let images = reader.next().unwrap().unwrap();
    let (before, after) = (images.before.unwrap(), images.after.unwrap());
    let old: Option<Json> = before.get(0).unwrap();
    assert!(old.unwrap().as_str().contains(r#""b c": {"x": null}"#));
    assert!(after.is_present(0) && after.is_present(1) && after.is_present(2));
    assert_eq!(after.get(0), Ok(json(AFTER)));
    assert_eq!(after.get(1), Ok(1));
    assert_eq!(after.get::<Option<Json>>(2), Ok(None));
    // Whatever is held: the document before tells.
    let mut held = json("[]");
    after.merge(0, &mut held).unwrap();
    assert_eq!(held, json(AFTER));
    assert!(reader.next().unwrap().is_none());
}

#[test]
fn differences_alone_are_no_value_and_are_applied_to_the_held_one() {
    let (plan, body) = (plan(), bytes(MINIMAL));
    let event = RowsEvent::parse(39, &body).unwrap();
    let mut reader = plan.reader(&event);
    let images = reader.next().unwrap().unwrap();
    let (before, after) = (images.before.unwrap(), images.after.unwrap());
    assert_eq!(before.get(1), Ok(1));
    assert!(!after.is_present(0) && !after.is_present(1) && !after.is_present(2));
    let absent = ValueError::Absent.in_column("a");
    assert_eq!(after.get::<Option<Json>>(0), Err(absent));
    let mut held = json(AFTER);
    after.merge(0, &mut held).unwrap();
    assert_eq!(held, json(&AFTER.replace("[1, 2", "[8, 2")));
    // A column without value and differences stays.
    let mut other = json("7");
    after.merge(2, &mut other).unwrap();
    assert_eq!(other, json("7"));

    let misfit = ValueError::JsonMisfit.in_column("a");
    for mut held in [json("[]"), None] {
        assert_eq!(after.merge(0, &mut held), Err(misfit.clone()));
        let before = held.clone();
        after.replayed().merge(0, &mut held).unwrap();
        assert_eq!(held, before);
    }
    let mut text: Box<str> = "".into();
    assert!(matches!(
        after.merge(0, &mut text).unwrap_err().cause(),
        ValueError::Invalid(_)
    ));
}

#[test]
fn rows_without_and_with_differences_follow_each_other() {
    // Two rows: id 1 with differences of `a`; id 2 with `a` in full, or NULL.
    let head = "7700000000001000020005020100";
    let first = "01000000 0101 000d0000000007242e62625b305d03050800";
    for (second, value) in [
        ("00 02000000 00 00 03000000050700", json("7")),
        ("00 02000000 0100 00 03000000050700", json("7")),
        ("00 02000000 0101 01", None),
        ("00 02000000 00 01", None),
    ] {
        let (plan, body) = (plan(), bytes(&[head, first, second].concat()));
        let event = RowsEvent::parse(39, &body).unwrap();
        let mut reader = plan.reader(&event);
        assert!(!reader.next().unwrap().unwrap().after.unwrap().is_present(0));
        let images = reader.next().unwrap().unwrap();
        assert_eq!(images.before.unwrap().get(1), Ok(2));
        let after = images.after.unwrap();
        assert!(after.is_present(0));
        assert_eq!(after.get(0), Ok(value));
        assert!(reader.next().unwrap().is_none());
    }
}

#[test]
fn cut_events_and_unknown_options_are_errors() {
    let plan = plan();
    for whole in [bytes(FULL), bytes(MINIMAL)] {
        for length in 14..whole.len() {
            let event = RowsEvent::parse(39, &whole[..length]).unwrap();
            assert!(
                plan.reader(&event).next().is_err() || event.rows.is_empty(),
                "{length} bytes"
            );
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            let Ok(event) = RowsEvent::parse(39, &damaged) else {
                continue;
            };
            if let Ok(Some(RowImages {
                after: Some(after), ..
            })) = plan.reader(&event).next()
            {
                let mut held = json(AFTER);
                let _ = after.merge(0, &mut held);
                let _ = after.get::<Option<Json>>(0);
            }
        }
    }
    let mut unknown = bytes(MINIMAL);
    unknown[18] = 2;
    let event = RowsEvent::parse(39, &unknown).unwrap();
    let error = plan.reader(&event).next().unwrap_err();
    assert!(error.to_string().contains("value options"), "{error}");
}

#[test]
fn a_json_column_of_another_width_is_refused() {
    let mut table = TABLE.to_vec();
    table[2].1 = &[2];
    let map = TableMap::parse(&table_map_body(&table, &[])).unwrap();
    let id = named("id", 1, false, ColumnType::Int { unsigned: false });
    let plan = Plan::new(layout(vec![id], 5), &map).unwrap();
    let body = bytes(MINIMAL);
    let event = RowsEvent::parse(39, &body).unwrap();
    assert!(plan.reader(&event).next().is_err());
}
