//! Two servers, one a replica of the other: when the first is lost, the mirror goes on at the
//! second with every transaction once, or sees that something is missing there.

use std::time::Duration;

use integration::compare::server_difference;
use integration::{Random, World, on_both_servers, rounds, wait_for};
use lab::{Flavor, Proxy, ServerOptions};
use mirror_runtime::source::GtidSet;
use mirror_runtime::{
    CheckpointError, CheckpointOptions, Error, Health, Options, State, WhenUnusable,
};
use mysql::prelude::Queryable;
use test_mirror::Mirror;

on_both_servers!(
    a_failover_loses_and_doubles_nothing,
    a_transaction_that_the_new_server_lacks_is_noticed,
    a_replica_that_lags_is_waited_for,
    a_position_in_a_file_is_not_gone_on_with_on_another_server,
    what_was_written_can_be_waited_for,
    a_checkpoint_of_one_server_is_gone_on_with_at_another,
    a_start_from_a_checkpoint_waits_for_a_replica_that_lags,
    a_start_from_a_checkpoint_waits_for_a_server_no_longer_than_it_may,
);

const PATIENCE: Duration = Duration::from_secs(60);

/// A server, and a replica of it.
struct Chain {
    flavor: Flavor,
    first: World,
    second: World,
}

impl Chain {
    /// `None` for servers without GTIDs by default.
    fn start(flavor: Flavor) -> Option<Self> {
        let options = |id: u32| {
            let options = ServerOptions::new().arg(format!("--server-id={id}"));
            match flavor {
                Flavor::Mysql => options
                    .arg("--gtid-mode=ON")
                    .arg("--enforce-gtid-consistency=ON"),
                Flavor::Mariadb => options.arg("--log-slave-updates=ON"),
            }
        };
        let first = World::start_with(flavor, &options(101));
        if first.is_old() {
            first.does_not_apply("its GTIDs need another setup");
            return None;
        }
        let second = World::start_with(flavor, &options(102));
        let chain = Self {
            flavor,
            first,
            second,
        };
        chain.attach();
        Some(chain)
    }

    /// Makes the second a replica of the first, both with the same tables.
    fn attach(&self) {
        let port = self.first.server.port();
        // Both have made the tables on their own: from here on they are one history.
        match self.flavor {
            Flavor::Mysql => {
                let set: String = value(&self.first, "SELECT @@global.gtid_executed");
                self.second.run("RESET BINARY LOGS AND GTIDS");
                self.second.run(&format!(
                    "SET GLOBAL gtid_purged = '{}'",
                    set.replace('\n', "")
                ));
                self.second.run(&format!(
                    "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={port}, \
                     SOURCE_USER='root', SOURCE_AUTO_POSITION=1, SOURCE_CONNECT_RETRY=1, \
                     GET_SOURCE_PUBLIC_KEY=1"
                ));
                self.second.run("START REPLICA");
            }
            Flavor::Mariadb => {
                let position: String = value(&self.first, "SELECT @@global.gtid_binlog_pos");
                self.second.run("RESET MASTER");
                self.second
                    .run(&format!("SET GLOBAL gtid_slave_pos = '{position}'"));
                self.second.run(&format!(
                    "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port}, \
                     MASTER_USER='root', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1"
                ));
                self.second.run("START SLAVE");
            }
        }
    }

    fn stop_replication(&self) {
        self.second.run(match self.flavor {
            Flavor::Mysql => "STOP REPLICA",
            Flavor::Mariadb => "STOP SLAVE",
        });
    }

    fn start_replication(&self) {
        self.second.run(match self.flavor {
            Flavor::Mysql => "START REPLICA",
            Flavor::Mariadb => "START SLAVE",
        });
    }

    /// Takes the second out of the chain.
    fn promote(&self) {
        self.stop_replication();
        self.second.run(match self.flavor {
            Flavor::Mysql => "RESET REPLICA ALL",
            Flavor::Mariadb => "RESET SLAVE ALL",
        });
    }

    /// What was committed on a server so far, as GTIDs.
    fn gtids(&self, world: &World) -> GtidSet {
        let (sql, family) = match self.flavor {
            Flavor::Mysql => (
                "SELECT @@global.gtid_executed",
                mirror_runtime::source::Family::MySql,
            ),
            Flavor::Mariadb => (
                "SELECT @@global.gtid_binlog_pos",
                mirror_runtime::source::Family::MariaDb,
            ),
        };
        let text: String = value(world, sql);
        GtidSet::parse(&text.replace('\n', ""), family).unwrap()
    }

