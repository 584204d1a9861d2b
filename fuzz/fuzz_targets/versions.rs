//! Versions of Harbor: what is accepted can be part of an image's tag, and means the same when it is read again.

#![no_main]

use components::HarborVersion;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(version) = HarborVersion::parse(text) {
        let tag = version.to_string();
        assert!(tag.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')));
        assert_eq!(HarborVersion::parse(&tag), Ok(version));
    }
});
