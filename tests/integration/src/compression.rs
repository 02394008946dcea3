//! Servers that compress what they log.

use lab::{Flavor, ServerOptions};
use mysql::prelude::Queryable;

use crate::Site;

/// A server that logs compressed: whole transactions (MySQL), events of 10 bytes and more
/// (MariaDB). Old servers start too, and log as ever: see [`Site::compresses`].
#[must_use]
pub fn compressing(flavor: Flavor) -> ServerOptions {
    match flavor {
        Flavor::Mysql => ServerOptions::new().arg("--loose-binlog-transaction-compression=ON"),
        Flavor::Mariadb => ServerOptions::new()
            .arg("--log-bin-compress=ON")
            .arg("--log-bin-compress-min-len=10"),
    }
}

/// The compressed events in the server's binlogs, by the names that the server has for them.
///
/// # Panics
/// When the server does not say.
#[must_use]
pub fn compressed_events(site: &Site) -> Vec<String> {
    let mut conn = site.conn();
    let files: Vec<mysql::Row> = conn.query("SHOW BINARY LOGS").unwrap();
    let mut found = Vec::new();
    for file in files {
        let name: String = file.get(0).unwrap();
        let events: Vec<mysql::Row> = conn
            .query(format!("SHOW BINLOG EVENTS IN '{name}'"))
            .unwrap();
        let types = events.iter().map(|row| row.get::<String, _>(2).unwrap());
        found.extend(types.filter(|name| {
            name == "Transaction_payload" || name.to_ascii_lowercase().contains("compressed")
        }));
    }
    found
}
