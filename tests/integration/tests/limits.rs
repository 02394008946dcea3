//! Each limit is reached on a server: the mirror says which, what was found and allowed, and where;
//! readers keep the last state, or what the limit's own rule says is done.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::{Random, World, compressed_events, compressing, on_both_servers, wait_for};
use lab::{Flavor, Proxy};
use mirror_runtime::{
    CheckpointOptions, Error, Limit, LimitError, Limits, Policies, Policy, SlowReader, State,
    SubscribeOptions,
};
use test_mirror::Mirror;

on_both_servers!(
    an_event_that_is_too_large_ends_the_mirror_where_it_stands,
    an_event_that_is_too_large_once_it_is_unpacked_ends_the_mirror,
    a_compressed_transaction_that_is_too_large_ends_the_mirror,
    behind_a_transaction_that_is_too_large_its_tables_are_loaded_again,
    a_transaction_that_is_too_large_ends_the_mirror_where_the_policy_says_so,
    a_transaction_as_large_as_allowed_is_applied,
    tables_that_are_too_large_are_not_loaded,
    tables_that_become_too_large_end_the_mirror,
    subscriptions_and_their_queues_are_counted,
    no_checkpoint_is_written_or_read_that_is_too_large,
    connections_are_made_again_so_often_within_a_minute,
    options_out_of_their_range_are_refused,
);

const PATIENCE: Duration = Duration::from_secs(30);
/// The least that most limits can be.
const LEAST: u64 = 64 << 10;

fn mirror_with(world: &World, limits: Limits) -> Mirror {
    let mut options = world.options();
    options.limits = limits;
    world.mirror_with(options)
}

/// The limit that ends the mirror.
fn end_of(mirror: &Mirror) -> LimitError {
    assert!(
        wait_for(PATIENCE, || mirror.error().is_some()),
        "the mirror goes on: {:?}",
        mirror.status()
    );
    match mirror.error() {
        Some(Error::Limit(error)) => {
            println!("{error}");
            error
        }
        other => panic!("{other:?}"),
    }
}

/// A row of so many bytes, which can be compressed.
fn insert_large(world: &World, id: u32, bytes: usize) {
    world.run(&format!(
        "INSERT INTO byte_strings SET id = {id}, long_blob = REPEAT('x', {bytes})"
    ));
}

/// Rows in one statement, of about 200 bytes each.
fn insert_many(world: &World, rows: u32) {
    let values: Vec<String> = (1..=rows)
        .map(|id| format!("({id}, {id}, REPEAT('f', 180))"))
        .collect();
    world.run(&format!("INSERT INTO big VALUES {}", values.join(", ")));
}

fn an_event_that_is_too_large_ends_the_mirror_where_it_stands(flavor: Flavor) {
    let world = World::start(flavor);
    let event_bytes = LEAST;
    let limits = Limits {
        event_bytes,
        ..Limits::default()
    };
    let mirror = mirror_with(&world, limits);
    insert_large(&world, 1, 40_000);
    world.catch_up(&mirror);
    assert_equals_server(&world, &mirror);
    let before = world.position();
    insert_large(&world, 2, 70_000);
    let error = end_of(&mirror);
    assert_eq!((error.limit, error.allowed), (Limit::EventBytes, LEAST));
    let (file, _) = before.split_once(':').unwrap();
    assert!(error.what.contains(file), "{error}");
    assert!(mirror.snapshot().byte_strings().get(1).is_some());
    assert!(mirror.snapshot().byte_strings().get(2).is_none());
}

fn an_event_that_is_too_large_once_it_is_unpacked_ends_the_mirror(flavor: Flavor) {
    let world = World::start_with(flavor, &compressing(flavor));
    let limits = Limits {
        event_bytes: LEAST,
        ..Limits::default()
    };
    let mirror = mirror_with(&world, limits);
    insert_large(&world, 1, 300_000);
    if compressed_events(&world).is_empty() {
        world.does_not_apply("it does not compress what it logs");
        return;
    }
    let error = end_of(&mirror);
    assert_eq!((error.limit, error.allowed), (Limit::EventBytes, LEAST));
    assert!(error.what.contains("after decompression"), "{error}");
}

