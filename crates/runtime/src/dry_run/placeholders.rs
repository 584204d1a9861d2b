//! Dice that are not thrown: what they show is never used.

use crate::{Entropy, SystemEntropy};
use std::{sync::OnceLock, time::Duration};

/// The same for everybody, so that nobody takes it for a secret and no time is spent on it.
#[derive(Debug, Default)]
pub(super) struct PlaceholderEntropy {
    key: OnceLock<String>,
}

impl Entropy for PlaceholderEntropy {
    fn alphanumeric(&self, length: usize) -> String {
        "x".repeat(length)
    }

    fn bytes(&self) -> [u8; 16] {
        [1; 16]
    }

    fn rsa_key(&self) -> Result<String, pki::IssueError> {
        if let Some(key) = self.key.get() {
            return Ok(key.clone());
        }
        // A certificate cannot be made without a key that is one.
        let key = SystemEntropy.rsa_key()?;
        Ok(self.key.get_or_init(|| key).clone())
    }

    fn jitter(&self, _: Duration) -> Duration {
        Duration::ZERO
    }
}
