//! Events that servers write only with a setting, or at the ends of their files.

use std::time::{Duration, Instant};

use integration::stream::{read, read_from};
use integration::{World, compressing, on_both_servers, run_in};
use lab::{Flavor, ServerOptions};
use mirror_runtime::BinlogPosition;
use mirror_runtime::source::{
    EventSource, LiveSource, RecordedSource, StreamOptions, StreamStart, TruncatedTail,
};
use mysql::prelude::Queryable;
use test_mirror::Mirror;

use super::{Effect, Watched};

on_both_servers!(
    compressed_events_and_transactions,
    files_end_and_begin_in_the_middle_of_traffic,
    a_restart_of_the_server,
    signs_of_life,
    texts_of_statements,
    differences_of_documents,
    changes_that_the_log_lacks,
    changes_that_the_log_lacks_right_behind_a_load,
    files_that_are_encrypted,
);

pub(super) const BOTH: &[u8] = &[3, 4, 26, 27];
pub(super) const MYSQL: &[u8] = &[29, 35, 39, 40];
pub(super) const MARIADB: &[u8] = &[160, 161, 163, 164, 165, 166, 167, 168];

fn compressed_events_and_transactions(flavor: Flavor) {
    let world = World::start_with(flavor, &compressing(flavor));
    if !world.compresses() {
        return;
    }
    let watched = Watched::new(&world);
    let codes: &[u8] = match world.is_mysql() {
        true => &[40],
        false => &[165, 166, 167, 168],
    };
    watched.step(
        &[
            "CREATE TABLE another (id INT PRIMARY KEY, note VARCHAR(200) NOT NULL)",
            "INSERT INTO fire_a VALUES (1, 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), (2, 2, 'b')",
            "UPDATE fire_a SET tag = 'cccccccccccccccccccccccccccccccccccccc' WHERE id = 1",
            "DELETE FROM fire_a WHERE id = 1",
        ],
        codes,
        Effect::Follows,
    );
    let rows: &[u8] = if world.is_mysql() { &[40] } else { &[166] };
    watched.step(
        &[
            "XA START 'one'",
            "INSERT INTO fire_a VALUES (3, 3, 'dddddddddddddddddddddddddddddddddddd')",
            "XA END 'one'",
            "XA COMMIT 'one' ONE PHASE",
        ],
        rows,
        Effect::Follows,
    );
    // MySQL has the XA_PREPARE in the compressed transaction too.
    watched.step(
        &[
            "XA START 'two'",
            "INSERT INTO fire_a VALUES (4, 4, 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')",
            "XA END 'two'",
            "XA PREPARE 'two'",
            "XA COMMIT 'two'",
        ],
        if world.is_mysql() { &[40] } else { &[38, 166] },
        Effect::Reloads("XA COMMIT"),
    );
}

fn files_end_and_begin_in_the_middle_of_traffic(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    let codes: &[u8] = match world.is_mysql() {
        true => &[4, 15, 35],
        false => &[4, 15, 161, 163],
    };
    watched.during(codes, Effect::Follows, || {
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let world = &world;
                scope.spawn(move || {
                    let mut conn = world.conn();
                    for n in 0..100 {
                        let id = writer * 1000 + n;
                        run_in(&mut conn, "START TRANSACTION");
                        run_in(
                            &mut conn,
                            &format!("INSERT INTO fire_a VALUES ({id}, 0, 'x')"),
                        );
                        run_in(
                            &mut conn,
                            &format!("UPDATE fire_a SET n = {n} WHERE id = {id}"),
                        );
                        run_in(&mut conn, "COMMIT");
                    }
                });
            }
            for _ in 0..10 {
                world.run("FLUSH BINARY LOGS");
                std::thread::sleep(Duration::from_millis(10));
            }
        });
    });
    assert_eq!(watched.mirror.snapshot().fire_a().len(), 300);
    assert_eq!(watched.mirror.status().connection_attempts, 0);
}

fn a_restart_of_the_server(flavor: Flavor) {
    let mut world = World::start(flavor);
    world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
    let mirror = world.mirror();
    let from = world.position();
    world.run("UPDATE fire_a SET n = 2");
    world.server.restart().unwrap();
    world.run("UPDATE fire_a SET n = 3");
    integration::compare::assert_equals_server(&world, &mirror);
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
    assert!(mirror.status().reconnects > 0, "{:?}", mirror.status());
    let seen = read_from(&world, &from);
    assert!(seen.has(&[3, 4, 15]), "{seen:?}");
}

/// HEARTBEAT_V2 (41) is sent to who asks for it only, which the mirror does not: see `made.rs`.
fn signs_of_life(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    let url = world.server.url().parse().unwrap();
    let start = StreamStart::File(world.position().parse::<BinlogPosition>().unwrap());
    let options = StreamOptions {
        heartbeat_seconds: 1,
        ..StreamOptions::new(&url)
    };
    let (mut source, _) = LiveSource::open(&url, &start, options).unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    let mut heartbeats = 0;
    while heartbeats < 2 {
        let event = source.next_event().unwrap().expect("the stream goes on");
        heartbeats += usize::from(event.header.type_code == 27);
        assert!(Instant::now() < until, "{heartbeats} signs of life");
    }
    drop(source);
    // Those of the mirror come every 2 s: it stays where it is, and goes on from there.
    std::thread::sleep(Duration::from_secs(3));
    watched.step(
        &["INSERT INTO fire_a VALUES (1, 1, 'x')"],
        &[19],
        Effect::Follows,
    );
    assert_eq!(watched.mirror.status().connection_attempts, 0);
}

