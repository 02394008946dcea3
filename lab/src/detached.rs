//! The servers of `cargo xtask lab start`, which outlive the command that starts them. Each has a
//! name; the first of a kind is called like its kind.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;

use crate::error::{Error, Result};
use crate::flavor::Flavor;
use crate::home::{self, Home};
use crate::install;
use crate::instance::{self, KILL_LIMIT};
use crate::options::ServerOptions;
use crate::process;
use crate::report::human_seconds;
use crate::server::{self, STOP_LIMIT};
use crate::template;

/// A server of the lab as `lab status` shows it; `Display` gives one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Name of a detached server (`lab start`); `None` for one that belongs to a process.
    pub name: Option<String>,
    /// Flavour of the server.
    pub flavor: Flavor,
    /// Process id; `None` if it does not run.
    pub pid: Option<u32>,
    /// TCP port on 127.0.0.1; `None` for a detached server that never got ready.
    pub port: Option<u16>,
    /// Process that the server belongs to; `None` for a detached one (`lab start`).
    pub owner: Option<u32>,
    /// Directory with the data directory and the error log.
    pub dir: PathBuf,
}

impl Status {
    /// URL for `root`; `None` if the port is not known.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        self.port.map(server::url)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url().unwrap_or_else(|| "-".to_owned());
        let name = self.name.as_deref().unwrap_or("-");
        write!(f, "{name:<10} {:<8} ", self.flavor)?;
        match self.pid {
            Some(pid) => write!(f, "running  pid {pid:<8}")?,
            None => write!(f, "stopped  {:<12}", "")?,
        }
        write!(f, " {url}  {}", self.dir.display())?;
        match self.owner {
            Some(owner) => write!(f, "  (of process {owner})"),
            None => Ok(()),
        }
    }
}

/// Starts the detached server of this name, or finds it running; installs its flavour first if
/// need be.
///
/// Its data is in `run/<name>` of the lab's folder and stays over stop and start. Options
/// count for a server that is started now, not for one that runs already.
///
/// # Errors
/// As [`Server::start`](crate::Server::start); [`Error::Name`] when the name is another server's
/// or cannot be one.
pub fn start_detached(name: &str, flavor: Flavor, options: &ServerOptions) -> Result<Status> {
    check_name(name)?;
    let home = Home::locate()?;
    let dir = home.run(name);
    let other = name.parse().ok().or_else(|| flavor_of(&dir, name));
    if let Some(other) = other.filter(|other| *other != flavor) {
        return Err(Error::Name {
            name: name.to_owned(),
            what: format!("is that of a {other} server: choose another for this {flavor} server"),
        });
    }
    let program = install::install_in(&home, flavor, options.report())?;
    instance::reap(&home)?;
    fs::create_dir_all(&dir).map_err(Error::io(format!("cannot make {}", dir.display())))?;
    let _lock = lock(&home, name)?;
    home::write_file(&dir.join("flavor"), &format!("{flavor}\n"))?;
    let found = detached_status(name, flavor, &dir);
    if found.pid.is_some() && found.port.is_some() {
        return Ok(found);
    }
    if !dir.join("data").is_dir() {
        template::copy_to(&dir, &home, &program, options)?;
    }
    let port = match found.port.filter(|port| instance::is_free(*port)) {
        Some(port) => port,
        None => instance::free_port(|port| home.instances().join(port.to_string()).exists())?,
    };
    let mut child = server::spawn(&program, &dir, port, options)?;
    let ready = server::wait_ready(&mut child, flavor, &dir, port, options.limit())
        .and_then(|()| home::write_file(&dir.join("port"), &format!("{port}\n")));
    if let Err(error) = ready {
        server::end(&mut child);
        return Err(error);
    }
    let pid = Some(child.id());
    Ok(Status {
        name: Some(name.to_owned()),
        flavor,
        pid,
        port: Some(port),
        owner: None,
        dir,
    })
}

/// Shuts the detached server of this name down cleanly, and with `remove` removes its data.
///
/// Returns whether it ran; `None` if there is none of this name.
///
/// # Errors
/// [`Error::State`] if it took more than 60 s and had to be killed.
pub fn stop_detached(name: &str, remove: bool) -> Result<Option<bool>> {
    check_name(name)?;
    let home = Home::locate()?;
    let dir = home.run(name);
    let Some(flavor) = flavor_of(&dir, name) else {
        return Ok(None);
    };
    let _lock = lock(&home, name)?;
    let status = detached_status(name, flavor, &dir);
    if let Some(pid) = status.pid {
        process::send(pid, Signal::SIGTERM);
        if !process::wait_gone(pid, &dir, STOP_LIMIT) {
            process::send(pid, Signal::SIGKILL);
            process::wait_gone(pid, &dir, KILL_LIMIT);
            let what = format!("had to be killed after {}", human_seconds(STOP_LIMIT));
            return Err(Error::State {
                flavor,
                port: status.port.unwrap_or_default(),
                what,
            });
        }
    }
    if remove {
        home::remove_folder(&dir)?;
    }
    Ok(Some(status.pid.is_some()))
}

