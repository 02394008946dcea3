//! Each snapshot reads the same by every way to read, and as long as it is held, whatever is written
//! meanwhile and wherever the stream is cut; and what snapshots held is given back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use integration::compare::assert_equals_server;
use integration::edge::text_literal;
use integration::{Random, World, on_both_servers, rounds, wait_for};
use lab::{Flavor, Proxy, ServerOptions};
use mirror_runtime::{State, Text};
use mysql::Conn;
use mysql::prelude::Queryable;
use test_mirror::{KeyText, Mirror, Snapshot};

on_both_servers!(
    snapshots_agree_with_themselves_while_servers_die_in_large_transactions,
    what_snapshots_held_is_given_back_on_a_quiet_server,
    what_snapshots_held_is_given_back_beside_transactions_of_others,
);

const PATIENCE: Duration = Duration::from_secs(60);
/// Row of the marker that has the sum of `key_text.n`, and that with the number of rows.
const SUM: i32 = 2;
const COUNT: i32 = 3;

/// The note of a row, which goes with its number: NULL, empty, and of lengths around those at
/// which text is held in another way.
fn note(n: i64) -> Option<String> {
    match n.rem_euclid(8) {
        0 => None,
        1 => Some(String::new()),
        2 => Some("e".repeat(8)),
        3 => Some("n".repeat(9)),
        4 => Some("f".repeat(256)),
        5 => Some("s".repeat(257)),
        6 => Some("ü€".repeat(2)),
        _ => Some("l".repeat(520)),
    }
}

/// The same of the column `n`, in SQL.
const NOTE: &str = "CASE MOD(MOD(n, 8) + 8, 8) WHEN 0 THEN NULL WHEN 1 THEN '' \
    WHEN 2 THEN REPEAT('e', 8) WHEN 3 THEN REPEAT('n', 9) WHEN 4 THEN REPEAT('f', 256) \
    WHEN 5 THEN REPEAT('s', 257) WHEN 6 THEN REPEAT('ü€', 2) ELSE REPEAT('l', 520) END";

fn name(random: &mut Random) -> String {
    let length = *random.pick(&[0_usize, 1, 2, 2, 3, 7, 8, 9, 20, 40]);
    let characters = ["a", "b", "c", "é", "€", "\0", "😀", "\u{7f}", " x"];
    let mut name = String::new();
    while name.chars().count() < length {
        name.push_str(random.pick::<&str>(&characters));
    }
    let some = name.chars().take(length);
    some.collect::<String>().trim_end_matches(' ').to_owned()
}

fn rows(random: &mut Random, count: u64) -> String {
    let row = |_| {
        let n = random.between(-500, 500);
        let note = note(n).map_or("NULL".to_owned(), |note| text_literal(&note));
        format!("({}, {n}, {note})", text_literal(&name(random)))
    };
    let rows: Vec<String> = (0..count).map(row).collect();
    rows.join(",")
}

fn statement(random: &mut Random) -> String {
    let (k, r) = (random.between(2, 9), random.between(0, 8));
    let few = random.between(1, 60);
    match random.below(12) {
        0 | 1 => format!(
            "INSERT INTO key_text VALUES {} ON DUPLICATE KEY UPDATE n = VALUES(n), note = VALUES(note)",
            rows(random, few as u64)
        ),
        2 => format!("REPLACE INTO key_text VALUES {}", rows(random, few as u64)),
        3 => format!("INSERT IGNORE INTO key_text VALUES {}", rows(random, 300)),
        4 => format!("DELETE FROM key_text WHERE MOD(n, {k}) = {r} LIMIT {few}"),
        5 => format!("DELETE FROM key_text WHERE MOD(ABS(n), {k}) = {r}"),
        6 => format!("UPDATE key_text SET n = n + {r}, note = {NOTE} WHERE MOD(n, {k}) = 1"),
        7 => format!("UPDATE key_text SET n = -n, note = {NOTE}"),
        // Keys move to keys of others that moved away before.
        8 => "UPDATE key_text SET name = CONCAT('a', name) WHERE CHAR_LENGTH(name) < 40 \
              ORDER BY CHAR_LENGTH(name) DESC, name DESC"
            .to_owned(),
        9 => "UPDATE IGNORE key_text SET name = LEFT(name, CHAR_LENGTH(name) - 1) \
              WHERE CHAR_LENGTH(name) > 1 AND name NOT LIKE '%  ' ORDER BY CHAR_LENGTH(name)"
            .to_owned(),
        10 => format!("UPDATE IGNORE key_text SET name = REVERSE(name) ORDER BY n LIMIT {few}"),
        _ => format!("DELETE FROM key_text ORDER BY name DESC LIMIT {few}"),
    }
}

