//! Networks that delay, cut, damage and swallow bytes, servers that are killed, disks that are full:
//! the mirror goes on, shows no part of a transaction, never goes back, and ends equal to the
//! server. `docs/robustness.md` has the figures of long runs.

mod corruption;
mod half_open;
mod kinds;
mod random;

use std::time::Duration;

use integration::{World, wait_for};
use lab::{Fault, Proxy};
use mirror_runtime::{Options, VerifyOptions};
use test_mirror::Mirror;

/// Longest wait for something that takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest wait for a loss: a packet whose length was damaged is waited for by turns that are twice
/// as long each time.
const LOSS_PATIENCE: Duration = Duration::from_secs(300);
/// Seconds between heartbeats.
const HEARTBEAT: u32 = 1;

/// Options of a mirror behind the proxy. Without TLS, so that damage is not found by it.
fn options_behind(world: &World, proxy: &Proxy) -> Options {
    let mut options = world.options_at(&format!("{}?ssl-mode=disabled", proxy.url()));
    options.heartbeat_seconds = HEARTBEAT;
    options.reconnect_max_wait = Duration::from_millis(150);
    options
}

/// Lets something go wrong with the mirror's stream, as soon as there is one.
fn disturb_stream(proxy: &Proxy, mirror: &Mirror, fault: Fault) {
    let hit = || proxy.disturb_streams(fault) > 0;
    assert!(wait_for(PATIENCE, hit), "no stream: {:?}", mirror.status());
}

/// Waits until the connection was lost more often than before.
fn wait_for_loss(mirror: &Mirror, before: u64) -> String {
    let lost = || mirror.status().connection_attempts > before || mirror.error().is_some();
    assert!(
        wait_for(LOSS_PATIENCE, lost),
        "no loss: {:?}",
        mirror.status()
    );
    assert!(mirror.error().is_none(), "{:?}", mirror.error());
    mirror.status().last_loss.unwrap()
}

/// Compares all rows with the server's.
fn assert_verified(mirror: &Mirror) -> u64 {
    let report = mirror.verify(&VerifyOptions::default()).unwrap();
    let counts = (report.differences(), report.not_compared());
    assert_eq!(counts, (0, 0), "{report}");
    report.rows()
}
