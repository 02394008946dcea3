//! Tables are loaded again while the others go on, by policy, or by request; and what is done
//! instead.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::fire::Writers;
use integration::replay::{Replay, check_replayed};
use integration::{Random, World, on_both_servers, rounds, run_in, wait_for};
use lab::{Flavor, Proxy};
use mirror_runtime::{
    AuditOptions, Cause, Error, Health, Policies, Policy, State, Status, TableError,
};
use test_mirror::Mirror;

on_both_servers!(
    only_the_tables_concerned_are_loaded_again_under_load,
    a_load_again_survives_cuts_of_its_connections,
    a_divergence_is_counted_and_named_by_table_and_key_and_healed,
    a_policy_to_stop_stops_with_the_cause,
    a_policy_to_keep_serving_goes_on_and_says_that_rows_may_be_wrong,
    subscribers_of_a_mirror_that_keeps_serving_get_every_change_that_was_made,
    loads_cope_with_keys_that_move_in_images_without_all_columns,
    an_auditor_that_heals_has_the_table_loaded_again,
);

const PATIENCE: Duration = Duration::from_secs(60);

fn status_of(status: &Status, table: &str) -> mirror_runtime::TableStatus {
    let mut tables = status.tables.iter();
    let found = tables.find(|status| status.table == format!("mirror_test.{table}"));
    found.unwrap().clone()
}

/// Runs statements in a session of their own.
fn session(world: &World, statements: &[&str]) {
    let mut conn = world.conn();
    for statement in statements {
        run_in(&mut conn, statement);
    }
}

/// Waits under load, then without: a mirror that is not optimised may fall behind four writers.
fn in_time(writers: &Writers, ready: impl Fn() -> bool) -> bool {
    if wait_for(Duration::from_secs(3), &ready) {
        return true;
    }
    writers.gate.close();
    let is_ready = wait_for(PATIENCE, ready);
    writers.gate.open();
    is_ready
}

/// Rows of `big`, which no writer changes.
fn fill_big(world: &World) {
    world.run("INSERT INTO big (id, n, filler) VALUES (0, 0, REPEAT('x', 100))");
    for doubling in 0..11 {
        world.run(&format!(
            "INSERT INTO big SELECT id + (1 << {doubling}), n, filler FROM big"
        ));
    }
}

/// Rows of `big` change without the log: the next change that is logged does not fit.
fn diverge(world: &World, id: i32) {
    session(
        world,
        &[
            "SET SESSION sql_log_bin = 0",
            &format!("UPDATE big SET n = n + 1 WHERE id = {id}"),
            "SET SESSION sql_log_bin = 1",
            &format!("UPDATE big SET n = n + 1 WHERE id = {id}"),
        ],
    );
}

fn only_the_tables_concerned_are_loaded_again_under_load(flavor: Flavor) {
    let world = World::start(flavor);
    fill_big(&world);
    let mut random = Random::for_test();
    let mirror = world.mirror();
    let writers = Writers::default();
    let (mut of_a, mut of_big) = (0, 0);
    writers.around(world.server.port(), &mut random.fork(), || {
        check_replayed(&mirror, || {
            for round in 0..rounds("tables loaded again", 6) {
                let before = mirror.status();
                if random.one_in(2) {
                    world.run_as_statement("UPDATE fire_a SET n = n + 1");
                    of_a += 1;
                } else {
                    diverge(&world, round as i32);
                    of_big += 1;
                }
                let again = || {
                    let status = mirror.status();
                    status.reloads > before.reloads && status.state == State::Live
                };
                assert!(in_time(&writers, again), "{flavor}: {:?}", mirror.status());
                std::thread::sleep(Duration::from_millis(random.below(150)));
            }
            writers.gate.close();
            let rows = assert_equals_server(&world, &mirror);
            assert!(rows > 2000, "{rows} rows");
        });
    });
    let status = mirror.status();
    println!("{flavor}: {of_a} of fire_a, {of_big} of big; {status:?}");
    let reloads = |table| status_of(&status, table).reloads;
    assert!(reloads("fire_a") >= of_a && reloads("big") >= of_big);
    for table in ["fire_b", "fire_c", "account_a", "marker"] {
        assert_eq!(reloads(table), 0, "{table}: {status:?}");
    }
}

