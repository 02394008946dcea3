//! The server is killed and the connection is cut, under load: nothing is lost, nothing comes
//! twice, and a transaction that is cut in its middle leaves nothing visible.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::fire::Writers;
use integration::replay::{Replay, check_replayed};
use integration::{
    Random, World, compressed_events, compressing, on_both_servers, rounds, wait_for,
};
use lab::{Flavor, Proxy, ServerOptions};
use mirror_runtime::State;

on_both_servers!(
    a_killed_server_loses_and_doubles_nothing,
    a_cut_connection_loses_and_doubles_nothing,
    a_cut_connection_loses_and_doubles_nothing_of_a_compressed_log,
    a_cut_in_mid_transaction_leaves_nothing_visible,
);

const PATIENCE: Duration = Duration::from_secs(60);
/// A subscription that has been silent for so long after the mirror caught up is read empty.
const SILENCE: Duration = Duration::from_millis(300);

fn a_killed_server_loses_and_doubles_nothing(flavor: Flavor) {
    let options = ServerOptions::new()
        .arg("--sync-binlog=1")
        .arg("--innodb-flush-log-at-trx-commit=1");
    let mut world = World::start_with(flavor, &options);
    let mut random = Random::for_test();
    let kills = rounds("kills of the server", 2);
    let port = world.server.port();
    let mirror = world.mirror();
    let writers = Writers::default();
    writers.around(port, &mut random.fork(), || {
        check_replayed(&mirror, || {
            for _ in 0..kills {
                let (before, shown) = (writers.commits(), mirror.status());
                std::thread::sleep(Duration::from_millis(100 + random.below(300)));
                world.server.kill9().unwrap();
                // The loss is noticed, and one more try has failed.
                let failed = || mirror.status().connection_attempts > shown.connection_attempts + 1;
                assert!(
                    wait_for(PATIENCE, failed),
                    "{flavor}: {:?}",
                    mirror.status()
                );
                assert_eq!(mirror.status().reconnects, shown.reconnects);
                world.server.restart().unwrap();
                let goes_on = || {
                    writers.commits() > before + 10
                        && mirror.status().state == State::Live
                        && mirror.status().transactions > shown.transactions
                };
                assert!(
                    wait_for(PATIENCE, goes_on),
                    "{flavor}: {:?}",
                    mirror.status()
                );
            }
            writers.gate.close();
            let rows = assert_equals_server(&world, &mirror);
            assert!(rows > 10, "{rows} rows");
        });
    });
    let status = mirror.status();
    println!(
        "{flavor}: {kills} kills, {} connections made again by {} tries, {} commits",
        status.reconnects,
        status.connection_attempts,
        writers.commits()
    );
    assert_eq!(status.reloads, 0, "{status:?}");
    // Each kill ends one connection, and nothing else does.
    assert_eq!(status.reconnects, u64::from(kills), "{status:?}");
}

fn a_cut_connection_loses_and_doubles_nothing(flavor: Flavor) {
    check_cuts(flavor, &ServerOptions::new());
}

fn a_cut_connection_loses_and_doubles_nothing_of_a_compressed_log(flavor: Flavor) {
    let world = check_cuts(flavor, &compressing(flavor));
    if !world.compresses() {
        return;
    }
    let compressed = compressed_events(&world).len();
    assert!(compressed > 50, "{compressed} compressed events");
}

fn check_cuts(flavor: Flavor, options: &ServerOptions) -> World {
    let world = World::start_with(flavor, options);
    let mut random = Random::for_test();
    let cuts = u64::from(rounds("cuts of the connection", 10));
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mut options = world.options_at(&proxy.url());
    options.reconnect_max_wait = Duration::from_millis(150);
    let mirror = world.mirror_with(options);
    let writers = Writers::default();
    writers.around(world.server.port(), &mut random.fork(), || {
        check_replayed(&mirror, || {
            // The connections made from now on end at random bytes, some within the handshake.
            proxy.cut_after(Some(random.below(30_000)));
            proxy.cut_all();
            let mut passed = mirror.status().connection_attempts;
            while passed < cuts {
                let now = || mirror.status().connection_attempts > passed;
                assert!(wait_for(PATIENCE, now), "{flavor}: {:?}", mirror.status());
                passed = mirror.status().connection_attempts;
                let most = *random.pick(&[300, 3_000, 30_000, 100_000]);
                proxy.cut_after(Some(random.below(most)));
            }
            proxy.cut_after(None);
            writers.gate.close();
            let rows = assert_equals_server(&world, &mirror);
            assert!(rows > 10, "{rows} rows");
        });
    });
    let status = mirror.status();
    println!(
        "{flavor}: {} cuts, {} commits",
        status.connection_attempts,
        writers.commits()
    );
    assert_eq!(status.reloads, 0, "{status:?}");
    world
}

fn a_cut_in_mid_transaction_leaves_nothing_visible(flavor: Flavor) {
    const ROWS: usize = 1 << 14;
    let world = World::start(flavor);
    world.run("INSERT INTO big (id, n, filler) VALUES (0, 0, REPEAT('x', 150))");
    for doubling in 0..14 {
        world.run(&format!(
            "INSERT INTO big SELECT id + (1 << {doubling}), n, filler FROM big"
        ));
    }
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mirror = world.mirror_with(world.options_at(&proxy.url()));
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    for round in 1..=rounds("transactions cut in their middle", 2) {
        // The next connection ends in the middle of the transaction: about 5 MB are logged.
        let before = mirror.status();
        proxy.cut_after(Some(1_000_000));
        proxy.cut_all();
        let again = || {
            let status = mirror.status();
            status.reconnects > before.reconnects && status.state == State::Live
        };
        assert!(wait_for(PATIENCE, again), "{flavor}: {:?}", mirror.status());
        world.catch_up(&mirror);
        let (version, reconnects) = (
            mirror.snapshot().version().clone(),
            mirror.status().reconnects,
        );
        let sent = proxy.counters().to_client;
        proxy.refuse(true);
        world.run(&format!("UPDATE big SET n = {round}, id = id ^ 1048576"));

        let cut = || mirror.status().state == State::Reconnecting;
        assert!(wait_for(PATIENCE, cut), "{flavor}: {:?}", mirror.status());
        assert!(
            proxy.counters().to_client > sent + 500_000,
            "it was cut too early to show anything"
        );
        std::thread::sleep(Duration::from_millis(50));
        let snapshot = mirror.snapshot();
        assert_eq!(*snapshot.version(), version);
        let old = snapshot
            .big()
            .iter()
            .filter(|row| row.n == round as i32 - 1)
            .count();
        assert_eq!(
            (snapshot.big().len(), old),
            (ROWS, ROWS),
            "a part of the transaction shows"
        );

        proxy.cut_after(None);
        proxy.refuse(false);
        let whole = || {
            let snapshot = mirror.snapshot();
            let new = snapshot
                .big()
                .iter()
                .filter(|row| row.n == round as i32)
                .count();
            assert!(new == 0 || new == ROWS, "{new} of {ROWS} rows show");
            new == ROWS
        };
        assert!(wait_for(PATIENCE, whole), "{flavor}: {:?}", mirror.status());
        assert!(mirror.status().reconnects > reconnects);
    }
    assert_equals_server(&world, &mirror);
    replay.drain(&subscription, SILENCE);
    replay.assert_equals(&mirror.snapshot());
    assert!(replay.changes > ROWS as u64);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}