/// The detached servers, running or not, and the instances of tests.
///
/// # Errors
/// If the lab's folder cannot be read.
pub fn status() -> Result<Vec<Status>> {
    let home = Home::locate()?;
    let mut all = Vec::new();
    for name in home.run_names()? {
        let dir = home.run(&name);
        if let Some(flavor) = flavor_of(&dir, &name) {
            all.push(detached_status(&name, flavor, &dir));
        }
    }
    for entry in instance::entries(&home)? {
        all.push(Status {
            name: None,
            flavor: entry.flavor,
            pid: process::live_server(&entry.dir),
            port: Some(entry.port),
            owner: Some(entry.owner),
            dir: entry.dir,
        });
    }
    Ok(all)
}

/// Ends the servers of tests whose process is dead; returns how many.
///
/// # Errors
/// If the lab's folder cannot be read or written.
pub fn reap() -> Result<usize> {
    instance::reap(&Home::locate()?)
}

/// One start or stop of a detached server at a time.
fn lock(home: &Home, name: &str) -> Result<nix::fcntl::Flock<fs::File>> {
    home.lock(&format!("run-{name}"))
}

/// Whether a server can be called so: the name is that of a folder, and no word of SQL alone.
fn check_name(name: &str) -> Result<()> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=32).contains(&name.len()) && name.chars().all(is_good) {
        return Ok(());
    }
    Err(Error::Name {
        name: name.to_owned(),
        what: "is none: expected 1 to 32 letters, digits, - and _".to_owned(),
    })
}

/// The flavour of the detached server in this folder; `None` if there is no server.
fn flavor_of(dir: &Path, name: &str) -> Option<Flavor> {
    if !dir.is_dir() {
        return None;
    }
    match fs::read_to_string(dir.join("flavor")) {
        Ok(text) => text.trim().parse().ok(),
        // Made before servers had names.
        Err(_) => name.parse().ok(),
    }
}

fn detached_status(name: &str, flavor: Flavor, dir: &Path) -> Status {
    let port = fs::read_to_string(dir.join("port")).ok();
    Status {
        name: Some(name.to_owned()),
        flavor,
        pid: process::live_server(dir),
        port: port.and_then(|text| text.trim().parse().ok()),
        owner: None,
        dir: dir.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_a_status_shows_state_and_url() {
        let mut status = Status {
            name: Some("first".to_owned()),
            flavor: Flavor::Mysql,
            pid: Some(77),
            port: Some(13001),
            owner: None,
            dir: PathBuf::from("/d"),
        };
        let line = status.to_string();
        assert!(
            line.starts_with("first ") && line.contains(" mysql "),
            "{line}"
        );
        assert!(line.contains("running  pid 77") && line.contains("mysql://root@127.0.0.1:13001/"));
        (status.pid, status.port, status.owner) = (None, None, Some(5));
        let line = status.to_string();
        assert!(
            line.contains("stopped") && line.ends_with("/d  (of process 5)"),
            "{line}"
        );
    }

    #[test]
    fn directory_without_files_is_a_stopped_server() {
        let dir = tempfile::tempdir().unwrap();
        let status = detached_status("x", Flavor::Mariadb, dir.path());
        assert_eq!((status.pid, status.port), (None, None));
    }

    #[test]
    fn names_are_those_of_folders_below_run() {
        for bad in ["", ".", "..", "a/b", "a b", "SELECT 1", &"x".repeat(33)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        assert!(check_name("db-2_x").is_ok());
    }

    #[test]
    fn flavor_is_the_recorded_one_and_else_that_of_the_name() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(flavor_of(dir.path(), "db"), None);
        assert_eq!(flavor_of(dir.path(), "mysql"), Some(Flavor::Mysql));
        home::write_file(&dir.path().join("flavor"), "mariadb\n").unwrap();
        assert_eq!(flavor_of(dir.path(), "db"), Some(Flavor::Mariadb));
        assert_eq!(flavor_of(&dir.path().join("none"), "mysql"), None);
    }
}
