//! `config.yml` of the registry, as distribution 2.8 reads it. Secrets are in [`super::settings`].

mod auth;
mod health;
mod http;
mod notifications;
mod redis;
mod storage;

pub(super) use self::{auth::TOKEN_DIRECTORY, http::drain_timeout};

use self::{
    auth::Auth, health::Health, http::Http, notifications::Notifications, redis::Redis, storage::Storage,
};
use super::driver::Driver;
use api::v1beta1::{
    RegistrySpec,
    registry::{
        RegistryCompatibilitySpec, RegistryValidationSpec,
        log::{RegistryLogLevel, RegistryLogSpec},
    },
};
use plan::{All, PlanError};
use serde::Serialize;
use std::collections::BTreeMap;

/// The file, section by section.
#[derive(Serialize)]
pub(super) struct Config<'a> {
    version: &'static str,
    log: Log<'a>,
    http: Http,
    storage: Storage<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redis: Option<Redis<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth: Option<Auth<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compatibility: Option<Compatibility>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<Validation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notifications: Option<Notifications<'a>>,
    health: Health<'a>,
}

impl<'a> Config<'a> {
    /// The file of a spec.
    pub fn of(spec: &'a RegistrySpec, driver: &'a Driver) -> Result<Self, PlanError> {
        let (http, storage, redis, auth, notifications, health) = (
            Http::of(spec.http.as_ref()),
            Storage::of(spec, driver),
            spec.redis.as_ref().map(Redis::of).transpose(),
            spec.authentication.as_ref().map_or(Ok(None), Auth::of),
            spec.notifications.as_ref().map(Notifications::of).transpose(),
            Health::of(spec.health.as_ref()),
        )
            .all()?;
        Ok(Self {
            version: "0.1",
            log: Log::of(&spec.log),
            http,
            storage,
            redis,
            auth,
            compatibility: spec.compatibility.as_ref().and_then(Compatibility::of),
            validation: spec.validation.as_ref().map(Validation::of),
            notifications,
            health,
        })
    }
}

/// A setting that enables a feature.
#[derive(Serialize)]
struct Enabled {
    enabled: bool,
}

/// A setting that disables a feature.
#[derive(Serialize)]
struct Disabled {
    disabled: bool,
}

#[derive(Serialize)]
struct Log<'a> {
    accesslog: Disabled,
    level: &'static str,
    formatter: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fields: &'a BTreeMap<String, String>,
}

impl<'a> Log<'a> {
    fn of(spec: &'a RegistryLogSpec) -> Self {
        Self {
            accesslog: Disabled { disabled: spec.access_log.as_ref().is_some_and(|log| log.disabled) },
            level: match spec.level {
                RegistryLogLevel::Debug => "debug",
                RegistryLogLevel::Info => "info",
                // The registry does not start with `warning`.
                RegistryLogLevel::Warning => "warn",
                RegistryLogLevel::Error => "error",
            },
            formatter: spec.formatter.as_str(),
            fields: &spec.fields,
        }
    }
}

#[derive(Serialize)]
struct Compatibility {
    schema1: Schema1,
}

#[derive(Serialize)]
struct Schema1 {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    signingkeyfile: Option<String>,
}

impl Compatibility {
    fn of(spec: &RegistryCompatibilitySpec) -> Option<Self> {
        let schema1 = spec.schema1.as_ref()?;
        let key = schema1.certificate_ref.as_ref().filter(|_| schema1.enabled);
        // Not a variable: the registry does not read the one in its documentation.
        let signingkeyfile = key.map(|_| format!("{}/tls.key", super::SCHEMA1_DIRECTORY));
        Some(Self { schema1: Schema1 { enabled: schema1.enabled, signingkeyfile } })
    }
}

#[derive(Serialize)]
struct Validation<'a> {
    disabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifests: Option<Manifests<'a>>,
}

#[derive(Serialize)]
struct Manifests<'a> {
    urls: Urls<'a>,
}

#[derive(Serialize)]
struct Urls<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    allow: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    deny: &'a [String],
}

impl<'a> Validation<'a> {
    fn of(spec: &'a RegistryValidationSpec) -> Self {
        let urls = spec.manifests.as_ref().and_then(|manifests| manifests.urls.as_ref());
        let urls = urls.map(|urls| Urls { allow: &urls.allow, deny: &urls.deny });
        Self {
            disabled: spec.disabled.unwrap_or(false),
            manifests: urls
                .filter(|urls| !urls.allow.is_empty() || !urls.deny.is_empty())
                .map(|urls| Manifests { urls }),
        }
    }
}
