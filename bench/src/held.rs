//! A mirror that is kept away from its server while a load is made, and then let in: what it
//! follows is in the server's log already, so that the server's work on the load is not in its
//! time.
//!
//! The server goes offline (`offline_mode`), which cuts the mirror's stream and refuses its
//! connections, but not those of root. Back online, the mirror connects again by itself and goes
//! on at its last boundary, as after any lost connection.

use std::time::{Duration, Instant};

use generated::Mirror;
use lab::Server;
use mirror_runtime::{BinlogPosition, Options, State};
use mysql::Conn;
use mysql::prelude::Queryable;

use crate::Error;
use crate::measure::cpu_time;
use crate::workload::log_end;

/// Time between two looks at how far readers see.
const LOOK: Duration = Duration::from_millis(1);
/// Longest wait between two tries to connect.
const RECONNECT: Duration = Duration::from_millis(100);
/// Longest wait for anything.
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

/// A user without the right to connect while the server is offline.
pub(crate) const USER: &str = "mirror";

/// A mirror and its server; online again when this is dropped.
pub(crate) struct HeldMirror<'s> {
    pub(crate) mirror: Mirror,
    server: &'s Server,
    /// Of root; made beforehand, so that it is in no time that is measured.
    root: Conn,
}

/// What a mirror took to follow a stretch of the log.
pub(crate) struct Followed {
    /// CPU time of this process, which does nothing else.
    pub(crate) cpu_seconds: f64,
    /// From the moment that the stream was asked for until the last row was visible.
    pub(crate) wall_seconds: f64,
    /// Bytes of the stretch that were visible after so many seconds.
    pub(crate) progress: Vec<(f64, u64)>,
}

/// URL of the user without special rights, whom this makes; without TLS.
pub(crate) fn plain_user(server: &Server) -> Result<String, Error> {
    server.exec(&format!("CREATE USER IF NOT EXISTS {USER}@'%'"))?;
    server.exec(&format!(
        "GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO {USER}@'%'"
    ))?;
    Ok(format!(
        "mysql://{USER}@127.0.0.1:{}/?ssl-mode=disabled",
        server.port()
    ))
}

impl<'s> HeldMirror<'s> {
    /// Starts a mirror of these tables and waits until it is live.
    pub(crate) fn start(server: &'s Server, tables: &[&str]) -> Result<Self, Error> {
        let mut options = Options::new(plain_user(server)?.parse()?);
        options.tables = Some(tables.iter().map(|&table| table.to_owned()).collect());
        options.reconnect_max_wait = RECONNECT;
        let mirror = Mirror::connect(options, LIMIT)?;
        let root = server.conn()?;
        Ok(Self {
            mirror,
            server,
            root,
        })
    }

    /// Cuts the mirror off.
    pub(crate) fn hold(&mut self) -> Result<(), Error> {
        self.root.query_drop("SET GLOBAL offline_mode = ON")?;
        let until = Instant::now() + LIMIT;
        while self.mirror.status().state != State::Reconnecting {
            self.check(until)?;
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Lets the mirror in and waits until readers see everything that is in the log; `file` is
    /// where all of that is.
    pub(crate) fn follow(&mut self, file: &str) -> Result<Followed, Error> {
        let (last_file, length) = log_end(self.server)?;
        if last_file != file {
            return Err(format!("the load goes on in {last_file}, after {file}").into());
        }
        let end = BinlogPosition::new(file, length);
        let cpu = cpu_time()?;
        self.root.query_drop("SET GLOBAL offline_mode = OFF")?;
        self.mirror.wait_until_live(LIMIT)?;
        let started = Instant::now();
        let mut progress = Vec::new();
        loop {
            let position = self.mirror.snapshot().version().position.clone();
            let seen = position.filter(|position| *position.file == *end.file);
            let wall_seconds = started.elapsed().as_secs_f64();
            progress.push((wall_seconds, seen.as_ref().map_or(0, |seen| seen.offset)));
            if seen.is_some_and(|seen| seen >= end) {
                return Ok(Followed {
                    cpu_seconds: (cpu_time()? - cpu).as_secs_f64(),
                    wall_seconds,
                    progress,
                });
            }
            self.check(started + LIMIT)?;
            std::thread::sleep(LOOK);
        }
    }

    fn check(&self, until: Instant) -> Result<(), Error> {
        if let Some(error) = self.mirror.error() {
            return Err(error.into());
        }
        if Instant::now() > until {
            return Err(format!("nothing came within {} s", LIMIT.as_secs()).into());
        }
        Ok(())
    }
}

impl Drop for HeldMirror<'_> {
    fn drop(&mut self) {
        // Whoever goes on with this server finds out if it is still offline.
        let _ = self.root.query_drop("SET GLOBAL offline_mode = OFF");
    }
}
