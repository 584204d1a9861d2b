//! The Secret with the URLs of Redis, which may contain passwords.

use super::validated::Validated;
use crate::{pods::Environment, secrets::SecretKey};
use k8s_openapi::api::core::v1::Secret;

/// Each URL under its key, which is also the name of its environment variable.
fn urls<'a>(jobservice: &'a Validated<'_>) -> impl Iterator<Item = (&'static str, &'a str)> {
    let cache = jobservice.cache.as_ref();
    let urls = [
        ("JOB_SERVICE_POOL_REDIS_URL", Some(&jobservice.queue.url)),
        ("_REDIS_URL_CORE", cache.map(|cache| &cache.core)),
        ("_REDIS_URL_CACHE_LAYER", cache.and_then(|cache| cache.own.as_ref())),
    ];
    urls.into_iter().filter_map(|(key, url)| Some((key, url?.as_str())))
}

/// The Secret.
pub(super) fn secret(jobservice: &Validated<'_>) -> Secret {
    jobservice.instance.secret(urls(jobservice).map(|(key, url)| (key, url.as_bytes().to_vec())))
}

/// The settings of JobService for Redis.
pub(super) fn environment(jobservice: &Validated<'_>) -> Environment {
    let own = &jobservice.instance.name;
    urls(jobservice).fold(Environment::default(), |environment, (key, _)| {
        environment.with_secret(key, &SecretKey::new(own, key))
    })
}
