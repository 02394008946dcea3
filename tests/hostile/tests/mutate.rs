use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};
#[test]
fn mutate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/rows");
    let mut seeds: Vec<Vec<u8>> = fs::read_dir(folder)
        .unwrap()
        .map(|e| fs::read(e.unwrap().path()).unwrap())
        .collect();
    seeds.sort();
    let mut n = std::env::var("SEED")
        .ok()
        .and_then(|t| t.parse().ok())
        .unwrap_or(88172645463325252_u64);
    let mut random = move |below: usize| {
        n ^= n << 13;
        n ^= n >> 7;
        n ^= n << 17;
        (n % below.max(1) as u64) as usize
    };
    let until = Instant::now()
        + Duration::from_secs(
            std::env::var("SECS")
                .ok()
                .and_then(|t| t.parse().ok())
                .unwrap_or(60),
        );
    let mut runs = 0u64;
    let mut bad = 0;
    std::panic::set_hook(Box::new(|_| {}));
    while Instant::now() < until && bad < 5 {
        let mut input = seeds[random(seeds.len())].clone();
        for _ in 0..=random(4) {
            let len = input.len();
            if len < 4 {
                break;
            }
            // mostly behind the head
            let from = 2 + random(len - 2);
            let span = 1 + random(24).min(len - from - 1);
            match random(7) {
                0 => input[from] ^= 1 << random(8),
                1 => input[from] = [0, 1, 8, 9, 0x7f, 0x80, 0xff][random(7)],
                2 => {
                    let part = input[from..(from + span).min(len)].to_vec();
                    input.splice(from..from, part);
                }
                3 => {
                    input.drain(from..(from + span).min(len));
                }
                4 => {
                    // rows doubled: append a tail of it
                    let part = input[from..].to_vec();
                    input.extend(part);
                }
                5 => {
                    let other = seeds[random(seeds.len())].clone();
                    if other[0] == input[0] && other.len() > 20 {
                        let at = 10 + random(other.len() - 10);
                        input.extend(&other[at..]);
                    }
                }
                _ => {
                    input[from] = input[from].wrapping_add(1);
                }
            }
        }
        runs += 1;
        if catch_unwind(|| hostile_bytes::rows(&input)).is_err() {
            bad += 1;
            fs::write(format!("/tmp/bad-{bad}"), &input).unwrap();
            eprintln!("bad {bad}: {:02x?}", input);
        }
    }
    eprintln!("{runs} runs, {bad} bad");
    assert_eq!(bad, 0);
}
