//! Look-ups by primary key, unique key and other indexes give the rows that a SELECT gives.

use integration::compare::assert_equals_server;
use integration::edge::{bytes_literal, text_literal};
use integration::{Random, World, on_both_servers, rounds};
use lab::Flavor;
use mirror_runtime::{Date, Decimal};
use mysql::prelude::Queryable;
use test_mirror::{IndexedState, KeyComposite, KeyCompositeView, Mirror};

on_both_servers!(
    look_ups_by_key_give_the_row_or_none,
    indexes_follow_every_change,
    columns_that_are_not_mirrored_are_skipped,
);

fn date(day: u8) -> Date {
    Date::new(2031, 2, day).unwrap()
}

/// Rows by the first columns of a key are those that a look at all rows finds, in the same order.
fn compare_prefixes(table: KeyCompositeView<'_>) {
    let keys = |rows: &mut dyn Iterator<Item = &KeyComposite>| -> Vec<(i16, String, Date)> {
        rows.map(|row| (row.part, row.code.to_string(), row.day))
            .collect()
    };
    let mut found = 0;
    for part in -2..=2 {
        let with_part = keys(&mut table.prefix(part));
        let expected = keys(&mut table.iter().filter(|row| row.part == part));
        assert_eq!(with_part, expected, "part {part}");
        found += with_part.len();
        for n in 0..=21 {
            let code = format!("c{n}");
            let is_one = |row: &&KeyComposite| row.part == part && *row.code == *code;
            let expected = keys(&mut table.iter().filter(is_one));
            assert_eq!(keys(&mut table.prefix_2(part, &code)), expected);
        }
    }
    assert_eq!(found, table.len());
}

fn look_ups_by_key_give_the_row_or_none(flavor: Flavor) {
    let world = World::start(flavor);
    // Half of each before the load, half through the binlog.
    insert_keys(&world, 1..=10);
    let mirror = world.mirror();
    insert_keys(&world, 11..=20);
    world.catch_up(&mirror);
    assert_equals_server(&world, &mirror);

    let snapshot = mirror.snapshot();
    let composite = snapshot.key_composite();
    assert_eq!(composite.len(), 20);
    for n in 1..=20u8 {
        let part = i16::from(n % 3) - 1;
        let row = composite.get(part, &format!("c{n}"), date(n)).unwrap();
        assert_eq!(row.n, i64::from(n));
        assert!(composite.get(part, &format!("c{n}"), date(n + 1)).is_none());
        assert!(composite.get(part, &format!("C{n}"), date(n)).is_none());
        assert_eq!(
            snapshot.key_text().get(&format!("Näme {n}")).unwrap().n,
            i64::from(n)
        );
        assert!(snapshot.key_text().get(&format!("näme {n}")).is_none());
        let digest = [n, 0, 0xff, 0, 0, 0, 0, 0];
        assert_eq!(snapshot.key_binary().get(&digest).unwrap().n, i64::from(n));
        assert!(snapshot.key_binary().get(&digest[..3]).is_none());
        let unique = snapshot.key_unique().get(region(n), i32::from(n)).unwrap();
        assert_eq!(unique.n, (n.is_multiple_of(2)).then(|| i64::from(n)));
    }
    // Ranges are in key order: the first part counts most.
    let ordered: Vec<(i16, &str)> = composite.iter().map(|row| (row.part, &*row.code)).collect();
    let mut sorted = ordered.clone();
    sorted.sort_unstable();
    assert_eq!(ordered, sorted);
    let part_0 = composite.range((0, "", date(1))..(1, "", date(1)));
    assert_eq!(part_0.map(|row| row.part).collect::<Vec<_>>(), [0; 7]);
    compare_prefixes(composite);
    let names: Vec<&str> = snapshot
        .key_text()
        .range("Näme 18"..="Näme 2")
        .map(|row| &*row.name)
        .collect();
    assert_eq!(names, ["Näme 18", "Näme 19", "Näme 2"]);
    assert_eq!(snapshot.key_text().range("b".."a").count(), 0);
    let first: Vec<i64> = snapshot
        .key_binary()
        .iter()
        .take(3)
        .map(|row| row.n)
        .collect();
    assert_eq!(first, [1, 2, 3]);
}

fn region(n: u8) -> &'static str {
    if n.is_multiple_of(2) { "de" } else { "nl" }
}

