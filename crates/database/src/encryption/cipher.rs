//! How Harbor encrypts a value: AES in cipher feedback mode with a random start, in base64 behind a prefix. Only the text that
//! comes out tells whether a key is the right one.

use aes::{Aes128, Aes192, Aes256};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use cfb_mode::{Decryptor, Encryptor, cipher::KeyIvInit as _};
use std::fmt;

/// How an encrypted value begins.
pub(super) const PREFIX: &str = "<enc-v1>";

/// The random start of a value.
pub(super) type Start = [u8; 16];

/// A key with which Harbor encrypts. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Bytes);

#[derive(Clone, PartialEq, Eq)]
enum Bytes {
    Aes128([u8; 16]),
    Aes192([u8; 24]),
    Aes256([u8; 32]),
}

/// Why Harbor cannot encrypt with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has {0} bytes; Harbor encrypts with 16, 24 or 32 bytes, and a line break at the end counts")]
pub struct KeyError(usize);

impl Key {
    /// A key, as Core reads it from its file.
    pub fn new(key: &[u8]) -> Result<Self, KeyError> {
        let wrong = |_| KeyError(key.len());
        Ok(Self(match key.len() {
            16 => Bytes::Aes128(key.try_into().map_err(wrong)?),
            24 => Bytes::Aes192(key.try_into().map_err(wrong)?),
            _ => Bytes::Aes256(key.try_into().map_err(wrong)?),
        }))
    }

    /// Encrypts a text. `start` must be random.
    pub(super) fn encrypt(&self, text: &str, start: Start) -> String {
        let mut bytes = text.as_bytes().to_vec();
        match self.0 {
            Bytes::Aes128(key) => Encryptor::<Aes128>::new(&key.into(), &start.into()).encrypt(&mut bytes),
            Bytes::Aes192(key) => Encryptor::<Aes192>::new(&key.into(), &start.into()).encrypt(&mut bytes),
            Bytes::Aes256(key) => Encryptor::<Aes256>::new(&key.into(), &start.into()).encrypt(&mut bytes),
        }
        format!("{PREFIX}{}", STANDARD.encode([&start[..], &bytes].concat()))
    }

    /// Decrypts a value. `None` if no text comes out, as with another key, or if Harbor writes no such value.
    pub(super) fn decrypt(&self, value: &str) -> Option<String> {
        let decoded = STANDARD.decode(value.strip_prefix(PREFIX)?).ok()?;
        let (start, encrypted) = decoded.split_first_chunk::<16>()?;
        let (start, mut bytes) = (*start, encrypted.to_vec());
        match self.0 {
            Bytes::Aes128(key) => Decryptor::<Aes128>::new(&key.into(), &start.into()).decrypt(&mut bytes),
            Bytes::Aes192(key) => Decryptor::<Aes192>::new(&key.into(), &start.into()).decrypt(&mut bytes),
            Bytes::Aes256(key) => Decryptor::<Aes256>::new(&key.into(), &start.into()).decrypt(&mut bytes),
        }
        // A credential has no control characters. Another key produces some soon.
        let is_text =
            |text: &String| text.chars().all(|it| !it.is_control() || matches!(it, '\t' | '\n' | '\r'));
        String::from_utf8(bytes).ok().filter(is_text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(length: usize) -> Key {
        Key::new(&vec![7; length]).unwrap()
    }

    #[test]
    fn a_value_is_decrypted_by_its_key_only() {
        let texts = ["", "p", "Harbor12345", "sixteen letters.", "ß 中 🔑", &"long ".repeat(1000)];
        for (length, text) in [16, 24, 32].into_iter().flat_map(|length| texts.map(|text| (length, text))) {
            let value = key(length).encrypt(text, [3; 16]);
            assert!(value.starts_with("<enc-v1>"));
            assert_eq!(key(length).decrypt(&value).as_deref(), Some(text));
        }
        let value = key(16).encrypt("a password of some length", [3; 16]);
        assert_eq!(Key::new(&[8; 16]).unwrap().decrypt(&value), None);
        assert_eq!(key(32).decrypt(&value), None);
    }

    #[test]
    fn what_harbor_does_not_write_is_not_decrypted() {
        for value in ["", "plain", "cGxhaW4=", "<enc-v1>", "<enc-v1>cGxhaW4=", "<enc-v1>no base64!"] {
            assert_eq!(key(16).decrypt(value), None, "{value}");
        }
    }

    #[test]
    fn a_key_of_another_length_is_refused_and_no_key_is_shown() {
        for length in [0, 15, 17, 31, 33] {
            assert_eq!(Key::new(&vec![7; length]), Err(KeyError(length)));
        }
        assert_eq!(format!("{:?}", key(16)), "Key(…)");
    }
}
