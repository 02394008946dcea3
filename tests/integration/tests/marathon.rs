//! Whatever happens to the definitions of tables under load, the mirror is what the server is, or
//! has stopped and says why; it never serves a wrong row.

use std::collections::BTreeMap;
use std::time::Duration;

use integration::compare::server_difference;
use integration::{Gate, Random, World, connect, marathon, on_both_servers, rounds, wait_for};
use lab::{Flavor, ServerOptions};
use mirror_runtime::{Error, State, TableError};
use mysql::prelude::Queryable;
use test_mirror::Mirror;

on_both_servers!(tables_that_change_under_load_are_equal_or_stop_the_mirror);

/// Writers at a time.
const WRITERS: usize = 2;
/// ER_LOCK_WAIT_TIMEOUT
const LOCK_WAIT_TIMEOUT: u16 = 1205;
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
struct Outcomes {
    equal: u32,
    reloads: u64,
    /// By kind of change.
    stopped: BTreeMap<&'static str, u32>,
    refused: u32,
    /// Statements that gave up, because somebody held the table for long.
    waited: u32,
}

fn tables_that_change_under_load_are_equal_or_stop_the_mirror(flavor: Flavor) {
    // A server that is too old to know it logs no metadata.
    for metadata in ["FULL", "MINIMAL"] {
        let metadata = format!("--loose-binlog-row-metadata={metadata}");
        let world = World::start_with(flavor, &ServerOptions::new().arg(metadata));
        let mut random = Random::for_test();
        let gate = Gate::default();
        let outcomes = std::thread::scope(|scope| {
            let _end = gate.end_on_drop();
            for _ in 0..WRITERS {
                let (gate, mut random) = (&gate, random.fork());
                let port = world.server.port();
                scope.spawn(move || {
                    let mut conn = connect(port).unwrap();
                    while gate.pass(|| marathon::write(&mut conn, &mut random)) {}
                });
            }
            run(&world, &gate, &mut random)
        });
        println!("{flavor}: {outcomes:?}");
        assert!(outcomes.equal > 0);
    }
}

fn run(world: &World, gate: &Gate, random: &mut Random) -> Outcomes {
    let mut outcomes = Outcomes::default();
    restore(world);
    gate.open();
    let mut mirror = world.mirror();
    for number in 0..u64::from(rounds("changes of definitions", 12)) {
        let change = marathon::change(random, number);
        let mut conn = world.conn();
        conn.query_drop("SET SESSION lock_wait_timeout = 20")
            .unwrap();
        for sql in &change.statements {
            match conn.query_drop(sql) {
                Ok(()) => {}
                Err(mysql::Error::MySqlError(error)) if error.code == LOCK_WAIT_TIMEOUT => {
                    outcomes.waited += 1;
                    tell_who_waits(world, sql);
                }
                // What the tables are by now may not allow it.
                Err(_) => outcomes.refused += 1,
            }
        }
        conn.query_drop("UNLOCK TABLES").unwrap();
        if random.one_in(3) {
            // Several changes between two looks.
            continue;
        }
        std::thread::sleep(Duration::from_millis(random.below(60)));
        gate.close();
        if world.has_caught_up(&mirror, PATIENCE) {
            let (found, _) = server_difference(world, &mirror.snapshot());
            let status = mirror.status();
            assert!(found.is_none(), "{change:?}: {found:?}; {status:?}");
            outcomes.equal += 1;
        } else {
            assert_says_why(&mirror, &change);
            *outcomes.stopped.entry(change.name).or_default() += 1;
            outcomes.reloads += mirror.status().reloads;
            restore(world);
            mirror = world.mirror();
        }
        gate.open();
    }
    gate.close();
    outcomes.reloads += mirror.status().reloads;
    outcomes
}

/// Who holds a table that a statement has waited for, for whoever looks into it.
fn tell_who_waits(world: &World, sql: &str) {
    type Line = (u64, String, i64, Option<String>, Option<String>);
    let list: Vec<Line> = world
        .conn()
        .query(
            "SELECT ID, COMMAND, TIME, STATE, LEFT(INFO, 200) FROM information_schema.PROCESSLIST",
        )
        .unwrap();
    println!("{}: waited for long: {sql}: {list:#?}", world.flavor());
}

/// A mirror that does not catch up has stopped because of a table's layout, and says which.
fn assert_says_why(mirror: &Mirror, change: &marathon::Change) {
    let has_failed = || matches!(mirror.status().state, State::Failed(_));
    let ended = wait_for(PATIENCE, || mirror.error().is_some() && has_failed());
    let status = mirror.status();
    assert!(ended, "{change:?}: it neither goes on nor ends: {status:?}");
    let error = mirror.error().expect("it has ended");
    let text = error.to_string();
    assert!(
        matches!(&error, Error::Table(TableError::Layout { .. })),
        "{change:?}: {text}"
    );
    let named = marathon::TABLES.iter().any(|table| text.contains(table));
    assert!(named && text.contains("cargo xtask regenerate"), "{text}");
}

/// Makes the tables again as they were compiled in.
fn restore(world: &World) {
    let mut conn = world.conn();
    let schema = include_str!("../../mirror/schema.sql");
    for table in marathon::TABLES {
        let create = lab::split_statements(schema)
            .into_iter()
            .find(|sql| sql.contains(&format!("CREATE TABLE {table} (")))
            .expect("the script has the table");
        conn.query_drop(format!("DROP TABLE IF EXISTS {table}"))
            .unwrap();
        conn.query_drop(create).unwrap();
    }
}
