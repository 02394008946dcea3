//! A mirror that starts while writers change several tables in each transaction is what the
//! server is, whenever it starts and whichever anchor the server allows.

use std::time::{Duration, Instant};

use integration::compare::{assert_equals_server, server_difference};
use integration::fire::Writers;
use integration::{Random, World, on_both_servers, rounds};
use lab::{Flavor, ServerOptions};
use mirror_runtime::Options;
use test_mirror::Mirror;

on_both_servers!(
    a_mirror_that_starts_under_fire_equals_the_server,
    the_naive_anchor_is_seen_to_fail,
);

/// Writers at a time.
const WRITERS: usize = 8;
/// Longest that the test looks for the naive anchor's failure.
const SEARCH: Duration = Duration::from_secs(90);

/// A server that syncs its binlog, as production does.
fn world(flavor: Flavor, arguments: &[&str]) -> World {
    let options = ServerOptions::new()
        .arg("--sync-binlog=1")
        .args(arguments.iter().copied());
    World::start_with(flavor, &options)
}

fn a_mirror_that_starts_under_fire_equals_the_server(flavor: Flavor) {
    let world = world(flavor, &[]);
    fire(&world, rounds("bootstraps under fire", 20));
}

#[test]
fn without_gtids_mysql_is_anchored_by_log_status() {
    let world = world(
        Flavor::Mysql,
        &["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"],
    );
    if world.version() < (8, 0, 0) {
        return world.does_not_apply("it has no performance_schema.log_status");
    }
    fire(&world, rounds("bootstraps under fire without GTIDs", 6));
}

#[test]
fn without_log_status_mysql_is_anchored_at_the_files_start() {
    let world = world(
        Flavor::Mysql,
        &["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"],
    );
    // Reading log_status takes BACKUP_ADMIN. The file has the statements that made the tables,
    // and one that changed a table: they were over before the load, which is made once.
    for sql in [
        "CREATE USER 'mirror_user'@'%'",
        "GRANT SELECT ON mirror_test.* TO 'mirror_user'@'%'",
        "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'mirror_user'@'%'",
    ] {
        world.run(sql);
    }
    if world.logs_metadata() {
        world.run("ALTER TABLE fire_a ADD COLUMN extra INT NULL");
    } else {
        // Without names, rows after a definition cannot be checked: a start among them is
        // refused.
        world.run("FLUSH BINARY LOGS");
    }
    let url = format!("mysql://mirror_user@127.0.0.1:{}/", world.server.port());
    let count = rounds("bootstraps under fire without log_status", 6);
    fire_as(&world, count, &world.options_at(&url));
}

/// Starts so many mirrors under fire, and compares each with the server.
fn fire(world: &World, count: u32) {
    fire_as(world, count, &world.options());
}

fn fire_as(world: &World, count: u32, options: &Options) {
    let mut random = Random::for_test();
    under_fire(world, &mut random.fork(), |writers| {
        for round in 0..count {
            let start = Start::of_round(round);
            let before = writers.commits();
            let (mirror, committed) = start.run(world, writers, options.clone(), &mut random);
            let rows = assert_equals_server(world, &mirror);
            let status = mirror.status();
            assert_eq!(
                status.reloads,
                0,
                "{}, round {round}: {status:?}",
                world.flavor()
            );
            assert!(
                rows > 10 && committed > before,
                "{rows} rows, {committed} commits"
            );
            mirror.stop();
        }
        println!(
            "{}: {} transactions in {count} rounds",
            world.flavor(),
            writers.commits()
        );
    });
}

/// The test above can fail: with the racy anchor it does.
fn the_naive_anchor_is_seen_to_fail(flavor: Flavor) {
    let world = world(flavor, &[]);
    if !has_sync_delay(&world) {
        return world.does_not_apply("nothing makes a commit's race with its readers long");
    }
    let mut random = Random::for_test();
    let until = Instant::now() + SEARCH;
    let mut tries = 0;
    let mut seen = None;
    under_fire(&world, &mut random.fork(), |writers| {
        while seen.is_none() && Instant::now() < until {
            tries += 1;
            let mut options = world.options();
            options.naive_anchor = true;
            let start = Start {
                wide: true,
                rotate: true,
            };
            let (mirror, _) = start.run(&world, writers, options, &mut random);
            seen = failure(&world, &mirror);
        }
    });
    let seen = seen.unwrap_or_else(|| panic!("{flavor}: no failure in {tries} tries"));
    println!("{flavor}: the naive anchor failed at try {tries}: {seen}");
}

