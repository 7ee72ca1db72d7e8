#![no_main]

#[path = "../src/test_head.rs"]
mod test_head;

libfuzzer_sys::fuzz_target!(|data: &[u8]| test_head::test_head(data));
