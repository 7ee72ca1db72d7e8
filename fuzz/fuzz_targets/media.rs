#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neuroscript_fuzz::media(data));
