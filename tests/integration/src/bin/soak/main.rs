//! `cargo xtask soak`: a mirror under a steady load for a long time, with readers, checkpoints,
//! changes of definitions and lost connections; equal to the server all the time, in as much
//! memory at the end as at the beginning.

mod events;
mod report;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Parser;
use integration::usage::Usage;
use integration::watched::{GROUP, Watched};
use integration::{Gate, Random, World, connect, marathon};
use lab::{Flavor, Proxy, ServerOptions};
use mirror_runtime::{CheckpointOptions, VerifyOptions};
use test_mirror::Mirror;

use events::Events;
use report::{Report, Sample};

/// A mirror under load for a long time.
#[derive(Debug, Parser)]
#[command(name = "soak", version)]
struct Arguments {
    /// Minutes to run.
    #[arg(long, default_value_t = 60.0)]
    minutes: f64,
    /// Server: mysql or mariadb.
    #[arg(long, default_value_t = Flavor::Mysql)]
    server: Flavor,
    /// Seed of the random numbers.
    #[arg(long)]
    seed: Option<u64>,
    /// Row changes a second.
    #[arg(long, default_value_t = 3000)]
    rate: u64,
    /// Folder of the report.
    #[arg(long)]
    out: PathBuf,
}

const WRITERS: u32 = 2;
const READERS: u32 = 2;
const GROUPS: u32 = 400;
/// Row changes of a transaction on average: half of them change a group, each some rows more.
const CHANGES: u64 = GROUP as u64 / 2 + 3;
/// Time between two comparisons of all rows.
const VERIFY_EVERY: Duration = Duration::from_secs(300);
const SAMPLE_EVERY: Duration = Duration::from_secs(5);
/// Time that a writer of the tables whose definitions change waits between statements.
const DDL_PAUSE: Duration = Duration::from_millis(50);

fn main() {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(Random::any_seed);
    let random = Random::with_seed(seed);
    println!(
        "soak: {} minutes on {}, seed {seed}, report in {}",
        arguments.minutes,
        arguments.server,
        arguments.out.display()
    );
    let report = Soak::new(&arguments, seed).run(random);
    println!("{}", report.summary());
    report.write(&arguments.out);
    if let Some(why) = report.not_flat() {
        println!("soak: {why}");
        std::process::exit(1);
    }
    println!("soak: equal at every comparison, memory and descriptors flat");
}

/// A run.
struct Soak<'a> {
    arguments: &'a Arguments,
    world: World,
    proxy: Proxy,
    watched: Watched,
    /// Lets the writers of the tables in whose definitions change.
    ddl_gate: Gate,
    /// Held for its folder.
    _outer: tempfile::TempDir,
    mirror: Mirror,
    seed: u64,
}

impl<'a> Soak<'a> {
    fn new(arguments: &'a Arguments, seed: u64) -> Self {
        let world = World::start_with(arguments.server, &ServerOptions::new());
        let watched = Watched::default();
        watched.fill(&world, GROUPS, WRITERS);
        watched.pause_micros.store(20_000, Ordering::Relaxed);
        let proxy = Proxy::start(world.server.port()).unwrap();
        let outer = tempfile::tempdir().unwrap();
        let mut options = world.options_at(&format!("{}?ssl-mode=disabled", proxy.url()));
        options.checkpoint = Some(CheckpointOptions {
            interval: Some(Duration::from_secs(30)),
            ..CheckpointOptions::new(outer.path().join("checkpoint"))
        });
        let mirror = world.mirror_with(options);
        Self {
            arguments,
            world,
            proxy,
            watched,
            ddl_gate: Gate::default(),
            _outer: outer,
            mirror,
            seed,
        }
    }

