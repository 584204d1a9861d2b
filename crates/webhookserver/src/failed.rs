//! Why something of the webhooks could not be written.

use crate::settings::Settings;
use runtime::with_sources;
use std::time::Duration;

/// When the leader tries again after a failure.
pub(crate) const RETRY: Duration = Duration::from_secs(5);

/// Why something could not be written. It never contains a key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("cannot issue the certificate of the webhook: {0}")]
    Issue(String),
    #[error(
        "cannot change {object}: {why}; `harbor-operator rbac{flags}` prints what the operator must be allowed"
    )]
    Send { object: String, why: String, flags: String },
}

impl Failed {
    /// A request about an object that failed.
    pub fn send(settings: &Settings, object: String, error: &kube::Error) -> Self {
        let rewriting = settings.rewriting.map_or("", |_| " --rewrite-images");
        let conversion = settings.conversion.map_or("", |_| " --convert-v1alpha3");
        Self::Send { object, why: with_sources(error), flags: format!("{rewriting}{conversion}") }
    }
}
