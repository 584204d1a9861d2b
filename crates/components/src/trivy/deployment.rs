//! Trivy's Deployment.

use super::{
    Trivy,
    environment::{self, TLS_DIRECTORY},
    storage,
    validated::Validated,
};
use crate::{
    certificates::InternalTls,
    pods::{Strategy, Workload, container_port, http_probe, tcp_probe},
};
use k8s_openapi::api::core::v1::{
    Container, ExecAction, Lifecycle, LifecycleHandler, Probe, Volume, VolumeMount,
};
use plan::{Component, Desired};

/// The Deployment. It waits for the ConfigMap and the Secret with its environment.
pub(super) fn deployment(trivy: &Validated<'_>) -> Desired {
    // The time of a running scan, and Kubernetes' default.
    let grace = i64::try_from(trivy.scan_seconds).unwrap_or(i64::MAX).saturating_add(30);
    Workload {
        instance: &trivy.instance,
        containers: vec![(container(trivy), &trivy.spec.component)],
        volumes: volumes(trivy),
        strategy: strategy(trivy),
        termination_grace_period_seconds: Some(grace),
    }
    .deployment()
}

/// Always one pod after the other, whatever the claim allows: the scans of two pods would block each other in
/// the database of vulnerabilities.
fn strategy(trivy: &Validated<'_>) -> Strategy {
    if trivy.claims.is_empty() { Strategy::RollingUpdate } else { Strategy::Recreate }
}

fn container(trivy: &Validated<'_>) -> Container {
    let scheme = trivy.scheme();
    Container {
        name: Trivy::NAME.into(),
        image: Some(trivy.instance.image("trivy-adapter-photon")),
        env: Some(environment::environment(trivy).into()),
        env_from: Some(environment::sources(trivy)),
        ports: Some(vec![container_port(scheme.as_str(), scheme.container_port())]),
        volume_mounts: Some(mounts(trivy)),
        // Scans may use the whole CPU.
        liveness_probe: Some(Probe { failure_threshold: Some(10), ..probe(trivy, "/probe/healthy") }),
        readiness_probe: Some(Probe { failure_threshold: Some(3), ..probe(trivy, "/probe/ready") }),
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                exec: Some(ExecAction { command: Some(scans_to_end()) }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        ..Container::default()
    }
}

/// The kubelet has no certificate; if callers need one, it can only open a connection.
fn probe(trivy: &Validated<'_>, path: &str) -> Probe {
    let scheme = trivy.scheme();
    if trivy.callers.accepts_all() {
        http_probe(path, scheme.as_str(), scheme)
    } else {
        tcp_probe(scheme.as_str())
    }
}

/// A command that waits while a scan is running. Since Harbor 2.10, the adapter exits immediately on SIGTERM,
/// and Harbor would wait an hour for the report of an aborted scan.
///
/// A running scan has a file among the reports. A file that is older than those that the kubelet creates for
/// each start of a container is left over from a crash.
fn scans_to_end() -> Vec<String> {
    let running = format!("find {} -name 'scan_report_*' -newer /dev/termination-log", storage::REPORTS);
    vec!["/bin/sh".into(), "-c".into(), format!("while [ -n \"$({running})\" ]; do sleep 1; done")]
}

fn volumes(trivy: &Validated<'_>) -> Vec<Volume> {
    trivy
        .storage
        .volumes()
        .into_iter()
        .chain(trivy.tls.map(|tls| tls.volume()))
        .chain(trivy.callers.volume())
        .chain(trivy.authorities.volumes())
        .collect()
}

fn mounts(trivy: &Validated<'_>) -> Vec<VolumeMount> {
    trivy
        .storage
        .mounts()
        .into_iter()
        .chain(trivy.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .chain(trivy.callers.mount())
        .chain(trivy.authorities.mounts())
        .collect()
}