fn a_compressed_transaction_that_is_too_large_ends_the_mirror(flavor: Flavor) {
    let world = World::start_with(flavor, &compressing(flavor));
    if flavor == Flavor::Mariadb {
        world.does_not_apply("it compresses event by event");
        return;
    }
    let limits = Limits {
        payload_bytes: LEAST,
        ..Limits::default()
    };
    let mirror = mirror_with(&world, limits);
    insert_many(&world, 1000);
    if compressed_events(&world).is_empty() {
        world.does_not_apply("it does not compress what it logs");
        return;
    }
    let error = end_of(&mirror);
    assert_eq!((error.limit, error.allowed), (Limit::PayloadBytes, LEAST));
    assert!(mirror.snapshot().big().is_empty());
}

fn behind_a_transaction_that_is_too_large_its_tables_are_loaded_again(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO account_a VALUES (1, 10, NULL)");
    let limits = Limits {
        transaction_bytes: LEAST,
        ..Limits::default()
    };
    let mirror = mirror_with(&world, limits);
    let subscription = mirror.subscribe();
    insert_many(&world, 1000);
    world.run("UPDATE account_a SET balance = 11");
    world.catch_up(&mirror);
    let reloaded = || mirror.status().reloads == 1 && mirror.status().state == State::Live;
    assert!(wait_for(PATIENCE, reloaded), "{:?}", mirror.status());
    assert_equals_server(&world, &mirror);
    let status = mirror.status();
    let reason = status.last_reload.unwrap_or_default();
    println!("{reason}");
    assert!(
        reason.contains("transaction_bytes") && reason.contains("mirror_test.big"),
        "{reason}"
    );
    let loaded = |table: &str| {
        let name = format!("mirror_test.{table}");
        let found = status.tables.iter().find(|found| found.table == name);
        found.map_or(0, |found| found.reloads)
    };
    assert_eq!((loaded("big"), loaded("account_a")), (1, 0));
    // Subscribers get its rows with the load.
    let mut rows = 0;
    while let Ok(transaction) = subscription.next_timeout(Duration::from_millis(300)) {
        rows += transaction.changes.len();
    }
    assert!(rows >= 1001, "{rows}");
}

fn a_transaction_that_is_too_large_ends_the_mirror_where_the_policy_says_so(flavor: Flavor) {
    let world = World::start(flavor);
    let mut options = world.options();
    options.limits.transaction_bytes = LEAST;
    options.policies = Policies {
        too_large: Policy::Stop,
        ..Policies::default()
    };
    let mirror = world.mirror_with(options);
    insert_many(&world, 1000);
    let error = end_of(&mirror);
    assert_eq!(error.limit, Limit::TransactionBytes);
    assert!(error.found > Some(LEAST), "{error}");
    assert!(mirror.snapshot().big().is_empty());
}

