//! The source of randomness.

use plan::{BCRYPT_COST, SecretGenerator};
use rand::{
    RngExt as _,
    distr::{Alphanumeric, SampleString as _},
};
use std::time::Duration;

/// The only source of randomness. Tests use their own.
pub trait Entropy: Send + Sync {
    /// Random letters and digits.
    fn alphanumeric(&self, length: usize) -> String;

    /// Random bytes, for salts and serial numbers.
    fn bytes(&self) -> [u8; 16];

    /// A new RSA key, as PKCS#1 in PEM. Generating it may take a while.
    fn rsa_key(&self) -> Result<String, pki::IssueError>;

    /// A random duration up to `most`, so that retries are spread over time.
    fn jitter(&self, most: Duration) -> Duration;
}

/// Cryptographically secure randomness, seeded by the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn alphanumeric(&self, length: usize) -> String {
        Alphanumeric.sample_string(&mut rand::rng(), length)
    }

    fn bytes(&self) -> [u8; 16] {
        rand::rng().random()
    }

    fn rsa_key(&self) -> Result<String, pki::IssueError> {
        pki::generate(pki::KeySpec::DEFAULT)
    }

    fn jitter(&self, most: Duration) -> Duration {
        most.mul_f64(rand::rng().random_range(0.0..=1.0))
    }
}

impl SecretGenerator for &dyn Entropy {
    fn alphanumeric(&self, length: usize) -> String {
        Entropy::alphanumeric(*self, length)
    }

    fn bcrypt(&self, password: &[u8]) -> Option<String> {
        let hash = bcrypt::non_truncating_hash_with_salt(password, BCRYPT_COST, self.bytes()).ok()?;
        Some(hash.format_for_version(bcrypt::Version::TwoB))
    }
}
