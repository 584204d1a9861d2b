//! `config.yaml`, ChartMuseum's settings. Secrets and the settings of the store are in its environment.
//!
//! The operator's predecessor wrote keys such as `allow.overwrite` and `cache`, which ChartMuseum ignores: most
//! of its settings had no effect.

use super::{
    deployment::{DIRECTORY, TLS_DIRECTORY, TOKEN_DIRECTORY},
    validated::{TOKEN_CERTIFICATE, Validated},
};
use crate::values::to_yaml;
use api::v1beta1::{
    chartmuseum::{ChartMuseumBearerSpec, ChartMuseumDisableSpec, ChartMuseumLogSpec},
    network::IpFamily,
};
use k8s_openapi::api::core::v1::ConfigMap;
use plan::PlanError;
use serde::Serialize;

/// Key of the ConfigMap, and name of the file.
pub(super) const FILE: &str = "config.yaml";

/// The path of the file.
pub(super) fn path() -> String {
    format!("{DIRECTORY}/{FILE}")
}

/// The ConfigMap with ChartMuseum's settings.
pub(super) fn config_map(charts: &Validated<'_>) -> Result<ConfigMap, PlanError> {
    Ok(charts.instance.config_map(FILE, to_yaml(&config(charts))?))
}

/// The file. ChartMuseum's defaults apply to absent keys.
#[derive(Serialize)]
struct Config<'a> {
    port: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    listen: Option<Listen>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls: Option<Tls>,
    #[serde(skip_serializing_if = "Option::is_none")]
    readtimeout: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    writetimeout: Option<u64>,
    maxuploadsize: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cors: Option<Cors<'a>>,
    #[serde(flatten)]
    charts: Charts<'a>,
    storage: Storage<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<Cache<'a>>,
    #[serde(flatten)]
    authentication: Authentication<'a>,
    #[serde(flatten)]
    disabled: Disabled,
    #[serde(flatten)]
    log: Log,
}

/// By default, ChartMuseum listens on IPv4 only.
#[derive(Serialize)]
struct Listen {
    host: &'static str,
}

/// Without `cacert`, with which ChartMuseum requires client certificates: neither Core nor the kubelet has one.
#[derive(Serialize)]
struct Tls {
    cert: String,
    key: String,
}

#[derive(Serialize)]
struct Cors<'a> {
    alloworigin: &'a str,
}

#[derive(Serialize)]
struct Charts<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    charturl: Option<&'a str>,
    allowoverwrite: bool,
    #[serde(rename = "enforce-semver2")]
    enforce_semver2: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depthdynamic: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexlimit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maxstorageobjects: Option<i64>,
    chartpostformfieldname: String,
    provpostformfieldname: String,
}

#[derive(Serialize)]
struct Storage<'a> {
    timestamptolerance: &'a str,
}

#[derive(Serialize)]
struct Cache<'a> {
    store: &'static str,
    redis: Redis<'a>,
}

#[derive(Serialize)]
struct Redis<'a> {
    addr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mastername: Option<&'a str>,
    db: i32,
}

#[derive(Serialize)]
struct Authentication<'a> {
    authanonymousget: bool,
    #[serde(flatten)]
    bearer: Option<Bearer<'a>>,
}

#[derive(Serialize)]
struct Bearer<'a> {
    bearerauth: bool,
    authrealm: &'a str,
    authservice: &'a str,
    authcertpath: String,
}

#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the file")]
struct Disabled {
    disableapi: bool,
    disabledelete: bool,
    disableforceoverwrite: bool,
    disablemetrics: bool,
    disablestatefiles: bool,
}

#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the file")]
struct Log {
    debug: bool,
    loghealth: bool,
    logjson: bool,
    loglatencyinteger: bool,
}

fn config<'a>(charts: &'a Validated<'_>) -> Config<'a> {
    let (spec, server) = (charts.spec, &charts.server);
    let ipv6 = spec.network.as_ref().is_some_and(|network| network.listens_on(IpFamily::IPv6));
    let authentication = spec.authentication.as_ref();
    let index = spec.chart.index.as_ref();
    Config {
        port: charts.scheme().container_port(),
        listen: ipv6.then_some(Listen { host: "[::]" }),
        tls: charts.tls.map(|_| Tls {
            cert: format!("{TLS_DIRECTORY}/tls.crt"),
            key: format!("{TLS_DIRECTORY}/tls.key"),
        }),
        readtimeout: charts.times.read,
        writetimeout: charts.times.write,
        maxuploadsize: server.max_upload_size,
        cors: server.cors_allow_origin.as_deref().map(|alloworigin| Cors { alloworigin }),
        charts: repository(charts),
        storage: Storage {
            timestamptolerance: index
                .and_then(|index| index.storage_timestamp_tolerance.as_ref())
                .map_or("1s", |tolerance| tolerance.as_str()),
        },
        cache: charts.cache.as_ref().map(|cache| Cache {
            store: if cache.master_set().is_some() { "redis_sentinel" } else { "redis" },
            redis: Redis { addr: cache.address(), mastername: cache.master_set(), db: cache.database() },
        }),
        authentication: Authentication {
            authanonymousget: authentication.is_some_and(|it| it.anonymous_get),
            bearer: authentication.and_then(|it| it.bearer.as_ref()).map(bearer),
        },
        disabled: disabled(spec.disable.as_ref()),
        log: log(spec.log.clone().unwrap_or_default()),
    }
}

fn repository<'a>(charts: &'a Validated<'_>) -> Charts<'a> {
    let chart = &charts.spec.chart;
    let repo = chart.repo.clone().unwrap_or_default();
    let fields = chart.post_form_field_name.clone().unwrap_or_default();
    Charts {
        charturl: chart.url.as_deref().filter(|url| !url.is_empty()),
        allowoverwrite: chart.allow_overwrite,
        enforce_semver2: chart.only_semver2,
        depth: (!repo.depth_dynamic).then_some(repo.depth),
        depthdynamic: repo.depth_dynamic.then_some(true),
        indexlimit: chart.index.as_ref().and_then(|index| index.parallel_limit),
        maxstorageobjects: chart.storage.max_storage_object,
        chartpostformfieldname: fields.chart,
        provpostformfieldname: fields.provenance,
    }
}

fn bearer(spec: &ChartMuseumBearerSpec) -> Bearer<'_> {
    Bearer {
        bearerauth: true,
        authrealm: &spec.realm,
        authservice: &spec.service,
        authcertpath: format!("{TOKEN_DIRECTORY}/{TOKEN_CERTIFICATE}"),
    }
}

fn disabled(spec: Option<&ChartMuseumDisableSpec>) -> Disabled {
    let spec = spec.cloned().unwrap_or_default();
    Disabled {
        disableapi: spec.api,
        disabledelete: spec.delete,
        disableforceoverwrite: spec.force_overwrite,
        disablemetrics: spec.metrics,
        disablestatefiles: spec.state_files,
    }
}

fn log(spec: ChartMuseumLogSpec) -> Log {
    Log {
        debug: spec.debug,
        loghealth: spec.health,
        logjson: spec.json,
        loglatencyinteger: spec.latency_integer,
    }
}
