//! The mirror in tasks of a runtime (the smallest that there is): subscriptions as streams, and
//! futures to wait for it. Tasks are woken by the mirror alone, nothing is polled in vain.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_core::Stream;
use integration::{World, on_both_servers, wait_for};
use lab::Flavor;
use mirror_runtime::source::{Family, GtidSet};
use mirror_runtime::{
    BinlogPosition, Delivery, Error, Limits, SlowReader, State, SubscribeOptions,
};
use pollster::block_on;
use test_mirror::Mirror;

on_both_servers!(
    a_stream_gives_each_transaction_and_ends_with_the_mirror,
    a_task_waits_until_the_mirror_is_live_or_has_failed,
    a_task_waits_until_what_was_written_is_visible,
    a_task_is_woken_once_there_is_something_and_not_before,
);

const PATIENCE: Duration = Duration::from_secs(30);

async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

/// Counts how often it was woken.
#[derive(Default)]
struct Counter(AtomicU32);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counter {
    fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

fn a_stream_gives_each_transaction_and_ends_with_the_mirror(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = Arc::new(world.mirror());
    let mut subscription = mirror.subscribe();
    let mut deliveries = mirror
        .subscribe_with(SubscribeOptions {
            queue: 2,
            slow: SlowReader::Resync,
        })
        .unwrap();
    let stopped = Arc::clone(&mirror);
    let writer = std::thread::spawn(move || {
        for id in 1..=50 {
            world.run(&format!("INSERT INTO fire_a VALUES ({id}, 0, 't')"));
        }
        world.catch_up(&stopped);
        stopped.stop();
    });
    let dropping = std::thread::spawn(move || {
        block_on(async {
            let (mut transactions, mut dropped) = (0, 0);
            while let Some(delivery) = next(&mut deliveries).await {
                match delivery {
                    Delivery::Transaction(_) => transactions += 1,
                    Delivery::Resync(state) => dropped += state.dropped,
                }
                // Slower than the server.
                std::thread::sleep(Duration::from_millis(10));
            }
            (transactions, dropped)
        })
    });
    let given = block_on(async {
        let mut positions = Vec::new();
        while let Some(transaction) = next(&mut subscription).await {
            positions.push(transaction.boundary.position.clone());
        }
        positions
    });
    writer.join().unwrap();
    // Fifty rows, and one more for the marker.
    assert_eq!(given.len(), 51);
    assert!(given.windows(2).all(|pair| pair[0] < pair[1]));
    let (transactions, dropped) = dropping.join().unwrap();
    println!("{flavor}: {transactions} transactions, {dropped} dropped");
    assert_eq!(transactions + dropped, 51);
}

fn a_task_waits_until_the_mirror_is_live_or_has_failed(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = Mirror::start(world.options()).unwrap();
    block_on(mirror.until_live()).unwrap();
    assert_eq!(mirror.status().state, State::Live);
    assert_eq!(block_on(mirror.until_live()), Ok(()), "at once, too");
    world.run("INSERT INTO big VALUES (1, 1, REPEAT('f', 200))");
    for id in 2..1000 {
        world.run(&format!(
            "INSERT INTO big VALUES ({id}, 1, REPEAT('f', 200))"
        ));
    }
    let mut options = world.options();
    options.limits = Limits {
        table_bytes: 64 << 10,
        ..Limits::default()
    };
    let mirror = Mirror::start(options).unwrap();
    let ended = block_on(mirror.until_live());
    assert!(matches!(ended, Err(Error::Limit(_))), "{ended:?}");
}

fn a_task_waits_until_what_was_written_is_visible(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = world.mirror();
    for id in 1..=20 {
        world.run(&format!("INSERT INTO fire_a VALUES ({id}, 0, 't')"));
        let position: BinlogPosition = world.position().parse().unwrap();
        block_on(mirror.until_visible(position)).unwrap();
        assert!(mirror.snapshot().fire_a().get(id).is_some());
    }
    // What never comes is given up by whoever waits; its place is given back.
    let far = BinlogPosition::new("zzz.999999", 4);
    let counter = Arc::new(Counter::default());
    let waker = Waker::from(Arc::clone(&counter));
    let mut waiting = Box::pin(mirror.until_visible(far));
    let polled = waiting.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    drop(waiting);
    let before = counter.get();
    world.run("INSERT INTO fire_a VALUES (100, 0, 't')");
    world.catch_up(&mirror);
    assert_eq!(counter.get(), before, "a task that is gone was woken");
    // By GTIDs, where the server has them.
    let gtids = match flavor {
        Flavor::Mysql => None,
        Flavor::Mariadb => Some("@@global.gtid_binlog_pos"),
    };
    if let Some(variable) = gtids {
        use mysql::prelude::Queryable;
        let text: String = world
            .conn()
            .query_first(format!("SELECT {variable}"))
            .unwrap()
            .unwrap();
        let gtids = GtidSet::parse(&text, Family::MariaDb).unwrap();
        block_on(mirror.until_visible(gtids)).unwrap();
    }
    let mut waiting = pin!(mirror.until_visible(BinlogPosition::new("zzz.999999", 4)));
    let polled = waiting.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    let before = counter.get();
    mirror.stop();
    assert!(wait_for(PATIENCE, || counter.get() > before));
    let polled = waiting.as_mut().poll(&mut Context::from_waker(&waker));
    assert_eq!(polled, Poll::Ready(Err(Error::Stopped)));
}

fn a_task_is_woken_once_there_is_something_and_not_before(flavor: Flavor) {
    let world = World::start(flavor);
    let mirror = world.mirror();
    let mut subscription = mirror.subscribe();
    let counter = Arc::new(Counter::default());
    let waker = Waker::from(Arc::clone(&counter));
    let mut poll = || Pin::new(&mut subscription).poll_next(&mut Context::from_waker(&waker));
    assert!(poll().is_pending());
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(counter.get(), 0);
    for turn in 1..=10 {
        world.run(&format!("INSERT INTO fire_a VALUES ({turn}, 0, 't')"));
        assert!(wait_for(PATIENCE, || counter.get() == turn), "{turn}");
        assert!(matches!(poll(), Poll::Ready(Some(_))));
        assert!(poll().is_pending());
    }
}
