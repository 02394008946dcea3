use super::*;

const ODD: &[&str] = &[
    "",
    " ",
    "_",
    "__",
    "a,b",
    "it's",
    "(x)",
    "back\\slash",
    "`tick`",
    "per%cent",
    "3D",
    "größe",
    "New York",
    "NewYork",
    "self",
    "Self",
    "super",
    "crate",
    "type",
    "gen",
    "😀",
    "e\u{301}",
    "é",
    "Ω",
    "\u{2126}",
    "ŉ",
    "ǰ",
    "İ",
    "ij",
    "ſ",
    "ĸ",
    "日本",
    "\0",
    "\n",
    "+",
    "-",
    "a+",
    "*/",
    "fn main(){}",
    "r#type",
    "A",
    "a",
    "1",
    "1_0",
    "10",
    "١",
    "²",
    "ª",
];

#[test]
fn any_text_gives_identifiers_that_rust_takes() {
    for text in ODD {
        for name in [
            field(text),
            upper_camel(text),
            screaming(text),
            module(text),
            method(text),
        ] {
            let parsed = syn::parse_str::<syn::Ident>(&name);
            assert!(parsed.is_ok(), "{text:?} gives {name}");
        }
        assert!(module(text).is_ascii());
        let constant = screaming(text);
        assert!(!constant.chars().any(char::is_lowercase), "{constant}");
        assert!(!field(text).chars().any(char::is_uppercase), "{text:?}");
    }
}

#[test]
fn labels_of_one_column_get_distinct_names() {
    let labels: Vec<String> = ODD.iter().map(|&label| label.to_owned()).collect();
    for names in [variants(&labels), constants(&labels)] {
        let distinct: BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), labels.len());
    }
}

#[test]
fn a_later_label_never_renames_an_earlier_one() {
    let all: Vec<String> = ["New York", "NewYork", "new-york", "NewYork2"]
        .map(str::to_owned)
        .to_vec();
    assert_eq!(
        variants(&all),
        ["NewYork", "NewYork2", "NewYork3", "NewYork22"]
    );
    for count in 1..all.len() {
        let fewer = variants(&all[..count]);
        assert_eq!(fewer[..], variants(&all)[..count]);
    }
}

#[test]
fn words_are_found_in_the_usual_spellings() {
    assert_eq!(snake("userID"), "user_id");
    assert_eq!(snake("HTTPServerName"), "http_server_name");
    assert_eq!(snake("ID"), "id");
    assert_eq!(snake("field1"), "field1");
    assert_eq!(snake("na me"), "na_me");
    assert_eq!(upper_camel("short_table"), "ShortTable");
    assert_eq!(upper_camel("v_1_0"), "V1_0");
    assert_eq!(screaming("größe"), "GRÖSSE");
    assert_eq!(upper_camel("3D"), "N3d");
    assert_eq!(upper_camel(""), "Empty");
    assert_eq!(upper_camel("+"), "Plus");
    assert_eq!(upper_camel("😀"), "U1f600");
}

#[test]
fn keywords_are_raw_or_lengthened() {
    assert_eq!(field("type"), "r#type");
    assert_eq!(field("self"), "self_");
    assert_eq!(upper_camel("self"), "Self_");
    assert_eq!(module("type"), "type_table");
    assert_eq!(method("by_day"), "by_day");
    assert_eq!(method("day"), "by_day");
    let mut taken = Taken::with(["r#type"]);
    assert_eq!(taken.claim("r#type", "_"), "type_2");
}