fn insert_keys(world: &World, numbers: std::ops::RangeInclusive<u8>) {
    for n in numbers {
        let part = i16::from(n % 3) - 1;
        world.run(&format!(
            "INSERT INTO key_composite VALUES ({part}, 'c{n}', '2031-02-{n:02}', NULL, NULL, {n})"
        ));
        let name = text_literal(&format!("Näme {n}"));
        world.run(&format!("INSERT INTO key_text VALUES ({name}, {n}, NULL)"));
        let digest = bytes_literal(&[n, 0, 0xff]);
        world.run(&format!(
            "INSERT INTO key_binary VALUES ({digest}, {n}, NULL)"
        ));
        let odd = if n.is_multiple_of(2) {
            n.to_string()
        } else {
            "NULL".into()
        };
        world.run(&format!(
            "INSERT INTO key_unique VALUES ('f', {n}, '{}', {odd})",
            region(n)
        ));
    }
}

fn indexes_follow_every_change(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    let mut conn = world.conn();
    let mut change = |times: u32| {
        for _ in 0..times {
            match conn.query_drop(statement(&mut random)) {
                Ok(()) => {}
                Err(mysql::Error::MySqlError(error)) if error.code == 1062 => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    change(150);
    let mirror = world.mirror();
    for _ in 0..rounds("rounds of changes to indexed columns", 4) {
        change(100);
        let rows = assert_equals_server(&world, &mirror);
        assert!(rows > 30, "{rows} rows");
        compare_with_scan(&mirror);
        compare_with_select(&world, &mirror);
    }
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

/// One change; few distinct values, so that rows share them.
fn statement(random: &mut Random) -> String {
    let id = random.between(-20, 60);
    let email = match random.below(3) {
        0 => "NULL".into(),
        _ => format!("'m{}@x'", random.below(80)),
    };
    let group = if random.one_in(4) {
        "NULL".into()
    } else {
        random.below(6).to_string()
    };
    let score = format!("{}.{:02}", random.between(-9, 9), random.below(4) * 25);
    let serial = random.below(200);
    let state = random.between(1, 3);
    let seen = if random.one_in(3) {
        "NULL"
    } else {
        "'2031-02-03 04:05:06.789'"
    };
    match random.below(8) {
        0..=3 => format!(
            "REPLACE INTO indexed (id, email, group_id, score, serial, state, seen)
             VALUES ({id}, {email}, {group}, {score}, {serial}, {state}, {seen})"
        ),
        4 => format!(
            "UPDATE indexed SET group_id = {group}, state = {state} WHERE id < {id} LIMIT 5"
        ),
        5 => format!("UPDATE indexed SET email = {email}, serial = {serial} WHERE id = {id}"),
        6 => format!("UPDATE indexed SET id = {} WHERE id = {id}", id + 7),
        _ => format!("DELETE FROM indexed WHERE id = {id}"),
    }
}

/// Every index gives exactly the rows that a scan of the table gives.
fn compare_with_scan(mirror: &Mirror) {
    let snapshot = mirror.snapshot();
    let table = snapshot.indexed();
    let ids = |rows: Vec<i64>| {
        let mut rows = rows;
        rows.sort_unstable();
        rows
    };
    for row in table.iter() {
        assert_eq!(table.get(row.id).map(|found| found.id), Some(row.id));
        assert_eq!(
            table.by_serial(row.serial).map(|found| found.id),
            Some(row.id)
        );
        if let Some(email) = &row.email {
            assert_eq!(table.by_email(email).map(|found| found.id), Some(row.id));
        }
        let same: Vec<i64> = table
            .by_group_id(row.group_id)
            .map(|found| found.id)
            .collect();
        let scan = table.iter().filter(|other| other.group_id == row.group_id);
        assert_eq!(ids(same), ids(scan.map(|other| other.id).collect()));
        let same: Vec<i64> = table
            .by_group_score(row.group_id, row.score)
            .map(|found| found.id)
            .collect();
        assert!(same.contains(&row.id));
        let scan = table
            .iter()
            .filter(|other| (other.group_id, other.score) == (row.group_id, row.score));
        assert_eq!(same.len(), scan.count());
        let same = table.by_state(row.state).map(|found| found.id).collect();
        let scan = table.iter().filter(|other| other.state == row.state);
        assert_eq!(ids(same), ids(scan.map(|other| other.id).collect()));
        let same = table.by_seen(row.seen).count();
        assert_eq!(
            same,
            table.iter().filter(|other| other.seen == row.seen).count()
        );
    }
    let held = |serial: &u32| table.iter().any(|row| row.serial == *serial);
    let missing = (0..200).find(|serial| !held(serial)).unwrap();
    assert!(table.by_serial(missing).is_none());
    assert!(table.by_email("nobody@x").is_none());
    assert_eq!(table.by_group_id(Some(77)).count(), 0);
    // An index holds every row once, NULLs first.
    let groups: Vec<Option<i32>> = table
        .by_group_id_range(..)
        .map(|row| row.group_id)
        .collect();
    assert_eq!(groups.len(), table.len());
    assert!(groups.is_sorted());
    assert_eq!(table.by_email_range(..).count(), table.len());
    assert_eq!(IndexedState::ALL.len(), 3);
}

/// Ranges over an index of two columns, one of which may be NULL, are what a SELECT gives.
fn compare_with_select(world: &World, mirror: &Mirror) {
    let score = |text: &str| text.parse::<Decimal>().unwrap();
    let snapshot = mirror.snapshot();
    let bounds = (Some(2), score("-1.00"))..(Some(4), score("3.50"));
    let found: Vec<i64> = snapshot
        .indexed()
        .by_group_score_range(bounds)
        .map(|row| row.id)
        .collect();
    let selected: Vec<i64> = world
        .conn()
        .query(
            "SELECT id FROM indexed WHERE (group_id, score) >= (2, -1.00)
             AND (group_id, score) < (4, 3.50) ORDER BY group_id, score, id",
        )
        .unwrap();
    assert_eq!(found, selected);
    // NULL is a value like the others here.
    for group in [None, Some(0), Some(2), Some(77)] {
        let found: Vec<i64> = snapshot
            .indexed()
            .by_group_score_prefix(group)
            .map(|row| row.id)
            .collect();
        let selected: Vec<i64> = world
            .conn()
            .exec(
                "SELECT id FROM indexed WHERE group_id <=> ? ORDER BY score, id",
                (group,),
            )
            .unwrap();
        assert_eq!(found, selected, "{group:?}");
    }
    // Bounds of text are `&str`, whether it may be NULL or not.
    let found: Vec<i64> = snapshot
        .indexed()
        .by_email_range(Some("m1")..Some("m5"))
        .map(|row| row.id)
        .collect();
    let selected: Vec<i64> = world
        .conn()
        .query("SELECT id FROM indexed WHERE email >= 'm1' AND email < 'm5' ORDER BY BINARY email")
        .unwrap();
    assert!(!selected.is_empty());
    assert_eq!(found, selected);
    let found: Vec<i64> = snapshot.indexed().range(-5..10).map(|row| row.id).collect();
    let selected: Vec<i64> = world
        .conn()
        .query("SELECT id FROM indexed WHERE id >= -5 AND id < 10 ORDER BY id")
        .unwrap();
    assert!(!selected.is_empty());
    assert_eq!(found, selected);
}

fn columns_that_are_not_mirrored_are_skipped(flavor: Flavor) {
    let world = World::start(flavor);
    let insert = |id: i32| {
        let (null, full) = (id % 2 == 0, "REPEAT('z', 30)");
        let first = if null { "NULL" } else { full };
        let blob = if null { "NULL" } else { "REPEAT('b', 40000)" };
        world.run(&format!(
            "INSERT INTO partly VALUES ({first}, {id}, ST_GeomFromText('POINT({id} 2)'), 'n{id}',
             {blob}, b'1011', {id}.5, 'a,b', 'y', NOW(6))"
        ));
    };
    (1..=5).for_each(insert);
    let mirror = world.mirror();
    (6..=10).for_each(insert);
    world.run("UPDATE partly SET skipped_blob = 'other', skipped_point = NULL WHERE id < 8");
    world.run("UPDATE partly SET amount = NULL, skipped_first = 'q' WHERE id = 3");
    assert_equals_server(&world, &mirror);
    let snapshot = mirror.snapshot();
    assert_eq!(snapshot.partly().len(), 10);
    for row in snapshot.partly().iter() {
        assert_eq!(*row.name, *format!("n{}", row.id));
        let amount = (row.id != 3).then(|| Decimal::new(i64::from(row.id) * 10_000 + 5_000, 4));
        assert_eq!(row.amount, amount);
        assert_eq!(row.tag.label(), "y");
    }
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}
