//! `binlog_checksum` is switched while a mirror follows: each file says for itself whether its
//! events have checksums.

use std::cell::Cell;

use integration::{World, on_both_servers};
use lab::{Flavor, ServerOptions};
use mirror_runtime::BinlogPosition;

use super::{assert_equal, mirror_of};

on_both_servers!(
    checksums_that_are_switched_off_and_on_change_nothing_for_a_mirror,
    a_mirror_that_starts_without_checksums_follows_when_they_are_switched_on,
);

const TABLES: [&str; 1] = ["fire_a"];

fn check(flavor: Flavor, first: &str, others: &[&str]) {
    let options = ServerOptions::new().arg(format!("--binlog-checksum={first}"));
    let world = World::start_with(flavor, &options);
    let from = world.position();
    let rows = Cell::new(0);
    let insert = || {
        rows.set(rows.get() + 1);
        let id = rows.get();
        world.run(&format!("INSERT INTO fire_a VALUES ({id}, {id}, 'x')"));
    };
    insert();
    let mirror = mirror_of(&world, &TABLES);
    insert();
    for checksum in others {
        let file = |text: &str| text.parse::<BinlogPosition>().unwrap().file;
        let before = file(&world.position());
        world.run(&format!("SET GLOBAL binlog_checksum = {checksum}"));
        let now = file(&world.position());
        assert!(before < now, "a switch begins a file: {before}, {now}");
        insert();
        world.run("FLUSH BINARY LOGS");
        insert();
        assert_equal(&world, &mirror, &TABLES);
        // Neither cut nor with stray bytes of a checksum.
        let position = mirror.status().position.expect("a position");
        assert_eq!(position.to_string(), world.position());
        // One that starts in a file of this kind, and one that reads over the switch.
        assert_equal(&world, &mirror_of(&world, &TABLES), &TABLES);
        let seen = integration::stream::read_from(&world, &from);
        assert_eq!(seen.count("rows fire_a"), rows.get(), "{seen:?}");
    }
    let status = mirror.status();
    assert_eq!(
        (status.reloads, status.connection_attempts),
        (0, 0),
        "{status:?}"
    );
}

fn checksums_that_are_switched_off_and_on_change_nothing_for_a_mirror(flavor: Flavor) {
    check(flavor, "CRC32", &["NONE", "CRC32"]);
}

fn a_mirror_that_starts_without_checksums_follows_when_they_are_switched_on(flavor: Flavor) {
    check(flavor, "NONE", &["CRC32", "NONE"]);
}
