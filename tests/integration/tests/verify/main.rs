//! `Mirror::verify` and `Mirror::audit` find every difference and no other, whoever writes.

mod keys;
mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use integration::fire::Writers;
use integration::shown::layout_of;
use integration::{Random, World, on_both_servers, rounds, run_in, wait_for};
use lab::{Flavor, ServerOptions};
use mirror_runtime::{AuditOptions, DifferenceKind, Error, VerifyOptions, VerifyReport};
use support::{Planter, fill, found, small_pages, unlogged};
use test_mirror::Mirror;

on_both_servers!(
    a_corruption_of_any_column_is_named_and_nothing_else,
    corruptions_in_a_large_table_are_named,
    a_healthy_mirror_under_fire_has_no_finding,
    loads_definitions_and_lost_connections_in_the_middle_are_no_finding,
    a_commit_that_the_mirror_sees_before_selects_do_is_no_finding,
    a_row_that_changes_all_the_time_is_not_passed_over,
    the_audit_finds_a_difference_and_stops_with_its_handle,
    the_rights_of_the_mirror_suffice,
);

/// Tables of types; each has its key in `id`.
const TYPES: [&str; 10] = [
    "integers",
    "numbers",
    "dates",
    "times",
    "texts",
    "ascii_texts",
    "byte_strings",
    "label_sets",
    "bits",
    "documents",
];
/// Writers at a time.
const WRITERS: usize = 4;

pub(crate) fn verify(world: &World, mirror: &Mirror, options: &VerifyOptions) -> VerifyReport {
    let flavor = world.flavor();
    mirror
        .verify(options)
        .unwrap_or_else(|error| panic!("{flavor}: not verified: {error}; {:?}", mirror.status()))
}

pub(crate) fn assert_equal(world: &World, report: &VerifyReport, what: &str) {
    let flavor = world.flavor();
    assert!(report.is_equal(), "{flavor}, {what}: {report}");
}

fn a_corruption_of_any_column_is_named_and_nothing_else(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    let names = world.tables();
    let layouts: Vec<_> = TYPES
        .iter()
        .map(|name| layout_of(name))
        .filter(|layout| names.contains(&layout.full_name()))
        .collect();
    for layout in &layouts {
        fill(&mut world.conn(), layout, 1..=60, &mut random);
    }
    let mirror = world.mirror();
    // Half of the rows come by binlog.
    for layout in &layouts {
        fill(&mut world.conn(), layout, 61..=120, &mut random);
    }
    let report = verify(&world, &mirror, &small_pages(25));
    assert_equal(&world, &report, "before");
    assert_eq!(report.snapshots, 1, "{report:?}");
    assert!(report.rows() >= 120 * layouts.len() as u64, "{report}");

    let mut planter = Planter::new(&world);
    let mut planted = BTreeSet::new();
    for layout in &layouts {
        for field in 1..layout.columns.len() {
            let id = 1 + (field as u32 * 7) % 120;
            if planter.plant(layout, field, id, &mut random) {
                let column = layout.columns[field].name;
                planted.insert((layout.full_name(), format!("id={id}"), column));
            } else {
                // Only '' fits a CHAR(0).
                assert!(layout.columns[field].name.starts_with("char_0"), "{field}");
            }
        }
    }
    assert!(planted.len() > 150, "{}", planted.len());
    let options = VerifyOptions {
        named_keys: usize::MAX,
        ..small_pages(50)
    };
    let report = verify(&world, &mirror, &options);
    let mut named = BTreeSet::new();
    for (table, difference) in found(&report) {
        let DifferenceKind::Columns(columns) = &difference.kind else {
            panic!("{flavor}: {table}: {difference}");
        };
        named.extend(
            columns
                .iter()
                .map(|c| (table.clone(), difference.key.clone(), *c)),
        );
    }
    assert_eq!(named, planted, "{flavor}");
    println!(
        "{flavor}: {} corruptions in all types are named",
        planted.len()
    );
    // Keys are shown, other values never.
    assert!(!report.to_string().contains("0x"), "{report}");
}

