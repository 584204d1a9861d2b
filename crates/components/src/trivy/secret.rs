//! The Secret with the URL of Redis, which may hold a password.

use super::validated::Validated;
use k8s_openapi::api::core::v1::Secret;

/// Environment variables of the adapter. Only old versions read those after the first; Harbor's installer sets
/// them, too.
const VARIABLES: [&str; 3] = ["SCANNER_REDIS_URL", "SCANNER_STORE_REDIS_URL", "SCANNER_JOB_QUEUE_REDIS_URL"];

/// The Secret.
pub(super) fn secret(trivy: &Validated<'_>) -> Secret {
    trivy.instance.secret(VARIABLES.map(|variable| (variable, trivy.redis.url.clone().into_bytes())))
}
