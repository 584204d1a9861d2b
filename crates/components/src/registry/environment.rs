//! The environment of the registry's container, and the part of it that its controller shares.

use super::validated::{HTTP_SECRET, Validated, http_secret};
use crate::{
    connections::{proxy_environment, redis_uses_tls},
    pods::Environment,
};

/// The whole environment, without duplicate names.
pub(super) fn environment(registry: &Validated<'_>) -> Environment {
    let server = registry.spec.redis.as_ref().map(|redis| &redis.connection.server);
    // Not in the configuration file, where Harbor's registry expects another spelling than Harbor writes.
    let tls = server.filter(|server| redis_uses_tls(server)).map(|_| true);
    let secret = http_secret(registry.spec);
    let secret = secret.map(|key| Environment::default().with_secret(HTTP_SECRET, &key));
    secret
        .unwrap_or_default()
        .with_some("REGISTRY_REDIS_ENABLETLS", tls)
        .and(registry.settings.environment(&registry.instance.name))
        .and(store(registry))
}

/// The settings for the store.
pub(super) fn store(registry: &Validated<'_>) -> Environment {
    let siblings = [&*registry.instance.name, &*registry.controller.instance.name];
    registry
        .driver
        .credentials
        .environment(&registry.instance.name)
        .and(proxy_environment(registry.spec.proxy.as_ref(), siblings))
}
