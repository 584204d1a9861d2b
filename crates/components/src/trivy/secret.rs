//! The Secret with the URL of Redis, which may hold a password.

use super::inputs::Inputs;
use k8s_openapi::api::core::v1::Secret;

/// Environment variables of the adapter. Those after the first are read by old ones only, as by Harbor's installer.
const VARIABLES: [&str; 3] = ["SCANNER_REDIS_URL", "SCANNER_STORE_REDIS_URL", "SCANNER_JOB_QUEUE_REDIS_URL"];

/// The Secret.
pub(super) fn secret(trivy: &Inputs<'_>) -> Secret {
    trivy.instance.secret(VARIABLES.map(|variable| (variable, trivy.redis.url.clone().into_bytes())))
}
