//! Options of a server and the command line they give.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::flavor::Flavor;
use crate::program::{Program, option};
use crate::report::Reporter;

/// How a server is started; the defaults suit most tests.
///
/// The defaults: row-based binlog with full images and full metadata, GTIDs enforced (MySQL),
/// `log-slave-updates`, a small memory footprint, and a binlog and redo log that outlive
/// a kill of the server but not one of the machine.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    arguments: Vec<String>,
    keep: bool,
    ready_within: Duration,
    performance_schema: Option<bool>,
    lower_case: bool,
    reporter: Reporter,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            arguments: Vec::new(),
            keep: false,
            ready_within: Duration::from_secs(60),
            performance_schema: None,
            lower_case: false,
            reporter: Reporter::silent(),
        }
    }
}

impl ServerOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        ServerOptions::default()
    }

    /// Adds an argument for the server, such as `--binlog-format=STATEMENT`; it wins over the
    /// defaults and over earlier ones.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds several arguments, as [`ServerOptions::arg`].
    #[must_use]
    pub fn args<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Keeps the server's directory when the [`Server`](crate::Server) is dropped.
    #[must_use]
    pub fn keep(mut self, keep: bool) -> Self {
        self.keep = keep;
        self
    }

    /// Time that the server has to get ready; 60 s unless set.
    #[must_use]
    pub fn ready_within(mut self, limit: Duration) -> Self {
        self.ready_within = limit;
        self
    }

    /// Switches `performance_schema`; on for MySQL (its `log_status` table is there) and off for
    /// MariaDB unless set.
    #[must_use]
    pub fn performance_schema(mut self, on: bool) -> Self {
        self.performance_schema = Some(on);
        self
    }

    /// Keeps names of databases and tables in lower case (`lower_case_table_names=1`). MySQL
    /// wants that from the making of the data directory on.
    #[must_use]
    pub fn lower_case_names(mut self, on: bool) -> Self {
        self.lower_case = on;
        self
    }

    /// Sends progress lines of a first start (installation, system tables) to `reporter`.
    #[must_use]
    pub fn reporter(mut self, reporter: Reporter) -> Self {
        self.reporter = reporter;
        self
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.keep
    }

    pub(crate) fn has_lower_case_names(&self) -> bool {
        self.lower_case
    }

    pub(crate) fn limit(&self) -> Duration {
        self.ready_within
    }

    pub(crate) fn report(&self) -> &Reporter {
        &self.reporter
    }

    pub(crate) fn set_args(&mut self, arguments: &[&str]) {
        self.arguments = arguments
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect();
    }

    /// The server's arguments for an instance in `dir`.
    ///
    /// The socket's path is relative to the data directory: its length is limited to about 100
    /// bytes (`sun_path` in unix(7)), a target folder's is not.
    pub(crate) fn command_line(&self, program: &Program, dir: &Path, port: u16) -> Vec<OsString> {
        let data = dir.join("data");
        let mut line = vec![
            option("datadir", &data),
            option("tmpdir", &dir.join("tmp")),
            option("pid-file", &dir.join("server.pid")),
            option("log-error", &dir.join("error.log")),
            option("log-bin", &data.join("binlog")),
        ];
        let performance_schema = self
            .performance_schema
            .unwrap_or(program.flavor() == Flavor::Mysql);
        let own = match program.flavor() {
            Flavor::Mysql if program.is_old_mysql() => OLD_MYSQL,
            Flavor::Mysql => MYSQL,
            Flavor::Mariadb => MARIADB,
        };
        let more = [
            format!("--port={port}"),
            format!("--server-id={port}"),
            format!(
                "--performance-schema={}",
                if performance_schema { "ON" } else { "OFF" }
            ),
        ];
        let names = self.lower_case.then_some(&LOWER_CASE);
        let fixed = COMMON
            .iter()
            .chain(own)
            .chain(names)
            .map(|argument| (*argument).to_owned());
        let all = fixed.chain(more).chain(self.arguments.iter().cloned());
        line.extend(all.map(OsString::from));
        line
    }
}

