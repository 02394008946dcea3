//! Servers that outlive their command, each by its name.
#![allow(clippy::unwrap_used, clippy::panic)] // a failing test panics, its helpers too

use std::time::{Duration, Instant};

use lab::{Error, Flavor, Reporter, Server, ServerOptions, Status};
use mysql::Conn;
use mysql::prelude::Queryable;

/// A name that no other run of this test uses; its server is removed at the end.
struct Name(String);

impl Name {
    fn new(what: &str) -> Self {
        Self(format!("test-{what}-{}", std::process::id()))
    }

    fn start(&self, flavor: Flavor) -> Status {
        let options = ServerOptions::new().reporter(Reporter::stderr());
        lab::start_detached(&self.0, flavor, &options).unwrap()
    }

    fn shown(&self) -> Status {
        let all = lab::status().unwrap();
        let mine = |status: &Status| status.name.as_deref() == Some(self.0.as_str());
        all.into_iter().find(mine).unwrap()
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let _ = lab::stop_detached(&self.0, true);
    }
}

fn conn(status: &Status) -> Conn {
    Conn::new(status.url().unwrap().as_str()).unwrap()
}

#[test]
fn detached_server_is_found_stopped_and_started_with_its_data() {
    let flavor = Flavor::Mariadb;
    let name = Name::new("one");
    let first = name.start(flavor);
    assert_eq!(name.start(flavor), first, "it runs already");
    conn(&first).query_drop("CREATE DATABASE stays").unwrap();

    let other = Server::start(flavor, &ServerOptions::new()).unwrap();
    let all = lab::status().unwrap();
    assert!(
        all.contains(&first),
        "the start of another server leaves it alone: {all:?}"
    );
    let own = |status: &&Status| {
        status.owner == Some(std::process::id()) && status.port == Some(other.port())
    };
    assert_eq!(all.iter().filter(own).count(), 1);

    assert_eq!(lab::stop_detached(&name.0, false).unwrap(), Some(true));
    assert_eq!(
        lab::stop_detached(&name.0, false).unwrap(),
        Some(false),
        "it is stopped already"
    );
    assert_eq!(name.shown().pid, None);

    let again = name.start(flavor);
    assert_eq!(again.port, first.port);
    conn(&again).query_drop("USE stays").unwrap();
    assert_eq!(lab::stop_detached(&name.0, true).unwrap(), Some(true));
    assert!(!again.dir.exists());
    assert_eq!(lab::stop_detached(&name.0, true).unwrap(), None);
}

#[test]
fn a_name_is_one_servers_alone() {
    let start = |name: &str, flavor| lab::start_detached(name, flavor, &ServerOptions::new());
    for (name, flavor) in [("mariadb", Flavor::Mysql), ("a/b", Flavor::Mysql)] {
        let error = start(name, flavor).unwrap_err();
        assert!(matches!(error, Error::Name { .. }), "{error}");
    }
    let name = Name::new("taken");
    let first = name.start(Flavor::Mariadb);
    let error = start(&name.0, Flavor::Mysql).unwrap_err();
    assert!(error.to_string().contains("mariadb"), "{error}");
    assert_eq!(name.shown(), first);
}

#[test]
fn several_servers_of_a_kind_run_and_one_follows_another() {
    for flavor in Flavor::ALL {
        let names = (Name::new("source"), Name::new("replica"));
        let (source, replica) = (names.0.start(flavor), names.1.start(flavor));
        assert_ne!(source.port, replica.port);
        conn(&source).query_drop("CREATE DATABASE shop").unwrap();
        lab::replicate(&replica, &source).unwrap();
        lab::replicate(&replica, &source).unwrap();
        conn(&source)
            .query_drop("CREATE TABLE shop.item (id INT PRIMARY KEY)")
            .unwrap();
        let end = Instant::now() + Duration::from_secs(30);
        let arrived = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop'";
        while conn(&replica).query_first::<u64, _>(arrived).unwrap() != Some(1) {
            assert!(
                Instant::now() < end,
                "{flavor}: the replica does not follow"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        lab::stop_detached(&names.0.0, false).unwrap();
        let error = lab::replicate(&replica, &names.0.shown()).unwrap_err();
        assert!(error.to_string().contains("start it first"), "{error}");
    }
}
