//! A subscription yields each committed transaction once, in the server's order, with typed
//! changes, its place in the binlog and its commit time.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use integration::compare::assert_equals_server;
use integration::replay::Replay;
use integration::{World, on_both_servers, rounds, wait_for};
use lab::Flavor;
use mirror_runtime::{NoTransaction, QUEUE_TRANSACTIONS, RowChange, Subscription};
use mysql::prelude::Queryable;
use test_mirror::{AccountA, Change, FireA, Mirror, Tables, Transaction};

on_both_servers!(
    changes_are_typed_and_in_the_servers_order,
    a_statement_over_two_tables_and_its_trigger_are_one_transaction,
    rows_of_an_engine_without_transactions_show_at_once,
    truncate_is_one_change,
    an_alter_is_one_transaction_with_all_rows,
    a_slow_subscriber_loses_nothing,
    stop_does_not_wait,
    stop_does_not_wait_for_a_load,
);

const PATIENCE: Duration = Duration::from_secs(20);

fn next(subscription: &Subscription<Tables>) -> Arc<Transaction> {
    subscription.next_timeout(PATIENCE).expect("a transaction")
}

fn assert_silent(subscription: &Subscription<Tables>) {
    let next = subscription.next_timeout(Duration::from_millis(200));
    assert_eq!(next.map(|_| "a transaction"), Err(NoTransaction::Yet));
}

fn account(id: i32, balance: i64, note: Option<&str>) -> AccountA {
    AccountA {
        id,
        balance,
        note: note.map(Into::into),
    }
}

fn changes_are_typed_and_in_the_servers_order(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO account_a VALUES (1, 10, NULL), (2, 20, 'two')");
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    let snapshot = subscription.snapshot();
    assert_eq!(snapshot.account_a().len(), 2);
    assert_silent(&subscription);

    let mut conn = world.conn();
    conn.query_drop("START TRANSACTION").unwrap();
    for sql in [
        "INSERT INTO account_a VALUES (3, 30, 'drei')",
        "INSERT INTO unmirrored (note) VALUES ('nobody sees this')",
        "UPDATE account_a SET balance = 11 WHERE id = 1",
        "UPDATE account_a SET id = 4 WHERE id = 3",
        "DELETE FROM account_a WHERE id = 2",
    ] {
        conn.query_drop(sql).unwrap();
    }
    assert_silent(&subscription);
    let before = SystemTime::now();
    conn.query_drop("COMMIT").unwrap();

    let transaction = next(&subscription);
    let boundary = &transaction.boundary;
    assert_eq!(boundary.position.to_string(), world.position());
    assert!(boundary.gtid.is_some());
    assert_eq!(transaction.reload, None);
    let committed = UNIX_EPOCH + Duration::from_micros(boundary.committed_at_micros);
    let off = match committed.duration_since(before) {
        Ok(late) => late,
        Err(early) => early.duration(),
    };
    // MariaDB logs whole seconds.
    assert!(
        off < Duration::from_secs(3),
        "the commit time is {off:?} off"
    );

    let expected = [
        (None, Some(account(3, 30, Some("drei")))),
        (Some(account(1, 10, None)), Some(account(1, 11, None))),
        (
            Some(account(3, 30, Some("drei"))),
            Some(account(4, 30, Some("drei"))),
        ),
        (Some(account(2, 20, Some("two"))), None),
    ];
    assert_eq!(
        transaction.changes.len(),
        expected.len(),
        "{:?}",
        transaction.changes
    );
    for (change, expected) in transaction.changes.iter().zip(expected) {
        let Change::AccountA(change) = change else {
            panic!("a change of another table: {change:?}")
        };
        let found = match change {
            RowChange::Insert { after } => (None, Some(AccountA::clone(after))),
            RowChange::Update { before, after } => {
                (Some(AccountA::clone(before)), Some(AccountA::clone(after)))
            }
            RowChange::Delete { before } => (Some(AccountA::clone(before)), None),
            RowChange::Truncate => panic!("nothing was truncated"),
        };
        assert_eq!(found, expected);
    }
    // What is rolled back, or changes nothing that is mirrored, is no transaction.
    conn.query_drop("START TRANSACTION").unwrap();
    conn.query_drop("DELETE FROM account_a").unwrap();
    conn.query_drop("ROLLBACK").unwrap();
    conn.query_drop("INSERT INTO unmirrored (note) VALUES ('nor this')")
        .unwrap();
    assert_silent(&subscription);
    assert_equals_server(&world, &mirror);
    // Before: the old snapshot still shows the old rows.
    assert_eq!(snapshot.account_a().get(1).map(|row| row.balance), Some(10));
}

