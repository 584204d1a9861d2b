//! JobService's Deployment.

use super::{
    JobService, config,
    environment::{self, DIRECTORY, TLS_DIRECTORY},
    validated::Validated,
};
use crate::{
    certificates::InternalTls,
    observability::Metrics,
    pods::{
        Scheme, Workload, config_map_volume, container_port, directory_mount, http_probe, scratch_volume,
        tcp_probe, writable_mount,
    },
    versions::Feature,
};
use k8s_openapi::api::core::v1::{Container, Probe, Volume, VolumeMount};
use plan::{Component, Desired};

/// How long a start may take, in probes ten seconds apart: five minutes. While Redis refuses connections,
/// JobService neither listens nor exits for 90 seconds.
const STARTUP_PROBES: i32 = 30;

/// The Deployment. It waits for the ConfigMap and the Secret that its pods use.
pub(super) fn deployment(jobservice: &Validated<'_>) -> Desired {
    Workload {
        instance: &jobservice.instance,
        containers: vec![(container(jobservice), &jobservice.spec.component)],
        volumes: volumes(jobservice),
        strategy: jobservice.strategy,
        termination_grace_period_seconds: Some(120),
    }
    .deployment()
}

fn container(jobservice: &Validated<'_>) -> Container {
    let scheme = jobservice.scheme();
    let ports = [
        Some(container_port(scheme.as_str(), scheme.container_port())),
        jobservice.metrics.map(Metrics::container_port),
    ];
    Container {
        name: JobService::NAME.into(),
        image: Some(jobservice.instance.image("harbor-jobservice")),
        env: Some(environment::environment(jobservice).into()),
        ports: Some(ports.into_iter().flatten().collect()),
        volume_mounts: Some(mounts(jobservice)),
        startup_probe: Some(Probe { failure_threshold: Some(STARTUP_PROBES), ..reached(scheme) }),
        liveness_probe: Some(alive(scheme)),
        readiness_probe: Some(stats(scheme)),
        ..Container::default()
    }
}

/// Probes the only path that needs no authentication. It fails while Redis is unavailable.
fn stats(scheme: Scheme) -> Probe {
    http_probe("/api/v1/stats", scheme.as_str(), scheme)
}

/// Probes whether the server listens. With TLS it sends a request: the server logs an error for a connection
/// without one.
fn reached(scheme: Scheme) -> Probe {
    match scheme {
        Scheme::Http => tcp_probe(scheme.as_str()),
        Scheme::Https => stats(scheme),
    }
}

/// Does not restart JobService, which would abort jobs, while Redis is unavailable. With TLS, this holds for an
/// hour.
fn alive(scheme: Scheme) -> Probe {
    let failures = match scheme {
        Scheme::Http => 3,
        Scheme::Https => 120,
    };
    Probe { period_seconds: Some(30), failure_threshold: Some(failures), ..reached(scheme) }
}

const CONFIGURATION: &str = "config";
const LOGS: &str = "logs";
const EXPORTS: &str = "job-scandata-exports";

fn volumes(jobservice: &Validated<'_>) -> Vec<Volume> {
    let exports = jobservice.spec.storage.as_ref().map(|storage| &storage.scan_data_exports.volume_source);
    let exports = || exports.map_or_else(|| scratch_volume(EXPORTS), |source| source.volume(EXPORTS));
    [config_map_volume(CONFIGURATION, &jobservice.instance.name, config::FILE), scratch_volume(LOGS)]
        .into_iter()
        .chain(exports_to_volume(jobservice).then(exports))
        .chain(jobservice.tls.map(|tls| tls.volume()))
        .chain(jobservice.loggers.volume())
        .chain(jobservice.job_loggers.volume())
        .chain(jobservice.authorities.volumes())
        .collect()
}

fn mounts(jobservice: &Validated<'_>) -> Vec<VolumeMount> {
    let exports = || VolumeMount {
        sub_path: jobservice.exports.clone(),
        ..writable_mount(EXPORTS, "/var/scandata_exports")
    };
    // The image declares this path as a volume. If nothing is mounted there, the container runtime creates a
    // volume.
    [directory_mount(CONFIGURATION, DIRECTORY), writable_mount(LOGS, "/var/log/jobs")]
        .into_iter()
        .chain(exports_to_volume(jobservice).then(exports))
        .chain(jobservice.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .chain(jobservice.loggers.mount())
        .chain(jobservice.job_loggers.mount())
        .chain(jobservice.authorities.mounts())
        .collect()
}

/// Other versions write their exports to the registry; a volume would only constrain scheduling.
fn exports_to_volume(jobservice: &Validated<'_>) -> bool {
    jobservice.instance.version.has(Feature::ScanDataExportVolume)
}