    /// Waits until the second has all that the first has.
    fn wait_until_replicated(&self) {
        let wanted = self.gtids(&self.first);
        let is_there = || self.gtids(&self.second).contains_set(&wanted);
        assert!(
            wait_for(PATIENCE, is_there),
            "{}: not replicated",
            self.flavor
        );
    }

    fn options(&self) -> Options {
        let (first, second) = (self.first.server.port(), self.second.server.port());
        let url = format!("mysql://root@127.0.0.1:{first},127.0.0.1:{second}/");
        let mut options = self.first.options_at(&url);
        options.behind_patience = Duration::from_secs(3);
        options.heartbeat_seconds = 1;
        options
    }

    fn mirror(&self) -> Mirror {
        self.first.mirror_with(self.options())
    }

    /// Waits until a mirror shows all that a server has, and compares every row.
    fn assert_equals(&self, mirror: &Mirror, world: &World, what: &str) {
        if let Err(error) = mirror.wait_for(self.gtids(world), PATIENCE) {
            panic!("{}: {what}: {error}; {:?}", self.flavor, mirror.status());
        }
        let (difference, rows) = server_difference(world, &mirror.snapshot());
        assert_eq!(difference, None, "{}: {what}", self.flavor);
        assert!(rows > 0, "{}: {what}: nothing was compared", self.flavor);
    }
}

fn value(world: &World, sql: &str) -> String {
    let value: Option<String> = world.conn().query_first(sql).unwrap();
    value.unwrap_or_default()
}

/// Some transactions of several statements.
fn write(world: &World, random: &mut Random, transactions: u32) {
    let mut conn = world.conn();
    for _ in 0..transactions {
        conn.query_drop("BEGIN").unwrap();
        for _ in 0..=random.below(3) {
            let id = random.below(200);
            let n = random.below(1_000_000);
            let sql = match random.below(4) {
                0 => format!("DELETE FROM fire_a WHERE id = {id}"),
                1 => format!(
                    "UPDATE fire_a SET n = n + 1 WHERE id BETWEEN {id} AND {}",
                    id + 5
                ),
                _ => format!("REPLACE INTO fire_a VALUES ({id}, {n}, 'row')"),
            };
            conn.query_drop(sql).unwrap();
        }
        conn.query_drop("COMMIT").unwrap();
    }
}

fn a_failover_loses_and_doubles_nothing(flavor: Flavor) {
    let mut random = Random::for_test();
    for round in 0..rounds("failovers", 2) {
        let Some(mut chain) = Chain::start(flavor) else {
            return;
        };
        let mirror = chain.mirror();
        let subscription = mirror.subscribe();
        write(&chain.first, &mut random, 40);
        chain.wait_until_replicated();
        let written = chain.gtids(&chain.first);
        chain.first.server.kill9().unwrap();
        // Some are written before the mirror comes, some after.
        chain.promote();
        write(&chain.second, &mut random, 20);
        mirror.wait_for(written, PATIENCE).unwrap();
        write(&chain.second, &mut random, 20);
        chain.assert_equals(&mirror, &chain.second, &format!("round {round}"));
        let status = mirror.status();
        assert_eq!(status.reloads, 0, "{flavor}: {:?}", status.last_reload);
        assert!(status.reconnects > 0);
        // Each transaction that changed rows was given once.
        let mut seen = std::collections::HashSet::new();
        while let Ok(transaction) = subscription.next_timeout(Duration::from_millis(200)) {
            let gtid = transaction
                .boundary
                .gtid
                .as_ref()
                .expect("a GTID")
                .to_string();
            assert!(seen.insert(gtid.clone()), "{flavor}: {gtid} came twice");
        }
        assert!(seen.len() >= 40, "{flavor}: {} transactions", seen.len());
    }
}

fn a_transaction_that_the_new_server_lacks_is_noticed(flavor: Flavor) {
    let mut random = Random::for_test();
    for round in 0..rounds("failovers with a lost transaction", 2) {
        let Some(mut chain) = Chain::start(flavor) else {
            return;
        };
        let mirror = chain.mirror();
        write(&chain.first, &mut random, 20);
        chain.wait_until_replicated();
        chain.stop_replication();
        // The mirror has them, and nobody else will.
        chain
            .first
            .run("REPLACE INTO fire_a VALUES (1000, 1, 'lost')");
        chain.first.run("DELETE FROM fire_a WHERE id < 50");
        chain.assert_equals(&mirror, &chain.first, "before the failover");
        chain.first.server.kill9().unwrap();
        chain.promote();
        // In one round the new server is the shorter, in the next the longer history.
        write(&chain.second, &mut random, 30 * (round % 2));
        let noticed = || mirror.status().reloads > 0;
        assert!(
            wait_for(PATIENCE, noticed),
            "{flavor}: {:?}",
            mirror.status()
        );
        let live = || mirror.status().state == State::Live;
        assert!(wait_for(PATIENCE, live), "{flavor}: {:?}", mirror.status());
        write(&chain.second, &mut random, 5);
        let reached = || {
            server_difference(&chain.second, &mirror.snapshot())
                .0
                .is_none()
        };
        assert!(wait_for(PATIENCE, reached), "{flavor}: round {round}");
        assert!(mirror.snapshot().fire_a().get(1000).is_none());
        assert_eq!(mirror.status().health(), Health::Healthy);
    }
}

