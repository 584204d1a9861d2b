//! The Redis of Harbor's own components.

use super::percent::PercentEncoded;
use crate::{
    secrets::{SecretKey, SecretValue, Secrets},
    versions::{Feature, HarborVersion},
};
use api::v1beta1::redis::{RedisConnection, RedisHostSpec, RedisSpec};
use plan::{All, PlanError};
use std::{fmt, net::Ipv6Addr};

/// Key of a Secret that holds a password.
pub(crate) const REDIS_PASSWORD: &str = "redis-password";

/// The URL of a Redis database. It contains the password, so it belongs in a Secret.
///
/// `idle_timeout` is how many seconds an unused connection stays open.
pub(crate) fn redis_url(
    connection: &RedisConnection,
    idle_timeout: u64,
    secrets: &Secrets<'_>,
) -> Result<String, PlanError> {
    let server = &connection.server;
    let password = redis_password_key(server).map(|key| secrets.value(&key)).transpose()?;
    let url = Url {
        tls: redis_uses_tls(server),
        password: password.as_ref().map(SecretValue::bytes).filter(|bytes| !bytes.is_empty()),
        username: server.username.as_deref().filter(|user| !user.is_empty()),
        host: &server.host,
        port: server.port,
        sentinels: &server.sentinels,
        master_set: redis_master_set(server),
        database: connection.database,
        idle_timeout,
    };
    Ok(url.to_string())
}

/// The key of the Secret that holds the password of a server, if the spec names one.
pub(crate) fn redis_password_key(server: &RedisSpec) -> Option<SecretKey<'_>> {
    let key = server.password_key.as_deref().unwrap_or(REDIS_PASSWORD);
    server.password_ref.as_ref().map(|secret| SecretKey::new(secret, key))
}

/// Whether a URL contains credentials and must not be logged.
pub(crate) fn url_has_password(url: &str) -> bool {
    url.contains('@')
}

/// Whether connections to a server use TLS.
pub(crate) fn redis_uses_tls(server: &RedisSpec) -> bool {
    server.certificate_ref.is_some() || server.tls == Some(true)
}

/// The master set, if the servers are sentinels.
pub(crate) fn redis_master_set(server: &RedisSpec) -> Option<&str> {
    server.sentinel_master_set.as_deref().filter(|set| !set.is_empty())
}

/// The server, or all its sentinels, separated by commas.
pub(crate) fn redis_addresses(server: &RedisSpec) -> String {
    Addresses {
        host: &server.host,
        port: server.port,
        sentinels: &server.sentinels,
        default_port: default_port(redis_master_set(server)),
    }
    .to_string()
}

/// Refuses settings of a connection, at `field`, that this version of Harbor does not support.
pub(crate) fn check_redis(
    connection: &RedisConnection,
    field: &str,
    version: &HarborVersion,
) -> Result<(), PlanError> {
    understood_with(Feature::RedisUser, connection, field, version)
}

/// Like [`check_redis`], for the registry, which supports user names later than other components.
pub(crate) fn check_registry_redis(
    connection: &RedisConnection,
    field: &str,
    version: &HarborVersion,
) -> Result<(), PlanError> {
    understood_with(Feature::RegistryRedisUser, connection, field, version)
}

fn understood_with(
    user: Feature,
    connection: &RedisConnection,
    field: &str,
    version: &HarborVersion,
) -> Result<(), PlanError> {
    let RedisSpec { certificate_ref, tls, username, sentinels, sentinel_master_set, .. } = &connection.server;
    let tls_or_not = match (certificate_ref, tls) {
        (Some(_), Some(false)) => Err(PlanError::invalid(
            format_args!("{field}.tls"),
            "is false although certificateRef says who signed the certificate of the server",
            "remove one of them",
        )),
        _ => Ok(()),
    };
    let sentinels_of_nothing = match (sentinels.first(), sentinel_master_set) {
        (Some(_), None) => Err(PlanError::invalid(
            format_args!("{field}.sentinels"),
            "is set without sentinelMasterSet",
            "name the master set, or remove the sentinels",
        )),
        _ => Ok(()),
    };
    (
        version.known(Feature::RedisTls, format_args!("{field}.certificateRef"), certificate_ref.as_ref()),
        version.known(Feature::RedisTls, format_args!("{field}.tls"), tls.filter(|tls| *tls)),
        version.known(user, format_args!("{field}.username"), username.as_ref()),
        tls_or_not,
        sentinels_of_nothing,
    )
        .all()
        .map(drop)
}

struct Url<'a> {
    tls: bool,
    username: Option<&'a str>,
    password: Option<&'a [u8]>,
    host: &'a str,
    port: Option<i32>,
    sentinels: &'a [RedisHostSpec],
    master_set: Option<&'a str>,
    database: i32,
    idle_timeout: u64,
}

impl fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tls, sentinel) = (if self.tls { "s" } else { "" }, self.master_set.map_or("", |_| "+sentinel"));
        write!(f, "redis{tls}{sentinel}://")?;
        if self.username.is_some() || self.password.is_some() {
            let user = PercentEncoded(self.username.unwrap_or_default().as_bytes());
            write!(f, "{user}:{}@", PercentEncoded(self.password.unwrap_or_default()))?;
        }
        let Self { host, port, sentinels, .. } = *self;
        write!(f, "{}", Addresses { host, port, sentinels, default_port: default_port(self.master_set) })?;
        if let Some(set) = self.master_set {
            write!(f, "/{}", PercentEncoded(set.as_bytes()))?;
        }
        write!(f, "/{}?idle_timeout_seconds={}", self.database, self.idle_timeout)
    }
}

/// The default port of servers or sentinels.
const fn default_port(master_set: Option<&str>) -> i32 {
    match master_set {
        Some(_) => 26379,
        None => 6379,
    }
}

