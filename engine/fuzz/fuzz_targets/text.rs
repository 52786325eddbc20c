#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spaniel_engine_fuzz::text::run(data));
