//! Subscribers that are slower than the server: either the mirror waits for them, or they are given
//! a state to start anew from; nothing is dropped without a word, and nothing comes twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::replay::Replay;
use integration::{Random, World, on_both_servers, rounds, wait_for};
use lab::Flavor;
use mirror_runtime::{Deliveries, Delivery, NoTransaction, SlowReader, SubscribeOptions};
use mysql::prelude::Queryable;
use test_mirror::{Mirror, Tables};

on_both_servers!(
    what_was_dropped_is_counted_and_the_state_behind_it_is_given,
    a_reader_that_is_slow_at_random_is_always_at_a_state_of_the_mirror,
    nobody_else_waits_for_a_slow_reader,
    a_queue_holds_as_many_as_it_was_asked_to,
    a_long_subscription_does_not_hold_its_first_state,
);

const PATIENCE: Duration = Duration::from_secs(30);

fn subscribe(mirror: &Mirror, queue: usize, slow: SlowReader) -> Deliveries<Tables> {
    mirror
        .subscribe_with(SubscribeOptions { queue, slow })
        .unwrap()
}

fn what_was_dropped_is_counted_and_the_state_behind_it_is_given(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO fire_a VALUES (1, 0, 'a')");
    let mirror = world.mirror();
    let slow = subscribe(&mirror, 4, SlowReader::Resync);
    let unread = subscribe(&mirror, 4, SlowReader::Resync);
    let Ok(Delivery::Resync(first)) = slow.next_timeout(PATIENCE) else {
        panic!("the first delivery is no state")
    };
    assert_eq!((first.dropped, first.snapshot().fire_a().len()), (0, 1));
    assert!(matches!(
        slow.next_timeout(Duration::from_millis(50)),
        Err(NoTransaction::Yet)
    ));
    for n in 1..=10 {
        world.run(&format!("UPDATE fire_a SET n = {n}"));
    }
    // Nobody waits.
    assert_equals_server(&world, &mirror);
    for reader in [&slow, &unread] {
        let Ok(Delivery::Resync(state)) = reader.next_timeout(PATIENCE) else {
            panic!("nothing says that transactions were dropped")
        };
        // Ten updates, and what the comparison wrote.
        let committed = mirror.status().transactions;
        assert_eq!(state.dropped, committed, "{flavor}");
        let snapshot = state.snapshot();
        assert_eq!(snapshot.fire_a().get(1).map(|row| row.n), Some(10));
        Replay::of(&state).assert_equals(&mirror.snapshot());
    }
    world.run("UPDATE fire_a SET n = 11");
    for reader in [&slow, &unread] {
        let Ok(Delivery::Transaction(next)) = reader.next_timeout(PATIENCE) else {
            panic!("the transaction behind the state did not come")
        };
        assert_eq!(next.boundary.position.to_string(), world.position());
    }
    mirror.stop();
    assert!(slow.next().is_none());
}

/// What a reader was at, by position.
type Seen = BTreeMap<String, u64>;

/// Reads until `done`, and then to the end; each state, and the number of markers.
fn read(
    deliveries: &Deliveries<Tables>,
    done: &AtomicBool,
    mut pause: impl FnMut() -> Duration,
) -> (Seen, Replay, u64) {
    let (mut seen, mut replay, mut markers) = (Seen::new(), None::<Replay>, 0);
    loop {
        let is_done = done.load(Ordering::SeqCst);
        if !is_done {
            std::thread::sleep(pause());
        }
        let replay = match deliveries.next_timeout(Duration::from_millis(300)) {
            Ok(Delivery::Resync(state)) => {
                markers += u64::from(state.dropped > 0);
                replay.insert(Replay::of(&state))
            }
            Ok(Delivery::Transaction(transaction)) => {
                let replay = replay.as_mut().expect("a state comes first");
                replay.apply(&transaction);
                replay
            }
            Err(_) if is_done => return (seen, replay.expect("a state came"), markers),
            Err(_) => continue,
        };
        let position = replay.position().unwrap().to_string();
        let before = seen.insert(position, replay.digest());
        // A load is shown at the position that was shown before.
        assert!(before.is_none_or(|before| before == replay.digest()));
    }
}

fn write(world: &World, mirror: &Mirror, random: &mut Random, transactions: u32) {
    let mut conn = world.conn();
    for _ in 0..transactions {
        conn.query_drop("BEGIN").unwrap();
        for _ in 0..=random.below(3) {
            let (id, n) = (random.below(40), random.below(1000));
            let sql = match random.below(6) {
                0 => format!("DELETE FROM fire_a WHERE id < {}", id / 4),
                1 => format!("UPDATE fire_a SET n = n + {n} WHERE id > {id}"),
                2 => format!("REPLACE INTO account_a VALUES ({id}, {n}, NULL)"),
                _ => format!("REPLACE INTO fire_a VALUES ({id}, {n}, 't')"),
            };
            conn.query_drop(sql).unwrap();
        }
        conn.query_drop("COMMIT").unwrap();
        match random.below(150) {
            0 => conn.query_drop("TRUNCATE TABLE account_a").unwrap(),
            1 => {
                conn.query_drop("ALTER TABLE fire_a COMMENT = 'altered'")
                    .unwrap();
                // What is written during its load would be one transaction for subscribers.
                world.catch_up(mirror);
            }
            _ => {}
        }
    }
}

