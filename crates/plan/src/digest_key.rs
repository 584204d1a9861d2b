//! Keyed digests of secrets: without the key, a reader cannot use them to test guesses.

use crate::{Digest, digest::Sink};
use ring::hmac::{Context, HMAC_SHA256, Key};
use serde::Serialize;
use std::fmt;

/// Computes keyed digests. A reader without the key cannot use them to test guesses of the content.
#[derive(Clone, PartialEq, Eq)]
pub struct DigestKey([u8; Self::LENGTH]);

impl DigestKey {
    /// The length of a key in bytes.
    pub const LENGTH: usize = 32;

    /// For tests, and for digests that stay in memory. It is public and therefore protects nothing.
    pub const PLACEHOLDER: Self = Self([0; Self::LENGTH]);

    /// A key with these bytes, which should be random.
    pub const fn new(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// The key from its stored bytes; `None` if the length is wrong.
    pub fn parse(stored: &[u8]) -> Option<Self> {
        stored.try_into().ok().map(Self)
    }

    /// The digest of a value's JSON: the first eight bytes of its HMAC-SHA-256. Fails only if the value has no JSON
    /// form.
    pub fn digest(&self, value: &(impl Serialize + ?Sized)) -> serde_json::Result<Digest> {
        let mut hash = Context::with_key(&Key::new(HMAC_SHA256, &self.0));
        serde_json::to_writer(Sink(|bytes: &[u8]| hash.update(bytes)), value)?;
        Ok(Digest::truncated(hash.sign().as_ref()))
    }
}

impl fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DigestKey(…)")
    }
}

/// The salted digest of bytes: the first eight bytes of the HMAC-SHA-256 whose key is the salt. It reveals nothing
/// about random bytes, and equal bytes have different digests under different salts.
pub fn salted(salt: &str, bytes: &[u8]) -> Digest {
    Digest::truncated(ring::hmac::sign(&Key::new(HMAC_SHA256, salt.as_bytes()), bytes).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_beginning_of_an_hmac() {
        // printf '"what do ya want for nothing?"' | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf 07%.0s {1..32})
        let digest = DigestKey::new([7; 32]).digest("what do ya want for nothing?").unwrap();
        assert_eq!(digest.to_string(), "6f9d714fca2b7b8d");
        // RFC 4231, test case 2.
        assert_eq!(salted("Jefe", b"what do ya want for nothing?").to_string(), "5bdcc146bf60754e");
    }

    #[test]
    fn debug_output_of_a_key_does_not_contain_it() {
        assert_eq!(format!("{:?}", DigestKey::new([42; 32])), "DigestKey(…)");
    }

    #[test]
    fn only_bytes_of_the_right_length_are_a_key() {
        assert_eq!(DigestKey::parse(&[7; 32]), Some(DigestKey::new([7; 32])));
        assert_eq!([0, 31, 33].map(|length| DigestKey::parse(&vec![7; length])), [None, None, None]);
    }
}
