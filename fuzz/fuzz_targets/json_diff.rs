#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hostile_bytes::json_diff(input));