/// What goes wrong in a statement is part of the test: keys that are there, connections that end.
fn transaction(conn: &mut Conn, random: &mut Random) -> mysql::Result<()> {
    if random.one_in(40) {
        conn.query_drop(format!("DELETE FROM marker WHERE id IN ({SUM}, {COUNT})"))?;
        conn.query_drop("TRUNCATE TABLE key_text")?;
    }
    conn.query_drop("BEGIN")?;
    for _ in 0..=random.below(5) {
        let undone = random.one_in(6);
        if undone {
            conn.query_drop("SAVEPOINT here")?;
        }
        match conn.query_drop(statement(random)) {
            Err(mysql::Error::MySqlError(_)) => {}
            other => other?,
        }
        if random.one_in(8) {
            swap(conn, random)?;
        }
        if undone {
            conn.query_drop("ROLLBACK TO here")?;
        }
    }
    if random.one_in(8) {
        conn.query_drop("DELETE FROM key_text")?;
        conn.query_drop(format!(
            "INSERT IGNORE INTO key_text VALUES {}",
            rows(random, 400)
        ))?;
    }
    conn.query_drop(format!(
        "REPLACE INTO marker SELECT {SUM}, COALESCE(SUM(n), 0) + 1000000000 FROM key_text \
         UNION ALL SELECT {COUNT}, COUNT(*) FROM key_text"
    ))?;
    conn.query_drop(if random.one_in(10) {
        "ROLLBACK"
    } else {
        "COMMIT"
    })
}

/// Two rows change keys, by way of a third key.
fn swap(conn: &mut Conn, random: &mut Random) -> mysql::Result<()> {
    let offset = random.below(50);
    let names: Vec<Vec<u8>> = conn.query(format!(
        "SELECT name FROM key_text ORDER BY n LIMIT 2 OFFSET {offset}"
    ))?;
    let [one, other] = &names[..] else {
        return Ok(());
    };
    let free = b"~~~~".to_vec();
    for (from, to) in [(one, &free), (other, one), (&free, other)] {
        conn.exec_drop("UPDATE key_text SET name = ? WHERE name = ?", (to, from))?;
    }
    Ok(())
}

