//! Digests of secrets that confirm no guess.

use crate::{Digest, digest::Sink};
use ring::hmac::{Context, HMAC_SHA256, Key};
use serde::Serialize;
use std::fmt;

/// Makes digests with which a reader who lacks the key cannot test guesses of what was digested.
#[derive(Clone, PartialEq, Eq)]
pub struct DigestKey([u8; Self::LENGTH]);

impl DigestKey {
    /// How many bytes a key has.
    pub const LENGTH: usize = 32;

    /// For tests, and for digests that are compared in memory and never written: no secret, since it is published.
    pub const PLACEHOLDER: Self = Self([0; Self::LENGTH]);

    /// A key of these bytes, which should be random.
    pub const fn new(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// The key that is stored like this; `None` where none is.
    pub fn parse(stored: &[u8]) -> Option<Self> {
        stored.try_into().ok().map(Self)
    }

    /// The digest of a value's JSON: the first eight bytes of its HMAC-SHA-256. Fails only where the value has no JSON
    /// form.
    pub fn digest(&self, value: &(impl Serialize + ?Sized)) -> serde_json::Result<Digest> {
        let mut hash = Context::with_key(&Key::new(HMAC_SHA256, &self.0));
        serde_json::to_writer(Sink(|bytes: &[u8]| hash.update(bytes)), value)?;
        Ok(Digest::beginning(hash.sign().as_ref()))
    }
}

impl fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DigestKey(…)")
    }
}

/// The digest of bytes with a salt: tells nothing of random bytes, and equal ones apart where the salts differ. The first
/// eight bytes of the HMAC-SHA-256 whose key is the salt.
pub fn salted(salt: &str, bytes: &[u8]) -> Digest {
    Digest::beginning(ring::hmac::sign(&Key::new(HMAC_SHA256, salt.as_bytes()), bytes).as_ref())
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
    fn a_key_says_nothing_of_itself() {
        assert_eq!(format!("{:?}", DigestKey::new([42; 32])), "DigestKey(…)");
    }

    #[test]
    fn only_what_is_as_long_as_a_key_is_one() {
        assert_eq!(DigestKey::parse(&[7; 32]), Some(DigestKey::new([7; 32])));
        assert_eq!([0, 31, 33].map(|length| DigestKey::parse(&vec![7; length])), [None, None, None]);
    }
}
