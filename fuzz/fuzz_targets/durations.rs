//! Durations as Go writes them: what is accepted fits into Go's 64 bits.

#![no_main]

use api::v1beta1::GoDuration;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(duration) = GoDuration::from(text).to_std() {
        assert!(i64::try_from(duration.as_nanos()).is_ok());
    }
});
