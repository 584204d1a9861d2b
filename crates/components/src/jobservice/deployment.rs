//! JobService's Deployment.

use super::{
    JobService, config,
    environment::{self, DIRECTORY, TLS_DIRECTORY},
    inputs::Inputs,
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

/// Time a start may take, in probes ten seconds apart: five minutes. While Redis refuses connections JobService neither
/// listens nor exits for a minute and a half.
const STARTUP_PROBES: i32 = 30;

/// The Deployment. Waits for the ConfigMap and the Secret that its pods use.
pub(super) fn deployment(jobservice: &Inputs<'_>) -> Desired {
    Workload {
        instance: &jobservice.instance,
        containers: vec![(container(jobservice), &jobservice.spec.component)],
        volumes: volumes(jobservice),
        strategy: jobservice.manners.strategy,
        termination_grace_period_seconds: Some(120),
    }
    .deployment()
}

fn container(jobservice: &Inputs<'_>) -> Container {
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

/// The only request that JobService answers without a password. While Redis is away the answer is an error.
fn stats(scheme: Scheme) -> Probe {
    http_probe("/api/v1/stats", scheme.as_str(), scheme)
}

/// Whether the server listens. Over TLS it is asked something: it logs an error for each connection that is only opened.
fn reached(scheme: Scheme) -> Probe {
    match scheme {
        Scheme::Http => tcp_probe(scheme.as_str()),
        Scheme::Https => stats(scheme),
    }
}

/// Kills no jobs because Redis is away: to be restarted would not bring it back. Over TLS that holds for an hour.
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

fn volumes(jobservice: &Inputs<'_>) -> Vec<Volume> {
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

fn mounts(jobservice: &Inputs<'_>) -> Vec<VolumeMount> {
    let exports = || VolumeMount {
        sub_path: jobservice.exports.clone(),
        ..writable_mount(EXPORTS, "/var/scandata_exports")
    };
    // The image declares this a volume; what is declared and not mounted, the container runtime makes up.
    [directory_mount(CONFIGURATION, DIRECTORY), writable_mount(LOGS, "/var/log/jobs")]
        .into_iter()
        .chain(exports_to_volume(jobservice).then(exports))
        .chain(jobservice.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .chain(jobservice.loggers.mount())
        .chain(jobservice.job_loggers.mount())
        .chain(jobservice.authorities.mounts())
        .collect()
}

/// Other versions write their exports to the registry; a volume would only keep pods from being scheduled.
fn exports_to_volume(jobservice: &Inputs<'_>) -> bool {
    jobservice.instance.version.has(Feature::ScanDataExportVolume)
}
