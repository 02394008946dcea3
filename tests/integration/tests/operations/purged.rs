//! The place to go on from is not in the server's binlog any more: the mirror loads again and
//! says from where it wanted to go on, and what the oldest file is. It never goes on elsewhere.

use std::time::Duration;

use integration::{World, on_both_servers, wait_for};
use lab::{Flavor, Proxy, ServerOptions};
use mirror_runtime::source::{
    EventSource, LiveSource, SourceError, SourceErrorKind, StreamOptions, StreamStart,
};
use mirror_runtime::{BinlogPosition, State};
use mysql::prelude::Queryable;
use test_mirror::Mirror;

use super::{PATIENCE, assert_equal, mirror_of, names};

on_both_servers!(
    a_mirror_whose_position_was_purged_loads_again,
    a_reset_of_the_binlog_while_a_mirror_follows_is_noticed,
    a_reset_of_the_binlog_while_a_mirror_is_away_is_noticed,
    a_reset_binlog_that_has_grown_past_the_position_is_noticed,
    a_position_that_is_not_in_the_binlog_is_a_final_error,
);

/// The tables that are written to.
const TABLES: [&str; 1] = ["fire_a"];

fn insert(world: &World, id: u32) {
    world.run(&format!("INSERT INTO fire_a VALUES ({id}, {id}, 'row')"));
}

fn ids(mirror: &Mirror) -> Vec<u32> {
    mirror
        .snapshot()
        .fire_a()
        .iter()
        .map(|row| row.id)
        .collect()
}

/// A mirror that is connected through a proxy.
struct Away<'w> {
    world: &'w World,
    proxy: Proxy,
    mirror: Mirror,
}

impl<'w> Away<'w> {
    fn new(world: &'w World) -> Self {
        let proxy = Proxy::start(world.server.port()).unwrap();
        let mut options = world.options_at(&proxy.url());
        options.tables = Some(names(&TABLES));
        let mirror = world.mirror_with(options);
        Self {
            world,
            proxy,
            mirror,
        }
    }

    /// Does something while the mirror has no connection.
    fn meanwhile(&self, what: impl FnOnce()) {
        self.world.catch_up(&self.mirror);
        self.proxy.refuse(true);
        self.proxy.cut_all();
        let is_away = || self.mirror.status().state == State::Reconnecting;
        assert!(wait_for(PATIENCE, is_away), "{:?}", self.mirror.status());
        what();
        self.proxy.refuse(false);
    }
}

/// The name of the file that is written to.
fn newest(world: &World) -> String {
    let position: BinlogPosition = world.position().parse().unwrap();
    position.file.to_string()
}

fn a_mirror_whose_position_was_purged_loads_again(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let away = Away::new(&world);
    let saved = newest(&world);
    away.meanwhile(|| {
        insert(&world, 2);
        world.run("FLUSH BINARY LOGS");
        purge(&world);
        insert(&world, 3);
    });
    assert_equal(&world, &away.mirror, &TABLES);
    assert_eq!(ids(&away.mirror), [1, 2, 3]);
    let status = away.mirror.status();
    assert_eq!(status.reloads, 1, "{status:?}");
    let reason = status.last_reload.unwrap();
    println!("{flavor}: {reason}");
    // MySQL was asked for what is not in a GTID set.
    let asked = match world.is_mysql() && !world.is_old() {
        true => world.server.query_value::<String>("SELECT @@server_uuid"),
        false => Ok(Some(saved)),
    };
    for part in [asked.unwrap().unwrap(), newest(&world)] {
        assert!(reason.contains(&part), "{part:?} is missing in: {reason}");
    }
}

/// Removes all files but the newest, once the server has found out that nobody reads them.
fn purge(world: &World) {
    let newest = newest(world);
    let is_purged = || {
        world.run(&format!("PURGE BINARY LOGS TO '{newest}'"));
        let oldest: Option<mysql::Row> = world.conn().query_first("SHOW BINARY LOGS").unwrap();
        oldest.unwrap().get::<String, _>(0).as_ref() == Some(&newest)
    };
    assert!(wait_for(PATIENCE, is_purged), "a file is still in use");
}

