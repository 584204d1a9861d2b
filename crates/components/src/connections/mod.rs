//! Connections of Harbor's components: to PostgreSQL, Redis, the registry and each other, and through a proxy.
//!
//! Uses: pods, secrets, values, versions.

mod percent;
mod postgres;
mod proxy;
mod redis;
mod registry_login;
mod server;
mod url;

pub(crate) use self::{
    percent::PercentEncoded,
    postgres::{Database, postgres_advice, postgres_password_key},
    proxy::{cluster_service_host, proxy_environment, proxy_except},
    redis::{
        Address, REDIS_PASSWORD, check_redis, check_registry_redis, redis_addresses, redis_master_set,
        redis_password_key, redis_url, redis_uses_tls, url_has_password,
    },
    registry_login::RegistryLogin,
    server::{Server, restarts},
    url::{Url, url_host},
};
