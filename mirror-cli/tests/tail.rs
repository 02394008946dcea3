//! `mirror tail` as a program on real servers: what it says of a connection that was lost.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use lab::{Flavor, Proxy, Server, ServerOptions};
use mysql::prelude::Queryable;

const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn tail_says_that_it_is_live_again_on_a_server_mysql() {
    says_that_it_is_live_again(Flavor::Mysql);
}

#[test]
fn tail_says_that_it_is_live_again_on_a_server_mariadb() {
    says_that_it_is_live_again(Flavor::Mariadb);
}

/// A server with the demo's `short_table`.
fn with_short_table(flavor: Flavor) -> Server {
    let server = Server::start(flavor, &ServerOptions::new()).unwrap();
    let mut conn = server.conn().unwrap();
    for sql in [
        "CREATE DATABASE ads CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        "CREATE TABLE ads.short_table (id int NOT NULL AUTO_INCREMENT, field1 int NOT NULL,
         field2 int NOT NULL, PRIMARY KEY (id))",
    ] {
        conn.query_drop(sql).unwrap();
    }
    server
}

fn says_that_it_is_live_again(flavor: Flavor) {
    let server = with_short_table(flavor);
    let mut conn = server.conn().unwrap();
    let proxy = Proxy::start(server.port()).unwrap();
    let mut tail = Tail::start(&proxy.url());
    tail.wait_for_message("live at ");
    for round in 1..=2 {
        proxy.cut_all();
        let row = format!("INSERT INTO ads.short_table VALUES ({round}, {round}, 0)");
        conn.query_drop(row).unwrap();
        let said = tail.wait_for_message("live again at binlog.");
        let server = format!(" of server {}, after ", address(&proxy.url()));
        assert!(said.contains(&server), "{server}: {said}");
        let line = tail.line();
        assert!(line.contains(&format!("\"field1\":{round},")), "{line}");
    }
    tail.assert_silent("live again");
}

/// `host:port` of a URL.
fn address(url: &str) -> &str {
    url.rsplit('@').next().unwrap().trim_end_matches('/')
}

#[test]
fn a_reload_is_said_once_on_a_server_mysql() {
    a_reload_is_said_once(Flavor::Mysql);
}

#[test]
fn a_reload_is_said_once_on_a_server_mariadb() {
    a_reload_is_said_once(Flavor::Mariadb);
}

fn a_reload_is_said_once(flavor: Flavor) {
    let server = with_short_table(flavor);
    let mut tail = Tail::start(&server.url());
    tail.wait_for_message("live at ");
    server
        .exec("ALTER TABLE ads.short_table ENGINE = InnoDB")
        .unwrap();
    let said = tail.wait_for_message("loaded again: ALTER TABLE");
    assert!(said.contains("ads.short_table"), "{said}");
    assert!(tail.skipped.is_empty(), "{:?}", tail.skipped);
}

#[test]
fn a_start_where_no_event_starts_is_told_as_that_on_a_server_mysql() {
    a_start_where_no_event_starts_is_told_as_that(Flavor::Mysql);
}

#[test]
fn a_start_where_no_event_starts_is_told_as_that_on_a_server_mariadb() {
    a_start_where_no_event_starts_is_told_as_that(Flavor::Mariadb);
}

fn a_start_where_no_event_starts_is_told_as_that(flavor: Flavor) {
    let server = with_short_table(flavor);
    server
        .exec("INSERT INTO ads.short_table VALUES (1, 1, 1)")
        .unwrap();
    let sql = "SHOW BINLOG EVENTS IN 'binlog.000001'";
    let events: Vec<mysql::Row> = server.conn().unwrap().query(sql).unwrap();
    let places: Vec<u64> = events.iter().map(|row| row.get("Pos").unwrap()).collect();
    let tail = |position: u64| {
        let from = format!("binlog.000001:{position}");
        let arguments = ["tail", "--from", &from, "--until-current", "--tables"];
        let output = Command::new(env!("CARGO_BIN_EXE_mirror"))
            .args(arguments)
            .args(["ads.short_table", "--url", &server.url()])
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), err)
    };
    for place in places.iter().skip(2) {
        for inside in [place + 1, place + 7, place + 19] {
            let (code, err) = tail(inside);
            let part = format!(
                "binlog.000001:{inside}: no event starts there, it is within the one that starts \
                 at binlog.000001:{place};"
            );
            assert_eq!(code, 2, "{inside}: {err}");
            assert!(
                err.contains(&part) && err.contains("binlog.000001:4"),
                "{err}"
            );
        }
    }
    // From the start of the file: what made the table is told as what it is.
    let (code, err) = tail(4);
    assert_eq!(code, 0, "{err}");
    let said = "table ads.short_table: CREATE TABLE here: a change of definition";
    assert!(err.contains(said) && !err.contains("no longer"), "{err}");
}

struct Tail {
    /// What was said before the message that was waited for last.
    skipped: Vec<String>,
    child: Child,
    lines: Receiver<String>,
    messages: Receiver<String>,
}

impl Tail {
    fn start(url: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mirror"))
            .args(["tail", "--tables", "ads.short_table"])
            .env("DATABASE_URL", url)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let messages = lines_of(child.stderr.take().unwrap());
        Self {
            skipped: Vec::new(),
            child,
            lines,
            messages,
        }
    }

    /// Waits for it; what is said before it is in `skipped`.
    fn wait_for_message(&mut self, part: &str) -> String {
        self.skipped.clear();
        let until = Instant::now() + PATIENCE;
        while let Ok(message) = self.messages.recv_timeout(until - Instant::now()) {
            if message.contains(part) {
                return message;
            }
            self.skipped.push(message);
        }
        panic!("{part:?} was not said: {:?}", self.skipped)
    }

    fn line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    fn assert_silent(&mut self, part: &str) {
        std::thread::sleep(Duration::from_millis(300));
        let said: Vec<String> = self.messages.try_iter().collect();
        assert!(!said.iter().any(|text| text.contains(part)), "{said:?}");
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
