//! Private keys. graviola generates them, because ring cannot generate RSA keys; ring signs with them.

use crate::IssueError;
use graviola::signing::{ecdsa, eddsa, rsa};
use pem::Pem;
use rcgen::KeyPair;

/// Longer than any key.
const LONGEST: usize = 8192;

/// The specification of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySpec {
    /// Kind of key.
    pub algorithm: Algorithm,
    /// How the key is encoded.
    pub encoding: Encoding,
    /// Size of the key in bits; ignored for Ed25519.
    pub size: i32,
}

impl KeySpec {
    /// A key that every client and every server supports.
    pub const DEFAULT: Self = Self { algorithm: Algorithm::Rsa, encoding: Encoding::Pkcs1, size: 2048 };
}

/// Kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA.
    Rsa,
    /// Elliptic curves.
    Ecdsa,
    /// Edwards curve 25519.
    Ed25519,
}

/// How a key is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// PKCS#1 for RSA, SEC 1 for elliptic curves, PKCS#8 for the rest.
    Pkcs1,
    /// PKCS#8.
    Pkcs8,
}

enum Generated {
    Rsa(Box<rsa::SigningKey>),
    P256(ecdsa::SigningKey<ecdsa::P256>),
    P384(ecdsa::SigningKey<ecdsa::P384>),
    Ed25519(eddsa::Ed25519SigningKey),
}

/// Generates a key, as PEM. This takes a while, so call it on a blocking thread.
///
/// # Panics
/// On processors that graviola does not support: x86-64 without AVX2 or ADX, 64-bit ARM without cryptographic
/// extensions.
pub fn generate(spec: KeySpec) -> Result<String, IssueError> {
    let failed = |_| IssueError::Key("cannot be generated");
    let made = match (spec.algorithm, spec.size) {
        (Algorithm::Rsa, size) => {
            let size = match size {
                2048 => rsa::KeySize::Rsa2048,
                3072 => rsa::KeySize::Rsa3072,
                4096 => rsa::KeySize::Rsa4096,
                _ => return Err(IssueError::Key("an RSA key has 2048, 3072 or 4096 bits here")),
            };
            Generated::Rsa(Box::new(rsa::SigningKey::generate(size).map_err(failed)?))
        }
        (Algorithm::Ecdsa, 256) => Generated::P256(ecdsa::SigningKey::generate().map_err(failed)?),
        (Algorithm::Ecdsa, 384) => Generated::P384(ecdsa::SigningKey::generate().map_err(failed)?),
        (Algorithm::Ecdsa, _) => {
            return Err(IssueError::Key("an ECDSA key has 256 or 384 bits here"));
        }
        (Algorithm::Ed25519, _) => Generated::Ed25519(eddsa::Ed25519SigningKey::generate().map_err(failed)?),
    };
    made.to_pem(spec.encoding)
}

/// Parses a key pair from PEM with PKCS#1, SEC 1 or PKCS#8.
pub fn key_pair(text: &str) -> Result<KeyPair, IssueError> {
    let pem = pem::parse(text)?;
    let unreadable = |_| IssueError::Key("cannot be read");
    let mut buffer = [0; LONGEST];
    let pkcs8 = match pem.tag() {
        "RSA PRIVATE KEY" => {
            let key = rsa::SigningKey::from_pkcs1_der(pem.contents()).map_err(unreadable)?;
            key.to_pkcs8_der(&mut buffer).map_err(unreadable)?
        }
        "EC PRIVATE KEY" => {
            let small = ecdsa::SigningKey::<ecdsa::P256>::from_sec1_der(pem.contents());
            let large =
                || ecdsa::SigningKey::<ecdsa::P384>::from_sec1_der(pem.contents()).map_err(unreadable);
            let written = match small {
                Ok(key) => key.to_pkcs8_der(&mut buffer),
                Err(_) => large()?.to_pkcs8_der(&mut buffer),
            };
            written.map_err(unreadable)?
        }
        "PRIVATE KEY" => pem.contents(),
        _ => return Err(IssueError::Key("is not of a known form")),
    };
    Ok(KeyPair::try_from(pkcs8)?)
}

/// Whether a key can be parsed and has the encoding of [`KeySpec::DEFAULT`].
pub fn is_default(text: &str) -> bool {
    pem::parse(text).is_ok_and(|pem| pem.tag() == "RSA PRIVATE KEY") && key_pair(text).is_ok()
}

impl Generated {
    fn to_pem(&self, encoding: Encoding) -> Result<String, IssueError> {
        let mut buffer = [0; LONGEST];
        // With cert-manager, PKCS1 means SEC 1 for elliptic curves. Ed25519 only has PKCS#8.
        let (tag, written) = match (self, encoding) {
            (Self::Rsa(key), Encoding::Pkcs1) => ("RSA PRIVATE KEY", key.to_pkcs1_der(&mut buffer)),
            (Self::P256(key), Encoding::Pkcs1) => ("EC PRIVATE KEY", key.to_sec1_der(&mut buffer)),
            (Self::P384(key), Encoding::Pkcs1) => ("EC PRIVATE KEY", key.to_sec1_der(&mut buffer)),
            (Self::Rsa(key), Encoding::Pkcs8) => ("PRIVATE KEY", key.to_pkcs8_der(&mut buffer)),
            (Self::P256(key), Encoding::Pkcs8) => ("PRIVATE KEY", key.to_pkcs8_der(&mut buffer)),
            (Self::P384(key), Encoding::Pkcs8) => ("PRIVATE KEY", key.to_pkcs8_der(&mut buffer)),
            (Self::Ed25519(key), _) => ("PRIVATE KEY", key.to_pkcs8_der(&mut buffer)),
        };
        let der = written.map_err(|_| IssueError::Key("cannot be written"))?;
        let lines = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
        Ok(pem::encode_config(&Pem::new(tag, der), lines))
    }
}

#[cfg(test)]
mod tests {
    use super::{KeySpec, generate, key_pair};
    use crate::{
        Algorithm::{self, Ecdsa, Ed25519, Rsa},
        Encoding::{self, Pkcs1, Pkcs8},
    };

    fn header(algorithm: Algorithm, encoding: Encoding, size: i32) -> String {
        let key = generate(KeySpec { algorithm, encoding, size }).unwrap();
        key_pair(&key).unwrap();
        key.lines().next().unwrap().to_owned()
    }

    #[test]
    fn keys_are_written_as_asked_for_and_can_be_signed_with() {
        assert_eq!(header(Rsa, Pkcs1, 2048), "-----BEGIN RSA PRIVATE KEY-----");
        assert_eq!(header(Rsa, Pkcs8, 2048), "-----BEGIN PRIVATE KEY-----");
        assert_eq!(header(Rsa, Pkcs1, 4096), "-----BEGIN RSA PRIVATE KEY-----");
        assert_eq!(header(Ecdsa, Pkcs1, 256), "-----BEGIN EC PRIVATE KEY-----");
        assert_eq!(header(Ecdsa, Pkcs1, 384), "-----BEGIN EC PRIVATE KEY-----");
        assert_eq!(header(Ecdsa, Pkcs8, 384), "-----BEGIN PRIVATE KEY-----");
        assert_eq!(header(Ed25519, Pkcs1, 0), "-----BEGIN PRIVATE KEY-----");
    }

    #[test]
    fn a_size_that_cannot_be_is_refused() {
        assert!(generate(KeySpec { algorithm: Rsa, encoding: Pkcs1, size: 1024 }).is_err());
        assert!(generate(KeySpec { algorithm: Ecdsa, encoding: Pkcs1, size: 521 }).is_err());
    }
}
