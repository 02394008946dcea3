//! `cargo xtask lab`: private servers, and the demo data in one.

use std::fs;
use std::path::Path;

use lab::{Flavor, Release, Reporter, Server, ServerOptions};

use crate::error::{Error, Outcome};
use crate::project;

/// Scripts that make and fill the demo schema, from the workspace's folder.
const DEMO_SCRIPTS: [&str; 2] = ["demo/schema.sql", "demo/data.sql"];

/// Kind of server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LabFlavor {
    /// MySQL 8.0 or later
    #[default]
    Mysql,
    /// MariaDB 10.11 or later
    Mariadb,
}

impl From<LabFlavor> for Flavor {
    fn from(flavor: LabFlavor) -> Self {
        match flavor {
            LabFlavor::Mysql => Self::Mysql,
            LabFlavor::Mariadb => Self::Mariadb,
        }
    }
}

/// Server version that the lab can unpack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LabRelease {
    /// MySQL as it is installed, or as the distribution has it
    Mysql,
    /// MySQL 5.6; needs Debian on x86-64, and npm
    #[value(name = "mysql-5.6")]
    Mysql56,
    /// MariaDB as it is installed, or as the distribution has it
    Mariadb,
    /// MariaDB 11.8; needs Debian
    #[value(name = "mariadb-11.8")]
    Mariadb118,
}

impl From<LabRelease> for Release {
    fn from(release: LabRelease) -> Self {
        match release {
            LabRelease::Mysql => Self::Mysql,
            LabRelease::Mysql56 => Self::Mysql56,
            LabRelease::Mariadb => Self::Mariadb,
            LabRelease::Mariadb118 => Self::Mariadb118,
        }
    }
}

/// Options of [`lab()`].
#[derive(Debug, Clone, clap::Args)]
pub struct LabOptions {
    /// What to do
    #[command(subcommand)]
    pub action: LabAction,
}

/// What [`lab()`] does.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum LabAction {
    /// Find or unpack a server, without root and without touching the system
    Install {
        /// Kind of server
        release: LabRelease,
    },
    /// Start a server that goes on running, and print its URL
    Start {
        /// Kind of server
        flavor: LabFlavor,
        /// Also make and fill the demo schema, unless it is there
        #[arg(long)]
        demo_data: bool,
    },
    /// Stop the server of `lab start`
    Stop {
        /// Kind of server
        flavor: LabFlavor,
        /// Also remove its data
        #[arg(long)]
        remove: bool,
    },
    /// Show the servers; with a kind: exit code 1 when that one is not running
    Status {
        /// Kind of server
        flavor: Option<LabFlavor>,
    },
}

/// Installs, starts, stops or shows private servers.
///
/// # Errors
/// [`Error::Lab`] when that cannot be done.
pub fn lab(options: &LabOptions) -> Result<Outcome, Error> {
    match &options.action {
        LabAction::Install { release } => install_release((*release).into())?,
        LabAction::Start { flavor, demo_data } => start((*flavor).into(), *demo_data)?,
        LabAction::Stop { flavor, remove } => {
            let flavor = Flavor::from(*flavor);
            let ran = lab::stop_detached(flavor, *remove)?;
            println!(
                "{flavor}: {}",
                if ran { "stopped" } else { "was not running" }
            );
        }
        LabAction::Status { flavor } => return status(flavor.map(Flavor::from)),
    }
    Ok(Outcome::Holds)
}

/// Finds or unpacks a server and says which.
pub(super) fn install_release(release: Release) -> Result<(), Error> {
    let reporter = Reporter::stderr();
    let program = if release == Release::usual(release.flavor()) {
        lab::install(release.flavor(), &reporter)?
    } else {
        lab::install_release(release, &reporter)?
    };
    println!("{release}: version {}", program.version());
    Ok(())
}

fn start(flavor: Flavor, demo_data: bool) -> Result<(), Error> {
    let options = ServerOptions::new().reporter(Reporter::stderr());
    let status = lab::start_detached(flavor, &options)?;
    println!("{status}");
    let Some(url) = status.url().filter(|_| demo_data) else {
        return Ok(());
    };
    let mut server = crate::server::Server::connect(&crate::url::ServerUrl::parse(&url)?)?;
    if server.databases()?.iter().any(|name| name == "ads") {
        println!("{flavor}: the demo schema is there already");
        return Ok(());
    }
    for (name, script) in demo_scripts()? {
        server.run_script(name, &lab::split_statements(&script))?;
    }
    println!("{flavor}: the demo schema is made and filled");
    Ok(())
}

fn status(flavor: Option<Flavor>) -> Result<Outcome, Error> {
    let reaped = lab::reap()?;
    if reaped > 0 {
        println!("ended {reaped} servers whose process is gone");
    }
    let all = lab::status()?;
    let shown: Vec<_> = all
        .iter()
        .filter(|status| flavor.is_none_or(|flavor| flavor == status.flavor))
        .collect();
    for status in &shown {
        println!("{status}");
    }
    if shown.is_empty() {
        println!("no servers");
    }
    let running = |wanted| {
        shown
            .iter()
            .any(|status| status.flavor == wanted && status.owner.is_none() && status.pid.is_some())
    };
    Ok(match flavor {
        Some(flavor) if !running(flavor) => Outcome::DoesNotHold,
        _ => Outcome::Holds,
    })
}

/// A server of our own with the demo schema in it; it ends when the value is dropped.
pub(super) fn start_with_demo_data(flavor: LabFlavor) -> Result<Server, Error> {
    let scripts = demo_scripts()?;
    let options = ServerOptions::new().reporter(Reporter::stderr());
    let server = Server::start(flavor.into(), &options)?;
    for (_, script) in &scripts {
        server.exec_script(script)?;
    }
    Ok(server)
}

/// A server of our own with the tables of a script; it ends when the value is dropped.
pub(super) fn start_with_script(flavor: LabFlavor, script: &Path) -> Result<Server, Error> {
    let text = fs::read_to_string(script)
        .map_err(|source| Error::file(script, "cannot read the script", source))?;
    let options = ServerOptions::new().reporter(Reporter::stderr());
    let server = Server::start(flavor.into(), &options)?;
    server.exec_script(&text)?;
    Ok(server)
}

fn demo_scripts() -> Result<Vec<(&'static str, String)>, Error> {
    let root = project::root();
    DEMO_SCRIPTS
        .iter()
        .map(|name| {
            let path = root.join(name);
            let text = fs::read_to_string(&path)
                .map_err(|source| Error::file(&path, "cannot read the demo schema", source))?;
            Ok((*name, text))
        })
        .collect()
}
