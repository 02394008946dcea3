//! Private throw-away MySQL and MariaDB servers for the demo, tests and benchmarks.
//!
//! [`Server::start`] gives a test a server of its own in a second or two: a fresh data
//! directory, a free port on 127.0.0.1, row-based binlog with full metadata, `root` without a
//! password. It goes away with the [`Server`]. [`install`], [`start_detached`],
//! [`stop_detached`], [`replicate`] and [`status`] are the subcommands of `cargo xtask lab`.
//!
//! The server program is, in this order: the one that `MYSQL_MIRROR_LAB_MYSQLD` (or
//! `MYSQL_MIRROR_LAB_MARIADBD`) names, by its path or by a [`Release`]'s series, one that is installed, or one that is unpacked from
//! Debian's or Ubuntu's packages below the lab's folder. The latter needs no root and leaves the
//! system as it is. The lab's folder is `lab` in cargo's target folder;
//! `MYSQL_MIRROR_LAB_HOME` puts it elsewhere, so that several target folders can share it.
//!
//! ```no_run
//! use lab::{Flavor, Server, ServerOptions};
//!
//! # fn main() -> Result<(), lab::Error> {
//! let server = Server::start(Flavor::Mysql, &ServerOptions::new())?;
//! server.exec_script("CREATE DATABASE shop; CREATE TABLE shop.item (id INT PRIMARY KEY)")?;
//! let items: Option<u64> = server.query_value("SELECT COUNT(*) FROM shop.item")?;
//! assert_eq!(items, Some(0));
//! # Ok(())
//! # }
//! ```

mod apt;
mod bootstrap_sql;
mod client;
mod detached;
mod error;
mod flavor;
mod home;
mod install;
mod instance;
mod npm;
mod options;
mod process;
mod program;
mod proxy;
mod release;
mod replica;
mod report;
mod script;
mod server;
mod template;

pub use detached::{Status, reap, start_detached, status, stop_detached};
pub use error::{Error, Result};
pub use flavor::Flavor;
pub use home::Home;
pub use install::{install, install_release, locate};
pub use options::ServerOptions;
pub use program::Program;
pub use proxy::{Fault, Proxy, ProxyCounters};
pub use release::Release;
pub use replica::replicate;
pub use report::{Reporter, human_bytes, human_seconds};
pub use script::split_statements;
pub use server::Server;
