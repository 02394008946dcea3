use super::*;
use crate::source::event::event_type::NAMES;

/// Rewrites the table of the docs.
const UPDATE: &str = "UPDATE_DOCS";
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/events.md");
const START: &str = "<!-- made from event_policy.rs -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn only_codes_outside_both_servers_ranges_are_unknown() {
    for code in 0..=255 {
        let listed = matches!(code, 1..=42 | 160..=171);
        assert_eq!(
            event_policy(code) == EventPolicy::Unknown,
            !listed,
            "code {code}"
        );
    }
}

#[test]
fn events_that_carry_rows_are_never_ignored() {
    for code in (20..=25).chain(30..=32).chain(38..=40).chain(165..=171) {
        assert!(
            !matches!(event_policy(code), EventPolicy::Ignore(_)),
            "code {code}"
        );
    }
}

/// The table as the docs show it: a row for each code that a server may write.
fn table() -> String {
    let mut text = "| code | event | done | |\n|---:|---|---|---|\n".to_owned();
    for (code, name) in NAMES {
        let (done, why) = match event_policy(code) {
            EventPolicy::Apply(what) => ("applied", what),
            EventPolicy::Ignore(why) => ("passed over", why),
            EventPolicy::Reload(_) => (
                "loaded again",
                "the server says that its log lacks changes; all tables are loaded again",
            ),
            EventPolicy::Stop(what) => ("stops", what),
            EventPolicy::Unknown => continue,
        };
        text.push_str(&format!("| {code} | {name} | {done} | {why} |\n"));
    }
    text.push_str(
        "| others | | stops | a server newer than this version of mysql-mirror; passed over \
         where the server marked the event as ignorable |\n",
    );
    text
}

#[test]
fn the_docs_show_this_table() {
    let docs = std::fs::read_to_string(PATH).unwrap();
    let (before, rest) = docs.split_once(START).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if std::env::var_os(UPDATE).is_some() {
        return std::fs::write(PATH, format!("{before}{START}{}{END}{after}", table())).unwrap();
    }
    assert_eq!(
        shown,
        table(),
        "docs/events.md is not what event_policy.rs says; {UPDATE}=1 cargo test -p \
         mirror-runtime the_docs_show_this_table rewrites it"
    );
}
