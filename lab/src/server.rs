//! A server of a test: starts, is killed, restarts, goes away.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{os::unix::process::CommandExt, thread};

use mysql::Conn;
use mysql::prelude::FromValue;
use nix::sys::signal::Signal;

use crate::client;
use crate::error::{Error, Result};
use crate::flavor::Flavor;
use crate::home::{self, Home};
use crate::install;
use crate::instance::{self, Instance, KILL_LIMIT};
use crate::options::ServerOptions;
use crate::process::{self, POLL};
use crate::program::Program;
use crate::report::{human_seconds, tail};
use crate::template;

/// Time that a server has for a clean shutdown.
pub(crate) const STOP_LIMIT: Duration = Duration::from_secs(60);

/// Ports that are tried if another process takes the chosen one meanwhile.
const START_TRIES: u32 = 3;

/// A private server: it ends, and its directory is removed, when this value is dropped.
///
/// If the owning process is killed, the next start of any server (and `lab status`) ends what it
/// left.
#[derive(Debug)]
pub struct Server {
    program: Program,
    options: ServerOptions,
    instance: Instance,
    child: Option<Child>,
}

impl Server {
    /// Starts a server with a fresh data directory on a free port of 127.0.0.1, and waits until
    /// it answers. The first start ever of a flavour installs it.
    ///
    /// # Errors
    /// As [`install`](crate::install()); [`Error::Start`] with the end of the error log if the
    /// server does not get ready.
    pub fn start(flavor: Flavor, options: &ServerOptions) -> Result<Server> {
        Server::start_in(&Home::locate()?, flavor, options)
    }

