//! The server that outlives its command, in a folder of its own.
#![allow(clippy::unwrap_used, clippy::panic)] // a failing test panics, its helpers too

use lab::{Flavor, Home, Reporter, Server, ServerOptions};

#[test]
fn detached_server_is_found_stopped_and_started_with_its_data() {
    let flavor = Flavor::Mariadb;
    if lab::status()
        .unwrap()
        .iter()
        .any(|status| status.owner.is_none())
    {
        eprintln!(
            "skipped: somebody uses the detached server of {:?}",
            Home::locate()
        );
        return;
    }
    let options = ServerOptions::new().reporter(Reporter::stderr());
    let first = lab::start_detached(flavor, &options).unwrap();
    assert_eq!(
        lab::start_detached(flavor, &options).unwrap(),
        first,
        "it runs already"
    );
    let url = first.url().unwrap();
    let mut conn = mysql::Conn::new(url.as_str()).unwrap();
    mysql::prelude::Queryable::query_drop(&mut conn, "CREATE DATABASE stays").unwrap();
    drop(conn);

    let _other = Server::start(flavor, &options).unwrap();
    let all = lab::status().unwrap();
    assert!(
        all.contains(&first),
        "the start of another server leaves it alone: {all:?}"
    );
    let own = |status: &&lab::Status| status.owner == Some(std::process::id());
    assert_eq!(all.iter().filter(own).count(), 1);

    assert!(lab::stop_detached(flavor, false).unwrap());
    assert!(
        !lab::stop_detached(flavor, false).unwrap(),
        "it is stopped already"
    );
    let stopped = lab::status()
        .unwrap()
        .into_iter()
        .find(|status| status.owner.is_none());
    assert_eq!(stopped.unwrap().pid, None);

    let again = lab::start_detached(flavor, &options).unwrap();
    assert_eq!(again.port, first.port);
    let mut conn = mysql::Conn::new(again.url().unwrap().as_str()).unwrap();
    mysql::prelude::Queryable::query_drop(&mut conn, "USE stays").unwrap();
    drop(conn);
    assert!(lab::stop_detached(flavor, true).unwrap());
    assert!(!again.dir.exists());
}
