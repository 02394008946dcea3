//! A server program and how to run it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::flavor::Flavor;
use crate::report::tail;

/// A server program that was found to run.
#[derive(Debug, Clone)]
pub struct Program {
    flavor: Flavor,
    file: PathBuf,
    version: String,
    /// Root of the unpacked packages; `None` for an installed program.
    root: Option<Unpacked>,
}

/// What an unpacked program needs of its root: nothing of the system's is used.
#[derive(Debug, Clone)]
struct Unpacked {
    root: PathBuf,
    loader: PathBuf,
    library_path: OsString,
}

impl Unpacked {
    /// Runs a program of the root.
    fn command(&self, file: &Path) -> Command {
        let mut command = Command::new(&self.loader);
        command
            .arg("--library-path")
            .arg(&self.library_path)
            .arg(file);
        command
    }
}

impl Program {
    /// A program that is installed in the system; an error says why it will not do.
    pub(crate) fn installed(flavor: Flavor, file: &Path) -> Result<Self, String> {
        Program::checked(flavor, file.to_owned(), None)
    }

    /// The program in a root of unpacked packages; an error says why it will not do.
    pub(crate) fn unpacked(flavor: Flavor, root: &Path) -> Result<Self, String> {
        let loader = find_loader(root).ok_or("no dynamic loader among the packages")?;
        let library_path = env::join_paths(library_folders(root)).map_err(|e| e.to_string())?;
        let file = root.join("usr/sbin").join(flavor.binary());
        let root = root.to_owned();
        Program::checked(
            flavor,
            file,
            Some(Unpacked {
                root,
                loader,
                library_path,
            }),
        )
    }

    fn checked(flavor: Flavor, file: PathBuf, root: Option<Unpacked>) -> Result<Self, String> {
        let mut program = Program {
            flavor,
            file,
            version: String::new(),
            root,
        };
        let name = program.file.display().to_string();
        let output = program
            .bare_command()
            .args(["--no-defaults", "--version"])
            .output()
            .map_err(|error| format!("{name} does not run: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        program.version = version_in(flavor, &said).ok_or_else(|| {
            let text = format!("{said}{errors}");
            format!(
                "{name} --version does not say {flavor}: {}",
                tail(text.trim(), 3)
            )
        })?;
        Ok(program)
    }

    /// Flavour of the server.
    #[must_use]
    pub fn flavor(&self) -> Flavor {
        self.flavor
    }

    /// File of the server program.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Version as the program states it: `9.7.4-2`, `10.11.18-MariaDB-0+deb12u1`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// True for MySQL before 5.7.6, which has no `--initialize` (MySQL 5.7 manual,
    /// "Initializing the Data Directory").
    pub(crate) fn is_old_mysql(&self) -> bool {
        self.flavor == Flavor::Mysql && numbers(&self.version) < [5, 7, 6]
    }

    /// Folder with the messages, the character sets and the bootstrap SQL of servers that need it.
    pub(crate) fn share(&self) -> Option<PathBuf> {
        let prefix = match &self.root {
            Some(unpacked) => unpacked.root.join("usr"),
            None => fs::canonicalize(&self.file)
                .ok()?
                .parent()?
                .parent()?
                .to_owned(),
        };
        ["share/mysql", "share/mariadb", "share"]
            .iter()
            .map(|folder| prefix.join(folder))
            .find(|folder| folder.join("charsets").is_dir())
    }

    /// Command that runs the server with no option file, and with the options that say where its
    /// own files are.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.bare_command();
        command.arg("--no-defaults");
        if let Some(unpacked) = &self.root {
            let usr = unpacked.root.join("usr");
            command.arg(option("basedir", &usr));
            command.arg(option("plugin-dir", &usr.join("lib/mysql/plugin")));
            if let Some(share) = self.share() {
                command.arg(option("lc-messages-dir", &share));
                command.arg(option("character-sets-dir", &share.join("charsets")));
            }
        }
        if nix::unistd::geteuid().is_root() {
            command.arg("--user=root");
        }
        command
    }

    /// Command of a client of the same flavour, `mysql` or `mariadb`, with no option file: the
    /// one that was unpacked with the server, else one that is installed; `None` without either.
    pub(crate) fn client_command(&self) -> Option<Command> {
        let name = self.flavor.client();
        let unpacked = self.root.as_ref().and_then(|unpacked| {
            let file = unpacked.root.join("usr/bin").join(name);
            file.is_file().then(|| unpacked.command(&file))
        });
        let mut command = unpacked.or_else(|| {
            let path = env::var_os("PATH").unwrap_or_default();
            let file = env::split_paths(&path)
                .map(|folder| folder.join(name))
                .find(|file| file.is_file())?;
            Some(Command::new(file))
        })?;
        command.arg("--no-defaults").stdin(Stdio::null());
        Some(command)
    }

    /// A program that is not there.
    #[cfg(test)]
    pub(crate) fn for_test(flavor: Flavor, version: &str) -> Self {
        Program {
            flavor,
            file: PathBuf::from("/nonexistent"),
            version: version.to_owned(),
            root: None,
        }
    }

    fn bare_command(&self) -> Command {
        let mut command = match &self.root {
            Some(unpacked) => unpacked.command(&self.file),
            None => Command::new(&self.file),
        };
        command.stdin(Stdio::null());
        command
    }
}