fn a_reader_that_is_slow_at_random_is_always_at_a_state_of_the_mirror(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    for round in 0..rounds("rounds of slow readers", 2) {
        let mirror = world.mirror();
        let all = subscribe(&mirror, 1 << 16, SlowReader::Block);
        let readers: Vec<(Deliveries<Tables>, Random)> = (0..3)
            .map(|_| {
                let queue = 1 + random.below(8) as usize;
                let reader = subscribe(&mirror, queue, SlowReader::Resync);
                (reader, random.fork())
            })
            .collect();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let done = &done;
            let reference = scope.spawn(move || read(&all, done, || Duration::ZERO));
            let slow: Vec<_> = readers
                .into_iter()
                .map(|(reader, mut random)| {
                    let pause = move || match random.below(12) {
                        0 => Duration::from_millis(random.below(120)),
                        1..=4 => Duration::from_millis(random.below(8)),
                        _ => Duration::ZERO,
                    };
                    scope.spawn(move || read(&reader, done, pause))
                })
                .collect();
            write(&world, &mirror, &mut random, 600);
            world.catch_up(&mirror);
            done.store(true, Ordering::SeqCst);
            let (states, replay, markers) = reference.join().unwrap();
            assert_eq!(markers, 0, "the mirror did not wait");
            replay.assert_equals(&mirror.snapshot());
            let mut anew = 0;
            for reader in slow {
                let (seen, replay, markers) = reader.join().unwrap();
                anew += markers;
                replay.assert_equals(&mirror.snapshot());
                for (position, digest) in seen {
                    let expected = states.get(&position);
                    assert_eq!(
                        expected,
                        Some(&digest),
                        "{flavor}, round {round}: {position}"
                    );
                }
            }
            println!(
                "{flavor}, round {round}: {} states, started anew {anew} times, {} reloads",
                states.len(),
                mirror.status().reloads
            );
            assert!(states.len() > 100 && anew > 0);
        });
    }
}

fn nobody_else_waits_for_a_slow_reader(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = Arc::new(world.mirror());
    let slow = subscribe(&mirror, 1, SlowReader::Block);
    let quick = subscribe(&mirror, 100, SlowReader::Block);
    for id in 1..=3 {
        world.run(&format!("INSERT INTO fire_a VALUES ({id}, 0, 't')"));
    }
    // The second is committed and waits for room; the third is not.
    let held = || mirror.snapshot().fire_a().len();
    assert!(wait_for(PATIENCE, || held() == 2), "{}", held());
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(held(), 2);
    // Meanwhile one subscribes, behind the second.
    let late = subscribe(&mirror, 100, SlowReader::Block);
    let Some(Delivery::Resync(state)) = late.next() else {
        panic!("no state")
    };
    assert_eq!(state.snapshot().fire_a().len(), 2);
    // And one that is before the slow one in the list has it; one behind it gets it once there is
    // room.
    drop(slow);
    assert!(wait_for(PATIENCE, || held() == 3));
    let ids = |reader: &Deliveries<Tables>| {
        let mut ids = Vec::new();
        while ids.last() != Some(&3) {
            match reader.next_timeout(PATIENCE).unwrap() {
                Delivery::Transaction(transaction) => {
                    let replayed = format!("{:?}", transaction.changes);
                    let id = (1..=3).find(|id| replayed.contains(&format!("id: {id},")));
                    ids.push(id.unwrap());
                }
                Delivery::Resync(state) => assert_eq!(state.dropped, 0),
            }
        }
        ids
    };
    assert_eq!(ids(&quick), [1, 2, 3]);
    assert_eq!(ids(&late), [3], "what its state has came again");
    // A subscription whose reader is in a wait ends with the mirror.
    let reader = std::thread::spawn(move || late.next().is_none());
    std::thread::sleep(Duration::from_millis(50));
    mirror.stop();
    assert!(reader.join().unwrap());
}

fn a_queue_holds_as_many_as_it_was_asked_to(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = world.mirror();
    let slow = subscribe(&mirror, 7, SlowReader::Block);
    for id in 1..=20 {
        world.run(&format!("INSERT INTO fire_a VALUES ({id}, 0, 't')"));
    }
    let held = || mirror.snapshot().fire_a().len();
    assert!(wait_for(PATIENCE, || held() == 8), "{}", held());
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(held(), 8, "seven wait, and one to be handed over");
    let mut transactions = 0;
    while let Ok(delivery) = slow.next_timeout(Duration::from_millis(300)) {
        transactions += u64::from(matches!(delivery, Delivery::Transaction(_)));
    }
    assert_eq!(transactions, 20);
    assert_equals_server(&world, &mirror);
}

/// The memory of a mirror whose owner subscribes for months does not grow with each update.
fn a_long_subscription_does_not_hold_its_first_state(flavor: Flavor) {
    let world = World::start(flavor);
    let rows: Vec<String> = (1..=200).map(|id| format!("({id}, 0, 't')")).collect();
    world.run(&format!("INSERT INTO fire_a VALUES {}", rows.join(", ")));
    let mut options = world.options();
    options.heartbeat_seconds = 1;
    let mirror = world.mirror_with(options);
    let deliveries = subscribe(&mirror, 100, SlowReader::Resync);
    let subscription = mirror.subscribe().into_deliveries();
    let drain = || {
        for reader in [&deliveries, &subscription] {
            while reader.next_timeout(Duration::from_millis(100)).is_ok() {}
        }
    };
    drain();
    for _ in 0..20 {
        world.run("UPDATE fire_a SET n = n + 1");
    }
    world.catch_up(&mirror);
    drain();
    // Given back with the heartbeats.
    let is_free = || mirror.status().pinned_versions() < 200;
    assert!(wait_for(PATIENCE, is_free), "{:?}", mirror.status().tables);
    assert_eq!(mirror.status().oldest_snapshot, None);
}