    /// Everything, to the last comparison.
    fn run(&self, mut random: Random) -> Report {
        let mut report = Report::new(
            self.arguments.server,
            self.world.server.version(),
            self.seed,
        );
        std::thread::scope(|scope| {
            let _ended = self.watched.end_on_drop();
            let _ddl_ended = self.ddl_gate.end_on_drop();
            let port = self.world.server.port();
            let mut threads = Vec::new();
            for writer in 0..WRITERS {
                let random = random.fork();
                threads.push(scope.spawn(move || self.watched.write(port, writer, random)));
            }
            let ddl_random = random.fork();
            threads.push(scope.spawn(move || self.write_changing(port, ddl_random)));
            for _ in 0..READERS {
                threads.push(scope.spawn(|| self.read()));
            }
            self.watched.gate.open();
            self.ddl_gate.open();
            // One that ends by itself has failed.
            let has_failed = || threads.iter().any(|thread| thread.is_finished());
            self.go_on(&mut random, &mut report, &has_failed);
            self.watched.gate.close();
            self.ddl_gate.close();
            self.verify(&mut report);
        });
        report
    }

    /// Events, samples and comparisons until the time is over.
    fn go_on(&self, random: &mut Random, report: &mut Report, has_failed: &dyn Fn() -> bool) {
        let begin = Instant::now();
        let end = Duration::from_secs_f64(self.arguments.minutes * 60.0);
        let mut events = Events::new(&self.world, &self.proxy, &self.mirror);
        let mut next_event = Duration::from_secs(5);
        let mut next_verify = VERIFY_EVERY.min(end / 3);
        let (mut next_sample, mut last) = (Duration::ZERO, (Duration::ZERO, 0));
        while begin.elapsed() < end {
            std::thread::sleep(Duration::from_millis(500));
            assert!(!has_failed(), "a writer or reader has failed; see above");
            let now = begin.elapsed();
            last = self.keep_rate(now, last);
            if now >= next_sample {
                report.add(self.sample(now));
                next_sample = now + SAMPLE_EVERY;
            }
            if now >= next_event {
                report.happened(events.happen(random));
                next_event = now + Duration::from_millis(5_000 + random.below(20_000));
            }
            if now >= next_verify {
                self.verify(report);
                println!("{}", report.summary());
                report.write(&self.arguments.out);
                next_verify = now + VERIFY_EVERY.min(end / 3);
            }
        }
    }

    /// Makes the writers slower or faster; the time and commits of this look.
    fn keep_rate(&self, now: Duration, last: (Duration, u64)) -> (Duration, u64) {
        let commits = self.watched.commits();
        let seconds = (now - last.0).as_secs_f64();
        let rate = (commits - last.1) as f64 / seconds * CHANGES as f64;
        let pause = self.watched.pause_micros.load(Ordering::Relaxed);
        let wanted = self.arguments.rate as f64;
        let pause = pause as f64 * (rate / wanted).clamp(0.9, 1.1);
        let pause = pause.clamp(100.0, 200_000.0) as u64;
        self.watched.pause_micros.store(pause, Ordering::Relaxed);
        (now, commits)
    }

    fn sample(&self, at: Duration) -> Sample {
        let status = self.mirror.status();
        Sample {
            at,
            usage: Usage::now(),
            table_bytes: status.memory_bytes() as u64,
            transactions: status.transactions,
            snapshots: self.watched.snapshots.load(Ordering::Relaxed),
            changes: status.tables.iter().map(|table| table.changes).sum(),
            commit_to_visible: status.commit_to_visible,
            reconnects: status.reconnects,
            reloads: status.reloads,
            checkpoints: status.checkpoint.map_or(0, |checkpoint| checkpoint.written),
        }
    }

    /// Compares all rows while everything goes on.
    fn verify(&self, report: &mut Report) {
        self.world.catch_up(&self.mirror);
        let found = self.mirror.verify(&VerifyOptions::default()).unwrap();
        let counts = (found.differences(), found.not_compared());
        assert_eq!(counts, (0, 0), "seed {}: {found}", self.seed);
        report.verified(found.rows());
    }

    fn read(&self) {
        self.watched.read(&self.mirror, Duration::from_millis(20));
    }

    /// A writer of the tables whose definitions change.
    fn write_changing(&self, port: u16, mut random: Random) {
        let mut conn = connect(port).unwrap();
        while self
            .ddl_gate
            .pass(|| marathon::write(&mut conn, &mut random))
        {
            std::thread::sleep(DDL_PAUSE);
        }
    }
}