fn corruptions_in_a_large_table_are_named(flavor: Flavor) {
    let world = World::start(flavor);
    let rows = rounds("rows of the large table", 20_000);
    let count = rounds("corruptions", 2).clamp(3, 100);
    let mut conn = world.conn();
    support::fill_big(&mut conn, rows);
    let mirror = world.mirror();
    let report = verify(&world, &mirror, &VerifyOptions::default());
    assert_equal(&world, &report, "before");
    println!("{flavor}: {} rows in {:?}", report.rows(), report.took);
    let mut random = Random::for_test();
    let mut planted = BTreeSet::new();
    unlogged(&mut conn);
    while planted.len() < count as usize {
        // The ends first.
        let id = match planted.len() {
            0 => 1,
            1 => rows,
            _ => 1 + random.below(u64::from(rows)) as u32,
        };
        let set = match random.one_in(2) {
            true => "n = n + 1",
            false => "filler = CONCAT(filler, '!')",
        };
        if planted.insert(format!("id={id}")) {
            run_in(&mut conn, &format!("UPDATE big SET {set} WHERE id = {id}"));
        }
    }
    let options = VerifyOptions {
        named_keys: 200,
        ..VerifyOptions::default()
    };
    let report = verify(&world, &mirror, &options);
    let named: BTreeSet<String> = found(&report).map(|(_, one)| one.key).collect();
    assert_eq!(named, planted, "{flavor}");
    assert_eq!(report.differences(), planted.len() as u64);
    println!(
        "{flavor}: {} corruptions in {rows} rows are named, in {:?}",
        planted.len(),
        report.took
    );
}

fn a_healthy_mirror_under_fire_has_no_finding(flavor: Flavor) {
    let world = World::start_with(flavor, &ServerOptions::new().arg("--sync-binlog=1"));
    support::fill_big(&mut world.conn(), 5_000);
    let count = rounds("verifications under fire", 3);
    let mirror = world.mirror();
    let audited = AtomicU64::new(0);
    let audited = Arc::new(audited);
    let counter = Arc::clone(&audited);
    let audit = mirror
        .audit(AuditOptions {
            rows_per_second: 20_000,
            pause: Duration::ZERO,
            on_finding: Some(Arc::new(move |finding| {
                println!("{finding}");
                counter.fetch_add(1, Ordering::SeqCst);
            })),
            ..AuditOptions::default()
        })
        .unwrap();
    let mut random = Random::for_test();
    let (mut rows, mut again) = (0, 0);
    under_fire(&world, &mut random, |writers| {
        for round in 0..count {
            // Every second round commits stay long between binlog and visibility.
            support::widen_the_race(&world, round % 2 == 1);
            if round % 5 == 2 {
                world.run("FLUSH BINARY LOGS");
            }
            let pages = [7, 40, 1_000, 100_000][round as usize % 4];
            let report = verify(&world, &mirror, &small_pages(pages));
            assert_equal(&world, &report, &format!("round {round}"));
            rows += report.rows();
            again += report.tables.iter().map(|t| t.read_again).sum::<u64>();
        }
        assert!(writers.commits() > 10, "{}", writers.commits());
        println!(
            "{flavor}: {count} times equal, {rows} rows, {again} read again, {} commits; {:?}",
            writers.commits(),
            audit.progress()
        );
    });
    let progress = audit.progress();
    assert_eq!(audited.load(Ordering::SeqCst), 0, "{progress:?}");
    assert_eq!(progress.last_error, None, "{progress:?}");
    assert!(progress.rows > 0 || progress.rounds > 0, "{progress:?}");
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

/// Runs writers around `work`.
fn under_fire(world: &World, random: &mut Random, work: impl FnOnce(&Writers)) {
    let writers = Writers::default();
    let port = world.server.port();
    std::thread::scope(|scope| {
        let _end = writers.gate.end_on_drop();
        for _ in 0..WRITERS {
            let (writers, random) = (&writers, random.fork());
            scope.spawn(move || writers.write(port, random));
        }
        writers.gate.open();
        assert!(wait_for(Duration::from_secs(20), || writers.commits() > 5));
        work(&writers);
    });
}

fn loads_definitions_and_lost_connections_in_the_middle_are_no_finding(flavor: Flavor) {
    let world = World::start(flavor);
    support::fill_big(&mut world.conn(), 2_000);
    world.run("INSERT INTO fire_a VALUES (1, 1, 'one'), (2, 2, 'two')");
    let mirror = world.mirror();
    let port = world.server.port();
    let kills = "SELECT GROUP_CONCAT(id) FROM information_schema.PROCESSLIST
                 WHERE id <> CONNECTION_ID() AND command <> 'Daemon' AND user = 'root'";
    let steps: [(&str, &[&str]); 4] = [
        // What rows cannot tell: the mirror loads again.
        (
            "a load",
            &[
                "SET SESSION binlog_format = 'STATEMENT'",
                "UPDATE fire_a SET n = n + 1",
            ],
        ),
        // A table that the walk has read and will read on is made anew, which would wait for
        // ever if the walk held it.
        ("a definition", &["ALTER TABLE big ENGINE=InnoDB"]),
        ("TRUNCATE", &["TRUNCATE TABLE big"]),
        ("lost connections", &[]),
    ];
    for (what, statements) in steps {
        let done = Arc::new(AtomicBool::new(false));
        let statements: Vec<String> = statements.iter().map(ToString::to_string).collect();
        let at_page = Arc::clone(&done);
        let step = move |progress: &mirror_runtime::VerifyProgress<'_>| {
            if progress.table != "mirror_test.big" || at_page.swap(true, Ordering::SeqCst) {
                return;
            }
            let mut conn = integration::connect(port).unwrap();
            for sql in &statements {
                run_in(&mut conn, sql);
            }
            if statements.is_empty() {
                use mysql::prelude::Queryable;
                let ids: Option<String> = conn.query_first(kills).unwrap();
                for id in ids.unwrap_or_default().split(',') {
                    // Some have ended by themselves.
                    let _ = conn.query_drop(format!("KILL {id}"));
                }
            }
        };
        let options = VerifyOptions {
            on_progress: Some(Arc::new(step)),
            ..small_pages(300)
        };
        let report = verify(&world, &mirror, &options);
        assert!(done.load(Ordering::SeqCst), "{what}: nothing was done");
        assert_equal(&world, &report, what);
        println!(
            "{flavor}: {what}: {report}; {:?}",
            mirror.status().last_reload
        );
        world.catch_up(&mirror);
        support::refill_big(&mut world.conn(), 2_000);
    }
    let stopped = Arc::new(Mutex::new(Some(mirror)));
    let (held, options) = (Arc::clone(&stopped), small_pages(100));
    let mirror = held.lock().unwrap().take().unwrap();
    mirror.stop();
    let error = mirror.verify(&options).expect_err("the mirror has ended");
    assert!(matches!(error, Error::Stopped), "{error}");
}

