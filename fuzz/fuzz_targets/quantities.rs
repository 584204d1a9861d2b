//! Sizes of volumes: what is accepted is a number that can be compared.

#![no_main]

use components::fuzzing::quantity;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(bytes) = quantity(text) {
        assert!(bytes.is_finite() && bytes >= 1.0);
    }
});
