//! The Secret with the URLs of Redis, which hold passwords.

use super::inputs::Inputs;
use crate::secret_key::SecretKey;
use k8s_openapi::api::core::v1::Secret;

/// Key, and environment variable, of the URL of sessions and caches.
pub(super) const REDIS_URL_CORE: &str = "_REDIS_URL_CORE";

/// Key, and environment variable, of the URL of the registry's cache.
pub(super) const REDIS_URL_REGISTRY: &str = "_REDIS_URL_REG";

/// The Secret.
pub(super) fn secret(core: &Inputs<'_>) -> Secret {
    let urls = [(REDIS_URL_CORE, Some(&core.redis.core)), (REDIS_URL_REGISTRY, core.redis.registry.as_ref())];
    core.instance.secret(urls.into_iter().filter_map(|(key, url)| Some((key, url?.clone().into_bytes()))))
}

/// The key of the Secret that holds `url`.
pub(super) fn key<'a>(core: &'a Inputs<'_>, url: &'static str) -> SecretKey<'a> {
    SecretKey::new(&core.instance.name, url)
}