struct Addresses<'a> {
    host: &'a str,
    port: Option<i32>,
    sentinels: &'a [RedisHostSpec],
    default_port: i32,
}

impl fmt::Display for Addresses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Address(self.host, self.port.unwrap_or(self.default_port)))?;
        for RedisHostSpec { host, port } in self.sentinels {
            write!(f, ",{}", Address(host, port.unwrap_or(self.default_port)))?;
        }
        Ok(())
    }
}

/// A host and its port, as written in URLs and in lists of addresses.
pub(crate) struct Address<'a>(pub &'a str, pub i32);

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(host, port) = self;
        match host.parse::<Ipv6Addr>() {
            Ok(address) => write!(f, "[{address}]:{port}"),
            Err(_) => write!(f, "{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain() -> Url<'static> {
        Url {
            tls: false,
            username: None,
            password: None,
            host: "redis",
            port: Some(6379),
            sentinels: &[],
            master_set: None,
            database: 0,
            idle_timeout: 30,
        }
    }

    fn decoded(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let [first, tail @ ..] = rest {
            if *first == b'%' {
                let digits = std::str::from_utf8(&tail[..2]).unwrap();
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &tail[2..];
            } else {
                bytes.push(*first);
                rest = tail;
            }
        }
        bytes
    }

    #[test]
    fn a_password_is_encoded_as_user_information() {
        let url = Url { password: Some(b"p@ss/w:rd#1%"), ..plain() }.to_string();
        assert_eq!(url, "redis://:p%40ss%2Fw%3Ard%231%25@redis:6379/0?idle_timeout_seconds=30");
    }

    #[test]
    fn a_sentinel_is_asked_for_its_master_set() {
        let url = Url { master_set: Some("mymaster"), port: None, database: 2, ..plain() }.to_string();
        assert_eq!(url, "redis+sentinel://redis:26379/mymaster/2?idle_timeout_seconds=30");
    }

    #[test]
    fn the_scheme_states_tls_with_and_without_sentinel() {
        assert!(Url { tls: true, ..plain() }.to_string().starts_with("rediss://"));
        let sentinel = Url { tls: true, master_set: Some("m"), ..plain() }.to_string();
        assert!(sentinel.starts_with("rediss+sentinel://"), "{sentinel}");
    }

    #[test]
    fn an_ipv6_address_stands_in_brackets() {
        let url = Url { host: "fd00::1", ..plain() }.to_string();
        assert_eq!(url, "redis://[fd00::1]:6379/0?idle_timeout_seconds=30");
    }

    #[test]
    fn b15_tls_is_refused_where_harbor_does_not_know_it() {
        let mut connection = RedisConnection::default();
        connection.server.certificate_ref = Some("redis-ca".into());
        let check = |version| check_redis(&connection, "spec.redis", &HarborVersion::parse(version).unwrap());
        assert_eq!(check("2.13.0"), Ok(()));
        let error = check("2.12.4").unwrap_err().to_string();
        assert!(error.starts_with("spec.redis.certificateRef: Harbor 2.12.4 does not know TLS"), "{error}");
    }

    #[test]
    fn tls_without_an_authority_is_for_versions_that_know_tls_and_not_to_be_contradicted() {
        let mut connection = RedisConnection::default();
        connection.server.tls = Some(true);
        let check = |connection: &RedisConnection, version| {
            check_redis(connection, "spec.redis", &HarborVersion::parse(version).unwrap())
        };
        assert!(redis_uses_tls(&connection.server));
        assert_eq!(check(&connection, "2.13.0"), Ok(()));
        let error = check(&connection, "2.12.4").unwrap_err().to_string();
        assert!(error.starts_with("spec.redis.tls: Harbor 2.12.4 does not know TLS"), "{error}");
        connection.server.tls = Some(false);
        assert_eq!(check(&connection, "2.12.4"), Ok(()), "as if it were not set");
        connection.server.certificate_ref = Some("redis-ca".into());
        let error = check(&connection, "2.13.0").unwrap_err().to_string();
        assert!(error.starts_with("spec.redis.tls: is false although certificateRef"), "{error}");
    }

    #[test]
    fn b15_every_sentinel_is_in_the_url_so_that_one_may_be_down() {
        let further = [
            RedisHostSpec { host: "b".into(), port: Some(1) },
            RedisHostSpec { host: "c".into(), port: None },
        ];
        let url = Url { host: "a", port: None, sentinels: &further, master_set: Some("m"), ..plain() };
        assert_eq!(url.to_string(), "redis+sentinel://a:26379,b:1,c:26379/m/0?idle_timeout_seconds=30");
    }

    #[test]
    fn sentinels_without_a_master_set_are_refused() {
        let mut connection = RedisConnection::default();
        connection.server.sentinels = vec![RedisHostSpec::default()];
        let error =
            check_redis(&connection, "spec.redis", &HarborVersion::parse("2.15.0").unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("spec.redis.sentinels: is set without"), "{error}");
    }

    #[test]
    fn a_user_without_a_password_is_passed_on() {
        let url = Url { username: Some("harbor@x"), ..plain() }.to_string();
        assert!(url.starts_with("redis://harbor%40x:@redis:6379"), "{url}");
    }

    proptest! {
        #[test]
        fn any_password_comes_back_from_the_url_as_it_was(password in prop::collection::vec(any::<u8>(), 1..40)) {
            let url = Url { password: Some(&password), ..plain() }.to_string();
            let (user_info, rest) = url.strip_prefix("redis://:").unwrap().split_once('@').unwrap();
            prop_assert_eq!(decoded(user_info), password);
            prop_assert_eq!(rest, "redis:6379/0?idle_timeout_seconds=30");
        }
    }
}