fn a_statement_over_two_tables_and_its_trigger_are_one_transaction(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO account_a VALUES (1, 10, NULL)");
    world.run("INSERT INTO account_b VALUES (1, 10, NULL)");
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    world.run(
        "UPDATE account_a, account_b SET account_a.balance = 4, account_a.note = 'audited',
         account_b.balance = 16 WHERE account_a.id = account_b.id",
    );
    let transaction = next(&subscription);
    let (mut a, mut b, mut audit) = (0, 0, 0);
    for change in &transaction.changes {
        match change {
            Change::AccountA(RowChange::Update { after, .. }) => {
                assert_eq!((after.balance, after.note.as_deref()), (4, Some("audited")));
                a += 1;
            }
            Change::AccountB(RowChange::Update { after, .. }) => {
                assert_eq!(after.balance, 16);
                b += 1;
            }
            Change::Audit(RowChange::Insert { after }) => {
                assert_eq!((after.account, after.change_by), (1, -6));
                audit += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((a, b, audit), (1, 1, 1), "{:?}", transaction.changes);
    assert_silent(&subscription);
    assert_equals_server(&world, &mirror);
}

fn rows_of_an_engine_without_transactions_show_at_once(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    world.run("INSERT INTO plain_log (note) VALUES ('one'), ('two')");
    let transaction = next(&subscription);
    assert_eq!(transaction.changes.len(), 2, "{:?}", transaction.changes);
    assert_eq!(mirror.snapshot().plain_log().len(), 2);
    world.run("UPDATE plain_log SET note = 'three' WHERE id = 2");
    assert_eq!(next(&subscription).changes.len(), 1);
    let snapshot = mirror.snapshot();
    assert_eq!(
        snapshot.plain_log().get(2).map(|row| &*row.note),
        Some("three")
    );
    assert_silent(&subscription);
    assert_equals_server(&world, &mirror);
}

fn truncate_is_one_change(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO fire_a VALUES (1, 1, 'a'), (2, 2, 'b')");
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    world.run("TRUNCATE TABLE fire_a");
    let transaction = next(&subscription);
    assert!(
        matches!(
            transaction.changes[..],
            [Change::FireA(RowChange::Truncate)]
        ),
        "{:?}",
        transaction.changes
    );
    assert_eq!(transaction.reload, None);
    assert!(mirror.snapshot().fire_a().is_empty());
    replay.apply(&transaction);
    world.run("INSERT INTO fire_a VALUES (1, 5, 'again')");
    replay.apply(&next(&subscription));
    replay.assert_equals(&mirror.snapshot());
    assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

fn an_alter_is_one_transaction_with_all_rows(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO account_a VALUES (1, 10, NULL), (2, 20, 'two')");
    world.run("INSERT INTO fire_a VALUES (1, 1, 'a')");
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    // Without names in the binlog, another number of columns stops the mirror.
    let (change, extra) = if world.logs_metadata() {
        ("ADD COLUMN extra INT NULL AFTER id", ", extra = 5")
    } else {
        ("ADD KEY extra (note)", "")
    };
    world.run(&format!("ALTER TABLE account_a {change}"));
    world.run(&format!(
        "UPDATE account_a SET balance = balance + 1{extra}"
    ));
    assert_equals_server(&world, &mirror);
    replay.drain(&subscription, Duration::from_millis(200));
    assert_eq!(
        replay.reloads,
        mirror.status().reloads,
        "{:?}",
        mirror.status()
    );
    replay.assert_equals(&mirror.snapshot());
    assert!(replay.changes > 2);
    let reason = mirror.status().last_reload;
    if replay.reloads > 0 {
        let reason = reason.expect("a reload has a reason");
        assert!(
            reason.contains("account_a") && reason.to_uppercase().contains("ALTER"),
            "{reason}"
        );
    }
    let held: Vec<i64> = mirror
        .snapshot()
        .account_a()
        .iter()
        .map(|row| row.balance)
        .collect();
    assert_eq!(held, [11, 21]);
}

fn a_slow_subscriber_loses_nothing(flavor: Flavor) {
    let world = World::start(flavor);
    let count =
        2 * QUEUE_TRANSACTIONS as u32 + rounds("transactions more than the queue holds", 500);
    let mirror = Arc::new(world.mirror());
    let (slow, quick) = (mirror.subscribe(), mirror.subscribe());
    let reader = std::thread::spawn(move || {
        (0..count)
            .map(|_| next(&quick).boundary.position.to_string())
            .collect::<Vec<_>>()
    });
    let mut conn = world.conn();
    for id in 1..=count {
        conn.query_drop(format!("INSERT INTO fire_a VALUES ({id}, {id}, 't')"))
            .unwrap();
    }
    // The mirror waits for the subscriber, rather than lose a transaction for it.
    let held = || mirror.snapshot().fire_a().len();
    assert!(
        wait_for(PATIENCE, || held() >= QUEUE_TRANSACTIONS),
        "{:?}",
        mirror.status()
    );
    std::thread::sleep(Duration::from_millis(100));
    let held = held();
    assert!(
        held <= QUEUE_TRANSACTIONS + 2,
        "{held} transactions are ahead of the subscriber"
    );
    let mut positions = Vec::new();
    for id in 1..=count {
        let transaction = next(&slow);
        let [Change::FireA(RowChange::Insert { after })] = &transaction.changes[..] else {
            panic!("{:?}", transaction.changes)
        };
        assert_eq!(FireA::clone(after).id, id);
        positions.push(transaction.boundary.position.to_string());
    }
    assert_eq!(reader.join().unwrap(), positions);
    drop(slow);
    assert_equals_server(&world, &mirror);

    // With a full queue, too, a stop does not wait for anybody.
    let full = mirror.subscribe();
    for id in 1..=QUEUE_TRANSACTIONS + 10 {
        conn.query_drop(format!("UPDATE fire_a SET n = -n WHERE id = {id}"))
            .unwrap();
    }
    let last = QUEUE_TRANSACTIONS as u32;
    let is_full = || {
        mirror
            .snapshot()
            .fire_a()
            .get(last)
            .is_some_and(|row| row.n < 0)
    };
    assert!(wait_for(PATIENCE, is_full), "{:?}", mirror.status());
    assert_stops(&mirror);
    let mut left = 0;
    while full.next().is_some() {
        left += 1;
    }
    assert_eq!(left, QUEUE_TRANSACTIONS);
}

fn stop_does_not_wait(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO account_a VALUES (1, 10, NULL)");
    for _ in 0..rounds("stops", 5) {
        let mirror = Arc::new(world.mirror());
        let subscription = mirror.subscribe();
        // Nothing arrives: the thread is in a read.
        std::thread::sleep(Duration::from_millis(30));
        assert_stops(&mirror);
        assert_eq!(mirror.status().state, mirror_runtime::State::Stopped);
        assert!(mirror.error().is_none() && subscription.next().is_none());
        assert_eq!(
            mirror.snapshot().account_a().len(),
            1,
            "readers keep the last state"
        );
    }
    // A stream that the server still takes for one in use keeps it from purging its log.
    let mut conn = world.conn();
    let mut streams = || -> usize {
        let sql = "SELECT COUNT(*) FROM information_schema.PROCESSLIST \
                   WHERE COMMAND LIKE 'Binlog Dump%'";
        conn.query_first(sql).unwrap().unwrap()
    };
    assert!(wait_for(Duration::from_secs(2), || streams() == 0));
}

fn stop_does_not_wait_for_a_load(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO big (id, n, filler) VALUES (1, 1, 'x')");
    let mut conn = world.conn();
    conn.query_drop("LOCK TABLES big WRITE").unwrap();
    let mirror = Arc::new(Mirror::start(world.options()).unwrap());
    // It cannot read the table: it waits, at the checks before the load already.
    let live = mirror.wait_until_live(Duration::from_secs(2));
    assert!(live.is_err(), "a locked table was read");
    assert!(mirror.error().is_none(), "{:?}", mirror.status());
    assert_stops(&mirror);
    assert!(mirror.snapshot().big().is_empty());
    assert_eq!(mirror.status().state, mirror_runtime::State::Stopped);
    conn.query_drop("UNLOCK TABLES").unwrap();
}

/// The stop runs on a thread of its own: one that waits must fail the test, not hold it up.
fn assert_stops(mirror: &Arc<Mirror>) {
    let start = Instant::now();
    let (done, is_done) = std::sync::mpsc::channel();
    let stopped = Arc::clone(mirror);
    std::thread::spawn(move || {
        stopped.stop();
        // Nobody listens any more once the test has failed.
        let _ = done.send(());
    });
    let ended = is_done.recv_timeout(Duration::from_millis(500));
    assert!(
        ended.is_ok(),
        "the stop still waits after {:?}",
        start.elapsed()
    );
}