fn a_transaction_as_large_as_allowed_is_applied(flavor: Flavor) {
    let world = World::start(flavor);
    let limits = Limits {
        transaction_bytes: 4 << 20,
        table_bytes: 64 << 20,
        event_bytes: LEAST,
        payload_bytes: LEAST,
        ..Limits::default()
    };
    let mirror = mirror_with(&world, limits);
    insert_many(&world, 1000);
    // Each transaction counts alone.
    for _ in 0..30 {
        world.run("UPDATE big SET n = n + 1");
    }
    world.catch_up(&mirror);
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

fn tables_that_are_too_large_are_not_loaded(flavor: Flavor) {
    let world = World::start(flavor);
    insert_many(&world, 5000);
    let mut options = world.options();
    options.limits.table_bytes = 256 << 10;
    let mirror = Mirror::start(options).unwrap();
    let error = end_of(&mirror);
    assert_eq!(error.limit, Limit::TableBytes);
    assert!(error.what.contains("while they are loaded"), "{error}");
    assert!(mirror.snapshot().big().is_empty());
}

fn tables_that_become_too_large_end_the_mirror(flavor: Flavor) {
    let world = World::start(flavor);
    let limits = Limits {
        table_bytes: 4 << 20,
        ..Limits::default()
    };
    let mirror = mirror_with(&world, limits);
    let mut rows = 0;
    while mirror.error().is_none() && rows < 100_000 {
        let values: Vec<String> = (rows..rows + 1000)
            .map(|id| format!("({id}, {id}, REPEAT('f', 180))"))
            .collect();
        world.run(&format!("INSERT INTO big VALUES {}", values.join(", ")));
        rows += 1000;
    }
    let error = end_of(&mirror);
    assert_eq!(error.limit, Limit::TableBytes);
    // Whole transactions only.
    let held = mirror.snapshot().big().len();
    assert!(held > 1000 && held.is_multiple_of(1000), "{held}");
}

fn subscriptions_and_their_queues_are_counted(flavor: Flavor) {
    let world = World::start(flavor);
    let limits = Limits {
        subscribers: 2,
        queue_transactions: 100,
        ..Limits::default()
    };
    let mirror = mirror_with(&world, limits);
    let options = |queue| SubscribeOptions {
        queue,
        slow: SlowReader::Block,
    };
    let refused = |queue| match mirror.subscribe_with(options(queue)) {
        Ok(_) => panic!("a queue of {queue} was given"),
        Err(error) => error,
    };
    let Error::Limit(error) = refused(101) else {
        panic!("no limit")
    };
    println!("{error}");
    assert_eq!(error.limit, Limit::QueueTransactions);
    assert!(matches!(refused(0), Error::Option { name: "queue", .. }));

    let one = mirror.subscribe();
    let two = mirror.subscribe_with(options(100)).unwrap();
    let Error::Limit(error) = refused(1) else {
        panic!("no limit")
    };
    println!("{error}");
    assert_eq!((error.limit, error.allowed), (Limit::Subscribers, 2));
    let none = mirror.subscribe();
    assert!(matches!(none.error(), Some(Error::Limit(_))) && none.next().is_none());
    // Those that there are go on, and one that is dropped makes room.
    world.run("INSERT INTO account_a VALUES (1, 10, NULL)");
    assert!(one.error().is_none() && one.next_timeout(PATIENCE).is_ok());
    drop(two);
    assert!(mirror.subscribe_with(options(1)).is_ok());
}

fn no_checkpoint_is_written_or_read_that_is_too_large(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    for id in 0..2000 {
        let filler: String = (0..100)
            .map(|_| char::from(b'!' + random.below(90) as u8))
            .filter(|&c| c != '\'' && c != '\\')
            .collect();
        world.run(&format!("INSERT INTO big VALUES ({id}, {id}, '{filler}')"));
    }
    let folder = tempfile::tempdir().unwrap();
    let run = |checkpoint_bytes| {
        let mut options = world.options();
        options.checkpoint = Some(CheckpointOptions {
            interval: None,
            ..CheckpointOptions::new(folder.path())
        });
        options.limits.checkpoint_bytes = checkpoint_bytes;
        let mirror = world.mirror_with(options);
        world.catch_up(&mirror);
        mirror.stop();
        mirror.status().checkpoint.unwrap()
    };
    let status = run(LEAST);
    let error = status.error.unwrap();
    println!("{error}");
    assert!(
        error.contains("checkpoint_bytes") && status.written == 0,
        "{error}"
    );
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "more than the lock is left: {left:?}");

    let status = run(1 << 30);
    assert!(status.error.is_none() && status.bytes > LEAST, "{status:?}");
    let status = run(LEAST);
    let reason = status.unusable.unwrap();
    println!("{reason}");
    assert!(reason.contains("checkpoint_bytes"), "{reason}");
    assert_eq!(status.started_from, None);
}

fn connections_are_made_again_so_often_within_a_minute(flavor: Flavor) {
    let world = World::start(flavor);
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mut options = world.options_at(&format!("mysql://root@127.0.0.1:{}/", proxy.port()));
    options.limits.reconnects_per_minute = 3;
    let mirror = world.mirror_with(options);
    for turn in 1..=3 {
        proxy.cut_all();
        world.catch_up(&mirror);
        assert!(mirror.status().reconnects >= turn);
    }
    let made = mirror.status().reconnects;
    proxy.cut_all();
    let is_away = || mirror.status().state == State::Reconnecting;
    assert!(wait_for(PATIENCE, is_away), "{:?}", mirror.status());
    // Without the limit it would be back at once.
    assert!(!world.has_caught_up(&mirror, Duration::from_secs(3)));
    assert_eq!(mirror.status().reconnects, made);
    // A stop does not wait for that.
    mirror.stop();
    assert_eq!(mirror.status().state, State::Stopped);
}

fn options_out_of_their_range_are_refused(flavor: Flavor) {
    let world = World::start(flavor);
    let mut options = world.options();
    options.limits.transaction_bytes = 1;
    let refused = Mirror::start(options.clone()).err().unwrap();
    println!("{refused}");
    assert_eq!(
        refused.to_string(),
        format!(
            "option limits.transaction_bytes: found 1, expected {LEAST} to {}",
            u64::MAX
        )
    );
    options.limits = Limits::default();
    options.load_connections = 0;
    let refused = Mirror::start(options).err().unwrap();
    assert!(matches!(
        refused,
        Error::Option {
            name: "load_connections",
            ..
        }
    ));
}
