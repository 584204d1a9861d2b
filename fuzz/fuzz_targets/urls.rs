//! URLs of services: one that is accepted has a host, and neither a user nor a character that needs escaping.

#![no_main]

use components::fuzzing::url;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match url(text) {
        Ok((host, port)) => {
            assert!(!host.is_empty() && host.is_ascii() && !host.contains(['@', '/', '?', '#', ' ']));
            assert_ne!(port, Some(0));
        }
        Err(words) => assert!(words.len() < 200),
    }
});
