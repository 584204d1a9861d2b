//! The Secret with the URLs of Redis, which hold passwords, and with the administrator's password of the first start, which
//! outlives a change of the user's Secret.

use super::validated::{RedisUrls, Validated};
use crate::management::FIRST;
use k8s_openapi::api::core::v1::Secret;

/// Key, and environment variable, of the URL of sessions and caches.
const REDIS_URL_CORE: &str = "_REDIS_URL_CORE";

/// Key, and environment variable, of the URL of everything but sessions.
const REDIS_URL_HARBOR: &str = "_REDIS_URL_HARBOR";

/// Key, and environment variable, of the URL of the registry's cache.
const REDIS_URL_REGISTRY: &str = "_REDIS_URL_REG";

/// Key, and environment variable, of the URL of the cache layer.
const REDIS_URL_CACHE_LAYER: &str = "_REDIS_URL_CACHE_LAYER";

/// The Secret.
pub(super) fn secret(core: &Validated<'_>) -> Secret {
    let urls = urls(core).map(|(key, url)| (key, url.clone().into_bytes()));
    core.instance.secret(urls.chain([(FIRST, core.admin_password.first().to_vec())]))
}

/// The URLs that are set, and their keys. Core would use an empty URL, so the others are left out.
pub(super) fn urls<'a>(core: &'a Validated<'_>) -> impl Iterator<Item = (&'static str, &'a String)> {
    let RedisUrls { core, harbor, registry, cache_layer } = &core.redis;
    let urls = [
        (REDIS_URL_CORE, Some(core)),
        (REDIS_URL_HARBOR, harbor.as_ref()),
        (REDIS_URL_REGISTRY, registry.as_ref()),
        (REDIS_URL_CACHE_LAYER, cache_layer.as_ref()),
    ];
    urls.into_iter().filter_map(|(key, url)| Some((key, url?)))
}
