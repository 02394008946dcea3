//! Bytes that arrive as others than were sent.

use std::collections::BTreeMap;

use integration::compare::assert_equals_server;
use integration::fire::Writers;
use integration::{Random, World, on_both_servers, rounds};
use lab::Flavor;

use super::*;

on_both_servers!(
    a_damaged_byte_of_a_rows_event_is_named_as_a_checksum_and_not_applied,
    a_byte_damaged_anywhere_in_the_stream_never_gives_a_wrong_row,
    a_byte_damaged_at_the_start_of_a_stream_never_gives_a_wrong_row,
);

/// Bits to flip: one of them, or several.
fn bits(random: &mut Random) -> u8 {
    match random.one_in(2) {
        true => 1 << random.below(8),
        false => 1 + random.below(255) as u8,
    }
}

fn a_damaged_byte_of_a_rows_event_is_named_as_a_checksum_and_not_applied(flavor: Flavor) {
    let world = World::start(flavor);
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mirror = world.mirror_with(options_behind(&world, &proxy));
    let mut random = Random::for_test();
    let writers = Writers::default();
    let tries = rounds("damaged rows events", 20);
    let mut named = 0;
    writers.around(world.server.port(), &mut random.fork(), || {
        for number in 0..tries {
            let (before, flipped) = (
                mirror.status().connection_attempts,
                proxy.counters().flipped,
            );
            let fault = Fault::FlipInRows {
                skip: random.below(20),
                place: random.next_u64(),
                bits: bits(&mut random),
            };
            disturb_stream(&proxy, &mirror, fault);
            let why = wait_for_loss(&mirror, before);
            assert_eq!(proxy.counters().flipped, flipped + 1, "{fault:?}");
            assert!(why.contains("checksum mismatch"), "{fault:?}: {why}");
            named += 1;
            world.catch_up(&mirror);
            if number % 10 == 9 {
                assert_verified(&mirror);
            }
        }
        writers.gate.close();
        assert_equals_server(&world, &mirror);
    });
    println!("{flavor}: {named} of {tries} were named as a checksum");
    let status = mirror.status();
    assert_eq!(status.reloads, 0, "{status:?}");
}

fn a_byte_damaged_anywhere_in_the_stream_never_gives_a_wrong_row(flavor: Flavor) {
    let tries = rounds("damaged bytes", 20);
    check_damaged(flavor, tries, |proxy, mirror, random, _| {
        let fault = Fault::Flip {
            after: random.below(5_000),
            bits: bits(random),
        };
        disturb_stream(proxy, mirror, fault);
    });
}

fn a_byte_damaged_at_the_start_of_a_stream_never_gives_a_wrong_row(flavor: Flavor) {
    let tries = rounds("streams that begin with a damaged byte", 20);
    // The made-up ROTATE and the FORMAT_DESCRIPTION have about 200 bytes.
    let first_bytes = 300;
    check_damaged(flavor, tries, |proxy, _, random, number| {
        // A long run goes through all of them, with the bit that tells CRC-32 from no checksum.
        let fault = match u64::from(tries) >= first_bytes && number < first_bytes {
            true => Fault::Flip {
                after: number,
                bits: 1,
            },
            false => Fault::Flip {
                after: random.below(first_bytes),
                bits: bits(random),
            },
        };
        proxy.disturb_next_stream(fault);
        proxy.cut_all();
    });
}

/// Damages bytes of a mirror's stream under load, one after the other.
fn check_damaged(
    flavor: Flavor,
    tries: u32,
    mut damage: impl FnMut(&Proxy, &Mirror, &mut Random, u64),
) {
    let world = World::start(flavor);
    let proxy = Proxy::start(world.server.port()).unwrap();
    let mut mirror = world.mirror_with(options_behind(&world, &proxy));
    let mut random = Random::for_test();
    let writers = Writers::default();
    let (mut outcomes, mut ends) = (BTreeMap::<String, u32>::new(), 0);
    writers.around(world.server.port(), &mut random.fork(), || {
        for number in 0..u64::from(tries) {
            let flipped = proxy.counters().flipped;
            damage(&proxy, &mirror, &mut random, number);
            let hit = || proxy.counters().flipped > flipped || mirror.error().is_some();
            assert!(wait_for(PATIENCE, hit), "{flavor}: {:?}", mirror.status());
            if !world.has_caught_up(&mirror, LOSS_PATIENCE) {
                // What looks like another error than a lost connection ends it, and says so.
                let error = mirror
                    .error()
                    .unwrap_or_else(|| panic!("{:?}", mirror.status()));
                *outcomes.entry(format!("ended: {error}")).or_default() += 1;
                ends += 1;
                mirror = world.mirror_with(options_behind(&world, &proxy));
            }
            assert_verified(&mirror);
            let why = mirror.status().last_loss.unwrap_or_default();
            *outcomes.entry(kind_of(&why)).or_default() += 1;
        }
        writers.gate.close();
        assert_equals_server(&world, &mirror);
    });
    println!(
        "{flavor}: {tries} damaged bytes, {ends} ends, {} reloads",
        mirror.status().reloads
    );
    for (outcome, count) in outcomes {
        println!("{flavor}: {count:>4} {outcome}");
    }
}

/// The part of a message that is the same for all errors of a kind.
fn kind_of(message: &str) -> String {
    let digits = |c: char| c.is_ascii_digit();
    let words = message.split(": ").filter(|part| !part.contains(digits));
    words.take(2).collect::<Vec<_>>().join(": ")
}