fn a_commit_that_the_mirror_sees_before_selects_do_is_no_finding(flavor: Flavor) {
    use mysql::prelude::Queryable;
    let world = World::start(flavor);
    if world.is_mysql() {
        return world.does_not_apply("nothing but a plugin lets a commit wait behind the binlog");
    }
    world.run("INSERT INTO fire_a VALUES (1, 1, 'one'), (2, 2, 'two')");
    let mirror = world.mirror();
    world.catch_up(&mirror);
    for setting in [
        "rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
        "rpl_semi_sync_master_wait_no_slave = ON",
        "rpl_semi_sync_master_timeout = 2000",
        "rpl_semi_sync_master_enabled = ON",
    ] {
        world.run(&format!("SET GLOBAL {setting}"));
    }
    let n_here = || mirror.snapshot().fire_a().get(1).map(|row| row.n);
    std::thread::scope(|scope| {
        // Waits for a replica that never comes.
        scope.spawn(|| world.run("UPDATE fire_a SET n = 99 WHERE id = 1"));
        assert!(wait_for(Duration::from_secs(10), || n_here() == Some(99)));
        let n_there = || -> Option<i64> {
            let answer = world
                .conn()
                .query_first("SELECT n FROM fire_a WHERE id = 1");
            answer.unwrap()
        };
        assert_eq!(n_there(), Some(1), "the server shows it already");
        let report = verify(&world, &mirror, &VerifyOptions::default());
        assert_equal(&world, &report, "while a commit waits");
        let again: u64 = report.tables.iter().map(|table| table.read_again).sum();
        assert_eq!(again, 1, "{report}");
        assert_eq!(n_there(), Some(99));
    });
}

