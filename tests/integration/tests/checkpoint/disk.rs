//! A process that is killed while it writes, a disk that is full, a folder that cannot be written
//! to: the mirror goes on, and the last good checkpoint stays.

use std::process::{Child, Command, Stdio};

use integration::compare::assert_equals_server;
use integration::fire::Writers;
use integration::{Random, World, on_both_servers, rounds, wait_for};
use lab::Flavor;
use mirror_runtime::{CheckpointOptions, Options};

use super::*;

on_both_servers!(
    a_process_that_is_killed_leaves_a_whole_checkpoint_and_starts_again_equal,
    a_full_disk_neither_stops_the_mirror_nor_hurts_the_checkpoint,
    a_folder_that_cannot_be_written_to_does_not_stop_the_mirror,
);

/// Server and folder of the child process below.
const URL: &str = "CHECKPOINT_TEST_URL";
const FOLDER: &str = "CHECKPOINT_TEST_FOLDER";
const TABLES: &str = "CHECKPOINT_TEST_TABLES";

/// No test by itself: a process with a mirror that writes checkpoints all the time.
#[test]
fn child_process() {
    let (Ok(url), Ok(folder), Ok(tables)) = (
        std::env::var(URL),
        std::env::var(FOLDER),
        std::env::var(TABLES),
    ) else {
        return;
    };
    let mut options = Options::new(url.parse().unwrap());
    options.tables = Some(tables.split(',').map(str::to_owned).collect());
    options.checkpoint = Some(CheckpointOptions {
        interval: Some(Duration::from_millis(1)),
        ..CheckpointOptions::new(folder)
    });
    let mirror = Mirror::start(options).unwrap();
    let mut said = None;
    // The parent kills us.
    while mirror.error().is_none() {
        let status = checkpoint(&mirror);
        let now = (status.written.min(3), status.error);
        if said.as_ref() != Some(&now) {
            println!("CHILD written {} error {:?}", now.0, now.1);
            said = Some(now);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("CHILD ended {:?}", mirror.error());
}

/// The child process, by way of a shell that sets a limit.
struct Killed(Child);

impl Killed {
    fn start(world: &World, folder: &Path, limit: &str) -> Self {
        let program = std::env::current_exe().unwrap();
        let child = Command::new("sh")
            .args(["-c", &format!("{limit} exec \"$0\" \"$@\"")])
            .arg(program)
            .args(["--exact", "disk::child_process", "--nocapture"])
            .env(URL, world.server.url())
            .env(FOLDER, folder)
            .env(TABLES, world.tables().join(","))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    /// Waits for a line that has this in it.
    fn wait_for(&mut self, part: &str) -> String {
        use std::io::BufRead;
        let output = self.0.stdout.as_mut().unwrap();
        let mut said = String::new();
        let mut line = String::new();
        let mut output = std::io::BufReader::with_capacity(1, output);
        while output.read_line(&mut line).unwrap() > 0 {
            if line.contains(part) {
                return line;
            }
            said.push_str(&line);
            line.clear();
        }
        panic!("{part:?} was not said: {said}")
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Rows that make a checkpoint large enough to be met while it is written.
fn fill_big(world: &World) {
    world.run("INSERT INTO big (id, n, filler) VALUES (0, 0, REPEAT('x', 100))");
    for doubling in 0..14 {
        world.run(&format!(
            "INSERT INTO big SELECT id + (1 << {doubling}), n + id * 7919, HEX(id * 7919) FROM big"
        ));
    }
}

fn a_process_that_is_killed_leaves_a_whole_checkpoint_and_starts_again_equal(flavor: Flavor) {
    let world = World::start(flavor);
    fill_big(&world);
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::for_test();
    let (mut half_written, mut loads) = (0, 0);
    let writers = Writers::default();
    let mut own_random = random.fork();
    let kills = rounds("kills", 12);
    writers.around(world.server.port(), &mut random, || {
        for round in 0..kills {
            let mut child = Killed::start(&world, folder.path(), "");
            // Every fourth one wherever it is: not started, loading, catching up.
            if round % 4 != 2 {
                child.wait_for("written 3");
            }
            std::thread::sleep(Duration::from_micros(own_random.below(500_000)));
            drop(child);
            half_written += u32::from(folder.path().join("mirror.checkpoint.tmp").exists());
            let path = file_in(folder.path());
            let read = mirror_runtime::read_checkpoint::<test_mirror::Tables>(&path);
            assert!(read.is_ok(), "round {round}: {:?}", read.err());
            // A checkpoint that is there is used, or this is an error.
            let mirror = mirror_in(&world, folder.path());
            loads += u32::from(checkpoint(&mirror).started_from.is_none());
            assert_verified(&mirror);
        }
    });
    println!(
        "{flavor}: of {kills} kills {half_written} were while a checkpoint was written; \
         {loads} starts by a load, the others from a checkpoint; all equal"
    );
    assert!(half_written > 0);
    assert_eq!(loads, 0);
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert!(!folder.path().join("mirror.checkpoint.tmp").exists());
    assert_equals_server(&world, &mirror);
}

fn a_full_disk_neither_stops_the_mirror_nor_hurts_the_checkpoint(flavor: Flavor) {
    let world = World::start(flavor);
    let folder = tempfile::tempdir().unwrap();
    leave_checkpoint(&world, folder.path());
    let good = std::fs::read(file_in(folder.path())).unwrap();
    fill_big(&world);
    // No file may have more than so many blocks of 512 bytes.
    let mut child = Killed::start(&world, folder.path(), "trap '' XFSZ; ulimit -f 64;");
    insert(&world, 1);
    let said = child.wait_for("error Some");
    println!("{flavor}: {said}");
    assert!(said.contains("cannot be written"), "{said}");
    drop(child);
    assert_eq!(std::fs::read(file_in(folder.path())).unwrap(), good);
    let mirror = mirror_in(&world, folder.path());
    started_from(&mirror);
    assert_equals_server(&world, &mirror);
}

fn a_folder_that_cannot_be_written_to_does_not_stop_the_mirror(flavor: Flavor) {
    let world = World::start(flavor);
    let outer = tempfile::tempdir().unwrap();
    // A folder that cannot be made.
    let file = outer.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mirror = mirror_in(&world, &file.join("folder"));
    insert(&world, 1);
    assert_equals_server(&world, &mirror);
    mirror.stop();
    let error = checkpoint(&mirror).error.unwrap();
    println!("{flavor}: {error}");
    assert!(error.contains("cannot be written"), "{error}");
    // One that goes away while the mirror runs.
    let folder = outer.path().join("folder");
    let mut options = options_in(&world, &folder, WhenUnusable::Refuse);
    options.checkpoint.as_mut().unwrap().interval = Some(Duration::from_millis(50));
    let mirror = world.mirror_with(options);
    std::fs::remove_dir_all(&folder).unwrap();
    let has_failed = || {
        world.mark();
        checkpoint(&mirror).error.is_some()
    };
    assert!(wait_for(PATIENCE, has_failed));
    assert_equals_server(&world, &mirror);
    // And comes back.
    std::fs::create_dir(&folder).unwrap();
    let is_well = || {
        world.mark();
        checkpoint(&mirror).error.is_none()
    };
    assert!(wait_for(PATIENCE, is_well), "{:?}", checkpoint(&mirror));
    mirror.stop();
    let mirror = mirror_in(&world, &folder);
    started_from(&mirror);
}
