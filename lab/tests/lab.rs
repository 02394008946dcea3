//! Servers of both flavours: start, data, kill, restart, options, what dead owners leave.
#![allow(clippy::unwrap_used, clippy::panic)] // a failing test panics, its helpers too

use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lab::{Error, Flavor, Home, Reporter, Server, ServerOptions};
use mysql::prelude::Queryable;

fn options() -> ServerOptions {
    ServerOptions::new().reporter(Reporter::stderr())
}

fn start(flavor: Flavor) -> Server {
    Server::start(flavor, &options()).unwrap()
}

/// A system variable as text; MySQL's 1 and 0 of switches as MariaDB's ON and OFF.
fn variable(server: &Server, name: &str) -> String {
    let sql = format!("SELECT CAST(@@{name} AS CHAR)");
    let value = server.query_value::<String>(&sql).unwrap().unwrap();
    match value.as_str() {
        "1" => "ON".to_owned(),
        "0" => "OFF".to_owned(),
        _ => value,
    }
}

/// True for the oldest MySQL that is tested.
fn is_mysql_56(server: &Server) -> bool {
    server.version().starts_with("5.6.")
}

/// True if some process has this argument; Linux only.
fn runs_with_argument(argument: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .any(|line| {
            line.split(|byte| *byte == 0)
                .any(|part| part == argument.as_bytes())
        })
}

#[test]
fn fresh_server_has_the_settings_that_a_mirror_needs() {
    for flavor in Flavor::ALL {
        let server = start(flavor);
        let is_mariadb = variable(&server, "version").contains("MariaDB");
        assert_eq!(is_mariadb, flavor == Flavor::Mariadb);
        let wanted = [
            ("log_bin", "ON"),
            ("binlog_format", "ROW"),
            ("binlog_row_image", "FULL"),
            ("binlog_row_metadata", "FULL"),
            ("log_slave_updates", "ON"),
            ("skip_name_resolve", "ON"),
            ("bind_address", "127.0.0.1"),
        ];
        let old = is_mysql_56(&server);
        for (name, value) in wanted {
            let name = match (flavor, name) {
                (_, "binlog_row_metadata") if old => continue,
                (Flavor::Mysql, "log_slave_updates") if !old => "log_replica_updates",
                _ => name,
            };
            assert_eq!(variable(&server, name), value, "{flavor} {name}");
        }
        assert_eq!(variable(&server, "server_id"), server.port().to_string());
        if flavor == Flavor::Mysql {
            assert_eq!(variable(&server, "gtid_mode"), "ON");
            assert_eq!(variable(&server, "enforce_gtid_consistency"), "ON");
            let status = "SELECT server_uuid FROM performance_schema.log_status";
            assert!(old || server.query_value::<String>(status).unwrap().is_some());
        }
    }
}

#[test]
fn sessions_have_utc_utf8mb4_and_no_sql_mode() {
    for flavor in Flavor::ALL {
        let server = start(flavor);
        let mut conn = server.conn().unwrap();
        let row: (String, String, String) = conn
            .query_first("SELECT @@time_zone, @@sql_mode, @@character_set_client")
            .unwrap()
            .unwrap();
        assert_eq!(
            row,
            ("+00:00".into(), String::new(), "utf8mb4".into()),
            "{flavor}"
        );
        assert_eq!(
            mysql::Opts::from_url(&server.url()).unwrap().get_tcp_port(),
            server.port()
        );
        mysql::Conn::new(server.url().as_str()).unwrap();
    }
}

#[test]
fn killed_server_has_its_data_after_a_restart() {
    for flavor in Flavor::ALL {
        let mut server = start(flavor);
        server
            .exec_script("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY); INSERT INTO d.t VALUES (1), (2);")
            .unwrap();
        let (port, pid) = (server.port(), server.pid());
        server.kill9().unwrap();
        assert!(server.conn().is_err(), "{flavor}: dead after kill9");
        assert!(matches!(server.kill9(), Err(Error::State { .. })));
        server.restart().unwrap();
        assert_eq!(server.port(), port);
        assert_ne!(server.pid(), pid);
        assert_eq!(
            server
                .query_value::<u64>("SELECT COUNT(*) FROM d.t")
                .unwrap(),
            Some(2)
        );
        server.exec("INSERT INTO d.t VALUES (3)").unwrap();
        server.stop().unwrap();
        assert_eq!(server.pid(), None);
        server.restart().unwrap();
        assert_eq!(
            server
                .query_value::<u64>("SELECT COUNT(*) FROM d.t")
                .unwrap(),
            Some(3)
        );
    }
}

#[test]
fn servers_side_by_side_are_apart_and_leave_nothing() {
    let (one, two) = (start(Flavor::Mariadb), start(Flavor::Mariadb));
    assert_ne!(one.port(), two.port());
    one.exec("CREATE DATABASE only_here").unwrap();
    let found = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'only_here'";
    assert_eq!(one.query_value::<u64>(found).unwrap(), Some(1));
    assert_eq!(two.query_value::<u64>(found).unwrap(), Some(0));
    let (dir, port) = (one.dir().to_owned(), one.port());
    drop(one);
    assert!(!dir.exists());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert_eq!(two.query_value::<u64>("SELECT 1").unwrap(), Some(1));
}

