//! Options of storage drivers, hooks and middlewares: whatever is written, it is refused or not much larger once read.

#![no_main]

use components::fuzzing::option;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match option(text) {
        Ok(value) => assert!(value.to_string().len() <= 64 + 8 * text.len()),
        Err(words) => assert!(words.len() < 200),
    }
});