fn a_load_again_survives_cuts_of_its_connections(flavor: Flavor) {
    let world = World::start(flavor);
    fill_big(&world);
    let mut random = Random::for_test();
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mut options = world.options_at(&proxy.url());
    options.reconnect_max_wait = Duration::from_millis(100);
    options.chunk_rows = 200;
    let mirror = world.mirror_with(options);
    let writers = Writers::default();
    writers.around(world.server.port(), &mut random.fork(), || {
        check_replayed(&mirror, || {
            for round in 0..rounds("loads with cuts", 3) {
                let before = mirror.status();
                diverge(&world, round as i32);
                // The connections of the load end at random bytes, some in the handshake.
                for _ in 0..6 {
                    proxy.cut_after(Some(random.below(120_000)));
                    proxy.cut_all();
                    std::thread::sleep(Duration::from_millis(20 + random.below(60)));
                    assert!(!mirror.snapshot().big().is_empty(), "the old rows are gone");
                }
                proxy.cut_after(None);
                let again = || {
                    let status = mirror.status();
                    status.reloads > before.reloads && status.state == State::Live
                };
                assert!(in_time(&writers, again), "{flavor}: {:?}", mirror.status());
            }
            writers.gate.close();
            assert_equals_server(&world, &mirror);
        });
    });
}

fn a_divergence_is_counted_and_named_by_table_and_key_and_healed(flavor: Flavor) {
    let world = World::start(flavor);
    fill_big(&world);
    let mirror = world.mirror();
    let kinds: [(&str, &str, &str); 4] = [
        (
            "DELETE FROM big WHERE id = 7",
            "INSERT INTO big VALUES (7, 1, '')",
            "id=7",
        ),
        (
            "INSERT INTO big VALUES (-5, 0, '')",
            "UPDATE big SET n = 2 WHERE id = -5",
            "id=-5",
        ),
        (
            "INSERT INTO big VALUES (-6, 0, '')",
            "DELETE FROM big WHERE id = -6",
            "id=-6",
        ),
        (
            "UPDATE big SET n = 3 WHERE id = 9",
            "UPDATE big SET n = 4 WHERE id = 9",
            "id=9",
        ),
    ];
    for (number, (unlogged, logged, key)) in kinds.iter().enumerate() {
        session(
            &world,
            &[
                "SET sql_log_bin = 0",
                unlogged,
                "SET sql_log_bin = 1",
                logged,
            ],
        );
        assert_equals_server(&world, &mirror);
        let status = mirror.status();
        let reason = status.last_reload.clone().unwrap_or_default();
        let place = format!("divergence of mirror_test.big, row {key} at ");
        assert!(reason.starts_with(&place), "{flavor}: {reason}");
        assert_eq!(status_of(&status, "big").divergences, number as u64 + 1);
        assert_eq!(status_of(&status, "big").reloads, number as u64 + 1);
        assert_eq!(status_of(&status, "fire_a").divergences, 0);
        assert_eq!(status.health(), Health::Healthy);
    }
}

/// A mirror with these policies, and rows to diverge in.
fn mirror_with(world: &World, policies: Policies) -> Mirror {
    fill_big(world);
    let mut options = world.options();
    options.policies = policies;
    world.mirror_with(options)
}

fn a_policy_to_stop_stops_with_the_cause(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = mirror_with(
        &world,
        Policies {
            divergence: Policy::Stop,
            ..Policies::default()
        },
    );
    diverge(&world, 3);
    let error = mirror.wait_until_ended().unwrap_err();
    let Error::Table(TableError::StoppedByPolicy { cause, reason }) = &error else {
        panic!("{flavor}: {error}");
    };
    assert_eq!(*cause, Cause::Divergence);
    assert!(reason.contains("mirror_test.big, row id=3 at "), "{reason}");
    let row = mirror.snapshot().big().get(3).map(|row| row.n);
    assert_eq!(row, Some(0), "readers keep the last state");
    assert!(matches!(mirror.status().health(), Health::Unhealthy(_)));
}