fn a_replica_that_lags_is_waited_for(flavor: Flavor) {
    let Some(chain) = Chain::start(flavor) else {
        return;
    };
    let proxy = Proxy::start(chain.first.server.port()).unwrap();
    let mut options = chain.options();
    let (first, second) = (proxy.port(), chain.second.server.port());
    options.url = format!("mysql://root@127.0.0.1:{first},127.0.0.1:{second}/")
        .parse()
        .unwrap();
    options.behind_patience = PATIENCE;
    let mirror = chain.first.mirror_with(options);
    let mut random = Random::for_test();
    write(&chain.first, &mut random, 10);
    chain.wait_until_replicated();
    chain.stop_replication();
    write(&chain.first, &mut random, 10);
    chain.assert_equals(&mirror, &chain.first, "before");
    // Only the second is to be had, and it is behind.
    proxy.refuse(true);
    proxy.cut_all();
    let is_away = || mirror.status().state == State::Reconnecting;
    assert!(
        wait_for(PATIENCE, is_away),
        "{flavor}: {:?}",
        mirror.status()
    );
    std::thread::sleep(Duration::from_secs(1));
    assert_ne!(mirror.status().state, State::Live);
    chain.start_replication();
    chain.wait_until_replicated();
    chain.promote();
    write(&chain.second, &mut random, 10);
    chain.assert_equals(&mirror, &chain.second, "behind it");
    let status = mirror.status();
    assert_eq!(status.reloads, 0, "{flavor}: {:?}", status.last_reload);
}

fn a_position_in_a_file_is_not_gone_on_with_on_another_server(flavor: Flavor) {
    if flavor == Flavor::Mariadb {
        World::start(flavor).does_not_apply("it always has GTIDs");
        return;
    }
    // Both servers have something at the same place.
    let options = |id: u32| {
        ServerOptions::new()
            .arg(format!("--server-id={id}"))
            .arg("--gtid-mode=OFF")
    };
    let mut first = World::start_with(flavor, &options(101));
    let second = World::start_with(flavor, &options(102));
    let (one, other) = (first.server.port(), second.server.port());
    let url = format!("mysql://root@127.0.0.1:{one},127.0.0.1:{other}/");
    let mirror = first.mirror_with(first.options_at(&url));
    first.run("INSERT INTO fire_a VALUES (1, 1, 'first')");
    second.run("INSERT INTO fire_a VALUES (2, 2, 'other')");
    second.run("INSERT INTO fire_a VALUES (3, 3, 'other')");
    first.catch_up(&mirror);
    first.server.kill9().unwrap();
    let equals = || {
        mirror.status().reloads > 0 && server_difference(&second, &mirror.snapshot()).0.is_none()
    };
    assert!(
        wait_for(PATIENCE, equals),
        "{flavor}: {:?}",
        mirror.status()
    );
    let reason = mirror.status().last_reload.unwrap_or_default();
    assert!(reason.contains("is another one than before"), "{reason}");
    assert!(matches!(
        mirror.wait_for(
            GtidSet::empty(mirror_runtime::source::Family::MySql),
            PATIENCE
        ),
        Err(Error::WithoutGtids)
    ));
}

fn what_was_written_can_be_waited_for(flavor: Flavor) {
    let Some(chain) = Chain::start(flavor) else {
        return;
    };
    let mirror = chain.mirror();
    for id in 0..100 {
        chain
            .first
            .run(&format!("REPLACE INTO fire_a VALUES ({id}, {id}, 'mine')"));
        if id % 2 == 0 {
            mirror
                .wait_for(chain.gtids(&chain.first), PATIENCE)
                .unwrap();
        } else {
            let position = chain
                .first
                .position()
                .parse::<mirror_runtime::BinlogPosition>();
            mirror.wait_for(position.unwrap(), PATIENCE).unwrap();
        }
        assert!(
            mirror.snapshot().fire_a().get(id).is_some(),
            "{flavor}: {id}"
        );
    }
    let beyond = match flavor {
        Flavor::Mysql => "3e11fa47-71ca-11e1-9e33-c80aa9429562:1",
        Flavor::Mariadb => "7-7-7",
    };
    let beyond = GtidSet::parse(beyond, chain.gtids(&chain.first).family()).unwrap();
    let error = mirror.wait_for(beyond.clone(), Duration::from_millis(300));
    assert!(matches!(error, Err(Error::TimedOut { .. })), "{error:?}");
    mirror.stop();
    assert_eq!(mirror.wait_for(beyond, PATIENCE), Err(Error::Stopped));
}

