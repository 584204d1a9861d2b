//! Trivy's Deployment.

use super::{
    Trivy,
    environment::{self, TLS_DIRECTORY},
    inputs::Inputs,
    storage,
};
use crate::{
    certificates::InternalTls,
    pods::{Strategy, Workload, container_port, http_probe, tcp_probe},
};
use k8s_openapi::api::core::v1::{
    Container, ExecAction, Lifecycle, LifecycleHandler, Probe, Volume, VolumeMount,
};
use plan::{Component, Desired};

/// The Deployment. Waits for the ConfigMap and the Secret that are its environment.
pub(super) fn deployment(trivy: &Inputs<'_>) -> Desired {
    // A scan that has begun, and as long as Kubernetes grants by itself.
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

/// However a claim can be mounted, one pod after the other: scans of two pods would lock each other out of the database
/// of vulnerabilities.
fn strategy(trivy: &Inputs<'_>) -> Strategy {
    if trivy.claims.is_empty() { Strategy::RollingUpdate } else { Strategy::Recreate }
}

fn container(trivy: &Inputs<'_>) -> Container {
    let scheme = trivy.scheme();
    Container {
        name: Trivy::NAME.into(),
        image: Some(trivy.instance.image("trivy-adapter-photon")),
        env: Some(environment::environment(trivy).into()),
        env_from: Some(environment::sources(trivy)),
        ports: Some(vec![container_port(scheme.as_str(), scheme.container_port())]),
        volume_mounts: Some(mounts(trivy)),
        // Scans may take all the processor there is.
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

/// The kubelet has no certificate to show; where callers need one it can only try to connect.
fn probe(trivy: &Inputs<'_>, path: &str) -> Probe {
    let scheme = trivy.scheme();
    if trivy.callers.anybody() {
        http_probe(path, scheme.as_str(), scheme)
    } else {
        tcp_probe(scheme.as_str())
    }
}

/// Waits while a scan is running. Since Harbor 2.10 the adapter exits at once when told to, and Harbor would wait an
/// hour for the report of a scan that nobody continues.
///
/// A scan has a file among the reports as long as it runs. One older than what the kubelet makes for each start of a
/// container was left behind by a crash.
fn scans_to_end() -> Vec<String> {
    let running = format!("find {} -name 'scan_report_*' -newer /dev/termination-log", storage::REPORTS);
    vec!["/bin/sh".into(), "-c".into(), format!("while [ -n \"$({running})\" ]; do sleep 1; done")]
}

fn volumes(trivy: &Inputs<'_>) -> Vec<Volume> {
    trivy
        .storage
        .volumes()
        .into_iter()
        .chain(trivy.tls.map(|tls| tls.volume()))
        .chain(trivy.callers.volume())
        .chain(trivy.authorities.volumes())
        .collect()
}

fn mounts(trivy: &Inputs<'_>) -> Vec<VolumeMount> {
    trivy
        .storage
        .mounts()
        .into_iter()
        .chain(trivy.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .chain(trivy.callers.mount())
        .chain(trivy.authorities.mounts())
        .collect()
}