fn write(port: u16, mut random: Random, ended: &AtomicBool, commits: &AtomicU64) {
    let mut conn: Option<Conn> = None;
    while !ended.load(Ordering::Relaxed) {
        let Some(open) = conn.as_mut() else {
            conn = integration::connect(port).ok();
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        match transaction(open, &mut random) {
            Ok(()) => {
                commits.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                if !matches!(
                    error,
                    mysql::Error::IoError(_) | mysql::Error::DriverError(_)
                ) {
                    println!("{error}");
                }
                conn = None;
            }
        }
    }
}

/// All rows, by the number of the version that they were read in.
type Rows = Vec<(String, i64, Option<String>)>;

/// Reads a snapshot by every way to read; all rows.
fn read(snapshot: &Snapshot, random: &mut Random) -> Rows {
    let view = snapshot.key_text();
    let all: Vec<&KeyText> = view.iter().collect();
    assert!(all.is_sorted_by(|one, other| one.name < other.name));
    assert_eq!(all.len(), view.len());
    let mut unordered: Vec<&KeyText> = view.unordered().collect();
    unordered.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(unordered == all, "in no order");
    for row in &all {
        assert_eq!(row.note.as_deref(), note(row.n).as_deref(), "{}", row.n);
    }
    let mut by_n = all.clone();
    by_n.sort_by(|one, other| (one.n, &one.name).cmp(&(other.n, &other.name)));
    assert!(view.by_n_range(..).eq(by_n.iter().copied()), "by index");
    for _ in 0..5 {
        let bounds = [name(random), name(random)].map(Text::from);
        let n = random.between(-500, 500);
        let [from, to] = &bounds;
        let within = all.iter().filter(|row| row.name >= *from && row.name < *to);
        assert!(view.range(&**from..&**to).eq(within.copied()));
        assert_eq!(
            view.get(from),
            all.iter().find(|row| row.name == *from).copied()
        );
        let of_n = all.iter().filter(|row| row.n == n);
        assert!(view.by_n(n).eq(of_n.copied()));
    }
    let marker = |id| snapshot.marker().get(id).map(|row| row.n as i64);
    if let (Some(sum), Some(count)) = (marker(SUM), marker(COUNT)) {
        assert_eq!(all.len() as i64, count, "rows");
        let found: i64 = all.iter().map(|row| row.n).sum();
        assert_eq!(found, sum - 1_000_000_000, "sum");
    }
    let owned = |row: &&KeyText| {
        (
            row.name.to_string(),
            row.n,
            row.note.as_deref().map(String::from),
        )
    };
    all.iter().map(owned).collect()
}

fn read_on(mirror: &Mirror, mut random: Random, ended: &AtomicBool, reads: &AtomicU64) {
    let mut held: Vec<(Snapshot, Rows)> = Vec::new();
    while !ended.load(Ordering::Relaxed) {
        let snapshot = mirror.snapshot();
        let rows = read(&snapshot, &mut random);
        reads.fetch_add(1, Ordering::Relaxed);
        if held.len() < 40 && random.one_in(3) {
            held.push((snapshot, rows));
        }
        if !held.is_empty() && random.one_in(3) {
            let place = random.below(held.len() as u64) as usize;
            let (snapshot, rows) = &held[place];
            assert!(
                read(snapshot, &mut random) == *rows,
                "a held snapshot changed"
            );
            if random.one_in(3) {
                held.swap_remove(place);
            }
        }
    }
    for (snapshot, rows) in &held {
        assert!(
            read(snapshot, &mut random) == *rows,
            "a held snapshot changed"
        );
    }
}

fn versions(mirror: &Mirror, table: &str) -> (usize, usize) {
    let status = mirror.status();
    let mut tables = status.tables.iter();
    let found = tables.find(|status| status.table == format!("mirror_test.{table}"));
    let memory = found.unwrap().memory;
    (memory.rows, memory.versions)
}

fn snapshots_agree_with_themselves_while_servers_die_in_large_transactions(flavor: Flavor) {
    let options = ServerOptions::new()
        .arg("--sync-binlog=1")
        .arg("--innodb-flush-log-at-trx-commit=1");
    let mut world = World::start_with(flavor, &options);
    let mut random = Random::for_test();
    let port = world.server.port();
    let proxy = Proxy::start(port).unwrap();
    let mut options = world.options_at(&proxy.url());
    options.reconnect_max_wait = Duration::from_millis(150);
    let mirror = world.mirror_with(options);
    let (ended, commits, reads) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let (writer, readers) = (random.fork(), [random.fork(), random.fork()]);
    std::thread::scope(|scope| {
        // Also when something below panics.
        let _ended = EndOnDrop(&ended);
        scope.spawn(|| write(port, writer, &ended, &commits));
        for reader in readers {
            scope.spawn(|| read_on(&mirror, reader, &ended, &reads));
        }
        for round in 1..=rounds("cuts and kills", 4) {
            proxy.cut_after(Some(random.below(400_000)));
            proxy.cut_all();
            std::thread::sleep(Duration::from_millis(1_000 + random.below(1_000)));
            if round % 2 == 0 {
                world.server.kill9().unwrap();
                world.server.restart().unwrap();
            }
            proxy.cut_after(None);
            std::thread::sleep(Duration::from_millis(500));
        }
        ended.store(true, Ordering::Relaxed);
    });
    let live = || mirror.status().state == State::Live;
    assert!(wait_for(PATIENCE, live), "{flavor}: {:?}", mirror.status());
    assert_equals_server(&world, &mirror);
    read(&mirror.snapshot(), &mut random);
    let status = mirror.status();
    println!(
        "{flavor}: {} commits, {} reads, {} reconnects",
        commits.into_inner(),
        reads.into_inner(),
        status.reconnects
    );
    assert_eq!(status.reloads, 0, "{status:?}");
    let is_given_back = || {
        let (rows, versions) = versions(&mirror, "key_text");
        rows == versions
    };
    assert!(
        wait_for(PATIENCE, is_given_back),
        "{:?}",
        versions(&mirror, "key_text")
    );
}

struct EndOnDrop<'e>(&'e AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn fill_big(world: &World) {
    world.run("INSERT INTO big (id, n, filler) VALUES (0, 0, REPEAT('x', 100))");
    for doubling in 0..12 {
        world.run(&format!(
            "INSERT INTO big SELECT id + (1 << {doubling}), n, filler FROM big"
        ));
    }
}

fn what_snapshots_held_is_given_back_on_a_quiet_server(flavor: Flavor) {
    let world = World::start(flavor);
    fill_big(&world);
    let mirror = world.mirror();
    let held = mirror.snapshot();
    world.run("DELETE FROM big WHERE id > 9");
    world.catch_up(&mirror);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(
        (held.big().iter().count(), versions(&mirror, "big")),
        (4096, (10, 4096))
    );
    drop(held);
    let is_given_back = || versions(&mirror, "big") == (10, 10);
    assert!(
        wait_for(PATIENCE / 4, is_given_back),
        "{:?}",
        versions(&mirror, "big")
    );
}

fn what_snapshots_held_is_given_back_beside_transactions_of_others(flavor: Flavor) {
    let world = World::start(flavor);
    fill_big(&world);
    world.run("CREATE TABLE other (n INT)");
    let mirror = world.mirror();
    let held = mirror.snapshot();
    world.run("DELETE FROM big WHERE id > 9");
    world.catch_up(&mirror);
    drop(held);
    // No heartbeat comes while others write.
    let mut conn = world.conn();
    let until = Instant::now() + PATIENCE / 4;
    while versions(&mirror, "big") != (10, 10) {
        assert!(Instant::now() < until, "{:?}", versions(&mirror, "big"));
        conn.query_drop("INSERT INTO other VALUES (1)").unwrap();
    }
}
