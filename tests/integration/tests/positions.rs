//! Each position of a subscription is one to resume from: a stream that starts there gives the
//! transactions that came after it, all of them and no others.

use std::time::Duration;

use integration::{Random, World, compressed_events, compressing, on_both_servers, rounds};
use lab::{Flavor, ServerOptions};
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::source::{EventSource, LiveSource, RawEvent, StreamOptions, StreamStart};
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{BinlogPosition, Error, Schema};
use mysql::prelude::Queryable;
use test_mirror::Tables;

on_both_servers!(
    a_position_is_where_the_next_transaction_follows,
    a_position_of_a_compressed_log_is_where_the_next_transaction_follows,
);

fn a_position_is_where_the_next_transaction_follows(flavor: Flavor) {
    check_positions(flavor, &ServerOptions::new());
}

fn a_position_of_a_compressed_log_is_where_the_next_transaction_follows(flavor: Flavor) {
    let world = check_positions(flavor, &compressing(flavor));
    if !world.compresses() {
        return;
    }
    let compressed = compressed_events(&world).len();
    assert!(compressed > 50, "{compressed} compressed events");
}

fn check_positions(flavor: Flavor, options: &ServerOptions) -> World {
    let world = World::start_with(flavor, options);
    let mut random = Random::for_test();
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    let count = 60;
    let mut conn = world.conn();
    for n in 0..count {
        match n % 6 {
            0 => conn.query_drop("START TRANSACTION").unwrap(),
            1 => conn
                .query_drop("INSERT INTO unmirrored (note) VALUES ('x')")
                .unwrap(),
            2 if n % 12 == 2 => conn.query_drop("TRUNCATE TABLE fire_b").unwrap(),
            3 if n % 15 == 3 => conn.query_drop("FLUSH BINARY LOGS").unwrap(),
            4 => conn
                .query_drop("INSERT INTO plain_log (note) VALUES ('y')")
                .unwrap(),
            _ => {}
        }
        conn.query_drop(format!(
            "INSERT INTO fire_a VALUES ({n}, {n}, 'z'), ({}, 0, '')",
            n + 1000
        ))
        .unwrap();
        conn.query_drop("COMMIT").unwrap();
    }
    world.catch_up(&mirror);
    let mut transactions = Vec::new();
    while let Ok(next) = subscription.next_timeout(Duration::from_millis(200)) {
        let boundary = next.boundary.clone();
        transactions.push((
            boundary.position.to_string(),
            boundary.gtid.map(|gtid| gtid.to_string()),
        ));
    }
    assert!(
        transactions.len() > count,
        "{} transactions",
        transactions.len()
    );

    for _ in 0..rounds("positions resumed from", 8) {
        let at = random.below(transactions.len() as u64 - 1) as usize;
        let start: BinlogPosition = transactions[at].0.parse().unwrap();
        assert_eq!(
            read_from(&world, start),
            transactions[at + 1..],
            "{flavor}: from {at}"
        );
    }
    world
}

/// The transactions with changes of mirrored tables that a stream from there gives.
fn read_from(world: &World, start: BinlogPosition) -> Vec<(String, Option<String>)> {
    let url = world.server.url().parse().unwrap();
    let options = StreamOptions {
        non_blocking: true,
        ..StreamOptions::new(&url)
    };
    let (mut source, _stop) = LiveSource::open(&url, &StreamStart::File(start), options).unwrap();
    let layouts = Tables::layouts();
    let mut reader = TransactionReader::new(layouts, &vec![true; layouts.len()]);
    let mut sink = Boundaries::default();
    while let Some(event) = source.next_event().unwrap() {
        reader.event(&event, &mut sink).unwrap();
    }
    assert!(!reader.in_transaction());
    sink.passed
}

#[derive(Default)]
struct Boundaries {
    changed: bool,
    passed: Vec<(String, Option<String>)>,
}

impl TransactionSink for Boundaries {
    fn rows(
        &mut self,
        _table: usize,
        _plan: &Plan,
        _rows: &RowsEvent<'_>,
        _event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        self.changed = true;
        Ok(())
    }

    fn truncate(&mut self, _table: usize) -> Result<(), Error> {
        self.changed = true;
        Ok(())
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        panic!("nothing was written but rows: {touch:?}")
    }

    fn commit(&mut self, boundary: Boundary) -> Result<(), Error> {
        if std::mem::take(&mut self.changed) {
            let gtid = boundary.gtid.map(|gtid| gtid.to_string());
            self.passed.push((boundary.position.to_string(), gtid));
        }
        Ok(())
    }

    fn abandon(&mut self) {
        self.changed = false;
    }
}
