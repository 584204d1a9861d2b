//! `config.yml`, JobService's configuration file.
//!
//! The URL of Redis may contain a password and is therefore in the environment.

use super::{environment::TLS_DIRECTORY, loggers::Entry, validated::Validated};
use crate::{observability::Metrics, pods::Scheme, values::to_yaml};
use api::v1beta1::jobservice::{WorkerPoolBackend, settings::JobServiceReaperSpec};
use k8s_openapi::api::core::v1::ConfigMap;
use plan::PlanError;
use serde::Serialize;

/// Key of the ConfigMap, and name of the file.
pub(super) const FILE: &str = "config.yml";

/// The ConfigMap with JobService's configuration file.
pub(super) fn config_map(jobservice: &Validated<'_>) -> Result<ConfigMap, PlanError> {
    let scheme = jobservice.scheme();
    let file = File {
        protocol: scheme.as_str(),
        port: scheme.container_port(),
        https_config: match scheme {
            Scheme::Http => None,
            Scheme::Https => Some(HttpsConfig::new()),
        },
        worker_pool: WorkerPool {
            workers: jobservice.spec.worker_pool.workers,
            backend: backend(jobservice.spec.worker_pool.backend),
            redis_pool: RedisPool {
                namespace: &jobservice.queue.namespace,
                idle_timeout_second: jobservice.queue.idle_timeout,
            },
        },
        job_loggers: jobservice.job_loggers.entries(),
        loggers: jobservice.loggers.entries(),
        metric: jobservice.metrics.map(|Metrics { path, port }| Metric { enabled: true, path, port }),
        reaper: jobservice.spec.settings.reaper.as_ref().map(Reaper::of),
    };
    Ok(jobservice.instance.config_map(FILE, to_yaml(&file)?))
}

#[derive(Serialize)]
struct File<'a> {
    protocol: &'static str,
    port: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    https_config: Option<HttpsConfig>,
    worker_pool: WorkerPool<'a>,
    job_loggers: Vec<Entry>,
    loggers: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<Metric<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaper: Option<Reaper>,
}

#[derive(Serialize)]
struct HttpsConfig {
    cert: String,
    key: String,
}

impl HttpsConfig {
    fn new() -> Self {
        let file = |name| format!("{TLS_DIRECTORY}/{name}");
        Self { cert: file("tls.crt"), key: file("tls.key") }
    }
}

#[derive(Serialize)]
struct WorkerPool<'a> {
    workers: i32,
    backend: &'static str,
    redis_pool: RedisPool<'a>,
}

const fn backend(backend: WorkerPoolBackend) -> &'static str {
    match backend {
        WorkerPoolBackend::Redis => "redis",
    }
}

#[derive(Serialize)]
struct RedisPool<'a> {
    namespace: &'a str,
    idle_timeout_second: u64,
}

#[derive(Serialize)]
struct Metric<'a> {
    enabled: bool,
    path: &'a str,
    port: i32,
}

#[derive(Serialize)]
struct Reaper {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_update_hours: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_dangling_hours: Option<i32>,
}

impl Reaper {
    const fn of(spec: &JobServiceReaperSpec) -> Self {
        Self { max_update_hours: spec.max_update_hours, max_dangling_hours: spec.max_dangling_hours }
    }
}
