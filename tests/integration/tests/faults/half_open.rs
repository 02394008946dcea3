//! Connections that are open and say nothing.

use std::time::Instant;

use integration::fire::Writers;
use integration::{Random, World, on_both_servers, rounds};
use lab::Flavor;

use super::*;

on_both_servers!(
    a_half_open_connection_is_found_within_three_heartbeats_of_a_quiet_server,
    a_half_open_connection_is_found_within_three_heartbeats_under_load,
    a_packet_of_damaged_length_that_swallows_heartbeats_is_not_waited_for_without_end,
);

/// What a busy machine may add.
const SLACK: Duration = Duration::from_secs(3);

fn a_half_open_connection_is_found_within_three_heartbeats_of_a_quiet_server(flavor: Flavor) {
    let world = World::start(flavor);
    check(&world);
}

fn a_half_open_connection_is_found_within_three_heartbeats_under_load(flavor: Flavor) {
    let world = World::start(flavor);
    let writers = Writers::default();
    let port = world.server.port();
    writers.around(port, &mut Random::for_test(), || {
        check(&world);
        writers.gate.close();
    });
    assert!(writers.commits() > 100, "{}", writers.commits());
}

fn a_packet_of_damaged_length_that_swallows_heartbeats_is_not_waited_for_without_end(
    flavor: Flavor,
) {
    let world = World::start(flavor);
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mirror = world.mirror_with(options_behind(&world, &proxy));
    world.catch_up(&mirror);
    let before = mirror.status().connection_attempts;
    // The next packet is a heartbeat, and claims 8 MiB more than it has.
    let third_byte_of_length = Fault::Flip {
        after: 2,
        bits: 0x80,
    };
    disturb_stream(&proxy, &mirror, third_byte_of_length);
    let why = wait_for_loss(&mirror, before);
    println!("{flavor}: {why}");
    assert!(why.contains("no whole event came within"), "{why}");
    world.catch_up(&mirror);
    assert_eq!(mirror.status().reloads, 0);
}

fn check(world: &World) {
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mirror = world.mirror_with(options_behind(world, &proxy));
    for _ in 0..rounds("half-open connections", 2) {
        world.catch_up(&mirror);
        let before = mirror.status().connection_attempts;
        disturb_stream(&proxy, &mirror, Fault::Freeze);
        let begin = Instant::now();
        let why = wait_for_loss(&mirror, before);
        let took = begin.elapsed();
        println!("{}: found after {took:.1?}: {why}", world.flavor());
        assert!(why.contains("nothing came within the time-out"), "{why}");
        let limit = Duration::from_secs(u64::from(3 * HEARTBEAT));
        assert!(took < limit + SLACK, "found after {took:?}");
        // The old connection is still there, and the mirror goes on by another.
        world.catch_up(&mirror);
        assert!(proxy.counters().open > 1, "{:?}", proxy.counters());
    }
    proxy.heal();
    world.catch_up(&mirror);
    let status = mirror.status();
    assert_eq!(status.reloads, 0, "{status:?}");
}
