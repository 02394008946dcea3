//! `cargo xtask lab`: private servers, and the demo data in one.

use std::fs;
use std::path::Path;

use lab::{Flavor, Release, Reporter, Server, ServerOptions, Status};

use super::lab_sql::{SqlOptions, sql};

use crate::error::{Error, Outcome};
use crate::project;

/// Scripts that make and fill the demo schema, from the workspace's folder.
const DEMO_SCRIPTS: [&str; 2] = ["demo/schema.sql", "demo/data.sql"];

/// Kind of server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LabFlavor {
    /// MySQL: 5.6 or later
    #[default]
    Mysql,
    /// MariaDB: 10.5 or later
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
    /// Start a server that goes on running, and print its name and URL
    Start {
        /// Kind of server
        flavor: LabFlavor,
        /// Name of the server, so that several can run; default: its kind
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Also make and fill the demo schema, unless it is there
        #[arg(long)]
        demo_data: bool,
        /// Make it a replica of this running server, by GTIDs
        #[arg(long, value_name = "NAME", conflicts_with = "demo_data")]
        replica_of: Option<String>,
    },
    /// Stop a server of `lab start`
    Stop {
        /// Its name: mysql or mariadb unless it was given another
        #[arg(value_name = "NAME")]
        name: String,
        /// Also remove its data
        #[arg(long)]
        remove: bool,
    },
    /// Show the servers of `lab start` and those of other processes, such as tests
    Status {
        /// Only servers of this name or kind; exit code 1 when none of them runs
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Run SQL as root on a server of `lab start`; rows are printed with tabs between columns
    Sql(SqlOptions),
}

/// Installs, starts, stops or shows private servers.
///
/// # Errors
/// [`Error::Lab`] when that cannot be done.
pub fn lab(options: &LabOptions) -> Result<Outcome, Error> {
    match &options.action {
        LabAction::Install { release } => install_release((*release).into())?,
        LabAction::Start {
            flavor,
            name,
            demo_data,
            replica_of,
        } => {
            let flavor = Flavor::from(*flavor);
            let name = name.as_deref().unwrap_or(flavor.name());
            let status = start(name, flavor, *demo_data)?;
            if let Some(source) = replica_of {
                lab::replicate(&status, &detached(source)?)?;
                println!("{name}: follows {source}");
            }
        }
        LabAction::Stop { name, remove } => match lab::stop_detached(name, *remove)? {
            Some(true) => println!("{name}: stopped"),
            Some(false) => println!("{name}: was not running"),
            None => return Err(unknown(name)?),
        },
        LabAction::Status { name } => return status(name.as_deref()),
        LabAction::Sql(options) => return sql(options),
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

fn start(name: &str, flavor: Flavor, demo_data: bool) -> Result<Status, Error> {
    let options = ServerOptions::new().reporter(Reporter::stderr());
    let status = lab::start_detached(name, flavor, &options)?;
    println!("{status}");
    let Some(url) = status.url().filter(|_| demo_data) else {
        return Ok(status);
    };
    let mut server = crate::server::Server::connect(&crate::url::ServerUrl::parse(&url)?)?;
    if server.databases()?.iter().any(|name| name == "ads") {
        println!("{name}: the demo schema is there already");
        return Ok(status);
    }
    for (script, text) in demo_scripts()? {
        server.run_script(script, &lab::split_statements(&text))?;
    }
    println!("{name}: the demo schema is made and filled");
    Ok(status)
}

/// The server of `lab start` of this name.
pub(super) fn detached(name: &str) -> Result<Status, Error> {
    let all = lab::status()?;
    let found = all
        .into_iter()
        .find(|status| status.name.as_deref() == Some(name));
    found.map_or_else(|| Err(unknown(name)?), Ok)
}

/// That no server of `lab start` is called so.
fn unknown(name: &str) -> Result<Error, Error> {
    let known: Vec<String> = lab::status()?
        .into_iter()
        .filter_map(|status| status.name)
        .collect();
    let known = match known.is_empty() {
        true => "none".to_owned(),
        false => known.join(", "),
    };
    Ok(Error::Usage(format!(
        "lab: there is no server {name:?}\n  servers: {known}\n  \
         remedy: cargo xtask lab start mysql --name {name:?}, or another name"
    )))
}

fn status(name: Option<&str>) -> Result<Outcome, Error> {
    let reaped = lab::reap()?;
    if reaped > 0 {
        println!("ended {reaped} servers whose process is gone");
    }
    let mut shown = lab::status()?;
    if let Some(name) = name {
        shown.retain(|status| status.name.as_deref() == Some(name) || status.flavor.name() == name);
    }
    for status in &shown {
        println!("{status}");
    }
    if shown.is_empty() {
        println!("no servers");
    }
    let runs = shown.iter().any(|status| status.pid.is_some());
    Ok(match name.is_some() && !runs {
        true => Outcome::DoesNotHold,
        false => Outcome::Holds,
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
