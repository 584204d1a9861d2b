//! An entropy source without randomness, for values that are never used.

use crate::{Entropy, SystemEntropy};
use std::{sync::OnceLock, time::Duration};

/// Returns constant values, which are recognisable as placeholders and cheap to compute.
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
        // Issuing a certificate needs a real key.
        let key = SystemEntropy.rsa_key()?;
        Ok(self.key.get_or_init(|| key).clone())
    }

    fn jitter(&self, _: Duration) -> Duration {
        Duration::ZERO
    }
}