fn a_checkpoint_of_one_server_is_gone_on_with_at_another(flavor: Flavor) {
    let mut random = Random::for_test();
    let Some(mut chain) = Chain::start(flavor) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut options = chain.options();
    options.checkpoint = Some(CheckpointOptions {
        when_unusable: WhenUnusable::Refuse,
        ..CheckpointOptions::new(folder.path())
    });
    let mirror = chain.first.mirror_with(options.clone());
    write(&chain.first, &mut random, 20);
    chain.assert_equals(&mirror, &chain.first, "before");
    mirror.stop();
    write(&chain.first, &mut random, 20);
    chain.wait_until_replicated();
    chain.first.server.kill9().unwrap();
    chain.promote();
    write(&chain.second, &mut random, 20);
    for start in ["at the second", "at the second again"] {
        let mirror = chain.second.mirror_with(options.clone());
        let status = mirror.status();
        let checkpoint = status.checkpoint.unwrap();
        assert!(checkpoint.started_from.is_some(), "{checkpoint:?}");
        chain.assert_equals(&mirror, &chain.second, start);
        write(&chain.second, &mut random, 20);
        chain.assert_equals(&mirror, &chain.second, start);
        let status = mirror.status();
        assert_eq!(status.reloads, 0, "{flavor}: {:?}", status.last_reload);
    }
}

/// A checkpoint that has more than the second server: how to start from it there alone.
fn ahead_of_the_second(chain: &Chain, folder: &std::path::Path) -> Options {
    let mut random = Random::for_test();
    let mut options = chain.options();
    options.checkpoint = Some(CheckpointOptions {
        when_unusable: WhenUnusable::Refuse,
        ..CheckpointOptions::new(folder)
    });
    let mirror = chain.first.mirror_with(options.clone());
    write(&chain.first, &mut random, 20);
    chain.wait_until_replicated();
    chain.stop_replication();
    write(&chain.first, &mut random, 20);
    chain.assert_equals(&mirror, &chain.first, "before");
    mirror.stop();
    // The first of these does not answer.
    let gone = Proxy::start(chain.first.server.port()).unwrap().port();
    let second = chain.second.server.port();
    let url = format!("mysql://root@127.0.0.1:{second},127.0.0.1:{gone}/");
    options.url = url.parse().unwrap();
    options
}

fn a_start_from_a_checkpoint_waits_for_a_replica_that_lags(flavor: Flavor) {
    let Some(chain) = Chain::start(flavor) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut options = ahead_of_the_second(&chain, folder.path());
    options.behind_patience = PATIENCE;
    let mirror = Mirror::start(options).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(mirror.error(), None);
    assert_ne!(mirror.status().state, State::Live);
    chain.start_replication();
    mirror.wait_until_live(PATIENCE).unwrap();
    chain.wait_until_replicated();
    let checkpoint = mirror.status().checkpoint.unwrap();
    assert!(checkpoint.started_from.is_some(), "{checkpoint:?}");
    chain.assert_equals(&mirror, &chain.second, "behind the wait");
    let status = mirror.status();
    assert_eq!(status.reloads, 0, "{flavor}: {:?}", status.last_reload);
}

fn a_start_from_a_checkpoint_waits_for_a_server_no_longer_than_it_may(flavor: Flavor) {
    let Some(chain) = Chain::start(flavor) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut options = ahead_of_the_second(&chain, folder.path());
    options.behind_patience = Duration::from_millis(500);
    let mirror = Mirror::start(options.clone()).unwrap();
    let ended = mirror.wait_until_live(PATIENCE);
    assert!(
        matches!(
            ended,
            Err(Error::Checkpoint(CheckpointError::Refused { .. }))
        ),
        "{ended:?}"
    );
    println!("{}", ended.unwrap_err());
    drop(mirror);
    // A stop does not wait for it either.
    options.behind_patience = PATIENCE;
    let mirror = Mirror::start(options).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    mirror.stop();
    assert_eq!(mirror.status().state, State::Stopped);
}
