//! The machine's own apt sources: where its distribution's packages come from.
//!
//! Formats: `sources.list(5)`, one-line style and deb822 style.

use std::fs;
use std::path::{Path, PathBuf};

/// One place with packages: a URI with a suite, and what its signature is checked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Base URI; may hold a password, so it is never printed.
    pub(crate) uri: String,
    pub(crate) suite: String,
    /// `Signed-By` field, which may be a key of several lines.
    pub(crate) signed_by: Option<String>,
}

/// All binary-package sources in the folder `/etc/apt`, or one with its shape.
pub(crate) fn read_all(etc_apt: &Path) -> Vec<Source> {
    let mut files = vec![etc_apt.join("sources.list")];
    if let Ok(entries) = fs::read_dir(etc_apt.join("sources.list.d")) {
        let mut parts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        parts.sort();
        files.extend(parts);
    }
    let mut sources = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("list") => sources.extend(text.lines().filter_map(parse_line)),
            Some("sources") => sources.extend(stanzas(&text).iter().flat_map(parse_stanza)),
            _ => {}
        }
    }
    sources
}

/// `deb [signed-by=...] URI SUITE COMPONENT...`
fn parse_line(line: &str) -> Option<Source> {
    let line = line.split('#').next()?.trim();
    let rest = line.strip_prefix("deb")?;
    let rest = rest.strip_prefix(|c: char| c.is_whitespace())?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace();
    let signed_by = options
        .split_whitespace()
        .find_map(|option| option.strip_prefix("signed-by="))
        .map(|value| format!(" {}", value.replace(',', " ")));
    Some(Source {
        uri: words.next()?.to_owned(),
        suite: words.next()?.trim_end_matches('/').to_owned(),
        signed_by,
    })
}

type Stanza = Vec<(String, String)>;

/// Fields of each paragraph: lower-case name, value with its continuation lines.
fn stanzas(text: &str) -> Vec<Stanza> {
    let mut all = vec![Stanza::new()];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.trim().is_empty() {
            all.push(Stanza::new());
            continue;
        }
        let Some(stanza) = all.last_mut() else {
            continue;
        };
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = stanza.last_mut() {
                value.push('\n');
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            stanza.push((
                name.trim().to_ascii_lowercase(),
                value.trim_end().to_owned(),
            ));
        }
    }
    all
}

fn parse_stanza(stanza: &Stanza) -> Vec<Source> {
    let field = |name: &str| {
        let found = stanza.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    };
    let words = |name: &str| field(name).unwrap_or_default().split_whitespace();
    let enabled = !matches!(
        field("enabled")
            .map(|value| value.trim().to_ascii_lowercase())
            .as_deref(),
        Some("no" | "false" | "off" | "0")
    );
    if !enabled || !words("types").any(|kind| kind == "deb") {
        return Vec::new();
    }
    let mut sources = Vec::new();
    for uri in words("uris") {
        for suite in words("suites") {
            sources.push(Source {
                uri: uri.to_owned(),
                suite: suite.trim_end_matches('/').to_owned(),
                signed_by: field("signed-by").map(str::to_owned),
            });
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_sources_are_read_with_and_without_options() {
        let source = parse_line("deb [arch=amd64 signed-by=/k.gpg] http://h/debian sid main # x");
        let source = source.unwrap();
        assert_eq!(
            (source.uri.as_str(), source.suite.as_str()),
            ("http://h/debian", "sid")
        );
        assert_eq!(source.signed_by.as_deref(), Some(" /k.gpg"));
        assert_eq!(
            parse_line("deb\thttp://h/ubuntu noble main").unwrap().suite,
            "noble"
        );
        for other in [
            "deb-src http://h/debian sid main",
            "# deb http://h a b",
            "",
            "deb http://h",
        ] {
            assert_eq!(parse_line(other), None, "{other}");
        }
    }

    #[test]
    fn stanzas_give_one_source_per_uri_and_suite() {
        let text = "Types: deb deb-src\n# a note\nURIs: http://h/debian\nSuites: a a-updates\n\
                    Signed-By:\n -----BEGIN\n .\n key\n\nTypes: deb-src\nURIs: http://s\nSuites: a\n\n\
                    Types: deb\nEnabled: no\nURIs: http://n\nSuites: a\n";
        let sources: Vec<Source> = stanzas(text).iter().flat_map(parse_stanza).collect();
        let suites: Vec<&str> = sources.iter().map(|source| source.suite.as_str()).collect();
        assert_eq!(suites, ["a", "a-updates"]);
        assert_eq!(
            sources[0].signed_by.as_deref(),
            Some("\n -----BEGIN\n .\n key")
        );
    }

    #[test]
    fn files_of_other_names_are_not_read() {
        let etc = tempfile::tempdir().unwrap();
        let parts = etc.path().join("sources.list.d");
        fs::create_dir(&parts).unwrap();
        fs::write(parts.join("x.list.save"), "deb http://old/debian a main\n").unwrap();
        fs::write(parts.join("y.list"), "deb http://new/debian b main\n").unwrap();
        let suites: Vec<String> = read_all(etc.path()).into_iter().map(|s| s.suite).collect();
        assert_eq!(suites, ["b"]);
    }
}
