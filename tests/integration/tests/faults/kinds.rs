//! The kinds of faults, each as something that happens and is over.

use std::path::{Path, PathBuf};
use std::thread::sleep;

use integration::Random;
use integration::watched::Watched;
use mysql::prelude::Queryable;

use super::*;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Bytes come later.
    Delay,
    /// Bytes come slowly.
    Throttle,
    /// The stream is cut at any byte.
    CutStream,
    /// All connections are cut, and those made anew within their first bytes.
    CutAnew,
    /// Any byte of the stream arrives as another.
    Flip,
    /// A byte of a row arrives as another.
    FlipInRows,
    /// The stream says nothing any more, but stays open.
    HalfOpen,
    /// SIGKILL of the server, and its restart with a recovery.
    ServerKill,
    /// A clean restart of the server.
    ServerRestart,
    /// The server begins another binlog file.
    Rotate,
    /// The server ends the stream by KILL.
    KillStream,
    /// The disk of the checkpoint is full.
    DiskFull,
    /// The checkpoint's folder is not there, and cannot be made.
    NoFolder,
    /// The clock of the writers' sessions jumps.
    Clock,
}

/// Every kind.
pub(crate) const KINDS: [Kind; 14] = [
    Kind::Delay,
    Kind::Throttle,
    Kind::CutStream,
    Kind::CutAnew,
    Kind::Flip,
    Kind::FlipInRows,
    Kind::HalfOpen,
    Kind::ServerKill,
    Kind::ServerRestart,
    Kind::Rotate,
    Kind::KillStream,
    Kind::DiskFull,
    Kind::NoFolder,
    Kind::Clock,
];

/// What faults happen to.
pub(crate) struct Scene<'s> {
    pub(crate) world: &'s mut World,
    pub(crate) proxy: &'s Proxy,
    pub(crate) mirror: &'s Mirror,
    pub(crate) watched: &'s Watched,
    /// Folder of the mirror's checkpoint.
    pub(crate) folder: PathBuf,
}

impl Scene<'_> {
    /// Lets it happen, and waits until it is over.
    pub(crate) fn happen(&mut self, kind: Kind, random: &mut Random) {
        let lost = self.mirror.status().connection_attempts;
        let any_bits = 1 + random.below(255) as u8;
        let shortly = Duration::from_millis(200 + random.below(400));
        match kind {
            Kind::Delay => {
                let delay = Duration::from_millis(10 + random.below(200));
                self.for_a_while(Fault::Delay(delay), shortly);
            }
            Kind::Throttle => {
                let rate = *random.pick(&[500, 5_000, 50_000]);
                self.for_a_while(Fault::Throttle(rate), shortly);
            }
            Kind::CutStream => {
                let most = *random.pick(&[100, 1_000, 10_000, 100_000]);
                self.until_lost(Fault::Cut(random.below(most)), lost);
            }
            Kind::CutAnew => self.cut_anew(random, lost),
            Kind::Flip => {
                let after = random.below(10_000);
                let bits = any_bits;
                self.until_lost(Fault::Flip { after, bits }, lost);
            }
            Kind::FlipInRows => {
                let fault = Fault::FlipInRows {
                    skip: random.below(20),
                    place: random.next_u64(),
                    bits: any_bits,
                };
                self.until_lost(fault, lost);
            }
            Kind::HalfOpen => {
                self.until_lost(Fault::Freeze, lost);
                self.world.catch_up(self.mirror);
                self.proxy.heal();
            }
            Kind::ServerKill => {
                self.world.server.kill9().unwrap();
                self.world.server.restart().unwrap();
            }
            Kind::ServerRestart => self.world.server.restart().unwrap(),
            Kind::Rotate => {
                for _ in 0..=random.below(3) {
                    self.world.run("FLUSH BINARY LOGS");
                }
            }
            Kind::KillStream => {
                self.kill_stream();
                wait_for_loss(self.mirror, lost);
            }
            Kind::DiskFull => self.disk_full(),
            Kind::NoFolder => self.no_folder(),
            Kind::Clock => {
                // From 2001 to 2037, which all servers can, or the server's own.
                let to = random.between(1_000_000_000, 2_140_000_000);
                let to = if random.one_in(4) { 0 } else { to };
                self.watched
                    .clock
                    .store(to, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }

    fn for_a_while(&self, fault: Fault, time: Duration) {
        disturb_stream(self.proxy, self.mirror, fault);
        sleep(time);
        self.proxy.heal();
    }

    fn until_lost(&self, fault: Fault, before: u64) {
        disturb_stream(self.proxy, self.mirror, fault);
        wait_for_loss(self.mirror, before);
    }

    /// Each connection made anew ends within its first bytes, for some tries.
    fn cut_anew(&self, random: &mut Random, before: u64) {
        self.proxy.cut_after(random.below(4_000));
        self.proxy.cut_all();
        let tries = 1 + random.below(4);
        let tried = || self.mirror.status().connection_attempts > before + tries;
        assert!(wait_for(PATIENCE, tried), "{:?}", self.mirror.status());
        self.proxy.cut_after(None);
        self.proxy.cut_all();
    }

    fn kill_stream(&self) {
        let mut conn = self.world.conn();
        let sql = "SELECT ID FROM information_schema.PROCESSLIST \
                   WHERE COMMAND LIKE 'Binlog Dump%' ORDER BY ID DESC LIMIT 1";
        let mut id = None;
        let found = || {
            id = conn.query_first::<u64, _>(sql).unwrap();
            id.is_some()
        };
        assert!(wait_for(PATIENCE, found), "{:?}", self.mirror.status());
        // It may have ended by itself.
        let _ = conn.query_drop(format!("KILL {}", id.unwrap_or(0)));
    }

    /// The file that is written goes to a device that is always full.
    fn disk_full(&self) {
        let file = self.folder.join("mirror.checkpoint.tmp");
        self.without_checkpoints("No space left", || {
            let _ = std::os::unix::fs::symlink("/dev/full", &file);
        });
        let _ = std::fs::remove_file(&file);
        self.with_checkpoints();
    }

    /// A file takes the place of the folder.
    fn no_folder(&self) {
        let aside = self.folder.with_extension("aside");
        std::fs::rename(&self.folder, &aside).unwrap();
        std::fs::write(&self.folder, "").unwrap();
        self.without_checkpoints("cannot be written", || {});
        std::fs::remove_file(&self.folder).unwrap();
        std::fs::rename(&aside, &self.folder).unwrap();
        self.with_checkpoints();
    }

    /// Waits for a checkpoint that could not be written, for this reason.
    fn without_checkpoints(&self, reason: &str, mut hinder: impl FnMut()) {
        let failed = || {
            hinder();
            let status = self.mirror.status().checkpoint.unwrap();
            status.error.is_some_and(|error| error.contains(reason))
        };
        assert!(wait_for(PATIENCE, failed), "{:?}", self.mirror.status());
    }

    /// Waits until one was written again.
    fn with_checkpoints(&self) {
        let written = || self.mirror.status().checkpoint.unwrap().error.is_none();
        assert!(wait_for(PATIENCE, written), "{:?}", self.mirror.status());
        assert!(is_whole(&self.folder));
    }
}

/// Whether the folder has a checkpoint that can be read.
pub(crate) fn is_whole(folder: &Path) -> bool {
    let file = folder.join("mirror.checkpoint");
    match mirror_runtime::read_checkpoint::<test_mirror::Tables>(&file) {
        Ok(snapshot) => snapshot.is_some(),
        Err(unusable) => panic!("{unusable}"),
    }
}