/// Begins the log anew, in another second than the old one.
fn reset(world: &World) {
    std::thread::sleep(Duration::from_millis(1100));
    world.run(match world.is_mysql() && world.version() >= (8, 2, 0) {
        true => "RESET BINARY LOGS AND GTIDS",
        false => "RESET MASTER",
    });
}

/// In the first file, and in a later one: the file that a reset begins has the name of the
/// first. MySQL 5.6 goes on with signs of life from the old log.
fn a_reset_of_the_binlog_while_a_mirror_follows_is_noticed(flavor: Flavor) {
    for flushes in [0, 2] {
        let world = World::start(flavor);
        reset(&world);
        for _ in 0..flushes {
            world.run("FLUSH BINARY LOGS");
        }
        insert(&world, 1);
        let mirror = mirror_of(&world, &TABLES);
        insert(&world, 2);
        assert_equal(&world, &mirror, &TABLES);
        reset(&world);
        for id in 3..6 {
            insert(&world, id);
        }
        assert_equal(&world, &mirror, &TABLES);
        assert_eq!(ids(&mirror), [1, 2, 3, 4, 5]);
        println!("{flavor}: {:?}", mirror.status());
    }
}

fn a_reset_of_the_binlog_while_a_mirror_is_away_is_noticed(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let away = Away::new(&world);
    away.meanwhile(|| {
        insert(&world, 2);
        reset(&world);
        insert(&world, 3);
    });
    assert_equal(&world, &away.mirror, &TABLES);
    assert_eq!(ids(&away.mirror), [1, 2, 3]);
    println!("{flavor}: {:?}", away.mirror.status());
}

/// The position, and the GTIDs, stand for other transactions now.
fn a_reset_binlog_that_has_grown_past_the_position_is_noticed(flavor: Flavor) {
    for (gtids, flushes) in [("ON", 0), ("OFF", 0), ("ON", 2)] {
        let world = World::start_with(flavor, &with_gtids(flavor, gtids));
        reset(&world);
        insert(&world, 1);
        let away = Away::new(&world);
        away.meanwhile(|| {
            reset(&world);
            for id in 2..40 {
                insert(&world, id);
            }
            for _ in 0..flushes {
                world.run("FLUSH BINARY LOGS");
                insert(&world, 40);
                world.run("DELETE FROM fire_a WHERE id = 40");
            }
            world.run("UPDATE fire_a SET n = n + 1 WHERE id = 1");
        });
        assert_equal(&world, &away.mirror, &TABLES);
        assert_eq!(ids(&away.mirror), (1..40).collect::<Vec<u32>>());
        println!("{flavor}: {:?}", away.mirror.status());
    }
}

fn with_gtids(flavor: Flavor, mode: &str) -> ServerOptions {
    match flavor {
        Flavor::Mysql => ServerOptions::new().args([
            format!("--gtid-mode={mode}"),
            format!("--enforce-gtid-consistency={mode}"),
        ]),
        Flavor::Mariadb => ServerOptions::new(),
    }
}

fn a_position_that_is_not_in_the_binlog_is_a_final_error(flavor: Flavor) {
    let world = World::start(flavor);
    insert(&world, 1);
    let file = newest(&world);
    let end: BinlogPosition = world.position().parse().unwrap();
    let beyond = format!("{file}:{}", end.offset + 100_000);
    for (position, words) in [
        (
            "nosuch.000007:4".to_owned(),
            vec!["nosuch.000007:4", "oldest: "],
        ),
        (beyond.clone(), vec![&*beyond, "load the tables again"]),
    ] {
        let error = first_error(&world, &position);
        println!("{flavor}: {error}");
        assert_eq!(error.kind(), SourceErrorKind::Purged, "{error}");
        assert!(!error.is_transient(), "{error}");
        for word in words {
            let text = error.to_string();
            assert!(text.contains(word), "{word:?} is missing in: {text}");
        }
    }
}

fn first_error(world: &World, position: &str) -> SourceError {
    let url = world.server.url().parse().unwrap();
    let start = StreamStart::File(position.parse().unwrap());
    let (mut source, _) = LiveSource::open(&url, &start, StreamOptions::new(&url)).unwrap();
    loop {
        match source.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ends"),
            Err(error) => return error,
        }
    }
}
