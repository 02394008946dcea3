//! Random faults, one after the other, under a mixed load.

use std::collections::BTreeMap;

use integration::compare::assert_equals_server;
use integration::fire::Writers;
use integration::replay::check_replayed;
use integration::usage::Usage;
use integration::watched::Watched;
use integration::{Random, on_both_servers, rounds};
use lab::{Flavor, ServerOptions};
use mirror_runtime::CheckpointOptions;

use super::kinds::{KINDS, Kind, Scene, is_whole};
use super::*;

on_both_servers!(whatever_goes_wrong_the_mirror_shows_whole_transactions_and_ends_equal);

const WRITERS: u32 = 2;
const READERS: u32 = 2;
const GROUPS: u32 = 20;
/// Faults between two comparisons of all rows.
const BETWEEN: u32 = 25;
/// Faults from which on memory and descriptors are expected to have settled.
const SETTLED: u32 = 100;

fn whatever_goes_wrong_the_mirror_shows_whole_transactions_and_ends_equal(flavor: Flavor) {
    let durable = ServerOptions::new()
        .arg("--sync-binlog=1")
        .arg("--innodb-flush-log-at-trx-commit=1");
    let mut world = World::start_with(flavor, &durable);
    let mut random = Random::for_test();
    let count = rounds("faults", 14);
    let (watched, fire) = (Watched::default(), Writers::default());
    watched.fill(&world, GROUPS, WRITERS);
    watched
        .pause_micros
        .store(5_000, std::sync::atomic::Ordering::Relaxed);
    let proxy = Proxy::start(world.server.port()).unwrap();
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("checkpoint");
    let mut options = options_behind(&world, &proxy);
    options.checkpoint = Some(CheckpointOptions {
        interval: Some(Duration::from_millis(100)),
        ..CheckpointOptions::new(&folder)
    });
    let mirror = world.mirror_with(options);
    let port = world.server.port();
    let mut counts = BTreeMap::<Kind, u32>::new();
    std::thread::scope(|scope| {
        let _ended = watched.end_on_drop();
        for writer in 0..WRITERS {
            let (watched, random) = (&watched, random.fork());
            scope.spawn(move || watched.write(port, writer, random));
        }
        let read = || watched.read(&mirror, Duration::from_millis(1));
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(read)).collect();
        watched.gate.open();
        fire.around(port, &mut random.fork(), || {
            check_replayed(&mirror, || {
                let scene = Scene {
                    world: &mut world,
                    proxy: &proxy,
                    mirror: &mirror,
                    watched: &watched,
                    folder,
                };
                counts = faults(scene, count, &mut random, &fire);
                watched.gate.close();
                fire.gate.close();
                assert_equals_server(&world, &mirror);
            });
        });
        watched.end();
        let versions = readers.into_iter().map(|reader| reader.join().unwrap());
        assert!(versions.min() > Some(20));
    });
    let rows = assert_verified(&mirror);
    report(flavor, &counts, &mirror, &watched, &fire);
    println!("{flavor}: verified {rows} rows");
    assert_eq!(mirror.status().reloads, 0, "{:?}", mirror.status());
}

/// Lets so many faults happen, each kind as often as the others.
fn faults(
    mut scene: Scene<'_>,
    count: u32,
    random: &mut Random,
    fire: &Writers,
) -> BTreeMap<Kind, u32> {
    let (mut counts, mut bag, mut usage) = (BTreeMap::new(), Vec::new(), Vec::new());
    for number in 1..=count {
        if bag.is_empty() {
            bag.extend(KINDS);
        }
        let kind = bag.swap_remove(random.below(bag.len() as u64) as usize);
        let commits = (scene.watched.commits(), fire.commits());
        scene.happen(kind, random);
        *counts.entry(kind).or_default() += 1;
        scene.world.catch_up(scene.mirror);
        let written = || scene.watched.commits() > commits.0 && fire.commits() > commits.1;
        assert!(wait_for(PATIENCE, written), "{kind:?}: nobody writes");
        if number % BETWEEN == 0 {
            assert_verified(scene.mirror);
            assert!(is_whole(&scene.folder));
            let now = Usage::now();
            println!("after {number} faults: {now:?}");
            usage.push((number, now));
        }
    }
    let settled: Vec<Usage> = usage
        .into_iter()
        .filter(|(number, _)| *number >= SETTLED)
        .map(|(_, usage)| usage)
        .collect();
    assert_flat(&settled);
    counts
}

/// Neither memory nor descriptors grow, from the first third to the last.
fn assert_flat(usage: &[Usage]) {
    let third = usage.len() / 3;
    if third == 0 {
        return;
    }
    let most = |usage: &[Usage], of: fn(&Usage) -> u64| usage.iter().map(of).max().unwrap_or(0);
    let (begin, end) = (&usage[..third], &usage[usage.len() - third..]);
    let memory = |usage: &Usage| usage.resident;
    let (before, after) = (most(begin, memory), most(end, memory));
    assert!(
        after < before + before / 4 + (16 << 20),
        "memory: {before}, then {after}"
    );
    let files = |usage: &Usage| usage.descriptors;
    let (before, after) = (most(begin, files), most(end, files));
    assert!(after < before + 20, "descriptors: {before}, then {after}");
}

fn report(
    flavor: Flavor,
    counts: &BTreeMap<Kind, u32>,
    mirror: &Mirror,
    watched: &Watched,
    fire: &Writers,
) {
    let status = mirror.status();
    let snapshots = watched.snapshots.load(std::sync::atomic::Ordering::Relaxed);
    println!(
        "{flavor}: {} faults {counts:?}; {} and {} commits, {} transactions, {snapshots} \
         snapshots judged, {} tries to connect again, {} reloads, {} checkpoints",
        counts.values().sum::<u32>(),
        watched.commits(),
        fire.commits(),
        status.transactions,
        status.connection_attempts,
        status.reloads,
        status.checkpoint.map_or(0, |checkpoint| checkpoint.written),
    );
}
