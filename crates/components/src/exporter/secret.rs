//! The Secret with the URL of Redis, which may hold a password.

use super::validated::Validated;
use crate::secrets::SecretKey;
use k8s_openapi::api::core::v1::Secret;

/// Key, and environment variable, of the URL of JobService's queue.
pub(super) const REDIS_URL: &str = "HARBOR_REDIS_URL";

/// The Secret.
pub(super) fn secret(exporter: &Validated<'_>) -> Secret {
    exporter.instance.secret([(REDIS_URL, exporter.queue.url.clone().into_bytes())])
}

/// The key of the Secret that holds the URL.
pub(super) fn key<'a>(exporter: &'a Validated<'_>) -> SecretKey<'a> {
    SecretKey::new(&exporter.instance.name, REDIS_URL)
}
