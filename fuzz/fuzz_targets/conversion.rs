//! The body of any request to convert objects: it is answered or refused.

#![no_main]

use libfuzzer_sys::fuzz_target;
use webhook::conversion::review;

fuzz_target!(|body: &[u8]| {
    let _ = review(body);
});
