//! How long a watch that failed waits before it is tried again.

use crate::{Entropy, Metrics};
use kube::runtime::watcher;
use std::time::Duration;

/// The backoff of a failing watch. kube's own backoff is useless here: the event before every list resets it.
#[derive(Debug, Default)]
pub(super) struct WatchBackoff(u32);

impl WatchBackoff {
    pub(super) const LONGEST: Duration = Duration::from_secs(30);

    pub(super) fn reset(&mut self) {
        self.0 = 0;
    }

    /// Logs that a watch failed, as a warning only for the first failure in a row. Returns how long to wait.
    pub(super) fn failed(
        &mut self,
        metrics: &Metrics,
        entropy: &dyn Entropy,
        kind: &str,
        error: &watcher::Error,
    ) -> Duration {
        metrics.watch_failed(kind);
        if self.0 == 0 {
            tracing::warn!(
                kind,
                error = plan::one_line(error),
                "a watch failed; the operator retries until it works"
            );
        } else {
            tracing::debug!(kind, error = plan::one_line(error), "a watch failed again");
        }
        let most = Duration::from_millis(800).saturating_mul(2_u32.saturating_pow(self.0)).min(Self::LONGEST);
        self.0 = self.0.saturating_add(1).min(16);
        most / 2 + entropy.jitter(most / 2)
    }
}