/// ANNOTATE_ROWS stand in MariaDB's files, and in no stream of the mirror: the driver cannot ask
/// for them.
fn texts_of_statements(flavor: Flavor) {
    let world = World::start(flavor);
    let watched = Watched::new(&world);
    let statements = [
        "INSERT INTO account_a VALUES (1, 10, 'INSERT INTO account_b VALUES (1)')",
        "UPDATE account_a SET balance = 11 /* TRUNCATE TABLE account_a */",
    ];
    if world.is_mysql() {
        let on = "SET SESSION binlog_rows_query_log_events = ON";
        watched.step(&[on, statements[0], statements[1]], &[29], Effect::Follows);
        return;
    }
    watched.step(&statements, &[19], Effect::Follows);
    let path = world.server.dir().join("data").join("binlog.000001");
    let mut source = RecordedSource::open([path], TruncatedTail::End).unwrap();
    let (seen, result) = read(&mut source, &world.tables());
    result.unwrap();
    assert!(seen.has(&[160]), "{seen:?}");
    assert_eq!(seen.count("rows account_a"), 2, "{seen:?}");
}

fn differences_of_documents(flavor: Flavor) {
    let world = World::start(flavor);
    if !world.has_json() {
        return world.does_not_apply("it has no JSON type");
    }
    let watched = Watched::new(&world);
    watched.step(
        &[
            "INSERT INTO json_parts (id, doc, other, note) VALUES \
             (1, '{\"a\": 1, \"b\": [1, 2, 3], \"c\": \"a text that is long enough\"}', '[]', 'x')",
            "SET SESSION binlog_row_value_options = 'PARTIAL_JSON'",
            "UPDATE json_parts SET doc = JSON_SET(doc, '$.a', 2)",
            "UPDATE json_parts SET doc = JSON_ARRAY_INSERT(doc, '$.b[0]', 0)",
        ],
        &[39],
        Effect::Follows,
    );
}

/// A statement on an engine without transactions that is larger than
/// `max_binlog_stmt_cache_size`: its first rows stay, and the log says that it lacks them.
fn changes_that_the_log_lacks(flavor: Flavor) {
    let world = World::start(flavor);
    prepare_loss(&world);
    let watched = Watched::new(&world);
    world.run("UPDATE fire_a SET n = 1 WHERE id = 1");
    if world.logs_names() {
        watched.during(&[26], Effect::Reloads("INCIDENT"), || lose(&world));
    } else {
        // A definition may be among what is lost: the stream alone ends here without names.
        assert_loads_for_loss(&world, &watched.mirror);
    }
    assert!(
        !watched.mirror.snapshot().plain_log().is_empty(),
        "rows stay"
    );
}

/// MySQL 5.6 gives an INCIDENT no GTID.
fn changes_that_the_log_lacks_right_behind_a_load(flavor: Flavor) {
    let mut world = World::start(flavor);
    prepare_loss(&world);
    let mirror = world.mirror();
    assert_loads_for_loss(&world, &mirror);
    // Once more, behind the load that this has caused.
    assert_loads_for_loss(&world, &mirror);
    world.server.restart().unwrap();
    let is_back = || {
        let status = mirror.status();
        status.reconnects > 0 && status.state == mirror_runtime::State::Live
    };
    assert!(integration::wait_for(Duration::from_secs(30), is_back));
    assert_loads_for_loss(&world, &mirror);
}

fn prepare_loss(world: &World) {
    let values: Vec<String> = (1..=400)
        .map(|id| format!("({id}, 0, REPEAT('x', 40))"))
        .collect();
    world.run(&format!("INSERT INTO fire_a VALUES {}", values.join(", ")));
}

fn lose(world: &World) {
    world.run("SET GLOBAL max_binlog_stmt_cache_size = 4096");
    world.run("SET GLOBAL binlog_stmt_cache_size = 4096");
    let mut conn = world.conn();
    let failed = conn.query_drop("INSERT INTO plain_log (note) SELECT tag FROM fire_a");
    println!(
        "{}: {}",
        world.flavor(),
        failed.expect_err("it does not fit")
    );
}

/// Loses changes; the mirror loads again for that.
fn assert_loads_for_loss(world: &World, mirror: &Mirror) {
    let before = mirror.status().reloads;
    lose(world);
    integration::compare::assert_equals_server(world, mirror);
    let status = mirror.status();
    assert!(status.reloads > before, "{status:?}");
    let reason = status.last_reload.unwrap_or_default();
    assert!(reason.contains("INCIDENT"), "{reason}");
}

/// Encryption at rest: START_ENCRYPTION of MariaDB. MySQL's files have a header of their own for
/// it, and no event.
fn files_that_are_encrypted(flavor: Flavor) {
    if flavor == Flavor::Mysql {
        return println!("does not apply to MySQL: its encryption of files has no event");
    }
    let keys = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(keys.path(), "1;00112233445566778899aabbccddeeff\n").unwrap();
    let file = format!("--file-key-management-filename={}", keys.path().display());
    let options = ServerOptions::new()
        .arg("--plugin-load-add=file_key_management")
        .arg(file)
        .arg("--encrypt-binlog=ON");
    let world = World::start_with(flavor, &options);
    let watched = Watched::new(&world);
    watched.during(&[4], Effect::Follows, || {
        world.run("INSERT INTO fire_a VALUES (1, 1, 'x')");
        world.run("FLUSH BINARY LOGS");
        world.run("UPDATE fire_a SET n = 2");
    });
    let seen = read_from(&world, "binlog.000001:4");
    assert!(seen.has(&[164]), "{seen:?}");
}
