//! `binlog_row_value_options=PARTIAL_JSON` (MySQL): differences of JSON documents are applied to
//! the documents that the mirror holds.

use std::time::Duration;

use integration::compare::assert_equals_server;
use integration::json_fire::{Moves, change, document};
use integration::replay::Replay;
use integration::{Gate, Random, World, compressed_events, compressing, connect, rounds, wait_for};
use lab::{Flavor, ServerOptions};
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::source::{EventSource, LiveSource, RawEvent, StreamOptions, StreamStart};
use mirror_runtime::store::{RowValues, ShownRow};
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{BinlogPosition, Error, Schema};
use mysql::Conn;
use mysql::prelude::Queryable;
use test_mirror::Tables;

const PATIENCE: Duration = Duration::from_secs(60);
const SILENCE: Duration = Duration::from_millis(300);
const ROWS: u64 = 12;
const IMAGES: [&str; 3] = ["FULL", "MINIMAL", "NOBLOB"];

/// A session that logs differences.
fn partial(world: &World, image: &str) -> Conn {
    let mut conn = world.conn();
    conn.query_drop(format!(
        "SET SESSION binlog_row_value_options = 'PARTIAL_JSON', binlog_row_image = '{image}'"
    ))
    .unwrap();
    conn
}

fn run(conn: &mut Conn, sql: &str) {
    conn.query_drop(sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

fn fill(conn: &mut Conn, random: &mut Random) {
    for id in 0..ROWS {
        let documents: Vec<String> = (0..7).map(|_| document(random)).collect();
        let [a, b, c, d, e, f, g] = &documents[..] else {
            unreachable!()
        };
        run(
            conn,
            &format!(
                "REPLACE INTO json_parts (skipped_first, id, doc, skipped, other, note, skipped_last)
                 VALUES ({a}, {id}, {b}, {c}, {d}, 'n', {e})"
            ),
        );
        let null = if id % 3 == 0 { "NULL" } else { g };
        run(
            conn,
            &format!("REPLACE INTO documents VALUES ({id}, {f}, {null})"),
        );
    }
}

/// An update of one or several rows and columns.
fn statement(random: &mut Random, moves: Moves) -> String {
    let id = random.below(ROWS);
    let (table, columns) = if random.one_in(3) {
        ("documents", &["doc", "doc_null"][..])
    } else {
        (
            "json_parts",
            &["skipped_first", "doc", "skipped", "other", "skipped_last"][..],
        )
    };
    let mut changes: Vec<String> = Vec::new();
    for column in columns {
        if random.one_in(2) {
            changes.push(format!("{column} = {}", change(random, column, moves)));
        }
    }
    if table == "json_parts" && random.one_in(3) {
        changes.push(format!("note = 'n{}'", random.below(1000)));
    }
    let nullable = if table == "documents" {
        "doc_null"
    } else {
        "doc"
    };
    if random.one_in(15) {
        changes = vec![format!("{nullable} = NULL")];
    } else if random.one_in(15) {
        changes = vec![format!("{nullable} = {}", document(random))];
    }
    if changes.is_empty() {
        changes.push(format!(
            "{} = {}",
            columns[1],
            change(random, columns[1], moves)
        ));
    }
    let rows = if random.one_in(4) {
        format!("id BETWEEN {id} AND {}", id + 2)
    } else {
        format!("id = {id}")
    };
    format!("UPDATE {table} SET {} WHERE {rows}", changes.join(", "))
}

/// How many updates of sessions that log differences are in the log.
fn logged_differences(world: &World) -> usize {
    let mut conn = world.conn();
    let files: Vec<mysql::Row> = conn.query("SHOW BINARY LOGS").unwrap();
    let mut count = 0;
    for file in files {
        let name: String = file.get(0).unwrap();
        let events: Vec<mysql::Row> = conn
            .query(format!("SHOW BINLOG EVENTS IN '{name}'"))
            .unwrap();
        count += events
            .iter()
            .filter(|row| row.get::<String, _>(2).unwrap() == "Update_rows_partial")
            .count();
    }
    count
}

fn check_random_updates(options: &ServerOptions) -> World {
    let world = World::start_with(Flavor::Mysql, options);
    let mut random = Random::for_test();
    let mut sessions: Vec<Conn> = IMAGES.iter().map(|image| partial(&world, image)).collect();
    fill(&mut sessions[0], &mut random);
    let mirror = world.mirror();
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    for round in 0..rounds("rounds of updates", 8) {
        for _ in 0..60 {
            let conn = &mut sessions[random.below(3) as usize];
            let sql = statement(&mut random, Moves::Any);
            if random.one_in(8) {
                run(conn, "START TRANSACTION");
                run(conn, &sql);
                run(conn, "SAVEPOINT one");
                run(conn, &statement(&mut random, Moves::Any));
                if random.one_in(2) {
                    run(conn, "ROLLBACK TO one");
                }
                let end = random.pick(&["COMMIT", "COMMIT", "ROLLBACK"]);
                run(conn, end);
            } else {
                run(conn, &sql);
            }
        }
        run(
            &mut sessions[0],
            &format!(
                "UPDATE json_parts SET id = id + 1000 * {round} + 1000 WHERE id = {}",
                round % 12
            ),
        );
        fill(&mut sessions[0], &mut random);
        assert_equals_server(&world, &mirror);
    }
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
    replay.drain(&subscription, SILENCE);
    replay.assert_equals(&mirror.snapshot());
    println!(
        "{} updates with differences in {} transactions",
        logged_differences(&world),
        replay.transactions
    );
    world
}

#[test]
fn random_differences_give_what_the_server_holds_on_a_server() {
    let world = check_random_updates(&ServerOptions::new());
    let differences = logged_differences(&world);
    assert!(differences > 200, "{differences} updates with differences");
}

#[test]
fn compressed_differences_give_what_the_server_holds_on_a_server() {
    let world = check_random_updates(&compressing(Flavor::Mysql));
    assert!(compressed_events(&world).len() > 300);
}

/// Mirrors that start while documents are changed in part; how many loads they took beyond the
/// first.
fn start_under_fire(image: &'static str, moves: Moves, starts: u32) -> u64 {
    let world = World::start(Flavor::Mysql);
    let mut random = Random::for_test();
    fill(&mut partial(&world, image), &mut random);
    let port = world.server.port();
    let gate = Gate::default();
    let mut reloads = 0;
    std::thread::scope(|scope| {
        let _end = gate.end_on_drop();
        for _ in 0..3 {
            let mut random = random.fork();
            let gate = &gate;
            scope.spawn(move || {
                let mut conn = connect(port).unwrap();
                run(
                    &mut conn,
                    &format!(
                        "SET SESSION binlog_row_value_options = 'PARTIAL_JSON',
                         binlog_row_image = '{image}'"
                    ),
                );
                while gate.pass(|| {
                    let sql = statement(&mut random, moves);
                    match conn.query_drop(&sql) {
                        Err(mysql::Error::MySqlError(error)) if error.code == 1213 => {}
                        result => result.unwrap_or_else(|error| panic!("{sql}: {error}")),
                    }
                }) {}
            });
        }
        gate.open();
        for _ in 0..starts {
            let mirror = world.mirror();
            let status = mirror.status();
            gate.close();
            assert_equals_server(&world, &mirror);
            reloads += mirror.status().reloads;
            assert!(status.reloads <= mirror.status().reloads);
            gate.open();
        }
    });
    println!("{image} {moves:?}: {starts} starts, {reloads} reloads");
    reloads
}

#[test]
fn a_load_under_differences_with_full_images_needs_no_reload_on_a_server() {
    assert_eq!(
        start_under_fire("FULL", Moves::Any, rounds("starts", 10)),
        0
    );
}

#[test]
fn a_load_under_differences_of_members_needs_no_reload_on_a_server() {
    assert_eq!(
        start_under_fire("MINIMAL", Moves::None, rounds("starts", 10)),
        0
    );
}

/// Cells that come and go without the document before cannot be replayed; the loads that follow
/// have next to nothing to replay.
#[test]
fn a_load_under_differences_of_any_kind_gets_live_on_a_server() {
    let reloads = start_under_fire("MINIMAL", Moves::Any, rounds("starts", 10));
    assert!(
        reloads > 0,
        "no start met a difference that cannot be replayed"
    );
}

#[test]
fn differences_to_a_document_that_is_not_the_servers_make_it_load_again_on_a_server() {
    let world = World::start(Flavor::Mysql);
    let mut conn = partial(&world, "MINIMAL");
    let long = "f".repeat(200);
    run(
        &mut conn,
        &format!(
            "INSERT INTO json_parts (id, doc, other, note) VALUES
             (1, JSON_OBJECT('a', JSON_OBJECT('b', 1), 'f', '{long}'), '[]', '')"
        ),
    );
    let mirror = world.mirror();
    run(&mut conn, "SET SESSION sql_log_bin = 0");
    run(
        &mut conn,
        "UPDATE json_parts SET doc = JSON_SET(doc, '$.a.c', 2)",
    );
    run(&mut conn, "SET SESSION sql_log_bin = 1");
    run(
        &mut conn,
        "UPDATE json_parts SET doc = JSON_SET(doc, '$.a.c', 3)",
    );
    let healed = || mirror.status().reloads == 1;
    assert!(wait_for(PATIENCE, healed), "{:?}", mirror.status());
    assert_equals_server(&world, &mirror);
    let reason = mirror.status().last_reload.unwrap();
    assert!(
        reason.contains("mirror_test.json_parts") && reason.contains("JSON differences"),
        "{reason}"
    );
}

/// What a stream without a mirror behind it shows of `json_parts` after updates.
#[derive(Default)]
struct Shown {
    updates: Vec<(bool, String)>,
}

impl TransactionSink for Shown {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        _event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        if plan.layout().table != "json_parts" {
            return Ok(());
        }
        let updates = &mut self.updates;
        let mut show = |before: ShownRow<'_>, after: ShownRow<'_>| {
            if let (Some(_), Some(after)) = (before, after) {
                updates.push((after.has(1), format!("{:?}", after.column_value(1))));
            }
            Ok(())
        };
        let kind = Tables::kinds()[table];
        kind.decode_only(plan, rows, &mut show).unwrap();
        Ok(())
    }

    fn truncate(&mut self, _table: usize) -> Result<(), Error> {
        Ok(())
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        panic!("nothing was written but rows: {touch:?}")
    }

    fn commit(&mut self, _boundary: Boundary) -> Result<(), Error> {
        Ok(())
    }

    fn abandon(&mut self) {}
}

#[test]
fn a_stream_shows_a_document_only_where_the_log_tells_it_on_a_server() {
    let world = World::start(Flavor::Mysql);
    let start: BinlogPosition = world.position().parse().unwrap();
    let long = "f".repeat(200);
    let mut full = partial(&world, "FULL");
    run(
        &mut full,
        &format!(
            "INSERT INTO json_parts (id, doc, other, note) VALUES
             (1, JSON_OBJECT('a', 1, 'f', '{long}'), '[]', '')"
        ),
    );
    run(
        &mut full,
        "UPDATE json_parts SET doc = JSON_SET(doc, '$.a', 2)",
    );
    run(
        &mut partial(&world, "MINIMAL"),
        "UPDATE json_parts SET doc = JSON_SET(doc, '$.a', 3), note = 'x'",
    );

    let url = world.server.url().parse().unwrap();
    let options = StreamOptions {
        non_blocking: true,
        ..StreamOptions::new(&url)
    };
    let (mut source, _stop) = LiveSource::open(&url, &StreamStart::File(start), options).unwrap();
    let layouts = Tables::layouts();
    let mut reader = TransactionReader::new(layouts, &vec![true; layouts.len()]);
    let mut shown = Shown::default();
    while let Some(event) = source.next_event().unwrap() {
        reader.event(&event, &mut shown).unwrap();
    }
    let [(has_full, document), (has_minimal, _)] = &shown.updates[..] else {
        panic!("{} updates", shown.updates.len());
    };
    assert!(has_full & !has_minimal);
    assert!(document.contains("\"a\": 2"), "{document}");
}
