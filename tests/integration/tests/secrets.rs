//! Neither the password nor the value of any column is in what the mirror logs at any level, in its
//! errors, or in the `Debug` output of what a program holds; spans and their fields are those that
//! docs/status.md lists.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use integration::{World, on_both_servers, wait_for};
use lab::{Flavor, Proxy};
use mirror_runtime::source::{SourceError, connect};
use mirror_runtime::{AuditOptions, CheckpointOptions, Options, ServerUrl, State, VerifyOptions};
use mysql::prelude::Queryable;
use test_mirror::Mirror;
use tracing_subscriber::fmt::format::FmtSpan;

on_both_servers!(no_password_and_no_value_is_in_the_log_or_in_what_is_printed);

const PATIENCE: Duration = Duration::from_secs(30);
const PASSWORD: &str = "Pa55-w0rd-of-the-mirror";
/// Values of rows, each of another type.
const TEXT: &str = "sentinel-text-4711";
const NUMBER: &str = "987612345678";
/// `TEXT` in hexadecimal, as bytes are printed.
const HEX: &str = "73656e74696e656c";

/// What was logged, by all tests of this process.
static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::FULL)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    log
});

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

fn assert_secret(text: &str, what: &str) {
    for secret in [PASSWORD, "Pa55", TEXT, NUMBER, HEX] {
        let found = text.lines().find(|line| line.contains(secret));
        assert!(found.is_none(), "{what} has {secret}: {found:?}");
    }
}

fn options(world: &World, port: u16) -> Options {
    world.options_at(&format!("mysql://mirror:{PASSWORD}@127.0.0.1:{port}/"))
}

fn no_password_and_no_value_is_in_the_log_or_in_what_is_printed(flavor: Flavor) {
    let log = &*LOG;
    // A line that proves that the lines of this process are collected.
    tracing::trace!("the test of {flavor} begins");
    let world = World::start(flavor);
    let mut conn = world.conn();
    for sql in [
        format!("CREATE USER 'mirror'@'%' IDENTIFIED BY '{PASSWORD}'"),
        "GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'mirror'@'%'".into(),
        format!("INSERT INTO account_a VALUES (1, {NUMBER}, '{TEXT}'), (2, {NUMBER}, '{TEXT}')"),
        format!("INSERT INTO byte_strings SET id = 1, long_blob = '{TEXT}'"),
    ] {
        conn.query_drop(sql).unwrap();
    }
    let mut printed = vec![wrong_logins(&world)];
    let proxy = Proxy::start(world.server.port()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(&world, proxy.port());
    options.checkpoint = Some(CheckpointOptions {
        interval: Some(Duration::from_millis(50)),
        ..CheckpointOptions::new(folder.path())
    });
    printed.push(format!("{options:?} {:?} {}", options.url, options.url));
    let mirror = world.mirror_with(options);
    let subscription = mirror.subscribe();
    conn.query_drop(format!(
        "INSERT INTO account_b VALUES (7, {NUMBER}, '{TEXT}')"
    ))
    .unwrap();
    world.catch_up(&mirror);
    lose_and_diverge(&world, &mirror, &proxy);
    printed.push(format!("{:?} {:?}", mirror, mirror.snapshot().version()));
    printed.push(compare(&world, &mirror));
    printed.push(format!("{:?} {:#?}", mirror.status(), mirror.status()));
    printed.push(mirror.status().to_json().to_string());
    // A layout that differs ends it.
    conn.query_drop("ALTER TABLE fire_a MODIFY n INT NOT NULL")
        .unwrap();
    conn.query_drop(format!("INSERT INTO fire_a VALUES (1, 2, '{TEXT}')"))
        .unwrap();
    assert!(wait_for(PATIENCE, || mirror.error().is_some()));
    printed.push(format!("{:?} {}", mirror.error(), mirror.error().unwrap()));
    mirror.stop();
    drop(subscription);
    for text in &printed {
        assert_secret(text, "what is printed");
    }
    let text = log.text();
    assert_secret(&text, "the log");
    assert!(text.contains(&format!("the test of {flavor} begins")));
    for expected in [
        "load{tables=\"*\"",
        "anchor=",
        "stream{server=\"127.0.0.1:",
        "checkpoint{position=",
        "audit_round{round=1}",
        "divergence",
        "the mirror stopped",
    ] {
        assert!(text.contains(expected), "{expected} is not in the log");
    }
}

/// Logins that are refused, and URLs that are none.
fn wrong_logins(world: &World) -> String {
    let port = world.server.port();
    let mut printed = String::new();
    for url in [
        format!("mysql://mirror:{PASSWORD}x@127.0.0.1:{port}/"),
        format!("mysql://mirror:{PASSWORD}@127.0.0.1:1/"),
        format!("mysql://mirror:{PASSWORD}@127.0.0.1:{port}/nowhere"),
    ] {
        let url: ServerUrl = url.parse().unwrap();
        let error = connect(&url).err().unwrap();
        printed.push_str(&format!("{error} {error:?} {url} {url:?}\n"));
    }
    for url in [
        format!("mysql://mirror:{PASSWORD}@127.0.0.1:port/"),
        format!("postgres://mirror:{PASSWORD}@127.0.0.1/"),
        format!("mysql://mirror:{PASSWORD}%@127.0.0.1/"),
        format!("mysql://mirror:{PASSWORD}@127.0.0.1/?ssl-mode=none"),
        format!("mysql://mirror:{PASSWORD}@127.0.0.1/a/b"),
    ] {
        let error: SourceError = url.parse::<ServerUrl>().unwrap_err();
        printed.push_str(&format!("{error} {error:?}\n"));
    }
    printed
}

/// The connection is lost and made again, and rows are changed without the binlog.
fn lose_and_diverge(world: &World, mirror: &Mirror, proxy: &Proxy) {
    proxy.cut_all();
    world.catch_up(mirror);
    assert!(mirror.status().reconnects > 0);
    let mut conn = world.conn();
    for sql in [
        "SET SESSION sql_log_bin = 0".to_owned(),
        format!("INSERT INTO account_b VALUES (8, {NUMBER}, '{TEXT}')"),
        format!("UPDATE account_a SET note = '{TEXT}-other' WHERE id = 2"),
        "SET SESSION sql_log_bin = 1".to_owned(),
        format!("UPDATE account_b SET note = '{TEXT}-new' WHERE id = 8"),
        format!("UPDATE account_a SET note = '{TEXT}-new' WHERE id = 2"),
    ] {
        conn.query_drop(sql).unwrap();
    }
    let reloaded = || mirror.status().reloads > 0 && mirror.status().state == State::Live;
    assert!(wait_for(PATIENCE, reloaded), "{:?}", mirror.status());
    world.catch_up(mirror);
    let divergences: u64 = mirror.status().tables.iter().map(|t| t.divergences).sum();
    assert!(divergences > 0);
}

/// A row that differs, found by a comparison and by an auditor.
fn compare(world: &World, mirror: &Mirror) -> String {
    let mut conn = world.conn();
    conn.query_drop("SET SESSION sql_log_bin = 0").unwrap();
    conn.query_drop(format!(
        "UPDATE account_a SET note = '{TEXT}-hidden' WHERE id = 1"
    ))
    .unwrap();
    let report = mirror.verify(&VerifyOptions::default()).unwrap();
    let audit = mirror.audit(AuditOptions::default()).unwrap();
    let has_found = || audit.progress().differences > 0 && audit.progress().rounds > 0;
    assert!(wait_for(PATIENCE, has_found), "{:?}", audit.progress());
    format!("{report:?} {report} {:?}", audit.progress())
}
