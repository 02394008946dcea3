#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hostile_bytes::stored_rows(input));
