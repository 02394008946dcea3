//! Instances of tests: a directory and a port each, an owner, and what dead owners left.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::Flock;
use nix::sys::signal::Signal;

use crate::error::{Error, Result};
use crate::flavor::Flavor;
use crate::home::{self, Home};
use crate::process;

/// Lowest port of a server.
const PORT_MIN: u16 = 13_000;

/// Highest port: below 32768, where Linux begins to take ports for outgoing connections, so that
/// a server that is down for a moment finds its port free again.
const PORT_MAX: u16 = 29_999;

/// Ports that are tried.
const PORT_TRIES: u32 = 500;

/// Time that a killed server has to be gone.
pub(crate) const KILL_LIMIT: Duration = Duration::from_secs(10);

/// A directory `instances/<port>`, reserved for this process as long as the value lives.
///
/// The file `owner` in it is locked: the lock ends with the process however that ends, so an
/// instance whose owner's lock can be had is nobody's.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) dir: PathBuf,
    pub(crate) port: u16,
    _owner: Flock<File>,
}

impl Instance {
    /// Reserves a directory and a port.
    pub(crate) fn create(home: &Home, flavor: Flavor, keep: bool) -> Result<Self> {
        let _lock = registry_lock(home)?;
        let folder = home.instances();
        let port = free_port(|port| folder.join(port.to_string()).exists())?;
        let dir = folder.join(port.to_string());
        let io = || Error::io(format!("cannot make {}", dir.display()));
        fs::create_dir(&dir).map_err(io())?;
        let owner = home::lock(&dir.join("owner"))?;
        let text = format!(
            "{} {flavor} {}\n",
            std::process::id(),
            if keep { "keep" } else { "-" }
        );
        fs::write(dir.join("owner"), text).map_err(io())?;
        Ok(Instance {
            dir,
            port,
            _owner: owner,
        })
    }
}

/// An entry of the registry, for `lab status`.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) dir: PathBuf,
    pub(crate) port: u16,
    pub(crate) flavor: Flavor,
    pub(crate) owner: u32,
    pub(crate) keep: bool,
}

/// Ends the servers whose owner is dead, and removes their directories unless they are kept.
/// Returns how many servers ended.
pub(crate) fn reap(home: &Home) -> Result<usize> {
    let _lock = registry_lock(home)?;
    let mut ended = 0;
    for dir in directories(home)? {
        let Ok(Some(_owner)) = home::try_lock(&dir.join("owner")) else {
            continue;
        };
        if let Some(pid) = process::live_server(&dir) {
            process::send(pid, Signal::SIGKILL);
            ended += usize::from(process::wait_gone(pid, &dir, KILL_LIMIT));
        }
        if !read_entry(&dir).is_some_and(|entry| entry.keep) {
            home::remove_folder(&dir)?;
        }
    }
    Ok(ended)
}

/// All entries of the registry.
pub(crate) fn entries(home: &Home) -> Result<Vec<Entry>> {
    Ok(directories(home)?
        .iter()
        .filter_map(|dir| read_entry(dir))
        .collect())
}

/// A port on which nothing listens, of the range for servers, that is not `taken`.
pub(crate) fn free_port(taken: impl Fn(u16) -> bool) -> Result<u16> {
    let count = u64::from(PORT_MAX - PORT_MIN) + 1;
    for _ in 0..PORT_TRIES {
        // Each new state has keys of its own: good enough a random number.
        let random = RandomState::new().build_hasher().finish();
        let port = PORT_MIN + u16::try_from(random % count).unwrap_or_default();
        if !taken(port) && is_free(port) {
            return Ok(port);
        }
    }
    Err(Error::NoPort {
        from: PORT_MIN,
        to: PORT_MAX,
    })
}

/// True if a server could listen on this port of 127.0.0.1.
pub(crate) fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Held while directories come and go, so that a directory always has its lock.
fn registry_lock(home: &Home) -> Result<Flock<File>> {
    let folder = home.instances();
    fs::create_dir_all(&folder).map_err(Error::io(format!("cannot make {}", folder.display())))?;
    home.lock("instances")
}

fn directories(home: &Home) -> Result<Vec<PathBuf>> {
    let folder = home.instances();
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries =
        fs::read_dir(&folder).map_err(Error::io(format!("cannot read {}", folder.display())))?;
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    all.sort();
    Ok(all)
}

fn read_entry(dir: &Path) -> Option<Entry> {
    let text = fs::read_to_string(dir.join("owner")).ok()?;
    let mut words = text.split_whitespace();
    Some(Entry {
        dir: dir.to_owned(),
        port: dir.file_name()?.to_str()?.parse().ok()?,
        owner: words.next()?.parse().ok()?,
        flavor: words.next()?.parse().ok()?,
        keep: words.next()? == "keep",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        (folder, home)
    }

    #[test]
    fn instance_of_a_live_owner_is_not_reaped() {
        let (_folder, home) = home();
        let instance = Instance::create(&home, Flavor::Mysql, false).unwrap();
        reap(&home).unwrap();
        assert!(instance.dir.is_dir());
        let dir = instance.dir.clone();
        drop(instance);
        reap(&home).unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn kept_instance_of_a_dead_owner_stays() {
        let (_folder, home) = home();
        let dir = Instance::create(&home, Flavor::Mariadb, true).unwrap().dir;
        reap(&home).unwrap();
        assert!(dir.is_dir());
        let entry = entries(&home).unwrap().pop().unwrap();
        assert_eq!(
            (entry.flavor, entry.owner),
            (Flavor::Mariadb, std::process::id())
        );
        assert!(entry.keep && entry.dir == dir);
    }

    #[test]
    fn two_instances_have_different_ports() {
        let (_folder, home) = home();
        let one = Instance::create(&home, Flavor::Mysql, false).unwrap();
        let two = Instance::create(&home, Flavor::Mysql, false).unwrap();
        assert_ne!(one.port, two.port);
        assert!((PORT_MIN..=PORT_MAX).contains(&one.port));
    }

    #[test]
    fn port_with_a_listener_is_not_free() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(!is_free(listener.local_addr().unwrap().port()));
        assert!(matches!(free_port(|_| true), Err(Error::NoPort { .. })));
    }
}
