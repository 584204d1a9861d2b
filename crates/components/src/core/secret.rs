//! The Secret with the URLs of Redis, which hold passwords.

use super::inputs::Inputs;
use crate::secret_key::SecretKey;
use k8s_openapi::{ByteString, api::core::v1::Secret};

/// Key, and environment variable, of the URL of sessions and caches.
pub(super) const REDIS_URL_CORE: &str = "_REDIS_URL_CORE";

/// Key, and environment variable, of the URL of the registry's cache.
pub(super) const REDIS_URL_REGISTRY: &str = "_REDIS_URL_REG";

/// The Secret. `data`, never `stringData`: what is applied to the one is not seen by who reads the other.
pub(super) fn secret(core: &Inputs<'_>) -> Secret {
    let urls = [(REDIS_URL_CORE, Some(&core.redis.core)), (REDIS_URL_REGISTRY, core.redis.registry.as_ref())];
    let data = urls
        .into_iter()
        .filter_map(|(key, url)| Some((key.to_owned(), ByteString(url?.clone().into_bytes()))))
        .collect();
    Secret {
        metadata: core.metadata(&*core.name),
        type_: Some("Opaque".into()),
        data: Some(data),
        ..Secret::default()
    }
}

/// The key of the Secret that holds `url`.
pub(super) fn key<'a>(core: &'a Inputs<'_>, url: &'static str) -> SecretKey<'a> {
    SecretKey::new(&core.name, url)
}