    /// As [`Server::start`], with the lab's folder given.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_in(home: &Home, flavor: Flavor, options: &ServerOptions) -> Result<Server> {
        let program = install::install_in(home, flavor, options.report())?;
        instance::reap(home)?;
        let mut tries = START_TRIES;
        loop {
            let mut server = Server {
                program: program.clone(),
                options: options.clone(),
                instance: Instance::create(home, flavor, options.is_kept())?,
                child: None,
            };
            template::copy_to(server.dir(), home, &program, options)?;
            tries -= 1;
            match server.launch() {
                Ok(()) => return Ok(server),
                Err(error) if tries > 0 && is_port_taken(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Flavour of the server.
    #[must_use]
    pub fn flavor(&self) -> Flavor {
        self.program.flavor()
    }

    /// Version of the server program: `9.7.4-2`, `10.11.18-MariaDB-0+deb12u1`.
    #[must_use]
    pub fn version(&self) -> &str {
        self.program.version()
    }

    /// URL for `root`, without a password and a database: `mysql://root@127.0.0.1:13000/`.
    #[must_use]
    pub fn url(&self) -> String {
        url(self.port())
    }

    /// TCP port on 127.0.0.1; the same after a restart.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.instance.port
    }

    /// Directory of the instance, with `data`, `error.log` and the binlog as `data/binlog.*`.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.instance.dir
    }

    /// Process id; `None` while the server is stopped or killed.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// A new session as `root`: utf8mb4, time zone +00:00, empty `sql_mode`.
    ///
    /// # Errors
    /// [`Error::Sql`] if the server does not let it in.
    pub fn conn(&self) -> Result<Conn> {
        client::connect(self.port())
    }

    /// Command of the command-line client, connecting to this server as `root`; `None` where
    /// none came with the server and none is installed.
    #[must_use]
    pub fn client(&self) -> Option<Command> {
        let mut command = self.program.client_command()?;
        command
            .args(["--user=root", "--host=127.0.0.1", "--protocol=TCP"])
            .arg(format!("--port={}", self.port()));
        Some(command)
    }

    /// Runs one statement in a session of its own.
    ///
    /// # Errors
    /// [`Error::Sql`] with the server's message.
    pub fn exec(&self, sql: &str) -> Result<()> {
        client::exec(self.port(), sql)
    }

    /// Runs a script's statements one after the other in one session; see
    /// [`split_statements`](crate::split_statements).
    ///
    /// # Errors
    /// [`Error::Sql`] with the statement's line and the server's message; what came before stays.
    pub fn exec_script(&self, script: &str) -> Result<()> {
        client::exec_script(self.port(), script)
    }

    /// First column of the first row of a query, in a session of its own.
    ///
    /// # Errors
    /// [`Error::Sql`] with the server's message.
    pub fn query_value<T: FromValue>(&self, sql: &str) -> Result<Option<T>> {
        client::query_value(self.port(), sql)
    }

    /// The end of the error log, at most `lines` lines.
    #[must_use]
    pub fn log_tail(&self, lines: usize) -> String {
        log_tail(self.dir(), lines)
    }

    /// Kills the server (`SIGKILL`) and waits until it is dead; [`Server::restart`] brings it
    /// back with crash recovery.
    ///
    /// # Errors
    /// [`Error::State`] if it does not run.
    pub fn kill9(&mut self) -> Result<()> {
        let mut child = self
            .child
            .take()
            .ok_or_else(|| self.state("does not run"))?;
        child
            .kill()
            .and_then(|()| child.wait())
            .map(drop)
            .map_err(Error::io(format!(
                "cannot kill the server on port {}",
                self.port()
            )))
    }

    /// Shuts the server down cleanly; its directory stays until this value is dropped. Does
    /// nothing if the server does not run.
    ///
    /// # Errors
    /// [`Error::State`] if it took more than 60 s and had to be killed.
    pub fn stop(&mut self) -> Result<()> {
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        process::send(child.id(), Signal::SIGTERM);
        let ended = process::wait_until(STOP_LIMIT, || !matches!(child.try_wait(), Ok(None)));
        if ended {
            return Ok(());
        }
        end(&mut child);
        Err(self.state(&format!(
            "had to be killed after {}",
            human_seconds(STOP_LIMIT)
        )))
    }

    /// Starts the server again on the same port, data directory and options; one that runs is
    /// shut down first.
    ///
    /// # Errors
    /// As [`Server::stop`]; [`Error::Start`] if it does not get ready.
    pub fn restart(&mut self) -> Result<()> {
        self.stop()?;
        self.launch()
    }

    /// As [`Server::restart`], with these arguments instead of the ones from the options.
    ///
    /// # Errors
    /// As [`Server::restart`].
    pub fn restart_with(&mut self, arguments: &[&str]) -> Result<()> {
        self.options.set_args(arguments);
        self.restart()
    }

    fn launch(&mut self) -> Result<()> {
        let Instance { dir, port, .. } = &self.instance;
        let mut child = spawn(&self.program, dir, *port, &self.options)?;
        let ready = wait_ready(&mut child, self.flavor(), dir, *port, self.options.limit());
        if ready.is_err() {
            end(&mut child);
        } else {
            self.child = Some(child);
        }
        ready
    }

    fn state(&self, what: &str) -> Error {
        Error::State {
            flavor: self.flavor(),
            port: self.port(),
            what: what.to_owned(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.options.is_kept() {
            // Nobody could be told; the log says how it ended.
            let _ = self.stop();
            return;
        }
        if let Some(mut child) = self.child.take() {
            end(&mut child);
        }
        // What cannot be removed now goes with the next reaping.
        let _ = home::remove_folder(self.dir());
    }
}

/// URL of `root` on this port.
pub(crate) fn url(port: u16) -> String {
    format!("mysql://root@127.0.0.1:{port}/")
}

/// Starts the server's process, detached from the terminal's signals.
pub(crate) fn spawn(
    program: &Program,
    dir: &Path,
    port: u16,
    options: &ServerOptions,
) -> Result<Child> {
    let io = || Error::io(format!("cannot start {}", program.file().display()));
    for old in ["error.log", "server.pid"] {
        // A log of this start only; the last one is kept beside it.
        let _ = fs::rename(dir.join(old), dir.join(format!("{old}.old")));
    }
    let output = File::create(dir.join("stdout.log")).map_err(io())?;
    let mut command: Command = program.command();
    command
        .args(options.command_line(program, dir, port))
        .stdout(output.try_clone().map_err(io())?)
        .stderr(output)
        .process_group(0)
        .spawn()
        .map_err(io())
}

/// Waits until the server answers a query on its port.
pub(crate) fn wait_ready(
    child: &mut Child,
    flavor: Flavor,
    dir: &Path,
    port: u16,
    limit: Duration,
) -> Result<()> {
    let begin = Instant::now();
    let data = dir.join("data").display().to_string();
    let what = loop {
        if let Ok(Some(status)) = child.try_wait() {
            break format!("ended before it was ready ({status})");
        }
        // Another server may have taken the port meanwhile.
        if client::answering_datadir(port).is_some_and(|own| own.trim_end_matches('/') == data) {
            return Ok(());
        }
        if begin.elapsed() >= limit {
            break format!("was not ready after {}", human_seconds(limit));
        }
        thread::sleep(POLL);
    };
    Err(Error::Start {
        flavor,
        dir: dir.display().to_string(),
        what,
        log: log_tail(dir, 20),
    })
}

/// Kills a child and waits for it.
pub(crate) fn end(child: &mut Child) {
    // Failures mean that it has ended.
    let _ = child.kill();
    // One that does not end even so (stuck in the kernel) is left to the next reaping.
    process::wait_until(KILL_LIMIT, || !matches!(child.try_wait(), Ok(None)));
}

/// The end of the error log and of the standard output, where early errors go.
pub(crate) fn log_tail(dir: &Path, lines: usize) -> String {
    let read = |name: &str| fs::read(dir.join(name)).unwrap_or_default();
    let mut bytes = read("stdout.log");
    bytes.extend(read("error.log"));
    tail(String::from_utf8_lossy(&bytes).trim_end(), lines)
}

/// True if the server ended as its port was taken by another process.
fn is_port_taken(error: &Error) -> bool {
    matches!(error, Error::Start { log, .. } if log.contains("Address already in use"))
}
