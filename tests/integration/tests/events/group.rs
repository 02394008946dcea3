//! A server that is the only member of a replication group.

use integration::World;
use lab::Flavor;
use mysql::prelude::Queryable;

use super::{Effect, Watched};

/// TRANSACTION_CONTEXT (36) and VIEW_CHANGE (37) are not in this server's binlog: both are made
/// in `made.rs`.
#[test]
fn transactions_of_a_replication_group() {
    let world = World::start(Flavor::Mysql);
    let install = "INSTALL PLUGIN group_replication SONAME 'group_replication.so'";
    if let Err(error) = world.conn().query_drop(install) {
        return world.does_not_apply(&format!("no group replication: {error}"));
    }
    let address = free_address();
    for (name, value) in [
        ("group_name", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"),
        ("local_address", &address),
        ("group_seeds", &address),
    ] {
        world.run(&format!("SET GLOBAL group_replication_{name} = '{value}'"));
    }
    world.run("SET GLOBAL group_replication_bootstrap_group = ON");
    let watched = Watched::new(&world);
    let seen = watched.during(&[19, 33], Effect::Follows, || {
        world.run("START GROUP_REPLICATION");
        world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
        world.run("UPDATE fire_a SET n = 2");
    });
    assert!(
        !seen.has(&[36]) && !seen.has(&[37]),
        "they need not be made: {seen:?}"
    );
    let members = "SELECT MEMBER_STATE FROM performance_schema.replication_group_members";
    let state: Option<String> = world.server.query_value(members).unwrap();
    assert_eq!(state.as_deref(), Some("ONLINE"));
}

fn free_address() -> String {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().to_string()
}
