//! Certificates and keys that users bring: what is accepted can be written down and read again.

#![no_main]

use components::fuzzing::{certificates, private_key};
use libfuzzer_sys::fuzz_target;
use pki::Bundle;

fuzz_target!(|text: &[u8]| {
    let _ = private_key(text);
    match Bundle::parse(text) {
        Ok(bundle) => {
            let written = bundle.to_pem();
            let again = Bundle::parse(written.as_bytes()).expect("what was read can be read again");
            assert!(again.is_tidy());
            assert_eq!(again.to_pem(), written);
        }
        Err(_) => assert!(certificates(text).is_err()),
    }
});
