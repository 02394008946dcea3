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

fn says_that_it_is_live_again(flavor: Flavor) {
    let server = Server::start(flavor, &ServerOptions::new()).unwrap();
    let mut conn = server.conn().unwrap();
    for sql in [
        "CREATE DATABASE ads CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        "CREATE TABLE ads.short_table (id int NOT NULL AUTO_INCREMENT, field1 int NOT NULL,
         field2 int NOT NULL, PRIMARY KEY (id))",
    ] {
        conn.query_drop(sql).unwrap();
    }
    let proxy = Proxy::start(server.port()).unwrap();
    let mut tail = Tail::start(&proxy.url());
    tail.wait_for_message("live at ");
    for round in 1..=2 {
        proxy.cut_all();
        let row = format!("INSERT INTO ads.short_table VALUES ({round}, {round}, 0)");
        conn.query_drop(row).unwrap();
        let said = tail.wait_for_message("the connection was lost; live again at ");
        assert!(
            said.contains("binlog.") && said.contains(", after "),
            "{said}"
        );
        let line = tail.line();
        assert!(line.contains(&format!("\"field1\":{round},")), "{line}");
    }
    tail.assert_silent("live again");
}

struct Tail {
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
            child,
            lines,
            messages,
        }
    }

    fn wait_for_message(&mut self, part: &str) -> String {
        let until = Instant::now() + PATIENCE;
        let mut said = Vec::new();
        while let Ok(message) = self.messages.recv_timeout(until - Instant::now()) {
            if message.contains(part) {
                return message;
            }
            said.push(message);
        }
        panic!("{part:?} was not said: {said:?}")
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