fn a_policy_to_keep_serving_goes_on_and_says_that_rows_may_be_wrong(flavor: Flavor) {
    let world = World::start(flavor);
    let keep = Policy::KeepServing;
    let mirror = mirror_with(
        &world,
        Policies {
            divergence: keep,
            statement: keep,
            definition: keep,
            ..Policies::default()
        },
    );
    diverge(&world, 3);
    world.catch_up(&mirror);
    let status = mirror.status();
    assert_eq!((status.reloads, &status.state), (0, &State::Live));
    let Health::Unhealthy(reason) = status.health() else {
        panic!("{flavor}: {status:?}");
    };
    assert!(
        reason.contains("rows of mirror_test.big may be wrong"),
        "{reason}"
    );
    // The full image of the update heals the row; others that do not fit are passed over, those
    // that fit are applied.
    assert_eq!(mirror.snapshot().big().get(3).map(|row| row.n), Some(2));
    session(
        &world,
        &[
            "SET sql_log_bin = 0",
            "INSERT INTO big VALUES (-5, 0, ''), (-6, 0, '')",
            "SET sql_log_bin = 1",
            "DELETE FROM big WHERE id < 2",
            "INSERT INTO fire_a VALUES (1, 1, 'one')",
            "SET SESSION binlog_format = 'STATEMENT'",
            "UPDATE fire_a SET tag = 'two'",
        ],
    );
    world.catch_up(&mirror);
    let snapshot = mirror.snapshot();
    assert_eq!(snapshot.big().iter().next().map(|row| row.id), Some(2));
    assert_eq!(snapshot.fire_a().get(1).map(|row| &*row.tag), Some("one"));
    let status = mirror.status();
    let suspect = |status: &Status, table| status_of(status, table).suspect.is_some();
    assert!(
        suspect(&status, "big") && suspect(&status, "fire_a"),
        "{status:?}"
    );
    assert!(!suspect(&status, "fire_b"));

    mirror.reload(&["mirror_test.fire_a"]).unwrap();
    let healed = || !suspect(&mirror.status(), "fire_a");
    assert!(
        wait_for(PATIENCE, healed),
        "{flavor}: {:?}",
        mirror.status()
    );
    assert!(suspect(&mirror.status(), "big"), "it was not asked for");
    mirror.reload(&[]).unwrap();
    let healed = || mirror.status().health() == Health::Healthy;
    assert!(
        wait_for(PATIENCE, healed),
        "{flavor}: {:?}",
        mirror.status()
    );
    assert_equals_server(&world, &mirror);
    assert!(mirror.reload(&["mirror_test.none"]).is_err());
}

fn an_auditor_that_heals_has_the_table_loaded_again(flavor: Flavor) {
    let world = World::start(flavor);
    fill_big(&world);
    let mirror = world.mirror();
    let audit = mirror
        .audit(AuditOptions {
            heal: true,
            pause: Duration::from_millis(50),
            rows_per_second: 100_000,
            ..AuditOptions::default()
        })
        .unwrap();
    let update = "UPDATE big SET n = 77 WHERE id = 77";
    session(&world, &["SET SESSION sql_log_bin = 0", update]);
    let healed = || mirror.snapshot().big().get(77).map(|row| row.n) == Some(77);
    assert!(
        wait_for(PATIENCE, healed),
        "{flavor}: {:?}",
        audit.progress()
    );
    let status = mirror.status();
    let reason = status.last_reload.clone().unwrap_or_default();
    assert!(
        reason.contains("mirror_test.big") && reason.contains("id=77"),
        "{reason}"
    );
    assert_eq!(status_of(&status, "big").divergences, 1, "{status:?}");
    assert_eq!(status_of(&status, "fire_a").reloads, 0);
    assert_equals_server(&world, &mirror);
}

/// The row that does not fit is not the first of its event.
fn subscribers_of_a_mirror_that_keeps_serving_get_every_change_that_was_made(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = mirror_with(
        &world,
        Policies {
            divergence: Policy::KeepServing,
            ..Policies::default()
        },
    );
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    for logged in [
        "DELETE FROM big WHERE id BETWEEN 1 AND 3",
        "UPDATE big SET n = n + 5 WHERE id BETWEEN 4 AND 13",
        "UPDATE big SET id = id + 100000 WHERE id BETWEEN 10 AND 23",
    ] {
        session(
            &world,
            &[
                "SET sql_log_bin = 0",
                "UPDATE big SET n = n + 9 WHERE id IN (3, 13, 23)",
                "SET sql_log_bin = 1",
                logged,
            ],
        );
    }
    world.catch_up(&mirror);
    replay.drain(&subscription, Duration::from_millis(300));
    replay.assert_equals(&mirror.snapshot());
    assert_eq!(mirror.snapshot().big().get(1), None);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

fn loads_cope_with_keys_that_move_in_images_without_all_columns(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO fire_a VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')");
    let mirror = world.mirror();
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_row_image = 'MINIMAL'");
    let mut id = 1;
    for tables in [&["mirror_test.fire_a"][..], &[]].repeat(2) {
        let before = mirror.status();
        mirror.reload(tables).unwrap();
        let again = || {
            let status = mirror.status();
            status.reloads > before.reloads && status.state == State::Live
        };
        let moved = wait_for(PATIENCE, || {
            run_in(
                &mut conn,
                &format!("UPDATE fire_a SET id = {} WHERE id = {id}", id + 10),
            );
            id += 10;
            std::thread::sleep(Duration::from_millis(5));
            again() || mirror.error().is_some()
        });
        assert!(
            moved && mirror.error().is_none(),
            "{flavor}: {:?}",
            mirror.error()
        );
    }
    assert_equals_server(&world, &mirror);
}