fn a_row_that_changes_all_the_time_is_not_passed_over(flavor: Flavor) {
    let world = World::start(flavor);
    if !world.is_mysql() && world.version() >= (11, 0, 0) {
        // With each load it takes in what was changed behind its back.
        return world.does_not_apply("the mirror loads again at updates without all columns");
    }
    world.run("INSERT INTO fire_a VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')");
    let mirror = world.mirror();
    world.catch_up(&mirror);
    let mut conn = world.conn();
    unlogged(&mut conn);
    run_in(&mut conn, "UPDATE fire_a SET tag = 'other' WHERE id = 2");
    let stop = AtomicBool::new(false);
    let options = VerifyOptions {
        recheck_time: Duration::from_millis(300),
        ..VerifyOptions::default()
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The images have no `tag`: the mirror keeps its own.
            let mut conn = world.conn();
            run_in(&mut conn, "SET SESSION binlog_row_image = 'MINIMAL'");
            while !stop.load(Ordering::SeqCst) {
                run_in(&mut conn, "UPDATE fire_a SET n = n + 1 WHERE id < 3");
            }
        });
        std::thread::sleep(Duration::from_millis(50));
        let report = mirror.verify(&options);
        stop.store(true, Ordering::SeqCst);
        let report = report.unwrap();
        let status = mirror.status();
        println!(
            "{flavor}: {report}; reloads {}, {:?}",
            status.reloads, status.last_reload
        );
        assert!(!report.is_equal(), "{flavor}: {report}");
        let named = report.to_string();
        assert!(named.contains("  id=2"), "{flavor}: {report}");
        assert!(found(&report).all(|(_, one)| one.key == "id=2"), "{report}");
    });
    world.catch_up(&mirror);
    let report = verify(&world, &mirror, &options);
    let lines: Vec<String> = found(&report).map(|(_, one)| one.to_string()).collect();
    assert_eq!(lines, ["id=2: differs in tag"], "{flavor}");
}

fn the_audit_finds_a_difference_and_stops_with_its_handle(flavor: Flavor) {
    let world = World::start(flavor);
    support::fill_big(&mut world.conn(), 500);
    let mirror = world.mirror();
    let findings = Arc::new(Mutex::new(Vec::new()));
    let listed = Arc::clone(&findings);
    let options = AuditOptions {
        tables: Some(vec!["mirror_test.big".into(), "mirror_test.marker".into()]),
        rows_per_second: 2_000,
        pause: Duration::from_millis(10),
        on_finding: Some(Arc::new(move |finding| {
            listed.lock().unwrap().push(finding.to_string());
        })),
        ..AuditOptions::default()
    };
    let unknown = AuditOptions {
        tables: Some(vec!["mirror_test.bigg".into()]),
        ..options.clone()
    };
    assert!(matches!(
        mirror.audit(unknown),
        Err(Error::UnknownTable { .. })
    ));
    let audit = mirror.audit(options).unwrap();
    let patience = Duration::from_secs(20);
    assert!(wait_for(patience, || audit.progress().rounds >= 1));
    let report = audit.progress().last_report.expect("a round has ended");
    assert_eq!((report.rows(), report.is_equal()), (501, true), "{report}");
    // A quarter of a second at this rate.
    assert!(
        report.took > Duration::from_millis(150),
        "{:?}",
        report.took
    );
    assert!(findings.lock().unwrap().is_empty());

    let mut conn = world.conn();
    unlogged(&mut conn);
    run_in(&mut conn, "UPDATE big SET n = -n WHERE id = 321");
    assert!(wait_for(patience, || !findings.lock().unwrap().is_empty()));
    let first = findings.lock().unwrap()[0].clone();
    let expected = "table mirror_test.big, id=321: differs in n (at ";
    assert!(first.starts_with(expected), "{first}");
    assert!(audit.progress().differences >= 1, "{:?}", audit.progress());
    assert!(audit.progress().is_running);
    let begun = std::time::Instant::now();
    drop(audit);
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );

    let audit = mirror.audit(AuditOptions::default()).unwrap();
    mirror.stop();
    assert!(wait_for(patience, || !audit.progress().is_running));
}

fn the_rights_of_the_mirror_suffice(flavor: Flavor) {
    let world = World::start(flavor);
    for sql in [
        "CREATE USER 'mirror_user'@'%'",
        "GRANT SELECT ON mirror_test.* TO 'mirror_user'@'%'",
        "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'mirror_user'@'%'",
        "INSERT INTO fire_a VALUES (1, 1, 'one'), (2, 2, 'two')",
    ] {
        world.run(sql);
    }
    let url = format!("mysql://mirror_user@127.0.0.1:{}/", world.server.port());
    let mirror = world.mirror_with(world.options_at(&url));
    let report = verify(&world, &mirror, &VerifyOptions::default());
    assert_equal(&world, &report, "without other rights");
    let mut conn = world.conn();
    unlogged(&mut conn);
    run_in(&mut conn, "DELETE FROM fire_a WHERE id = 2");
    let report = verify(&world, &mirror, &VerifyOptions::default());
    let lines: Vec<String> = found(&report).map(|(_, one)| one.to_string()).collect();
    assert_eq!(lines, ["id=2: only in the mirror"], "{flavor}");
}
