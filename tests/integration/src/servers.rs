//! Servers with the tables of the cases and of the type table, which tests share.

use std::sync::OnceLock;

use lab::{Flavor, ServerOptions};

use crate::Site;

const SCHEMA: &str = include_str!("../../cases/schema.sql");
const MARIADB_SCHEMA: &str = include_str!("../../cases-mariadb/schema.sql");
/// How much the servers log about columns (`binlog_row_metadata`), for each kind of server.
const METADATA: [(Flavor, &str); 5] = [
    (Flavor::Mysql, "FULL"),
    (Flavor::Mysql, "MINIMAL"),
    (Flavor::Mariadb, "FULL"),
    (Flavor::Mariadb, "MINIMAL"),
    (Flavor::Mariadb, "NO_LOG"),
];

/// The servers of a run, each started when a test asks for it first. They end with this value.
#[derive(Debug, Default)]
pub struct Servers {
    sites: [OnceLock<Site>; METADATA.len()],
}

impl Servers {
    /// The server of this kind that logs names, signedness and labels of columns, if it can.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn full(&self, flavor: Flavor) -> &Site {
        let is_wanted = |entry: &&(Flavor, &str)| entry.0 == flavor;
        let index = METADATA.iter().position(|entry| is_wanted(&entry));
        self.site(index.unwrap_or_default())
    }

    /// The servers of this kind, from the one that logs most about columns to the one that
    /// logs least; one server if that cannot be set.
    ///
    /// # Panics
    /// When one does not start.
    #[must_use]
    pub fn all(&self, flavor: Flavor) -> Vec<&Site> {
        let count = if self.full(flavor).logs_metadata() {
            METADATA.len()
        } else {
            1
        };
        (0..METADATA.len())
            .filter(|&index| METADATA[index].0 == flavor)
            .take(count)
            .map(|index| self.site(index))
            .collect()
    }

    fn site(&self, index: usize) -> &Site {
        self.sites[index].get_or_init(|| {
            let (flavor, metadata) = METADATA[index];
            let option = format!("--loose-binlog-row-metadata={metadata}");
            start(flavor, &ServerOptions::new().arg(option))
        })
    }
}

/// Why a server cannot have this table of the cases, if it cannot.
#[must_use]
pub fn lacking(site: &Site, table: &str) -> Option<&'static str> {
    let has_vector = match site.is_mysql() {
        true => site.version() >= (9, 0, 0),
        false => site.version() >= (11, 7, 0),
    };
    match table {
        "jo_t" | "t_json" if !site.has_json() => Some("it has no JSON type"),
        "vec_t" | "vec_other" | "t_vectors" if !has_vector => Some("it has no VECTOR type"),
        "gen_t" | "t_generated" if site.is_old() => Some("it has no generated columns"),
        "dx_t" if site.is_old() => Some("it has no expressions as defaults"),
        _ => None,
    }
}

/// A server of a test's own, with all tables of the cases that it can have.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn start(flavor: Flavor, options: &ServerOptions) -> Site {
    let script = match flavor {
        Flavor::Mysql => SCHEMA.to_owned(),
        Flavor::Mariadb => format!("{SCHEMA}\n{MARIADB_SCHEMA}"),
    };
    let left_out = |site: &Site| {
        let tables = SCHEMA.split("CREATE TABLE ").skip(1);
        tables
            .filter_map(|rest| rest.split(' ').next())
            .filter(|table| lacking(site, table).is_some())
            .map(|table| format!("CREATE TABLE {table} ("))
            .collect()
    };
    Site::start(flavor, options, "cases", &script, left_out)
}