/// `--name=path`, whatever bytes the path has.
pub(crate) fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(format!("--{name}="));
    option.push(path);
    option
}

/// The numbers of a version, three of them.
fn numbers(version: &str) -> [u32; 3] {
    let mut numbers = version
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| numbers.next().unwrap_or(0))
}

/// The version in the output of `--version`, if it is this flavour's.
fn version_in(flavor: Flavor, output: &str) -> Option<String> {
    let version = output.split(" Ver ").nth(1)?.split_whitespace().next()?;
    flavor.is_version(output).then(|| version.to_owned())
}

/// Debian's name for the folder of this machine's libraries, and the loader's file name.
fn machine() -> Option<(&'static str, &'static str)> {
    match env::consts::ARCH {
        "x86_64" => Some(("x86_64-linux-gnu", "ld-linux-x86-64.so.2")),
        "aarch64" => Some(("aarch64-linux-gnu", "ld-linux-aarch64.so.1")),
        _ => None,
    }
}

fn library_folders(root: &Path) -> Vec<PathBuf> {
    let Some((triple, _)) = machine() else {
        return Vec::new();
    };
    ["usr/lib", "lib"]
        .iter()
        .map(|lib| root.join(lib).join(triple))
        .collect()
}

/// The root's dynamic loader: the file itself, as links to it may lead to the system's.
fn find_loader(root: &Path) -> Option<PathBuf> {
    let (_, name) = machine()?;
    let is_file = |file: &PathBuf| fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file());
    library_folders(root)
        .into_iter()
        .map(|folder| folder.join(name))
        .find(is_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_the_word_after_ver() {
        let text = "/x/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))";
        assert_eq!(version_in(Flavor::Mysql, text).as_deref(), Some("9.7.4-2"));
        assert_eq!(version_in(Flavor::Mariadb, text), None);
        assert_eq!(version_in(Flavor::Mysql, "x Ver"), None);
    }

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(numbers("10.11.18-MariaDB-0+deb12u1"), [10, 11, 18]);
        assert!(Program::for_test(Flavor::Mysql, "5.6.24").is_old_mysql());
        assert!(!Program::for_test(Flavor::Mysql, "5.7.44-log").is_old_mysql());
        assert!(!Program::for_test(Flavor::Mariadb, "5.5.1").is_old_mysql());
    }

    #[test]
    fn program_that_is_no_server_is_not_taken() {
        assert!(Program::installed(Flavor::Mysql, Path::new("/bin/true")).is_err());
        assert!(Program::installed(Flavor::Mysql, Path::new("/nonexistent")).is_err());
    }

    #[test]
    fn root_without_a_client_does_not_give_one_of_its_own() {
        let root = tempfile::tempdir().unwrap();
        let mut program = Program::for_test(Flavor::Mysql, "9.7.4");
        program.root = Some(Unpacked {
            root: root.path().to_owned(),
            loader: PathBuf::from("/nonexistent"),
            library_path: OsString::new(),
        });
        let own = |program: &Program| {
            let command = program.client_command()?;
            (command.get_program() == "/nonexistent").then_some(command)
        };
        assert!(own(&program).is_none());
        std::fs::create_dir_all(root.path().join("usr/bin")).unwrap();
        std::fs::write(root.path().join("usr/bin/mysql"), "").unwrap();
        assert!(own(&program).is_some());
    }

    #[test]
    fn empty_root_has_no_program() {
        let root = tempfile::tempdir().unwrap();
        assert!(Program::unpacked(Flavor::Mariadb, root.path()).is_err());
    }
}
