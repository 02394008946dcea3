//! A private apt: fetches packages and unpacks them without root and without the system's state.

pub(crate) mod distro;
mod run;
pub(crate) mod sources;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::{Error, Result};
use crate::release::Release;
use crate::report::{Reporter, human_bytes, human_seconds};
use distro::Origin;
use run::Runner;

/// Packages that the server packages only need for scripts; the private apt takes them for
/// installed and so leaves them out.
const NOT_NEEDED: [&str; 4] = ["perl", "adduser", "debconf", "passwd"];

/// Hooks of the system's configuration that would act outside the private folder.
const HOOKS: [&str; 8] = [
    "APT::Update::Pre-Invoke",
    "APT::Update::Post-Invoke",
    "APT::Update::Post-Invoke-Success",
    "DPkg::Pre-Invoke",
    "DPkg::Post-Invoke",
    "DPkg::Pre-Install-Pkgs",
    "APT::Architectures",
    "AptCli::Hooks",
];

/// apt's name for this machine's architecture, where unpacked servers can run.
pub(crate) fn architecture() -> Option<&'static str> {
    match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => Some("amd64"),
        ("linux", "aarch64") => Some("arm64"),
        _ => None,
    }
}

/// Fetches the release's packages with all they depend on, and unpacks them into `root`.
///
/// `folder` is for apt's lists and packages; it is emptied first and removed at the end.
pub(crate) fn unpack(
    release: Release,
    origin: &Origin,
    architecture: &str,
    folder: &Path,
    root: &Path,
    reporter: &Reporter,
) -> Result<()> {
    crate::home::remove_folder(folder)?;
    let runner = Runner::new(prepare(folder, origin, architecture)?, folder);
    let begin = Instant::now();
    reporter.say(&format!(
        "{release}: reading the package list of {}",
        origin.suite
    ));
    runner.run("apt-get update", &["update"])?;

    let (core, plan) = first_known(&runner, release)?;
    let (count, bytes) = planned(&plan);
    reporter.say(&format!(
        "{release}: fetching {}: {count} packages, {}",
        core.join(", "),
        human_bytes(bytes)
    ));
    let install = [&["install", "--download-only"], core].concat();
    runner.run_watched("apt-get install --download-only", &install, |fetched| {
        let share = format!(
            "{} of {}",
            human_bytes(fetched.min(bytes)),
            human_bytes(bytes)
        );
        reporter.say(&format!("{release}: fetched {share}"));
    })?;
    for extra in release.extra_packages() {
        // Plugins only: a distribution without this package has a server all the same.
        if runner.run("apt-get download", &["download", extra]).is_ok() {
            break;
        }
    }
    reporter.say(&format!(
        "{release}: unpacking (after {})",
        human_seconds(begin.elapsed())
    ));
    unpack_all(&folder.join("archives"), root, &runner)?;
    crate::home::remove_folder(folder)
}

/// The first of the release's lists of packages that the suite has, with apt's URIs for it.
fn first_known(runner: &Runner, release: Release) -> Result<(&'static [&'static str], String)> {
    let mut failure = None;
    for names in release.core_packages() {
        let arguments = [&["install", "--print-uris"], *names].concat();
        match runner.run("apt-get install", &arguments) {
            Ok(plan) => return Ok((names, plan)),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| Error::Package {
        step: "apt-get install".to_owned(),
        output: "no package name to try".to_owned(),
    }))
}

/// Number of packages and bytes in apt's list of URIs: `'URI' file size hash` on each line.
fn planned(output: &str) -> (usize, u64) {
    let size = |line: &str| line.split_whitespace().nth(2)?.parse::<u64>().ok();
    let sizes = output
        .lines()
        .filter(|line| line.starts_with('\''))
        .filter_map(size);
    sizes.fold((0, 0), |(count, sum), size| (count + 1, sum + size))
}

fn unpack_all(archives: &Path, root: &Path, runner: &Runner) -> Result<()> {
    let what = || format!("cannot read {}", archives.display());
    let entries = fs::read_dir(archives).map_err(Error::io(what()))?;
    for entry in entries {
        let deb = entry.map_err(Error::io(what()))?.path();
        if deb.extension().is_some_and(|extension| extension == "deb") {
            runner.extract(&deb, root)?;
        }
    }
    for docs in ["doc", "man", "locale", "info", "lintian", "perl"] {
        crate::home::remove_folder(&root.join("usr/share").join(docs))?;
    }
    Ok(())
}