/// How this mirror is wrong, or has found that it was.
fn failure(world: &World, mirror: &Mirror) -> Option<String> {
    let caught_up = world.has_caught_up(mirror, Duration::from_secs(10));
    let status = mirror.status();
    if let Some(reason) = status.last_reload {
        return Some(format!("loaded again: {reason}"));
    }
    if let Some(error) = mirror.error() {
        return Some(format!("stopped: {error}"));
    }
    assert!(
        caught_up,
        "it neither catches up nor says why: {:?}",
        mirror.status()
    );
    server_difference(world, &mirror.snapshot()).0
}

/// Runs writers, which write while the gate is open, around `work`.
fn under_fire(world: &World, random: &mut Random, work: impl FnOnce(&Writers)) {
    let writers = Writers::default();
    let port = world.server.port();
    std::thread::scope(|scope| {
        let _end = writers.gate.end_on_drop();
        for _ in 0..WRITERS {
            let (writers, random) = (&writers, random.fork());
            scope.spawn(move || writers.write(port, random));
        }
        work(&writers);
    });
}

/// How a mirror is started under fire.
#[derive(Debug, Clone, Copy)]
struct Start {
    /// With a long time between a transaction's place in the binlog and its visibility.
    wide: bool,
    /// Now and then with a new binlog file shortly before.
    rotate: bool,
}

impl Start {
    fn of_round(round: u32) -> Self {
        Self {
            wide: round % 2 == 1,
            rotate: !round.is_multiple_of(3),
        }
    }

    /// Starts a mirror under fire, and ends the fire when it is live; with the number of
    /// transactions committed so far.
    fn run(
        self,
        world: &World,
        writers: &Writers,
        mut options: Options,
        random: &mut Random,
    ) -> (Mirror, u64) {
        options.load_connections = 1 + random.below(4) as usize;
        options.chunk_rows = 1 + random.below(40);
        let before = writers.commits();
        writers.gate.open();
        let written = || writers.commits() > before + 10;
        assert!(
            integration::wait_for(Duration::from_secs(20), written),
            "nothing is written"
        );
        if self.rotate && random.one_in(3) {
            world.run("FLUSH BINARY LOGS");
        }
        widen_the_race(world, self.wide);
        std::thread::sleep(Duration::from_micros(random.below(20_000)));
        let mirror = world.mirror_with(options);
        std::thread::sleep(Duration::from_micros(random.below(20_000)));
        writers.gate.close();
        (mirror, writers.commits())
    }
}

/// Whether a commit can be made slow between its place in the binlog and its visibility; MySQL
/// has `binlog_group_commit_sync_delay` since 5.7.5.
fn has_sync_delay(world: &World) -> bool {
    !world.is_mysql() || world.version() >= (5, 7, 5)
}

/// Makes the time between a transaction's place in the binlog and its visibility long, or as
/// it is by itself.
///
/// MySQL waits there for more transactions to sync together. MariaDB waits there for a
/// semi-synchronous replica that never comes; after one time-out it waits no more, until the
/// waiting is switched on again.
fn widen_the_race(world: &World, wide: bool) {
    let settings: &[&str] = match (world.is_mysql(), wide) {
        (true, _) if !has_sync_delay(world) => &[],
        (true, true) => &["binlog_group_commit_sync_delay = 50000"],
        (true, false) => &["binlog_group_commit_sync_delay = 0"],
        (false, true) => &[
            "rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
            "rpl_semi_sync_master_wait_no_slave = ON",
            "rpl_semi_sync_master_timeout = 150",
            "rpl_semi_sync_master_enabled = OFF",
            "rpl_semi_sync_master_enabled = ON",
        ],
        (false, false) => &["rpl_semi_sync_master_enabled = OFF"],
    };
    for setting in settings {
        world.run(&format!("SET GLOBAL {setting}"));
    }
}
