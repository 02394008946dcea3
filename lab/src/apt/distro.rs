//! Which distribution this is, and which of its suites has a server's packages.

use std::fs;
use std::path::Path;

use super::sources::Source;
use crate::release::Release;

/// Where the packages of one release are fetched from.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) suite: String,
    /// Components, as in `main universe`.
    pub(crate) components: &'static str,
    /// The suite, with its updates if it has some.
    pub(crate) sources: Vec<Source>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Debian,
    Ubuntu,
}

impl Kind {
    fn components(self) -> &'static str {
        match self {
            Kind::Debian => "main",
            Kind::Ubuntu => "main universe",
        }
    }

    fn keyring(self) -> &'static str {
        match self {
            Kind::Debian => "/usr/share/keyrings/debian-archive-keyring.gpg",
            Kind::Ubuntu => "/usr/share/keyrings/ubuntu-archive-keyring.gpg",
        }
    }

    /// Ends of the archive's URIs; ports.ubuntu.com has the machines other than x86.
    fn uri_ends(self) -> &'static [&'static str] {
        match self {
            Kind::Debian => &["/debian"],
            Kind::Ubuntu => &["/ubuntu", "/ubuntu-ports"],
        }
    }
}

/// Chooses suite and sources; an error says why there is none.
///
/// What this release of Debian does not have comes from another of the same mirror.
pub(crate) fn origin(wanted: Release, os_release: &str, all: &[Source]) -> Result<Origin, String> {
    let kind = kind(os_release)
        .ok_or("packages can be unpacked on Debian and Ubuntu only, and this is neither")?;
    let release = field(os_release, "VERSION_CODENAME").filter(|name| !name.is_empty());
    if kind != Kind::Debian && wanted.is_debian_only() {
        return Err(format!("{wanted} can be unpacked on Debian only"));
    }
    let other = wanted.debian_suite().filter(|_| kind == Kind::Debian);
    let suite = other.or(release).unwrap_or("sid");
    let mut sources: Vec<Source> = all.iter().filter(|s| belongs(s, suite)).cloned().collect();
    if !sources.iter().any(|source| source.suite == suite) {
        let mirror = mirror(kind, release, all)
            .ok_or("no source of the distribution's packages in /etc/apt")?;
        sources.push(Source {
            suite: suite.to_owned(),
            ..mirror.clone()
        });
    }
    for source in &mut sources {
        if source.signed_by.is_none() && Path::new(kind.keyring()).exists() {
            source.signed_by = Some(format!(" {}", kind.keyring()));
        }
    }
    Ok(Origin {
        suite: suite.to_owned(),
        components: kind.components(),
        sources,
    })
}

/// True for the suite itself, its updates and its security updates.
fn belongs(source: &Source, suite: &str) -> bool {
    let tail = source.suite.strip_prefix(suite);
    matches!(tail, Some("" | "-updates" | "-security"))
}

/// The source whose URI also serves the distribution's other suites.
fn mirror<'a>(kind: Kind, release: Option<&str>, all: &'a [Source]) -> Option<&'a Source> {
    let is_archive = |source: &&Source| {
        let uri = source.uri.trim_end_matches('/');
        kind.uri_ends().iter().any(|end| uri.ends_with(end))
    };
    all.iter().find(is_archive).or_else(|| {
        all.iter()
            .find(|source| Some(source.suite.as_str()) == release)
    })
}

/// Debian or Ubuntu, or a system derived from them that names its parent.
fn kind(os_release: &str) -> Option<Kind> {
    match field(os_release, "ID")? {
        "debian" => Some(Kind::Debian),
        "ubuntu" => Some(Kind::Ubuntu),
        _ => None,
    }
}

fn field<'a>(os_release: &'a str, name: &str) -> Option<&'a str> {
    os_release.lines().find_map(|line| {
        let value = line.trim().strip_prefix(name)?.strip_prefix('=')?;
        Some(value.trim_matches(['"', '\'']))
    })
}

/// The text of `/etc/os-release`, empty if there is none.
pub(crate) fn read_os_release() -> String {
    fs::read_to_string("/etc/os-release").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOKWORM: &str = "ID=debian\nVERSION_CODENAME=bookworm\n";
    const NOBLE: &str = "NAME=\"Ubuntu\"\nID=ubuntu\nVERSION_CODENAME=\"noble\"\n";

    fn source(uri: &str, suite: &str) -> Source {
        Source {
            uri: uri.to_owned(),
            suite: suite.to_owned(),
            signed_by: Some(" /k.gpg".to_owned()),
        }
    }

    fn suites(origin: &Origin) -> Vec<&str> {
        origin
            .sources
            .iter()
            .map(|source| source.suite.as_str())
            .collect()
    }

    fn bookworm() -> [Source; 4] {
        [
            source("http://vendor/apt", "bookworm-extra"),
            source("http://s/debian-security", "bookworm-security"),
            source("http://d/debian/", "bookworm"),
            source("http://d/debian/", "bookworm-updates"),
        ]
    }

    #[test]
    fn mariadb_on_debian_comes_from_the_release_with_its_updates() {
        let origin = origin(Release::Mariadb, BOOKWORM, &bookworm()).unwrap();
        assert_eq!(
            suites(&origin),
            ["bookworm-security", "bookworm", "bookworm-updates"]
        );
    }

    #[test]
    fn mysql_on_debian_comes_from_sid_of_the_same_mirror() {
        let origin = origin(Release::Mysql, BOOKWORM, &bookworm()).unwrap();
        assert_eq!(suites(&origin), ["sid"]);
        assert_eq!(origin.sources[0].uri, "http://d/debian/");
    }

    #[test]
    fn further_releases_come_from_the_debian_release_that_has_them() {
        let mariadb = origin(Release::Mariadb118, BOOKWORM, &bookworm()).unwrap();
        assert_eq!(suites(&mariadb), ["trixie"]);
        let mysql = origin(Release::Mysql56, BOOKWORM, &bookworm()).unwrap();
        assert_eq!(mysql.suite, "bookworm");
        let ubuntu = origin(Release::Mysql56, NOBLE, &bookworm()).unwrap_err();
        assert!(ubuntu.contains("on Debian only"), "{ubuntu}");
    }

    #[test]
    fn mysql_on_ubuntu_comes_from_the_release() {
        let all = [
            source("http://u/ubuntu", "noble"),
            source("http://u/ubuntu", "noble-security"),
        ];
        let origin = origin(Release::Mysql, NOBLE, &all).unwrap();
        assert_eq!(suites(&origin), ["noble", "noble-security"]);
        assert_eq!(origin.components, "main universe");
    }

    #[test]
    fn other_systems_and_missing_sources_say_so() {
        let fedora = origin(Release::Mysql, "ID=fedora\n", &bookworm()).unwrap_err();
        assert!(fedora.contains("Debian and Ubuntu only"), "{fedora}");
        let none = origin(Release::Mariadb, BOOKWORM, &[]).unwrap_err();
        assert!(none.contains("/etc/apt"), "{none}");
    }
}