/// Makes the private folder and its configuration; returns the configuration's path.
fn prepare(folder: &Path, origin: &Origin, architecture: &str) -> Result<PathBuf> {
    let write = || -> io::Result<PathBuf> {
        for sub in ["lists/partial", "archives/partial", "sources", "log"] {
            fs::create_dir_all(folder.join(sub))?;
        }
        let list = folder.join("sources/lab.sources");
        fs::write(&list, "")?;
        // URIs may hold a password.
        fs::set_permissions(&list, fs::Permissions::from_mode(0o600))?;
        fs::write(&list, sources_text(origin))?;
        fs::write(folder.join("status"), status_text(architecture))?;
        let config = folder.join("apt.conf");
        fs::write(&config, config_text(folder, architecture))?;
        Ok(config)
    };
    write().map_err(Error::io(format!(
        "cannot set up apt in {}",
        folder.display()
    )))
}

fn sources_text(origin: &Origin) -> String {
    let mut text = String::new();
    for source in &origin.sources {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "Types: deb\nURIs: {}\nSuites: {}\nComponents: {}\n",
            source.uri, source.suite, origin.components
        );
        if let Some(signed_by) = &source.signed_by {
            let _ = writeln!(text, "Signed-By:{signed_by}");
        }
        text.push('\n');
    }
    text
}

fn status_text(architecture: &str) -> String {
    NOT_NEEDED
        .map(|name| {
            format!(
                "Package: {name}\nStatus: install ok installed\nPriority: optional\n\
                 Section: misc\nMaintainer: none\nArchitecture: {architecture}\n\
                 Multi-Arch: allowed\nVersion: 1:999\nDescription: not needed\n\n"
            )
        })
        .concat()
}

fn config_text(folder: &Path, architecture: &str) -> String {
    let mut text: String = HOOKS.map(|hook| format!("#clear {hook};\n")).concat();
    let path = |sub: &str| folder.join(sub).display().to_string();
    let settings = [
        ("APT::Architecture", architecture.to_owned()),
        ("APT::Architectures::", architecture.to_owned()),
        ("APT::Sandbox::User", "root".to_owned()),
        ("APT::Install-Recommends", "false".to_owned()),
        ("APT::Get::Assume-Yes", "true".to_owned()),
        ("APT::Get::AllowUnauthenticated", "false".to_owned()),
        ("APT::Keep-Downloaded-Packages", "true".to_owned()),
        ("Dir::Etc::SourceList", "/dev/null".to_owned()),
        ("Dir::Etc::SourceParts", path("sources")),
        ("Dir::Etc::Preferences", "/dev/null".to_owned()),
        ("Dir::Etc::PreferencesParts", "/dev/null".to_owned()),
        ("Dir::State", path("")),
        ("Dir::State::Lists", path("lists")),
        ("Dir::State::status", path("status")),
        ("Dir::State::extended_states", path("extended_states")),
        ("Dir::Cache", path("")),
        ("Dir::Cache::archives", path("archives")),
        ("Dir::Cache::pkgcache", path("pkgcache.bin")),
        ("Dir::Cache::srcpkgcache", path("srcpkgcache.bin")),
        ("Dir::Log", path("log")),
        ("Acquire::Languages", "none".to_owned()),
        ("Acquire::Retries", "3".to_owned()),
        (
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled",
            "false".to_owned(),
        ),
        (
            "Acquire::IndexTargets::deb::CNF::DefaultEnabled",
            "false".to_owned(),
        ),
    ];
    for (name, value) in settings {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} \"{value}\";");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use sources::Source;

    #[test]
    fn plan_counts_packages_and_bytes_and_skips_other_lines() {
        let plan = "Reading lists...\n'http://h/a.deb' a.deb 100 SHA256:0\n'http://h/b' b 23 S:1\n";
        assert_eq!(planned(plan), (2, 123));
    }

    #[test]
    fn configuration_keeps_all_state_in_the_private_folder() {
        let text = config_text(Path::new("/private"), "amd64");
        let cleared = text.find("#clear APT::Architectures;").unwrap();
        assert!(cleared < text.find("APT::Architectures:: \"amd64\";").unwrap());
        assert!(text.contains("#clear DPkg::Post-Invoke;"));
        for line in text.lines().filter(|line| line.starts_with("Dir::")) {
            let private = ["/private/", "/dev/null"]
                .iter()
                .any(|end| line.contains(end));
            assert!(private, "{line}");
        }
    }

    #[test]
    fn sources_keep_the_signature_field() {
        let sources = vec![Source {
            uri: "http://h/debian".to_owned(),
            suite: "sid".to_owned(),
            signed_by: Some("\n KEY".to_owned()),
        }];
        let origin = Origin {
            suite: "sid".to_owned(),
            components: "main",
            sources,
        };
        assert!(
            sources_text(&origin).contains("Suites: sid\nComponents: main\nSigned-By:\n KEY\n")
        );
    }
}