#[test]
fn mysql_copies_have_uuids_of_their_own() {
    let (one, two) = (start(Flavor::Mysql), start(Flavor::Mysql));
    assert_ne!(variable(&one, "server_uuid"), variable(&two, "server_uuid"));
}

#[test]
fn bad_option_gives_an_error_with_the_end_of_the_log() {
    for flavor in Flavor::ALL {
        let error = Server::start(flavor, &options().arg("--no-such-thing=7")).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, Error::Start { .. }), "{message}");
        assert!(message.contains("no-such-thing"), "{message}");
        assert!(message.contains("ended before it was ready"), "{message}");
    }
}

#[test]
fn server_that_is_too_slow_is_given_up() {
    let error =
        Server::start(Flavor::Mariadb, &options().ready_within(Duration::ZERO)).unwrap_err();
    assert!(
        error.to_string().contains("was not ready after 0 ms"),
        "{error}"
    );
}

#[test]
fn own_arguments_override_the_defaults_also_at_a_restart() {
    for flavor in Flavor::ALL {
        let own = options().args(["--binlog-format=STATEMENT", "--binlog-row-image=MINIMAL"]);
        let mut server = Server::start(flavor, &own).unwrap();
        assert_eq!(variable(&server, "binlog_format"), "STATEMENT", "{flavor}");
        assert_eq!(variable(&server, "binlog_row_image"), "MINIMAL", "{flavor}");
        // MySQL 5.6 does not turn GTIDs off by itself.
        let own = ["--skip-log-bin", "--loose-gtid-mode=OFF"];
        server.restart_with(&own).unwrap();
        assert_eq!(variable(&server, "log_bin"), "OFF", "{flavor}");
        assert_eq!(variable(&server, "binlog_format"), "ROW", "{flavor}");
    }
}

#[test]
fn names_in_lower_case_are_one_table() {
    for flavor in Flavor::ALL {
        let server = Server::start(flavor, &options().lower_case_names(true)).unwrap();
        server
            .exec_script("CREATE DATABASE D; CREATE TABLE D.Mixed (id INT PRIMARY KEY);")
            .unwrap();
        server.exec("INSERT INTO d.mIXED VALUES (1)").unwrap();
    }
}

#[test]
fn failing_statement_of_a_script_is_named_by_its_line() {
    let server = start(Flavor::Mariadb);
    let error = server
        .exec_script("SELECT 1;\n\nINSERT INTO no.such VALUES ('secret');")
        .unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("script line 3: the INSERT statement failed"),
        "{message}"
    );
    assert!(!message.contains("secret"), "{message}");
}

#[test]
fn kept_directory_stays_after_a_clean_stop() {
    let server = Server::start(Flavor::Mariadb, &options().keep(true)).unwrap();
    let (dir, pid) = (server.dir().to_owned(), server.pid().unwrap());
    drop(server);
    assert!(dir.join("data").is_dir());
    assert!(!Path::new("/proc").join(pid.to_string()).exists());
    std::fs::remove_dir_all(dir).unwrap();
}

/// Name of the test below, which the next one runs in a process of its own.
const OWNER: &str = "helper_that_dies_with_a_running_server";

#[test]
#[ignore = "run by server_of_a_dead_owner_ends_with_the_next_start"]
fn helper_that_dies_with_a_running_server() {
    let server = start(Flavor::Mariadb);
    println!("dir={}", server.dir().display());
    std::process::abort();
}

#[test]
fn server_of_a_dead_owner_ends_with_the_next_start() {
    let program = std::env::current_exe().unwrap();
    let arguments = ["--exact", OWNER, "--ignored", "--nocapture"];
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    // The harness prints the test's name on the same line.
    let dir = text
        .split("dir=")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .unwrap()
        .to_owned();
    // Other tests of this run may have reaped it already; after this start it is gone for sure.
    let _server = start(Flavor::Mariadb);
    assert!(!Path::new(&dir).exists());
    assert!(!runs_with_argument(&format!("--datadir={dir}/data")));
}

#[test]
fn long_path_of_the_folder_is_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("a-long-name-".repeat(12));
    let home = Home::at(&long).unwrap();
    // The unpacked programs of the usual folder, or else they would be fetched again.
    for flavor in Flavor::ALL {
        let usual = Home::locate().unwrap().path().join(flavor.name());
        lab::install(flavor, &Reporter::stderr()).unwrap();
        if usual.join("root").is_dir() {
            std::fs::create_dir(long.join(flavor.name())).unwrap();
            let to = long.join(flavor.name()).join("root");
            std::os::unix::fs::symlink(usual.join("root"), to).unwrap();
        }
        let server = Server::start_in(&home, flavor, &options()).unwrap();
        assert!(server.dir().as_os_str().len() > 107);
        server.exec("SELECT 1").unwrap();
    }
}
