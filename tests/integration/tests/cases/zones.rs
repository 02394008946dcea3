//! TIMESTAMP under time zones of the server and of its sessions.

use integration::cases::{Case, Servers, start};
use integration::harness::Test;
use integration::tests;
use integration::{Site, run_in};
use lab::{Flavor, ServerOptions};
use mirror_runtime::DateTime;
use mysql::prelude::Queryable;

pub(crate) const TESTS: &[Test] = tests![
    timestamps_are_instants_whatever_the_zones,
    no_hour_of_a_fold_is_lost,
];

/// 2031-01-01 13:00:00 UTC, in microseconds.
const INSTANT: i64 = 1_925_038_800_000_000;

fn timestamps_are_instants_whatever_the_zones(_servers: &Servers, flavor: Flavor) {
    let options = ServerOptions::new().arg("--default-time-zone=-03:00");
    let site = start(flavor, &options);
    let case = Case::on(&site, &["tz_t"]).expect("every server has TIMESTAMP");
    let mut conn = site.server.conn().expect("a session");
    let insert = "INSERT INTO cases.tz_t VALUES";
    let local = "'2031-01-01 10:00:00'";
    run_in(&mut conn, "SET time_zone = '-03:00'");
    run_in(&mut conn, &format!("{insert} (1, {local}, {local})"));
    let mirror = case.mirror();
    run_in(&mut conn, &format!("{insert} (2, {local}, {local})"));
    run_in(&mut conn, "SET time_zone = '+05:45'");
    run_in(
        &mut conn,
        "UPDATE cases.tz_t SET dt = '2031-01-01 11:00:00' WHERE id = 1",
    );
    for mirror in [mirror, case.mirror()] {
        let snapshot = case.caught_up(&mirror);
        for (id, dt) in [(1, "2031-01-01 11:00:00"), (2, "2031-01-01 10:00:00")] {
            let row = snapshot.tz_t().get(id).expect("the row");
            assert_eq!(
                row.ts.and_then(|ts| ts.as_micros()),
                Some(INSTANT),
                "row {id}"
            );
            assert_eq!(row.dt, dt.parse::<DateTime>().ok(), "row {id}");
        }
        case.assert_equals_server(&mirror, "zones");
    }
}

/// The zone `Test/Fold`: +02:00 until 2030-10-27 01:00:00 UTC, then +01:00. The hour from 02:00
/// to 03:00 of that day is there twice.
const FOLD: i64 = 1_919_293_200;
/// Statements that give the server the zone (MySQL manual, "MySQL Server Time Zone Support").
fn make_zone(site: &Site) {
    let mut conn = site.server.conn().expect("a session");
    run_in(
        &mut conn,
        "INSERT INTO mysql.time_zone (Use_leap_seconds) VALUES ('N')",
    );
    let id: u64 = conn
        .query_first("SELECT MAX(Time_zone_id) FROM mysql.time_zone")
        .ok()
        .flatten()
        .expect("the zone");
    for sql in [
        format!("INSERT INTO mysql.time_zone_name VALUES ('Test/Fold', {id})"),
        format!(
            "INSERT INTO mysql.time_zone_transition_type VALUES
             ({id}, 0, 7200, 1, 'SUM'), ({id}, 1, 3600, 0, 'WIN')"
        ),
        format!("INSERT INTO mysql.time_zone_transition VALUES ({id}, 0, 0), ({id}, {FOLD}, 1)"),
    ] {
        run_in(&mut conn, &sql);
    }
    run_in(&mut conn, "SET GLOBAL time_zone = 'Test/Fold'");
}

fn no_hour_of_a_fold_is_lost(_servers: &Servers, flavor: Flavor) {
    let site = start(flavor, &ServerOptions::new());
    make_zone(&site);
    let case = Case::on(&site, &["tz_t"]).expect("every server has TIMESTAMP");
    let mut conn = site.server.conn().expect("a session");
    // Sessions begin in the server's zone: the same clock shows both.
    run_in(&mut conn, "SET time_zone = 'Test/Fold'");
    let mut insert = |id: i32, seconds: i64| {
        let instant = format!("FROM_UNIXTIME({seconds})");
        let sql = format!("INSERT INTO cases.tz_t VALUES ({id}, NULL, {instant})");
        run_in(&mut conn, &sql);
        run_in(&mut conn, "SET time_zone = '+00:00'");
        let sql = format!("UPDATE cases.tz_t SET ts = {instant} WHERE id = {id}");
        run_in(&mut conn, &sql);
        run_in(&mut conn, "SET time_zone = 'Test/Fold'");
    };
    insert(1, FOLD - 1800);
    insert(2, FOLD + 1800);
    let mirror = case.mirror();
    insert(3, FOLD - 1800);
    insert(4, FOLD + 1800);
    for mirror in [mirror, case.mirror()] {
        let snapshot = case.caught_up(&mirror);
        let rows: Vec<_> = snapshot.tz_t().iter().collect();
        let clock = "2030-10-27 02:30:00".parse::<DateTime>().ok();
        assert!(rows.iter().all(|row| row.dt == clock), "{rows:?}");
        let instants = rows.iter().map(|row| row.ts.and_then(|ts| ts.as_micros()));
        let expected = [FOLD - 1800, FOLD + 1800, FOLD - 1800, FOLD + 1800];
        let expected = expected.map(|seconds| Some(seconds * 1_000_000));
        assert!(instants.eq(expected), "{rows:?}");
        case.assert_equals_server(&mirror, "a fold");
    }
}