/// Argument for names of databases and tables in lower case.
pub(crate) const LOWER_CASE: &str = "--lower-case-table-names=1";

/// Arguments that both flavours know.
const COMMON: &[&str] = &[
    "--socket=server.sock",
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--secure-file-priv=",
    "--character-set-server=utf8mb4",
    "--binlog-format=ROW",
    "--binlog-row-image=FULL",
    "--loose-binlog-row-metadata=FULL",
    "--sync-binlog=0",
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-buffer-pool-size=64M",
];

/// MySQL's own arguments.
const MYSQL: &[&str] = &[
    "--loose-mysqlx=OFF",
    "--gtid-mode=ON",
    "--enforce-gtid-consistency=ON",
    "--loose-innodb-redo-log-capacity=32M",
    "--innodb-log-buffer-size=8M",
    // With these, performance_schema takes its small sizes (MySQL manual, "Performance Schema
    // Memory-Allocation Model"; MySQL source: pfs_autosize.cc).
    "--table-open-cache=1000",
    "--table-definition-cache=400",
];

/// Arguments of MySQL 5.6, which enforces GTIDs only with `log-slave-updates` (MySQL 5.6 manual,
/// "Replication with Global Transaction Identifiers"). It has the TIMESTAMP columns of later
/// versions: none with a default that is not declared.
const OLD_MYSQL: &[&str] = &[
    "--gtid-mode=ON",
    "--enforce-gtid-consistency=ON",
    "--log-slave-updates",
    "--explicit-defaults-for-timestamp",
    "--innodb-log-file-size=32M",
    "--innodb-log-buffer-size=8M",
    "--table-open-cache=1000",
    "--table-definition-cache=400",
];

/// MariaDB's own arguments.
const MARIADB: &[&str] = &["--log-slave-updates", "--innodb-log-file-size=32M"];

#[cfg(test)]
mod tests {
    use super::*;

    fn program(flavor: Flavor) -> Program {
        Program::for_test(flavor, "10.11.0")
    }

    #[test]
    fn own_arguments_come_last_and_so_win() {
        let options = ServerOptions::new()
            .arg("--binlog-format=STATEMENT")
            .args(["--skip-log-bin"]);
        let line = options.command_line(&program(Flavor::Mysql), Path::new("/d"), 13000);
        let tail: Vec<&str> = line
            .iter()
            .rev()
            .take(2)
            .filter_map(|arg| arg.to_str())
            .collect();
        assert_eq!(tail, ["--skip-log-bin", "--binlog-format=STATEMENT"]);
        assert!(line.contains(&OsString::from("--binlog-format=ROW")));
    }

    #[test]
    fn old_mysql_gets_no_option_that_came_later() {
        let line = |version| {
            let program = Program::for_test(Flavor::Mysql, version);
            ServerOptions::new().command_line(&program, Path::new("/d"), 1)
        };
        let mysqlx = OsString::from("--loose-mysqlx=OFF");
        let updates = OsString::from("--log-slave-updates");
        assert!(line("9.7.4").contains(&mysqlx) && !line("9.7.4").contains(&updates));
        assert!(!line("5.6.24").contains(&mysqlx) && line("5.6.24").contains(&updates));
    }

    #[test]
    fn performance_schema_follows_the_flavor_unless_set() {
        let has = |options: &ServerOptions, flavor, value: &str| {
            let line = options.command_line(&program(flavor), Path::new("/d"), 1);
            line.contains(&OsString::from(format!("--performance-schema={value}")))
        };
        assert!(has(&ServerOptions::new(), Flavor::Mysql, "ON"));
        assert!(has(&ServerOptions::new(), Flavor::Mariadb, "OFF"));
        assert!(has(
            &ServerOptions::new().performance_schema(false),
            Flavor::Mysql,
            "OFF"
        ));
    }
}
