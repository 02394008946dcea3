//! Differences of JSON documents.

use mirror_runtime::image::type_code;
use mirror_runtime::layout::{ColumnLayout, ColumnType};
use mirror_runtime::{ColumnValue as _, Json};

use crate::parsers::image_column;

static JSON: ColumnLayout = ColumnLayout {
    name: "c",
    ordinal: 0,
    nullable: true,
    sql_type: "json",
    charset: None,
    generated_from: None,
    kind: ColumnType::Json,
};

/// A binary JSON value behind its length (two bytes, lowest first), and the differences that are
/// applied to it, strictly and as in a replay.
///
/// What they make of it is valid JSON, and longer only by what they bring along. What can be
/// applied strictly can be applied in a replay too, with the same result, but for what moves
/// elements of an array.
pub fn json_diff(input: &[u8]) {
    let [low, high, rest @ ..] = input else {
        return;
    };
    let length = usize::from(u16::from_le_bytes([*low, *high]));
    let Some((raw, diffs)) = rest.split_at_checked(length) else {
        return;
    };
    let column = image_column(&JSON, type_code::JSON, 4);
    let Ok(document) = Json::from_image(Some(raw), &column) else {
        return;
    };
    let apply = |replayed| {
        let mut changed = document.clone();
        let applied = changed.apply_difference(diffs, replayed);
        check(&changed, document.as_str().len(), diffs.len());
        (applied, changed)
    };
    let (strict, changed) = apply(false);
    let (replayed, again) = apply(true);
    if strict.is_ok() && replayed.is_ok() {
        assert_eq!(changed, again);
    }
    if diffs.is_empty() {
        assert_eq!((&strict, &changed), (&Ok(()), &document));
    }
}

fn check(json: &Json, before: usize, diffs: usize) {
    let text = json.as_str();
    assert!(text.len() <= before + 8 * diffs);
    serde_json::from_str::<&serde_json::value::RawValue>(text).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{"bb": [1, 2], "b c": {"x": 1}}` and differences as MySQL 9.7 logged them get through.
    #[test]
    fn differences_of_a_server_are_applied() {
        let raw =
            b"\x00\x02\x00\x2d\x00\x12\x00\x02\x00\x14\x00\x03\x00\x02\x17\x00\x00\x21\x00bbb c\
            \x02\x00\x0a\x00\x05\x01\x00\x05\x02\x00\
            \x01\x00\x0c\x00\x0b\x00\x01\x00\x05\x01\x00x";
        let diffs = b"\x00\x0a$.bb[last]\x06\x0c\x04LAST\x02\x09$.\"b c\".x";
        let column = image_column(&JSON, type_code::JSON, 4);
        let mut json = Json::from_image(Some(raw), &column).unwrap();
        assert_eq!(json.as_str(), r#"{"bb": [1, 2], "b c": {"x": 1}}"#);
        json.apply_difference(diffs, false).unwrap();
        assert_eq!(json.as_str(), r#"{"bb": [1, "LAST"], "b c": {}}"#);
        let length = u16::try_from(raw.len()).unwrap().to_le_bytes();
        json_diff(&[&length[..], raw, diffs].concat());
    }
}
